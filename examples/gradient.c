/* Adjoint and gradient in two dimensions: a picture given by its modes, its values and slopes at points, and the two laws
 * that make descent methods work: <A c, f> = <c, A* f> to rounding, and the gradient against the direct sum. */
#include "offgrid.h"
#include "check.h"

enum { NX = 40, NY = 31, N_MODES = NX * NY, N_POINTS = 600 };

static double x[N_POINTS], y[N_POINTS], kx[N_MODES], ky[N_MODES];
static double complex strengths[N_POINTS], modes[N_MODES], spectrum[N_MODES], values[N_POINTS], right[N_POINTS];
static double complex gradients[2][N_POINTS], slopes[N_MODES];

static double complex dot(int n, const double complex *a, const double complex *b) {
  double complex sum = 0;
  for (int i = 0; i < n; i++)
    sum += conj(a[i]) * b[i];
  return sum;
}

/* spectrum = A strengths; values = A* modes, and the derivatives of values with respect to x and y from the same FFT. */
static int transform(double tolerance) {
  og_options options = OG_OPTIONS_DEFAULT;
  options.tolerance = tolerance;
  options.gradient = 1;

  og_plan plan;
  int64_t n_modes[] = {NX, NY};
  int code = og_plan_create(&plan, 2, n_modes, &options);
  if (!code)
    code = og_plan_set_points(plan, N_POINTS, x, y, NULL);
  if (!code)
    code = og_type1(plan, 1, strengths, spectrum);
  if (!code)
    code = og_type2_gradient(plan, 1, modes, values, gradients);
  og_plan_destroy(plan);
  return code;
}

int main(void) {
  const double tolerance = 1e-6;
  for (int j = 0; j < N_POINTS; j++) {
    x[j] = 3.14159 * check_random();
    y[j] = 3.14159 * check_random();
    strengths[j] = check_random() + I * check_random();
  }
  for (int m = 0; m < N_MODES; m++) {
    kx[m] = m % NX - NX / 2;
    ky[m] = m / NX - NY / 2;
    modes[m] = check_random() + I * check_random();
  }
  if (transform(tolerance)) {
    fprintf(stderr, "gradient: %s\n", og_last_error());
    return 1;
  }

  double complex left = dot(N_MODES, modes, spectrum), across = dot(N_POINTS, values, strengths);
  int failed = check_report("adjoint", cabs(left - across) / cabs(left), 1e-12);

  /* d/dx exp(i k.x) = i kx exp(i k.x): the direct sum of the modes times i kx. */
  const double *const points[] = {x, y}, *const frequencies[] = {kx, ky};
  for (int d = 0; d < 2; d++) {
    for (int m = 0; m < N_MODES; m++)
      slopes[m] = I * frequencies[d][m] * modes[m];
    if (og_direct_sum(2, +1, N_MODES, frequencies, (double *)slopes, N_POINTS, points, (double *)right))
      return 1;
    failed |= check_report(d ? "d/dy" : "d/dx", check_distance(N_POINTS, gradients[d], right), 2 * tolerance);
  }
  return failed;
}
