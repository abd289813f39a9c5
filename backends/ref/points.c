/* Points of the ref backend: keeps the coordinates, and evaluates the window exactly as the setup asks.
 *
 * The fold uses long double, so that the judge's grid coordinates are the rounded exact ones: what a faster fold loses
 * shows against it. Blind to precision: only the reading of a coordinate looks at it. */
#include "ref/points.h"
#include "base/memory.h"
#include "ref/ref.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int precision_of(const og_ref_points *points) {
  return points->setup.wide ? OG_F64 : points->setup.grid->precision;
}

static double coordinate(const void *x, int precision, int64_t j) {
  return precision == OG_F32 ? (double)((const float *)x)[j] : ((const double *)x)[j];
}

/* x less whole periods. Where the period is the double next to 2 pi, 2 pi is meant, in two parts. */
static long double reduced(long double x, double period) {
  const long double two_pi = 6.283185307179586476925286766559L;
  const long double rest = LDBL_MANT_DIG == 64   ? -1.00331152253366640471e-19L
                           : LDBL_MANT_DIG == 53 ? 2.4492935982947065e-16L
                                                 : 0;
  if (period != (double)two_pi)
    return remainderl(x, period);
  const long double r = remainderl(x, two_pi);
  return r - rintl((x - r) / two_pi) * rest;
}

/* Grid coordinate of point j in [0, n). */
static double folded(const og_ref_points *points, int64_t j, int d) {
  const og_grid *grid = points->setup.grid;
  const double period = points->setup.period[d];
  long double n = (long double)grid->n[d];
  long double turns = reduced(coordinate(points->x[d], precision_of(points), j), period) / period;
  long double cells = (turns - floorl(turns)) * n + points->setup.shift[d];
  cells -= floorl(cells / n) * n;
  double g = (double)cells;
  return g < (double)grid->n[d] ? g : 0.0; /* the rounding to double may reach n */
}

static double horner(const double coef[][OG_MAX_WIDTH], int degree, int cell, double t) {
  double sum = coef[degree][cell];
  for (int k = degree - 1; k >= 0; k--)
    sum = sum * t + coef[k][cell];
  return sum;
}

static void fill_stencil(const og_ref_points *points, int d, double g, og_ref_stencil *stencil) {
  const og_points_setup *setup = &points->setup;
  const og_window *window = setup->window;
  int64_t n = setup->grid->n[d], start = (int64_t)ceil(g - 0.5 * window->width);
  double t = 2.0 * ((double)start - g) + window->width - 1;
  double cells_per_unit = (double)n / setup->period[d];
  stencil->width = window->width;
  for (int i = 0; i < window->width; i++) {
    int64_t cell = ((start + i) % n + n) % n;
    stencil->offset[i] = cell * setup->grid->stride[d];
    if (setup->evaluation == OG_EVALUATE_DIRECT) {
      stencil->weight[i] = og_window_cell(window, i, t, 0);
      stencil->derivative[i] = og_window_cell(window, i, t, 1) * cells_per_unit;
    } else {
      stencil->weight[i] = horner(window->coef, window->degree, i, t);
      stencil->derivative[i] = horner(window->derivative, window->degree, i, t) * cells_per_unit;
    }
  }
}

void og_ref_stencils(const og_ref_points *points, int64_t j, og_ref_stencil stencil[3]) {
  for (int d = 0; d < 3; d++)
    if (d < points->setup.grid->ndim)
      fill_stencil(points, d, folded(points, j, d), &stencil[d]);
    else
      stencil[d] = (og_ref_stencil){.width = 1, .weight = {1.0}};
}

int og_ref_points_create(const og_points_setup *setup, void **out) {
  og_ref_points *points = og_allocate_zeroed(sizeof *points);
  OG_CHECK(points, OG_ERR_MEMORY, "no memory for %zu bytes", sizeof *points);
  points->setup = *setup;
  *out = points;
  return OG_OK;
}

void og_ref_points_destroy(void *points) { og_free(points); }

const char *og_ref_points_simd(void *points) {
  (void)points;
  return "none";
}

int og_ref_points_bytes(void *handle, int64_t n, size_t *resident, size_t *scratch) {
  const og_ref_points *points = handle;
  const og_grid *grid = points->setup.grid;
  *scratch = 0;
  *resident =
      points->setup.index_only ? 0 : og_bytes((size_t)n, (size_t)grid->ndim * og_real_bytes(precision_of(points)));
  OG_CHECK(*resident != SIZE_MAX, OG_ERR_SIZE, "n_points = %lld: their bytes overflow", (long long)n);
  return OG_OK;
}

static int check_finite(const og_ref_points *points, int64_t n, const void *const x[3]) {
  for (int64_t j = 0; j < n; j++)
    for (int d = 0; d < points->setup.grid->ndim; d++) {
      double value = coordinate(x[d], precision_of(points), j);
      OG_CHECK(isfinite(value), OG_ERR_POINT, "point %lld has %c = %g: coordinates must be finite", (long long)j,
               "xyz"[d], value);
    }
  return OG_OK;
}

int og_ref_points_set(void *handle, int64_t n, const void *const x[3], void *resident, void *scratch) {
  og_ref_points *points = handle;
  const og_grid *grid = points->setup.grid;
  (void)scratch;
  OG_TRY(check_finite(points, n, x));
  size_t bytes = (size_t)n * og_real_bytes(precision_of(points));
  for (int d = 0; d < grid->ndim; d++) {
    points->x[d] = x[d];
    if (points->setup.index_only || n == 0)
      continue;
    char *copy = (char *)resident + (size_t)d * bytes;
    memcpy(copy, x[d], bytes);
    points->x[d] = copy;
  }
  points->n = n;
  return OG_OK;
}
