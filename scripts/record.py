#!/usr/bin/env python3
"""The record of docs/performance.md: runs `offgrid bench` over a set of problems, each beside its peers in one run, and
prints a Markdown table. Times are set_points + execute, medians; a ratio is the peer's time over ours.

  scripts/record.py [--threads 1,2] [--repeat 3] [--only TEXT] [--offgrid build/bin/offgrid] [any option of offgrid bench:
                    --peer finufft --peer-lib libfinufft.so --peer ducc --peer-python python3]"""
import argparse
import json
import subprocess
import sys

PROBLEMS = [
    *(f"3d/{kind}/128x128x128/m={m}/tol={tol}/f64/complex/uniform" for kind in ("type1", "type2")
      for m, tols in (("2.1e5", ("1e-6",)), ("2.1e6", ("1e-3", "1e-6", "1e-9")), ("2.1e7", ("1e-6",))) for tol in tols),
    *(f"3d/{kind}/128x128x128/m=2.1e6/tol=1e-6/f64/{rest}" for kind in ("type1", "type2")
      for rest in ("real/uniform", "complex/clustered")),
    *(f"3d/{kind}/128x128x128/m=2.1e6/tol={tol}/f32/complex/uniform" for kind in ("type1", "type2")
      for tol in ("1e-3", "1e-5")),
    *(f"2d/{kind}/1000x1000/m={m}/tol=1e-6/f64/complex/uniform" for kind in ("type1", "type2") for m in ("1e6", "1e7")),
    *(f"1d/{kind}/1000000/m={m}/tol=1e-6/f64/complex/uniform" for kind in ("type1", "type2") for m in ("1e6", "1e7")),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--repeat", default="3")
    parser.add_argument("--only", default="", help="problems whose string has this text")
    parser.add_argument("--offgrid", default="build/bin/offgrid")
    arguments, rest = parser.parse_known_args()
    print("| problem | threads | σ, w | error | s: points + spread or interp + fft + deconvolve | total s | FINUFFT: error, ratio | "
          "ducc0: error, ratio |\n|---|---|---|---|---|---|---|---|")
    for threads in arguments.threads.split(","):
        for problem in PROBLEMS:
            if arguments.only not in problem:
                continue
            done = subprocess.run([arguments.offgrid, "bench", problem, "--json", "--threads", threads, "--repeat",
                                   arguments.repeat, *rest], capture_output=True, text=True)
            if not done.stdout.strip():
                sys.exit(f"{problem}: {done.stderr.strip()}")
            result = json.loads(done.stdout)[0]
            report, by_name = result["plan_report"], {c["name"]: c for c in result["contenders"]}
            ours = by_name["offgrid"]
            stages = " + ".join(f"{report['seconds_' + stage]:.3g}" for stage in
                                ("points", "interp" if "type2" in problem else "spread", "fft", "deconvolve"))
            peers = " | ".join(f"{c['error']:.1e}, {c['total'] / ours['total']:.2f}" if c else "–" for c in
                               (by_name.get("finufft"), by_name.get("ducc")))
            print(f"| `{problem}` | {threads} | {report['sigma']:.2f}, {report['width']} | {ours['error']:.1e} | {stages} | "
                  f"{ours['total']:.3g} | {peers} |", flush=True)


if __name__ == "__main__":
    main()
