/* Transforms with the windows meet the tolerance: type 1, and type 2 with its gradient, written here in the plainest
 * way on the fitted polynomials, against the direct sum. */
//TEST name="optimal" args="--window optimal"
//TEST name="pswf" args="--window pswf"
#include "common/test.h"
#include "window/family.h"

#include <complex.h>

typedef double complex complex_t;

static const double two_pi = 6.283185307179586;

/* One dimension: n cells, N modes, M points. */
typedef struct axis {
  og_window window;
  int n, modes, points;
  int *start;       /* [points] */
  double *value;    /* [points][width] */
  double *slope;    /* [points][width], per radian */
  double *factor;   /* [modes] */
  complex_t *exact; /* [points][modes] exp(i k x) */
  complex_t *grid;  /* [modes][n] exp(i k l 2 pi / n) */
} axis;

static complex_t *complexes(int64_t n) { return (complex_t *)(void *)test_doubles(2 * n); }

static complex_t *random_complexes(int n) {
  complex_t *c = complexes(n);
  for (int i = 0; i < n; i++)
    c[i] = test_uniform() + I * test_uniform();
  return c;
}

static void stencils(axis *a, const double *x) {
  int w = a->window.width;
  for (int j = 0; j < a->points; j++) {
    double g = x[j] * a->n / two_pi, s = ceil(g - w / 2.0), t = 2 * (s - g) + w - 1;
    a->start[j] = (int)s;
    for (int i = 0; i < w; i++)
      for (int k = a->window.degree; k >= 0; k--) {
        a->value[j * w + i] = a->value[j * w + i] * t + a->window.coef[k][i];
        a->slope[j * w + i] = a->slope[j * w + i] * t + a->window.derivative[k][i] * a->n / two_pi;
      }
  }
}

static void make_axis(axis *a, og_window_kind kind, int width, double sigma, double tolerance, int gradient, int modes,
                      int points) {
  a->modes = modes;
  a->points = points;
  a->n = (int)fmax(ceil(sigma * modes), 2 * width);
  if (!CHECK_OK(og_window_make(&a->window, kind, width, (double)a->n / modes, 0, tolerance)))
    exit(1);
  og_window_fit(&a->window, tolerance, gradient);
  a->start = test_keep(calloc((size_t)points, sizeof(int)));
  a->value = test_doubles(points * width);
  a->slope = test_doubles(points * width);
  a->factor = test_doubles(modes);
  a->exact = complexes(points * modes);
  a->grid = complexes(modes * a->n);
  double *x = test_doubles(points);
  for (int j = 0; j < points; j++)
    x[j] = 3.14159265358979 * test_uniform();
  stencils(a, x);
  og_window_factors(&a->window, two_pi / a->n, -(modes / 2), modes, a->factor);
  for (int j = 0; j < points; j++) { /* powers of exp(i x), from the middle: right to some 1e-15 */
    complex_t turn = cexp(I * x[j]), *e = &a->exact[j * modes + modes / 2];
    e[0] = 1;
    for (int k = 1; k < (modes + 1) / 2; k++)
      e[k] = e[k - 1] * turn;
    for (int k = 1; k <= modes / 2; k++)
      e[-k] = e[1 - k] * conj(turn);
  }
  complex_t *root = complexes(a->n);
  for (int l = 0; l < a->n; l++)
    root[l] = cexp(I * (two_pi * l / a->n));
  for (int k = 0; k < modes; k++)
    for (int l = 0; l < a->n; l++)
      a->grid[k * a->n + l] = root[((k - modes / 2) * l % a->n + a->n) % a->n];
}

static int cell(const axis *a, int j, int i) { return ((a->start[j] + i) % a->n + a->n) % a->n; }

/* What point j makes of each mode: factor * sum_i value_i exp(i k l_i), instead of exp(i k x_j). */
static complex_t *effective(const axis *a, const double *stencil) {
  complex_t *e = complexes(a->points * a->modes);
  int w = a->window.width;
  for (int j = 0; j < a->points; j++)
    for (int k = 0; k < a->modes; k++) {
      complex_t sum = 0;
      for (int i = 0; i < w; i++)
        sum += stencil[j * w + i] * a->grid[k * a->n + cell(a, j, i)];
      e[j * a->modes + k] = a->factor[k] * sum;
    }
  return e;
}

static double relative(const complex_t *a, const complex_t *b, int64_t n) {
  return test_error((const double *)(const void *)a, (const double *)(const void *)b, 2 * n);
}

