/* Every call of a plan is right on a device: types 1 and 2 in batches, the gradient, the filter and type 3 equal the direct sum,
 * type 2 and the adjoint of type 3 are adjoints, spreading alone equals ref's; with every method of spreading and
 * interpolation, in one to three dimensions. One plan serves many calls here, because some devices compile for seconds. */
//TEST name="host" args="--backend host"
//TEST name="opencl" args="--backend opencl"
#define _DEFAULT_SOURCE /* setenv */
#include "common/problem3.h"

/* PoCL itself loses 16 bytes. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libpocl\n"; }

static const char *const spreading[] = {"atomic", "tiled", "grid", "stream", "matrix"};
static const char *const interpolation[] = {"direct", "sorted", "stream", "matrix"};
enum { SPREADING = 5, INTERPOLATION = 4 };

static void check12(const problem *p, og_plan plan, double **strengths, double **modes) {
  int64_t n = p->options.max_vectors;
  *strengths = test_random(n * problem_values_size(p), p->options.precision);
  *modes = test_random(n * problem_modes_size(p), p->options.precision);
  CHECK_AT_MOST(test_error(problem_type1(p, plan, n, *strengths), problem_direct_type1(p, n, *strengths),
                           n * problem_modes_size(p)),
                3 * problem_bound(p), "error of type 1");
  CHECK_AT_MOST(
      test_error(problem_type2(p, plan, n, *modes), problem_direct_type2(p, n, *modes), n * problem_values_size(p)),
      3 * problem_bound(p), "error of type 2");
}

/* <type1 c, f> = <c, type2 f>, real parts. */
static void check_adjoint(const problem *p, og_plan plan, const double *c, const double *f) {
  double *modes = problem_type1(p, plan, 1, c), *values = problem_type2(p, plan, 1, f);
  long double left = 0, right = 0;
  for (int64_t i = 0; i < problem_modes_size(p); i++)
    left += (long double)modes[i] * f[i] * (p->options.values == OG_REAL ? problem_weight(p, i / 2) : 1);
  for (int64_t i = 0; i < problem_values_size(p); i++)
    right += (long double)c[i] * values[i];
  double scale = test_norm(c, problem_values_size(p)) * test_norm(values, problem_values_size(p));
  CHECK_AT_MOST(fabs((double)(left - right)), test_tolerance[p->options.precision].rounding * scale,
                "products differ by");
}

static void check_gradient(const problem *p, og_plan plan, const double *f) {
  int precision = p->options.precision;
  int64_t n = problem_values_size(p);
  void *out = test_pack(NULL, p->ndim * n, precision), *values = test_pack(NULL, n, precision);
  CHECK_OK(og_type2_gradient(plan, 1, test_pack(f, problem_modes_size(p), precision), values, out));
  double *got = test_unpack(out, p->ndim * n, precision);
  for (int d = 0; d < p->ndim; d++)
    CHECK_AT_MOST(test_error(got + d * n, problem_direct_derivative(p, 1, f, d), n), 3 * problem_bound(p),
                  "error of the gradient");
  CHECK_AT_MOST(test_error(test_unpack(values, n, precision), problem_direct_type2(p, 1, f), n), 3 * problem_bound(p),
                "error of the values beside it");
}

/* One strength vector in, two of values out. */
static void check_filter(const problem *p, og_plan plan, const double *c) {
  int precision = p->options.precision;
  int64_t n = problem_values_size(p), k = problem_modes_size(p);
  double *m = test_random(2 * k, precision), *modes = problem_direct_type1(p, 1, c), *product = test_doubles(2 * k);
  for (int64_t i = 0; i < 2 * k; i += 2) {
    product[i] = m[i] * modes[i % k] - m[i + 1] * modes[i % k + 1];
    product[i + 1] = m[i] * modes[i % k + 1] + m[i + 1] * modes[i % k];
  }
  void *out = test_pack(NULL, 2 * n, precision);
  CHECK_OK(og_filter(plan, 1, test_pack(c, n, precision), 2, test_pack(m, 2 * k, precision), out));
  CHECK_AT_MOST(test_error(test_unpack(out, 2 * n, precision), problem_direct_type2(p, 2, product), 2 * n),
                5 * problem_bound(p), "error of the filter");
}

