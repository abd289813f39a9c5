#!/bin/sh
# Configures one preset of CMakePresets.json, with Ninja where it is installed. Quick when already done: the build re-runs
# CMake by itself when a file list changes.
set -eu
cd "$(dirname "$0")/.."
preset=$1
case $preset in release) folder=build ;; *) folder=build/$preset ;; esac
[ -f "$folder/CMakeCache.txt" ] && exit 0
generator='Unix Makefiles'
if command -v ninja >/dev/null 2>&1; then generator=Ninja; fi
cmake --preset "$preset" -G "$generator" --log-level=WARNING
