/* A transform to test: sizes, points, options; its plan's calls in double; and what the direct sum says. */
#ifndef OG_TESTS_COMMON_PROBLEM
#define OG_TESTS_COMMON_PROBLEM
#include "common/test.h"

enum { POINTS_UNIFORM, POINTS_CLUSTERED, POINTS_LINE, POINTS_EDGES, POINTS_KINDS };
static const char *const test_points_name[] = {"uniform", "clustered", "line", "edges"};

typedef struct problem {
  int ndim;
  int64_t n_modes[3], n_points; /* 1 mode in absent dimensions */
  og_options options;
  double *x[3]; /* [n_points] each, numbers that the precision holds exactly */
} problem;

static const double test_two_pi = 6.283185307179586476925;

static TEST_UNUSED og_options test_options(const char *backend, int precision, int values) {
  og_options options = OG_OPTIONS_DEFAULT;
  options.backend = backend;
  options.precision = precision;
  options.values = values;
  options.tolerance = test_tolerance[precision].tight;
  options.sigma = 2.0;
  options.max_vectors = 3;
  options.fft_planning = OG_FFT_ESTIMATE;
  return options;
}

static TEST_UNUSED double problem_period(const problem *p, int d) {
  double period = d == 0 ? p->options.period_x : d == 1 ? p->options.period_y : p->options.period_z;
  return period > 0 ? period : test_two_pi;
}

/* One coordinate as a fraction of the period. Edges: where folds and stencils are delicate. */
static TEST_UNUSED double test_coordinate(int kind, int64_t j, int d) {
  const double edges[] = {0.0,      -0.5, 0.5,  1.0,           -1.0,           1e-300,        -1e-300, 0x1p-53,
                          -0x1p-53, 0.25, 0.75, 0.5 - 0x1p-54, -0.5 + 0x1p-54, 1.0 - 0x1p-53, 3.0,     -2.5};
  double u = test_uniform();
  switch (kind) {
  case POINTS_CLUSTERED:
    return j % 8 ? 0.03 + 0.002 * u : 0.5 * u; /* most in a small ball, so that tiles and threads are unequal */
  case POINTS_LINE:
    return d == 0 ? 0.5 * u : 0.1;
  case POINTS_EDGES:
    return j % 3 ? edges[test_bits() % (sizeof edges / sizeof *edges)] : (double)test_integer(-40, 40) / 32.0;
  default:
    return 0.5 * u;
  }
}

static TEST_UNUSED problem problem_make(int ndim, const int64_t *n_modes, int64_t n_points, int kind,
                                        const og_options *options) {
  problem p = {.ndim = ndim, .n_modes = {1, 1, 1}, .n_points = n_points, .options = *options};
  for (int d = 0; d < ndim; d++) {
    p.n_modes[d] = n_modes[d];
    p.x[d] = test_doubles(n_points);
    for (int64_t j = 0; j < n_points; j++)
      p.x[d][j] = test_round(problem_period(&p, d) * test_coordinate(kind, j, d), options->precision);
  }
  return p;
}

static TEST_UNUSED const char *problem_text(const problem *p) {
  static char text[200];
  const og_options *o = &p->options;
  snprintf(text, sizeof text, "%dd/%lldx%lldx%lld/m=%lld/tol=%g/%s/%s/%s/sigma=%g%s%s", p->ndim,
           (long long)p->n_modes[0], (long long)p->n_modes[1], (long long)p->n_modes[2], (long long)p->n_points,
           o->tolerance, test_precision_name[o->precision], test_values_name[o->values], o->backend, o->sigma,
           o->sign > 0 ? "/sign=1" : "", o->mode_order ? "/order=fft" : "");
  return text;
}

/* ---- sizes of arrays, in reals ---- */

static TEST_UNUSED int problem_parts(const problem *p) { return p->options.values == OG_REAL ? 1 : 2; }
static TEST_UNUSED int64_t problem_kept(const problem *p, int d) {
  return d == 0 && p->options.values == OG_REAL ? p->n_modes[0] / 2 + 1 : p->n_modes[d];
}
static TEST_UNUSED int64_t problem_mode_count(const problem *p) {
  return problem_kept(p, 0) * problem_kept(p, 1) * problem_kept(p, 2);
}
static TEST_UNUSED int64_t problem_modes_size(const problem *p) { return 2 * problem_mode_count(p); }
static TEST_UNUSED int64_t problem_values_size(const problem *p) { return problem_parts(p) * p->n_points; }

