#!/usr/bin/env python3
"""clang-tidy, with the checks of .clang-tidy, on every compiled source but tests, benches and what the build itself writes (not
there yet in a fresh clone): one process per core, each file once however often it is compiled. Prints findings only; exits 1 when there are any. Arguments: files, default all."""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tidy(file):
    done = subprocess.run(["clang-tidy", "-p", str(ROOT / "build"), "--quiet", file], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = done.stdout.strip()
    return text or (done.stderr.strip() if done.returncode else "")


def main():
    commands = json.loads((ROOT / "build/compile_commands.json").read_text())
    files = sorted({entry["file"] for entry in commands
                    if not re.match(rf"{re.escape(str(ROOT))}/(build|tests|bench)/", entry["file"])})
    if sys.argv[1:]:
        files = [str(Path(name).resolve()) for name in sys.argv[1:]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(tidy, files) if text]
    print("\n".join(found))
    print(f"clang-tidy: {len(files)} files, {len(found)} with findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
