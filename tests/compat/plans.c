/* A FINUFFT plan is reusable, shareable and polite: new points on an old plan, a failed setpts that changes nothing,
 * several threads executing one plan, the user's planner lock taken and released in pairs, a warning only when due. */
#include "calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { N_POINTS = 200, N_MODES = 64 };

typedef struct job {
  finufft_plan plan;
  const double *c, *want;
  double worst;
  int code;
} job;

static call problem(int type, const finufft_opts *o) {
  call k = {.precision = OG_F64,
            .type = type,
            .ndim = 1,
            .isign = -1,
            .ntrans = 1,
            .eps = 1e-8,
            .n_points = N_POINTS,
            .n_targets = N_MODES,
            .n = {N_MODES, 1, 1},
            .opts = o};
  call_points(&k);
  return k;
}

static int set(finufft_plan plan, const call *k) {
  return finufft_setpts(plan, k->n_points, k->px[0], NULL, NULL, k->n_targets, k->ps[0], NULL, NULL);
}

static double execute_error(finufft_plan plan, const call *k) {
  double *c = test_random(2 * N_POINTS, OG_F64), *f = test_doubles(2 * N_MODES), *want = test_doubles(2 * N_MODES);
  CHECK(finufft_execute(plan, (double _Complex *)c, (double _Complex *)f) == 0, "execute failed");
  call_direct(k, 1, k->isign, c, want);
  return test_error(f, want, 2 * N_MODES);
}

static void reuse(int type) {
  test_case("1d%d: points set three times, once wrongly", type);
  call first = problem(type, NULL), second = problem(type, NULL), bad = problem(type, NULL);
  ((double *)bad.px[0])[N_POINTS / 2] = NAN;
  finufft_plan plan;
  CHECK(finufft_makeplan(type, 1, first.n, first.isign, 1, first.eps, &plan, NULL) == 0, "makeplan failed");
  CHECK(set(plan, &first) == 0, "setpts failed");
  CHECK_AT_MOST(execute_error(plan, &first), 1.75 * first.eps, "error with the first points");
  CHECK(set(plan, &second) == 0, "setpts failed");
  CHECK_AT_MOST(execute_error(plan, &second), 1.75 * second.eps, "error with the second points");
  CHECK(set(plan, &bad) == FINUFFT_ERR_INVALID_ARGUMENT, "setpts took a NaN");
  CHECK_AT_MOST(execute_error(plan, &second), 1.75 * second.eps, "error after a refused setpts");
  CHECK(finufft_destroy(plan) == 0, "destroy failed");
  test_free();
}

static void *execute_often(void *context) {
  job *j = context;
  double f[2 * N_MODES];
  for (int i = 0; i < 20 && !j->code; i++) {
    j->code = finufft_execute(j->plan, (double _Complex *)j->c, (double _Complex *)f);
    j->worst = fmax(j->worst, test_error(f, j->want, 2 * N_MODES));
  }
  return NULL;
}

static void shared_by_threads(void) {
  test_case("4 threads execute one plan");
  finufft_opts o;
  finufft_default_opts(&o);
  o.nthreads = 1;
  call k = problem(1, &o);
  double *c = test_random(2 * N_POINTS, OG_F64), *want = test_doubles(2 * N_MODES);
  call_direct(&k, 1, k.isign, c, want);
  finufft_plan plan;
  CHECK(finufft_makeplan(1, 1, k.n, k.isign, 1, k.eps, &plan, &o) == 0, "makeplan failed");
  CHECK(set(plan, &k) == 0, "setpts failed");
  pthread_t thread[4];
  job jobs[4];
  for (int i = 0; i < 4; i++) {
    jobs[i] = (job){plan, c, want, 0, 0};
    CHECK(!pthread_create(&thread[i], NULL, execute_often, &jobs[i]), "no thread");
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(thread[i], NULL);
    CHECK(jobs[i].code == 0, "code %d", jobs[i].code);
    CHECK_AT_MOST(jobs[i].worst, 1.75 * k.eps, "error in a thread");
  }
  finufft_destroy(plan);
  test_free();
}

