#!/bin/bash
# The checker of the rules can fail: each rule catches a violation planted in a copy of the tree.
[ -z "${OFFGRID_SANITIZE:-}" ] || { echo "skipped: the same files as in the plain build"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
exec python3 "${OFFGRID_SOURCE:?}/scripts/check-architecture.py" --root "$OFFGRID_SOURCE" --self-test
