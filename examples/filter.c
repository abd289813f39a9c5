/* The electric field of point charges in a periodic box: type 1, the multipliers -i k / k^2, type 2, in one call with one
 * charge density in and three field components out. Checked against the same sums done directly. */
#include "offgrid.h"
#include "check.h"

enum { N = 12, N_MODES = N * N * N, N_POINTS = 300, N_FIELDS = 3 };

static double x[3][N_POINTS], k[3][N_MODES];
static double complex charges[N_POINTS], multipliers[N_FIELDS][N_MODES], field[N_FIELDS][N_POINTS];
static double complex density[N_MODES], filtered[N_MODES], right[N_POINTS];

static int transform(double tolerance) {
  og_options options = OG_OPTIONS_DEFAULT;
  options.tolerance = tolerance;
  options.max_vectors = N_FIELDS;

  og_plan plan;
  int64_t n_modes[] = {N, N, N};
  int code = og_plan_create(&plan, 3, n_modes, &options);
  if (!code)
    code = og_plan_set_points(plan, N_POINTS, x[0], x[1], x[2]);
  if (!code)
    code = og_filter(plan, 1, charges, N_FIELDS, multipliers, field);
  og_plan_destroy(plan);
  return code;
}

int main(void) {
  const double tolerance = 1e-6;
  for (int j = 0; j < N_POINTS; j++) {
    for (int d = 0; d < 3; d++)
      x[d][j] = 3.14159 * check_random();
    charges[j] = check_random();
  }
  for (int m = 0; m < N_MODES; m++) {
    int index[] = {m % N, m / N % N, m / (N * N)};
    double square = 0;
    for (int d = 0; d < 3; d++) {
      k[d][m] = index[d] - N / 2;
      square += k[d][m] * k[d][m];
    }
    for (int d = 0; d < 3; d++)
      multipliers[d][m] = square > 0 ? -I * k[d][m] / square : 0;
  }
  if (transform(tolerance)) {
    fprintf(stderr, "filter: %s\n", og_last_error());
    return 1;
  }

  const double *const points[] = {x[0], x[1], x[2]}, *const frequencies[] = {k[0], k[1], k[2]};
  if (og_direct_sum(3, -1, N_POINTS, points, (double *)charges, N_MODES, frequencies, (double *)density))
    return 1;
  int failed = 0;
  for (int d = 0; d < 3; d++) {
    for (int m = 0; m < N_MODES; m++)
      filtered[m] = multipliers[d][m] * density[m];
    if (og_direct_sum(3, +1, N_MODES, frequencies, (double *)filtered, N_POINTS, points, (double *)right))
      return 1;
    static const char *const name[] = {"field x", "field y", "field z"};
    failed |= check_report(name[d], check_distance(N_POINTS, field[d], right), 4 * tolerance);
  }
  return failed;
}
