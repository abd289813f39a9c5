/* See tune_search.h. The search is over the logarithm of the time; methods are one-hot, bins, teams and pieces of work are in
 * log2, and each of the three may be left to the method. */
#include "tune_search.h"

#include "check.h"
#include "message.h"
#include "tune_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 5, FEATURES = METHODS + 3 + 5, CANDIDATES = 400, ROUNDS = 3 };

static const char *const spread_methods[] = {"atomic", "tiled", "grid", "stream", "matrix"};
static const char *const interp_methods[] = {"sorted", "stream", "matrix"};

typedef struct search {
  tune_problem *problem;
  int interp, n_methods, teams; /* teams: 0 where the device has none to choose */
  const char *const *methods;
  const tune_parameters *spread;
  uint64_t state;
  int n;
  tune_parameters tried[TUNE_MOST_TRIALS];
  double y[TUNE_MOST_TRIALS], x[TUNE_MOST_TRIALS][FEATURES];
} search;

static int is_matrix(const tune_parameters *t) { return !strcmp(t->method, "matrix"); }

/* 2^[low, high], rounded. */
static int power(search *s, double low, double high) {
  return (int)lround(exp2(low + (high - low) * random_uniform(&s->state)));
}

static void draw_bins(search *s, tune_parameters *t) {
  for (int d = 0; d < s->problem->ndim; d++)
    t->bin[d] = power(s, 0, s->problem->ndim == 1 ? 8 : 5);
}
static void draw_team(search *s, tune_parameters *t) { t->team = 32 * power(s, 0, 4); }
static void draw_work(search *s, tune_parameters *t) { t->work_points = power(s, 5, 13); }

static void keep_lawful(const search *s, tune_parameters *t) {
  if (is_matrix(t) || s->interp)
    memset(t->bin, 0, sizeof t->bin);
  if (is_matrix(t) || !s->teams)
    t->team = 0;
  if (s->interp)
    t->work_points = 0;
}

static tune_parameters draw(search *s) {
  tune_parameters t = {.method = s->methods[(int)(random_uniform(&s->state) * s->n_methods)]};
  if (random_uniform(&s->state) < 0.7)
    draw_bins(s, &t);
  if (random_uniform(&s->state) < 0.7)
    draw_team(s, &t);
  if (random_uniform(&s->state) < 0.7)
    draw_work(s, &t);
  keep_lawful(s, &t);
  return t;
}

/* One of the parameters anew. */
static tune_parameters neighbour(search *s, const tune_parameters *of) {
  tune_parameters t = *of;
  double which = random_uniform(&s->state);
  if (which < 0.5)
    draw_bins(s, &t);
  else if (which < 0.75)
    draw_team(s, &t);
  else
    draw_work(s, &t);
  keep_lawful(s, &t);
  return t;
}

static int same(const tune_parameters *a, const tune_parameters *b) {
  return a->method == b->method && !memcmp(a->bin, b->bin, sizeof a->bin) && a->team == b->team &&
         a->work_points == b->work_points;
}

static int is_known(const search *s, const tune_parameters *t) {
  for (int i = 0; i < s->n; i++)
    if (same(&s->tried[i], t))
      return 1;
  return 0;
}

static void place(const search *s, const tune_parameters *t, double *x) {
  memset(x, 0, FEATURES * sizeof *x);
  for (int i = 0; i < s->n_methods; i++)
    x[i] = t->method == s->methods[i] ? 0.7 : 0;
  double *at = x + METHODS;
  *at++ = t->bin[0] ? 0 : 0.5;
  *at++ = t->team ? 0 : 0.5;
  *at++ = t->work_points ? 0 : 0.5;
  for (int d = 0; d < 3; d++)
    *at++ = t->bin[d] ? log2(t->bin[d]) / 8 : 0.3;
  *at++ = t->team ? log2(t->team / 32.0) / 5 : 0.4;
  *at++ = t->work_points ? (log2((double)t->work_points) - 5) / 8 : 0.5;
}

static int least(const search *s) {
  int best = 0;
  for (int i = 1; i < s->n; i++)
    best = s->y[i] < s->y[best] ? i : best;
  return best;
}

