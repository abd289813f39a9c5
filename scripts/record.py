#!/usr/bin/env python3
"""The record of docs/performance.md: runs `offgrid bench` over a set of problems, each beside its peers in one run, and
prints a Markdown table. Times are set_points + execute, medians; a ratio is the peer's time over ours. In pieces:

  scripts/record.py [--threads 1,2] [--repeat 3] [--only 3d,type1,f32] [--json FILE] [--offgrid build/bin/offgrid]
                    [any option of offgrid bench: --peer finufft --peer-lib libfinufft.so --peer ducc
                     --peer-python python3]

--only wants every one of the texts in the problem's string; --list shows what is chosen. The last column is the time that
the machine's limits leave for our own sizes (see Limits) and how much of ours that is. It takes the bandwidth of memcpy,
and the clock of a chain of additions, both measured when the script starts; --bandwidth (GB/s) and --ghz say otherwise."""
import argparse
import ctypes
import json
import math
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path


def problems():
    """Types 1 and 2, dimensions, precisions, tolerances, densities, uniform and clustered points; then real values, other
    shapes of clouds, and the density sweep of a small grid, where a cliff would show."""
    accuracies = [*(("f64", tol) for tol in ("1e-3", "1e-6", "1e-9")), *(("f32", tol) for tol in ("1e-3", "1e-5"))]
    found = []

    def add(modes, m, precision, tol, cloud="uniform", values="complex"):
        dimensions = modes.count("x") + 1
        for kind in ("type1", "type2"):
            text = f"{dimensions}d/{kind}/{modes}/m={m}/tol={tol}/{precision}/{values}/{cloud}"
            if text not in found:
                found.append(text)

    def add_all(modes, *counts):
        for m in counts:
            for precision, tol in accuracies:
                for cloud in ("uniform", "clustered"):
                    add(modes, m, precision, tol, cloud)

    # a tenth of a point per mode, one, and ten: these once in full size, the rest on fewer modes
    for modes, few, one, ten, fewer_modes in (("128x128x128", "2.1e5", "2.1e6", "2.1e7", "64x64x64"),
                                              ("1000x1000", "1e5", "1e6", "1e7", "512x512"),
                                              ("1000000", "1e5", "1e6", "1e7", "262144")):
        add_all(modes, few, one)
        add(modes, ten, "f64", "1e-6")
        add_all(fewer_modes, "2.6e6")
    for modes, m in (("128x128x128", "2.1e6"), ("1000x1000", "1e6"), ("1000000", "1e6")):
        add(modes, m, "f64", "1e-6", values="real")
    for cloud in ("blobs", "radial", "line"):
        add("128x128x128", "2.1e6", "f64", "1e-6", cloud)
    for m in ("26", "260", "2.6e3", "2.6e4", "2.6e5", "2.6e6", "2.6e7"):  # 1e-4 to 100 points per mode
        add("64x64x64", m, "f64", "1e-6")
    return found


class Limits:
    """Lower bounds of the stages' times on this machine, from the plan's own report: whatever the code does, memory has to
    move and products have to be made. Each stage takes the larger of the two.

    points       coordinates read twice (count, partition), records (coordinates + 8 bytes) written, read, written
    spread       per point w^(d-1) rows of vectors, one fused multiply-add each, two in a cycle, and d windows of w
                 polynomials; strengths and records read, every cell of the grid written. Sharing a row among points
                 saves loads and stores, never the products
    interp       the same products; the grid read instead
    fft          per pass the cells that carry data read and written: x with y in one, z in the other; 4 n log2 n
                 operations per line, two vectors of them in a cycle
    deconvolve   kept cells and modes, one read, one written

    Caches make a small problem faster than its memory floor: with less than 16 MB only products count."""

    def __init__(self, bandwidth, ghz):
        self.bandwidth, self.ghz = bandwidth, ghz

    def stages(self, problem, report):
        d, kind = int(problem[0]), 2 if "/type2/" in problem else 1
        real = 4 if "/f32/" in problem else 8
        value = real * (1 if "/real/" in problem else 2)
        vector = {"avx512": 64, "avx2": 32}.get(report["simd"], 16)
        points = float(re.search(r"/m=([^/]*)", problem).group(1))
        modes = [int(n) for n in re.search(r"/(\d[\dx]*)/m=", problem).group(1).split("x")]
        n, w, threads = report["grid"][:d], report["width"], report["threads"]
        cells, kept = math.prod(n), math.prod(modes) * value / (2 * real)
        record = d * real + 8

        def stage(moved, cycles):
            memory = moved / (self.bandwidth[min(threads, 2)] * 1e9) if cells * value + points * record > 16e6 else 0
            return max(memory, cycles / (self.ghz * 1e9 * threads))

        rows = w ** (d - 1) * math.ceil(w * value / vector)
        windows = d * (report["degree"] + 1) * math.ceil(w * real / vector)
        per_point = (rows + windows) / 2
        share = value / (2 * real)  # of a complex transform
        moved = 2 * 2 * real * share * (cells + (modes[0] * modes[1] * n[2] if d == 3 else 0))
        lines = [math.prod(n[i + 1:]) * math.prod(modes[:i]) * n[i] * math.log2(n[i]) for i in range(d)]
        operations = 4 * sum(lines) * share * real / vector / 2
        return {
            "points": stage(points * (2 * d * real + 3 * record), 0),
            "interp" if kind == 2 else "spread": stage(points * (record + 2 * value) + cells * value, points * per_point),
            "fft": stage(moved, operations),
            "deconvolve": stage(2 * kept * 2 * real, 0),
        }


