#!/bin/bash
# What `cmake --install` leaves behind serves an outside program, by CMake's find_package (shared and static) and by
# pkg-config, from any prefix, and holds the headers, the command, its manual and the FINUFFT-compatible library; the same for
# the library over MPI where it was built.
set -eu
build=${OFFGRID_BUILD:?} source=${OFFGRID_SOURCE:?}
[ -z "${OFFGRID_SANITIZE:-}" ] || { echo "skipped: a sanitizer build is not installed"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" >"$scratch/log"
mv "$scratch/first" "$scratch/prefix" # no path may be baked in
prefix=$scratch/prefix

fail() {
  echo "FAILED: $*"
  exit 1
}
test -f "$prefix/include/offgrid.h" || fail "no header"
for table in "$source"/tuning/*.csv; do
  cmp -s "$table" "$prefix/share/offgrid/tuning/$(basename "$table")" || fail "no tuning file $(basename "$table")"
done
library=$(find "$prefix" -name liboffgrid.so)
folder=$(dirname "$library")

echo "find_package"
if ! { cmake -S "$source/tests/install/consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" &&
  cmake --build "$scratch/consumer"; } >"$scratch/log" 2>&1; then
  cat "$scratch/log"
  fail "find_package"
fi
"$scratch/consumer/shared" || fail "the consumer of the shared library"
"$scratch/consumer/static" || fail "the consumer of the static library"

echo "pkg-config"
export PKG_CONFIG_PATH=$folder/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs offgrid)"
cc "$source/tests/install/consumer/main.c" "${flags[@]}" -lm -o "$scratch/by_pkg_config"
LD_LIBRARY_PATH=$folder "$scratch/by_pkg_config" || fail "the consumer by pkg-config"
[ "$(pkg-config --modversion offgrid)" = "$(sed -n 's/^#define OG_VERSION_[A-Z]* //p' "$prefix/include/offgrid.h" |
  paste -sd.)" ] || fail "pkg-config's version is not the header's"

if [ -f "$build/lib/liboffgrid_mpi.so" ]; then
  echo "mpi"
  launcher=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
  compiler=$(sed -n 's/^MPI_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
  if ! { cmake -S "$source/tests/install/consumer" -B "$scratch/consumer" -DMPI_PROGRAM="$source/examples/mpi.c" \
    -DMPI_C_COMPILER="$compiler" && cmake --build "$scratch/consumer"; } >"$scratch/log" 2>&1; then
    cat "$scratch/log"
    fail "find_package(offgrid COMPONENTS mpi)"
  fi
  bash "$source/tests/mpi/run.sh" "$launcher" 2 "$scratch/consumer/mpi" || fail "the consumer of the component mpi"
  read -ra flags <<<"$(pkg-config --cflags --libs offgrid_mpi)"
  "$compiler" "$source/examples/mpi.c" "${flags[@]}" -lm -o "$scratch/mpi_by_pkg_config"
  LD_LIBRARY_PATH=$folder bash "$source/tests/mpi/run.sh" "$launcher" 2 "$scratch/mpi_by_pkg_config" || fail "mpi by pkg-config"
  rm "$folder/cmake/offgrid/offgrid-mpi-targets.cmake" # as if built without MPI
  ! cmake -S "$source/tests/install/consumer" -B "$scratch/consumer" >"$scratch/log" 2>&1 || fail "a missing component was found"
  grep -q 'built without MPI' "$scratch/log" || fail "no word about the missing component"
fi

if [ -x "$build/bin/offgrid" ]; then
  echo "command"
  (unset LD_LIBRARY_PATH && "$prefix/bin/offgrid" --help >/dev/null) || fail "the installed command does not run"
  grep -q '^complete .* offgrid$' "$prefix/share/bash-completion/completions/offgrid" || fail "no completion"
  if command -v help2man >/dev/null; then
    test -s "$prefix/share/man/man1/offgrid.1" || fail "no manual page"
  fi
fi
if [ -f "$build/lib/finufft/libfinufft.so" ]; then
  echo "libfinufft"
  installed=$folder/finufft/libfinufft.so
  [ "$(objdump -p "$installed" | awk '/SONAME/ {print $2}')" = libfinufft.so ] || fail "SONAME of libfinufft.so"
  ! ldd "$installed" | grep -q 'not found' || fail "libfinufft.so does not find liboffgrid"
fi
