/* Every threaded path with enough work for every thread gives what one thread gives: sort, spread, interpolate, gradient,
 * filter, batches, FFT lines and long lines, deconvolution, copies of grids, type 3, the direct sum, new points on an old
 * plan, borrowed points. The thread sanitizer runs this. */
#include "common/problem3.h"

enum { VECTORS = 2, TEAM = 3 };

typedef struct results {
  double *array[16];
  int64_t size[16];
  int n;
} results;

/* Out of one call: n reals, NaN where it did not write. */
static void *room(int64_t n, int precision) { return test_pack(NULL, n, precision); }

static void keep(results *r, const void *packed, int64_t n, int precision) {
  r->array[r->n] = test_unpack(packed, n, precision);
  r->size[r->n++] = n;
}

static og_options with_threads(og_options options, int threads) {
  options.threads = threads;
  return options;
}

static void run_calls(const problem *p, og_plan plan, const double *c, const double *f, results *r) {
  int precision = p->options.precision;
  int64_t cells[3], values = problem_values_size(p), modes = problem_modes_size(p);
  CHECK_OK(og_plan_grid(plan, cells));
  int64_t grid = problem_parts(p) * cells[0] * cells[1] * cells[2];
  void *strengths = test_pack(c, VECTORS * values, precision), *spectrum = test_pack(f, VECTORS * modes, precision);
  void *a = room(VECTORS * modes, precision), *b = room(VECTORS * values, precision), *g = room(grid, precision),
       *slopes = room(p->ndim * VECTORS * values, precision);
  CHECK_OK(og_type1(plan, VECTORS, strengths, a));
  keep(r, a, VECTORS * modes, precision);
  CHECK_OK(og_type2(plan, VECTORS, spectrum, b));
  keep(r, b, VECTORS * values, precision);
  if (p->options.gradient) {
    CHECK_OK(og_type2_gradient(plan, VECTORS, spectrum, b, slopes));
    keep(r, slopes, p->ndim * VECTORS * values, precision);
  }
  CHECK_OK(og_filter(plan, VECTORS, strengths, 1, spectrum, b));
  keep(r, b, values, precision);
  CHECK_OK(og_spread(plan, 1, strengths, g));
  keep(r, g, grid, precision);
  CHECK_OK(og_interp(plan, 1, g, b));
  keep(r, b, values, precision);
}

static results run(const problem *p, int threads, const double *c, const double *f) {
  problem q = *p;
  q.options = with_threads(p->options, threads);
  results r = {.n = 0};
  og_plan plan = problem_plan(&q);
  if (!plan)
    return r;
  void *x[3] = {NULL, NULL, NULL};
  for (int d = 0; d < p->ndim; d++)
    x[d] = test_pack(p->x[d], p->n_points, p->options.precision);
  run_calls(&q, plan, c, f, &r);
  q.n_points = p->n_points / 2; /* fewer points, then all of them: with storage = index they are borrowed */
  CHECK_OK(og_plan_set_points(plan, q.n_points, x[0], x[1], x[2]));
  double *half = problem_type1(&q, plan, 1, c);
  r.array[r.n] = half, r.size[r.n++] = problem_modes_size(&q);
  CHECK_OK(og_plan_set_points(plan, p->n_points, x[0], x[1], x[2]));
  double *whole = problem_type1(p, plan, 1, c);
  r.array[r.n] = whole, r.size[r.n++] = problem_modes_size(p);
  og_plan_destroy(plan);
  return r;
}

static void compare(const results *one, const results *all, double bound) {
  CHECK(one->n == all->n && one->n > 0, "%d and %d results", one->n, all->n);
  for (int i = 0; i < one->n && i < all->n; i++) {
    char what[100];
    snprintf(what, sizeof what, "result %d of %d threads differs from one thread's by", i, TEAM);
    CHECK_AT_MOST(test_error(all->array[i], one->array[i], one->size[i]), bound, what);
  }
}

