/* New points on an old plan give what a new plan gives, for more, fewer and no points; empty batches write nothing. */
#include "common/problem3.h"

static void check_against_new(const problem *p, og_plan old) {
  og_plan fresh = problem_plan(p);
  if (!fresh)
    return;
  double *c = test_random(problem_values_size(p), p->options.precision);
  double *f = test_random(problem_modes_size(p), p->options.precision);
  double rounding = test_tolerance[p->options.precision].rounding;
  double *modes = problem_type1(p, old, 1, c), *values = problem_type2(p, old, 1, f);
  CHECK_AT_MOST(test_error(modes, problem_type1(p, fresh, 1, c), problem_modes_size(p)), rounding,
                "type 1 of the old plan differs by");
  CHECK_AT_MOST(test_error(values, problem_type2(p, fresh, 1, f), problem_values_size(p)), rounding,
                "type 2 of the old plan differs by");
  for (int64_t k = 0; p->n_points == 0 && k < problem_modes_size(p); k++)
    CHECK(modes[k] == 0, "modes of no points: %g", modes[k]);
  og_plan_destroy(fresh);
}

/* No vectors: OG_OK, and null arrays are as good as any. */
static void check_empty_batch(const problem *p, og_plan plan) {
  const double *c = test_random(problem_values_size(p), p->options.precision);
  CHECK_OK(og_type1(plan, 0, NULL, NULL));
  CHECK_OK(og_type2(plan, 0, NULL, NULL));
  CHECK_OK(og_spread(plan, 0, NULL, NULL));
  CHECK_OK(og_interp(plan, 0, NULL, NULL));
  CHECK_OK(og_filter(plan, 1, test_pack(c, problem_values_size(p), p->options.precision), 0, NULL, NULL));
}

static void check(const problem *shape, int fixed) {
  og_plan plan = problem_plan_without_points(shape);
  const int64_t counts[] = {50, 0, 800, 3, 50, 1, 0, 900};
  for (size_t i = 0; plan && i < sizeof counts / sizeof *counts; i++) {
    /* sigma is chosen once, at the first points: a new plan would choose otherwise */
    problem p = problem_make(shape->ndim, shape->n_modes, counts[i], (int)(i % POINTS_KINDS), &shape->options);
    if (problem_set_points(&p, plan) && fixed)
      check_against_new(&p, plan);
    else if (!fixed) {
      double *c = test_random(problem_values_size(&p), p.options.precision);
      double *want = problem_direct_type1(&p, 1, c), *got = problem_type1(&p, plan, 1, c);
      double typical = sqrt((double)problem_mode_count(&p)) * test_norm(c, problem_values_size(&p));
      CHECK_AT_MOST(test_error(got, want, problem_modes_size(&p)) * test_norm(want, problem_modes_size(&p)) /
                        fmax(fmax(typical, 1e-300), test_norm(want, problem_modes_size(&p))),
                    3 * problem_bound(&p), "type 1 with new points is off by");
    }
    check_empty_batch(&p, plan);
  }
  og_plan_destroy(plan);
}

/* Type 3: new sources keep the targets, new targets keep the sources; none of either is legal. */
static void check3(const og_options *options, int ndim) {
  const double n[3] = {30, 12, 6}, half_width[3] = {1, 2, 3}, zero[3] = {0, 0, 0};
  const int64_t counts[][2] = {{40, 30}, {0, 30}, {40, 0}, {0, 0}, {200, 100}, {1, 1}};
  og_plan plan = NULL;
  if (!CHECK_OK(og_plan_create_type3(&plan, ndim, options)))
    return;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    double wide[3] = {n[0] * (double)(1 + i % 3), n[1], n[2]};
    problem3 p = problem3_make(ndim, wide, half_width, zero, zero, counts[i][0], counts[i][1], options);
    test_case("%s", problem3_text(&p));
    if (i % 2 ? problem3_set_points(&p, plan) && problem3_set_targets(&p, plan)
              : problem3_set_targets(&p, plan) && problem3_set_points(&p, plan)) {
      double *c = test_random(2 * p.n_points, options->precision),
             *f = test_random(2 * p.n_targets, options->precision);
      double *results = problem3_execute(&p, plan, 0, 1, c), *values = problem3_execute(&p, plan, 1, 1, f);
      CHECK_AT_MOST(test_error(results, problem3_direct(&p, 0, 1, c), 2 * p.n_targets), 5 * options->tolerance,
                    "type 3 with new points is off by");
      CHECK_AT_MOST(test_error(values, problem3_direct(&p, 1, 1, f), 2 * p.n_points), 5 * options->tolerance,
                    "the adjoint with new points is off by");
      CHECK_OK(og_type3(plan, 0, NULL, NULL));
      CHECK_OK(og_type3_adjoint(plan, 0, NULL, NULL));
    }
    test_free();
  }
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "new points on an old plan give what a new plan gives");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision) {
    og_options options = test_options(backend, precision, OG_COMPLEX);
    options.tolerance = precision == OG_F32 ? 1e-3 : 1e-8;
    for (int ndim = 1; ndim <= 3; ndim++)
      check3(&options, ndim);
    FOR_VALUES(values)
    for (int i = 0; i < TEST_SIZES; i++)
      for (int storage = OG_STORE_COPY; storage <= OG_STORE_INDEX; storage++) {
        if (!test_sample(4))
          continue;
        options.values = values;
        options.storage = storage;
        options.sigma = test_bits() % 2 ? 2.0 : 0.0;
        problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, 0, POINTS_UNIFORM, &options);
        test_case("%s/storage=%d", problem_text(&p), storage);
        check(&p, options.sigma > 0);
        test_free();
      }
  }
  return test_end();
}
