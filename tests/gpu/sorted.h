/* What the tests of spreading and interpolation share: a small problem with its stencils from the definition, its points in
 * the bins that a method wants, and both on a device. Nothing of the library's own folding, sorting or evaluation. */
#ifndef OG_TEST_GPU_SORTED
#define OG_TEST_GPU_SORTED
#include "gpu/launch.h"
#include "harness.h"

typedef struct test_problem {
  int dim, width, precision, values, packed, gradient;
  int64_t n[3], n_points, vectors;
  int batch; /* vectors that a group does together, if it can */
} test_problem;

typedef struct test_points {
  test_problem p;
  og_grid grid;
  og_window window;
  og_points_setup setup;
  int64_t vector_points, vector_cells, reals;
  double *x[3];
  int64_t *start;         /* [point][3] */
  double *f;              /* [point][3]: start - g + width / 2 */
  double *weight, *slope; /* [point][3][OG_MAX_WIDTH]; slope: times cells per unit of the coordinate */
} test_points;

static TEST_UNUSED void test_name_case(const og_gpu_driver *driver, const char *method, const test_problem *p) {
  test_case("%s %s %dd %lldx%lldx%lld m=%lld w=%d %s %s vectors=%lld/%d %s%s", driver->name, method, p->dim,
            (long long)p->n[0], (long long)p->n[1], (long long)p->n[2], (long long)p->n_points, p->width,
            test_precision_name[p->precision], test_values_name[p->values], (long long)p->vectors, p->batch,
            p->packed ? "records" : "indices", p->gradient ? " gradient" : "");
}

/* Grids of any size, some smaller than the stencil; points anywhere, some of them all in one cell. */
static TEST_UNUSED test_problem test_random_problem(int width, int gradient) {
  test_problem p = {.dim = (int)test_integer(1, 3),
                    .width = width,
                    .precision = (int)test_integer(0, 1) ? OG_F32 : OG_F64,
                    .values = (int)test_integer(0, 1) ? OG_REAL : OG_COMPLEX,
                    .packed = (int)test_integer(0, 1),
                    .gradient = gradient,
                    .n = {1, 1, 1},
                    .n_points = test_integer(0, 9) ? test_integer(50, 300) : test_integer(0, 3),
                    .vectors = test_integer(1, 5),
                    .batch = (int)test_integer(1, 4)};
  int64_t most = p.dim == 1 ? 400 : p.dim == 2 ? 60 : 22;
  for (int d = 0; d < p.dim; d++)
    p.n[d] = test_integer(0, 4) ? test_integer(5, most) : test_integer(1, 5);
  return p;
}

/* Few points, one or two vectors. */
static TEST_UNUSED test_problem test_small_problem(int dim, int precision, int width, int gradient) {
  test_problem p;
  do
    p = test_random_problem(width, gradient);
  while (p.dim != dim || p.precision != precision);
  p.n_points = p.n_points % 70 + 20;
  p.vectors = p.vectors > 1 ? 2 : 1;
  p.batch = p.batch > 1 ? 2 : 1;
  return p;
}

static double test_power_sum(const double coef[][OG_MAX_WIDTH], int degree, int cell, double t) {
  double sum = 0;
  for (int k = degree; k >= 0; k--)
    sum = sum * t + coef[k][cell];
  return sum;
}

/* The stencil from f as a record holds it, so that only what the kernels do is compared. */
static void test_stencil(test_points *t, int64_t j, int d, int bin_cells) {
  int w = t->p.width, degree = t->window.degree;
  long double n = (long double)t->p.n[d], g = (long double)t->x[d][j] / t->setup.period[d] * n + t->setup.shift[d];
  g -= floorl(g / n) * n;
  long double s = ceill(g - w / 2.0L), f = s - g + w / 2.0L;
  if (t->p.packed) {
    /* what is left of f in a record beside the start in its bin */
    double unit = t->p.precision == OG_F32 ? 0x1p-23 : 0x1p-52;
    while (unit < (t->p.precision == OG_F32 ? 0x1p-23 : 0x1p-52) * bin_cells)
      unit *= 2;
    f = floorl(f / unit) * unit;
  }
  t->f[3 * j + d] = (double)f;
  t->start[3 * j + d] = (((int64_t)s % t->p.n[d]) + t->p.n[d]) % t->p.n[d];
  for (int i = 0; i < w; i++) {
    int at = (int)(3 * j + d) * OG_MAX_WIDTH + i;
    t->weight[at] = test_power_sum((const double(*)[OG_MAX_WIDTH])t->window.coef, degree, i, 2 * (double)f - 1);
    t->slope[at] = test_power_sum((const double(*)[OG_MAX_WIDTH])t->window.derivative, degree, i, 2 * (double)f - 1) *
                   (double)t->p.n[d] / t->setup.period[d];
  }
}

