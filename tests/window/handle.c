/* The public window functions: a handle's numbers agree with each other, the search finds the best shape, and misuse is
 * one clear error. */
#include "common/test.h"

static void check_handle(const char *name, int width, double sigma) {
  og_window_handle window;
  if (!CHECK_OK(og_window_create(&window, name, width, sigma, 0)))
    return;
  double sum = 0, largest = 0, half = width / 2.0;
  for (int i = 0; i < 2000; i++) { /* midpoint rule: crude, but the integral of value is transform at 0 */
    double x = half * (2 * (i + 0.5) / 2000 - 1);
    sum += og_window_value(window, x) * width / 2000.0;
    largest = fmax(largest, fabs(og_window_value(window, x) - og_window_polynomial(window, x)));
  }
  CHECK_AT_MOST(fabs(sum - og_window_transform(window, 0)), 3e-3, "integral - transform(0)");
  CHECK_AT_MOST(largest, 1e-14 + (strcmp(name, "es") ? 0 : exp(-og_window_shape(window))), "polynomial - value");
  CHECK(og_window_value(window, half * 1.001) == 0 && og_window_polynomial(window, half * 1.001) == 0, "0 outside");
  CHECK(og_window_value(window, NAN) == 0 && og_window_polynomial(window, NAN) == 0, "0 at NaN");
  double seam = 1.1 * 3.14159265358979323846; /* where the public function changes its quadrature */
  double below = og_window_transform(window, seam * (1 - 1e-13)),
         above = og_window_transform(window, seam * (1 + 1e-13));
  CHECK_AT_MOST(fabs(below - above), 1e-11, "a jump of the transform");
  double far = og_window_transform(window, 9.5), slow = 0;
  for (int i = 0; i < 4000; i++) {
    double x = half * (2 * (i + 0.5) / 4000 - 1);
    slow += og_window_value(window, x) * cos(9.5 * x) * width / 4000.0;
  }
  CHECK_AT_MOST(fabs(far - slow), 2e-3, "transform beyond the kept frequencies");
  CHECK(og_window_degree(window) >= 1 && og_window_degree(window) <= 24, "degree %d", og_window_degree(window));
  double before = og_window_aliasing(window), shape = og_window_shape(window), best;
  CHECK(before > 0 && before < 10, "aliasing %g", before);
  og_window_destroy(window);
  if (!CHECK_OK(og_window_optimise(name, width, sigma, &best)))
    return;
  CHECK((best > 0) == (shape > 0), "best shape %g, known %g", best, shape);
  if (best == 0 || !CHECK_OK(og_window_create(&window, name, width, sigma, best)))
    return;
  double after = og_window_aliasing(window);
  CHECK_AT_MOST(after, before * (before > 1e-12 ? 1.001 : 2), "aliasing of the best shape");
  CHECK_AT_MOST(fabs(og_window_shape(window) - best), 0, "shape - what was asked for");
  og_window_destroy(window);
  if (before > 1e-12 && (!strcmp(name, "pswf") || !strcmp(name, "kb"))) /* their laws were fitted to the search */
    CHECK_AT_MOST(before / after, 1.1, "aliasing of the known shape over the best");
}

static void check_misuse(void) {
  og_window_handle window = (og_window_handle)&test;
  double shape;
  CHECK_CODE(og_window_create(NULL, "pswf", 6, 2, 0), OG_ERR_NULL, "window");
  CHECK_CODE(og_window_create(&window, NULL, 6, 2, 0), OG_ERR_NULL, "name");
  CHECK(!window, "a failed create leaves NULL");
  CHECK_CODE(og_window_create(&window, "kaiser", 6, 2, 0), OG_ERR_OPTION, "kaiser");
  CHECK_CODE(og_window_create(&window, "pswf", 1, 2, 0), OG_ERR_OPTION, "width");
  CHECK_CODE(og_window_create(&window, "pswf", 17, 2, 0), OG_ERR_OPTION, "width");
  CHECK_CODE(og_window_create(&window, "linear", 3, 2, 0), OG_ERR_OPTION, "width");
  CHECK_CODE(og_window_create(&window, "kb", 6, 1, 0), OG_ERR_OPTION, "sigma");
  CHECK_CODE(og_window_create(&window, "kb", 6, NAN, 0), OG_ERR_OPTION, "sigma");
  CHECK_CODE(og_window_create(&window, "kb", 6, 2, -1), OG_ERR_OPTION, "shape");
  CHECK_CODE(og_window_create(&window, "kb", 6, 2, NAN), OG_ERR_OPTION, "shape");
  CHECK_CODE(og_window_create(&window, "es", 6, 2, 1e9), OG_ERR_OPTION, "shape");
  CHECK_CODE(og_window_optimise("pswf", 6, 2, NULL), OG_ERR_NULL, "shape");
  CHECK_CODE(og_window_optimise(NULL, 6, 2, &shape), OG_ERR_NULL, "name");
  CHECK_CODE(og_window_optimise("none", 6, 2, &shape), OG_ERR_OPTION, "none");
  og_window_destroy(NULL);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "a window's handle is consistent, its search finds the best shape, and misuse is an error");
  for (int i = 0; og_window_name(i); i++)
    for (int width = 2; width <= 16; width++)
      for (double sigma = 1.25; sigma <= 2.5; sigma *= 1.26) {
        const char *name = og_window_name(i);
        if ((!strcmp(name, "linear") && width != 2) || (!strcmp(name, "cubic") && width != 4) || !test_sample(20))
          continue;
        test_case("%s w=%d sigma=%g", name, width, sigma);
        check_handle(name, width, sigma);
      }
  CHECK(!og_window_name(-1) && !og_window_name(1000), "names past the last are NULL");
  test_case("misuse");
  check_misuse();
  return test_end();
}
