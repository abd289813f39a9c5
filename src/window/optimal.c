/* The window that is optimal in the sense that matters: least squares over the kept modes.
 *
 * A transform never sees phi itself, only the w numbers of each stencil. For a point at offset u from its stencil's
 * middle they have to make sum_i phi_i(u) exp(i xi l_i) = hat(xi) exp(i xi u) at the kept frequencies |xi| <= pi/sigma;
 * all else is free. So choose hat, and let each stencil be the least-squares solution with the weight d = 1/hat of the
 * deconvolution. Expanded in Legendre polynomials of t = -2u,
 *     exp(i xi u) = sum_n (2n+1) (-i)^n j_n(xi/2) L_n(t),
 * each degree n is its own small problem with the same matrix: cos(xi l_i) for even n, sin(xi l_i) for odd n, by
 * symmetry. phi is then piecewise polynomial by construction, cutting it at degree p costs exactly the part n > p of
 * the sum, and the gradient is the same problem with the right-hand side i xi exp(i xi u): a stencil of its own, better
 * than phi'. phi has small jumps where a cell ends; nothing asks it to be continuous.
 *
 * The gain over PSWF and KB comes from the frequencies between the bands [2 pi m - pi/sigma, 2 pi m + pi/sigma] that
 * alias: those windows spend part of their freedom on suppressing them. It is the idea of Fessler and Sutton's min-max
 * interpolator (2003), with hat chosen too. The family of hats, in z = xi / (2 pi - pi/sigma), is
 *     log hat = -q z^2/2 - a (1 - sqrt(1 - z^2) - z^2/2);
 * q = a = c is the WKB form of PSWF's own transform. q (the shape) matters most; laws for both are in law.c. */
#include "window/family.h"

#include <math.h>
#include <string.h>

enum {
  DEGREE = OG_OPTIMAL_DEGREE,
  TERMS = DEGREE + 1,
  HALF = OG_MAX_WIDTH / 2,
  MAX_MODES = 34,
  MAX_ROWS = MAX_MODES + HALF
};

/* basis: [derivative][cell < (w+1)/2][n] Legendre coefficients, then a. */
static const double *legendre(const og_window *window, int derivative, int cell) {
  return window->basis + (derivative * HALF + cell) * TERMS;
}

/* j_n(x), n < TERMS, by its power series: |x| < 2 here, so nothing cancels. */
static void spherical_bessel(double x, double *j) {
  double leading = 1;
  for (int n = 0; n < TERMS; n++) {
    double term = 1, sum = 1;
    for (int k = 1; fabs(term) > 1e-18; k++)
      sum += term *= -x * x / (2.0 * k * (2 * n + 2 * k + 1));
    j[n] = leading * sum;
    leading *= x / (2 * n + 3);
  }
}

/* Least squares by Householder: columns a[c][row], right-hand sides r[s][row], rows >= n. x[s][c]. All are overwritten.
 * */
static void least_squares(int rows, int n, double a[][MAX_ROWS], int sides, double r[][MAX_ROWS], double x[][HALF]) {
  for (int c = 0; c < n; c++) {
    double *v = a[c], norm = 0;
    for (int i = c; i < rows; i++)
      norm += v[i] * v[i];
    norm = v[c] > 0 ? -sqrt(norm) : sqrt(norm);
    double diagonal = norm, scale = 1 / (norm * (norm - v[c])); /* 2 / |v|^2 once v[c] has been shifted */
    v[c] -= norm;
    for (int other = c + 1; other < n + sides; other++) {
      double *y = other < n ? a[other] : r[other - n], dot = 0;
      for (int i = c; i < rows; i++)
        dot += v[i] * y[i];
      dot *= scale;
      for (int i = c; i < rows; i++)
        y[i] -= dot * v[i];
    }
    v[c] = diagonal; /* what is above it in the later columns is R */
  }
  for (int s = 0; s < sides; s++)
    for (int c = n - 1; c >= 0; c--) {
      double sum = r[s][c];
      for (int k = c + 1; k < n; k++)
        sum -= a[k][c] * x[s][k];
      x[s][c] = sum / a[c][c];
    }
}

/* Modes xi in [0, pi/sigma] with the square roots of their weights, and d = 1/hat there. */
static int kept_modes(const og_window *window, double *xi, double *root, double *d) {
  double weight[MAX_MODES], q = window->shape, a = window->basis[OG_OPTIMAL_SECOND];
  int modes = og_kept_modes(13 + 5 * window->width / 4, xi, weight);
  for (int k = 0; k < modes; k++) {
    double z = xi[k] / (2 * window->sigma - 1);
    xi[k] *= M_PI / window->sigma;
    root[k] = sqrt(weight[k]);
    d[k] = exp(q * z * z / 2 + a * (1 - sqrt(1 - z * z) - z * z / 2));
  }
  return modes;
}

