#!/bin/sh
# Configures one preset of CMakePresets.json, with Ninja where it is installed. Quick when already done: the build re-runs
# CMake by itself when a file list changes; this script does where MPI was not there and is now.
set -eu
cd "$(dirname "$0")/.."
preset=$1
case $preset in release) folder=build ;; *) folder=build/$preset ;; esac
if [ -f "$folder/CMakeCache.txt" ]; then
  if grep -q '^OG_MPI_LEFT_OUT:INTERNAL=ON' "$folder/CMakeCache.txt" && command -v mpicc >/dev/null 2>&1; then
    cmake "$folder" --log-level=WARNING
  fi
  exit 0
fi
generator='Unix Makefiles'
if command -v ninja >/dev/null 2>&1; then generator=Ninja; fi
cmake --preset "$preset" -G "$generator" --log-level=WARNING
