#!/bin/bash
# The hip backend, its driver, its dialect and its use of rocFFT run against imitations of AMD's libraries on the CPU (fake/), which
# check what they are called with: kernels, FFT and plans are right. Nothing of this ran on an AMD device.
set -u
programs=$OFFGRID_BUILD/tests
if [ ! -e "$programs/fake/libamdhip64.so.7" ]; then
  echo "skipped: built without the GPU backend"
  exit 77
fi
if ! command -v c++ >/dev/null; then
  echo "skipped: no C++ compiler, with which the imitation compiles kernels"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LD_LIBRARY_PATH=$programs/fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OFFGRID_CACHE=$folder
"$programs/test_gpu_fft" --backend hip "$@" || exit 1
"$programs/test_gpu_programs" --backend hip "$@" || exit 1
"$programs/test_gpu_plans" --backend hip "$@" || exit 1
# Errors are told, each by its sentence.
refused() { # what is expected, then the setting
  local word=$1
  shift
  if env "$@" "$programs/test_gpu_plans" --backend hip >"$folder/out" 2>&1; [ $? -ne 77 ]; then
    cat "$folder/out"
    echo "not refused: $*"
    return 1
  fi
  grep -q "$word" "$folder/out" || { cat "$folder/out"; echo "the sentence does not say '$word'"; return 1; }
}
refused 'finds no device' FAKE_HIP_DEVICES=0 || exit 1
mkdir "$folder/alone" && cp "$programs/fake/libamdhip64.so.7" "$folder/alone" || exit 1
refused 'librocfft.*not installed' LD_LIBRARY_PATH="$folder/alone" || exit 1
echo "the hip backend works with the imitations"
