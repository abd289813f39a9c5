/* Piecewise polynomials for a window: one per cell of the stencil, in t on [-1, 1), by interpolation at Chebyshev
 * points.
 *
 * A cell is one w-th of the window, over which phi is smooth whatever its value at the edges, so that the Chebyshev
 * coefficients fall superexponentially, and turning them into powers of t loses nothing at these degrees.
 * The mirrored cell has the same polynomial in -t, exactly: the kernels use it.
 *
 * Degree: cutting the series at degree n leaves an error delta_i(t) in cell i; in a transform it appears as
 * |sum_i delta_i exp(i xi l_i)| / hat(xi), whose mean square over t and xi is sum_i mean(delta_i^2) * mean(1/hat^2).
 * The degree is the smallest that keeps its root below what the tolerance leaves for it. */
#include "window/family.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 32 };

/* series[k], k < SAMPLES: Chebyshev coefficients of f over cell i. */
static void chebyshev_series(const og_window *window, double (*f)(const og_window *, double), int cell,
                             double *series) {
  static const double pi = 3.14159265358979323846;
  double sample[SAMPLES], cosine[4 * SAMPLES];
  for (int j = 0; j < 4 * SAMPLES; j++)
    cosine[j] = cos(pi * j / (2 * SAMPLES));
  for (int j = 0; j < SAMPLES; j++)
    sample[j] = f(window, cell - (window->width - 1) / 2.0 + cosine[2 * j + 1] / 2);
  for (int k = 0; k < SAMPLES; k++) {
    double sum = 0;
    for (int j = 0; j < SAMPLES; j++)
      sum += sample[j] * cosine[k * (2 * j + 1) % (4 * SAMPLES)];
    series[k] = sum * (k ? 2.0 : 1.0) / SAMPLES;
  }
}

/* power[k] of the series cut after degree n: sum_j series[j] p_j(t) = sum_k power[k] t^k, where p_j are the Chebyshev
 * polynomials, p_{j+1} = 2 t p_j - p_{j-1}, or Legendre's, (j + 1) p_{j+1} = (2j + 1) t p_j - j p_{j-1}. */
static void powers(const double *series, int n, int legendre, double power[][OG_MAX_WIDTH], int cell) {
  long double sum[OG_MAX_DEGREE + 1] = {0}, t[OG_MAX_DEGREE + 1] = {1}, before[OG_MAX_DEGREE + 1] = {0};
  for (int j = 0; j <= n; j++) {
    long double next[OG_MAX_DEGREE + 1];
    long double up = legendre ? (2 * j + 1) / (j + 1.0L) : j ? 2 : 1, down = legendre ? j / (j + 1.0L) : j ? 1 : 0;
    for (int k = 0; k <= n; k++) {
      sum[k] += series[j] * t[k];
      next[k] = up * (k ? t[k - 1] : 0) - down * before[k];
    }
    memcpy(before, t, sizeof t);
    memcpy(t, next, sizeof t);
  }
  for (int k = 0; k <= n; k++)
    power[k][cell] = (double)sum[k];
}

/* Mean of 1 / hat^2 over the kept frequencies, by four nodes. */
static double inverse_transform_power(const og_window *window) {
  double node[4], weight[4], sum = 0;
  og_quadrature(4, node, weight);
  for (int k = 0; k < 4; k++)
    sum += weight[k] / pow(og_window_hat(window, node[k] * M_PI / window->sigma), 2);
  return sum;
}

/* Smallest degree whose cut costs less than the target, in the power series[cell][k]^2 / 2 of what is cut. */
static int choose_degree(int width, double series[][SAMPLES], double target, double norm) {
  double tail = 0;
  int degree = SAMPLES - 1;
  for (; degree > 1; degree--) {
    for (int i = 0; i < width; i++) {
      double c = series[i < width - 1 - i ? i : width - 1 - i][degree];
      tail += c * c / 2;
    }
    if (sqrt(tail * norm) > target)
      break;
  }
  return degree < OG_MAX_DEGREE ? degree : OG_MAX_DEGREE;
}

/* The other half of the stencil, with the sign of the mirror: phi(-x) = phi(x), phi'(-x) = -phi'(x). */
static void mirror(int width, int degree, double sign, double power[][OG_MAX_WIDTH]) {
  for (int k = 0; k <= degree; k++) {
    double s = k & 1 ? -sign : sign;
    for (int i = 0; i < width / 2; i++)
      power[k][width - 1 - i] = s * power[k][i];
    if (width & 1 && s < 0)
      power[k][width / 2] = 0;
  }
}

double og_window_fit_target(const og_window *window, double tolerance, int gradient) {
  double share = OG_FIT_FRACTION * tolerance;
  if (!window->shape_is_law || (window->kind != OG_OPTIMAL && window->kind != OG_PSWF))
    return share;
  double e = og_law_error(window->kind, window->width, window->sigma, gradient) / (gradient ? 2 : 1);
  return fmax(share, sqrt(fmax(tolerance * tolerance / 6.5 - e * e, 0)));
}

void og_window_store(og_window *window, int degree, int legendre, const double *const *value,
                     const double *const *slope) {
  int w = window->width;
  memset(window->coef, 0, sizeof window->coef);
  memset(window->derivative, 0, sizeof window->derivative);
  for (int i = 0; i < (w + 1) / 2; i++) {
    powers(value[i], degree, legendre, window->coef, i);
    powers(slope[i], degree, legendre, window->derivative, i);
  }
  mirror(w, degree, 1, window->coef);
  mirror(w, degree, -1, window->derivative);
  window->degree = degree;
}

void og_window_fit(og_window *window, double tolerance, int gradient) {
  const og_window_family *family = og_window_family_of(window->kind);
  if (family->fit) {
    family->fit(window, tolerance, gradient);
    return;
  }
  double value[OG_MAX_WIDTH / 2][SAMPLES], slope[OG_MAX_WIDTH / 2][SAMPLES];
  const double *values[OG_MAX_WIDTH / 2], *slopes[OG_MAX_WIDTH / 2];
  int w = window->width;
  for (int i = 0; i < (w + 1) / 2; i++) {
    chebyshev_series(window, family->value, i, value[i]);
    chebyshev_series(window, family->slope, i, slope[i]);
    for (int k = 0; k < SAMPLES; k++)
      slope[i][k] = -slope[i][k];
    values[i] = value[i], slopes[i] = slope[i];
  }
  double norm = inverse_transform_power(window), margin = 0.5; /* neighbouring cells' errors are alike */
  double least = 2e-16 * sqrt(norm * w), target = fmax(margin * og_window_fit_target(window, tolerance, 0), least);
  int degree = choose_degree(w, value, target, norm);
  if (gradient) { /* in units of the gradient's own norm: the root mean square of xi */
    target = fmax(margin * og_window_fit_target(window, tolerance, 1), least);
    int other = choose_degree(w, slope, target, norm * 3 * pow(window->sigma / M_PI, 2));
    degree = degree > other ? degree : other;
  }
  og_window_store(window, degree, 0, values, slopes);
}
