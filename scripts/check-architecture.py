#!/usr/bin/env python3
"""Checks the rules of docs/architecture.md ('Who may know whom') and a few habits that a compiler does not see.

Prints one line per violation, FILE:LINE: [rule] what, and exits 1 when there is any. --self-test plants one violation of
each rule in a copy of the tree and fails unless each is caught, so that this script cannot pass by being blind."""
import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Folder -> what its files may include with quotes, besides files of their own folder and the public header. The longest
# matching folder counts. '*': anything, for the library's own code but what lies above it.
MAY_INCLUDE = {
    "src/base": [],
    "src/window": ["base/"],
    "src/points": ["base/", "backend.h"],
    "src/fft": ["base/", "backend.h"],
    "src/spread": ["base/", "window/", "backend.h"],
    "src/deconvolve": ["base/", "window/", "backend.h"],
    "src/plan": ["*"],
    "src/mpi": ["base/", "backend.h", "fft/", "plan/"],
    "backends": ["base/", "window/", "fft/lines.h"],
    "backends/registry.c": ["base/", "backend.h", "cpu/cpu.h", "ref/ref.h", "memcheck/memcheck.h", "gpu/gpu.h"],
    "backends/ref": ["base/", "window/", "backend.h", "fft/lines.h"],
    "backends/cpu": ["base/", "window/", "backend.h", "fft/lines.h"],
    "backends/gpu": ["base/", "window/", "backend.h", "fft/lines.h"],
    "backends/gpu/kernels": [],
    "backends/memcheck": ["base/", "window/", "backend.h", "fft/lines.h"],
    "apps": [],
    "bench": [],
    "bench/fft": ["*"],
    "bench/stages": ["*"],
    "bench/window": ["*"],
    "examples": [],
    "bindings": [],
    "compat": [],
    "include": [],
    "tests": ["*"],
}
PUBLIC = {"offgrid.h", "offgrid_mpi.h"}
ABOVE = ("mpi/", "offgrid_mpi.h")  # the distributed transforms stand on the core, which knows nothing of them
CORE = ("src/", "backends/")

# Words of vendors -> where they may stand, outside comments and strings. Tests may use all of them.
WORDS = {
    "OpenMP": (r"\bomp_\w+|#\s*pragma\s+omp\b|<omp\.h>", ["backends/cpu/", "bench/"]),
    "SIMD": (r"\b_mm\d*_\w+|<\w*intrin\.h>|<arm_neon\.h>", ["backends/cpu/"]),
    "FFTW": (r"\bfftwf?_(?:plan|execute|malloc|free|alloc|destroy|init|cleanup|import|export|make|set)\w*|<fftw3\.h>",
             ["backends/cpu/lines", "backends/cpu/fftw", "bench/"]),
    "MPI": (r"\bMPI_\w+|<mpi\.h>", ["src/mpi/", "include/offgrid_mpi.h", "examples/mpi", "bench/mpi"]),
    "CUDA": (r"\bcuda[A-Z]\w+|\bcu(?:Mem|Launch|Ctx|Stream|Module|Init|fft|Event|Device)\w*|<cu\w+\.h>|\bnvrtc\w+"
             r"|\b__(?:global|device|shared|constant|launch_bounds|forceinline)__|\b(?:thread|block|grid)(?:Idx|Dim)\b"
             r"|\b__(?:syncthreads|syncwarp|shfl)\w*",
             ["backends/gpu/drivers/", "backends/gpu/kernels/dialect/", "bench/gpu.c"]),
    "HIP": (r"\bhip[A-Z]\w+|<hip/\w+\.h>|\b__hip_\w+", ["backends/gpu/drivers/", "backends/gpu/kernels/dialect/"]),
    "OpenCL": (r"\bcl(?:Create|Enqueue|Get|Release|Set|Build|Finish|Wait)[A-Z]\w*|<CL/\w+\.h>|\b__(?:kernel|global|local)\b"
               r"|\bget_(?:local|global|group)_(?:id|size)\b|\bCLK_\w+",
               ["backends/gpu/drivers/", "backends/gpu/kernels/dialect/"]),
}
SOURCES = ("include", "src", "backends", "apps", "compat", "bindings", "bench", "examples", "tests")


