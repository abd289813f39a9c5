/* A batch equals its single transforms, to rounding, whatever the number of vectors that a device does at once, and also where
 * there is memory for one grid only. */
//TEST name="cpu"
//TEST name="host" args="--backend host"
#include "common/problem3.h"
#include "plan/plan.h"

enum { VECTORS = 19 };

static void check_same(int precision, const double *batch, const double *single, int64_t n, const char *what) {
  CHECK_AT_MOST(test_error(batch, single, n), test_tolerance[precision].rounding, what);
}

static int64_t any_batch(void) {
  static const int64_t batches[] = {0, 0, 1, 2, 3, 4, 7, 8, 32};
  return batches[test_bits() % (sizeof batches / sizeof *batches)];
}

static int64_t any_vectors(void) { return test_integer(0, 2) ? test_integer(2, VECTORS) : 1; }

/* n_in, n_out: reals of one vector. */
static void check_call(const problem *p, og_plan plan, problem_call call, int64_t n_in, int64_t n_out,
                       const char *what) {
  int64_t n = any_vectors();
  double *in = test_random(n * n_in, p->options.precision);
  double *out = problem_execute(p, plan, call, n, in, n * n_in, n * n_out);
  for (int64_t v = 0; v < n; v++)
    check_same(p->options.precision, out + v * n_out, problem_execute(p, plan, call, 1, in + v * n_in, n_in, n_out),
               n_out, what);
}

static void check_gradient(const problem *p, og_plan plan) {
  int precision = p->options.precision;
  int64_t n = any_vectors(), n_values = problem_values_size(p), n_modes = problem_modes_size(p);
  double *f = test_random(n * n_modes, precision);
  void *gradients = test_pack(NULL, p->ndim * n * n_values, precision),
       *one = test_pack(NULL, p->ndim * n_values, precision);
  CHECK_OK(og_type2_gradient(plan, n, test_pack(f, n * n_modes, precision), NULL, gradients));
  double *got = test_unpack(gradients, p->ndim * n * n_values, precision);
  for (int64_t v = 0; v < n; v++) {
    CHECK_OK(og_type2_gradient(plan, 1, test_pack(f + v * n_modes, n_modes, precision), NULL, one));
    double *want = test_unpack(one, p->ndim * n_values, precision);
    for (int d = 0; d < p->ndim; d++)
      check_same(precision, got + (d * n + v) * n_values, want + d * n_values, n_values,
                 "gradient, batch against single");
  }
}

static void check_filter(const problem *p, og_plan plan) {
  int precision = p->options.precision;
  int64_t n_in = test_integer(1, VECTORS), n_out = any_vectors();
  int64_t n_values = problem_values_size(p), n_each = n_in * problem_modes_size(p);
  void *c = test_pack(test_random(n_in * n_values, precision), n_in * n_values, precision);
  double *times = test_random(n_out * n_each, precision);
  void *out = test_pack(NULL, n_out * n_values, precision), *one = test_pack(NULL, n_values, precision);
  CHECK_OK(og_filter(plan, n_in, c, n_out, test_pack(times, n_out * n_each, precision), out));
  double *got = test_unpack(out, n_out * n_values, precision);
  for (int64_t v = 0; v < n_out; v++) {
    CHECK_OK(og_filter(plan, n_in, c, 1, test_pack(times + v * n_each, n_each, precision), one));
    check_same(precision, got + v * n_values, test_unpack(one, n_values, precision), n_values,
               "filter, batch of outputs against single");
  }
}

static void check12(const problem *p) {
  og_plan plan = problem_plan(p);
  int64_t n[3], n_values = problem_values_size(p), n_modes = problem_modes_size(p);
  if (!plan || !CHECK_OK(og_plan_grid(plan, n)))
    return;
  int64_t n_grid = problem_parts(p) * n[0] * n[1] * n[2];
  if (!p->options.spread_only) {
    check_call(p, plan, og_type1, n_values, n_modes, "type 1, batch against single");
    check_call(p, plan, og_type2, n_modes, n_values, "type 2, batch against single");
    check_filter(p, plan);
  }
  check_call(p, plan, og_spread, n_values, n_grid, "spread, batch against single");
  check_call(p, plan, og_interp, n_grid, n_values, "interp, batch against single");
  if (p->options.gradient)
    check_gradient(p, plan);
  og_plan_destroy(plan);
}

