"""ducc0 as a contender of `offgrid bench`: reads a problem from standard input, runs when told, times the call alone.

The protocol is described in apps/cli/peer_ducc.c. Coordinates arrive x first; ducc0's grids have x as their last axis, so
its coordinate columns are z, y, x."""
import sys
import time


def say(text):
    print(text, flush=True)


def read(count, kind):
    import numpy as np

    data = sys.stdin.buffer.read(count * np.dtype(kind).itemsize)
    return np.frombuffer(data, kind)


def main():
    words = sys.stdin.buffer.readline().split()
    if len(words) != 12:
        return
    kind, ndim, nx, ny, nz, n_points, n_targets, vectors = map(int, words[:8])
    tolerance, (single, sign, threads) = float(words[8]), map(int, words[9:])
    try:
        import ducc0
        import numpy as np
    except ImportError as error:
        say(f"error {error}; give a Python that has ducc0 with --peer-python PATH")
        return
    real, number = (np.float32, np.complex64) if single else (np.float64, np.complex128)
    shape = (nz, ny, nx)[3 - ndim:]


    def coordinates(count):
        return np.ascontiguousarray(read(ndim * count, real).reshape(ndim, count)[::-1].T)

    coord = coordinates(n_points)
    targets = coordinates(n_targets) if kind == 3 else None
    grids, points = (vectors, *shape), (vectors, n_points)
    n_in, n_out = {1: (points, grids), 2: (grids, points), 3: (points, (vectors, n_targets))}[kind]
    source = read(int(np.prod(n_in)), number).reshape(n_in)
    out = np.empty(n_out, number)
    common = dict(forward=sign < 0, epsilon=tolerance, nthreads=threads)
    say(f"ready {ducc0.__version__}")
    for line in sys.stdin.buffer:
        if line.strip() == b"run":
            start = time.perf_counter()
            try:
                if kind == 1:
                    ducc0.nufft.nu2u(points=source, coord=coord, out=out, **common)
                elif kind == 2:
                    ducc0.nufft.u2nu(grid=source, coord=coord, out=out, **common)
                else:
                    ducc0.nufft.experimental.nu2nu(points_in=source, coord_in=coord, coord_out=targets,
                                                   points_out=out, **common)
            except Exception as error:  # its sentence goes to the one who asked
                say("error " + " ".join(str(error).split()))
                continue
            say(repr(time.perf_counter() - start))
        elif line.strip() == b"result":
            sys.stdout.buffer.write(out.tobytes())
            sys.stdout.buffer.flush()


main()
