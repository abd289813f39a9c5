"""Times ducc0's c2c on the same sizes as bench_fft_fft: the whole grid, and pruned by passes (x, then y of the kept x, then
z of the kept x and y: what the pruned transform does). CPU time of one thread, smallest of several, milliseconds.

    python3 bench/fft/ducc.py 256x256x256 128x128x128 [f32]
"""
import sys
import time

import ducc0
import numpy as np


def ends(n, n_modes):
    """The two runs of cells that hold modes."""
    low = n_modes // 2
    return [slice(0, n_modes - low), slice(n - low, n)] if n_modes < n else [slice(0, n)]


def passes(grid, out, n_modes):
    """grid: [z][y][x] or fewer dimensions; n_modes: x first."""
    d = grid.ndim
    ducc0.fft.c2c(grid, axes=(d - 1,), out=out, nthreads=1)
    for x in ends(grid.shape[-1], n_modes[0]) if d > 1 else []:
        part = out[..., x]
        ducc0.fft.c2c(part, axes=(d - 2,), out=part, nthreads=1)
        for y in ends(grid.shape[-2], n_modes[1]) if d > 2 else []:
            part = out[:, y, x]
            ducc0.fft.c2c(part, axes=(0,), out=part, nthreads=1)


def milliseconds(work, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def main():
    n, n_modes = ([int(v) for v in text.split("x")] for text in sys.argv[1:3])
    kind = np.complex64 if "f32" in sys.argv else np.complex128
    grid = (np.random.rand(*n[::-1]) + 1j * np.random.rand(*n[::-1])).astype(kind)
    out = np.empty_like(grid)
    whole = milliseconds(lambda: ducc0.fft.c2c(grid, out=out, nthreads=1))
    pruned = milliseconds(lambda: passes(grid, out, n_modes))
    print(f"{sys.argv[1]} -> {sys.argv[2]} ducc0 {ducc0.__version__}: whole {whole:.4g}, by passes {pruned:.4g} ms")


main()