class Checker:
    def __init__(self, root, build):
        self.root, self.build, self.found, self.notes = Path(root), build and Path(build), [], []

    def report(self, path, line, rule, what):
        self.found.append(f"{path}:{line}: [{rule}] {what}")

    def files(self, folders, *suffixes):
        for folder in folders:
            for path in sorted((self.root / folder).rglob("*")):
                if path.is_file() and path.suffix in suffixes:
                    yield path.relative_to(self.root).as_posix(), path.read_text(errors="replace")

    # The rules.

    def includes(self):
        for name, text in self.files(SOURCES, ".c", ".h"):
            rule = max((folder for folder in MAY_INCLUDE if name == folder or name.startswith(folder + "/")), key=len,
                       default=None)
            if rule is None:
                self.report(name, 1, "includes", "this folder has no rule in scripts/check-architecture.py")
                continue
            for number, line in enumerate(text.splitlines(), 1):
                match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                if match and not self.may_include(name, rule, match.group(1)):
                    self.report(name, number, "includes", f'"{match.group(1)}": {rule} may not know it')

    def may_include(self, name, rule, header):
        """Own folder: the file's own room (src/x, backends/x, apps/x), by either spelling of the path."""
        if rule != "src/mpi" and name.startswith(CORE) and header.startswith(ABOVE):
            return False
        if "*" in MAY_INCLUDE[rule] or header in PUBLIC:
            return True
        if any(header == allowed or (allowed.endswith("/") and header.startswith(allowed))
               for allowed in MAY_INCLUDE[rule]):
            return True
        if rule == "backends/gpu/kernels":  # texts for compilers at run time: names start from this folder
            return os.path.exists(self.root / rule / header) and ".." not in header
        room = "/".join(name.split("/")[:2 if name.count("/") > 1 else 1])
        own = [os.path.normpath(self.root / Path(name).parent / header)]
        own += [os.path.normpath(self.root / base / header) for base in ("src", "backends", room)]
        return any(os.path.exists(path) and path.startswith(str(self.root / room) + "/") for path in own)

    def vendor_words(self):
        for name, text in self.files([f for f in SOURCES if f != "tests"], ".c", ".h"):
            code = strip_comments(text)
            for number, line in enumerate(code.splitlines(), 1):
                for vendor, (pattern, allowed) in WORDS.items():
                    match = re.search(pattern, line)
                    if match and not name.startswith(tuple(allowed)):
                        self.report(name, number, "vendor words", f"{vendor} ({match.group(0)}) belongs in {allowed[0]}")
                if re.search(r"\b(secure_)?getenv\b", line) and name != "src/base/env.c":
                    self.report(name, number, "getenv", "only src/base/env.c reads the environment")

    def first_lines(self):
        for name, text in self.files(SOURCES, ".c", ".h"):
            if not re.match(r"/[*/] ?\w", text):
                self.report(name, 1, "first line", "a file opens with a comment that says what it holds and why")
        for name, text in self.files(["scripts", "tests", "bench", "bindings", "cmake"], ".py", ".sh", ".cmake"):
            lines = [line for line in text.splitlines() if not line.startswith("#!")]
            if not lines or not re.match(r'# ?\w|"""\w|r?"""', lines[0]):
                self.report(name, 1, "first line", "a file opens with a comment that says what it holds and why")

    def options(self):
        header = self.root / "include/offgrid.h"
        table = re.search(r"#define OG_OPTIONS_TABLE\(X\)(.*?)\n\n", header.read_text(), re.S).group(1)
        rows = re.findall(r'^ +X\([^,]+, (\w+),.*?"([^"]*)"\) *\\?$', table, re.M)
        if len(rows) != len(re.findall(r"^ +X\(", table, re.M)):
            self.report("include/offgrid.h", 1, "options", "a row of OG_OPTIONS_TABLE is not on one line with its doc")
        page = self.root / "docs/options.md"
        text = page.read_text() if page.exists() else ""
        for name, doc in rows:
            if len(doc.split()) < 2:
                self.report("include/offgrid.h", 1, "options", f"option {name} has no doc text")
            if f"`{name}`" not in text:
                self.report("docs/options.md", 1, "options", f"option {name} is missing: run make docs")
        command = self.build and self.build / "bin/offgrid"
        if command and command.exists():
            made = subprocess.run([command, "info", "--options"], capture_output=True, text=True)
            if made.returncode == 0 and made.stdout != text:
                self.report("docs/options.md", 1, "options", "differs from `offgrid info --options`: run make docs")

    def symbols(self):
        if not self.build:
            return
        for library, allowed, header in (("lib/liboffgrid.so", r"og_\w+", "include/offgrid.h"),
                                         ("lib/liboffgrid_mpi.so", r"og_mpi_\w+", "include/offgrid_mpi.h"),
                                         ("lib/finufft/libfinufft.so", r"(cu)?finufft\w*|FINUFFT_FFT_DEFAULT", None)):
            declared = header and set(re.findall(r"OG_API[^;(]*?\b(og_\w+)\(", (self.root / header).read_text()))
            path = self.build / library
            if not path.exists():
                self.notes.append(f"{library} is not built: its symbols are not checked")
                continue
            lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
            names = {line.split()[-1].split("@")[0] for line in lines.stdout.splitlines()}
            names -= {name for name in names if re.match(r"__(asan|ubsan|tsan|odr_asan|sanitizer)", name)}
            for name in sorted(names):
                if not re.fullmatch(allowed, name):
                    self.report(library, 0, "symbols", f"exports {name}")
                elif header and name not in declared:
                    self.report(library, 0, "symbols", f"exports {name}, which {header} does not declare")
            for name in sorted(declared - names) if header else ():
                self.report(library, 0, "symbols", f"{name} is declared in {header} and not exported")

    def docs(self):
        pages = [path for path in sorted(self.root.glob("*.md")) + sorted((self.root / "docs").rglob("*.md"))]
        for page in pages:
            name, text = page.relative_to(self.root).as_posix(), page.read_text()
            prose = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.S | re.M)
            for number, line in enumerate(prose.splitlines(), 1):
                for target in re.findall(r"\]\(([^)\s]+)\)", line):
                    if not re.match(r"[a-z]+:", target):
                        self.link(page, name, number, target)
            # A code block after <!-- quotes FILE --> is part of FILE, word for word.
            for match in re.finditer(r"<!-- quotes (\S+) -->\n```\w*\n(.*?)```", text, re.S):
                source = self.root / match.group(1)
                if not source.exists() or match.group(2).strip() not in source.read_text():
                    self.report(name, text[:match.start()].count("\n") + 1, "docs", f"does not quote {match.group(1)}")

    def link(self, page, name, number, target):
        path, _, anchor = target.partition("#")
        goal = (page.parent / path) if path else page
        if not goal.exists():
            self.report(name, number, "docs", f"broken link {target}")
        elif anchor and goal.suffix == ".md":
            heads = re.findall(r"^#+ (.*)$", goal.read_text(), re.M)
            slugs = {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}
            if anchor not in slugs:
                self.report(name, number, "docs", f"no heading #{anchor} in {goal.name}")

    def all(self):
        for rule in (self.includes, self.vendor_words, self.first_lines, self.options, self.symbols, self.docs):
            rule()
        return self.found


