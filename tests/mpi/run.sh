#!/bin/bash
# run.sh LAUNCHER RANKS PROGRAM [ARGS]: on so many ranks, more than cores if need be, as root too, with a time limit against
# hangs. The ranks yield the cores while they wait where the MPI can (Open MPI; its versions read different variables).
set -eu
launcher=$1 ranks=$2
shift 2
command -v "$launcher" >/dev/null || { echo "skipped: no $launcher"; exit 77; }
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
export ASAN_OPTIONS=detect_leaks=0 # Open MPI has its own; the tests count what the library holds
if "$launcher" --version | grep -qE 'Open MPI|OpenRTE'; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid the copy
fi
exec timeout 240 "$launcher" -n "$ranks" "$@"
