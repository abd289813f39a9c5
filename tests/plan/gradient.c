/* The gradient of type 2 is the direct sum of i k times the modes, its values are type 2's; batches and periods included. */
#include "common/problem.h"

static void check(const problem *p, int64_t n_vectors, int with_values) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  int precision = p->options.precision;
  int64_t n = n_vectors * problem_values_size(p), n_modes = n_vectors * problem_modes_size(p);
  double *f = test_random(n_modes, precision);
  void *packed = test_pack(f, n_modes, precision), *values = test_pack(NULL, n, precision);
  void *gradients = test_pack(NULL, p->ndim * n, precision);
  CHECK_OK(og_type2_gradient(plan, n_vectors, packed, with_values ? values : NULL, gradients));
  double *got = test_unpack(gradients, p->ndim * n, precision), *want = test_doubles(p->ndim * n);
  for (int d = 0; d < p->ndim; d++)
    memcpy(want + d * n, problem_direct_derivative(p, n_vectors, f, d), (size_t)n * sizeof *want);
  double norm = test_norm(want, p->ndim * n);
  if (norm > 0)
    CHECK_AT_MOST(test_error(got, want, p->ndim * n), 2 * problem_bound(p), "gradient is off by");
  else /* modes k = 0 only: the window's ripple times the wave number of a cell */
    CHECK_AT_MOST(test_norm(got, p->ndim * n) / test_norm(f, n_modes),
                  20 * problem_bound(p) * test_two_pi / problem_period(p, 0) * sqrt((double)p->n_points),
                  "gradient of a constant is");
  if (with_values)
    CHECK_AT_MOST(test_error(test_unpack(values, n, precision), problem_type2(p, plan, n_vectors, f), n),
                  test_tolerance[precision].rounding, "values beside the gradient differ from type 2 by");
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the gradient of type 2 is that of the direct sum");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < TEST_SIZES; i++)
    for (int64_t n_vectors = 1; n_vectors <= 3; n_vectors += 2)
      for (int with_values = 0; with_values < 2; with_values++) {
        if (!test_sample(3))
          continue;
        og_options options = test_options(backend, precision, values);
        options.gradient = 1;
        options.sign = test_bits() % 2 ? 1 : -1;
        options.mode_order = (int)(test_bits() % 2);
        options.tolerance = precision == OG_F32 ? 1e-3 : 1e-9;
        options.period_y = with_values ? 3.0 : 0.0;
        problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, 70, POINTS_UNIFORM, &options);
        test_case("%s/vectors=%d/values=%d", problem_text(&p), (int)n_vectors, with_values);
        check(&p, n_vectors, with_values);
        test_free();
      }
  return test_end();
}
