#!/usr/bin/env bash
# Runs FINUFFT's own Python tests against build/lib/finufft/libfinufft.so, from a checkout of FINUFFT (2.5 or 2.6) that the
# caller has. Nothing is downloaded, compiled or written there.
#   scripts/finufft-suite.sh CHECKOUT [BUILD]      PYTHON=python3 with numpy, packaging and pytest
# Prints pytest's line of counts; fails when a test fails. The log stays in BUILD/finufft-suite.
set -u
checkout=$(cd "${1:?usage: scripts/finufft-suite.sh CHECKOUT [BUILD]}" && pwd)
build=$(cd "${2:-build}" && pwd)
work=$build/finufft-suite
for needed in "$checkout/python/finufft/test" "$build/lib/finufft/libfinufft.so"; do
  [ -e "$needed" ] || { echo "finufft-suite: $needed does not exist" >&2; exit 2; }
done
rm -rf "$work" && mkdir -p "$work/python"
# The package from the checkout, with this library as the one it loads.
cp -r "$checkout/python/finufft/finufft" "$work/python/"
ln -s "$build/lib/finufft/libfinufft.so" "$work/python/finufft/libfinufft.so"
cd "$checkout/python/finufft/test" || exit 2
PYTHONPATH=$work/python PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} \
  "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider . >"$work/python.log" 2>&1
code=$?
grep -E '^(FAILED|ERROR)' "$work/python.log"
tail -n 1 "$work/python.log"
exit $code
