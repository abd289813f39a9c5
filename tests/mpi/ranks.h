/* What the tests over MPI share: the rank, one code for all, and their own base/memory.c: the linker takes these functions, so
 * that allocations can fail and leaks show (which the address sanitizer cannot tell from MPI's own). */
#ifndef OG_TESTS_MPI_RANKS_H
#define OG_TESTS_MPI_RANKS_H
#include <mpi.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "common/test.h"
#include "offgrid_mpi.h"

static int rank, size;

static atomic_long live, count, fail_at = -1; /* blocks held; allocations so far; the one that fails (-1: none) */

size_t og_bytes(size_t n, size_t bytes) { return bytes && n > SIZE_MAX / bytes ? SIZE_MAX : n * bytes; }

void *og_allocate(size_t bytes) {
  void *memory = NULL;
  if (atomic_fetch_add(&count, 1) == atomic_load(&fail_at) || bytes > SIZE_MAX / 2 ||
      posix_memalign(&memory, OG_ALIGNMENT, og_round_up(bytes ? bytes : 1, OG_ALIGNMENT)))
    return NULL;
  memset(memory, 0xee, bytes); /* nobody may count on zeros */
  atomic_fetch_add(&live, 1);
  return memory;
}

void *og_allocate_zeroed(size_t bytes) {
  void *memory = og_allocate(bytes);
  if (memory)
    memset(memory, 0, bytes);
  return memory;
}

void og_free(void *memory) {
  if (memory)
    atomic_fetch_sub(&live, 1);
  free(memory);
}

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
