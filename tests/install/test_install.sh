#!/bin/bash
# What `cmake --install` leaves behind serves an outside program, by CMake's find_package (shared and static, in C or C++ alone) and by
# pkg-config, with any compiler, from any prefix, and holds the headers, the command, its manual and the FINUFFT-compatible library;
# the same for the library over MPI where it was built. With --all, what clang builds serves gcc, too.
set -eu
build=${OFFGRID_BUILD:?} source=${OFFGRID_SOURCE:?}
[ -z "${OFFGRID_SANITIZE:-}" ] || { echo "skipped: a sanitizer build is not installed"; exit 77; }
command -v pkg-config >/dev/null || { echo "skipped: pkg-config is not installed"; exit 77; }
CMAKE_GENERATOR=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
export CMAKE_GENERATOR

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}
quietly() {
  "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" && fail "$*"; }
}

# consume PREFIX CC: programs of both libraries, by CMake with the variable and compiler given, and by pkg-config
consume() {
  local prefix=$1 variable=$2 compiler=$3 folder flags
  rm -rf "$scratch/consumer"
  quietly cmake -S "$source/tests/install/consumer" -B "$scratch/consumer" "-DCMAKE_PREFIX_PATH=$prefix" "-D$variable=$compiler"
  quietly cmake --build "$scratch/consumer"
  "$scratch/consumer/shared" || fail "$compiler: the consumer of the shared library"
  "$scratch/consumer/static" || fail "$compiler: the consumer of the static library"

  folder=$(dirname "$(find "$prefix/" -name liboffgrid.so)")
  export PKG_CONFIG_PATH=$folder/pkgconfig
  read -ra flags <<<"$(pkg-config --cflags --libs offgrid)"
  quietly "$compiler" "$scratch/consumer/main.c" "${flags[@]}" -o "$scratch/by_pkg_config"
  LD_LIBRARY_PATH=$folder "$scratch/by_pkg_config" || fail "$compiler: the consumer by pkg-config"
  mkdir -p "$prefix/archive" && cp "$folder/liboffgrid.a" "$prefix/archive" # where no shared library is
  read -ra flags <<<"$(pkg-config --static --cflags --libs offgrid)"
  quietly "$compiler" "$scratch/consumer/main.c" "-L$prefix/archive" "${flags[@]}" -o "$scratch/static_by_pkg_config"
  (unset LD_LIBRARY_PATH && "$scratch/static_by_pkg_config") || fail "$compiler: the static consumer by pkg-config"
}

DESTDIR=$scratch/staged cmake --install "$build" --prefix /first >"$scratch/log"
mv "$scratch/staged/first" "$scratch/moved to here" # no path may be baked in
[ -z "$(ls "$scratch/staged")" ] || fail "installed outside the prefix: $(ls "$scratch/staged")"
prefix=$scratch/prefix
ln -s "moved to here" "$prefix" # pkg-config's words are split at spaces
test -f "$prefix/include/offgrid.h" || fail "no header"
for table in "$source"/tuning/*.csv; do
  cmp -s "$table" "$prefix/share/offgrid/tuning/$(basename "$table")" || fail "no tuning file $(basename "$table")"
done

folder=$(dirname "$(find "$prefix/" -name liboffgrid.so)")
for pair in CMAKE_C_COMPILER=gcc CMAKE_C_COMPILER=clang CMAKE_CXX_COMPILER=g++; do
  if command -v "${pair#*=}" >/dev/null; then
    echo "${pair#*=}"
    consume "$prefix" "${pair%=*}" "${pair#*=}"
  fi
done
[ "$(PKG_CONFIG_PATH=$folder/pkgconfig pkg-config --modversion offgrid)" = "$(sed -n 's/^#define OG_VERSION_[A-Z]* //p' "$prefix/include/offgrid.h" |
  paste -sd.)" ] || fail "pkg-config's version is not the header's"

if [ -f "$build/lib/liboffgrid_mpi.so" ]; then
  echo "mpi"
  export PKG_CONFIG_PATH=$folder/pkgconfig
  launcher=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
  compiler=$(sed -n 's/^MPI_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
  rm -rf "$scratch/consumer"
  quietly cmake -S "$source/tests/install/consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
    -DMPI_PROGRAM="$source/examples/mpi.c" -DMPI_C_COMPILER="$compiler"
  quietly cmake --build "$scratch/consumer"
  bash "$source/tests/mpi/run.sh" "$launcher" 2 "$scratch/consumer/mpi" || fail "the consumer of the component mpi"
  read -ra flags <<<"$(pkg-config --cflags --libs offgrid_mpi)"
  "$compiler" "$source/examples/mpi.c" "${flags[@]}" -lm -o "$scratch/mpi_by_pkg_config"
  LD_LIBRARY_PATH=$folder bash "$source/tests/mpi/run.sh" "$launcher" 2 "$scratch/mpi_by_pkg_config" || fail "mpi by pkg-config"
  rm "$folder/cmake/offgrid/offgrid-mpi-targets.cmake" # as if built without MPI
  ! cmake -S "$source/tests/install/consumer" -B "$scratch/consumer" >"$scratch/log" 2>&1 || fail "a missing component was found"
  grep -q 'built without MPI' "$scratch/log" || fail "no word about the missing component"
fi

if [ "${1:-}" = --all ] && command -v clang >/dev/null && command -v gcc >/dev/null; then
  echo "gcc with what clang built"
  quietly cmake -S "$source" -B "$scratch/clang" -DCMAKE_C_COMPILER=clang -DOFFGRID_APPS=OFF -DOFFGRID_COMPAT=OFF \
    -DOFFGRID_TESTS=OFF -DOFFGRID_BENCH=OFF -DOFFGRID_MPI=OFF
  quietly cmake --build "$scratch/clang" --parallel 2
  quietly cmake --install "$scratch/clang" --prefix "$scratch/of_clang"
  consume "$scratch/of_clang" CMAKE_C_COMPILER gcc
fi

if [ -x "$build/bin/offgrid" ]; then
  echo "command"
  (unset LD_LIBRARY_PATH && "$prefix/bin/offgrid" --help >/dev/null) || fail "the installed command does not run"
  grep -q '^complete .* offgrid$' "$prefix/share/bash-completion/completions/offgrid" || fail "no completion"
  if command -v help2man >/dev/null; then
    test -s "$prefix/share/man/man1/offgrid.1" || fail "no manual page"
  fi
fi
for name in finufft cufinufft; do
  if [ -f "$build/lib/finufft/lib$name.so" ]; then
    echo "lib$name"
    installed=$folder/finufft/lib$name.so
    [ "$(objdump -p "$installed" | awk '/SONAME/ {print $2}')" = "lib$name.so" ] || fail "SONAME of lib$name.so"
    ! ldd "$installed" | grep -q 'not found' || fail "lib$name.so does not find what it needs"
    printf '#include <offgrid/%s.h>\nint main(void) { return 0; }\n' "$name" >"$scratch/header.c"
    quietly cc "-I$prefix/include" -Wall -Werror "$scratch/header.c" -o "$scratch/header"
  fi
done
