/* The same result for any number of threads, and bitwise the same for the same number, whatever the calls before. */
#include "common/problem.h"

/* Enough points and modes for every thread to have work; most points of the clustered kind in one tile. */
static const int64_t sizes[][4] = {{1, 20000, 1, 1}, {2, 120, 150, 1}, {3, 24, 30, 28}};

typedef struct results {
  double *modes, *values;
} results;

static results run(const problem *p, int threads, const double *c, const double *f, int calls_before) {
  problem q = *p;
  q.options.threads = threads;
  og_plan plan = problem_plan(&q);
  results r = {test_doubles(problem_modes_size(p)), test_doubles(problem_values_size(p))};
  if (!plan)
    return r;
  if (calls_before) { /* other points first, then the right ones: nothing of them may stay */
    problem other = problem_make(p->ndim, p->n_modes, p->n_points / 2, POINTS_CLUSTERED, &q.options);
    problem_set_points(&other, plan);
    problem_type1(&other, plan, 1, c);
    problem_set_points(&q, plan);
    problem_type2(&q, plan, 1, f);
  }
  r.modes = problem_type1(&q, plan, 1, c);
  r.values = problem_type2(&q, plan, 1, f);
  og_plan_destroy(plan);
  return r;
}

static void check(const problem *p) {
  double *c = test_random(problem_values_size(p), p->options.precision);
  double *f = test_random(problem_modes_size(p), p->options.precision);
  double rounding = test_tolerance[p->options.precision].rounding;
  int64_t n_modes = problem_modes_size(p), n_values = problem_values_size(p);
  results one = run(p, 1, c, f, 0);
  for (int threads = 1; threads <= 7; threads += 1 + threads / 3) { /* 1, 2, 3, 5, 7 */
    results a = run(p, threads, c, f, 0);
    CHECK_AT_MOST(test_error(a.modes, one.modes, n_modes), rounding, "type 1 differs from that of one thread by");
    CHECK_AT_MOST(test_error(a.values, one.values, n_values), rounding, "type 2 differs from that of one thread by");
    if (!p->options.deterministic || threads == 2)
      continue;
    results b = run(p, threads, c, f, 1);
    CHECK(test_same_bits(a.modes, b.modes, n_modes), "type 1 is not bitwise the same with %d threads", threads);
    CHECK(test_same_bits(a.values, b.values, n_values), "type 2 is not bitwise the same with %d threads", threads);
  }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the same result for any number of threads, bitwise for the same number");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < 3; i++)
    for (int deterministic = 0; deterministic < 2; deterministic++) {
      if (!test_sample(!strcmp(backend, "ref") ? 8 : 2))
        continue;
      og_options options = test_options(backend, precision, values);
      options.deterministic = deterministic;
      options.tolerance = precision == OG_F32 ? 1e-3 : 1e-5;
      problem p =
          problem_make((int)sizes[i][0], sizes[i] + 1, 20000, i % 2 ? POINTS_CLUSTERED : POINTS_UNIFORM, &options);
      test_case("%s/deterministic=%d", problem_text(&p), deterministic);
      check(&p);
      test_free();
    }
  return test_end();
}
