#!/bin/bash
# The rules of docs/architecture.md hold: includes, vendor words, getenv, exported symbols, documented options, links.
[ -z "${OFFGRID_SANITIZE:-}" ] || { echo "skipped: the same files as in the plain build"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
exec python3 "${OFFGRID_SOURCE:?}/scripts/check-architecture.py" --root "$OFFGRID_SOURCE" --build "${OFFGRID_BUILD:?}"