static TEST_UNUSED int test_points_make(const test_problem *p, const char *spread, const char *interp, test_points *t) {
  *t = (test_points){.p = *p, .reals = p->values == OG_REAL ? 1 : 2};
  if (!CHECK_OK(og_window_make(&t->window, OG_KB, p->width, 2.0, 0, 0)))
    return 0;
  t->grid = (og_grid){.ndim = p->dim, .precision = p->precision, .values = p->values};
  int64_t pad[3] = {0, p->dim > 1 ? 3 : 0, p->dim > 2 ? 2 : 0}, stride = 1;
  for (int d = 0; d < 3; d++) {
    t->grid.n[d] = p->n[d];
    t->grid.stride[d] = stride;
    stride = stride * p->n[d] + (d + 1 < 3 ? pad[d + 1] : 0);
  }
  t->grid.bytes = (size_t)stride * og_value_bytes(p->precision, p->values);
  t->vector_cells = stride + 2;
  t->vector_points = p->n_points + 1;
  t->setup = (og_points_setup){.grid = &t->grid,
                               .window = &t->window,
                               .gradient = p->gradient,
                               .index_only = !p->packed,
                               .spread_method = spread,
                               .interp_method = interp};
  t->start = test_keep(calloc((size_t)(3 * p->n_points) + 1, sizeof *t->start));
  t->f = test_doubles(3 * p->n_points);
  t->weight = test_doubles(3 * OG_MAX_WIDTH * p->n_points);
  t->slope = test_doubles(3 * OG_MAX_WIDTH * p->n_points);
  int crowded = !test_integer(0, 2);
  for (int d = 0; d < p->dim; d++) {
    t->setup.period[d] = 1 + d * 1.25;
    t->setup.shift[d] = d * 0.375;
    t->x[d] = test_doubles(p->n_points);
    for (int64_t j = 0; j < p->n_points; j++)
      t->x[d][j] = test_round((crowded && j % 3 ? 1e-2 : 3) * test_uniform() * t->setup.period[d], p->precision);
  }
  return 1;
}

/* ---- on a device, sorted */

typedef struct test_sorted {
  og_k_points table;
  og_gpu_sorted points;
  void *memory[8];
  int n_memory;
} test_sorted;

static void *test_sorted_put(test_gpu *gpu, test_sorted *s, const void *from, size_t bytes) {
  return s->memory[s->n_memory++] = test_gpu_put(gpu, bytes ? from : NULL, bytes ? bytes : 16);
}

static TEST_UNUSED void test_sorted_free(test_gpu *gpu, test_sorted *s) {
  while (s->n_memory)
    gpu->driver->release(gpu->device->handle, s->memory[--s->n_memory]);
}

static void test_fill_table(const test_points *t, const int cells[3], og_k_points *k) {
  *k = (og_k_points){.n_points = t->p.n_points, .n_bins = 1};
  for (int d = 0; d < 3; d++) {
    double n = (double)t->p.n[d], period = t->setup.period[d] ? t->setup.period[d] : 1;
    k->n[d] = t->p.n[d];
    k->cells[d] = cells[d];
    k->bins[d] = (k->n[d] + cells[d] - 1) / cells[d];
    k->n_bins *= k->bins[d];
    k->extent[d] = n;
    k->scale[d] = n / period;
    k->inverse[d] = 1 / period;
    k->period[d][0] = period; /* has few digits, so that its multiples are exact */
    k->shift[d] = t->setup.shift[d];
    k->origin[d] = k->shift[d] - t->p.width / 2.0;
    k->turn[d] = k->origin[d] / n - 0.5;
  }
}

static int64_t test_bin(const test_points *t, const og_k_points *k, int64_t j) {
  int64_t b[3];
  for (int d = 0; d < 3; d++)
    b[d] = t->start[3 * j + d] / k->cells[d];
  return t->p.dim == 1   ? b[0]
         : t->p.dim == 2 ? b[0] * k->bins[1] + b[1]
                         : (b[1] * k->bins[0] + b[0]) * k->bins[2] + b[2];
}

static void test_write_record(const test_points *t, const og_k_points *k, int64_t j, char *record) {
  size_t real = test_real_bytes(t->p.precision);
  uint32_t index = (uint32_t)j;
  for (int d = 0; d < t->p.dim; d++) {
    double u = (double)(t->start[3 * j + d] % k->cells[d]) + t->f[3 * j + d];
    float single = (float)u;
    memcpy(record + (size_t)d * real, real == 4 ? (const void *)&single : &u, real);
  }
  memcpy(record + (size_t)t->p.dim * real, &index, sizeof index);
}

/* Cuts each column's points into pieces of random length, some empty. */
static int64_t test_cut(const og_k_points *k, int dim, const uint32_t *begin, og_k_work *work) {
  int64_t line = k->bins[dim - 1], n = 0;
  for (int64_t column = 0; column < k->n_bins / line; column++) {
    uint32_t at = begin[column * line], end = begin[(column + 1) * line], bin = 0;
    while (at < end) {
      uint32_t next = at + (uint32_t)test_integer(0, 60);
      next = next < end ? next : end;
      while (begin[column * line + bin + 1] <= at)
        bin++;
      work[n++] = (og_k_work){(uint32_t)column, bin, at, next};
      at = next;
    }
  }
  return n;
}

