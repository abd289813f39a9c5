/* Each spreading method adds every point's strength times the window's products to the cells of its stencil: as plain loops
 * do, with each driver that works here. */
//TEST name="methods" parts="8"
#include "methods.h"

static const char *const methods[] = {"atomic", "tiled", "grid", "stream", "matrix", "auto"};
enum { METHODS = sizeof methods / sizeof *methods };

/* absolute: every term by its absolute value. */
static double *expected(const test_points *t, const double *strengths, int absolute) {
  static int64_t cell[TEST_MAX_STENCIL];
  static double weight[TEST_MAX_STENCIL];
  double *cells = test_doubles(t->p.vectors * t->vector_cells * t->reals);
  for (int64_t point = 0; point < t->p.n_points; point++) {
    int n = test_terms(t, point, -1, cell, weight);
    for (int64_t v = 0; v < t->p.vectors; v++)
      for (int i = 0; i < n; i++)
        for (int64_t r = 0; r < t->reals; r++) {
          double term = weight[i] * strengths[(v * t->vector_points + point) * t->reals + r];
          cells[(v * t->vector_cells + cell[i]) * t->reals + r] += absolute ? fabs(term) : term;
        }
  }
  return cells;
}

static void compare(const test_points *t, double *got, double *want, double *absolute) {
  int64_t n = t->p.vectors * t->vector_cells * t->reals, cells = 0;
  for (int64_t i = 0; i < n; i++)
    if (test_in_grid(t, i)) {
      got[cells] = got[i];
      absolute[cells] = absolute[i];
      want[cells++] = want[i];
    }
  CHECK_AT_MOST(test_sum_error(got, want, absolute, cells), test_sum_tolerance(t), "relative error");
}

static void run(test_gpu *gpu, const char *method, const test_problem *p) {
  test_points t;
  test_sorted s;
  og_gpu_methods chosen;
  og_gpu_launcher launcher = {0};
  if (!test_points_make(p, method, "auto", &t) ||
      !CHECK_OK(og_gpu_methods_choose(&gpu->device->info, &t.setup, p->n_points, &chosen)))
    return;
  og_gpu_method_share(&chosen.spread, p->batch);
  t.p.packed = p->packed && chosen.sorted; /* what is not sorted has no records */
  test_sort(&t, chosen.cells, gpu, &s);
  if (CHECK_OK(og_gpu_launcher_make(&launcher, gpu->device, gpu->queue, &t.setup, &chosen, t.p.packed))) {
    int64_t n_strengths = p->vectors * t.vector_points * t.reals, n_cells = p->vectors * t.vector_cells * t.reals;
    size_t real = test_real_bytes(p->precision);
    double *strengths = test_random(n_strengths, p->precision);
    void *d_strengths = test_gpu_put(gpu, test_pack(strengths, n_strengths, p->precision), (size_t)n_strengths * real);
    void *cells = test_pack(NULL, n_cells, p->precision), *d_cells = test_gpu_put(gpu, cells, (size_t)n_cells * real);
    og_gpu_vectors vectors = {p->vectors, t.vector_points, t.vector_cells, 0};
    CHECK_OK(og_gpu_launch_spread(&launcher, &s.points, &vectors, d_strengths, d_cells));
    test_gpu_take(gpu, d_cells, cells, (size_t)n_cells * real);
    compare(&t, test_unpack(cells, n_cells, p->precision), expected(&t, strengths, 0), expected(&t, strengths, 1));
    gpu->driver->release(gpu->device->handle, d_strengths);
  }
  og_gpu_launcher_free(&launcher);
  test_sorted_free(gpu, &s);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "spreading is the sum over points of strength times window, by every method");
  test_methods_everywhere(
      &(test_methods){.names = methods, .n_names = METHODS, .kinds = 1, .stream_lines = 1, .run = run});
  return test_end();
}
