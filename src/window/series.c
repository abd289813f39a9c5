/* A window's transform at many arbitrary frequencies. The logarithm of hat is even and analytic up to hat's first zero,
 * which lies outside of the kept band: its Chebyshev coefficients in y = 2 (xi / reach)^2 - 1 fall geometrically. The
 * logarithm's error is hat's relative error, small at the edge of the band too, where hat is; and the dimensions'
 * logarithms add up to one exponential. */
#include "window/window.h"

#include <math.h>

/* Coefficients by the discrete cosine transform of the values at OG_SERIES_TERMS Chebyshev nodes. A window with a zero in
 * the band, which only odd shapes have, has no series: n = 0. */
void og_series_make(const og_window *window, double reach, og_series *series) {
  enum { N = OG_SERIES_TERMS };
  double value[N], largest = 0;
  *series = (og_series){.window = window, .scale = 2 / (reach * reach)};
  for (int j = 0; j < N; j++) {
    double hat = og_window_hat(window, reach * sqrt((1 + cos(M_PI * (j + 0.5) / N)) / 2));
    if (!(hat > 0))
      return;
    value[j] = log(hat);
  }
  for (int k = 0; k < N; k++) {
    for (int j = 0; j < N; j++)
      series->c[k] += (k ? 2.0 : 1.0) / N * value[j] * cos(M_PI * k * (j + 0.5) / N);
    largest = fmax(largest, fabs(series->c[k]));
  }
  for (series->n = N; series->n > 2 && fabs(series->c[series->n - 1]) < 1e-16 * largest;)
    series->n--;
  if (fabs(series->c[N - 1]) > 1e-14 * largest)
    series->n = 0;
}

enum { LANES = 8 };

/* Clenshaw's recurrence, LANES sums side by side: one would wait for itself. */
static void add_logarithms(const og_series *series, const double xi[LANES], double sum[LANES]) {
  double y[LANES], a[LANES] = {0}, b[LANES] = {0};
  for (int lane = 0; lane < LANES; lane++)
    y[lane] = series->scale * xi[lane] * xi[lane] - 1;
  for (int k = series->n - 1; k > 0; k--)
    for (int lane = 0; lane < LANES; lane++) {
      double next = 2 * y[lane] * a[lane] - b[lane] + series->c[k];
      b[lane] = a[lane];
      a[lane] = next;
    }
  for (int lane = 0; lane < LANES; lane++)
    sum[lane] += y[lane] * a[lane] - b[lane] + series->c[0];
}

static double product(const og_series *series, int ndim, const double *const xi[3], int i) {
  double all = 1;
  for (int d = 0; d < ndim; d++)
    all *= og_window_hat(series->window, xi[d][i]);
  return all;
}

void og_series_factors(const og_series *series, int ndim, int n, const double *const xi[3], double *factor) {
  for (int i = 0; i < n; i += LANES) {
    double at[LANES] = {0}, sum[LANES] = {0};
    int m = n - i < LANES ? n - i : LANES;
    for (int d = 0; d < ndim && series->n; d++) {
      for (int lane = 0; lane < m; lane++)
        at[lane] = xi[d][i + lane];
      add_logarithms(series, at, sum);
    }
    for (int lane = 0; lane < m; lane++)
      factor[i + lane] = series->n ? exp(-sum[lane]) : 1 / product(series, ndim, xi, i + lane);
  }
}
