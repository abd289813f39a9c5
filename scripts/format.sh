#!/bin/sh
# clang-format on every C source and header; with --check it changes nothing and fails where a file would change.
set -eu
cd "$(dirname "$0")/.."
how='-i'
[ "${1:-}" = --check ] && how='--dry-run -Werror'
# shellcheck disable=SC2086 # two words
find include src backends apps compat tests bench examples \( -name '*.c' -o -name '*.h' \) -print0 |
  xargs -0 -r clang-format $how
