#!/bin/sh
# A few problems, verified and timed: enough to see a regression. More: build/bin/offgrid bench --help.
set -eu
cd "$(dirname "$0")/.."
exec build/bin/offgrid bench 1d/type1/1000000/m=1e7/tol=1e-6/f64 2d/type1/1000x1000/m=1e7/tol=1e-6/f64 \
  3d/type1/128x128x128/m=2e6/tol=1e-6/f64 3d/type2/128x128x128/m=2e6/tol=1e-6/f64 \
  3d/type1/128x128x128/m=2e6/tol=1e-4/f32 "$@"
