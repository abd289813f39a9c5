"""A NUFFT in a page of numpy on the library's windows meets the tolerance at the customary width, in 1-D to 3-D.

It knows the library only by og_window_value and og_window_transform. --table prints more of what it measures.
"""
import ctypes
import os
import sys

try:
    import numpy as np
except ImportError:
    print("skip: numpy is not installed")
    sys.exit(77)

folder = os.environ.get("OFFGRID_BUILD", "build")
paths = [os.path.join(folder, "lib", "liboffgrid.so"), os.path.join(folder, "liboffgrid.so")]
path = next((p for p in paths if os.path.exists(p)), None)
if path is None or "address" in os.environ.get("OFFGRID_SANITIZE", ""):
    print("skip: no shared library that Python can load at", " or ".join(paths))
    sys.exit(77)
library = ctypes.CDLL(path)
library.og_window_create.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_int]
library.og_window_create.argtypes += [ctypes.c_double, ctypes.c_double]
library.og_window_destroy.argtypes = [ctypes.c_void_p]
for function in (library.og_window_value, library.og_window_transform):
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_double], ctypes.c_double


class Axis:
    """One dimension: N modes k on n cells; the stencils of points x."""

    def __init__(self, name, width, sigma, modes, x):
        self.n = max(int(np.ceil(sigma * modes)), 2 * width)
        self.k = np.arange(modes) - modes // 2
        window = ctypes.c_void_p()
        assert library.og_window_create(ctypes.byref(window), name.encode(), width, self.n / modes, 0) == 0
        self.factor = 1 / np.array([library.og_window_transform(window, 2 * np.pi * k / self.n) for k in self.k])
        g = x * self.n / (2 * np.pi)
        start = np.ceil(g - width / 2)
        cells = start[:, None] + np.arange(width)
        self.value = np.array([[library.og_window_value(window, d) for d in row] for row in cells - g[:, None]])
        self.cell = cells.astype(int) % self.n
        self.exact = np.exp(-1j * np.outer(self.k, x))
        library.og_window_destroy(window)


def type1(axes, c):
    grid = np.zeros([a.n for a in axes], complex)
    for j, strength in enumerate(c):
        block = strength
        for a in axes:
            block = np.multiply.outer(block, a.value[j])
        grid[np.ix_(*[a.cell[j] for a in axes])] += block
    f = np.fft.fftn(grid)
    for d, a in enumerate(axes):
        f = np.take(f, a.k % a.n, axis=d) * a.factor.reshape([-1 if d == e else 1 for e in range(len(axes))])
    return f


def direct(axes, c):
    letters = "xyz"[: len(axes)]
    return np.einsum(",".join(l + "j" for l in letters) + ",j->" + letters, *[a.exact for a in axes], c, optimize=True)


def customary_width(tolerance, sigma, ndim):
    return int(max(2, np.ceil(np.log(0.18 * 1.4 ** (ndim - 1) / tolerance) / (np.pi * np.sqrt(1 - 1 / sigma)) + 1)))


def main():
    rng = np.random.default_rng(1)
    failures = 0
    draws = 6 if "--all" in sys.argv or "--table" in sys.argv else 2
    names = ["optimal", "pswf"] if "--table" in sys.argv else ["optimal"]
    print("A naive NUFFT on the windows meets the tolerance\n")
    print("| window | d | sigma | median of error / tol | worst, w >= 3 | worst, w = 2 |\n|---|---|---|---|---|---|")
    for name in names:
        for ndim, modes, points in ((1, [64], 150), (2, [24, 26], 100), (3, [12, 14, 16], 60)):
            for sigma in (1.25, 1.5, 2.0):
                ratios, worst = [], {False: 0.0, True: 0.0}
                for tolerance in 10.0 ** -np.arange(1, 13 if ndim == 1 else 10):
                    width = customary_width(tolerance, sigma, ndim)
                    if width > 16:
                        continue
                    for _ in range(draws):
                        axes = [Axis(name, width, sigma, n, rng.uniform(-np.pi, np.pi, points)) for n in modes]
                        c = rng.normal(size=points) + 1j * rng.normal(size=points)
                        want = direct(axes, c)
                        ratio = np.linalg.norm(type1(axes, c) - want) / np.linalg.norm(want) / tolerance
                        ratios.append(ratio)
                        worst[width == 2] = max(worst[width == 2], ratio)
                median = np.median(ratios)
                print(f"| {name} | {ndim} | {sigma} | {median:.2f} | {worst[False]:.2f} | {worst[True]:.2f} |")
                if name == "optimal" and not (median <= 1 and worst[False] <= 1.75 and worst[True] <= 2.2):
                    failures += 1
                    print("FAIL: want a median of at most 1 and at worst 1.75, for width 2 2.2")
    print(f"{failures} failed")
    return 1 if failures else 0


sys.exit(main())
