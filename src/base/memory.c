/* Aligned memory, with huge pages where they help. */
#define _DEFAULT_SOURCE
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *og_allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 2)
    return NULL;
  size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : OG_ALIGNMENT;
  /* aligned_alloc wants a multiple of the alignment; rounding a large block to a huge page would waste up to 2 MiB */
  void *memory = NULL;
  if (posix_memalign(&memory, alignment, og_round_up(bytes ? bytes : 1, OG_ALIGNMENT)))
    return NULL;
#ifdef MADV_HUGEPAGE
  if (bytes >= HUGE_PAGE)
    madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
  return memory;
}

void *og_allocate_zeroed(size_t bytes) {
  void *memory = og_allocate(bytes);
  if (memory)
    memset(memory, 0, bytes);
  return memory;
}

void og_free(void *memory) { free(memory); }

size_t og_bytes(size_t count, size_t size) { return size && count > SIZE_MAX / size ? SIZE_MAX : count * size; }
