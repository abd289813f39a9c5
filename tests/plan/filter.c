/* The fused filter equals its parts: values[o] = type2(sum_i multipliers[o][i] type1(strengths[i])). */
#include "common/problem.h"

static void check(const problem *p, int64_t n_in, int64_t n_out) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  int precision = p->options.precision;
  int64_t n_values = problem_values_size(p), n_modes = problem_modes_size(p);
  double *c = test_random(n_in * n_values, precision), *mult = test_random(n_out * n_in * n_modes, precision);
  void *packed = test_pack(c, n_in * n_values, precision),
       *packed_mult = test_pack(mult, n_out * n_in * n_modes, precision);
  void *out = test_pack(NULL, n_out * n_values, precision);
  CHECK_OK(og_filter(plan, n_in, packed, n_out, packed_mult, out));
  double *got = test_unpack(out, n_out * n_values, precision);
  double *modes = problem_type1(p, plan, n_in, c), *sum = test_doubles(n_out * n_modes);
  for (int64_t o = 0; o < n_out; o++)
    for (int64_t i = 0; i < n_in; i++)
      for (int64_t k = 0; k < n_modes / 2; k++) {
        const double *m = mult + (o * n_in + i) * n_modes + 2 * k, *f = modes + i * n_modes + 2 * k;
        sum[o * n_modes + 2 * k] += m[0] * f[0] - m[1] * f[1];
        sum[o * n_modes + 2 * k + 1] += m[0] * f[1] + m[1] * f[0];
      }
  double *want = test_doubles(n_out * n_values);
  for (int64_t o = 0; o < n_out; o++) /* one by one: n_out may exceed a batch's n_in */
    memcpy(want + o * n_values, problem_type2(p, plan, 1, sum + o * n_modes), (size_t)n_values * sizeof *want);
  CHECK_AT_MOST(test_error(got, want, n_out * n_values), 2 * test_tolerance[precision].rounding,
                "filter differs from its parts by");
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the fused filter equals type 1, times a diagonal, type 2");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < TEST_SIZES; i++)
    for (int64_t n_in = 1; n_in <= 3; n_in++)
      for (int64_t n_out = 1; n_out <= 3; n_out++) {
        if (!test_sample(8))
          continue;
        og_options options = test_options(backend, precision, values);
        options.sign = test_bits() % 2 ? 1 : -1;
        options.mode_order = (int)(test_bits() % 2);
        problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, 50, POINTS_UNIFORM, &options);
        test_case("%s/n_in=%d/n_out=%d", problem_text(&p), (int)n_in, (int)n_out);
        check(&p, n_in, n_out);
        test_free();
      }
  return test_end();
}