@functools.lru_cache(maxsize=None)
def strip_comments(text):
    """Blanks comments and string literals, keeping lines, so that words in prose do not count."""
    def blank(match):
        kept = match.group(0)
        if kept.startswith(("/", '"', "'")):
            return re.sub(r"[^\n]", " ", kept)
        return kept
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


# One violation per rule: (rule, file, text appended or put first, what the message must contain).
PLANTED = [
    ("includes", "src/base/planted.c", '/* Planted. */\n#include "window/window.h"\n', "may not know"),
    ("includes", "src/window/planted.c", '/* Planted. */\n#include "plan/options.h"\n', "may not know"),
    ("includes", "src/fft/planted.c", '/* Planted. */\n#include "window/window.h"\n', "may not know"),
    ("includes", "src/spread/planted.c", '/* Planted. */\n#include "fft/fft.h"\n', "may not know"),
    ("includes", "backends/cpu/planted.c", '/* Planted. */\n#include "ref/ref.h"\n', "may not know"),
    ("includes", "backends/ref/planted.c", '/* Planted. */\n#include "../cpu/cpu.h"\n', "may not know"),
    ("includes", "backends/ref/planted_plan.c", '/* Planted. */\n#include "plan/options.h"\n', "may not know"),
    ("includes", "src/plan/planted.c", '/* Planted. */\n#include "mpi/layout.h"\n', "may not know"),
    ("includes", "backends/cpu/planted.c", '/* Planted. */\n#include "offgrid_mpi.h"\n', "may not know"),
    ("includes", "src/mpi/planted.c", '/* Planted. */\n#include "cpu/cpu.h"\n', "may not know"),
    ("includes", "apps/cli/planted.c", '/* Planted. */\n#include "base/error.h"\n', "may not know"),
    ("includes", "compat/finufft/planted.c", '/* Planted. */\n#include "backend.h"\n', "may not know"),
    ("includes", "backends/gpu/kernels/planted.c", '/* Planted. */\n#include "gpu/program.h"\n', "may not know"),
    ("includes", "src/novelty/planted.c", '/* Planted. */\n', "no rule"),
    ("vendor words", "src/plan/planted.c", "/* Planted. */\n#pragma omp parallel\n", "OpenMP"),
    ("vendor words", "src/spread/planted.h", "/* Planted. */\n#include <immintrin.h>\n", "SIMD"),
    ("vendor words", "backends/ref/planted.c", "/* Planted. */\n#include <fftw3.h>\n", "FFTW"),
    ("vendor words", "src/plan/planted.c", "/* Planted. */\nint f(void) { return MPI_Init(0, 0); }\n", "MPI"),
    ("vendor words", "backends/gpu/planted.c", "/* Planted. */\nint g(void) { return cudaMalloc(0, 0); }\n", "CUDA"),
    ("vendor words", "src/plan/planted.c", "/* Planted. */\nint g(void) { return hipMalloc(0, 0); }\n", "HIP"),
    ("vendor words", "src/plan/planted.c", "/* Planted. */\nint g(void) { return clCreateBuffer(0); }\n", "OpenCL"),
    ("vendor words", "backends/gpu/planted.c", "/* Planted. */\nint g(void) { return nvrtcVersion(0, 0); }\n", "CUDA"),
    ("vendor words", "backends/gpu/kernels/planted.c", "/* Planted. */\nDEVICE int f(void) { return threadIdx.x; }\n", "CUDA"),
    ("vendor words", "backends/gpu/kernels/planted.c", "/* Planted. */\nDEVICE int f(void) { return get_local_id(0); }\n",
     "OpenCL"),
    ("getenv", "src/plan/planted.c", '/* Planted. */\nchar *h(void) { return getenv("X"); }\n', "environment"),
    ("first line", "src/plan/planted.c", "int h;\n", "opens with a comment"),
    ("first line", "scripts/planted.sh", "#!/bin/sh\ntrue\n", "opens with a comment"),
    ("docs", "docs/planted.md", "# Planted\n[nowhere](nowhere.md)\n", "broken link"),
    ("docs", "docs/planted.md", "# Planted\n[here](planted.md#elsewhere)\n", "no heading"),
    ("docs", "docs/planted.md", "# P\n<!-- quotes examples/hello.c -->\n```c\nnot in there\n```\n", "does not quote"),
    ("options", "include/offgrid.h", None, "is missing"),
    ("options", "include/offgrid.h", None, "no doc text"),
]


