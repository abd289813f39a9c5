/* Windows are the functions they claim to be, and their transforms are right to rounding. */
#include "common/test.h"
#include "window/family.h"

static const double sigmas[] = {1.1, 1.25, 1.5, 2.0, 4.0};

/* int phi(x) cos(xi x) dx in long double, cell by cell, with far more nodes than needed; x = w/2 sin(theta) in the last
 * cell, where a window may go like a square root. */
static double transform_slowly(const og_window *window, double xi) {
  enum { NODES = 48 };
  static double node[NODES], weight[NODES];
  if (!node[0])
    og_quadrature(NODES, node, weight);
  long double sum = 0, half = window->width / 2.0L, pi = acosl(-1);
  for (int p = 0; p < (window->width + 1) / 2; p++) {
    long double upper = asinl((half - p) / half), lower = asinl(fmaxl(half - p - 1, 0) / half);
    upper = p ? upper : pi / 2;
    for (int i = 0; i < NODES; i++) {
      long double theta = lower + (upper - lower) * node[i], x = half * sinl(theta);
      sum += 2 * (upper - lower) * weight[i] * half * cosl(theta) * og_window_phi(window, (double)x) * cosl(xi * x);
    }
  }
  return (double)sum;
}

/* Quadrature: hat, its fast form, and the slow sum agree for each kind, width and sigma at the kept frequencies.
 * Rounding is relative to hat(0), so that it grows where hat has become small. */
static void check_transform(const og_window *window) {
  double largest = og_window_hat(window, 0), step = M_PI / window->sigma / 13, factor[14];
  og_series series;
  og_window_factors(window, step, 0, 14, factor);
  og_series_make(window, M_PI / window->sigma, &series);
  for (int k = 0; k < 14; k++) {
    double hat = og_window_hat(window, k * step), slow = transform_slowly(window, k * step);
    CHECK_AT_MOST(fabs(hat - slow) / largest, 2e-15, "error of the transform");
    CHECK_AT_MOST(fabs(1 / factor[k] - hat) / largest, 2e-15, "error of the factors");
    const double xi = k * step, *const at[3] = {&xi, &xi, &xi};
    double one, cubed;
    og_series_factors(&series, 1, 1, at, &one);
    og_series_factors(&series, 3, 1, at, &cubed);
    CHECK_AT_MOST(fabs(one * slow - 1), 4e-14 + 5e-15 * largest / fabs(slow), "relative error of the series");
    CHECK_AT_MOST(fabs(cubed / (one * one * one) - 1), 1e-14, "one dimension and three differ by");
  }
}

/* Many modes: pieces in which hat is a short series, on both sides of zero, and one that holds them all. */
static void check_many_factors(const og_window *window) {
  enum { N = 1000 };
  double factor[N], worst = 0;
  for (double step = M_PI / window->sigma / N; step > 1e-7; step /= 30) {
    og_window_factors(window, step, -7, N, factor);
    for (int k = 0; k < N; k++)
      worst = fmax(worst, fabs(1 / factor[k] - og_window_hat(window, (k - 7) * step)));
  }
  CHECK_AT_MOST(worst / og_window_hat(window, 0), 5e-15, "error of many factors");
}

static void check_shape(const og_window *window) {
  double half = window->width / 2.0, edge = half * (1 - 1e-9);
  CHECK_AT_MOST(fabs(og_window_phi(window, 0) - 1), 1e-14, "phi(0) - 1");
  CHECK(og_window_phi(window, half * 1.01) == 0 && og_window_phi(window, -half * 1.01) == 0, "phi is 0 outside");
  for (int i = 0; i < 20; i++) {
    double x = edge * test_uniform();
    double other = og_window_phi(window, -x), other_slope = og_window_phi_derivative(window, -x);
    CHECK_AT_MOST(fabs(og_window_phi(window, x) - other), 1e-14, "phi(x) - phi(-x)");
    CHECK_AT_MOST(fabs(og_window_phi_derivative(window, x) + other_slope), 1e-13, "phi'(x) + phi'(-x)");
    if (window->kind == OG_OPTIMAL) /* whose slope is its own stencil */
      continue;
    double h = 1e-4, cell = floor(x + half) - half; /* a difference of fourth order that does not leave the cell */
    if (x - cell < 3 * h || cell + 1 - x < 3 * h || half - fabs(x) < 0.05)
      continue;
    double slope = (8 * (og_window_phi(window, x + h) - og_window_phi(window, x - h)) -
                    (og_window_phi(window, x + 2 * h) - og_window_phi(window, x - 2 * h))) /
                   (12 * h);
    CHECK_AT_MOST(fabs(slope - og_window_phi_derivative(window, x)), 1e-9, "error of phi'");
  }
}

