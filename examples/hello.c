/* The first program: one plan, types 1 and 2 in one dimension, checked against the direct sum. */
#include "offgrid.h"
#include "check.h"

enum { N_MODES = 200, N_POINTS = 1000 };

static double x[N_POINTS], k[N_MODES];
static double complex strengths[N_POINTS], modes[N_MODES], values[N_POINTS], right[N_POINTS];

/* modes[k] = sum_j strengths[j] exp(-i k x_j), then values[j] = sum_k modes[k] exp(+i k x_j). */
static int transform(double tolerance) {
  og_options options = OG_OPTIONS_DEFAULT;
  options.tolerance = tolerance;

  og_plan plan;
  int64_t n_modes[] = {N_MODES};
  int code = og_plan_create(&plan, 1, n_modes, &options);
  if (!code)
    code = og_plan_set_points(plan, N_POINTS, x, NULL, NULL);
  if (!code)
    code = og_type1(plan, 1, strengths, modes);
  if (!code)
    code = og_type2(plan, 1, modes, values);
  og_plan_destroy(plan);
  return code;
}

int main(void) {
  const double tolerance = 1e-9;
  for (int j = 0; j < N_POINTS; j++) {
    x[j] = 3.14159 * check_random();
    strengths[j] = check_random() + I * check_random();
  }
  for (int m = 0; m < N_MODES; m++)
    k[m] = m - N_MODES / 2;

  if (transform(tolerance)) {
    fprintf(stderr, "hello: %s\n", og_last_error());
    return 1;
  }

  const double *const points[] = {x}, *const frequencies[] = {k};
  if (og_direct_sum(1, -1, N_POINTS, points, (double *)strengths, N_MODES, frequencies, (double *)right))
    return 1;
  int failed = check_report("type 1", check_distance(N_MODES, modes, right), 2 * tolerance);
  if (og_direct_sum(1, +1, N_MODES, frequencies, (double *)modes, N_POINTS, points, (double *)right))
    return 1;
  return failed | check_report("type 2", check_distance(N_POINTS, values, right), 2 * tolerance);
}
