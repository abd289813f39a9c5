#!/bin/bash
# A sample of the kernels compiles for NVIDIA's and AMD's architectures, without scratch up to width 9 on sm_90 and gfx90a, and takes
# about the registers that docs/kernels.csv says. Another sample each time; --seed N repeats one (scripts/matrix.py --sample 40 --seed N).
set -u
[ -z "${OFFGRID_SANITIZE:-}" ] || { echo "skipped: the same kernels as in the plain build"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
count=40
[ "${1:-}" = --all ] && count=150 # `make matrix` compiles all of them
exec python3 "${OFFGRID_SOURCE:?}/scripts/matrix.py" --sample "$count"
