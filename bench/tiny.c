/* Tiny transforms, called in a hot loop: what one execute costs when the call itself is the cost. Verifies against the
 * direct sum, then times; with the path of a FINUFFT library as argument also that, in turn. One thread.
 *
 *   build/bin/bench_tiny [libfinufft.so]     1-D, 200 modes, 200 points, f64 complex, 1e-6 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "offgrid.h"

enum { N = 200, LOOPS = 20000, ROUNDS = 9 };
static double x[N], strengths[2 * N], modes[2 * N], exact[2 * N], frequency[N];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double error(void) {
  double difference = 0, norm = 0;
  for (int i = 0; i < 2 * N; i++) {
    difference += (modes[i] - exact[i]) * (modes[i] - exact[i]);
    norm += exact[i] * exact[i];
  }
  return sqrt(difference / norm);
}

static int by_size(const void *a, const void *b) {
  double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

/* Only what is needed of FINUFFT's guru interface; the plan is its default but for one thread. */
typedef struct {
  int (*make)(int, int, const int64_t *, int, int, double, void **, void *);
  int (*points)(void *, int64_t, const double *, const double *, const double *, int64_t, const double *,
                const double *, const double *);
  int (*execute)(void *, double *, double *);
  void *plan;
} peer;

static int open_peer(peer *p, const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const int64_t n[3] = {N, 1, 1};
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void **)&p->make = dlsym(library, "finufft_makeplan");
  *(void **)&p->points = dlsym(library, "finufft_setpts");
  *(void **)&p->execute = dlsym(library, "finufft_execute");
  return !p->make || !p->points || !p->execute || p->make(1, 1, n, -1, 1, 1e-6, &p->plan, NULL) ||
         p->points(p->plan, N, x, NULL, NULL, 0, NULL, NULL, NULL);
}

int main(int argc, char **argv) {
  setenv("OMP_NUM_THREADS", "1", 1);
  for (int j = 0; j < N; j++) {
    x[j] = 6.283185307179586 * ((double)rand() / RAND_MAX - 0.5);
    strengths[2 * j] = (double)rand() / RAND_MAX - 0.5;
    strengths[2 * j + 1] = (double)rand() / RAND_MAX - 0.5;
    frequency[j] = j - N / 2;
  }
  const double *from[1] = {x}, *to[1] = {frequency};
  const int64_t n[1] = {N};
  og_options options = OG_OPTIONS_DEFAULT;
  options.threads = 1;
  og_plan plan;
  if (og_direct_sum(1, -1, N, from, strengths, N, to, exact) || og_plan_create(&plan, 1, n, &options) ||
      og_plan_set_points(plan, N, x, NULL, NULL) || og_type1(plan, 1, strengths, modes)) {
    fprintf(stderr, "%s\n", og_last_error());
    return 1;
  }
  double ours[ROUNDS], theirs[ROUNDS], our_error = error(), their_error = NAN;
  peer p = {0};
  int has_peer = argc > 1 && !open_peer(&p, argv[1]);
  for (int round = 0; round < ROUNDS; round++) {
    double t = now();
    for (int i = 0; i < LOOPS; i++)
      if (og_type1(plan, 1, strengths, modes))
        return 1;
    ours[round] = (now() - t) / LOOPS;
    t = now();
    for (int i = 0; has_peer && i < LOOPS; i++)
      if (p.execute(p.plan, strengths, modes))
        return 1;
    theirs[round] = (now() - t) / LOOPS;
    if (has_peer)
      their_error = error();
  }
  qsort(ours, ROUNDS, sizeof *ours, by_size);
  qsort(theirs, ROUNDS, sizeof *theirs, by_size);
  printf("offgrid  error %.2e  %.2f us per execute\n", our_error, 1e6 * ours[ROUNDS / 2]);
  if (has_peer)
    printf("finufft  error %.2e  %.2f us per execute, %.2f x our time\n", their_error, 1e6 * theirs[ROUNDS / 2],
           theirs[ROUNDS / 2] / ours[ROUNDS / 2]);
  og_plan_destroy(plan);
  return 0;
}