/* ---- the plan's calls ---- */

/* NULL where it failed (and counted as a failure). */
static TEST_UNUSED og_plan problem_plan_without_points(const problem *p) {
  og_plan plan = NULL;
  if (CHECK_OK(og_plan_create(&plan, p->ndim, p->n_modes, &p->options)))
    CHECK(plan, "success, but no plan");
  return plan;
}

static TEST_UNUSED int problem_set_points(const problem *p, og_plan plan) {
  void *x[3] = {NULL, NULL, NULL};
  for (int d = 0; d < p->ndim; d++)
    x[d] = test_pack(p->x[d], p->n_points, p->options.precision);
  return CHECK_OK(og_plan_set_points(plan, p->n_points, x[0], x[1], x[2]));
}

static TEST_UNUSED og_plan problem_plan(const problem *p) {
  og_plan plan = problem_plan_without_points(p);
  if (plan && !problem_set_points(p, plan)) {
    og_plan_destroy(plan);
    plan = NULL;
  }
  return plan;
}

typedef int (*problem_call)(og_plan plan, int64_t n_vectors, const void *in, void *out);

/* Runs one call on `in` (n_in reals), checks that `in` stays as it was, and returns its n_out reals. */
static TEST_UNUSED double *problem_execute(const problem *p, og_plan plan, problem_call call, int64_t n_vectors,
                                           const double *in, int64_t n_in, int64_t n_out) {
  int precision = p->options.precision;
  void *packed = test_pack(in, n_in, precision), *copy = test_pack(in, n_in, precision);
  void *out = test_pack(NULL, n_out, precision);
  CHECK_OK(call(plan, n_vectors, packed, out));
  CHECK(!memcmp(packed, copy, (size_t)n_in * test_real_bytes(precision)), "the call changed its input");
  return test_unpack(out, n_out, precision);
}

static TEST_UNUSED double *problem_type1(const problem *p, og_plan plan, int64_t n_vectors, const double *strengths) {
  return problem_execute(p, plan, og_type1, n_vectors, strengths, n_vectors * problem_values_size(p),
                         n_vectors * problem_modes_size(p));
}

static TEST_UNUSED double *problem_type2(const problem *p, og_plan plan, int64_t n_vectors, const double *modes) {
  return problem_execute(p, plan, og_type2, n_vectors, modes, n_vectors * problem_modes_size(p),
                         n_vectors * problem_values_size(p));
}

/* ---- what the direct sum says ---- */

/* Wave number of mode i of dimension d. */
static TEST_UNUSED int64_t problem_wave(const problem *p, int d, int64_t i) {
  int64_t n = p->n_modes[d];
  if (d == 0 && p->options.values == OG_REAL)
    return i;
  return p->options.mode_order == OG_ORDER_FFT ? (i < (n + 1) / 2 ? i : i - n) : i - n / 2;
}

/* Weight of a mode in real type 2: 1 at k_x = 0 and at an even N_x's Nyquist plane, else 2; 1 for complex values. */
static TEST_UNUSED double problem_weight(const problem *p, int64_t mode) {
  int64_t kx = mode % problem_kept(p, 0);
  return p->options.values == OG_COMPLEX || kx == 0 || 2 * kx == p->n_modes[0] ? 1.0 : 2.0;
}

/* waves[d][mode] in radians per unit of the caller's coordinate. */
static TEST_UNUSED void problem_waves(const problem *p, double *waves[3]) {
  int64_t kx = problem_kept(p, 0), ky = problem_kept(p, 1), n = problem_mode_count(p);
  for (int d = 0; d < 3; d++) {
    waves[d] = test_doubles(n);
    double unit = d < p->ndim && problem_period(p, d) != test_two_pi ? test_two_pi / problem_period(p, d) : 1.0;
    for (int64_t i = 0; i < n; i++) {
      int64_t index = d == 0 ? i % kx : d == 1 ? i / kx % ky : i / kx / ky;
      waves[d][i] = unit * (double)problem_wave(p, d, index);
    }
  }
}

