/* A FINUFFT plan on top of an og_plan: makes it, gives it points, executes it in either direction.
 *
 *   type 1, and the adjoint of type 2:  points -> modes, og_type1
 *   type 2, and the adjoint of type 1:  modes -> points, og_type2
 *   type 3 and its adjoint:             og_type3, og_type3_adjoint
 *
 * Sizes that FINUFFT allows and offgrid does not (no modes at all) end here. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

static const double most_points = 1e14; /* FINUFFT's limit: catches counts that were cast wrongly */
static const double most_modes = 1e12;

static size_t real_bytes(const shim_plan *p) { return p->precision == OG_F32 ? sizeof(float) : sizeof(double); }

/* The user's lock guards FFTW's planner, which the program may use too: whatever may make or destroy plans takes it. */
static void planner_lock(const finufft_opts *o) {
  if (o->fftw_lock_fun)
    o->fftw_lock_fun(o->fftw_lock_data);
}
static void planner_unlock(const finufft_opts *o) {
  if (o->fftw_unlock_fun)
    o->fftw_unlock_fun(o->fftw_lock_data);
}

/* ---- makeplan */

static int count_modes(shim_plan *p, const int64_t *n_modes) {
  double total = 1;
  for (int d = 0; d < 3; d++) {
    p->n_modes[d] = p->type != 3 && d < p->ndim ? n_modes[d] : 1;
    total *= (double)p->n_modes[d];
  }
  if (total > most_modes)
    return shim_refuse(FINUFFT_ERR_MAXNALLOC, "%.3g modes are more than %.0e", total, most_modes);
  p->total_modes = p->n_modes[0] * p->n_modes[1] * p->n_modes[2];
  return 0;
}

static int create(const shim_plan *p, og_plan *plan) {
  og_options options = shim_options(p);
  return p->type == 3 ? og_plan_create_type3(plan, p->ndim, &options)
                      : og_plan_create(plan, p->ndim, p->n_modes, &options);
}

static int make_inner(shim_plan *p) {
  if (!p->total_modes)
    return p->opts.spreadinterponly
               ? shim_refuse(FINUFFT_ERR_SPREAD_BOX_SMALL, "spreadinterponly on a grid with no cells")
               : 0;
  planner_lock(&p->opts);
  int code = create(p, &p->plan);
  planner_unlock(&p->opts);
  return shim_failed(p, "makeplan", code);
}

int shim_make(shim_plan **out, const shim_job *job) {
  finufft_opts opts;
  shim_default_options(&opts);
  if (job->opts)
    opts = *job->opts;
  double tolerance;
  int code = shim_check(job, &opts, &tolerance);
  if (code)
    return code;
  shim_plan *p = calloc(1, sizeof *p);
  if (!p || pthread_mutex_init(&p->lock, NULL)) {
    free(p);
    return shim_refuse(FINUFFT_ERR_ALLOC, "no memory for a plan");
  }
  p->precision = job->precision;
  p->type = job->type;
  p->ndim = job->ndim;
  p->isign = job->isign >= 0 ? 1 : -1;
  p->n_vectors = job->n_vectors;
  p->tolerance = tolerance;
  p->opts = opts;
  code = count_modes(p, job->n_modes);
  if (!code)
    code = make_inner(p);
  if (code) {
    shim_destroy(p);
    return code;
  }
  shim_debug_made(p);
  *out = p;
  return 0;
}

/* ---- setpts */

static int check_count(const char *name, int64_t n) {
  if (n >= 0 && (double)n <= most_points)
    return 0;
  return shim_refuse(FINUFFT_ERR_NUM_NU_PTS_INVALID, "%s = %lld, must be 0 to 1e14", name, (long long)n);
}

/* FINUFFT's spreading grid starts at x = -pi, offgrid's at x = 0: copies shifted by pi, in one allocation; NULL when
 * there is no memory. */
static void *shifted(const shim_plan *p, const shim_job *job, const void *x[3]) {
  const double pi = 3.141592653589793238462643383279502884;
  const size_t n = (size_t)job->n_points, bytes = real_bytes(p);
  char *copy = calloc(n * (size_t)p->ndim + 1, bytes); /* + 1: no points are no failure */
  for (int d = 0; copy && d < p->ndim; d++) {
    char *to = copy + (size_t)d * n * bytes;
    x[d] = job->x[d] ? to : NULL;
    for (size_t j = 0; job->x[d] && j < n; j++)
      if (p->precision == OG_F32)
        ((float *)to)[j] = (float)(((const float *)job->x[d])[j] + pi);
      else
        ((double *)to)[j] = ((const double *)job->x[d])[j] + pi;
  }
  return copy;
}

