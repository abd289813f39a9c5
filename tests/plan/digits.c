/* A device sorts coordinates rounded to fewer digits where the window's error hides it: at every tolerance its transforms differ
 * from the cpu backend's, which keeps all digits, by less than a tenth of the error that is announced. */
#include "common/problem.h"

static og_plan plan_of(problem *p, const char *backend, double *announced) {
  og_report report = {.size = sizeof report};
  p->options.backend = backend;
  og_plan plan = problem_plan(p);
  if (!plan || !CHECK_OK(og_plan_report(plan, &report)))
    return NULL;
  *announced = report.expected_error;
  return plan;
}

static void check(problem *p) {
  const int64_t n_modes = problem_modes_size(p), n_values = problem_values_size(p);
  double *c = test_random(n_values, OG_F64), *f = test_random(n_modes, OG_F64), announced[2];
  og_plan device = plan_of(p, "host", &announced[0]), cpu = plan_of(p, "cpu", &announced[1]);
  if (!device || !cpu)
    return;
  const double most = 0.1 * announced[0] + 1e-13;
  CHECK(announced[0] == announced[1], "%g announced, and %g", announced[0], announced[1]);
  CHECK_AT_MOST(test_error(problem_type1(p, device, 1, c), problem_type1(p, cpu, 1, c), n_modes), most,
                "type 1 differs by");
  CHECK_AT_MOST(test_error(problem_type2(p, device, 1, f), problem_type2(p, cpu, 1, f), n_values), most,
                "type 2 differs by");
  og_plan_destroy(device);
  og_plan_destroy(cpu);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "fewer digits between the passes of a device's sort are hidden by the window's error");
  for (int digits = 1; digits <= 13; digits++)
    for (int k = 0; k < 4; k++) {
      static const double sigmas[] = {0, 1.25, 2, 2.5};
      static const int64_t n_modes[3] = {12, 18, 16};
      if (!test_sample(6) || (test.backend && strcmp(test.backend, "host") != 0))
        continue;
      og_options options = test_options("host", OG_F64, OG_COMPLEX);
      options.tolerance = pow(10, -digits);
      options.sigma = sigmas[k];
      problem p = problem_make(3, n_modes, 4000, POINTS_UNIFORM, &options);
      test_case("%s", problem_text(&p));
      check(&p);
      test_free();
    }
  return test_end();
}
