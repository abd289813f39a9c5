/* Laws fitted to measurements, so that choosing sigma and width costs nothing: the optimal window's two parameters, and
 * the aliasing error of each kind at its best known shape. bench/window/window_law.c makes the tables and
 * tests/window/law.c compares them with the definition. All are polynomials in 1/sigma, one for each width, because odd
 * and even widths differ: parameters relative to the stopband's edge, errors as ln(error) + (w - 1) pi sqrt(1 -
 * 1/sigma). */
#include "window/family.h"

#include <math.h>

#include "window/law_tables.h"

/* 1/sigma from 0.25 to 0.92 becomes -1 to 1. */
double og_law_variable(double sigma) {
  double x = (1 / sigma - 0.25) * (2 / 0.67) - 1;
  return x < -1 ? -1 : x > 1 ? 1 : x;
}

static double polynomial(const double *c, double sigma) {
  double x = og_law_variable(sigma), sum = 0;
  for (int i = OG_LAW_TERMS - 1; i >= 0; i--)
    sum = sum * x + c[i];
  return sum;
}

double og_law_optimal_shape(int width, double sigma) {
  return og_window_stopband(width, sigma) + polynomial(optimal_shape[width - 2], sigma);
}

double og_law_optimal_second(int width, double sigma) {
  return og_window_stopband(width, sigma) + polynomial(optimal_second[width - 2], sigma);
}

double og_law_error(og_window_kind kind, int width, double sigma, int gradient) {
  int row = kind == OG_OPTIMAL ? 0 : kind == OG_PSWF ? 1 : kind == OG_ES ? 2 : kind == OG_KB ? 3 : -1;
  if (row >= 0)
    return exp(polynomial(log_error[row][gradient][width - 2], sigma) - (width - 1) * M_PI * sqrt(1 - 1 / sigma));
  og_window window; /* the others' cut interferes with their aliases, and the error jumps about: from the definition,
                        which takes some 0.1 ms */
  double value, slope;
  if (og_window_make(&window, kind, width, sigma, 0, 1e-1))
    return 1;
  og_window_alias(&window, 0, &value, &slope);
  return gradient ? slope : value;
}
