/* The fitted polynomials are the window, to rounding where asked, and mirrored exactly. */
#include "common/test.h"
#include "window/family.h"

static double horner(double power[][OG_MAX_WIDTH], int degree, int cell, double t) {
  double sum = 0;
  for (int k = degree; k >= 0; k--)
    sum = sum * t + power[k][cell];
  return sum;
}

/* Largest distance of the polynomials from phi and from -phi' over the stencil. */
static void distance(og_window *window, double *value, double *slope) {
  *value = *slope = 0;
  for (int cell = 0; cell < window->width; cell++)
    for (int i = 0; i < 40; i++) { /* t = -1 too: a cell's own end, where the optimal window jumps */
      double t = -1 + i / 20.0, x = cell - (window->width - 1) / 2.0 + t / 2,
             other = og_window_cell(window, cell, t, 1);
      CHECK_AT_MOST(fabs(og_window_cell(window, cell, t, 0) - og_window_phi(window, x)), 1e-14, "cell - phi");
      CHECK_AT_MOST(fabs(other + og_window_phi_derivative(window, x)), 1e-12, "cell + phi'");
      *value = fmax(*value, fabs(horner(window->coef, window->degree, cell, t) - og_window_phi(window, x)));
      *slope =
          fmax(*slope, fabs(horner(window->derivative, window->degree, cell, t) + og_window_phi_derivative(window, x)));
    }
}

static void check_mirror(const og_window *window) {
  int w = window->width, wrong = 0;
  for (int k = 0; k <= OG_MAX_DEGREE; k++)
    for (int i = 0; i < OG_MAX_WIDTH; i++) {
      double sign = k & 1 ? -1 : 1;
      int inside = i < w && k <= window->degree;
      wrong += inside && window->coef[k][i] != sign * window->coef[k][w - 1 - i];
      wrong += inside && window->derivative[k][i] != -sign * window->derivative[k][w - 1 - i];
      wrong += !inside && (window->coef[k][i] != 0 || window->derivative[k][i] != 0);
    }
  CHECK(!wrong, "%d coefficients are not mirrored exactly, or not 0 outside", wrong);
}

int main(int argc, char **argv) {
  static og_window window;
  static const double sigmas[] = {1.1, 1.25, 1.5, 2.0, 3.0};
  test_begin(argc, argv, "fitted polynomials are the window, to rounding where asked, and mirrored exactly");
  for (int kind = 0; kind < OG_WINDOW_KINDS; kind++)
    for (int width = 2; width <= OG_MAX_WIDTH; width++)
      for (int s = 0; s < 5; s++) {
        int fixed = og_window_family_of(kind)->width;
        if ((fixed && width != fixed) || !test_sample(2))
          continue;
        test_case("%s w=%d sigma=%g", og_window_kind_name(kind), width, sigmas[s]);
        double value, slope, exact, exact_slope, got, got_slope;
        if (!CHECK_OK(og_window_make(&window, (og_window_kind)kind, width, sigmas[s], 0, 0)))
          continue;
        check_mirror(&window);
        int full = window.degree;
        distance(&window, &value, &slope);
        /* es has a square root's edge, which no polynomial follows: its height exp(-beta) bounds the error */
        double floor_value = kind == OG_ES ? exp(-window.shape) : 0,
               floor_slope = kind == OG_ES ? 1e4 * floor_value : 0;
        CHECK_AT_MOST(value, 1e-14 + floor_value, "error of the values fitted to rounding");
        CHECK_AT_MOST(slope, 5e-13 + floor_slope, "error of the slopes fitted to rounding");
        /* A tolerance: of lower degree, and the transform's error is within what the fit may add. */
        og_window_alias(&window, 0, &exact, &exact_slope);
        for (double tolerance = 1e-1; tolerance > exact && tolerance > 1e-13; tolerance /= 10) {
          og_window_fit(&window, tolerance, 0);
          check_mirror(&window);
          og_window_alias(&window, 1, &got, &got_slope);
          CHECK_AT_MOST(got, fmax(hypot(exact, 0.25 * tolerance), 0.45 * tolerance), "error with fitted polynomials");
          CHECK(window.degree <= full, "degree %d for %g, but %d to rounding", window.degree, tolerance, full);
          int degree = window.degree;
          og_window_fit(&window, tolerance, 1);
          CHECK(window.degree >= degree, "degree %d with, %d without gradient", window.degree, degree);
          og_window_alias(&window, 1, &got, &got_slope);
          CHECK_AT_MOST(got_slope, 1.05 * exact_slope + tolerance, "gradient's error with fitted polynomials");
        }
      }
  return test_end();
}
