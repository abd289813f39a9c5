/* The cpu backend's set_points, spread and interp equal a plain double loop with the window's polynomials: every
 * dimension, width, precision, kind of values and instruction set; odd grids, clustered, few and no points, points on
 * the period's edges and far from it, borrowed coordinates, gradients, several threads; the same bits whatever the
 * schedule; bad points are named and change nothing. */
#include "cpu/cpu.h"
#include "base/memory.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI_L 3.141592653589793238462643383279502884L

static int failures, checks;
static uint64_t seed = 20240607;
static double worst[2];

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}

static int between(int low, int high) { return low + (int)(uniform() * (high - low + 1)); }

enum { UNIFORM, CLUSTERED, LINE, EDGES, FAR, SHAPES };

typedef struct {
  int ndim, width, precision, values, threads, index_only, direct, gradient, shape;
  int64_t n[3], m;
  double period[3], shift[3];
  const char *simd;
} problem;

static void print(const problem *q) {
  printf("  %dd w=%d %s %s %s n=%lldx%lldx%lld m=%lld threads=%d shape=%d%s%s%s\n", q->ndim, q->width,
         q->precision ? "f32" : "f64", q->values ? "real" : "complex", q->simd, (long long)q->n[0], (long long)q->n[1],
         (long long)q->n[2], (long long)q->m, q->threads, q->shape, q->index_only ? " index" : "",
         q->direct ? " direct" : "", q->gradient ? " gradient" : "");
}

static void fail(const problem *q, const char *what, double got, double allowed) {
  printf("FAILED %s: %.3g, allowed %.3g\n", what, got, allowed);
  print(q);
  failures++;
}

static double get(const void *a, int precision, int64_t i) {
  return precision ? (double)((const float *)a)[i] : ((const double *)a)[i];
}
static void put(void *a, int precision, int64_t i, double value) {
  if (precision)
    ((float *)a)[i] = (float)value;
  else
    ((double *)a)[i] = value;
}

static double coordinate(const problem *q, int d) {
  double p = q->period[d];
  switch (q->shape) {
  case UNIFORM:
    return (uniform() - 0.5) * p;
  case CLUSTERED: /* a few cells, across the edge of the period */
    return p / 2 + (uniform() - 0.5) * p * 6 / (double)q->n[d];
  case LINE:
    return d ? 0.3 : (uniform() - 0.5) * p;
  case EDGES:
    return (double[]){-p / 2, p / 2, 0, p, -p, nextafter(p / 2, 9), nextafter(-p / 2, 0), p * 3.5}[between(0, 7)];
  default:
    return (uniform() - 0.5) * (between(0, 1) ? 2e6 : q->precision ? 1e3 : 1e9);
  }
}

/* Stencil and weights of one point in one dimension: in long double. */
static void stencil(const problem *q, const og_window *window, int d, double x, int64_t *start, double *w, double *dw) {
  long double period = fabs(q->period[d] - 2 * (double)PI_L) < 1e-15 ? 2 * PI_L : (long double)q->period[d];
  long double n = (long double)q->n[d], g = remainderl(x, period) * n / period + q->shift[d];
  long double s = ceill(g - q->width / 2.0L);
  const long double t = 2 * (s - g) + q->width - 1;
  for (int i = 0; i < q->width; i++) {
    long double value = 0, slope = 0;
    for (int k = window->degree; k >= 0; k--) {
      value = value * t + window->coef[k][i];
      slope = slope * t + window->derivative[k][i];
    }
    w[i] = q->direct ? og_window_cell(window, i, (double)t, 0) : (double)value;
    dw[i] = q->direct ? og_window_cell(window, i, (double)t, 1) : (double)slope;
    dw[i] *= (double)(n / q->period[d]);
  }
  *start = (int64_t)s;
}

static int64_t wrap(int64_t a, int64_t n) { return ((a % n) + n) % n; }

static double relative(double error, double norm) { return norm > 0 ? sqrt(error / norm) : sqrt(error); }