/* PSWF: int_{-1}^1 psi(t) cos(c z t) dt is a multiple of psi(z), and psi > 0 picks the first of those functions. */
static void check_eigenfunction(const og_window *window) {
  double zero = transform_slowly(window, 0);
  for (int i = 0; i <= 20; i++) {
    double z = i / 20.0, x = z * window->width / 2;
    double integral = transform_slowly(window, 2 * window->shape * z / window->width) / zero;
    CHECK_AT_MOST(fabs(integral - og_window_phi(window, x)), 2e-15, "distance from the eigenfunction");
    CHECK(og_window_phi(window, x) > -1e-15, "psi(%g) = %g, want > 0", z, og_window_phi(window, x));
  }
}

/* Closed forms: Kaiser-Bessel, a Gaussian cut so far out that the cut is below rounding, and the linear interpolator.
 * */
static void check_closed_form(const og_window *window) {
  double largest = og_window_hat(window, 0);
  for (int i = 1; i <= 20; i++) {
    double xi = i * M_PI / window->sigma / 20, w = window->width, want = NAN;
    if (window->kind == OG_KB) {
      long double r2 = powl(window->shape, 2) - powl(xi * w / 2, 2), r = sqrtl(fabsl(r2)), i0 = 1, term = 1;
      for (int k = 1; term > 1e-22L * i0; k++)
        i0 += term *= powl(window->shape / (2.0L * k), 2);
      want = (double)(w * (r2 > 0 ? sinhl(r) : sinl(r)) / (r * i0));
    } else if (window->kind == OG_GAUSSIAN)
      want = window->shape * sqrt(2 * M_PI) * exp(-pow(window->shape * xi, 2) / 2);
    else
      want = pow(sin(xi / 2) / (xi / 2), 2);
    CHECK_AT_MOST(fabs(og_window_hat(window, xi) - want) / largest, 2e-15, "distance from the closed form");
  }
}

int main(int argc, char **argv) {
  static og_window window;
  test_begin(argc, argv, "windows are the functions they claim to be, and their transforms are right to rounding");
  for (int kind = 0; kind < OG_WINDOW_KINDS; kind++)
    for (int width = 2; width <= OG_MAX_WIDTH; width++)
      for (int s = 0; s < 5; s++) {
        int fixed = og_window_family_of(kind)->width;
        if ((fixed && width != fixed) || !test_sample(3))
          continue;
        test_case("%s w=%d sigma=%g", og_window_kind_name(kind), width, sigmas[s]);
        if (!CHECK_OK(og_window_make(&window, (og_window_kind)kind, width, sigmas[s], 0, 1e-6)))
          continue;
        check_transform(&window);
        check_many_factors(&window);
        check_shape(&window);
        if (kind == OG_PSWF)
          check_eigenfunction(&window);
        if (kind == OG_KB || kind == OG_LINEAR)
          check_closed_form(&window);
      }
  for (int width = 6; width <= OG_MAX_WIDTH; width += 2) {
    test_case("gaussian w=%d, cut at 9 standard deviations", width);
    CHECK_OK(og_window_make(&window, OG_GAUSSIAN, width, 2, width / 18.0, 1e-6));
    check_closed_form(&window);
  }
  test_case("pswf of small and large bandwidth");
  for (int i = 0; i < 6; i++) {
    CHECK_OK(og_window_make(&window, OG_PSWF, 4, 2, (double[]){0.01, 0.5, 2, 20, 60, 90}[i], 1e-6));
    check_eigenfunction(&window);
  }
  return test_end();
}
