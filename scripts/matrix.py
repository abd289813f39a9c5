#!/usr/bin/env python3
"""Compiles the gpu backend's kernels for NVIDIA's and AMD's architectures, without a device, and tabulates what each takes.

`make matrix` runs it without arguments: every kernel that build/tests/test_gpu_matrix --list names goes into docs/kernels.csv;
what build/matrix/rows.csv has of an earlier run with the same texts and compilers is not compiled again. --sample N instead
compiles N kernels, drawn with --seed, and compares them with the table: the test gpu/test_matrix.sh. Exit code 77: no compiler.

NVIDIA: NVRTC, registers and spills from the assembler's log. AMD: clang 17 or newer with Debian's ROCm device libraries and HIP
headers, numbers from the metadata that goes into the code object. Debian's libraries are older than gfx942 and gfx1100: the one file
that differs between architectures, a constant that names the ISA, is made for those from that of another one."""
import argparse
import csv
import ctypes
import functools
import glob
import hashlib
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("OFFGRID_BUILD", ROOT / "build"))
KERNELS = ROOT / "backends/gpu/kernels"
TABLE = ROOT / "docs/kernels.csv"
KEY = ["arch", "kernel", "kind", "method", "dim", "width", "precision", "values", "points"]
NUMBERS = ["team", "chunk", "registers", "accumulators", "scalars", "local", "scratch", "spilled"]
# Widths at which kernels that take their points by index are compiled; those that take records, at all.
INDEX_WIDTHS = {0, 2, 7, 12}
NO_SCRATCH = {"sm_90", "gfx90a"}  # up to this width
NO_SCRATCH_WIDTH = 9
AMD_FLAGS = ["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "--rocm-path=/usr", "-std=c++17", "-O3",
             "-munsafe-fp-atomics", "-S", "-Wno-unused-command-line-argument"]
NVIDIA_FLAGS = ["--std=c++17", "-default-device", "-lineinfo", "--ptxas-options=-v"]  # as in drivers/cuda.c


class CompileError(Exception):
    pass


class Nvrtc:
    """NVRTC by its C interface; one per process."""

    def __init__(self):
        names = [f"libnvrtc.so.{version}" for version in (13, 12, 11)]
        names += glob.glob("/usr/local/cuda*/lib64/libnvrtc.so.[0-9]*") + glob.glob("/usr/lib/*/libnvrtc.so.[0-9]*")
        self.library = None
        for name in names:
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        if self.library:
            major, minor = ctypes.c_int(), ctypes.c_int()
            self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
            self.version = f"NVRTC {major.value}.{minor.value}"

    def text(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value + 1)
        getattr(self.library, f"nvrtcGet{what}")(program, buffer)
        return buffer.value.decode(errors="replace")

    def compile(self, arch, file, macros):
        source = "".join(f'#include "{name}"\n' for name in ("dialect/cuda.h", "args.h", "window.h", file))
        options = [*NVIDIA_FLAGS, f"--gpu-architecture={arch}", f"-I{KERNELS}", *macros]
        words = (ctypes.c_char_p * len(options))(*[word.encode() for word in options])
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"program", 0, None, None)
        failed = self.library.nvrtcCompileProgram(program, len(options), words)
        log = self.text(program, "ProgramLog")
        ptx = "" if failed else self.text(program, "PTX")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        if failed:
            raise CompileError(log[:3000])
        return log, ptx

    def numbers(self, arch, file, macros):
        log, ptx = self.compile(arch, file, macros)
        result = {}
        for part in log.split("Compiling entry function '")[1:]:
            name = part.split("'")[0]
            own = re.search(rf"Function properties for {name}\n.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+)",
                            part)
            used = re.search(r"Used (\d+) registers", part)
            if not own or not used:
                raise CompileError(f"the assembler's log is not understood: {part[:500]}")
            local = re.search(rf"og_local_bytes_{name}(?: = (\d+))?;", ptx)
            result[name] = {"registers": int(used[1]), "local": int(local[1] or 0) if local else 0, "scratch": int(own[1]),
                            "spilled": int(own[2]) + int(own[3])}
        return result


