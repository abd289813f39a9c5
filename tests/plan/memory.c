/* The bytes that a plan reports are those that it holds and held: every allocation of the library is counted here.
 * Programs of the gpu backend are made before anything is counted, by a plan that stays. */
#include "common/allocator.h"
#include "common/problem.h"

enum { TABLES = 400000, THREAD = 1000000 }; /* what comes on top: tables and factors; a thread's work space */

typedef struct {
  const char *backend;
  int precision, storage, spread_only;
  int64_t n_modes[3], n_points[4]; /* points: set one after the other */
} case_of;

static int host_copies(const case_of *c) { return strcmp(c->backend, "cpu") != 0; }

static size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

static og_report report_of(og_plan plan) {
  og_report r = {.size = sizeof r};
  CHECK_OK(og_plan_report(plan, &r));
  return r;
}

/* What is told of n points: copies, or with indices what the interface promises for them. */
static void check_points(const case_of *c, const og_report *r, int64_t n, size_t coordinates) {
  const size_t each = c->storage == OG_STORE_INDEX ? 8 : c->precision == OG_F32 ? 20 : 36;
  const size_t borrowed = c->storage == OG_STORE_INDEX && host_copies(c) ? coordinates : 0;
  if (n < 100000 || c->spread_only || !strcmp(c->backend, "cpu"))
    return;
  CHECK(r->bytes_points <= each * (size_t)n + borrowed, "%zu bytes for %lld points, more than %zu for each",
        r->bytes_points - borrowed, (long long)n, each);
  CHECK(r->bytes_peak <= r->bytes_grid + r->bytes_points + (borrowed ? 0 : coordinates),
        "a peak of %zu bytes: sorting %lld points took more than the grid's %zu", r->bytes_peak, (long long)n,
        r->bytes_grid);
}

static void check(const case_of *c, int first) {
  og_options o = test_options(c->backend, c->precision, OG_COMPLEX);
  og_plan plan = NULL;
  const size_t before = live_bytes;
  o.tolerance = c->precision == OG_F32 ? 1e-4 : 1e-6;
  o.sigma = 2;
  o.storage = c->storage;
  o.spread_only = c->spread_only;
  if (!CHECK_OK(og_plan_create(&plan, 3, c->n_modes, &o)))
    return;
  most_bytes = live_bytes;
  for (int i = 0; i < 4 && c->n_points[i]; i++) {
    const int64_t n = c->n_points[i];
    void *x[3];
    for (int d = 0; d < 3; d++)
      x[d] = test_pack(test_random(n, c->precision), n, c->precision);
    if (!CHECK_OK(og_plan_set_points(plan, n, x[0], x[1], x[2])))
      break;
    const og_report r = report_of(plan);
    const size_t slack = TABLES + (strcmp(c->backend, "cpu") ? 0 : (size_t)r.threads * THREAD);
    if (first) /* what a compiler's text and program take meanwhile is not the plan's */
      continue;
    CHECK(distance(live_bytes - before, r.bytes_grid + r.bytes_points) < slack,
          "set %d: %zu bytes are held, reported %zu + %zu", i, live_bytes - before, r.bytes_grid, r.bytes_points);
    CHECK(distance(most_bytes - before, r.bytes_peak) < slack, "set %d: at most %zu bytes were held, reported %zu", i,
          most_bytes - before, r.bytes_peak);
    if (i == 0)
      check_points(c, &r, n, (size_t)(3 * n) * test_real_bytes(c->precision));
  }
  og_plan_destroy(plan);
  CHECK(first || live_bytes == before, "%zu bytes are left", live_bytes - before);
}

/* In a workspace nothing large is allocated; on a device the caller's arrays are copied there for the time. */
static void check_workspace(const case_of *c) {
  og_options o = test_options(c->backend, c->precision, OG_COMPLEX);
  og_plan plan = NULL;
  size_t bytes = 0;
  void *block = NULL;
  const int64_t n = c->n_points[0];
  o.tolerance = c->precision == OG_F32 ? 1e-4 : 1e-6; /* as above, so that nothing is compiled now */
  o.storage = c->storage;
  o.sigma = 2;
  if (!CHECK_OK(og_plan_create(&plan, 3, c->n_modes, &o)) || !CHECK_OK(og_plan_workspace(plan, n, &bytes)) ||
      posix_memalign(&block, 64, bytes))
    exit(2);
  const size_t before = live_bytes;
  most_bytes = live_bytes;
  void *x[3];
  for (int d = 0; d < 3; d++)
    x[d] = test_pack(test_random(n, c->precision), n, c->precision);
  CHECK_OK(og_plan_set_workspace(plan, block, bytes));
  for (int i = 0; i < 3; i++)
    CHECK_OK(og_plan_set_points(plan, n - i, x[0], x[1], x[2]));
  const og_report r = report_of(plan);
  const size_t coordinates = host_copies(c) ? (size_t)(3 * n) * test_real_bytes(c->precision) : 0;
  const size_t copies = coordinates * (c->storage == OG_STORE_INDEX ? 2 : 1);
  CHECK(most_bytes - before < copies + TABLES + (host_copies(c) ? 0 : (size_t)r.threads * THREAD),
        "%zu bytes were allocated beside a workspace of %zu", most_bytes - before, bytes);
  CHECK(r.bytes_grid > 0 && r.bytes_points > 0 &&
            r.bytes_grid + r.bytes_points - (c->storage == OG_STORE_INDEX ? coordinates : 0) <= bytes,
        "reported %zu + %zu bytes, in a workspace of %zu", r.bytes_grid, r.bytes_points, bytes);
  og_plan_destroy(plan);
  free(block);
}

int main(int argc, char **argv) {
  static const char *const backends[] = {"cpu", "host"};
  test_begin(argc, argv, "the bytes that a plan reports are those that it holds");
  for (int b = 0; b < 2; b++) {
    if (test.backend && strcmp(test.backend, backends[b]) != 0)
      continue;
    og_plan stays = NULL;
    const int64_t small[3] = {16, 16, 16};
    og_options o = test_options(backends[b], OG_F64, OG_COMPLEX);
    if (!CHECK_OK(og_plan_create(&stays, 3, small, &o)))
      continue;
    for (int precision = 0; precision < 2; precision++)
      for (int storage = OG_STORE_COPY; storage <= OG_STORE_INDEX; storage++)
        for (int spread_only = 0; spread_only < 2; spread_only++) {
          const int64_t n = precision == OG_F32 ? 150000 : 300000;
          const case_of c = {backends[b], precision, storage, spread_only, {32, 32, 32}, {n, n, n - 9999, 2 * n}};
          if (!test_sample(4))
            continue;
          test_case("%s %s %s%s", c.backend, test_precision_name[precision],
                    storage == OG_STORE_INDEX ? "index" : "copy", spread_only ? " spread only" : "");
          check(&c, 1); /* compiles */
          check(&c, 0);
          if (!spread_only)
            check_workspace(&c);
          test_free();
        }
    og_plan_destroy(stays);
  }
  return test_end();
}
