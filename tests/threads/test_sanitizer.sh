#!/bin/sh
# The thread sanitizer build finds a planted race between OpenMP threads: without this, its silence would mean nothing.
set -u
program=$OFFGRID_BUILD/tests/test_threads_race
case ${OFFGRID_SANITIZE:-} in
*thread*) ;;
*)
  echo "skipped: not a thread sanitizer build"
  exit 77
  ;;
esac
if ! OMP_NUM_THREADS=2 "$program"; then
  echo "the sanitizer complains about a loop that is in order"
  exit 1
fi
if OMP_NUM_THREADS=2 "$program" --plant; then
  echo "the planted race was not found"
  exit 1
fi
echo "the planted race was found"
