/* Memory: every allocation of the library goes through here, so that a failing one can be tested. */
#ifndef OG_BASE_MEMORY_H
#define OG_BASE_MEMORY_H
#include <stddef.h>

#define OG_ALIGNMENT 64

/* Bytes aligned to OG_ALIGNMENT, or NULL. Large blocks (2 MiB and more) are aligned to huge pages and advised so: random
 * access to the grid and the sort's scatter cost half as much. Not cleared. */
void *og_allocate(size_t bytes);
void *og_allocate_zeroed(size_t bytes);
void og_free(void *memory);

/* count * size (+ more), or SIZE_MAX on overflow, which no allocation grants. */
size_t og_bytes(size_t count, size_t size);

static inline size_t og_round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }
#endif
