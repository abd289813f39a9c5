/* The reference backend: plain loops on one thread. It judges the others, and does what they leave out. */
#include "ref/ref.h"

static int available(void) { return 1; }

static const char *describe(void) { return "plain loops on one thread, the judge"; }

static int settle_threads(int asked) {
  (void)asked;
  return 1;
}

int og_ref_grid_layout(og_grid *grid) {
  int64_t row = grid->values == OG_REAL ? 2 * (grid->n[0] / 2 + 1) : grid->n[0];
  int64_t plane, cells;
  grid->stride[0] = 1;
  grid->stride[1] = row;
  int overflow = __builtin_mul_overflow(row, grid->n[1], &plane) || __builtin_mul_overflow(plane, grid->n[2], &cells) ||
                 __builtin_mul_overflow(cells, (int64_t)og_value_bytes(grid->precision, grid->values), &plane);
  OG_CHECK(!overflow, OG_ERR_SIZE, "a grid of %lld x %lld x %lld cells overflows 64 bits", (long long)grid->n[0],
           (long long)grid->n[1], (long long)grid->n[2]);
  grid->stride[2] = row * grid->n[1];
  grid->bytes = (size_t)plane;
  return OG_OK;
}

void og_ref_parallel(int threads, int64_t n, int64_t grain, void (*body)(void *context, int64_t begin, int64_t end),
                     void *context) {
  (void)threads;
  (void)grain;
  if (n > 0)
    body(context, 0, n);
}

const og_backend og_backend_ref = {
    .name = "ref",
    .describe = describe,
    .available = available,
    .threads = settle_threads,
    .grid_layout = og_ref_grid_layout,
    .points_create = og_ref_points_create,
    .points_bytes = og_ref_points_bytes,
    .points_set = og_ref_points_set,
    .points_destroy = og_ref_points_destroy,
    .points_simd = og_ref_points_simd,
    .spread = og_ref_spread,
    .interp = og_ref_interp,
    .lines_create = og_ref_lines_create,
    .lines_execute = og_ref_lines_execute,
    .lines_destroy = og_ref_lines_destroy,
    .modes_from_grid = og_ref_modes_from_grid,
    .grid_from_modes = og_ref_grid_from_modes,
    .multiply = og_ref_multiply,
    .parallel = og_ref_parallel,
};
