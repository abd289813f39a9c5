/* Interpolators that are used as windows, for comparison: linear (width 2), the cubic convolution of Keys 1981 with
 * a = -1/2 (width 4), and the four-term Blackman-Harris taper of 1978 (any width). None has a shape parameter, so none
 * knows the oversampling. */
#include "window/family.h"

#include <math.h>

static double linear_value(const og_window *window, double x) {
  (void)window;
  return 1 - fabs(x);
}

static double linear_slope(const og_window *window, double x) {
  (void)window;
  return x >= 0 ? -1 : 1; /* half-open cells */
}

static double cubic_value(const og_window *window, double x) {
  (void)window;
  double y = fabs(x);
  return y < 1 ? 1 + y * y * (1.5 * y - 2.5) : 2 + y * (-4 + y * (2.5 - 0.5 * y));
}

static double cubic_slope(const og_window *window, double x) {
  (void)window;
  double y = fabs(x), slope = y < 1 ? y * (4.5 * y - 5) : -4 + y * (5 - 1.5 * y);
  return x < 0 ? -slope : slope;
}

static const double harris[4] = {0.35875, 0.48829, 0.14128, 0.01168};

static double bh_value(const og_window *window, double x) {
  double sum = 0;
  for (int k = 0; k < 4; k++)
    sum += harris[k] * cos(2 * M_PI * k * x / window->width);
  return sum;
}

static double bh_slope(const og_window *window, double x) {
  double sum = 0;
  for (int k = 1; k < 4; k++)
    sum -= harris[k] * 2 * M_PI * k / window->width * sin(2 * M_PI * k * x / window->width);
  return sum;
}

static double polynomial_bandwidth(int width, double shape) {
  (void)width, (void)shape;
  return 4;
}

static double bh_bandwidth(int width, double shape) {
  (void)width, (void)shape;
  return 3 * M_PI;
}

const og_window_family og_family_linear = {"linear",     2, OG_CELLWISE, 0, 0, polynomial_bandwidth, 0, 0, linear_value,
                                           linear_slope, 0};
const og_window_family og_family_cubic = {"cubic", 4, OG_CELLWISE, 0,           0, polynomial_bandwidth,
                                          0,       0, cubic_value, cubic_slope, 0};
const og_window_family og_family_bh = {"bh", 0, OG_SMOOTH, 0, 0, bh_bandwidth, 0, 0, bh_value, bh_slope, 0};