/* Returns a hash of the bits of spread and interp. */
static uint64_t run(const problem *q, const og_window *window) {
  const int reals = q->values == OG_REAL ? 1 : 2;
  const size_t rb = og_real_bytes(q->precision);
  og_grid grid = {.ndim = q->ndim, .precision = q->precision, .values = q->values, .n = {q->n[0], q->n[1], q->n[2]}};
  if (og_cpu_grid_layout(&grid))
    return fail(q, "layout", 1, 0), 0;
  og_points_setup setup = {.grid = &grid,
                           .window = window,
                           .evaluation = q->direct,
                           .index_only = q->index_only,
                           .gradient = q->gradient,
                           .threads = q->threads,
                           .simd = q->simd};
  memcpy(setup.period, q->period, sizeof setup.period);
  memcpy(setup.shift, q->shift, sizeof setup.shift);
  const int64_t m = q->m, cells = (int64_t)(grid.bytes / rb) / reals;
  void *x[3] = {0}, *strengths = malloc((size_t)(m + 1) * 16), *values = malloc((size_t)(m + 1) * 16), *gradients[3];
  double *spread = calloc((size_t)cells * 2, 8), *interp = calloc((size_t)(m + 1) * 8, 8),
         *weighed = calloc((size_t)m + 1, 8);
  void *g = og_allocate(grid.bytes), *source = og_allocate(grid.bytes);
  for (int d = 0; d < 3; d++) {
    gradients[d] = malloc((size_t)(m + 1) * 16);
    if (d < q->ndim)
      x[d] = malloc((size_t)(m + 1) * 8);
  }
  for (int64_t i = 0; i < m; i++)
    for (int d = 0; d < q->ndim; d++)
      put(x[d], q->precision, i, coordinate(q, d));
  for (int64_t i = 0; i < m * reals; i++)
    put(strengths, q->precision, i, uniform() - 0.5);
  for (int64_t i = 0; i < cells * reals; i++) {
    put(source, q->precision, i, uniform() - 0.5);
    put(g, q->precision, i, NAN);
  }
  for (int64_t i = 0; i < m; i++) {
    int64_t s[3] = {0};
    double w[3][OG_MAX_WIDTH] = {{0}}, dw[3][OG_MAX_WIDTH] = {{0}};
    for (int d = 0; d < 3; d++)
      w[d][0] = 1;
    for (int d = 0; d < q->ndim; d++)
      stencil(q, window, d, get(x[d], q->precision, i), &s[d], w[d], dw[d]);
    int wy = q->ndim > 1 ? q->width : 1, wz = q->ndim > 2 ? q->width : 1;
    for (int c = 0; c < wz; c++)
      for (int b = 0; b < wy; b++)
        for (int a = 0; a < q->width; a++) {
          int64_t cell = wrap(s[0] + a, q->n[0]) + grid.stride[1] * wrap(s[1] + b, q->n[1]) +
                         grid.stride[2] * wrap(s[2] + c, q->n[2]);
          for (int r = 0; r < reals; r++) {
            double v = get(source, q->precision, cell * reals + r);
            spread[cell * reals + r] += w[0][a] * w[1][b] * w[2][c] * get(strengths, q->precision, i * reals + r);
            weighed[i] += pow(w[0][a] * w[1][b] * w[2][c] * v, 2);
            interp[(i * 4 + 0) * 2 + r] += w[0][a] * w[1][b] * w[2][c] * v;
            interp[(i * 4 + 1) * 2 + r] += dw[0][a] * w[1][b] * w[2][c] * v;
            interp[(i * 4 + 2) * 2 + r] += w[0][a] * dw[1][b] * w[2][c] * v;
            interp[(i * 4 + 3) * 2 + r] += w[0][a] * w[1][b] * dw[2][c] * v;
          }
        }
  }
  void *points = NULL, *resident = NULL, *scratch = NULL;
  size_t bytes, more;
  int code = og_cpu_points_create(&setup, &points);
  if (code || og_cpu_points_bytes(points, m, &bytes, &more))
    return fail(q, og_last_error(), code, 0), 0;
  resident = og_allocate(bytes);
  scratch = og_allocate(more);
  code = og_cpu_points_set(points, m, (const void *const *)x, resident, scratch);
  if (code)
    fail(q, og_last_error(), code, 0);
  if (!q->index_only && scratch)
    memset(scratch, 0xff, more);
  /* far: the judge's long double 2 pi is good to 1e-9 cells there; edges: a stencil that begins exactly on a cell may
   * as well begin at the next, and the cell left out weighs phi(width / 2) */
  double tolerance = q->precision ? 1e-5 : q->shape == FAR ? 1e-8 : 4e-13;
  if (q->precision == OG_F64)
    tolerance += 1e-15 * (double)q->n[0]; /* a grid coordinate's rounding, in cells */
  if (q->shape == EDGES)
    tolerance += 8 * og_window_phi(window, 0.4999999 * q->width) / og_window_phi(window, 0);
  uint64_t hash = 14695981039346656037u;
  for (int again = 0; again < 2; again++) {
    code |= og_cpu_spread(points, 1, strengths, g);
    double error = 0, norm = 0;
    for (int64_t c = 0; c < q->n[2]; c++)
      for (int64_t b = 0; b < q->n[1]; b++)
        for (int64_t a = 0; a < q->n[0] * reals; a++) {
          int64_t at = (c * grid.stride[2] + b * grid.stride[1]) * reals + a;
          double got = get(g, q->precision, at), want = spread[at];
          error += (got - want) * (got - want);
          norm += want * want;
          for (size_t k = 0; k < rb; k++)
            hash = (hash ^ ((unsigned char *)g)[(size_t)at * rb + k]) * 1099511628211u;
        }
    error = relative(error, norm);
    checks++;
    worst[q->precision] = fmax(worst[q->precision], q->shape >= EDGES ? 0 : error);
    if (!(error <= tolerance))
      fail(q, "spread", error, tolerance);
    code |= og_cpu_interp(points, 1, source, values, q->gradient ? gradients : NULL);
    for (int d = 0; d <= (q->gradient ? q->ndim : 0); d++) {
      error = norm = 0;
      for (int64_t i = 0; i < m * reals; i++) {
        double got = get(d ? gradients[d - 1] : values, q->precision, i);
        double want = interp[(i / reals * 4 + d) * 2 + i % reals];
        error += (got - want) * (got - want);
        norm += want * want + (d ? 0 : weighed[i / reals]); /* terms may cancel: few points are judged by the terms */
        for (size_t k = 0; k < rb; k++)
          hash = (hash ^ ((unsigned char *)(d ? gradients[d - 1] : values))[(size_t)i * rb + k]) * 1099511628211u;
      }
      error = relative(error, norm);
      checks++;
      double allowed = tolerance * (d ? 60 : 1); /* a polynomial's derivative */
      if (!d)
        worst[q->precision] = fmax(worst[q->precision], q->shape >= EDGES ? 0 : error);
      if (q->shape == EDGES && d)
        continue; /* the slope differs likewise, and jumps */
      if (!(error <= allowed))
        fail(q, d ? "gradient" : "interp", error, allowed);
    }
    if (q->gradient)
      code |= og_cpu_interp(points, 1, source, NULL, gradients);
  }
  if (code)
    fail(q, og_last_error(), code, 0);
  if (m > 0) { /* a bad point is named, and the old points stay */
    int64_t bad = (int64_t)(uniform() * (double)m);
    int d = between(0, q->ndim - 1);
    double kept = get(x[d], q->precision, bad);
    put(x[d], q->precision, bad, between(0, 1) ? NAN : -INFINITY);
    void *other = og_allocate(bytes), *before = malloc(bytes);
    memset(other, 0x55, bytes);
    memset(before, 0x55, bytes);
    code = og_cpu_points_set(points, m, (const void *const *)x, other, scratch);
    char name[40];
    snprintf(name, sizeof name, "point %lld ", (long long)bad);
    checks++;
    if (code != OG_ERR_POINT || !strstr(og_last_error(), name) || memcmp(other, before, bytes))
      fail(q, "bad point", code, OG_ERR_POINT);
    put(x[d], q->precision, bad, kept);
    memset(g, 0xff, grid.bytes);
    code = og_cpu_spread(points, 1, strengths, g);
    double error = 0, norm = 0;
    for (int64_t c = 0; c < q->n[2]; c++)
      for (int64_t b = 0; b < q->n[1]; b++)
        for (int64_t a = 0; a < q->n[0] * reals; a++) {
          int64_t at = (c * grid.stride[2] + b * grid.stride[1]) * reals + a;
          error += pow(get(g, q->precision, at) - spread[at], 2);
          norm += spread[at] * spread[at];
        }
    if (code || !(relative(error, norm) <= tolerance))
      fail(q, "spread after a bad point", relative(error, norm), tolerance);
    og_free(other);
    free(before);
  }
  og_cpu_points_destroy(points);
  og_free(resident);
  og_free(scratch);
  og_free(g);
  og_free(source);
  for (int d = 0; d < 3; d++) {
    free(x[d]);
    free(gradients[d]);
  }
  free(strengths);
  free(values);
  free(spread);
  free(interp);
  free(weighed);
  return hash;
}

