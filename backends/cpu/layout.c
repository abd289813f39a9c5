/* The grid in memory: rows and planes padded so that neighbours never sit a multiple of 4096 bytes apart, where they
 * would share cache sets (a quarter to a half of the speed of spreading and of strided FFT lines). */
#include "cpu.h"

#define LINE 64
#define PAGE 4096

/* Bytes of at least `bytes`, a multiple of `unit`, and not (near) a multiple of a page where it is large. */
static int64_t pad(int64_t bytes, int64_t unit) {
  bytes = (bytes + unit - 1) / unit * unit;
  if (bytes >= PAGE / 2) {
    int64_t past = bytes % (PAGE / 2); /* half a page apart also collides, every second row */
    if (past < LINE)
      bytes += LINE - past;
    else if (past > PAGE / 2 - LINE)
      bytes += PAGE / 2 - past + LINE;
  }
  return (bytes + unit - 1) / unit * unit;
}

int og_cpu_grid_layout(og_grid *grid) {
  const int64_t cell = (int64_t)og_value_bytes(grid->precision, grid->values);
  for (int d = 0; d < 3; d++)
    OG_CHECK(grid->n[d] >= 1 && grid->n[d] < INT32_MAX / 2, OG_ERR_SIZE,
             "fine grid of %lld cells in dimension %d, must be 1 to %d", (long long)grid->n[d], d, INT32_MAX / 2 - 1);
  int64_t row = grid->n[0] * cell;
  if (grid->values == OG_REAL)
    row = 2 * (grid->n[0] / 2 + 1) * cell;
  /* whole cache lines where that costs little; a complex or an even number of reals always */
  int64_t unit = grid->ndim > 1 && row >= 8 * LINE ? LINE : 2 * (int64_t)og_real_bytes(grid->precision);
  row = grid->ndim > 1 ? pad(row, unit) : (row + unit - 1) / unit * unit;
  int64_t plane, bytes;
  OG_CHECK(!__builtin_mul_overflow(row, grid->n[1], &plane), OG_ERR_SIZE, "the fine grid's plane overflows");
  if (grid->ndim > 2)
    plane = pad(plane, unit);
  OG_CHECK(!__builtin_mul_overflow(plane, grid->n[2], &bytes) && bytes < INT64_MAX / 2, OG_ERR_SIZE,
           "the fine grid of %lld x %lld x %lld cells overflows", (long long)grid->n[0], (long long)grid->n[1],
           (long long)grid->n[2]);
  grid->stride[0] = 1;
  grid->stride[1] = row / cell;
  grid->stride[2] = plane / cell;
  grid->bytes = (size_t)bytes;
  return OG_OK;
}
