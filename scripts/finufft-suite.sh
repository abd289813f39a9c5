#!/usr/bin/env bash
# Runs FINUFFT's own tests against build/lib/finufft/libfinufft.so: its Python suite, its C and C++ tests and its
# examples, from a checkout of FINUFFT (2.5 or 2.6) that the caller has. Nothing is downloaded or written there.
#   scripts/finufft-suite.sh CHECKOUT [BUILD]      PYTHON=python3 with numpy, packaging and pytest; CXX=g++
# Ends with one line of counts; fails when a test fails. Logs stay in BUILD/finufft-suite.
set -u
checkout=$(cd "${1:?usage: scripts/finufft-suite.sh CHECKOUT [BUILD]}" && pwd)
build=$(cd "${2:-build}" && pwd)
python=${PYTHON:-python3}
cxx=${CXX:-g++}
library=$build/lib/finufft
work=$build/finufft-suite
for needed in "$checkout/include/finufft.h" "$checkout/python/finufft/test" "$library/libfinufft.so"; do
  [ -e "$needed" ] || { echo "finufft-suite: $needed does not exist" >&2; exit 2; }
done
rm -rf "$work" && mkdir -p "$work/python"
export LD_LIBRARY_PATH=$library:$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
passed=0 failed=0

report() { # name, exit code
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1 (exit code $2): $work/$1.log"
  fi
}

# Python: the package from the checkout, with this library as the one it loads.
cp -r "$checkout/python/finufft/finufft" "$work/python/"
ln -s "$library/libfinufft.so" "$work/python/finufft/libfinufft.so"
(cd "$checkout/python/finufft/test" &&
  PYTHONPATH=$work/python PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider .) \
  >"$work/python.log" 2>&1
python_code=$?
python_line=$(tail -n 1 "$work/python.log")
[ $python_code = 0 ] || grep -E '^(FAILED|ERROR)' "$work/python.log"

# C and C++: compiled with FINUFFT's own headers. The tests lean on two things inside FINUFFT that no library of another
# make has: its timer class, compiled from the checkout, and functions that clean up its FFT library, given here.
cat >"$work/cleanup.cpp" <<'CLEANUP'
void finufft_fft_forget_wisdom() {}
void finufft_fft_cleanup() {}
void finufft_fft_cleanup_threads() {}
CLEANUP
compile() { # source, program, flags...
  local source=$1 program=$2
  shift 2
  local common=(-O1 -fopenmp -w -I "$checkout/include" -I "$checkout/test" "$@")
  if [ "${source##*.}" = c ]; then
    gcc -std=gnu11 "${common[@]}" "$source" -o "$work/$program" -L "$library" -L "$build/lib" -lfinufft -loffgrid -lm
  else
    "$cxx" -std=c++17 "${common[@]}" "$source" "$work/cleanup.cpp" "$work/timer.o" -o "$work/$program" \
      -L "$library" -L "$build/lib" -lfinufft -loffgrid -lfftw3_omp -lfftw3 -lm
  fi >"$work/$program.log" 2>&1
}
run() { # program, arguments...
  (cd "$work" && timeout 600 "./$1" "${@:2}") >>"$work/$1.log" 2>&1
}
try() { # program, source, flags, arguments
  compile "$2" "$1" $3 && run "$1" $4
  report "$1" $?
}

for utils in "$checkout"/src/*utils.cpp; do
  "$cxx" -std=c++17 -O1 -w -I "$checkout/include" -c "$utils" -o "$work/timer.o" >"$work/timer.log" 2>&1
done
tests=$checkout/test
for precision in double float; do
  case $precision in # the tolerances of FINUFFT's own CMake lists
  double) suffix="" flags="" tolerance=1e-12 limit=1e-11 ;;
  float) suffix=f flags=-DSINGLE tolerance=1e-3 limit=1e-2 ;;
  esac
  try basicpassfail$suffix "$tests/basicpassfail.cpp" "$flags" ""
  try dumbinputs$suffix "$tests/dumbinputs.cpp" "$flags" ""
  try adjointness$suffix "$tests/adjointness.cpp" "$flags" ""
  try tolsweep$suffix "$tests/tolsweep.cpp" "$flags" ""
  try finufft1d_test$suffix "$tests/finufft1d_test.cpp" "$flags" "1e2 2e2 $tolerance 0 2 0.0 $limit"
  try finufft1dmany_test$suffix "$tests/finufft1dmany_test.cpp" "$flags" "3 1e2 2e2 $tolerance 0 0 2 0.0 $limit"
  try finufft2d_test$suffix "$tests/finufft2d_test.cpp" "$flags" "1e2 1e1 1e3 $tolerance 0 2 0.0 $limit"
  try finufft2dmany_test$suffix "$tests/finufft2dmany_test.cpp" "$flags" "3 1e2 1e1 1e3 $tolerance 0 0 2 0.0 $limit"
  try finufft3d_test$suffix "$tests/finufft3d_test.cpp" "$flags" "5 10 20 1e2 $tolerance 0 2 0.0 $limit"
  try finufft3dmany_test$suffix "$tests/finufft3dmany_test.cpp" "$flags" "2 5 10 20 1e2 $tolerance 0 0 2 0.0 $limit"
  try spreadinterp1d_test$suffix "$tests/spreadinterp1d_test.cpp" "$flags" "1e3 1e3 $tolerance 0 2 2.0 $limit"
done
try error_handling "$tests/error_handling.c" "" ""
[ ! -e "$tests/threadsafe_execute.cpp" ] || try threadsafe_execute "$tests/threadsafe_execute.cpp" "" ""
try fftw_lock_test "$tests/fftw_lock_test.cpp" "" ""
for source in "$checkout"/examples/*.c "$checkout"/examples/*.cpp; do
  name=example_$(basename "$source")
  try "${name%.*}" "$source" "" ""
done

echo "Python: $python_line"
echo "C, C++ and examples: $passed passed, $failed failed"
[ $python_code = 0 ] && [ $failed = 0 ]
