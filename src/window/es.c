/* Exponential of semicircle, phi = exp(beta (sqrt(1 - z^2) - 1)), z = 2x/w (Barnett, Magland and af Klinteberg 2019):
 * nearly as good as Kaiser-Bessel, without its Bessel function. */
#include "window/family.h"

#include <math.h>

static double es_value(const og_window *window, double x) {
  double z = 2 * x / window->width;
  return exp(window->shape * (sqrt(fmax(1 - z * z, 0)) - 1));
}

/* Infinite at the very edge (where phi is exp(-beta)): cut there, so that a point on the grid gets a harmless number.
 * */
static double es_slope(const og_window *window, double x) {
  double z = 2 * x / window->width, root = sqrt(fmax(1 - z * z, 0));
  return -window->shape * z / fmax(root, 1e-2) * exp(window->shape * (root - 1)) * 2 / window->width;
}

/* 2.30 w is the paper's value for sigma = 2, its law for any other. */
static double es_shape(int width, double sigma) {
  return sigma == 2 ? 2.30 * width : 0.97 * og_window_stopband(width, sigma);
}

static double es_bandwidth(int width, double shape) {
  (void)width;
  return 1.5 * shape; /* in the angle theta that the quadrature uses */
}

const og_window_family og_family_es = {"es", 0, OG_ROOT_EDGES, 150,      es_shape, es_bandwidth,
                                       0,    0, es_value,      es_slope, 0};
