/* A test's own base/memory.c: the linker takes these functions, so that every allocation of the library is counted and can be told to
 * fail. Bytes are the C library's, which rounds up. For a test of one file. */
#ifndef OG_TESTS_ALLOCATOR_H
#define OG_TESTS_ALLOCATOR_H
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static atomic_long live, count, fail_at = -1; /* blocks held; allocations so far; the one that fails (-1: none) */
static atomic_size_t live_bytes, most_bytes;

size_t og_bytes(size_t n, size_t size) { return size && n > SIZE_MAX / size ? SIZE_MAX : n * size; }

void *og_allocate(size_t bytes) {
  void *memory = NULL;
  if (atomic_fetch_add(&count, 1) == atomic_load(&fail_at) || bytes > SIZE_MAX / 2 ||
      posix_memalign(&memory, OG_ALIGNMENT, og_round_up(bytes ? bytes : 1, OG_ALIGNMENT)))
    return NULL;
  memset(memory, 0xee, bytes); /* nobody may count on zeros */
  atomic_fetch_add(&live, 1);
  const size_t size = malloc_usable_size(memory), now = atomic_fetch_add(&live_bytes, size) + size;
  size_t most = atomic_load(&most_bytes);
  while (most < now && !atomic_compare_exchange_weak(&most_bytes, &most, now))
    ;
  return memory;
}

void *og_allocate_zeroed(size_t bytes) {
  void *memory = og_allocate(bytes);
  if (memory)
    memset(memory, 0, bytes);
  return memory;
}

void og_free(void *memory) {
  if (!memory)
    return;
  atomic_fetch_sub(&live, 1);
  atomic_fetch_sub(&live_bytes, malloc_usable_size(memory));
  free(memory);
}
#endif
