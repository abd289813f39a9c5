#!/bin/sh
# Installs the Debian packages that the given jobs need (build, test, gpu, mpi, matrix, demo; default build): as root, or with sudo that asks
# no password. Where neither is possible it names the packages and stops. Silent and quick when all are there.
set -eu

packages_build='build-essential cmake pkg-config libfftw3-dev libhdf5-dev libpng-dev libjansson-dev python3-minimal'
packages_test='python3 python3-numpy python3-pytest clang clang-format clang-tidy libclang-rt-dev libomp-dev llvm shellcheck help2man
  gnuplot-nox'
packages_gpu='pocl-opencl-icd ocl-icd-libopencl1 opencl-c-headers libvkfft-dev oclgrind'
packages_mpi='libopenmpi-dev openmpi-bin libmpich-dev mpich'
packages_matrix='hipcc libamdhip64-dev rocm-device-libs clang-19 llvm-19'
packages_demo='bart'

wanted=''
for job in "${@:-build}"; do
  case $job in
  build) wanted="$wanted $packages_build" ;;
  test) wanted="$wanted $packages_test" ;;
  gpu) wanted="$wanted $packages_gpu" ;;
  mpi) wanted="$wanted $packages_mpi" ;;
  matrix) wanted="$wanted $packages_matrix" ;;
  demo) wanted="$wanted $packages_demo" ;;
  *) echo "install-deps.sh: unknown job '$job'; allowed: build, test, gpu, mpi, matrix, demo" >&2 && exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "install-deps.sh: this is no Debian system; make sure that what these packages hold is installed:" >&2
  echo " $wanted" >&2
  exit 0
fi

missing=''
for package in $wanted; do
  state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$state" = 'install ok installed' ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=''
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root='sudo -n'
else
  echo "install-deps.sh: these packages are missing, and this user can neither be root nor use sudo:$missing" >&2
  echo "install-deps.sh: as root, run: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  # shellcheck disable=SC2086 # lists of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing </dev/null >"$log" 2>&1
}
# The package lists may be absent or old: fetch them only when the first try fails.
if ! install; then
  $as_root apt-get update </dev/null >>"$log" 2>&1 || true
  install || { cat "$log" >&2; echo "install-deps.sh: apt-get could not install:$missing" >&2; exit 1; }
fi
