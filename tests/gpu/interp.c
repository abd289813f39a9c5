/* Each interpolation method sums the cells of every point's stencil times the window's products, and the gradient takes the
 * window's derivative in its dimension: as plain loops do, with each driver that works here. */
//TEST name="methods" parts="4"
#include "methods.h"

static const char *const methods[] = {"direct", "sorted", "stream", "matrix", "auto"};
enum { METHODS = sizeof methods / sizeof *methods };

/* along: -1 for values, else the dimension of the derivative; absolute: every term by its absolute value. */
static double *expected(const test_points *t, const double *cells, int along, int absolute) {
  static int64_t cell[TEST_MAX_STENCIL];
  static double weight[TEST_MAX_STENCIL];
  double *values = test_doubles(t->p.vectors * t->vector_points * t->reals);
  for (int64_t point = 0; point < t->p.n_points; point++) {
    int n = test_terms(t, point, along, cell, weight);
    for (int64_t v = 0; v < t->p.vectors; v++)
      for (int i = 0; i < n; i++)
        for (int64_t r = 0; r < t->reals; r++) {
          double term = weight[i] * cells[(v * t->vector_cells + cell[i]) * t->reals + r];
          values[(v * t->vector_points + point) * t->reals + r] += absolute ? fabs(term) : term;
        }
  }
  return values;
}

/* What lies between the vectors is not a result: it stays as it was, NaN. */
static void compare(const test_points *t, const void *got, const double *want, const double *absolute,
                    const char *what) {
  int64_t each = t->p.n_points * t->reals, row = t->vector_points * t->reals;
  double *unpacked = test_unpack(got, t->p.vectors * row, t->p.precision);
  for (int64_t v = 0; v < t->p.vectors; v++) {
    CHECK_AT_MOST(test_sum_error(unpacked + v * row, want + v * row, absolute + v * row, each), test_sum_tolerance(t),
                  what);
    CHECK(isnan(unpacked[v * row + each]), "%s: wrote past the last point", what);
  }
}

static void launch(test_gpu *gpu, og_gpu_launcher *launcher, const test_points *t, const test_sorted *s, int values) {
  static const char *const names[] = {"value", "gradient x", "gradient y", "gradient z"};
  int64_t n_values = t->p.vectors * t->vector_points * t->reals, n_cells = t->p.vectors * t->vector_cells * t->reals;
  size_t bytes = (size_t)n_values * test_real_bytes(t->p.precision);
  double *cells = test_random(n_cells, t->p.precision);
  void *d_cells =
      test_gpu_put(gpu, test_pack(cells, n_cells, t->p.precision), (size_t)n_cells * test_real_bytes(t->p.precision));
  void *out[4], *d_out[4] = {NULL};
  for (int k = 0; k <= (t->p.gradient ? t->p.dim : 0); k++) {
    out[k] = test_pack(NULL, n_values, t->p.precision);
    d_out[k] = test_gpu_put(gpu, out[k], bytes);
  }
  og_gpu_vectors vectors = {t->p.vectors, t->vector_points, t->vector_cells, 0};
  CHECK_OK(og_gpu_launch_interp(launcher, &s->points, &vectors, d_cells, values ? d_out[0] : NULL,
                                t->p.gradient ? d_out + 1 : NULL));
  for (int k = 0; k <= (t->p.gradient ? t->p.dim : 0); k++) {
    test_gpu_take(gpu, d_out[k], out[k], bytes);
    if (k || values)
      compare(t, out[k], expected(t, cells, k - 1, 0), expected(t, cells, k - 1, 1), names[k]);
  }
  gpu->driver->release(gpu->device->handle, d_cells);
}

static void run(test_gpu *gpu, const char *method, const test_problem *p) {
  test_points t;
  test_sorted s;
  og_gpu_methods chosen;
  og_gpu_launcher launcher = {0};
  if (!test_points_make(p, "auto", method, &t) ||
      !CHECK_OK(og_gpu_methods_choose(&gpu->device->info, &t.setup, p->n_points, &chosen)))
    return;
  og_gpu_method_share(&chosen.interp, p->batch);
  og_gpu_method_share(&chosen.gradient, p->batch);
  t.p.packed = p->packed && chosen.sorted; /* what is not sorted has no records */
  test_sort(&t, chosen.cells, gpu, &s);
  if (CHECK_OK(og_gpu_launcher_make(&launcher, gpu->device, gpu->queue, &t.setup, &chosen, t.p.packed))) {
    launch(gpu, &launcher, &t, &s, 1);
    if (p->gradient)
      launch(gpu, &launcher, &t, &s, 0);
  }
  og_gpu_launcher_free(&launcher);
  test_sorted_free(gpu, &s);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "interpolation is the sum over a stencil of cell times window, by every method");
  test_methods_everywhere(
      &(test_methods){.names = methods, .n_names = METHODS, .kinds = 2, .stream_lines = 0, .run = run});
  return test_end();
}
