#!/bin/bash
# The demonstration: BART makes an 8-coil radial k-space of the Shepp-Logan phantom; offgrid weighs, transforms and
# combines it to a picture; BART's own adjoint does the same from the same weighted data; both are compared with the
# direct sum and with each other.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
out=$build/demo
offgrid=$build/bin/offgrid
radial_mri=$build/bin/example_radial_mri
n=128 spokes=201

command -v bart >/dev/null || { echo "demo: the Debian package bart is missing: scripts/install-deps.sh demo" >&2; exit 1; }
mkdir -p "$out"

# step WORDS COMMAND...: runs it, says what and how long.
step() {
  local words=$1 begin
  shift
  begin=$(date +%s.%N)
  "$@"
  date +%s.%N | awk -v begin="$begin" -v words="$words" '{printf "%s: %.2f s\n", words, $1 - begin}'
}

begin_all=$SECONDS
echo "-- data: BART"
step "trajectory of $spokes spokes of $((2 * n)) samples" bart traj -r -x$n -y$spokes -o2 "$out/trajectory"
step "k-space of 8 coils" bart phantom -k -s8 -t "$out/trajectory" "$out/kspace"

echo "-- image: offgrid"
step "density weights, 20 iterations of spreading and interpolation" \
  "$radial_mri" weights "$out/trajectory" $n "$out/weights"
step "offgrid transform, the check included" "$offgrid" transform --type 1 --sign 1 --modes ${n}x$n --scale-points --tol 1e-5 \
  --points "$out/trajectory.cfl" --input "$out/kspace.cfl" --weights "$out/weights.cfl" \
  --output "$out/offgrid.cfl" --image "$out/offgrid.png" --check

echo "-- the same image: BART"
step "weighing" bart fmac "$out/kspace" "$out/weights" "$out/weighted"
step "bart nufft -a" bart nufft -a -d $n:$n:1 "$out/trajectory" "$out/weighted" "$out/bart"
bart rss 8 "$out/bart" "$out/bart_combined"
bart transpose 0 1 "$out/bart_combined" "$out/bart_turned" # toimg draws the first dimension downwards
bart toimg "$out/bart_turned" "$out/bart" >/dev/null

echo "-- comparison"
"$radial_mri" compare "$out/trajectory" "$out/kspace" "$out/weights" "$out/offgrid" "$out/bart"
echo "pictures: $out/offgrid.png, $out/bart.png; $((SECONDS - begin_all)) s in all"
