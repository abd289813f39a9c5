/* Kaiser-Bessel, phi = I0(beta sqrt(1 - z^2)) / I0(beta), z = 2x/w (Kaiser 1974; Jackson et al. 1991): a function of
 * z^2, analytic everywhere, with the transform w sinh(r) / (r I0(beta)), r = sqrt(beta^2 - (xi w/2)^2). The quadrature
 * is used for it too; the tests compare. */
#include "window/family.h"

#include <math.h>

/* I0(s) and I1(s)/s as functions of q = s^2/4: sums of positive terms, so no digit is lost. */
static double bessel_i0(double q) {
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-17 * sum; k++)
    sum += term *= q / ((double)k * k);
  return sum;
}

static double bessel_i1_over_s(double q) {
  double term = 0.5, sum = 0.5;
  for (int k = 1; term > 1e-17 * sum; k++)
    sum += term *= q / ((double)k * (k + 1));
  return sum;
}

static double quarter_square(const og_window *window, double x) {
  double z = 2 * x / window->width;
  return window->shape * window->shape * fmax(1 - z * z, 0) / 4;
}

static void kb_prepare(og_window *window) {
  window->basis[0] = 1 / bessel_i0(window->shape * window->shape / 4);
  window->n_basis = 1;
}

static double kb_value(const og_window *window, double x) {
  return bessel_i0(quarter_square(window, x)) * window->basis[0];
}

static double kb_slope(const og_window *window, double x) {
  double factor = 2 * window->shape / window->width;
  return -factor * factor * x * bessel_i1_over_s(quarter_square(window, x)) * window->basis[0];
}

/* Fitted to og_window_optimise: the l2 optimum. Beatty, Nishimura and Pauly (2005) have 0.8 pi^2 = 7.9 for 10.6 - 13/w.
 * */
static double kb_shape(int width, double sigma) {
  double edge = og_window_stopband(width, sigma);
  return sqrt(edge * edge - 10.6 + 13.0 / width);
}

static double kb_bandwidth(int width, double shape) {
  (void)width;
  return shape;
}

const og_window_family og_family_kb = {"kb",       0, OG_SMOOTH, 150,      kb_shape, kb_bandwidth,
                                       kb_prepare, 0, kb_value,  kb_slope, 0};