static og_window windows[2][OG_MAX_WIDTH + 1]; /* [precision][width] */

static problem draw(int ndim, int width, int precision, int values, const char *simd) {
  problem q = {.ndim = ndim,
               .width = width,
               .precision = precision,
               .values = values,
               .simd = simd,
               .n = {1, 1, 1},
               .period = {2 * (double)PI_L, 2 * (double)PI_L, 2 * (double)PI_L}};
  const int sizes[] = {2 * width, 2 * width + 1, 37, 53, 64, 90, 100};
  for (int d = 0; d < ndim; d++) {
    q.n[d] = sizes[between(0, ndim == 3 ? 4 : 6)];
    if (q.n[d] < 2 * width)
      q.n[d] = 2 * width;
    if (ndim == 1 && between(0, 2) == 0)
      q.n[d] = between(1000, 5000);
    if (between(0, 3) == 0)
      q.period[d] = 1.7;
    if (between(0, 3) == 0)
      q.shift[d] = (uniform() - 0.5) * (double)q.n[d] * 1.5;
  }
  const int64_t counts[] = {0, 1, 2, 30, 200, 700};
  q.m = counts[between(0, 5)];
  q.shape = between(0, SHAPES - 1);
  q.threads = between(1, 4);
  q.index_only = between(0, 3) == 0;
  q.gradient = between(0, 1);
  q.direct = between(0, 9) == 0;
  return q;
}

