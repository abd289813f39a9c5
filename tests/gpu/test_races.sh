#!/bin/bash
# No kernel of tests/gpu/words.c has a race or an access out of bounds: Oclgrind's log is empty, which means something because a
# planted race fills it.
set -u
program=$OFFGRID_BUILD/tests/test_gpu_words
if [ ! -x "$program" ]; then
  echo "skipped: built without the GPU backend"
  exit 77
fi
runtime=$(find /usr/lib /usr/local/lib -name liboclgrind-rt-icd.so 2>/dev/null | head -n 1)
if [ -z "$runtime" ]; then
  echo "skipped: Oclgrind is not installed (scripts/install-deps.sh gpu)"
  exit 77
fi
if [ -n "${OFFGRID_SANITIZE:-}" ]; then
  echo "skipped: Oclgrind does not run below another sanitizer"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "$runtime" >"$folder/oclgrind.icd"
export OCL_ICD_VENDORS=$folder OCLGRIND_DATA_RACES=1 OCLGRIND_LOCAL_MEM_SIZE=65536
# Khronos' loader knows another variable.
export OCL_ICD_FILENAMES=$runtime

if ! OCLGRIND_LOG=$folder/log "$program" --backend opencl >"$folder/out" 2>&1; then
  cat "$folder/out"
  exit 1
fi
cat "$folder/out"
if ! grep -q 'Oclgrind' "$folder/out"; then
  echo "the program did not run on Oclgrind"
  exit 1
fi
if [ -s "$folder/log" ]; then
  head -n 40 "$folder/log"
  echo "Oclgrind complains"
  exit 1
fi
OCLGRIND_LOG=$folder/planted "$program" --backend opencl --plant >"$folder/out" 2>&1
if ! grep -q 'race' "$folder/planted"; then
  echo "the planted race was not found"
  exit 1
fi
echo "no complaint, and the planted race was found"
