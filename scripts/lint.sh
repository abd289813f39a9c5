#!/bin/sh
# All static checks; --quick leaves out clang-tidy, which takes minutes.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0

step() {
  what=$1
  shift
  if ! "$@"; then
    echo "lint: $what found problems" >&2
    failed=1
  fi
}

step 'clang-format (make format repairs it)' scripts/format.sh --check
step 'shellcheck' sh -c 'find scripts .ci tests -name "*.sh" -print0 | xargs -0 -r shellcheck --severity=warning .ci/run'
step 'the architecture check' python3 scripts/check-architecture.py
[ "${1:-}" = --quick ] || step 'clang-tidy' python3 scripts/tidy.py
exit "$failed"
