/* Prolate spheroidal wave function psi_0(z; c), z = 2x/w: of all functions of support [-1, 1] the one with the largest
 * share of its energy in the frequencies [-c, c] (Slepian and Pollak 1961). c = pi w (1 - 1/(2 sigma)) is where
 * aliasing begins.
 *
 * psi_0 = sum_n a_n P_2n(z), where a is the eigenvector of least eigenvalue chi of the differential operator
 * -(1 - z^2) psi'' + 2 z psi' + c^2 z^2 psi = chi psi, tridiagonal in the normalised Legendre polynomials:
 *   diagonal     k (k+1) + c^2 (2k(k+1) - 1) / ((2k+3)(2k-1)),                                 k = 2n,
 *   off diagonal c^2 (k+1)(k+2) / ((2k+3) sqrt((2k+1)(2k+5)))
 * (Xiao, Rokhlin and Yarvin 2001). Inverse iteration finds it: the matrix is positive and the next even eigenvalue is
 * about five times as large. The sum is then rewritten in Chebyshev polynomials T_n(2 z^2 - 1) = T_2n(z), whose
 * recurrence has constant coefficients. */
#include "window/family.h"

#include <math.h>

enum { MAX_TERMS = 120 };

/* Eigenvector of the tridiagonal matrix (d, e) for its least eigenvalue; a: start, and result of norm 1. */
static void least_eigenvector(int n, const long double *d, const long double *e, long double *a) {
  long double shift = 0, pivot[MAX_TERMS], y[MAX_TERMS];
  for (int step = 0; step < 9; step++) {
    pivot[0] = d[0] - shift;
    y[0] = a[0];
    for (int i = 1; i < n; i++) {
      long double factor = e[i - 1] / pivot[i - 1];
      pivot[i] = d[i] - shift - factor * e[i - 1];
      y[i] = a[i] - factor * y[i - 1];
    }
    y[n - 1] /= pivot[n - 1];
    for (int i = n - 2; i >= 0; i--)
      y[i] = (y[i] - e[i] * y[i + 1]) / pivot[i];
    long double norm = 0, dot = 0;
    for (int i = 0; i < n; i++)
      norm += y[i] * y[i], dot += y[i] * a[i];
    norm = sqrtl(norm);
    for (int i = 0; i < n; i++)
      a[i] = y[i] / norm;
    if (step >= 5) { /* by now the shifted estimate 1 / dot is far closer to chi_0 than to chi_2 */
      long double move = 1 / dot;
      if (fabsl(move) < 1e-17L * d[n - 1] || !isfinite(move))
        break;
      shift += move * (1 - 1e-13L); /* never exactly singular */
    }
  }
}

static void pswf_prepare(og_window *window) {
  const long double pi = 3.14159265358979323846264338327950288L;
  long double c = window->shape, d[MAX_TERMS], e[MAX_TERMS], a[MAX_TERMS], sample[MAX_TERMS], cosine[4 * MAX_TERMS];
  int n = 14 + (int)(0.62 * window->shape);
  n = n < MAX_TERMS ? n : MAX_TERMS;
  for (int i = 0; i < n; i++) {
    long double k = 2 * i;
    d[i] = k * (k + 1) + c * c * (2 * k * (k + 1) - 1) / ((2 * k + 3) * (2 * k - 1));
    e[i] = c * c * (k + 1) * (k + 2) / ((2 * k + 3) * sqrtl((2 * k + 1) * (2 * k + 5)));
    a[i] = i ? 0 : 1;
  }
  least_eigenvector(n, d, e, a);
  for (int i = 0; i < n; i++)
    a[i] *= sqrtl(2 * i + 0.5L);

  /* Values at the Chebyshev points of u = 2 z^2 - 1, then their discrete cosine transform. */
  for (int i = 0; i < 4 * n; i++)
    cosine[i] = cosl(pi * i / (2 * n));
  for (int j = 0; j < n; j++) {
    long double u = cosine[2 * j + 1], z = sqrtl((1 + u) / 2), p = 1, previous = 0, sum = 0;
    for (int k = 0; k < 2 * n; k++) {
      if (!(k & 1))
        sum += a[k / 2] * p;
      long double next = ((2 * k + 1) * z * p - k * previous) / (k + 1);
      previous = p;
      p = next;
    }
    sample[j] = sum;
  }
  long double coefficient[MAX_TERMS], centre = 0;
  for (int k = 0; k < n; k++) {
    long double sum = 0;
    for (int j = 0; j < n; j++)
      sum += sample[j] * cosine[k * (2 * j + 1) % (4 * n)];
    coefficient[k] = sum * (k ? 2 : 1) / n;
    centre += (k & 1) ? -coefficient[k] : coefficient[k];
  }
  int terms = 1;
  for (int k = 0; k < n; k++) {
    window->basis[k] = (double)(coefficient[k] / centre);
    if (fabs(window->basis[k]) > 1e-18)
      terms = k + 1;
  }
  window->n_basis = terms;
}

static double pswf_value(const og_window *window, double x) {
  double z = 2 * x / window->width, u = 2 * (2 * z * z - 1), b = 0, previous = 0;
  for (int k = window->n_basis - 1; k > 0; k--) {
    double next = u * b - previous + window->basis[k];
    previous = b;
    b = next;
  }
  return u / 2 * b - previous + window->basis[0];
}

/* d/du of the Clenshaw sum, times du/dx = 4 z dz/dx. */
static double pswf_slope(const og_window *window, double x) {
  double z = 2 * x / window->width, u = 2 * (2 * z * z - 1), b = 0, b1 = 0, s = 0, s1 = 0;
  for (int k = window->n_basis - 1; k > 0; k--) {
    double next_s = u * s - s1 + 2 * b, next = u * b - b1 + window->basis[k];
    s1 = s, s = next_s;
    b1 = b, b = next;
  }
  return (u / 2 * s - s1 + b) * 4 * z * 2 / window->width;
}

/* The l2 optimum lies a little below the edge of the aliases: fitted to og_window_optimise, which tests/window/handle.c
 * compares. */
static double pswf_shape(int width, double sigma) {
  return og_window_stopband(width, sigma) - fmax(2.5 - 4.2 / width, 0.85) / (sigma * width);
}

static double pswf_bandwidth(int width, double shape) {
  (void)width;
  return shape;
}

const og_window_family og_family_pswf = {"pswf",       0, OG_SMOOTH,  150,        pswf_shape, pswf_bandwidth,
                                         pswf_prepare, 0, pswf_value, pswf_slope, 0};
