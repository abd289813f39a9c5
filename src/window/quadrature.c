/* Gauss-Legendre quadrature: nodes by Newton's iteration from Tricomi's estimate, in long double, so that the weights
 * are right to the last bit; and its use for a window's transform, hat(xi) = 2 int_0^{w/2} phi(x) cos(xi x) dx.
 *
 * n nodes integrate exactly up to degree 2n - 1. phi(x) cos(xi x) on [0, w/2] is of exponential type b + |xi| w/2 in
 * z = 2x/w, where b is the window's bandwidth: its Chebyshev coefficients fall superexponentially once their index has
 * passed half of that, so that n = type / 4 + a constant is enough whatever the width. */
#include "window/family.h"

#include <math.h>

void og_quadrature(int n, double *node, double *weight) {
  const long double pi = 3.14159265358979323846264338327950288L;
  for (int i = 0; i < (n + 1) / 2; i++) {
    long double x = cosl(pi * (4 * i + 3) / (4 * n + 2)) * (1 - (n - 1) / (8.0L * n * n * n)), slope = 1;
    for (int step = 0; step < 8; step++) {
      long double p = 1, previous = 0;
      for (int k = 0; k < n; k++) {
        long double next = ((2 * k + 1) * x * p - k * previous) / (k + 1);
        previous = p;
        p = next;
      }
      slope = n * (previous - x * p) / (1 - x * x);
      long double move = p / slope;
      x -= move;
      if (fabsl(move) < 1e-17L) /* not sooner: the weight needs the slope at the node itself */
        break;
    }
    if (2 * i + 1 == n)
      x = 0;
    node[i] = (double)((1 - x) / 2);
    node[n - 1 - i] = (double)((1 + x) / 2);
    weight[i] = weight[n - 1 - i] = (double)(1 / ((1 - x * x) * slope * slope));
  }
}

int og_kept_modes(int n, double *node, double *weight) {
  og_quadrature(n, node, weight);
  node[n] = 1;
  weight[n] = OG_EDGE_WEIGHT;
  return n + 1;
}

void og_window_quadrature(og_window *window) {
  const og_window_family *family = og_window_family_of(window->kind);
  double x[OG_MAX_NODES], v[OG_MAX_NODES], half = window->width / 2.0;
  int pieces = family->smoothness == OG_CELLWISE ? (window->width + 1) / 2 : 1;
  double type = family->bandwidth(window->width, window->shape) / pieces + 3.2 * half / pieces;
  int n = 16 + (int)(0.3 * type), count = 0;
  n = n < OG_MAX_NODES / pieces ? n : OG_MAX_NODES / pieces;
  og_quadrature(n, x, v);
  for (int p = 0; p < pieces; p++) {
    /* cellwise windows break at w/2, w/2 - 1, ...; an odd width's middle cell gives half a piece */
    double upper = family->smoothness == OG_CELLWISE ? half - p : half;
    double lower = family->smoothness == OG_CELLWISE ? fmax(upper - 1, 0) : 0;
    for (int i = 0; i < n; i++) {
      double at = lower + (upper - lower) * x[i], w = (upper - lower) * v[i];
      if (family->smoothness == OG_ROOT_EDGES) { /* x = w/2 sin(theta) makes it analytic */
        at = half * sin(x[i] * M_PI_2);
        w = half * cos(x[i] * M_PI_2) * M_PI_2 * v[i];
      }
      window->node[count] = at;
      window->weight[count++] = 2 * w * family->value(window, at);
    }
  }
  window->n_nodes = count;
}
