/* Grids with awkward strides, engines by name, and the transform by its definition. */
#ifndef OG_TESTS_FFT_GRIDS
#define OG_TESTS_FFT_GRIDS
#pragma GCC diagnostic ignored "-Wunused-function" /* of the harness, what a test does not need */
#include <complex.h>

#include "base/memory.h"
#include "common/test.h"
#include "cpu/cpu.h"
#include "fft/fft.h"
#include "fft/prune.h"
#include "ref/ref.h"

static TEST_UNUSED const og_backend engines[2] = {
    {.name = "ref",
     .lines_create = og_ref_lines_create,
     .lines_execute = og_ref_lines_execute,
     .lines_destroy = og_ref_lines_destroy},
    {.name = "cpu",
     .lines_create = og_cpu_lines_create,
     .lines_execute = og_cpu_lines_execute,
     .lines_execute_pair = og_cpu_lines_execute_pair,
     .lines_destroy = og_cpu_lines_destroy},
};

/* pad: cells added to rows and planes; odd ones put single-precision rows off their 16 bytes. */
static TEST_UNUSED og_grid grid_make(int ndim, const int64_t *n, int precision, int values, int64_t pad) {
  og_grid g = {.ndim = ndim, .precision = precision, .values = values, .n = {1, 1, 1}, .stride = {1, 1, 1}};
  for (int d = 0; d < ndim; d++)
    g.n[d] = n[d];
  int64_t real = values == OG_REAL;
  g.stride[1] = real ? 2 * (g.n[0] / 2 + 1 + pad) : g.n[0] + pad;
  g.stride[2] = g.stride[1] * g.n[1] + (real ? 2 * pad : pad);
  g.bytes = (size_t)(g.stride[2] * g.n[2]) * og_value_bytes(precision, values);
  return g;
}

static TEST_UNUSED void *grid_memory(const og_grid *g) {
  void *memory = NULL;
  if (posix_memalign(&memory, 64, g->bytes))
    memory = NULL;
  return test_keep(memory);
}

/* Reals of the grid. */
static int64_t grid_size(const og_grid *g) { return (int64_t)(g->bytes / og_real_bytes(g->precision)); }

static TEST_UNUSED double grid_get(const og_grid *g, const void *memory, int64_t i) {
  return g->precision == OG_F32 ? (double)((const float *)memory)[i] : ((const double *)memory)[i];
}

static TEST_UNUSED void grid_put(const og_grid *g, void *memory, int64_t i, double x) {
  if (g->precision == OG_F32)
    ((float *)memory)[i] = (float)x;
  else
    ((double *)memory)[i] = x;
}

static TEST_UNUSED void grid_fill(const og_grid *g, void *memory, double x) {
  for (int64_t i = 0; i < grid_size(g); i++)
    grid_put(g, memory, i, x);
}

/* Index of the first real of cell (x, y, z) of the grid, or (half = 1) of its half spectrum. */
static TEST_UNUSED int64_t grid_at(const og_grid *g, int spectrum, int64_t x, int64_t y, int64_t z) {
  int64_t parts = g->values == OG_COMPLEX ? 2 : 1, row = y * g->stride[1] + z * g->stride[2];
  return row * parts + x * (spectrum ? 2 : parts);
}

/* Cells that hold modes along d, in order. */
static TEST_UNUSED int64_t grid_kept(const og_grid *g, const int64_t *n_modes, int d, int64_t *cells) {
  og_range r[2];
  int64_t n = 0;
  int n_ranges = og_prune_kept(g->n[d], n_modes[d], d == 0 && g->values == OG_REAL, r);
  for (int i = 0; i < n_ranges; i++)
    for (int64_t c = r[i].begin; c < r[i].end; c++)
      cells[n++] = c;
  return n;
}

typedef struct kept_cells {
  int64_t n[3], cell[3][4096], all;
} kept_cells;

static TEST_UNUSED kept_cells *grid_kept_cells(const og_grid *g, const int64_t *n_modes) {
  kept_cells *k = test_keep(calloc(1, sizeof *k));
  k->all = 1;
  for (int d = 0; d < 3; d++)
    k->all *= k->n[d] = grid_kept(g, n_modes, d, k->cell[d]);
  return k;
}

/* Real index in memory of kept cell i, x fastest. */
static TEST_UNUSED int64_t kept_at(const og_grid *g, const kept_cells *k, int64_t i) {
  return grid_at(g, 1, k->cell[0][i % k->n[0]], k->cell[1][i / k->n[0] % k->n[1]], k->cell[2][i / k->n[0] / k->n[1]]);
}

/* exp(2 pi i sum_d k_d l_d / n_d) */
static TEST_UNUSED long double complex grid_wave(const og_grid *g, const int64_t *k, const int64_t *l) {
  long double turn = 0;
  for (int d = 0; d < 3; d++)
    turn += (long double)(k[d] * l[d] % g->n[d]) / (long double)g->n[d];
  turn *= 2 * acosl(-1.0L);
  return CMPLXL(cosl(turn), sinl(turn));
}

/* How often the complex-to-real transform counts a column. */
static TEST_UNUSED double kept_weight(const og_grid *g, const kept_cells *k, int64_t i) {
  int64_t x = k->cell[0][i % k->n[0]];
  return g->values == OG_COMPLEX || x == 0 || 2 * x == g->n[0] ? 1 : 2;
}

static TEST_UNUSED double *kept_values(const og_grid *g, const kept_cells *k, const void *memory) {
  double *x = test_doubles(2 * k->all);
  for (int64_t i = 0; i < k->all; i++)
    for (int part = 0; part < 2; part++)
      x[2 * i + part] = grid_get(g, memory, kept_at(g, k, i) + part);
  return x;
}

/* All cells of the grid, x fastest, without padding. */
static TEST_UNUSED double *grid_values(const og_grid *g, const void *memory) {
  int parts = g->values == OG_COMPLEX ? 2 : 1;
  double *x = test_doubles(parts * g->n[0] * g->n[1] * g->n[2]), *at = x;
  for (int64_t iz = 0; iz < g->n[2]; iz++)
    for (int64_t iy = 0; iy < g->n[1]; iy++)
      for (int64_t i = 0; i < parts * g->n[0]; i++)
        *at++ = grid_get(g, memory, grid_at(g, 0, 0, iy, iz) + i);
  return x;
}
#endif
