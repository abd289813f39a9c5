#!/bin/bash
# A kill at any moment leaves the old output or the new one, whole, and no other file (where the file system has files
# without names; elsewhere a temporary one may stay).
set -eu
command=${OFFGRID_BUILD:?}/bin/offgrid
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# 40 points and strengths, made of a transform's own output: no other program writes .npy here
header="{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"
while [ ${#header} -lt 117 ]; do header="$header "; done
{ printf '\223NUMPY\001\000\166\000%s\n' "$header"; printf '\000\000\000\000\000\000\360\077'; } >one.npy
"$command" transform --type 1 --points one.npy --input one.npy --modes 5 --output old.npy --quiet
cp old.npy out.npy
size() { stat -c %s "$1"; }
"$command" transform --type 1 --points one.npy --input one.npy --modes 600x500 --points one.npy,one.npy --output new.npy --quiet
whole=$(size new.npy)

for delay in 0.005 0.01 0.02 0.03 0.04 0.05 0.07 0.1 0.2; do
  cp old.npy out.npy
  "$command" transform --type 1 --points one.npy,one.npy --input one.npy --modes 600x500 --output out.npy --quiet &
  child=$!
  sleep "$delay"
  kill -9 "$child" 2>/dev/null || true
  wait "$child" 2>/dev/null || true
  if cmp -s old.npy out.npy; then result=old; elif [ "$(size out.npy)" = "$whole" ]; then result=new; else result=torn; fi
  echo "killed after $delay s: $result"
  [ "$result" != torn ]
done
left=$(find . -type f ! -name one.npy ! -name old.npy ! -name new.npy ! -name out.npy | wc -l)
[ "$left" -le 1 ] # between the link and the rename: at most one, and hardly ever