static TEST_UNUSED void test_sort(test_points *t, const int cells[3], test_gpu *gpu, test_sorted *s) {
  static const size_t record_bytes[2][4] = {{0, 16, 24, 32}, {0, 8, 16, 16}};
  int64_t n = t->p.n_points;
  *s = (test_sorted){0};
  test_fill_table(t, cells, &s->table);
  for (int64_t j = 0; j < n; j++)
    for (int d = 0; d < t->p.dim; d++)
      test_stencil(t, j, d, cells[d]);
  og_k_points *k = &s->table;
  size_t bytes = t->p.packed ? record_bytes[t->p.precision == OG_F32][t->p.dim] : sizeof(uint32_t);
  uint32_t *begin = test_keep(calloc((size_t)k->n_bins + 1, sizeof *begin));
  uint32_t *next = test_keep(calloc((size_t)k->n_bins + 1, sizeof *next));
  char *records = test_keep(calloc((size_t)n + 1, bytes));
  for (int64_t j = 0; j < n; j++)
    begin[test_bin(t, k, j) + 1]++;
  for (int64_t b = 0; b < k->n_bins; b++)
    next[b + 1] = begin[b + 1] += begin[b];
  for (int64_t j = 0; j < n; j++) {
    char *record = records + (size_t)next[test_bin(t, k, j)]++ * bytes;
    if (t->p.packed)
      test_write_record(t, k, j, record);
    else
      memcpy(record, &(uint32_t){(uint32_t)j}, sizeof(uint32_t));
  }
  og_k_work *work = test_keep(calloc((size_t)(64 * n) + 1, sizeof *work));
  s->points = (og_gpu_sorted){.table = k, .packed = t->p.packed, .n_work = test_cut(k, t->p.dim, begin, work)};
  s->points.records = test_sorted_put(gpu, s, records, (size_t)n * bytes);
  s->points.begin = test_sorted_put(gpu, s, begin, ((size_t)k->n_bins + 1) * sizeof *begin);
  s->points.work = test_sorted_put(gpu, s, work, (size_t)s->points.n_work * sizeof *work);
  if (!gpu->driver->table_by_value)
    s->points.table_address = test_sorted_put(gpu, s, k, sizeof *k);
  for (int d = 0; d < t->p.dim && !t->p.packed; d++)
    s->points.x[d] =
        test_sorted_put(gpu, s, test_pack(t->x[d], n, t->p.precision), (size_t)n * test_real_bytes(t->p.precision));
}

enum { TEST_MAX_STENCIL = OG_MAX_WIDTH * OG_MAX_WIDTH * OG_MAX_WIDTH };

/* The stencil of a point: its cells, as numbers in one vector's grid, and their weights; along: the dimension that takes
 * slopes, or -1. Returns how many. */
static TEST_UNUSED int test_terms(const test_points *t, int64_t point, int along, int64_t *cells, double *weights) {
  const int64_t *start = t->start + 3 * point;
  int n = 0, width[3];
  const double *w[3];
  for (int d = 0; d < 3; d++) {
    width[d] = d < t->p.dim ? t->p.width : 1;
    w[d] = (d == along ? t->slope : t->weight) + (3 * point + d) * OG_MAX_WIDTH;
  }
  for (int k = 0; k < width[2]; k++)
    for (int j = 0; j < width[1]; j++)
      for (int i = 0; i < width[0]; i++) {
        cells[n] = (start[0] + i) % t->p.n[0] + (start[1] + j) % t->p.n[1] * t->grid.stride[1] +
                   (start[2] + k) % t->p.n[2] * t->grid.stride[2];
        weights[n++] = w[0][i] * (t->p.dim > 1 ? w[1][j] : 1) * (t->p.dim > 2 ? w[2][k] : 1);
      }
  return n;
}

/* Relative to the sum of absolute values, because weights cancel on small grids, and slopes do everywhere. */
static TEST_UNUSED double test_sum_error(const double *got, const double *want, const double *absolute, int64_t n) {
  double *difference = test_doubles(n), norm = test_norm(absolute, n);
  for (int64_t i = 0; i < n; i++)
    difference[i] = got[i] - want[i];
  return norm > 0 ? test_norm(difference, n) / norm : test_norm(difference, n);
}

/* Whether number i of one vector's grid is in a cell, or in the padding between. */
static TEST_UNUSED int test_in_grid(const test_points *t, int64_t i) {
  int64_t cell = i / t->reals % t->vector_cells, z = cell / t->grid.stride[2], rest = cell % t->grid.stride[2];
  if (t->p.dim < 3)
    z = 0, rest = cell;
  int64_t y = t->p.dim > 1 ? rest / t->grid.stride[1] : 0, x = t->p.dim > 1 ? rest % t->grid.stride[1] : rest;
  return x < t->p.n[0] && y < t->p.n[1] && z < t->p.n[2];
}

static TEST_UNUSED double test_sum_tolerance(const test_points *t) { return t->p.precision == OG_F32 ? 3e-5 : 2e-13; }
#endif
