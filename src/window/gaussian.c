/* Gaussian, phi = exp(-x^2 / (2 s^2)), cut at w/2 (Dutt and Rokhlin 1993; Greengard and Lee 2004). shape = s, in cells.
 * The cut costs exp(-w^2 / (8 s^2)), the aliases exp(-2 pi^2 s^2 (1 - 1/sigma)): equal for s^2 = w / (4 pi sqrt(1 -
 * 1/sigma)), which gives exp(-(pi/2) w sqrt(1 - 1/sigma)): half the digits of the other windows. */
#include "window/family.h"

#include <math.h>

static double gaussian_value(const og_window *window, double x) {
  double y = x / window->shape;
  return exp(-y * y / 2);
}

static double gaussian_slope(const og_window *window, double x) {
  return -x / (window->shape * window->shape) * gaussian_value(window, x);
}

static double gaussian_shape(int width, double sigma) { return sqrt(width / (4 * M_PI * sqrt(1 - 1 / sigma))); }

/* exp(-b^2/...) has no edge of its spectrum; seven standard deviations hold what double precision can see. */
static double gaussian_bandwidth(int width, double shape) { return 8 * width / (2 * shape); }

const og_window_family og_family_gaussian = {
    "gaussian", 0, OG_SMOOTH, 1000, gaussian_shape, gaussian_bandwidth, 0, 0, gaussian_value, gaussian_slope, 0};