int main(int argc, char **argv) {
  const char *sets[] = {"generic", "avx2", "avx512"};
  const int rounds = argc > 1 ? atoi(argv[1]) : 2;
  printf("cpu set_points, spread and interp equal a double loop (seed %llu)\n", (unsigned long long)seed);
  for (int w = 2; w <= OG_MAX_WIDTH; w++)
    if (og_window_make(&windows[0][w], OG_PSWF, w, 2.0, 0, 0) ||
        og_window_make(&windows[1][w], OG_PSWF, w, 2.0, 0, 1e-7)) {
      printf("FAILED window of width %d: %s\n", w, og_last_error());
      return 1;
    }
  for (int s = 0; s < 3; s++) {
    og_grid grid = {.ndim = 1, .n = {64, 1, 1}};
    og_points_setup setup = {
        .grid = &grid, .window = &windows[0][4], .period = {1, 1, 1}, .threads = 1, .simd = sets[s]};
    void *points;
    if (og_cpu_grid_layout(&grid) || og_cpu_points_create(&setup, &points)) {
      printf("skipped %s: %s\n", sets[s], og_last_error());
      continue;
    }
    og_cpu_points_destroy(points);
    for (int round = 0; round < rounds; round++)
      for (int ndim = 1; ndim <= 3; ndim++)
        for (int width = 2; width <= OG_MAX_WIDTH; width++)
          for (int kind = 0; kind < 4; kind++) {
            problem q = draw(ndim, width, kind & 1, kind >> 1, sets[s]);
            run(&q, &windows[kind & 1][width]);
          }
    /* many points: strengths in tile order, pencils cut by count with tails, the same bits each time */
    for (int ndim = 1; ndim <= 3; ndim++)
      for (int kind = 0; kind < 4; kind++)
        for (int threads = 1; threads <= 4; threads += 3) {
          problem q = draw(ndim, ndim == 3 ? between(2, 5) : between(2, 9), kind & 1, kind >> 1, sets[s]);
          q.threads = threads;
          q.m = between(0, 1) ? 20000 : kind == 3 ? 540000 : 150000 << (kind > 0);
          q.n[0] = ndim == 3 ? 41 : 150;
          q.direct = 0;
          const uint64_t before = seed;
          uint64_t first = run(&q, &windows[q.precision][q.width]);
          seed = before;
          uint64_t second = run(&q, &windows[q.precision][q.width]);
          checks++;
          if (first != second)
            fail(&q, "same bits twice", 1, 0);
        }
  }
  /* a line long enough that threads share its empty cells, and to be sorted within its tiles */
  for (int k = 0; k < 4; k++) {
    problem q = draw(1, 5 + k, k & 1, k >> 1, "auto");
    q.n[0] = k < 2 ? 400000 : 6000000;
    q.m = 3 + 400 * k;
    q.threads = 4;
    q.direct = 0;
    q.shape = UNIFORM;
    if (q.precision == OG_F64)
      run(&q, &windows[0][q.width]);
  }
  printf("%d checks, worst error %.2g f64, %.2g f32\n", checks, worst[0], worst[1]);
  printf(failures ? "FAILED %d\n" : "ok\n", failures);
  return failures != 0;
}