def plant(path, text, expected):
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is not None:
        path.write_text(text)
    else:
        doc = "" if expected == "no doc text" else "a row nobody documented"
        row = f'  X(int, planted_option, 0, "{doc}")  \\\n  X(double, period_z,'
        path.write_text(path.read_text().replace("  X(double, period_z,", row))


def planted_symbol(scratch, root):
    """Libraries that export a wrong name, built here: caught, or not."""
    (scratch / "lib").mkdir()
    source = scratch / "planted.c"
    for library, text in (("liboffgrid.so", "int og_planted(void) { return 1; }\nint stray(void) { return 2; }\n"),
                          ("liboffgrid_mpi.so", "int og_mpi_planted(void) { return 1; }\n")):
        source.write_text(text)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", scratch / "lib" / library, source], check=True)
    checker = Checker(root, scratch)
    checker.symbols()
    text = "\n".join(checker.found)
    return [what for what in ("exports stray", "exports og_planted, which", "og_plan_create is declared",
                              "exports og_mpi_planted, which", "og_mpi_type1 is declared") if what not in text]


def self_test(root):
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        for folder in (*SOURCES, "docs", "scripts", "cmake"):
            if (root / folder).is_dir():
                shutil.copytree(root / folder, copy / folder, ignore=shutil.ignore_patterns("seeds"))
        before = set(Checker(copy, None).all())
        for rule, name, text, expected in PLANTED:
            path = copy / name
            original = path.read_text() if path.exists() else None
            plant(path, text, expected)
            new = [line for line in Checker(copy, None).all() if line not in before]
            if not any(f"[{rule}]" in line and expected in line for line in new):
                missed.append(f"{rule} in {name} ({expected})")
            if original is None:
                path.unlink()
            else:
                path.write_text(original)
        missed += [f"symbols: {what}" for what in planted_symbol(Path(scratch), root)]
    for what in missed:
        print(f"a planted violation was not caught: {what}")
    total = len(PLANTED) + 5  # symbols
    print(f"self-test: {total - len(missed)} of {total} planted violations caught")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true", help="plant violations and expect each to be caught")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", type=Path, help="build folder (default: ROOT/build where it exists)")
    options = parser.parse_args()
    if options.self_test:
        sys.exit(self_test(options.root))
    build = options.build or options.root / "build"
    checker = Checker(options.root, build if build.is_dir() else None)
    checker.all()
    for line in [*checker.notes, *checker.found]:
        print(line)
    print(f"{len(checker.found)} violations of the architecture's rules")
    sys.exit(1 if checker.found else 0)


if __name__ == "__main__":
    main()
