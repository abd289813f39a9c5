/* The laws that choose width and error are the definition's: the parameters near the best, the error near the true one,
 * and the width never more than FINUFFT's. */
#include "common/test.h"
#include "window/family.h"

static og_window window;

static double random_sigma(void) { return 1 / (0.33 + 0.57 * (test_uniform() + 1) / 2); } /* 1.11 to 3 */

/* The expected error is the aliasing error computed from the definition, down to rounding. */
static void check_error(og_window_kind kind, int width, double sigma) {
  double value, slope;
  if (!CHECK_OK(og_window_make(&window, kind, width, sigma, 0, 1e-3)))
    return;
  og_window_alias(&window, 0, &value, &slope);
  double law = og_window_expected_error(kind, width, sigma, 1, 0, 0);
  double both = 2 * og_window_expected_error(kind, width, sigma, 1, 0, 1), true_both = fmax(2 * value, slope);
  if (value > 1e-13) {
    CHECK_AT_MOST(fabs(log(law / value)), 0.15, "logarithm of expected / true error");
    CHECK_AT_MOST(fabs(log(both / true_both)), 0.15, "logarithm of expected / true error of the gradient");
  } else
    CHECK_AT_MOST(law, 5e-13, "expected error beyond rounding");
}

/* No other parameters nearby are much better. */
static void check_parameters(int width, double sigma) {
  double value, slope, best;
  if (!CHECK_OK(og_window_make(&window, OG_OPTIMAL, width, sigma, 0, 1e-3)))
    return;
  double q = window.shape, a = window.basis[OG_OPTIMAL_SECOND];
  og_window_alias(&window, 0, &value, &slope);
  best = value;
  for (int i = 0; i < 60; i++) {
    double reach = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.3 : 0.1, along = reach * test_uniform();
    og_optimal_solve(&window, q + along + 0.2 * reach * test_uniform(), a + 1.5 * along + 0.3 * reach * test_uniform());
    og_window_quadrature(&window);
    og_window_alias(&window, 0, &value, &slope);
    best = fmin(best, value);
  }
  if (CHECK_OK(og_window_make(&window, OG_OPTIMAL, width, sigma, 0, 1e-3)))
    og_window_alias(&window, 0, &value, &slope);
  if (value > 1e-12)
    CHECK_AT_MOST(value / best, 1.15, "error of the law's parameters over that of the best found");
}

/* The optimal window beats PSWF, and KB beats ES, at every width and sigma where rounding allows. */
static void check_order(int width, double sigma) {
  double optimal = og_window_expected_error(OG_OPTIMAL, width, sigma, 1, 0, 0);
  double pswf = og_window_expected_error(OG_PSWF, width, sigma, 1, 0, 0);
  double kb = og_window_expected_error(OG_KB, width, sigma, 1, 0, 0);
  CHECK(optimal < pswf && pswf < 1.02 * kb, "errors optimal %.3g, pswf %.3g, kb %.3g", optimal, pswf, kb);
}

/* Width: smallest that is enough, or FINUFFT's where that is smaller; one more where FINUFFT's is far from enough. */
static void check_width(og_window_kind kind, double tolerance, double sigma, int ndim, int type3) {
  int w = og_window_width(kind, tolerance, sigma, ndim, type3, 0);
  int g = og_window_width(kind, tolerance, sigma, ndim, type3, 1);
  double f = 0.18 * pow(1.4, ndim - 1) * (type3 ? 1.4 : 1);
  int law = (int)ceil(log(f / tolerance) / (M_PI * sqrt(1 - 1 / sigma)) + 1);
  law = law < 2 ? 2 : law > 16 ? 16 : law;
  double bearable = (law == 2 ? 1.9 : 1.5) * tolerance;
  int exceeds = law < 16 && og_window_expected_error(kind, law, sigma, ndim, type3, 0) > bearable;
  CHECK(w >= 2 && w <= law + exceeds, "width %d, FINUFFT's %d", w, law);
  CHECK(!exceeds || w == law + 1, "width %d, FINUFFT's %d is not enough", w, law);
  CHECK(!exceeds || kind == OG_PSWF || law <= 4, "more than FINUFFT's width %d", law);
  CHECK(g >= w && g <= w + (kind == OG_PSWF ? 3 : 2), "width %d with gradient, %d without", g, w);
  double e = og_window_expected_error(kind, w, sigma, ndim, type3, 0);
  if (w != law)
    CHECK_AT_MOST(e, tolerance, "error of a width below or above FINUFFT's");
  else if (w < 16)
    CHECK_AT_MOST(e, bearable, "error of FINUFFT's width");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the laws of width, parameters and error agree with the definition of the error");
  for (int kind = 0; kind < OG_WINDOW_KINDS; kind++)
    for (int width = 2; width <= OG_MAX_WIDTH; width++) {
      int fixed = og_window_family_of(kind)->width;
      for (int i = 0; i < (test.all ? 10 : 1) && (!fixed || fixed == width); i++) {
        double sigma = random_sigma();
        test_case("%s w=%d sigma=%.4f", og_window_kind_name(kind), width, sigma);
        check_error((og_window_kind)kind, width, sigma);
      }
    }
  for (int width = 2; width <= 14; width++)
    for (int i = 0; i < (test.all ? 10 : 1); i++) {
      double sigma = random_sigma();
      test_case("w=%d sigma=%.4f", width, sigma);
      check_order(width, sigma);
      check_parameters(width, sigma);
    }
  for (int i = 0; i < (test.all ? 20000 : 2000); i++) {
    og_window_kind kind = i & 1 ? OG_OPTIMAL : OG_PSWF;
    double tolerance = pow(10, -0.5 - 7 * (test_uniform() + 1)), sigma = random_sigma();
    int ndim = (int)test_integer(1, 3), type3 = (int)test_integer(0, 1);
    test_case("%s tol=%.3g sigma=%.4f %dd type3=%d", og_window_kind_name(kind), tolerance, sigma, ndim, type3);
    check_width(kind, tolerance, sigma, ndim, type3);
  }
  return test_end();
}
