/* A plan in the caller's workspace computes what a plan with its own memory does, writes nothing outside it, and refuses
 * a smaller one, or more points than it was made for. */
//TEST name="cpu"
//TEST name="host" args="--backend host"
#include "common/problem.h"

enum { GUARD = 4096, MORE = 17 };

/* The nearest power of 2: plans choose sigma for that many points. */
static int64_t hint_of(int64_t n) {
  int64_t power = 1;
  while (2 * power - n < n - power)
    power *= 2;
  return power;
}

static unsigned char *aligned_block(size_t bytes) {
  void *block = NULL;
  if (posix_memalign(&block, 64, bytes + 2 * GUARD))
    exit(2);
  memset(block, 0xa5, bytes + 2 * GUARD);
  return block;
}

static int guards_whole(const unsigned char *block, size_t bytes) {
  for (size_t i = 0; i < GUARD; i++)
    if (block[i] != 0xa5 || block[GUARD + bytes + i] != 0xa5)
      return 0;
  return 1;
}

static void check(const problem *p, int64_t n_vectors) {
  int64_t max_points = p->n_points + MORE;
  size_t bytes = 0;
  og_plan own = problem_plan(p), lent = problem_plan_without_points(p);
  if (!own || !lent || !CHECK_OK(og_plan_workspace(lent, max_points, &bytes)))
    return;
  CHECK(bytes > 0 && bytes < (size_t)1 << 32, "workspace of %zu bytes", bytes);
  unsigned char *block = aligned_block(bytes);
  if (CHECK_OK(og_plan_set_workspace(lent, block + GUARD, bytes)) && problem_set_points(p, lent)) {
    double *c = test_random(n_vectors * problem_values_size(p), p->options.precision);
    double *f = test_random(n_vectors * problem_modes_size(p), p->options.precision);
    CHECK(test_same_bits(problem_type1(p, lent, n_vectors, c), problem_type1(p, own, n_vectors, c),
                         n_vectors * problem_modes_size(p)),
          "type 1 differs");
    CHECK(test_same_bits(problem_type2(p, lent, n_vectors, f), problem_type2(p, own, n_vectors, f),
                         n_vectors * problem_values_size(p)),
          "type 2 differs");
    problem more = problem_make(p->ndim, p->n_modes, 50 * max_points, POINTS_UNIFORM, &p->options);
    void *x[3] = {NULL, NULL, NULL};
    for (int d = 0; d < p->ndim; d++)
      x[d] = test_pack(more.x[d], more.n_points, p->options.precision);
    int code = og_plan_set_points(lent, more.n_points, x[0], x[1], x[2]);
    if (code == OG_OK && p->options.storage == OG_STORE_INDEX)
      problem_set_points(p, lent); /* borrowed points may take no memory at all */
    else
      CHECK(code == OG_ERR_WORKSPACE, "50 times the points: code %d (%s)", code, og_last_error());
    CHECK(test_same_bits(problem_type1(p, lent, n_vectors, c), problem_type1(p, own, n_vectors, c),
                         n_vectors * problem_modes_size(p)),
          "type 1 differs after too many points were refused");
  }
  og_plan_destroy(lent);
  og_plan_destroy(own);
  CHECK(guards_whole(block, bytes), "something was written outside the workspace");
  free(block);
}

static void check_refusals(const problem *p) {
  size_t bytes = 0;
  og_plan plan = problem_plan_without_points(p);
  if (!plan || !CHECK_OK(og_plan_workspace(plan, p->n_points, &bytes)))
    return;
  unsigned char *block = aligned_block(bytes);
  CHECK_CODE(og_plan_set_workspace(plan, NULL, bytes), OG_ERR_NULL, "");
  int misaligned = og_plan_set_workspace(plan, block + GUARD + 8, bytes);
  CHECK(misaligned == OG_ERR_ARGUMENT || misaligned == OG_ERR_WORKSPACE, "misaligned memory: code %d", misaligned);
  int small = og_plan_set_workspace(plan, block + GUARD, 64);
  if (!small) { /* what it has to hold may be known only with the points */
    void *x[3] = {NULL, NULL, NULL};
    for (int d = 0; d < p->ndim; d++)
      x[d] = test_pack(p->x[d], p->n_points, p->options.precision);
    small = og_plan_set_points(plan, p->n_points, x[0], x[1], x[2]);
  }
  CHECK(small == OG_ERR_WORKSPACE, "a workspace of 64 bytes: code %d", small);
  CHECK(strlen(og_last_error()) > 10, "no sentence");
  CHECK(og_plan_workspace(plan, -1, &bytes) > 0, "max_points = -1 was taken");
  CHECK(og_plan_workspace(plan, p->n_points, NULL) == OG_ERR_NULL, "bytes = NULL was taken");
  if (p->options.storage != OG_STORE_INDEX)
    CHECK(og_plan_workspace(plan, INT64_MAX / 2, &bytes) > 0, "an overflow of bytes was not seen: %zu", bytes);
  og_plan_destroy(plan);
  CHECK(guards_whole(block, bytes), "something was written outside the workspace");
  free(block);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "a plan in the caller's workspace computes what a plan with its own memory does");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < TEST_SIZES; i++)
    for (int storage = OG_STORE_AUTO; storage <= OG_STORE_INDEX; storage++) {
      if (!test_sample(4))
        continue;
      og_options options = test_options(backend, precision, values);
      options.storage = storage;
      options.sigma = test_sample(2) ? 2.0 : 0.0;
      options.batch = (int64_t)(test_bits() % 4);
      options.gradient = (int)(test_bits() % 2);
      int64_t n_points;
      do
        n_points = test_integer(1, 1000);
      while (hint_of(n_points) != hint_of(n_points + MORE)); /* or sigma is chosen for others */
      problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, n_points, POINTS_UNIFORM, &options);
      test_case("%s/storage=%d", problem_text(&p), storage);
      check(&p, 1);
      check(&p, 3);
      check_refusals(&p);
      test_free();
    }
  return test_end();
}
