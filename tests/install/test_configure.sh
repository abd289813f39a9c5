#!/bin/bash
# What a user's machine lacks is left out, with one message that names it; and a project that takes offgrid in by add_subdirectory
# gets its libraries and nothing else: no test, no installed file, no target but offgrid's, its own build type untouched. In folders
# with spaces. Only configured here; --all builds both, too.
set -eu
build=${OFFGRID_BUILD:?} source=${OFFGRID_SOURCE:?}
[ -z "${OFFGRID_SANITIZE:-}" ] || { echo "skipped: the plain build does it"; exit 77; }
CMAKE_GENERATOR=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
export CMAKE_GENERATOR

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  cat "$scratch/log"
  echo "FAILED: $*"
  exit 1
}

echo "without HDF5, libpng, pkg-config and Python"
ln -s "$source" "$scratch/the source"
cmake -S "$scratch/the source" -B "$scratch/a build" -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DOG_PYTHON=OFF >"$scratch/log" 2>&1 || fail "it does not configure"
[ "$(grep -c Warning "$scratch/log")" = 1 ] || fail "not one warning"
text=$(tr -s ' \n' ' ' <"$scratch/log")
[[ $text == *'offgrid and its tests are left out'*libhdf5-dev*libpng-dev*libjansson-dev* ]] || fail "it does not say what is missing"
tests=$(ctest --test-dir "$scratch/a build" -N)
[[ $tests == *plan/direct* && $tests != *" cli/"* && $tests != *demo/* && $tests != *.py* ]] || fail "the tests are others: $tests"
if [ "${1:-}" = --all ]; then
  cmake --build "$scratch/a build" --parallel 2 >"$scratch/log" 2>&1 || fail "it does not build"
  ! grep -i warning: "$scratch/log" || fail "warnings"
  if [ -x "$build/bin/offgrid" ]; then
    cmake -S "$scratch/the source" -B "$scratch/a build" -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=OFF \
      -DCMAKE_DISABLE_FIND_PACKAGE_PNG=OFF -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=OFF >"$scratch/log" 2>&1 || fail "not again with all"
    cmake --build "$scratch/a build" --parallel 2 >"$scratch/log" 2>&1 || fail "it does not build the command"
    "$scratch/a build/bin/offgrid" --help >"$scratch/log" || fail "the command does not run"
  fi
fi

echo "FFTW missing"
if cmake -S "$source" -B "$scratch/no fftw" -DOG_FFTW_INCLUDE=OFF >"$scratch/log" 2>&1; then
  fail "configured without FFTW"
fi
grep -q 'libfftw3-dev' "$scratch/log" || fail "it does not say what is missing"

echo "add_subdirectory"
mkdir "$scratch/a project"
cp "$source/tests/install/consumer/main.c" "$scratch/a project"
ln -s "$source" "$scratch/a project/offgrid"
cat >"$scratch/a project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(outside LANGUAGES CXX)
foreach(name core objects_core command flags lint docs demo test_window_law bench_problems example_hello)
  add_library(\${name} INTERFACE)
endforeach()
enable_testing()
add_subdirectory(offgrid)
get_property(targets DIRECTORY offgrid PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets EXCLUDE REGEX "^(offgrid|og_)")
if(targets)
  message(FATAL_ERROR "targets of offgrid without its name: \${targets}")
endif()
set_source_files_properties(main.c PROPERTIES LANGUAGE CXX)
foreach(kind offgrid offgrid_static)
  add_executable(with_\${kind} main.c)
  target_link_libraries(with_\${kind} PRIVATE offgrid::\${kind})
  add_test(NAME \${kind} COMMAND with_\${kind})
endforeach()
install(TARGETS with_offgrid_static)
END
cmake -S "$scratch/a project" -B "$scratch/outside" >"$scratch/log" 2>&1 || fail "it does not configure"
ctest --test-dir "$scratch/outside" -N | grep -q '^Total Tests: 2$' || fail "tests of offgrid among the caller's"
grep -q '^CMAKE_BUILD_TYPE:STRING=$' "$scratch/outside/CMakeCache.txt" || fail "the caller's build type is set"
if [ "${1:-}" = --all ]; then
  cmake --build "$scratch/outside" --parallel 2 >"$scratch/log" 2>&1 || fail "it does not build"
  ctest --test-dir "$scratch/outside" >"$scratch/log" 2>&1 || fail "its programs do not run"
  DESTDIR=$scratch/staged cmake --install "$scratch/outside" --prefix /usr >"$scratch/log"
  [ "$(find "$scratch/staged" -type f | wc -l)" = 1 ] || fail "more is installed than the caller's program"
fi