typedef struct counts {
  int held, taken, wrong;
} counts;
static void take(void *data) {
  counts *n = data;
  n->wrong |= n->held++;
  n->taken++;
}
static void release(void *data) {
  counts *n = data;
  n->wrong |= --n->held;
}

static void planner_locks(int type) {
  test_case("type %d: the user's planner lock", type);
  finufft_opts o;
  finufft_default_opts(&o);
  counts n = {0, 0, 0};
  o.fftw_lock_fun = take;
  o.fftw_unlock_fun = release;
  o.fftw_lock_data = &n;
  call k = problem(type, &o);
  finufft_plan plan;
  CHECK(finufft_makeplan(type, 1, k.n, k.isign, 1, k.eps, &plan, &o) == 0, "makeplan failed");
  CHECK(set(plan, &k) == 0, "setpts failed");
  int before = n.taken;
  CHECK(before > 0, "the lock was never taken");
  CHECK_AT_MOST(execute_error(plan, &k), 1.75 * k.eps, "error");
  CHECK(n.taken == before, "execute took the planner's lock");
  CHECK(finufft_destroy(plan) == 0, "destroy failed");
  CHECK(!n.held && !n.wrong, "lock and unlock do not pair");
  test_free();
}

/* Runs a transform with stdout (1) or stderr (2) sent to a file; returns how many bytes came. */
static long said(int stream, int type, int precision, double eps, int64_t n_modes, const finufft_opts *o) {
  call k = {.precision = precision,
            .way = BY_SIMPLE,
            .type = type,
            .ndim = 1,
            .isign = 1,
            .ntrans = 1,
            .eps = eps,
            .n_points = 10,
            .n_targets = 10,
            .n = {n_modes, 1, 1},
            .opts = o};
  call_points(&k);
  k.c = test_pack(test_random(20, precision), 20, precision);
  k.f = test_pack(test_random(2 * n_modes + 20, precision), 2 * n_modes + 20, precision);
  fflush(NULL);
  FILE *file = tmpfile();
  int keep = dup(stream);
  if (!file || keep < 0 || dup2(fileno(file), stream) < 0)
    exit(2);
  int code = call_run(&k);
  fflush(NULL);
  dup2(keep, stream);
  close(keep);
  long bytes = lseek(fileno(file), 0, SEEK_END);
  fclose(file);
  CHECK(code == 0, "code %d", code);
  test_free();
  return bytes;
}

static void talk(void) {
  finufft_opts o, quiet;
  finufft_default_opts(&o);
  quiet = o;
  quiet.showwarn = 0;
  test_case("what is printed");
  for (int type = 1; type <= 3; type++) {
    CHECK(said(2, type, OG_F64, 1e-6, 50, &o) == 0, "type %d: a warning without a reason", type);
    CHECK(said(2, type, OG_F32, 1e-4, 50, &o) == 0, "type %d: a warning without a reason", type);
    CHECK(said(1, type, OG_F64, 1e-6, 50, &o) == 0, "type %d: debug output unasked", type);
    o.debug = 1;
    CHECK(said(1, type, OG_F64, 1e-6, 50, &o) > 100, "type %d: no debug output", type);
    o.debug = 0;
  }
  CHECK(said(2, 1, OG_F64, 1e-15, 100000, &o) > 0, "no warning for a tolerance out of reach");
  CHECK(said(2, 1, OG_F64, 1e-15, 100000, &quiet) == 0, "a warning in spite of showwarn = 0");
  o.spread_thread = quiet.spread_thread = 2;
  CHECK(said(2, 1, OG_F64, 1e-6, 50, &o) > 0, "no warning for a deprecated option");
  CHECK(said(2, 1, OG_F64, 1e-6, 50, &quiet) == 0, "a warning in spite of showwarn = 0");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "A FINUFFT plan is reusable, shareable and polite.");
  reuse(1);
  reuse(3);
  shared_by_threads();
  planner_locks(1);
  planner_locks(3);
  talk();
  return test_end();
}