/* The stencils' Legendre coefficients of one parity under reflection: 0 symmetric, 1 antisymmetric. */
static void solve_parity(og_window *window, int parity, int modes, const double *xi, const double *root,
                         const double *d, double j[][TERMS]) {
  double a[HALF][MAX_ROWS] = {{0}}, r[TERMS][MAX_ROWS] = {{0}}, x[TERMS][HALF], power = 0;
  int w = window->width, n = parity ? w / 2 : (w + 1) / 2;
  for (int k = 0; k < modes; k++)
    power += root[k] * root[k] * d[k] * d[k];
  for (int c = 0; c < n; c++) {
    double l = c - (w - 1) / 2.0, pair = l < 0 ? M_SQRT2 : 1;
    for (int k = 0; k < modes; k++)
      a[c][k] = root[k] * d[k] * pair * (parity ? sin(xi[k] * l) : cos(xi[k] * l));
    a[c][modes + c] = 2e-16 * sqrt(power); /* what rounding of the stencil costs: keeps it from growing */
  }
  for (int degree = 0; degree < TERMS; degree++) {
    /* (-i)^n is real for even n; times i it is real for odd n. Values have the parity of n, slopes the other. */
    int slope = (degree & 1) != parity;
    double sign = (degree / 2 & 1 ? -1 : 1) * ((degree & 1) && !slope ? -1 : 1);
    for (int k = 0; k < modes; k++)
      r[degree][k] = root[k] * sign * (2 * degree + 1) * j[k][degree] * (slope ? xi[k] : 1);
  }
  least_squares(modes + n, n, a, TERMS, r, x);
  for (int degree = 0; degree < TERMS; degree++)
    for (int c = 0; c < n; c++) {
      double pair = 2 * c < w - 1 ? M_SQRT2 : 1;
      window->basis[(((degree & 1) != parity) * HALF + c) * TERMS + degree] = x[degree][c] / pair;
    }
}

static double legendre_sum(const double *series, double t) {
  double p = 1, previous = 0, sum = 0;
  for (int n = 0; n < TERMS; n++) {
    sum += series[n] * p;
    double next = ((2 * n + 1) * t * p - n * previous) / (n + 1);
    previous = p;
    p = next;
  }
  return sum;
}

void og_optimal_solve(og_window *window, double q, double second) {
  double xi[MAX_MODES], root[MAX_MODES], d[MAX_MODES], j[MAX_MODES][TERMS];
  memset(window->basis, 0, sizeof window->basis);
  window->shape = q;
  window->basis[OG_OPTIMAL_SECOND] = second;
  window->n_basis = OG_OPTIMAL_SECOND + 1;
  int modes = kept_modes(window, xi, root, d), w = window->width;
  for (int k = 0; k < modes; k++)
    spherical_bessel(xi[k] / 2, j[k]);
  for (int parity = 0; parity < 2; parity++)
    solve_parity(window, parity, modes, xi, root, d, j);
  double centre = legendre_sum(legendre(window, 0, (w - 1) / 2), w & 1 ? 0 : 1);
  for (int i = 0; i < OG_OPTIMAL_SECOND; i++)
    window->basis[i] /= centre;
}

static void optimal_prepare(og_window *window) {
  og_optimal_solve(window, window->shape, og_law_optimal_second(window->width, window->sigma));
}

/* The right half mirrors the left. */
static double optimal_cell(const og_window *window, int cell, double t, int derivative) {
  int w = window->width;
  if (cell < (w + 1) / 2)
    return legendre_sum(legendre(window, derivative, cell), t);
  return (derivative ? -1 : 1) * legendre_sum(legendre(window, derivative, w - 1 - cell), -t);
}

/* x = cell - (w - 1)/2 + t/2; cells are half-open, so that a point on the grid takes all its values from their same
 * end. */
static double evaluate(const og_window *window, double x, int derivative) {
  int w = window->width, cell = (int)(x + w / 2.0);
  cell = cell < w ? cell : w - 1;
  return optimal_cell(window, cell, 2 * (x - cell) + w - 1, derivative);
}

static double optimal_value(const og_window *window, double x) { return evaluate(window, x, 0); }
static double optimal_slope(const og_window *window, double x) { return -evaluate(window, x, 1); }

/* Root mean square over the kept modes of the part of exp(i xi u), or of its derivative, above degree. */
static int choose_degree(const og_window *window, double tolerance, int derivative) {
  enum { MODES = 8 };
  double node[MODES], weight[MODES], j[MODES][TERMS], norm = 0, tail = 0;
  og_quadrature(MODES, node, weight);
  for (int k = 0; k < MODES; k++) {
    spherical_bessel(node[k] * M_PI / window->sigma / 2, j[k]);
    weight[k] *= derivative ? node[k] * node[k] : 1;
    norm += weight[k];
  }
  int degree = DEGREE;
  for (; degree > 1; degree--) {
    for (int k = 0; k < MODES; k++)
      tail += weight[k] / norm * (2 * degree + 1) * j[k][degree] * j[k][degree];
    if (sqrt(tail) > tolerance)
      break;
  }
  return degree;
}

static void optimal_fit(og_window *window, double tolerance, int gradient) {
  int degree = choose_degree(window, fmax(og_window_fit_target(window, tolerance, 0), 1e-16), 0);
  if (tolerance == 0)
    degree = DEGREE; /* the window itself */
  int other = gradient ? choose_degree(window, fmax(og_window_fit_target(window, tolerance, 1), 1e-16), 1) : 0;
  const double *value[HALF], *slope[HALF];
  for (int i = 0; i < (window->width + 1) / 2; i++)
    value[i] = legendre(window, 0, i), slope[i] = legendre(window, 1, i);
  og_window_store(window, degree > other ? degree : other, 1, value, slope);
}

static double optimal_bandwidth(int width, double shape) {
  (void)width, (void)shape;
  return 0; /* polynomials: what the quadrature adds anyway is enough */
}

const og_window_family og_family_optimal = {
    "optimal",       0,           OG_CELLWISE,   150,           og_law_optimal_shape, optimal_bandwidth,
    optimal_prepare, optimal_fit, optimal_value, optimal_slope, optimal_cell};
