/* A call's progress, read by another thread, names the stages in their order, never falls and ends at 1. The thread
 * sanitizer runs this. */
#include <pthread.h>
#include <stdatomic.h>

#include "common/problem3.h"

enum { TOLD = 1 << 16 };

/* What the other thread saw. */
typedef struct watcher {
  og_plan plan;
  _Atomic int stop;
  int n, bad;
  const char *stage[TOLD];
  double fraction[TOLD];
} watcher;

static watcher seen;

static void *look(void *argument) {
  watcher *w = argument;
  while (!w->stop && w->n < TOLD) {
    w->bad |= og_plan_progress(w->plan, &w->stage[w->n], &w->fraction[w->n]);
    if (w->n == 0 || w->fraction[w->n] != w->fraction[w->n - 1] || w->stage[w->n] != w->stage[w->n - 1])
      w->n++;
    nanosleep(&(struct timespec){0, 20000}, NULL); /* the transform's threads want the cores */
  }
  return NULL;
}

typedef int (*call)(og_plan plan, const void *in, void *out);

static int type1(og_plan plan, const void *in, void *out) { return og_type1(plan, 2, in, out); }
static int type2(og_plan plan, const void *in, void *out) { return og_type2(plan, 2, in, out); }
static int spread(og_plan plan, const void *in, void *out) { return og_spread(plan, 1, in, out); }
static int type3(og_plan plan, const void *in, void *out) { return og_type3(plan, 2, in, out); }
static int adjoint3(og_plan plan, const void *in, void *out) { return og_type3_adjoint(plan, 2, in, out); }

static const struct {
  const char *name;
  call run;
  int is_type3;
  const char *stages[6]; /* of two vectors */
} calls[] = {{"type 1", type1, 0, {"spread", "fft", "deconvolve", "spread", "fft", "deconvolve"}},
             {"type 2", type2, 0, {"deconvolve", "fft", "interp", "deconvolve", "fft", "interp"}},
             {"spread", spread, 0, {"spread"}},
             {"type 3", type3, 1, {"spread", "deconvolve", "fft", "interp", "spread", "deconvolve"}},
             {"adjoint of type 3", adjoint3, 1, {"spread", "fft", "deconvolve", "interp", "spread", "fft"}}};

/* The stages seen are a subsequence of those that there are: a short one may be missed. Returns how often the fraction rose. */
static int check_seen(int of) {
  int at = -1, rises = 0, first = 0;
  double last = 0;
  while (first < seen.n && !*seen.stage[first]) /* before the call: 1 of the last one */
    first++;
  for (int i = first; i < seen.n; i++) {
    CHECK(seen.fraction[i] >= last && seen.fraction[i] <= 1, "from %g to %g", last, seen.fraction[i]);
    rises += seen.fraction[i] > last;
    last = seen.fraction[i];
    if (!*seen.stage[i] || (at >= 0 && at < 6 && !strcmp(seen.stage[i], calls[of].stages[at])))
      continue;
    for (at = at + 1; at < 6 && calls[of].stages[at] && strcmp(seen.stage[i], calls[of].stages[at]);)
      at++;
    CHECK(calls[of].is_type3 || (at < 6 && calls[of].stages[at]), "stage '%s' out of order", seen.stage[i]);
  }
  CHECK(!seen.bad, "og_plan_progress failed");
  return rises;
}

/* `rises`: as often the fraction rises at least, where the other thread gets to look; it has some tries. */
static void check(og_plan plan, int of, int rises, const void *in, void *out) {
  pthread_t thread;
  const char *stage;
  double fraction;
  int most = 0;
  for (int i = 0; i == 0 || (i < 30 && most < rises); i++) {
    seen = (watcher){.plan = plan};
    if (pthread_create(&thread, NULL, look, &seen))
      exit(2);
    CHECK_OK(calls[of].run(plan, in, out));
    seen.stop = 1;
    pthread_join(thread, NULL);
    int now = check_seen(of);
    most = now > most ? now : most;
    CHECK_OK(og_plan_progress(plan, &stage, &fraction));
    CHECK(!*stage && fraction == 1, "at rest: '%s', %g", stage, fraction);
  }
  CHECK(most >= rises, "%s: the fraction was seen to rise %d times at most", calls[of].name, most);
}

/* Points enough for a tenth of a second or so. */
static void check12(const og_options *options, int64_t m) {
  const int64_t n[] = {24, 24, 24};
  problem p = problem_make(3, n, m, POINTS_UNIFORM, options);
  og_plan plan = problem_plan_without_points(&p);
  const char *stage;
  double fraction;
  CHECK_OK(og_plan_progress(plan, &stage, &fraction));
  CHECK(!*stage && fraction == 0, "before all: '%s', %g", stage, fraction);
  problem_set_points(&p, plan);
  int64_t most = 2 * (problem_modes_size(&p) * 27 + problem_values_size(&p)); /* the fine grid, too */
  void *in = test_pack(test_random(most, options->precision), most, options->precision);
  void *out = test_pack(NULL, most, options->precision);
  int counted = !strcmp(options->backend, "cpu"); /* inside spreading and interpolation */
  for (int of = 0; of < 3; of++)
    check(plan, of, counted ? 5 : of < 2 ? 2 : 0, in, out);
  og_plan_destroy(plan);
}

static void check3(const og_options *options, int64_t m) {
  const double n[3] = {20, 20, 20}, half[3] = {1, 1, 1}, zero[3] = {0, 0, 0};
  problem3 p = problem3_make(3, n, half, zero, zero, m, m / 2, options);
  og_plan plan = problem3_plan(&p);
  void *in = test_pack(test_random(4 * m, options->precision), 4 * m, options->precision);
  void *out = test_pack(NULL, 4 * m, options->precision);
  for (int of = 3; plan && of < 5; of++)
    check(plan, of, strcmp(options->backend, "cpu") ? 2 : 5, in, out);
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "another thread can read how far a call has come");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision) {
    og_options options = test_options(backend, precision, OG_COMPLEX);
    int64_t m = strcmp(backend, "cpu") ? 500 : 100000;
    test_case("%s/%s", backend, test_precision_name[precision]);
    check12(&options, m);
    check3(&options, m);
    test_free();
  }
  const char *stage;
  double fraction;
  CHECK_CODE(og_plan_progress(NULL, &stage, &fraction), OG_ERR_NULL, "null");
  return test_end();
}