class Amd:
    """clang, with device libraries that know the architectures."""

    def __init__(self, folder):
        self.folder = folder
        self.clang, self.missing = None, "clang 17 or newer"
        for version in range(25, 16, -1):
            if shutil.which(f"clang-{version}"):
                self.clang, self.suffix = f"clang-{version}", f"-{version}"
                break
        self.bitcode = next(iter(glob.glob("/usr/lib/*/amdgcn/bitcode")), None)
        if self.clang and not (self.bitcode and Path("/usr/include/hip/hip_runtime.h").exists()):
            self.clang, self.missing = None, "rocm-device-libs and libamdhip64-dev"
        if self.clang:
            self.version = subprocess.run([self.clang, "--version"], stdout=subprocess.PIPE, text=True,
                                          check=True).stdout.splitlines()[0]

    def prepare(self, archs):
        """The folder of device libraries, and the HIP headers, compiled once per architecture."""
        libraries = self.folder / "bitcode"
        libraries.mkdir(parents=True, exist_ok=True)
        for file in glob.glob(f"{self.bitcode}/*.bc"):
            link = libraries / Path(file).name
            if not link.exists():
                link.symlink_to(file)
        header = self.folder / "hip.h"
        if not header.exists():
            header.write_text("#include <hip/hip_runtime.h>\n")
        for arch in archs:
            number = arch.removeprefix("gfx")
            own = libraries / f"oclc_isa_version_{number}.bc"
            if not own.exists():
                near = libraries / ("oclc_isa_version_90a.bc" if number.startswith("9") else "oclc_isa_version_1030.bc")
                constant = str(int(number[:-2]) * 1000 + int(number[-2], 16) * 100 + int(number[-1], 16))
                text = subprocess.run([f"llvm-dis{self.suffix}", "-o", "-", near], stdout=subprocess.PIPE, text=True,
                                      check=True).stdout
                text, n = re.subn(r"(@__oclc_ISA_version = .*constant i32 )\d+", rf"\g<1>{constant}", text)
                if n != 1:
                    raise CompileError("the device library of the ISA version is not as it was")
                subprocess.run([f"llvm-as{self.suffix}", "-o", own], input=text, text=True, check=True)
            if not self.headers(arch).exists():
                made = self.headers(arch).with_suffix(f".{os.getpid()}")
                subprocess.run([*self.command(arch), "-Xclang", "-emit-pch", str(header), "-o", made], check=True)
                made.replace(self.headers(arch))

    def headers(self, arch):
        """Of this compiler and these options."""
        name = hashlib.sha256(" ".join([self.version, *self.command(arch)]).encode()).hexdigest()[:8]
        return self.folder / f"{arch}-{name}.pch"

    def command(self, arch):
        return [self.clang, *AMD_FLAGS, f"--rocm-device-lib-path={self.folder}/bitcode", f"--offload-arch={arch}"]

    def numbers(self, arch, file, macros):
        includes = [word for name in ("dialect/hip.h", "args.h", "window.h") for word in ("-include", name)]
        done = subprocess.run([*self.command(arch), "-Xclang", "-include-pch", "-Xclang", str(self.headers(arch)),
                               f"-I{KERNELS}", *macros, *includes, str(KERNELS / file), "-o", "-"], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise CompileError(done.stderr[:3000])
        result = {}
        for part in done.stdout.split("\namdhsa.kernels:")[1].split("\namdhsa.")[0].split("\n  - ")[1:]:
            def number(name):
                found = re.search(rf"\.{name}: +(\d+)", part)
                return int(found[1]) if found else 0
            name = re.search(r"\.name: +(\w+)", part)[1]
            local = re.search(rf"\nog_local_bytes_{name}:\n\s+\.long\s+(\d+)", done.stdout)
            result[name] = {"registers": number("vgpr_count"), "accumulators": number("agpr_count"),
                            "scalars": number("sgpr_count"), "local": int(local[1]) if local else 0,
                            "scratch": number("private_segment_fixed_size"), "spilled": 4 * number("vgpr_spill_count")}
        return result


compilers = {}


def shrunk(macros):
    """The macros with half the chunk, as launch.c tries where local memory is short; None where that ends."""
    chunk = next((int(word.split("=")[1]) for word in macros if word.startswith("-DCHUNK=")), 0)
    return [f"-DCHUNK={chunk // 2}" if word.startswith("-DCHUNK=") else word for word in macros] if chunk > 4 else None


def numbers_of(job):
    """The rows of one program: (rows, error)."""
    rows = job["rows"]
    first, macros = rows[0], job["macros"]
    try:
        while True:
            found = compilers[first["driver"]].numbers(first["arch"], job["file"], macros)
            smaller = shrunk(macros) if first["may_shrink"] else None
            if not smaller or found[first["kernel"]]["local"] <= first["most"]:
                break
            macros = smaller
    except CompileError as error:
        return rows, f"{' '.join(first[k] for k in KEY)}: {job['file']} does not compile:\n{error}"
    values = dict(word[2:].split("=") for word in macros)
    for row in rows:
        row.update({name: "" for name in NUMBERS}, team=values.get("TEAM_SIZE", ""), chunk=values.get("CHUNK", ""))
        row.update({name: str(value) for name, value in found[row["kernel"]].items()})
    return rows, None


def listed():
    """All rows, and the programs that they are in."""
    program = BUILD / "tests/test_gpu_matrix"
    if not program.exists():
        sys.exit(f"matrix.py: {program} is not built; run make")
    text = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    jobs = {}
    for line in (line for line in text.splitlines() if "\t" in line):
        arch, driver, file, kernel, kind, method, dim, width, precision, values, points, most, shrinks, macros = \
            line.split("\t")
        if points == "indices" and method != "direct" and int(width) not in INDEX_WIDTHS:
            continue
        row = dict(zip(KEY, (arch, kernel, kind, method, dim, width, precision, values, points)), driver=driver,
                   most=int(most), may_shrink=shrinks == "1")
        job = jobs.setdefault((arch, file, macros), {"file": file, "macros": macros.split(), "rows": []})
        job["rows"].append(row)
    return list(jobs.values())


def key(row):
    return tuple(row[name] for name in KEY)


def order(row):
    return [int(row[name]) if name in ("dim", "width") else row[name] for name in KEY]


def read_table(path):
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {key(row): row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


@functools.cache
def texts_of(name):
    """The texts that a text includes, itself at first."""
    text = (KERNELS / name).read_text()
    return [text, *(inner for other in re.findall(r'^ *# *include "(.*)"', text, re.M) for inner in texts_of(other))]


def fingerprint(job):
    """Of everything that the numbers depend on."""
    driver = job["rows"][0]["driver"]
    texts = [text for name in (f"dialect/{driver}.h", "args.h", "window.h", job["file"]) for text in texts_of(name)]
    return hashlib.sha256(" ".join([*texts, *job["macros"], compilers[driver].version]).encode()).hexdigest()[:16]


def broken_rules(row):
    if row["arch"] in NO_SCRATCH and int(row["width"]) <= NO_SCRATCH_WIDTH and int(row["scratch"]):
        yield f"{row['scratch']} bytes of scratch"


def unlike(row, old):
    """Other compilers give other numbers, but not absurdly different ones."""
    for name in ("registers", "accumulators"):
        a, b = int(row[name] or 0), int(old[name] or 0)
        if abs(a - b) > 24 + max(a, b) // 2:
            yield f"{a} {name}, the table has {b}"


def compile_all(jobs, report):
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for rows, error in pool.imap_unordered(numbers_of, jobs):
            report(rows, error)


def sample(jobs, count, seed):
    """Compiles some kernels and holds them against the rules and the table; the exit code."""
    table, bad, seen, new = read_table(TABLE), [], [], []
    jobs = random.Random(seed).sample(jobs, min(count, len(jobs)))

    def check(rows, error):
        if error:
            bad.append(error)
            return
        for row in rows:
            seen.append(row["arch"])
            old = table.get(key(row))
            wrong = [*broken_rules(row), *unlike(row, old)] if old else []
            if not old:  # nobody has looked at it yet
                print("\n".join(f"not in the table: {' '.join(key(row))}: {text}" for text in broken_rules(row)), end="")
            new.extend([] if old else [row])
            bad.extend(f"{' '.join(key(row))}: {text}" for text in wrong)

    compile_all(jobs, check)
    print("\n".join(bad))
    print(f"{len(seen)} kernels for {', '.join(sorted(set(seen)))} compiled, {len(seen) - len(new)} of them in {TABLE.name}, "
          f"{len(bad)} findings")
    return 1 if bad or not seen else 0


def write_all(jobs, folder, pattern):
    """Every kernel into the table."""
    kept, errors, start = folder / "rows.csv", [], time.monotonic()
    known = {}
    if kept.exists():
        with open(kept, newline="") as file:
            known = {(row["fingerprint"], key(row)): row for row in csv.DictReader(file)}
    rows, open_jobs = [], []
    for job in jobs:
        job["fingerprint"] = fingerprint(job)
        old = [known.get((job["fingerprint"], key(row))) for row in job["rows"]]
        if all(old):
            rows += old
        elif re.search(pattern, " ".join(key(job["rows"][0]))):
            open_jobs.append(job)
    fingerprints = {key(row): job["fingerprint"] for job in open_jobs for row in job["rows"]}
    print(f"{len(rows)} kernels are known, {len(open_jobs)} programs to compile", flush=True)
    with open(kept, "a", newline="") as file:
        writer = csv.DictWriter(file, KEY + NUMBERS + ["fingerprint"], extrasaction="ignore")
        if not known:
            writer.writeheader()
        done = 0

        def keep(made, error):
            nonlocal done
            done += 1
            if error:
                errors.append(error)
                print(error, flush=True)
                return
            for row in made:
                writer.writerow({**row, "fingerprint": fingerprints[key(row)]})
                rows.append(row)
            file.flush()
            if done % 200 == 0:
                print(f"{done} of {len(open_jobs)}, {time.monotonic() - start:.0f} s", flush=True)

        compile_all(open_jobs, keep)
    rows.sort(key=order)
    with open(TABLE, "w", newline="") as file:
        file.write(f"# {'; '.join(c.version for c in compilers.values())}\n")
        file.write("# Per work item: 32-bit registers (AMD: all vector registers, accumulators among them, and scalar ones),\n"
                   "# scratch memory and what of it is spills, in bytes. local: bytes per group. See docs/gpu.md.\n")
        writer = csv.DictWriter(file, KEY + NUMBERS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    broken = [f"{' '.join(key(row))}: {text}" for row in rows for text in broken_rules(row)]
    print("\n".join(broken))
    print(f"{len(rows)} kernels in {TABLE.relative_to(ROOT)}, {len(errors)} do not compile, {len(broken)} break a rule; "
          f"{time.monotonic() - start:.0f} s")
    return 1 if errors or broken else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="compile N programs and compare them with the table")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", default="", metavar="REGEX", help="compile rows like this only; the others stay as known")
    arguments = parser.parse_args()
    folder = BUILD / "matrix"
    folder.mkdir(parents=True, exist_ok=True)
    nvrtc, amd = Nvrtc(), Amd(folder)
    if nvrtc.library:
        compilers["cuda"] = nvrtc
    else:
        print("skipped: NVIDIA's architectures, NVRTC is not installed")
    jobs = listed()
    if amd.clang:
        compilers["hip"] = amd
        amd.prepare(sorted({job["rows"][0]["arch"] for job in jobs if job["rows"][0]["driver"] == "hip"}))
    else:
        print(f"skipped: AMD's architectures, {amd.missing} not installed (scripts/install-deps.sh matrix)")
    if not compilers:
        return 77
    jobs = [job for job in jobs if job["rows"][0]["driver"] in compilers]
    if arguments.sample is None:
        return write_all(jobs, folder, arguments.only)
    print(f"seed {arguments.seed}")
    jobs = [job for job in jobs if re.search(arguments.only, " ".join(key(job["rows"][0])))]
    return sample(jobs, arguments.sample, arguments.seed)


if __name__ == "__main__":
    sys.exit(main())