static TEST_UNUSED double *problem_direct_type1(const problem *p, int64_t n_vectors, const double *strengths) {
  int64_t n = problem_mode_count(p), m = p->n_points;
  double *waves[3], *modes = test_doubles(2 * n * n_vectors), *complex = test_doubles(2 * m);
  problem_waves(p, waves);
  for (int64_t v = 0; v < n_vectors; v++) {
    int parts = problem_parts(p);
    for (int64_t j = 0; j < m; j++)
      for (int c = 0; c < parts; c++)
        complex[2 * j + c] = strengths[v * parts * m + parts * j + c];
    CHECK_OK(og_direct_sum(p->ndim, p->options.sign, m, (const double *const *)p->x, complex, n,
                           (const double *const *)waves, modes + 2 * n * v));
  }
  return modes;
}

/* sum_k w_k (i k_d)^derivative modes[k] exp(-s i k.x_j) times (-s)^derivative; real part for real values.
 * d < 0: no derivative. */
static TEST_UNUSED double *problem_direct_derivative(const problem *p, int64_t n_vectors, const double *modes, int d) {
  int64_t n = problem_mode_count(p), m = p->n_points;
  int parts = problem_parts(p);
  double *waves[3], *values = test_doubles(parts * m * n_vectors), *f = test_doubles(2 * n), *sum = test_doubles(2 * m);
  problem_waves(p, waves);
  for (int64_t v = 0; v < n_vectors; v++) {
    for (int64_t k = 0; k < n; k++) {
      double w = problem_weight(p, k), re = modes[2 * (n * v + k)], im = modes[2 * (n * v + k) + 1];
      double factor = d < 0 ? 0.0 : -p->options.sign * waves[d][k]; /* times i */
      f[2 * k] = w * (d < 0 ? re : -factor * im);
      f[2 * k + 1] = w * (d < 0 ? im : factor * re);
    }
    CHECK_OK(og_direct_sum(p->ndim, -p->options.sign, n, (const double *const *)waves, f, m,
                           (const double *const *)p->x, sum));
    for (int64_t j = 0; j < m; j++)
      for (int c = 0; c < parts; c++)
        values[parts * (v * m + j) + c] = sum[2 * j + c];
  }
  return values;
}

static TEST_UNUSED double *problem_direct_type2(const problem *p, int64_t n_vectors, const double *modes) {
  return problem_direct_derivative(p, n_vectors, modes, -1);
}

/* Errors relative to the result's own norm or, where points crowd and terms cancel, to that of a random sum. */
static TEST_UNUSED double problem_error_type1(const problem *p, const double *got, const double *want,
                                              const double *strengths, int64_t n_vectors) {
  int64_t n = n_vectors * problem_modes_size(p);
  double typical = sqrt((double)problem_mode_count(p)) * test_norm(strengths, n_vectors * problem_values_size(p));
  return test_error(got, want, n) * test_norm(want, n) / fmax(typical, test_norm(want, n));
}

static TEST_UNUSED double problem_error_type2(const problem *p, const double *got, const double *want,
                                              const double *modes, int64_t n_vectors) {
  int64_t n = n_vectors * problem_values_size(p);
  double each = p->options.values == OG_REAL ? sqrt(2) : 1; /* a mode of the half spectrum stands for two */
  double typical = each * sqrt((double)p->n_points) * test_norm(modes, n_vectors * problem_modes_size(p));
  return test_error(got, want, n) * test_norm(want, n) / fmax(typical, test_norm(want, n));
}

/* ---- a collection of sizes: odd, even, prime, 1, different per dimension ---- */

static const int64_t test_sizes[][4] = {
    /* ndim, n_modes */
    {1, 1, 1, 1}, {1, 2, 1, 1},   {1, 3, 1, 1},  {1, 64, 1, 1},  {1, 97, 1, 1},  {1, 250, 1, 1},
    {2, 1, 1, 1}, {2, 16, 16, 1}, {2, 1, 31, 1}, {2, 31, 1, 1},  {2, 13, 24, 1}, {2, 45, 7, 1},
    {3, 1, 1, 1}, {3, 8, 8, 8},   {3, 7, 10, 5}, {3, 12, 1, 11}, {3, 1, 9, 4},   {3, 2, 3, 17},
};
enum { TEST_SIZES = sizeof test_sizes / sizeof *test_sizes };

/* A bound for a transform at the problem's tolerance: where the rounding of coordinates (eps times the number of modes)
 * is larger, that. */
static TEST_UNUSED double problem_bound(const problem *p) {
  double largest = 1;
  for (int d = 0; d < p->ndim; d++)
    largest = fmax(largest, (double)p->n_modes[d]);
  return 1.75 * fmax(p->options.tolerance, test_tolerance[p->options.precision].eps * largest);
}
#endif