/* New points in the same plan, and back to none. */
static void check_reuse(problem *p, og_plan plan) {
  double *c, *f;
  for (int d = 0; d < p->ndim; d++)
    for (int64_t j = 0; j < p->n_points; j++)
      p->x[d][j] = test_round(p->x[d][j] * 0.75 + 0.3, p->options.precision);
  p->n_points = p->n_points * 2 / 3;
  test_case("%s, new points", problem_text(p));
  if (problem_set_points(p, plan))
    check12(p, plan, &c, &f);
  p->n_points = 0;
  test_case("%s, no points", problem_text(p));
  if (problem_set_points(p, plan))
    CHECK(test_norm(problem_type1(p, plan, 1, c), problem_modes_size(p)) == 0, "modes of nothing");
}

/* The grid of spreading alone is ref's, and so are interpolated values. */
static void check_spread(const problem *like) {
  problem p = *like;
  double *grid[2], *values[2];
  const char *const backends[2] = {like->options.backend, "ref"};
  int64_t n = problem_values_size(&p), cells = problem_parts(&p);
  for (int d = 0; d < p.ndim; d++)
    cells *= p.n_modes[d] = 2 * p.n_modes[d] + 8;
  double *c = test_random(n, p.options.precision), *g = test_random(cells, p.options.precision);
  p.options.spread_only = 1;
  p.options.gradient = 0;
  for (int i = 0; i < 2; i++) {
    p.options.backend = backends[i];
    og_plan plan = problem_plan(&p);
    if (!plan)
      return;
    grid[i] = problem_execute(&p, plan, og_spread, 1, c, n, cells);
    values[i] = problem_execute(&p, plan, og_interp, 1, g, cells, n);
    og_plan_destroy(plan);
  }
  double bound = 20 * test_tolerance[p.options.precision].rounding;
  if (p.ndim == 3 && p.options.precision == OG_F64) /* it may sort fewer digits, where the window's error hides that */
    bound += 0.1 * p.options.tolerance;
  CHECK_AT_MOST(test_error(grid[0], grid[1], cells), bound, "spreading differs from ref by");
  CHECK_AT_MOST(test_error(values[0], values[1], n), bound, "interpolation differs from ref by");
}

static void check(int ndim, og_options *options) {
  static const int64_t sizes[4][3] = {{0}, {60, 1, 1}, {14, 11, 1}, {7, 10, 6}};
  double *c, *f;
  options->max_vectors = 2;
  options->gradient = 1;
  options->storage = test_integer(0, 1) ? OG_STORE_INDEX : OG_STORE_COPY;
  options->sign = ndim == 2 ? 1 : -1;
  options->mode_order = ndim == 3 ? OG_ORDER_FFT : OG_ORDER_ASCENDING;
  problem p = problem_make(ndim, sizes[ndim], 90, POINTS_UNIFORM, options);
  test_case("%s, %s, %s%s", problem_text(&p), options->spread_method, options->interp_method,
            options->storage == OG_STORE_INDEX ? ", indices" : "");
  og_plan plan = problem_plan(&p);
  if (plan) {
    check12(&p, plan, &c, &f);
    check_adjoint(&p, plan, c, f);
    check_gradient(&p, plan, f);
    check_filter(&p, plan, c);
    check_reuse(&p, plan);
    og_plan_destroy(plan);
  }
  test_free();
}