static void check12(const problem *p) {
  double *c = test_random(VECTORS * problem_values_size(p), p->options.precision);
  double *f = test_random(VECTORS * problem_modes_size(p), p->options.precision);
  results one = run(p, 1, c, f), all = run(p, TEAM, c, f);
  compare(&one, &all, 20 * test_tolerance[p->options.precision].rounding); /* lifted at the edge of the band */
}

static results run3(const problem3 *p, int threads, const double *c, const double *f) {
  problem3 q = *p;
  q.options = with_threads(p->options, threads);
  results r = {.n = 0};
  og_plan plan = problem3_plan(&q);
  if (!plan)
    return r;
  r.array[0] = problem3_execute(&q, plan, 0, VECTORS, c);
  r.array[1] = problem3_execute(&q, plan, 1, VECTORS, f);
  r.size[0] = 2 * VECTORS * p->n_targets;
  r.size[1] = 2 * VECTORS * p->n_points;
  r.n = 2;
  og_plan_destroy(plan);
  return r;
}

static void check3(const problem3 *p) {
  double *c = test_random(2 * VECTORS * p->n_points, p->options.precision);
  double *f = test_random(2 * VECTORS * p->n_targets, p->options.precision);
  results one = run3(p, 1, c, f), all = run3(p, TEAM, c, f);
  compare(&one, &all, 20 * test_tolerance[p->options.precision].rounding); /* lifted at the edge of the band */
}

/* All threads that OpenMP gives, against the same sum in pieces too small for more than one. */
static void check_direct(void) {
  enum { N = 400, M = 300 };
  double *x = test_random(N, OG_F64), *w = test_random(M, OG_F64), *c = test_random(2 * N, OG_F64), all[2 * M],
         one[2 * M];
  const double *sources[1] = {x}, *targets[1] = {w};
  CHECK_OK(og_direct_sum(1, 1, N, sources, c, M, targets, all));
  for (int l = 0; l < M; l++) {
    targets[0] = w + l;
    CHECK_OK(og_direct_sum(1, 1, N, sources, c, 1, targets, one + 2 * l));
  }
  CHECK(test_same_bits(all, one, 2 * M), "the direct sum depends on the threads");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "every threaded path gives what one thread gives");
  /* the long line is 1-D only: half a million cells; the others fill a thread's share several times */
  static const int64_t sizes[][4] = {{1, 4000, 1, 1}, {1, 250000, 1, 1}, {2, 90, 110, 1}, {3, 24, 20, 26}};
  const double waves[4][3] = {{0}, {2000, 1, 1}, {60, 50, 1}, {14, 12, 10}}, half[3] = {1, 2, 1}, zero[3] = {0, 0, 0};
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < 4; i++)
    for (int storage = OG_STORE_COPY; storage <= OG_STORE_INDEX; storage++)
      for (int clustered = 0; clustered < 2; clustered++) {
        if (!test_sample(3))
          continue;
        og_options options = test_options("cpu", precision, values);
        options.tolerance = precision == OG_F32 ? 1e-3 : 1e-5;

        options.gradient = storage == OG_STORE_COPY;
        options.storage = storage;
        problem p = problem_make((int)sizes[i][0], sizes[i] + 1, 20000, clustered ? POINTS_CLUSTERED : POINTS_UNIFORM,
                                 &options);
        test_case("%s/%s/storage=%d", problem_text(&p), test_points_name[clustered], storage);
        check12(&p);
        test_free();
      }
  FOR_PRECISIONS(precision)
  for (int ndim = 1; ndim <= 3; ndim++) {
    og_options options = test_options("cpu", precision, OG_COMPLEX);
    options.tolerance = precision == OG_F32 ? 1e-3 : 1e-5;
    int64_t m = ndim == 1 ? 140000 : 20000; /* the copy of the coordinates has pieces of 65536 */
    problem3 p = problem3_make(ndim, waves[ndim], half, zero, zero, m, m, &options);
    test_case("%s", problem3_text(&p));
    check3(&p);
    test_free();
  }
  test_case("direct sum");
  check_direct();
  test_free();
  return test_end();
}