/* New sources with old targets would be built for nothing, or fail: each setpts of a type 3 starts a fresh plan. */
static int set_type3(shim_plan *p, const shim_job *job) {
  og_plan fresh = NULL;
  int code = create(p, &fresh);
  if (!code)
    code = og_plan_set_points(fresh, job->n_points, job->x[0], job->x[1], job->x[2]);
  if (!code)
    code = og_plan_set_targets(fresh, job->n_targets, job->s[0], job->s[1], job->s[2]);
  if (code) {
    og_plan_destroy(fresh);
    return code;
  }
  og_plan_destroy(p->plan);
  p->plan = fresh;
  return 0;
}

static int set_points(shim_plan *p, const shim_job *job) {
  const void *x[3] = {job->x[0], job->x[1], job->x[2]};
  void *copy = NULL;
  if (p->opts.spreadinterponly && p->type != 3) {
    copy = shifted(p, job, x);
    if (!copy)
      return shim_refuse(FINUFFT_ERR_ALLOC, "no memory to shift %lld points", (long long)job->n_points);
  }
  planner_lock(&p->opts);
  int code = p->type == 3 ? set_type3(p, job) : og_plan_set_points(p->plan, job->n_points, x[0], x[1], x[2]);
  planner_unlock(&p->opts);
  free(copy); /* offgrid has its own, sorted */
  return shim_failed(p, "setpts", code);
}

static int take_points(shim_plan *p, const shim_job *job) {
  int code = p->plan ? set_points(p, job) : 0;
  if (code)
    return code;
  p->n_points = job->n_points;
  p->n_targets = job->n_targets;
  p->has_points = 1;
  shim_debug_points(p);
  shim_warn_unreached(p);
  return 0;
}

int shim_set_points(shim_plan *p, const shim_job *job) {
  if (!p)
    return shim_refuse(FINUFFT_ERR_PLAN_NOTVALID, "setpts: the plan is null");
  int code = check_count("nj", job->n_points);
  if (!code && p->type == 3)
    code = check_count("nk", job->n_targets);
  if (code)
    return code;
  pthread_mutex_lock(&p->lock);
  code = take_points(p, job);
  pthread_mutex_unlock(&p->lock);
  return code;
}

/* ---- execute */

static int execute_inner(shim_plan *p, void *c, void *f, int adjoint) {
  const int64_t n = p->n_vectors;
  const int to_modes = (p->type == 1) != adjoint;
  if (p->type == 3)
    return adjoint ? og_type3_adjoint(p->plan, n, f, c) : og_type3(p->plan, n, c, f);
  if (p->opts.spreadinterponly)
    return to_modes ? og_spread(p->plan, n, c, f) : og_interp(p->plan, n, f, c);
  return to_modes ? og_type1(p->plan, n, c, f) : og_type2(p->plan, n, f, c);
}

/* No modes: nothing to write, or sums of nothing. */
static int execute_empty(const shim_plan *p, void *c, int adjoint) {
  size_t bytes = 2 * real_bytes(p) * (size_t)p->n_vectors * (size_t)p->n_points;
  if ((p->type == 1) != adjoint || !bytes)
    return 0;
  if (!c)
    return shim_refuse(FINUFFT_ERR_INVALID_ARGUMENT, "execute: c is null");
  memset(c, 0, bytes);
  return 0;
}

static int execute(shim_plan *p, void *c, void *f, int adjoint) {
  static double nothing[2]; /* stands for arrays of no elements, which may be null here */
  if (!p->has_points)
    return shim_refuse(FINUFFT_ERR_INVALID_ARGUMENT, "execute before a successful setpts");
  if (!p->plan)
    return execute_empty(p, c, adjoint);
  if (!c && !p->n_points)
    c = nothing;
  if (!f && p->type == 3 && !p->n_targets)
    f = nothing;
  int code = shim_failed(p, "execute", execute_inner(p, c, f, adjoint));
  if (!code)
    shim_debug_executed(p, adjoint);
  return code;
}

int shim_execute(shim_plan *p, void *c, void *f, int adjoint) {
  if (!p)
    return shim_refuse(FINUFFT_ERR_PLAN_NOTVALID, "execute: the plan is null");
  pthread_mutex_lock(&p->lock);
  int code = execute(p, c, f, adjoint);
  pthread_mutex_unlock(&p->lock);
  return code;
}

/* ---- the rest */

int shim_destroy(shim_plan *p) {
  if (!p)
    return 1; /* as FINUFFT */
  planner_lock(&p->opts);
  og_plan_destroy(p->plan);
  planner_unlock(&p->opts);
  pthread_mutex_destroy(&p->lock);
  free(p);
  return 0;
}

int shim_once(const shim_job *job) {
  shim_plan *p = NULL;
  int code = shim_make(&p, job);
  if (code)
    return code;
  code = shim_set_points(p, job);
  if (!code)
    code = shim_execute(p, job->c, job->f, 0);
  shim_destroy(p);
  return code;
}
