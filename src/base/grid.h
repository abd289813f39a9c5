/* The fine grid in memory: n[0] x n[1] x n[2] cells, x contiguous. Strides are padded by the backend, because rows whose
 * stride is a multiple of 4096 bytes collide in the cache. */
#ifndef OG_BASE_GRID_H
#define OG_BASE_GRID_H
#include <stdint.h>
#include <stddef.h>

typedef struct og_grid {
  int ndim;
  int precision;     /* OG_F64, OG_F32 */
  int values;        /* OG_COMPLEX or OG_REAL cells */
  int64_t n[3];      /* cells per dimension, x first; 1 in absent dimensions */
  int64_t stride[3]; /* distance of neighbours in units of one cell (a complex or a real); stride[0] = 1. A real grid's
                        row has an even stride of at least 2 (n[0] / 2 + 1) reals, so that it holds its half spectrum */
  size_t bytes;      /* of the whole grid, padding included */
} og_grid;

static inline size_t og_real_bytes(int precision) { return precision ? sizeof(float) : sizeof(double); }
static inline size_t og_value_bytes(int precision, int values) { return og_real_bytes(precision) * (values ? 1u : 2u); }
#endif
