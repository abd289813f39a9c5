/* A batch equals its single transforms, to rounding, at every tolerance. */
#include "common/problem3.h"

enum { VECTORS = 5 };

static void check_same(int precision, const double *batch, const double *single, int64_t n, const char *what) {
  CHECK_AT_MOST(test_error(batch, single, n), test_tolerance[precision].rounding, what);
}

static void check12(const problem *p) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  int precision = p->options.precision;
  int64_t n_values = problem_values_size(p), n_modes = problem_modes_size(p);
  double *c = test_random(VECTORS * n_values, precision), *f = test_random(VECTORS * n_modes, precision);
  for (int64_t n = 1; n <= VECTORS; n += 2) {
    double *modes = problem_type1(p, plan, n, c), *values = problem_type2(p, plan, n, f);
    for (int64_t v = 0; v < n; v++) {
      check_same(precision, modes + v * n_modes, problem_type1(p, plan, 1, c + v * n_values), n_modes,
                 "type 1, batch against single");
      check_same(precision, values + v * n_values, problem_type2(p, plan, 1, f + v * n_modes), n_values,
                 "type 2, batch against single");
    }
  }
  og_plan_destroy(plan);
}

static void check3(const problem3 *p) {
  og_plan plan = problem3_plan(p);
  if (!plan)
    return;
  int precision = p->options.precision;
  double *c = test_random(2 * VECTORS * p->n_points, precision),
         *f = test_random(2 * VECTORS * p->n_targets, precision);
  double *results = problem3_execute(p, plan, 0, VECTORS, c), *values = problem3_execute(p, plan, 1, VECTORS, f);
  for (int64_t v = 0; v < VECTORS; v++) {
    check_same(precision, results + 2 * v * p->n_targets, problem3_execute(p, plan, 0, 1, c + 2 * v * p->n_points),
               2 * p->n_targets, "type 3, batch against single");
    check_same(precision, values + 2 * v * p->n_points, problem3_execute(p, plan, 1, 1, f + 2 * v * p->n_targets),
               2 * p->n_points, "adjoint of type 3, batch against single");
  }
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "a batch equals its single transforms");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  for (int loose = 0; loose < 2; loose++) {
    og_options options = test_options(backend, precision, OG_COMPLEX);
    options.max_vectors = VECTORS;
    options.tolerance = loose ? 1e-2 : 1e-5;
    const double n[3] = {20, 9, 5}, half_width[3] = {1, 2, 3}, centre[3] = {0, 1, 2}, zero[3] = {0, 0, 0};
    for (int ndim = 1; ndim <= 3; ndim++) {
      problem3 p3 = problem3_make(ndim, n, half_width, centre, zero, 50, 70, &options);
      test_case("%s", problem3_text(&p3));
      check3(&p3);
      test_free();
    }
    FOR_VALUES(values)
    for (int i = 0; i < TEST_SIZES; i++) {
      if (!test_sample(3))
        continue;
      options.values = values;
      problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, 100, POINTS_UNIFORM, &options);
      test_case("%s", problem_text(&p));
      check12(&p);
      test_free();
    }
  }
  return test_end();
}
