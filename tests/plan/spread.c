/* og_spread and og_interp are the sums of the window that the header writes, on every backend, for every window. */
#include "common/problem.h"

/* Weights of point coordinate x on all n cells, summed over the periodic images within reach. */
static void weights(og_window_handle window, int width, double x, double period, int64_t n, int polynomial, double *w) {
  long double turns = (long double)x / period;
  double g = (double)((turns - floorl(turns)) * (long double)n);
  int64_t start = (int64_t)ceil(g - 0.5 * width);
  memset(w, 0, (size_t)n * sizeof *w);
  for (int i = 0; i < width; i++) {
    double distance = (double)(start + i) - g;
    w[((start + i) % n + n) % n] +=
        polynomial ? og_window_polynomial(window, distance) : og_window_value(window, distance);
  }
}

static void check(const problem *p, int kind) {
  og_plan plan = problem_plan(p);
  og_report report = {.size = sizeof report};
  og_window_handle window = NULL;
  int64_t n[3];
  if (!plan || !CHECK_OK(og_plan_grid(plan, n)) || !CHECK_OK(og_plan_report(plan, &report)) ||
      !CHECK_OK(og_window_create(&window, report.window, report.width, report.sigma, report.shape)))
    return;
  int parts = problem_parts(p), precision = p->options.precision;
  int64_t n_grid = parts * n[0] * n[1] * n[2], n_values = problem_values_size(p);
  double *c = test_random(n_values, precision), *g = test_random(n_grid, precision);
  double *got_grid = problem_execute(p, plan, og_spread, 1, c, n_values, n_grid);
  double *got_values = problem_execute(p, plan, og_interp, 1, g, n_grid, n_values);
  double *grid = test_doubles(n_grid), *values = test_doubles(n_values);
  double *w[3];
  for (int d = 0; d < 3; d++) {
    w[d] = test_doubles(n[d]);
    w[d][0] = 1;
  }
  for (int64_t j = 0; j < p->n_points; j++) {
    for (int d = 0; d < p->ndim; d++)
      weights(window, report.width, p->x[d][j], problem_period(p, d), n[d],
              p->options.evaluation == OG_EVALUATE_POLYNOMIAL, w[d]);
    for (int64_t z = 0; z < n[2]; z++)
      for (int64_t y = 0; y < n[1]; y++)
        for (int64_t x = 0; w[2][z] * w[1][y] != 0 && x < n[0]; x++)
          for (int part = 0; part < parts; part++) {
            int64_t cell = parts * (x + n[0] * (y + n[1] * z)) + part;
            double weight = w[0][x] * w[1][y] * w[2][z];
            grid[cell] += weight * c[parts * j + part];
            values[parts * j + part] += weight * g[cell];
          }
  }
  /* the plan may fit its polynomials no better than its tolerance or its window asks; at edges a coordinate's last bit may
   * move the stencil by a cell, and the result by the window's jump at its ends; the jump is of the window's height, the
   * result's size of its mean square in each dimension, a third of that */
  double jump = og_window_value(window, 0.5 * report.width * (1 - 1e-12)) / og_window_value(window, 0);
  double bound = fmax(test_tolerance[precision].rounding * 4, 0.5 * fmax(p->options.tolerance, report.expected_error));
  if (kind == POINTS_EDGES)
    bound = 100 * fmax(bound, fabs(jump));
  CHECK_AT_MOST(test_error(got_grid, grid, n_grid), bound, "spread differs by");
  CHECK_AT_MOST(test_error(got_values, values, n_values), bound, "interp differs by");
  og_window_destroy(window);
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "spread and interp are the sums that the header writes");
  /* spread_only: n_modes is the fine grid */
  const int64_t sizes[][4] = {{1, 40, 1, 1},  {1, 37, 1, 1},   {2, 36, 40, 1},
                              {2, 33, 47, 1}, {3, 34, 32, 36}, {3, 33, 35, 40}};
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < 6; i++)
    for (int window = 0; og_window_name(window); window++)
      for (int evaluation = OG_EVALUATE_POLYNOMIAL; evaluation <= OG_EVALUATE_DIRECT; evaluation++) {
        if (!test_sample(3))
          continue;
        og_options options = test_options(backend, precision, values);
        options.spread_only = 1;
        options.window = og_window_name(window);
        options.evaluation = evaluation;
        options.tolerance = precision == OG_F32 ? 1e-5 : 1e-10;
        int kind = (int)test_integer(0, POINTS_KINDS - 1);
        problem p = problem_make((int)sizes[i][0], sizes[i] + 1, 40, kind, &options);
        test_case("%s/%s/%s/evaluation=%d", problem_text(&p), test_points_name[kind], options.window, evaluation);
        check(&p, kind);
        test_free();
      }
  return test_end();
}