static void check3(const problem3 *p) {
  og_plan plan = problem3_plan(p);
  if (!plan)
    return;
  int precision = p->options.precision;
  int64_t n = any_vectors();
  double *c = test_random(2 * n * p->n_points, precision), *f = test_random(2 * n * p->n_targets, precision);
  double *results = problem3_execute(p, plan, 0, n, c), *values = problem3_execute(p, plan, 1, n, f);
  for (int64_t v = 0; v < n; v++) {
    check_same(precision, results + 2 * v * p->n_targets, problem3_execute(p, plan, 0, 1, c + 2 * v * p->n_points),
               2 * p->n_targets, "type 3, batch against single");
    check_same(precision, values + 2 * v * p->n_points, problem3_execute(p, plan, 1, 1, f + 2 * v * p->n_targets),
               2 * p->n_points, "adjoint of type 3, batch against single");
  }
  og_plan_destroy(plan);
}

/* ---- memory for one grid only */

static int (*true_allocate)(void *device, size_t bytes, void **memory);
static size_t largest;

static int allocate(void *device, size_t bytes, void **memory) {
  OG_CHECK(bytes <= largest, OG_ERR_MEMORY, "no memory for %zu bytes", bytes);
  return true_allocate(device, bytes, memory);
}

static void check_memory(const char *backend, int precision) {
  og_options options = test_options(backend, precision, OG_COMPLEX);
  options.max_vectors = VECTORS;
  options.batch = 5;
  const int64_t n[3] = {20, 16, 12};
  problem p = problem_make(3, n, 100, POINTS_UNIFORM, &options);
  og_plan rich = problem_plan(&p), poor = problem_plan_without_points(&p);
  og_report rich_report = {.size = sizeof rich_report}, poor_report = rich_report;
  test_case("%s/one grid", problem_text(&p));
  if (!rich || !poor || !CHECK_OK(og_plan_report(rich, &rich_report)))
    return;
  const int batch = rich->device ? 5 : 1;
  CHECK(rich->core->batch == batch, "%d grids", (int)rich->core->batch);
  CHECK(rich_report.bytes_grid == (size_t)batch * rich->core->grid.bytes, "bytes_grid = %zu", rich_report.bytes_grid);
  if (poor->device) {
    true_allocate = poor->backend.allocate;
    largest = 2 * rich->core->grid.bytes;
    poor->backend.allocate = allocate;
  }
  if (problem_set_points(&p, poor) && CHECK_OK(og_plan_report(poor, &poor_report))) {
    CHECK(poor_report.bytes_grid == poor->core->grid.bytes, "bytes_grid = %zu, not of one", poor_report.bytes_grid);
    double *c = test_random(VECTORS * problem_values_size(&p), precision);
    check_same(precision, problem_type1(&p, poor, VECTORS, c), problem_type1(&p, rich, VECTORS, c),
               VECTORS * problem_modes_size(&p), "type 1, one grid against several");
  }
  og_plan_destroy(poor);
  og_plan_destroy(rich);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "a batch equals its single transforms");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision) {
    check_memory(backend, precision);
    test_free();
    for (int loose = 0; loose < 2; loose++) {
      og_options options = test_options(backend, precision, OG_COMPLEX);
      options.max_vectors = VECTORS;
      options.tolerance = loose ? 1e-2 : 1e-5;
      const double n[3] = {20, 9, 5}, half_width[3] = {1, 2, 3}, centre[3] = {0, 1, 2}, zero[3] = {0, 0, 0};
      for (int ndim = 1; ndim <= 3; ndim++) {
        options.batch = any_batch();
        problem3 p3 = problem3_make(ndim, n, half_width, centre, zero, 50, 70, &options);
        test_case("%s/batch=%d", problem3_text(&p3), (int)options.batch);
        check3(&p3);
        test_free();
      }
      FOR_VALUES(values)
      for (int i = 0; i < TEST_SIZES; i++) {
        if (!test_sample(3))
          continue;
        options.values = values;
        options.batch = any_batch();
        options.spread_only = test_bits() % 4 == 0;
        options.gradient = !options.spread_only && test_bits() % 2;
        int64_t size[3];
        for (int d = 0; d < 3; d++) /* a grid is wider than two windows */
          size[d] = test_sizes[i][d + 1] > 13 || !options.spread_only ? test_sizes[i][d + 1] : 13 + d;
        problem p = problem_make((int)test_sizes[i][0], size, 100, POINTS_UNIFORM, &options);
        test_case("%s/batch=%d%s", problem_text(&p), (int)options.batch, options.spread_only ? "/spread only" : "");
        check12(&p);
        test_free();
      }
    }
  }
  return test_end();
}