/* Type 1 in one or two dimensions: f_k = sum_j c_j prod_d e_d[j][k_d], for the windows' e and the exact one. */
static double type1_error(const axis *a, int ndim) {
  int points = a[0].points, nx = a[0].modes, ny = ndim > 1 ? a[1].modes : 1;
  complex_t *c = random_complexes(points), *got = complexes(nx * ny), *want = complexes(nx * ny);
  complex_t *e[2] = {effective(&a[0], a[0].value), ndim > 1 ? effective(&a[1], a[1].value) : NULL};
  for (int j = 0; j < points; j++)
    for (int y = 0; y < ny; y++) {
      complex_t gy = ndim > 1 ? e[1][j * ny + y] : 1, wy = ndim > 1 ? a[1].exact[j * ny + y] : 1;
      for (int x = 0; x < nx; x++) {
        got[y * nx + x] += c[j] * gy * e[0][j * nx + x];
        want[y * nx + x] += c[j] * wy * a[0].exact[j * nx + x];
      }
    }
  return relative(got, want, nx * ny);
}

/* Type 2 and its gradient in one dimension. */
static void type2_error(const axis *a, double *value, double *gradient) {
  int m = a->points, n = a->modes;
  complex_t *f = random_complexes(n), *e = effective(a, a->value), *s = effective(a, a->slope);
  complex_t *got = complexes(2 * m), *want = complexes(2 * m);
  for (int j = 0; j < m; j++)
    for (int k = 0; k < n; k++) {
      got[j] += f[k] * e[j * n + k];
      got[m + j] += f[k] * s[j * n + k];
      want[j] += f[k] * a->exact[j * n + k];
      want[m + j] += f[k] * a->exact[j * n + k] * I * (k - n / 2);
    }
  *value = relative(got, want, m);
  *gradient = relative(got + m, want + m, m);
}

/* Error / tolerance over a random sweep; `edge`: tolerances just above where FINUFFT's width changes, the worst place.
 * */
static void sweep(og_window_kind kind, int ndim, double sigma, int edge) {
  enum { MOST = 400 };
  double ratio[MOST], slope[MOST];
  int n = 0, gradients = 0, repeats = test.all ? 200 : 20;
  double worst = 0, worst_two = 0;
  for (int i = 0; i < repeats; i++) {
    double rate = M_PI * sqrt(1 - 1 / sigma), f = 0.18 * pow(1.4, ndim - 1);
    double tolerance = edge ? f * exp(-rate * (double)test_integer(1, (int64_t)fmin(13, 27 / rate))) * 1.0001
                            : pow(10, -1 - 5.5 * (test_uniform() + 1));
    int w = og_window_width(kind, tolerance, sigma, ndim, 0, 0),
        g = og_window_width(kind, tolerance, sigma, ndim, 0, 1);
    if (tolerance > 0.1 || (w == 16 && og_window_expected_error(kind, w, sigma, ndim, 0, 0) > tolerance))
      continue; /* out of reach */
    axis a[2];
    for (int d = 0; d < ndim; d++)
      make_axis(&a[d], kind, w, sigma, tolerance, 0, ndim == 1 ? 80 : 32 + 2 * d, ndim == 1 ? 160 : 150);
    double e = type1_error(a, ndim) / tolerance;
    if (w == 2)
      worst_two = fmax(worst_two, e);
    else
      worst = fmax(worst, e);
    ratio[n++] = e;
    if (ndim == 1 && g < 16) {
      double value;
      make_axis(&a[0], kind, g, sigma, tolerance, 1, 80, 160);
      type2_error(a, &value, &slope[gradients]);
      slope[gradients++] /= tolerance;
    }
    test_free();
  }
  double median = test_median(ratio, n);
  printf("%s %dd sigma=%.2f %s: error/tol median %.2f, worst %.2f (width 2: %.2f)", og_window_kind_name(kind), ndim,
         sigma, edge ? "at the edges" : "random tol", median, worst, worst_two);
  if (!edge) { /* at the edges nothing is promised for the narrowest windows and small sigma */
    CHECK_AT_MOST(median, 1, "median of error / tolerance");
    CHECK_AT_MOST(worst, kind == OG_PSWF ? 2.4 : 1.75, "worst error / tolerance");
    CHECK_AT_MOST(worst_two, kind == OG_PSWF ? 3 : 2.5, "worst error / tolerance of width 2");
  }
  if (gradients) {
    double most = 0, middle;
    for (int i = 0; i < gradients; i++)
      most = fmax(most, slope[i]);
    middle = test_median(slope, gradients);
    printf("; gradient %.2f, %.2f", middle, most);
    CHECK_AT_MOST(middle, 2, "median of the gradient's error / tolerance");
    CHECK_AT_MOST(most, 2.6, "worst of the gradient's error / tolerance");
  }
  printf("\n");
}

int main(int argc, char **argv) {
  static const double sigmas[] = {1.25, 1.5, 2.0, 2.5};
  const char *name = test_argument(argc, argv, "--window");
  int kind = og_window_kind_from_name(name ? name : "optimal");
  test_begin(argc, argv, "transforms with the windows meet the tolerance");
  for (int ndim = 1; ndim <= 2; ndim++)
    for (int s = 0; s < 4; s++)
      for (int edge = 0; edge < 2; edge++) {
        test_case("%s %dd sigma=%g edge=%d", og_window_kind_name(kind), ndim, sigmas[s], edge);
        sweep((og_window_kind)kind, ndim, sigmas[s], edge);
      }
  return test_end();
}
