/* Different plans in different threads at once give what they give alone, each with its own last error. The thread
 * sanitizer runs this: creation (FFTW's planner is one for all), points, every transform, destruction. */
#include <pthread.h>

#include "common/problem3.h"

enum { THREADS = 4, ROUNDS = 3, SPACE = 60000 };

typedef struct worker {
  int ndim, is_type3, code, error_code;
  int64_t n_modes[3], n_points, n_out;
  og_options options;
  void *x[3], *omega[3], *in, *out;
  char error[200];
} worker;

/* No CHECK in here: the harness counts for one thread. */
static int transform12(worker *w) {
  og_plan plan = NULL;
  char *out = w->out;
  size_t half = SPACE / 2 * test_real_bytes(w->options.precision);
  int code = og_plan_create(&plan, w->ndim, w->n_modes, &w->options);
  for (int round = 0; !code && round < ROUNDS; round++) {
    code = og_plan_set_points(plan, w->n_points - round, w->x[0], w->x[1], w->x[2]);
    code = code ? code : og_type1(plan, 1, w->in, out);
    code = code ? code : og_type2(plan, 1, w->in, out + half);
  }
  og_plan_destroy(plan);
  return code;
}

static int transform3(worker *w) {
  og_plan plan = NULL;
  char *out = w->out;
  size_t half = SPACE / 2 * test_real_bytes(w->options.precision);
  int code = og_plan_create_type3(&plan, w->ndim, &w->options);
  for (int round = 0; !code && round < ROUNDS; round++) {
    code = og_plan_set_points(plan, w->n_points - round, w->x[0], w->x[1], w->x[2]);
    code = code ? code : og_plan_set_targets(plan, w->n_points, w->omega[0], w->omega[1], w->omega[2]);
    code = code ? code : og_type3(plan, 1, w->in, out);
    code = code ? code : og_type3_adjoint(plan, 1, w->in, out + half);
  }
  og_plan_destroy(plan);
  return code;
}

static void *work(void *argument) {
  worker *w = argument;
  og_plan bad = NULL;
  int64_t n_bad[1] = {-1000 - w->n_modes[0]}; /* this thread's own mistake */
  w->error_code = og_plan_create(&bad, 1, n_bad, &w->options);
  snprintf(w->error, sizeof w->error, "%s", og_last_error());
  w->code = w->is_type3 ? transform3(w) : transform12(w);
  return NULL;
}

static worker make_worker(const og_options *options, int ndim, int is_type3) {
  worker w = {.ndim = ndim, .is_type3 = is_type3, .n_points = 3000, .options = *options};
  const int64_t n[4][3] = {{0}, {2000, 1, 1}, {50, 36, 1}, {15, 10, 12}};
  const double waves[4][3] = {{0}, {500, 1, 1}, {25, 18, 1}, {8, 6, 5}};
  const double half_width[3] = {1, 2, 3}, zero[3] = {0, 0, 0};
  memcpy(w.n_modes, n[ndim], sizeof w.n_modes);
  w.options.values = is_type3 ? OG_COMPLEX : (int)(test_bits() % 2);
  problem p = problem_make(ndim, n[ndim], w.n_points, POINTS_UNIFORM, &w.options);
  problem3 p3 = problem3_make(ndim, waves[ndim], half_width, zero, zero, w.n_points, w.n_points, &w.options);
  for (int d = 0; d < ndim; d++) {
    w.x[d] = test_pack(is_type3 ? p3.x[d] : p.x[d], w.n_points, w.options.precision);
    w.omega[d] = test_pack(p3.omega[d], w.n_points, w.options.precision);
  }
  w.in = test_pack(test_random(SPACE, OG_F32), SPACE, w.options.precision);
  w.out = test_pack(test_doubles(SPACE), SPACE, w.options.precision);
  return w;
}

static void check(worker w[THREADS]) {
  double *alone[THREADS];
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) {
    work(&w[i]);
    CHECK(w[i].code == OG_OK, "alone: code %d (%s)", w[i].code, og_last_error());
    alone[i] = test_unpack(w[i].out, SPACE, w[i].options.precision);
    memset(w[i].out, 0, SPACE * test_real_bytes(w[i].options.precision));
  }
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&thread[i], NULL, work, &w[i]))
      exit(2);
  for (int i = 0; i < THREADS; i++) {
    char number[32];
    pthread_join(thread[i], NULL);
    CHECK(w[i].code == OG_OK, "thread %d: code %d", i, w[i].code);
    CHECK_AT_MOST(test_error(test_unpack(w[i].out, SPACE, w[i].options.precision), alone[i], SPACE),
                  test_tolerance[w[i].options.precision].rounding, "together differs from alone by");
    snprintf(number, sizeof number, "%lld", (long long)(-1000 - w[i].n_modes[0]));
    CHECK(w[i].error_code == OG_ERR_SIZE && strstr(w[i].error, number), "thread %d's error: %s", i, w[i].error);
  }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "different plans in different threads at once give what they give alone");
  FOR_BACKENDS(backend)
  for (int threads = 1; threads <= 2; threads++)
    for (int round = 0; round < 3; round++) {
      worker w[THREADS];
      for (int i = 0; i < THREADS; i++) {
        og_options options = test_options(backend, (int)(test_bits() % 2), OG_COMPLEX);
        options.threads = threads;
        options.tolerance = 1e-4;
        options.sigma = test_bits() % 2 ? 2.0 : 0.0;
        options.storage = (int)test_integer(OG_STORE_AUTO, OG_STORE_INDEX);
        w[i] = make_worker(&options, 1 + (i + round) % 3, i % 2);
      }
      test_case("%s/threads=%d/round=%d", backend, threads, round);
      check(w);
      test_free();
    }
  return test_end();
}
