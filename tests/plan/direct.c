/* Types 1 and 2 equal the direct sum, whatever the sizes, sign, mode order, values, points and batch. */
//TEST name="cpu"
//TEST name="host" args="--backend host" parts="3"
#include "common/problem.h"

/* Few points or modes do not average the error: three times the bound; plan/accuracy.c judges the factor. */

static void check(const problem *p, int64_t n_vectors) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  double *strengths = test_random(n_vectors * problem_values_size(p), p->options.precision);
  double *modes = test_random(n_vectors * problem_modes_size(p), p->options.precision);
  double *got1 = problem_type1(p, plan, n_vectors, strengths), *got2 = problem_type2(p, plan, n_vectors, modes);
  double *want1 = problem_direct_type1(p, n_vectors, strengths), *want2 = problem_direct_type2(p, n_vectors, modes);
  CHECK_AT_MOST(problem_error_type1(p, got1, want1, strengths, n_vectors), 3 * problem_bound(p), "error of type 1");
  CHECK_AT_MOST(problem_error_type2(p, got2, want2, modes, n_vectors), 3 * problem_bound(p), "error of type 2");
  og_plan_destroy(plan);
}

static void all_points(const og_options *options, const int64_t *size) {
  for (int kind = 0; kind < POINTS_KINDS; kind++)
    for (int64_t n_vectors = 1; n_vectors <= 3; n_vectors += 2)
      for (int64_t m = 1; m <= 150; m = m * 7 + 3) { /* 1, 10, 73 points */
        if (!test_sample(24))
          continue;
        problem p = problem_make((int)size[0], size + 1, m, kind, options);
        test_case("%s/%s/vectors=%lld", problem_text(&p), test_points_name[kind], (long long)n_vectors);
        check(&p, n_vectors);
        test_free();
      }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "types 1 and 2 equal the direct sum");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < TEST_SIZES; i++)
    for (int sign = -1; sign <= 1; sign += 2)
      for (int order = OG_ORDER_ASCENDING; order <= OG_ORDER_FFT; order++) {
        og_options options = test_options(backend, precision, values);
        options.sign = sign;
        options.mode_order = order;
        all_points(&options, test_sizes[i]);
      }
  return test_end();
}
