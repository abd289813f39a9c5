/* What the tests over MPI share: the rank, one code for all, and the counting allocator, by which leaks show that the address
 * sanitizer cannot tell from MPI's own. */
#ifndef OG_TESTS_MPI_RANKS_H
#define OG_TESTS_MPI_RANKS_H
#include <mpi.h>

#include "common/allocator.h"
#include "common/test.h"
#include "offgrid_mpi.h"

static int rank, size;

/* The plan is gone: so is its memory. */
static TEST_UNUSED void check_leaks(void) {
  CHECK(atomic_load(&live) == 0, "%ld blocks of memory left", atomic_load(&live));
}

static TEST_UNUSED void start(int *argc, char ***argv, int level, const char *claim) {
  int provided;
  MPI_Init_thread(argc, argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  test_begin(*argc, *argv, claim);
}

/* The exit code: a failure anywhere is one everywhere. */
static TEST_UNUSED int finish(void) {
  int failed = test_end(), any;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}

static TEST_UNUSED int64_t sum_of(int64_t mine) {
  int64_t all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
#endif