def measure_bandwidth(threads):
    """GB/s of memcpy from memory to memory, bytes read and bytes written."""
    size, repeats = 1 << 27, 5
    blocks = [[ctypes.create_string_buffer(size) for _ in range(2)] for _ in range(threads)]

    def copy(pair):
        for _ in range(repeats):
            ctypes.memmove(pair[0], pair[1], size)

    best = 0
    for _ in range(3):
        workers = [threading.Thread(target=copy, args=(pair,)) for pair in blocks]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = max(best, 2 * size * repeats * threads / (time.perf_counter() - start) / 1e9)
    return best


# A chain of additions, each of which waits for the one before: one cycle each.
CHAIN = """
#include <stdio.h>
#include <time.h>
int main(void) {
  double best = 1e9;
  for (int r = 0; r < 20; r++) {
    struct timespec a, b;
    unsigned long x = 1;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 500000; i++) {
#define ADD x += 3; __asm__ volatile("" : "+r"(x));
#define ADD8 ADD ADD ADD ADD ADD ADD ADD ADD
      ADD8 ADD8 ADD8 ADD8
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    double t = (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec);
    best = t < best ? t : best;
  }
  printf("%g", 32 * 500000 / best / 1e9);
}
"""


def measure_clock():
    """GHz while one core works, by a program that the C compiler makes."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "chain"
        try:
            subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", str(program)], input=CHAIN, text=True, check=True,
                           capture_output=True)
            return float(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)
        except (OSError, subprocess.CalledProcessError):
            sys.exit("record: no C compiler (cc) to measure the clock with: give --ghz")


def run(arguments, rest, problem, threads):
    done = subprocess.run([arguments.offgrid, "bench", problem, "--json", "--threads", threads, "--repeat",
                           arguments.repeat, *rest], capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        sys.exit(f"{problem}: {done.stderr.strip()}")
    result = json.loads(done.stdout)[0]
    for contender in result["contenders"]:
        if "left_out" in contender:
            sys.exit(f"{problem}: {contender['left_out']}")
    return result


def row(problem, threads, result, limits):
    report, by_name = result["plan_report"], {c["name"]: c for c in result["contenders"]}
    ours, floor = by_name["offgrid"], limits.stages(problem, report)
    stages = " + ".join(f"{report['seconds_' + stage]:.3g}" for stage in floor)
    peers = " | ".join(f"{c['error']:.1e}, {c['total'] / ours['total']:.2f}" if c else "–" for c in
                       (by_name.get("finufft"), by_name.get("ducc")))
    least = sum(floor.values())
    result["limit"] = floor
    return (f"| `{problem}` | {threads} | {report['sigma']:.2f}, {report['width']} | {ours['error']:.1e} | {stages} | "
            f"{ours['total']:.3g} | {peers} | {least:.2g}, {100 * least / ours['total']:.0f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--repeat", default="3")
    parser.add_argument("--only", default="", metavar="TEXT,...", help="problems whose string has all of these")
    parser.add_argument("--list", action="store_true", help="only name the problems")
    parser.add_argument("--json", metavar="FILE", help="also everything that was measured")
    parser.add_argument("--offgrid", default="build/bin/offgrid")
    parser.add_argument("--bandwidth", type=float, help="GB/s of memory, read and written, whatever the threads")
    parser.add_argument("--ghz", type=float)
    arguments, rest = parser.parse_known_args()
    chosen = [p for p in problems() if all(text in p for text in arguments.only.split(","))]
    if not chosen:
        sys.exit(f"record: no problem has all of {arguments.only}")
    if arguments.list:
        print("\n".join(chosen))
        return
    given = arguments.bandwidth
    limits = Limits({n: given or measure_bandwidth(n) for n in (1, 2)}, arguments.ghz or measure_clock())
    results = []
    print(f"memory {limits.bandwidth[1]:.1f} GB/s by one thread, {limits.bandwidth[2]:.1f} by two; {limits.ghz:.2f} GHz\n")
    print("| problem | threads | σ, w | error | s: points + spread or interp + fft + deconvolve | total s | FINUFFT: error, "
          "ratio | ducc0: error, ratio | limit s, reached |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    for threads in arguments.threads.split(","):
        for problem in chosen:
            result = run(arguments, rest, problem, threads)
            print(row(problem, threads, result, limits), flush=True)
            results.append({"threads": int(threads), **result})
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"bandwidth": limits.bandwidth, "ghz": limits.ghz, "problems": results}, file, indent=1)


if __name__ == "__main__":
    main()
