#!/bin/bash
# The demonstration runs and meets its own checks: error against the direct sum, agreement with BART's image.
[ -z "${OFFGRID_SANITIZE:-}" ] || { echo "skipped: timed in the plain build"; exit 77; }
command -v bart >/dev/null || { echo "skipped: the Debian package bart is not installed (make demo installs it)"; exit 77; }
exec bash "${OFFGRID_SOURCE:?}/scripts/demo.sh" "${OFFGRID_BUILD:?}"
