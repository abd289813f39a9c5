#!/usr/bin/env python3
"""numpy (and h5py, where it is installed) agree with offgrid about what is in a file, in both directions, and with the
transform's definition."""
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed (Debian package python3-numpy)")
    sys.exit(77)
try:
    import h5py
except ImportError:
    h5py = None
    print("h5py is not installed: HDF5 is left out")

COMMAND = Path(os.environ["OFFGRID_BUILD"]) / "bin" / "offgrid"
random = np.random.default_rng(1)
M, N = 50, (8, 7, 6)  # N_x, N_y, N_z


def offgrid(*arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)


def modes_of(n):
    return np.arange(n) - n // 2


def phases(x):
    """[N_z, N_y, N_x, M]"""
    kx, ky, kz = map(modes_of, N)
    return (np.multiply.outer(kz, x[2])[:, None, None] + np.multiply.outer(ky, x[1])[None, :, None]
            + np.multiply.outer(kx, x[0])[None, None])


def error(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def save(path, name, array):
    if name == "npy":
        np.save(path / "a.npy", array)
        return path / "a.npy"
    with h5py.File(path / "a.h5", "w") as file:
        file["group/a"] = array
    return f"{path / 'a.h5'}:/group/a"


def load(path, name):
    if name == "npy":
        return np.load(path / "b.npy")
    with h5py.File(path / "b.h5") as file:
        return file["b"][()]


def main(path):
    x = random.uniform(-4, 4, (3, M))
    np.save(path / "x.npy", x)
    c = random.standard_normal((2, 3, M)) + 1j * random.standard_normal((2, 3, M))
    want = np.einsum("zyxm,abm->abzyx", np.exp(-1j * phases(x)), c)
    names = ["npy"] + (["h5"] if h5py else [])
    for name, kind, order in itertools.product(names, ["<c16", ">c16", "<c8", ">c8"], "CF"):
        source = save(path, name, np.asarray(c, dtype=kind, order=order))
        target = path / "b.npy" if name == "npy" else f"{path / 'b.h5'}:/b"
        offgrid("transform", "--type", 1, "--points", path / "x.npy", "--modes", "8x7x6", "--input", source, "--output",
                target, "--tol", "1e-5", "--check")
        got = load(path, name)
        assert got.shape == want.shape and got.dtype == np.dtype(kind).newbyteorder("<"), (name, kind, got.shape, got.dtype)
        assert error(got, want) < 2.5e-5, (name, kind, order, error(got, want))
    # type 2 of the exact modes, back to the points
    np.save(path / "f.npy", want)
    offgrid("transform", "--type", 2, "--points", path / "x.npy", "--input", path / "f.npy", "--output", path / "v.npy",
            "--tol", "1e-6")
    back = np.einsum("zyxm,abzyx->abm", np.exp(1j * phases(x)), want)
    assert error(np.load(path / "v.npy"), back) < 3e-6
    print("numpy agrees" + (", h5py agrees" if h5py else ""))


with tempfile.TemporaryDirectory() as folder:
    main(Path(folder))