static void check3(int ndim, og_options *options) {
  const double n[3] = {30, 9, 6}, half_width[3] = {1, 2, 0.5}, centre[3] = {20, -30, 40}, centre_omega[3] = {50, 0, 30};
  options->gradient = 0;
  options->mode_order = OG_ORDER_ASCENDING;
  problem3 p = problem3_make(ndim, n, half_width, centre, centre_omega, 70, 50, options);
  test_case("%s", problem3_text(&p));
  og_plan plan = problem3_plan(&p);
  for (int adjoint = 0; plan && adjoint < 2; adjoint++) {
    int64_t n_in = 2 * (adjoint ? p.n_targets : p.n_points), n_out = 2 * (adjoint ? p.n_points : p.n_targets);
    double *in = test_random(n_in, options->precision), *want = problem3_direct(&p, adjoint, 1, in);
    CHECK_AT_MOST(test_error(problem3_execute(&p, plan, adjoint, 1, in), want, n_out),
                  5 * options->tolerance + 4 * test_tolerance[options->precision].eps, "error of type 3");
  }
  og_plan_destroy(plan);
  test_free();
}

static og_options options_for(const char *backend, int precision, int values, int spread, int interp) {
  og_options options = test_options(backend, precision, values);
  options.spread_method = spreading[spread];
  options.interp_method = interpolation[interp];
  return options;
}

/* These pairs are refused, or do not exist. */
static int allowed(int ndim, int spread, int interp) {
  return !(interp == 0 && spread != 0) && !(ndim == 1 && interp == 2);
}

/* One plan per dimension and one of type 3, of methods and values drawn at random; without the matrix methods, whose plain C PoCL
 * compiles for half a minute, and which nothing chooses where there are no matrix units. One runs as on a device without shared
 * virtual memory. */
static void few(const char *backend) {
  const int type3 = (int)test_integer(1, 2), buffers = (int)test_integer(1, 3), swap = (int)test_integer(0, 1);
  setenv("OFFGRID_OPENCL_OPTIONS", "-cl-opt-disable", 1); /* compiled in half the time */
  for (int ndim = 1; ndim <= 3; ndim++) {
    const int precision = (ndim + swap) % 2 ? OG_F32 : OG_F64, values = ndim == 2 ? OG_REAL : OG_COMPLEX;
    int spread, interp;
    setenv("OFFGRID_OPENCL_MEMORY", ndim == buffers ? "buffers" : "shared", 1);
    do {
      spread = (int)test_integer(0, SPREADING - 2), interp = (int)test_integer(0, INTERPOLATION - 2);
    } while (!allowed(ndim, spread, interp));
    og_options options = options_for(backend, precision, values, spread, interp);
    options.tolerance = precision == OG_F32 ? 1e-3 : 1e-5;
    check(ndim, &options);
    if (ndim == type3) {
      options.values = OG_COMPLEX;
      check3(ndim, &options);
    }
  }
}

/* With --all each case, but OpenCL's 1 of 20: all would take PoCL half a day. */
static int take(const char *backend) {
  int taken = test_sample(64);
  if (!taken || strcmp(backend, "opencl") != 0 || test_bits() % 20 == 0)
    return taken;
  test.left_out++;
  return 0;
}

static void many(const char *backend) {
  static const double tolerances[2][4] = {{1e-2, 1e-5, 1e-8, 1e-11}, {1e-1, 1e-2, 1e-3, 1e-5}};
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int t = 0; t < 4; t++)
    for (int ndim = 1; ndim <= 3; ndim++)
      for (int spread = 0; spread < SPREADING; spread++)
        for (int interp = 0; interp < INTERPOLATION; interp++) {
          if (!allowed(ndim, spread, interp) || !take(backend))
            continue;
          og_options options = options_for(backend, precision, values, spread, interp);
          options.tolerance = tolerances[precision][t];
          check(ndim, &options);
          problem p = problem_make(ndim, (const int64_t[]){9, 12, 10}, 80, POINTS_CLUSTERED, &options);
          test_case("%s, %s, %s, alone", problem_text(&p), options.spread_method, options.interp_method);
          check_spread(&p);
          test_free();
          if (values == OG_COMPLEX)
            check3(ndim, &options);
        }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "every call of a plan is right on a device");
  for (int i = 0; test_backends[i]; i++) {
    const char *b = test_backends[i];
    if (!strcmp(b, "ref") || !strcmp(b, "cpu") || !test_backend_wanted(b))
      continue;
    if (test.all || strcmp(b, "opencl") != 0)
      many(b);
    else
      few(b);
  }
  return test_end();
}
