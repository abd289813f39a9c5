/* The environment may say how a plan computes (backend, threads), never what (precision, values, sign, order, tolerance). */
#include <stdlib.h>

#include "common/problem.h"

static void check(const problem *p) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  double *c = test_random(problem_values_size(p), p->options.precision);
  double error = test_error(problem_type1(p, plan, 1, c), problem_direct_type1(p, 1, c), problem_modes_size(p));
  CHECK_AT_MOST(error, 1.75 * p->options.tolerance, "error of type 1");
  og_report report = {.size = sizeof report};
  if (CHECK_OK(og_plan_report(plan, &report)))
    CHECK(!strcmp(report.backend, "ref"), "backend %s, though OFFGRID_BACKEND=ref", report.backend);
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the environment says how to compute, not what");
  static const char *const names[][2] = {
      {"BACKEND", "ref"},    {"PRECISION", "f32"}, {"VALUES", "real"}, {"SIGN", "1"},     {"MODE_ORDER", "fft"},
      {"TOLERANCE", "1e-1"}, {"PERIOD_X", "3"},    {"WIDTH", "2"},     {"SIGMA", "1.15"}, {"SPREAD_ONLY", "1"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[64];
    snprintf(name, sizeof name, "OFFGRID_%s", names[i][0]);
    setenv(name, names[i][1], 1);
  }
  const int64_t n[3] = {40, 13, 1};
  og_options options = OG_OPTIONS_DEFAULT;
  problem p = problem_make(2, n, 500, POINTS_UNIFORM, &options);
  test_case("%s", problem_text(&p));
  check(&p);
  return test_end();
}
