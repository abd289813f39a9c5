/* Borrowed points give what copied points give, and are read again at each call; copied ones may go away. */
#include "common/problem.h"

static void check(const problem *p) {
  int precision = p->options.precision;
  problem copy = *p, index = *p;
  copy.options.storage = OG_STORE_COPY;
  index.options.storage = OG_STORE_INDEX;
  int64_t n_values = problem_values_size(p), n_modes = problem_modes_size(p);
  double *c = test_random(n_values, precision), *f = test_random(n_modes, precision);
  og_plan copied = problem_plan_without_points(&copy), borrowed = problem_plan(&index);
  void *x[3] = {NULL, NULL, NULL};
  for (int d = 0; d < p->ndim; d++)
    x[d] = test_pack(p->x[d], p->n_points, precision);
  if (!copied || !borrowed || !CHECK_OK(og_plan_set_points(copied, p->n_points, x[0], x[1], x[2])))
    return;
  for (int d = 0; d < p->ndim; d++)
    memset(x[d], 0x7f, (size_t)p->n_points * test_real_bytes(precision));
  double rounding = 4 * test_tolerance[precision].rounding; /* another order of summation, many terms that cancel */
  CHECK_AT_MOST(test_error(problem_type1(p, borrowed, 1, c), problem_type1(p, copied, 1, c), n_modes), rounding,
                "type 1 of borrowed points differs by");
  CHECK_AT_MOST(test_error(problem_type2(p, borrowed, 1, f), problem_type2(p, copied, 1, f), n_values), rounding,
                "type 2 of borrowed points differs by");
  og_report report[2] = {{.size = sizeof report[0]}, {.size = sizeof report[0]}};
  CHECK_OK(og_plan_report(copied, &report[0]));
  CHECK_OK(og_plan_report(borrowed, &report[1]));
  CHECK(report[1].bytes_points <= report[0].bytes_points, "index-only points take %zu bytes, copied ones %zu",
        report[1].bytes_points, report[0].bytes_points);
  og_plan_destroy(copied);
  og_plan_destroy(borrowed);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "borrowed points give what copied points give");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < TEST_SIZES; i++)
    for (int kind = 0; kind < POINTS_KINDS; kind++) {
      if (!test_sample(6))
        continue;
      og_options options = test_options(backend, precision, values);
      problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, test_integer(500, 3000), kind, &options);
      test_case("%s/%s", problem_text(&p), test_points_name[kind]);
      check(&p);
      test_free();
    }
  return test_end();
}