/* A configuration that failed is worse than the slowest: its true value is infinite, which no Gaussian process takes. */
static int fit(search *s, gp *g) {
  double worst = -INFINITY, y[TUNE_MOST_TRIALS];
  for (int i = 0; i < s->n; i++)
    worst = isfinite(s->y[i]) && s->y[i] > worst ? s->y[i] : worst;
  for (int i = 0; i < s->n; i++)
    y[i] = isfinite(s->y[i]) ? s->y[i] : isfinite(worst) ? worst + 0.7 : 0;
  return gp_fit(g, FEATURES, s->n, s->x[0], y);
}

/* The next to try: each method as it is, then by expected improvement. *any: 0 where all that was drawn is known. */
static int next(search *s, tune_parameters *t, int *any) {
  static tune_parameters candidates[CANDIDATES];
  static double places[CANDIDATES][FEATURES];
  double work[TUNE_MOST_TRIALS];
  int count = 0;
  gp g;
  *any = 1;
  if (s->n < s->n_methods) {
    *t = (tune_parameters){.method = s->methods[s->n]};
    return 0;
  }
  for (int i = 0; i < CANDIDATES; i++) {
    tune_parameters c = i % 3 ? draw(s) : neighbour(s, &s->tried[least(s)]);
    if (is_known(s, &c))
      continue;
    candidates[count] = c;
    place(s, &c, places[count++]);
  }
  *any = count > 0;
  if (!count)
    return 0;
  TRY(fit(s, &g));
  *t = candidates[gp_choose(&g, count, places[0], work)];
  gp_free(&g);
  return 0;
}

static int try_one(search *s, const tune_parameters *t, double *nanoseconds) {
  TRY(tune_measure(s->problem, s->interp, s->spread, t, nanoseconds));
  s->tried[s->n] = *t;
  place(s, t, s->x[s->n]);
  s->y[s->n++] = log(*nanoseconds);
  return 0;
}

/* Best and default once more in turn, so that neither wins by a lucky or an unlucky moment. */
static int compare(search *s, tune_result *r) {
  double again;
  tune_parameters chosen = {.method = "auto"};
  r->tuned_ns = r->default_ns = INFINITY;
  for (int i = 0; i < ROUNDS; i++) {
    TRY(tune_measure(s->problem, s->interp, NULL, NULL, &again));
    r->default_ns = again < r->default_ns ? again : r->default_ns;
    TRY(tune_measure(s->problem, s->interp, s->spread, &r->best, &again));
    r->tuned_ns = again < r->tuned_ns ? again : r->tuned_ns;
  }
  /* interpolation in the bins that spreading took is what it is, even where it is slower than in others */
  int bound = s->interp && strcmp(s->spread->method, "auto") != 0 && isfinite(r->tuned_ns);
  if (!bound && !(r->tuned_ns < r->default_ns)) {
    r->best = chosen;
    r->tuned_ns = r->default_ns;
  }
  return 0;
}

static int search_with(search *s, int trials, double until, const char *name, tune_result *r) {
  double nanoseconds, standard;
  TRY(tune_measure(s->problem, s->interp, NULL, NULL, &standard));
  tune_parameters team = {.method = s->methods[0], .team = 32};
  TRY(tune_measure(s->problem, s->interp, s->spread, &team, &nanoseconds));
  s->teams = isfinite(nanoseconds);
  for (int i = 0; i < trials && (!i || seconds() < until); i++) {
    tune_parameters t;
    int any;
    TRY(next(s, &t, &any));
    if (!any)
      break;
    TRY(try_one(s, &t, &nanoseconds));
    r->failed += !isfinite(nanoseconds);
    progress("%s: trial %d of %d, best %.3g ns per point, default %.3g, %d failed", name, i + 1, trials,
             exp(s->y[least(s)]), standard, r->failed);
  }
  r->trials = s->n;
  r->best = s->tried[least(s)];
  return compare(s, r);
}

int tune_search(tune_problem *p, int interp, const tune_parameters *spread, int trials, double until, uint64_t seed,
                const char *name, tune_result *result) {
  search *s = calloc(1, sizeof *s);
  if (!s)
    return fail("out of memory");
  s->problem = p;
  s->interp = interp;
  s->methods = interp ? interp_methods : spread_methods;
  s->n_methods = interp ? 3 : METHODS;
  s->spread = spread;
  s->state = seed;
  memset(result, 0, sizeof *result);
  int code = search_with(s, trials < TUNE_MOST_TRIALS ? trials : TUNE_MOST_TRIALS, until, name, result);
  free(s);
  return code;
}
