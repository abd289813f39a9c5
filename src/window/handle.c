/* The public og_window_* functions of offgrid.h: a window as a handle. */
#include "base/memory.h"
#include "window/family.h"

#include <math.h>

int og_window_create(og_window_handle *handle, const char *name, int width, double sigma, double shape) {
  OG_CHECK(handle, OG_ERR_NULL, "window is NULL");
  *handle = NULL;
  OG_CHECK(name, OG_ERR_NULL, "name is NULL");
  int kind = og_window_kind_from_name(name);
  OG_CHECK(kind >= 0, OG_ERR_OPTION, "window = \"%s\", must be pswf, es, kb, gaussian, linear, cubic, bh or optimal",
           name);
  og_window *window = og_allocate(sizeof *window);
  OG_CHECK(window, OG_ERR_MEMORY, "%zu bytes for a window", sizeof *window);
  int code = og_window_make(window, (og_window_kind)kind, width, sigma, shape, 0);
  if (code)
    og_free(window);
  else
    *handle = window;
  return code;
}

double og_window_value(og_window_handle window, double x) { return window ? og_window_phi(window, x) : NAN; }

double og_window_polynomial(og_window_handle window, double x) {
  if (!window)
    return NAN;
  int w = window->width;
  if (!(x >= -w / 2.0 && x < w / 2.0))
    return 0;
  int cell = (int)(x + w / 2.0);
  cell = cell < w ? cell : w - 1; /* x + w/2 may round up */
  double t = 2 * (x - cell) + w - 1, sum = 0;
  for (int k = window->degree; k >= 0; k--)
    sum = sum * t + window->coef[k][cell];
  return sum;
}

/* Beyond the frequencies that plans need, for plots: cell by cell, with nodes for the oscillation, in x = w/2
 * sin(angle), which removes a square root at the edge. */
static double transform_far(const og_window *window, double xi) {
  double node[OG_MAX_NODES], weight[OG_MAX_NODES], sum = 0, half = window->width / 2.0, upper = M_PI_2;
  int n = (int)fmin(24 + fabs(xi), OG_MAX_NODES);
  og_quadrature(n, node, weight);
  for (double edge = half - 1; upper > 0; edge -= 1) {
    double lower = asin(fmax(edge, 0) / half);
    for (int i = 0; i < n; i++) {
      double angle = lower + (upper - lower) * node[i], x = half * sin(angle);
      sum += 2 * (upper - lower) * weight[i] * half * cos(angle) * og_window_phi(window, x) * cos(xi * x);
    }
    upper = lower;
  }
  return sum;
}

double og_window_transform(og_window_handle window, double xi) {
  if (!window)
    return NAN;
  return fabs(xi) <= 1.1 * M_PI ? og_window_hat(window, xi) : transform_far(window, xi);
}

double og_window_aliasing(og_window_handle window) {
  double value, gradient;
  if (!window)
    return NAN;
  og_window_alias(window, 0, &value, &gradient);
  return value;
}

double og_window_shape(og_window_handle window) { return window ? window->shape : NAN; }

int og_window_degree(og_window_handle window) { return window ? window->degree : -1; }

void og_window_destroy(og_window_handle window) { og_free(window); }

const char *og_window_name(int i) { return og_window_kind_name(i); }

/* Logarithm of the aliasing error; a shape that cannot be made counts as infinitely bad. */
static double log_error(og_window *window, int kind, int width, double sigma, double shape) {
  double value, gradient;
  if (og_window_make(window, (og_window_kind)kind, width, sigma, shape, 1e-3))
    return INFINITY;
  og_window_alias(window, 0, &value, &gradient);
  return log(value);
}

/* The error has several minima in the shape (the edge's jump interferes with the aliases), so a scan comes first and
 * then golden sections around the best point. */
static double search(og_window *window, int kind, int width, double sigma, double from, double to) {
  enum { SCAN = 200 };
  const double golden = 0.61803398874989485;
  double best = from, least = INFINITY, step = (to - from) / SCAN;
  for (int i = 0; i <= SCAN; i++) {
    double e = log_error(window, kind, width, sigma, from + i * step);
    if (e < least)
      least = e, best = from + i * step;
  }
  double a = best - step, b = best + step, p = b - golden * (b - a), q = a + golden * (b - a);
  double at_p = log_error(window, kind, width, sigma, p), at_q = log_error(window, kind, width, sigma, q);
  while (b - a > 1e-7 * best) {
    if (at_p < at_q) {
      b = q, q = p, at_q = at_p, p = b - golden * (b - a);
      at_p = log_error(window, kind, width, sigma, p);
    } else {
      a = p, p = q, at_p = at_q, q = a + golden * (b - a);
      at_q = log_error(window, kind, width, sigma, q);
    }
  }
  return (a + b) / 2;
}

int og_window_optimise(const char *name, int width, double sigma, double *shape) {
  OG_CHECK(name && shape, OG_ERR_NULL, "%s is NULL", name ? "shape" : "name");
  int kind = og_window_kind_from_name(name);
  OG_CHECK(kind >= 0, OG_ERR_OPTION, "window = \"%s\", must be pswf, es, kb, gaussian, linear, cubic, bh or optimal",
           name);
  og_window *window = og_allocate(sizeof *window);
  OG_CHECK(window, OG_ERR_MEMORY, "%zu bytes for a window", sizeof *window);
  int code = og_window_make(window, (og_window_kind)kind, width, sigma, 0, 1e-3);
  if (!code)
    *shape = window->shape > 0 ? search(window, kind, width, sigma, 0.6 * window->shape, 1.2 * window->shape) : 0;
  og_free(window);
  return code;
}
