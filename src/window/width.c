/* Width for a tolerance, and the error to expect of a width.
 *
 * On random data the errors of the dimensions are independent: with e for one dimension, E^2 = (1 + e^2)^d - 1; type 3
 * spreads twice (its sources, and the inner type 2's points), so d counts twice. The gradient along one dimension has
 * the gradient's own e there and the values' e in the others. */
#include "window/family.h"

#include <math.h>

/* (1 + e^2)^d (1 + g^2) - 1, without losing what is far below 1. */
static double combine(double e, int d, double g) { return sqrt(expm1(d * log1p(e * e) + log1p(g * g))); }

double og_window_expected_error(og_window_kind kind, int width, double sigma, int ndim, int type3, int gradient) {
  double e = og_law_error(kind, width, sigma, 0), value = combine(e, ndim * (type3 ? 2 : 1), 0);
  if (!gradient)
    return value;
  return fmax(value, combine(e, ndim - 1, og_law_error(kind, width, sigma, 1)) / 2);
}

/* FINUFFT's width, whose window errs by up to 2.5 times the tolerance there: the best windows hardly ever need more. */
static int customary_width(double tolerance, double sigma, int ndim, int type3) {
  double f = 0.18 * pow(1.4, ndim - 1) * (type3 ? 1.4 : 1);
  double w = ceil(log(f / tolerance) / (M_PI * sqrt(1 - 1 / sigma)) + 1);
  return w < 2 ? 2 : w > OG_MAX_WIDTH ? OG_MAX_WIDTH : (int)w;
}

/* With what cutting the polynomials may add. The gradient's error varies from one set of modes to another by a third.
 * */
static int is_enough(og_window_kind kind, int width, double tolerance, double sigma, int ndim, int type3,
                     int gradient) {
  double cut = OG_FIT_FRACTION * tolerance, margin = gradient ? 1.35 : 1;
  double e = margin * og_window_expected_error(kind, width, sigma, ndim, type3, gradient);
  return e * e + cut * cut * ndim * (type3 ? 2 : 1) <= tolerance * tolerance;
}

/* The smallest width in [low, high] that is enough, high where none is: by bisection, since some kinds' errors are
 * costly. */
static int smallest(og_window_kind kind, int low, int high, double tolerance, double sigma, int ndim, int type3,
                    int gradient) {
  while (low < high) {
    int middle = (low + high) / 2;
    if (is_enough(kind, middle, tolerance, sigma, ndim, type3, gradient))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Blackman-Harris: too wide a one has zeros of its transform among the kept modes, so that its error has a minimum. */
static int best_harris(double tolerance, double sigma, int ndim, int type3, int gradient) {
  int best = 2;
  double least = INFINITY;
  for (int w = 2; w <= OG_MAX_WIDTH && least > tolerance; w++) {
    double e = og_window_expected_error(OG_BH, w, sigma, ndim, type3, gradient);
    if (e < least)
      least = e, best = w;
  }
  return best;
}

int og_window_width(og_window_kind kind, double tolerance, double sigma, int ndim, int type3, int gradient) {
  const og_window_family *family = og_window_family_of(kind);
  if (family->width)
    return family->width;
  if (kind == OG_BH)
    return best_harris(tolerance, sigma, ndim, type3, gradient);
  int best = kind == OG_OPTIMAL || kind == OG_PSWF;
  int limit = best ? customary_width(tolerance, sigma, ndim, type3) : OG_MAX_WIDTH;
  int w = smallest(kind, 2, limit, tolerance, sigma, ndim, type3, 0);
  /* just above the edge of a width of 2 to 4 no window of that width is near the tolerance: one more cell */
  double bearable = w == 2 ? 1.9 : 1.5;
  if (best && w < OG_MAX_WIDTH && og_window_expected_error(kind, w, sigma, ndim, type3, 0) > bearable * tolerance)
    w++;
  return gradient ? smallest(kind, w, OG_MAX_WIDTH, tolerance, sigma, ndim, type3, 1) : w;
}
