#!/usr/bin/env python3
"""Runs the tests and ends with one line: 'N passed, N failed, N skipped'.

Without arguments: the sampled tests of build/, then the sanitizer builds, the fuzz targets and the format check. With
--all: every combination of the tests of build/ as well. Every ctest entry, fuzz target and check counts as one test; a
skip's reason is printed. The exit code is 1 when anything failed, or when no test ran."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = os.cpu_count() or 1
# The threaded paths (threads/paths goes through all of them), for the thread sanitizer; and tests that gain nothing from the
# address sanitizer, because they look at files as built or installed, or load libraries into an interpreter that was not
# built with it, or run on other numbers of ranks than 3.
THREADED = r"^(threads/|plan/(threads|batch|spread|filter|type3|gradient|reuse|progress)|points/|deconvolve/|fft/threads)"
NOT_UNDER_ASAN = r"^(install/|rules/|demo/|compat/test_.*\.py|mpi/mpich/|mpi/(ranks|faults)/([1245678]|1.|single/.*)$)"


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def skip(self, name, reason):
        print(f"skipped {name}: {reason}", flush=True)
        self.skipped.append(name)

    def result(self, name, ok, seconds, output=""):
        print(f"{'ok     ' if ok else 'FAILED '} {name} ({seconds:.1f} s)", flush=True)
        if ok:
            self.passed += 1
        else:
            self.failed.append(name)
            print(output[-6000:], flush=True)


def run(command, timeout=1200, env=None):
    """Exit code and the output, both streams together."""
    try:
        done = subprocess.run(command, cwd=ROOT, timeout=timeout, env={**os.environ, **(env or {})}, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return 124, f"{late.stdout or ''}\ntook longer than {timeout} s"


def skip_reason(output):
    """The line that says why: the last one that speaks of skipping, else the last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = [line for line in lines if re.search("skip", line, re.I)]
    return (said or lines or ["no reason given"])[-1]


def ctest(tally, folder, label, arguments, env=None):
    """Runs ctest in a build folder, which prints as it goes, and adds its entries to the tally."""
    print(f"== {label}", flush=True)
    report = folder / "ctest.xml"
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(folder), "-j", str(JOBS), "--output-on-failure", "--no-tests=error",
               "--output-junit", str(report), *arguments]
    # Tests share the cores, so OpenMP's threads must not spin while they wait.
    subprocess.run(command, cwd=ROOT, env={**os.environ, "OMP_WAIT_POLICY": "passive", **(env or {})},
                   stdin=subprocess.DEVNULL, check=False)
    if not report.exists():
        tally.result(f"{label}: ctest wrote no report", False, 0)
        return
    for case in xml.parse(report).getroot().iter("testcase"):
        name = f"{label}: {case.get('name')}"
        skipped = case.find("skipped")
        # CTest calls a missing program "not run" as well: that is a failure, unlike exit code 77.
        if skipped is not None and "SKIP_RETURN_CODE" in skipped.get("message", ""):
            tally.skip(name, skip_reason(case.findtext("system-out") or ""))
        elif case.get("status") == "run":
            tally.passed += 1
        else:
            tally.failed.append(name)


def build(tally, preset):
    """Configures and builds one preset in build/<preset>; a failure is a failed test."""
    start = time.monotonic()
    code, output = run(["scripts/configure.sh", preset])
    if code == 0:
        code, output = run(["cmake", "--build", f"build/{preset}", "--parallel", str(JOBS)])
    if code:
        tally.result(f"{preset}: build", False, time.monotonic() - start, output)
    return code == 0


def sanitizers(tally):
    if build(tally, "asan"):
        ctest(tally, ROOT / "build/asan", "address and undefined sanitizers", ["-E", NOT_UNDER_ASAN])
    if not shutil.which("clang"):
        tally.skip("thread sanitizer", "clang is not installed")
    elif build(tally, "tsan"):
        # Two threads even where OpenMP sees one core; code outside this project is not instrumented (FFTW).
        env = {"OMP_NUM_THREADS": "2", "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:halt_on_error=1"}
        ctest(tally, ROOT / "build/tsan", "thread sanitizer", ["-R", THREADED], env)


def fuzz(tally, seconds):
    """Each fuzz target gets an equal share of the time; seeds are read, new inputs stay in the build folder."""
    targets = sorted((ROOT / "tests/fuzz").glob("*.c"))
    if not targets:
        tally.skip("fuzz", "no targets in tests/fuzz")
        return
    if not shutil.which("clang"):
        tally.skip("fuzz", "clang is not installed")
        return
    if not build(tally, "fuzz"):
        return
    print(f"== fuzz, {seconds} s", flush=True)
    share = max(1, seconds // len(targets))
    for source in targets:
        name = source.stem
        found = ROOT / "build/fuzz/found" / name
        found.mkdir(parents=True, exist_ok=True)
        seeds = [str(folder) for folder in (source.parent / "seeds" / name, source.parent / "seeds")
                 if folder.is_dir()][:1]
        start = time.monotonic()
        code, output = run([f"build/fuzz/fuzz/{name}", f"-max_total_time={share}", "-timeout=20", "-rss_limit_mb=2048",
                            "-print_final_stats=1", f"-artifact_prefix={found.parent}/crash-{name}-", str(found), *seeds],
                           timeout=share + 120)
        tally.result(f"fuzz: {name}", code == 0, time.monotonic() - start, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="every combination, for hours")
    parser.add_argument("--only", metavar="REGEX", help="only these ctest entries of build/, nothing else")
    parser.add_argument("--fuzz-seconds", type=int, default=60)
    options = parser.parse_args()
    start = time.monotonic()
    tally = Tally()

    arguments = ["-C", "All"] if options.all else []
    arguments += ["-R", options.only] if options.only else []
    ctest(tally, ROOT / "build", "tests", arguments)
    if not options.only:
        begin = time.monotonic()
        code, output = run(["scripts/lint.sh", "--quick"])
        tally.result("format and shell check", code == 0, time.monotonic() - begin, output)
        sanitizers(tally)
        fuzz(tally, options.fuzz_seconds * (10 if options.all else 1))

    print(f"\n{(time.monotonic() - start) / 60:.1f} minutes")
    for name in tally.failed:
        print(f"FAILED {name}")
    print(f"{tally.passed} passed, {len(tally.failed)} failed, {len(tally.skipped)} skipped", flush=True)
    sys.exit(1 if tally.failed or not tally.passed else 0)


if __name__ == "__main__":
    main()
