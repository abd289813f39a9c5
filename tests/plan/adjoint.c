/* Type 2 is the adjoint of type 1 to rounding, at every tolerance: <type1 c, f> = <c, type2 f>; so are type 3 and its
 * adjoint, spreading and interpolation. For real values the modes' product has type 2's weights. */
#include "common/problem3.h"

/* <a, b> = sum conj(a) b of complex vectors with weights, as re and im. */
static void product(const problem *p, const double *a, const double *b, int64_t n, int weighted, double out[2]) {
  long double re = 0, im = 0;
  for (int64_t i = 0; i < n; i++) {
    double w = weighted ? problem_weight(p, i % problem_mode_count(p)) : 1.0;
    re += (long double)w * a[2 * i] * b[2 * i] + (long double)w * a[2 * i + 1] * b[2 * i + 1];
    im += (long double)w * a[2 * i] * b[2 * i + 1] - (long double)w * a[2 * i + 1] * b[2 * i];
  }
  out[0] = (double)re;
  out[1] = (double)im;
}

/* Both sides, of complex or of real numbers; typical: the size that a random product of these has. */
static void check_products(int precision, const double left[2], const double right[2], int real, double typical) {
  double bound = test_tolerance[precision].rounding * typical;
  CHECK_AT_MOST(fabs(left[0] - right[0]), bound, "real parts differ by");
  if (!real)
    CHECK_AT_MOST(fabs(left[1] - right[1]), bound, "imaginary parts differ by");
}

static void real_product(const double *a, const double *b, int64_t n, double out[2]) {
  long double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += (long double)a[i] * b[i];
  out[0] = (double)sum;
  out[1] = 0;
}

static void values_product(const problem *p, const double *a, const double *b, int64_t n_reals, double out[2]) {
  if (p->options.values == OG_REAL)
    real_product(a, b, n_reals, out);
  else
    product(p, a, b, n_reals / 2, 0, out);
}

static void check12(const problem *p) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  int precision = p->options.precision, real = p->options.values == OG_REAL;
  int64_t n_values = problem_values_size(p), n_modes = problem_modes_size(p);
  double *c = test_random(n_values, precision), *f = test_random(n_modes, precision), left[2], right[2];
  double *modes = problem_type1(p, plan, 1, c), *values = problem_type2(p, plan, 1, f);
  product(p, modes, f, problem_mode_count(p), real, left);
  values_product(p, c, values, n_values, right);
  check_products(precision, left, right, real,
                 test_norm(c, n_values) * fmax(test_norm(values, n_values), 1e-30) +
                     test_norm(f, n_modes) * test_norm(modes, n_modes));
  og_plan_destroy(plan);
}

static void check_spread(const problem *p) {
  og_plan plan = problem_plan(p);
  int64_t n_grid[3] = {0};
  if (!plan || !CHECK_OK(og_plan_grid(plan, n_grid)))
    return;
  int precision = p->options.precision;
  int64_t n_values = problem_values_size(p), n = problem_parts(p) * n_grid[0] * n_grid[1] * n_grid[2];
  double *c = test_random(n_values, precision), *g = test_random(n, precision), left[2], right[2];
  double *grid = problem_execute(p, plan, og_spread, 1, c, n_values, n);
  double *values = problem_execute(p, plan, og_interp, 1, g, n, n_values);
  values_product(p, grid, g, n, left);
  values_product(p, c, values, n_values, right);
  check_products(precision, left, right, p->options.values == OG_REAL,
                 test_norm(c, n_values) * test_norm(values, n_values) + test_norm(g, n) * test_norm(grid, n));
  og_plan_destroy(plan);
}

static void check3(const problem3 *p) {
  og_plan plan = problem3_plan(p);
  if (!plan)
    return;
  double *c = test_random(2 * p->n_points, p->options.precision), left[2], right[2];
  double *f = test_random(2 * p->n_targets, p->options.precision);
  double *results = problem3_execute(p, plan, 0, 1, c), *values = problem3_execute(p, plan, 1, 1, f);
  product(NULL, results, f, p->n_targets, 0, left);
  product(NULL, c, values, p->n_points, 0, right);
  /* a type 3 deconvolves twice, with factors up to some tens at sigma 1.5 and hundreds per dimension where a smaller one was
   * chosen, and the rounding of what it multiplies grows by them */
  double growth = p->options.sigma > 0 ? 10 : 1000;
  check_products(p->options.precision, left, right, 0,
                 growth * test_norm(c, 2 * p->n_points) * test_norm(values, 2 * p->n_points) +
                     growth * test_norm(f, 2 * p->n_targets) * test_norm(results, 2 * p->n_targets));
  og_plan_destroy(plan);
}

static void type3_cases(const og_options *options) {
  const double n[3] = {40, 12, 7}, half_width[3] = {2, 0.5, 30}, centre[3] = {10, -1, 0}, centre_omega[3] = {1, 0, 0.1};
  for (int ndim = 1; ndim <= 3; ndim++) {
    problem3 p = problem3_make(ndim, n, half_width, centre, centre_omega, 60, 45, options);
    test_case("%s", problem3_text(&p));
    check3(&p);
    test_free();
  }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "type 2 is the adjoint of type 1 to rounding, at every tolerance");
  const double tolerances[] = {1e-1, 1e-3, 1e-6, 1e-12};
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  for (int t = 0; t < (precision == OG_F32 ? 3 : 4); t++) {
    og_options options = test_options(backend, precision, OG_COMPLEX);
    options.tolerance = tolerances[t];
    options.sigma = test_sample(2) ? 0.0 : 1.5;
    type3_cases(&options);
    FOR_VALUES(values)
    for (int i = 0; i < TEST_SIZES; i++) {
      if (!test_sample(3))
        continue;
      options.values = values;
      options.sign = test_bits() % 2 ? 1 : -1;
      options.mode_order = (int)(test_bits() % 2);
      problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, test_integer(1, 120),
                               (int)test_integer(0, POINTS_KINDS - 1), &options);
      test_case("%s", problem_text(&p));
      check12(&p);
      test_case("%s spread and interp", problem_text(&p));
      check_spread(&p);
      test_free();
    }
  }
  return test_end();
}
