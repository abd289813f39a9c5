/* Every window, width, sigma, evaluation and density gives the error that its report announces, and no better claim. */
#include "common/problem.h"

static og_report report_of(og_plan plan) {
  og_report report = {.size = sizeof report};
  CHECK_OK(og_plan_report(plan, &report));
  return report;
}

/* The announced error bounds the measured one, and is not idle: at most a few hundred times too cautious. */
static void check(const problem *p, int cautious) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  og_report report = report_of(plan);
  double *c = test_random(problem_values_size(p), p->options.precision);
  double *f = test_random(problem_modes_size(p), p->options.precision);
  double error1 = problem_error_type1(p, problem_type1(p, plan, 1, c), problem_direct_type1(p, 1, c), c, 1);
  double error2 = problem_error_type2(p, problem_type2(p, plan, 1, f), problem_direct_type2(p, 1, f), f, 1);
  double error = fmax(error1, error2);
  if (test.verbose)
    printf("  width %d sigma %.3g: error %.3g, announced %.3g, reached %d\n", report.width, report.sigma, error,
           report.expected_error, report.reached);
  /* two points are no average, nor are the few modes at the edge of a narrow margin; the last digits are not promised */
  double scatter = p->n_points < 20 || report.sigma < 1.2 ? 4 : 2.2, last = 300 * test_tolerance[OG_F64].eps;
  CHECK(error <= scatter * report.expected_error + last || report.expected_error > 0.3, /* not one digit */
        "error %.3g, announced %.3g (width %d, sigma %.3g)", error, report.expected_error, report.width, report.sigma);
  if (cautious)
    CHECK(report.expected_error <= 300 * error, "announced %.3g, but the error is only %.3g", report.expected_error,
          error);
  if (report.reached)
    CHECK_AT_MOST(error, 2.2 * p->options.tolerance, "said to be reached, but the error");
  else
    CHECK(report.expected_error > p->options.tolerance, "not reached, yet %.3g <= tol is announced",
          report.expected_error);
  CHECK(report.size == sizeof report && report.n_points == p->n_points, "report of %lld points",
        (long long)report.n_points);
  CHECK(report.threads >= 1 && report.bytes_grid > 0 && report.bytes_peak >= report.bytes_grid, "odd memory report");
  CHECK(!p->options.width || report.width == p->options.width, "width %d", report.width);
  CHECK(!strcmp(report.window, p->options.window) && !strcmp(report.backend, p->options.backend), "reports %s on %s",
        report.window, report.backend);
  og_plan_destroy(plan);
}

/* At the same tolerance and sigma the width is not larger than FINUFFT's law; where that gives 2 to 4 cells, which may be
 * far from enough, at most one more (tests/window/law.c says when). */
static void check_width(const problem *p) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  og_report report = report_of(plan);
  double f = 0.18 * pow(1.4, p->ndim - 1), sigma = p->options.sigma;
  int law = (int)ceil(log(f / p->options.tolerance) / (0.5 * test_two_pi * sqrt(1 - 1 / sigma)) + 1);
  law = law < 2 ? 2 : law > 16 ? 16 : law;
  CHECK(report.width <= law + (law <= 4), "width %d, FINUFFT's is %d", report.width, law);
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the report announces the error of every window, width, sigma and evaluation");
  const int64_t sizes[4][3] = {{0}, {150, 1, 1}, {18, 15, 1}, {7, 8, 6}};
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  for (int ndim = 1; ndim <= 3; ndim++) {
    /* windows with free width */
    for (int window = 0; og_window_name(window); window++)
      for (int width = 2; width <= 16; width++)
        for (int i = 0; i < 4; i++)
          for (int evaluation = OG_EVALUATE_POLYNOMIAL; evaluation <= OG_EVALUATE_DIRECT; evaluation++) {
            const double sigma[] = {1.1, 1.3, 2.0, 3.0};
            const char *name = og_window_name(window);
            int fixed = !strcmp(name, "linear") || !strcmp(name, "cubic") || !strcmp(name, "bh");
            if (!test_sample(fixed ? 4 : 40) || (fixed && width > 2))
              continue;
            og_options options = test_options(backend, precision, (int)(test_bits() % 2));
            options.window = name;
            options.width = fixed ? 0 : width;
            options.sigma = sigma[i];
            options.evaluation = evaluation;
            problem p = problem_make(ndim, sizes[ndim], 300, POINTS_UNIFORM, &options);
            test_case("%s/%s/width=%d/evaluation=%d", problem_text(&p), name, options.width, evaluation);
            check(&p, 1);
            test_free();
          }
    /* density: from one point to a hundred per mode; sigma and width are the plan's choice */
    for (int64_t m = 2; m < 40000; m *= 6) {
      og_options options = test_options(backend, precision, OG_COMPLEX);
      options.sigma = 0;
      options.expected_points = m % 4 ? m : 0;
      options.tolerance = precision == OG_F32 ? 1e-3 : 1e-7;
      if (!test_sample(2))
        continue;
      problem p = problem_make(ndim, sizes[ndim], m, POINTS_UNIFORM, &options);
      test_case("%s", problem_text(&p));
      check(&p, 0);
      test_free();
    }
    for (int digits = 1; digits <= (precision == OG_F32 ? 6 : 14); digits++)
      for (double sigma = 1.25; sigma <= 2.0; sigma += 0.25) {
        og_options options = test_options(backend, precision, OG_COMPLEX);
        options.tolerance = pow(10, -digits);
        options.sigma = sigma;
        problem p = problem_make(ndim, sizes[ndim], 10, POINTS_UNIFORM, &options);
        test_case("%s", problem_text(&p));
        check_width(&p);
        test_free();
      }
  }
  return test_end();
}
