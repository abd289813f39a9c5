/* This library as a contender, with the two operations that the others do not have: gradient and filter. */
#include "message.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

#define FILTER_MODES 32 /* multipliers that are not zero: so many modes, so that the truth is affordable */
#define TWO_PI 6.283185307179586476925286766559

typedef struct ours {
  const bench_case *c;
  og_plan plan;
  og_report report;
  int is_real;
  void *in, *out, *gradient, *multipliers;
  int64_t filter_mode[FILTER_MODES]; /* places in the modes array */
  int n_filter_modes;
} ours;

static size_t number_bytes(const ours *o) { return o->c->p->options.precision == OG_F32 ? 4 : 8; }

static void *numbers(const ours *o, int64_t n) { return malloc((size_t)n * number_bytes(o) + 1); }

static void put(const ours *o, void *to, int64_t i, double value) {
  if (o->c->p->options.precision == OG_F32)
    ((float *)to)[i] = (float)value;
  else
    ((double *)to)[i] = value;
}

static double get(const ours *o, const void *from, int64_t i) {
  return o->c->p->options.precision == OG_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

/* Zero but for a few modes; the time does not depend on the numbers. */
static int make_multipliers(ours *o, const check *k) {
  const problem *p = o->c->p;
  int64_t modes = check_modes(k), n = 2 * modes * p->n_vectors;
  o->multipliers = calloc((size_t)n + 1, number_bytes(o));
  if (!o->multipliers)
    return fail_memory(p->text, (double)n * (double)number_bytes(o));
  uint64_t state = p->seed + 99;
  int wanted = modes < FILTER_MODES ? (int)modes : FILTER_MODES;
  while (o->n_filter_modes < wanted) {
    int64_t place = (int64_t)(random_uniform(&state) * (double)modes);
    int known = 0;
    for (int i = 0; i < o->n_filter_modes; i++)
      known |= o->filter_mode[i] == place;
    if (!known)
      o->filter_mode[o->n_filter_modes++] = place;
  }
  for (int64_t v = 0; v < p->n_vectors; v++)
    for (int i = 0; i < 2 * o->n_filter_modes; i++)
      put(o, o->multipliers, 2 * (v * modes + o->filter_mode[i / 2]) + i % 2, 2 * random_uniform(&state) - 1);
  return 0;
}

static int allocate(ours *o) {
  const problem *p = o->c->p;
  check k;
  peer_describe(o->c, o->is_real, &k);
  int64_t parts = o->is_real ? 1 : 2, values = parts * p->n_points * p->n_vectors;
  int64_t in = k.type == 2 ? 2 * check_modes(&k) * p->n_vectors : values;
  int64_t out = k.type == 2 || p->op == OP_FILTER ? values : 2 * peer_size_out(&k) * p->n_vectors;
  o->in = numbers(o, in);
  o->out = numbers(o, out);
  o->gradient = p->op == OP_GRADIENT ? numbers(o, p->ndim * values) : NULL;
  if (!o->in || !o->out || (p->op == OP_GRADIENT && !o->gradient))
    return fail_memory(p->text,
                       (double)(in + out + (p->op == OP_GRADIENT ? p->ndim * values : 0)) * (double)number_bytes(o));
  problem_fill_data(p, 0, in, o->in);
  return p->op == OP_FILTER ? make_multipliers(o, &k) : 0;
}

static int ours_open(peer *me, const bench_case *c, double *seconds_plan) {
  const problem *p = c->p;
  ours *o = me->state = calloc(1, sizeof *o);
  if (!o)
    return fail("out of memory");
  o->c = c;
  o->is_real = p->options.values == OG_REAL;
  TRY(allocate(o));
  double start = seconds();
  TRY(fail_library(p->op == OP_TYPE3 ? og_plan_create_type3(&o->plan, p->ndim, &p->options)
                                     : og_plan_create(&o->plan, p->ndim, p->n_modes, &p->options),
                   p->text));
  *seconds_plan = seconds() - start;
  return 0;
}

static int execute(ours *o) {
  const problem *p = o->c->p;
  switch (p->op) {
  case OP_TYPE1:
    return og_type1(o->plan, p->n_vectors, o->in, o->out);
  case OP_TYPE2:
    return og_type2(o->plan, p->n_vectors, o->in, o->out);
  case OP_TYPE3:
    return og_type3(o->plan, p->n_vectors, o->in, o->out);
  case OP_GRADIENT:
    return og_type2_gradient(o->plan, p->n_vectors, o->in, o->out, o->gradient);
  default:
    return og_filter(o->plan, 1, o->in, p->n_vectors, o->multipliers, o->out);
  }
}

static void describe(peer *me) {
  const og_report *r = &((ours *)me->state)->report;
  snprintf(
      me->detail, sizeof me->detail,
      "%s, %s, %d threads; window %s, width %d, sigma %.3g, grid %lldx%lldx%lld; points %.2e, spread %.2e, fft %.2e, "
      "deconvolve %.2e, interp %.2e s; grid %.1f MB, points %.1f B each",
      r->backend, r->simd, r->threads, r->window, r->width, r->sigma, (long long)r->n_grid[0], (long long)r->n_grid[1],
      (long long)r->n_grid[2], r->seconds_points, r->seconds_spread, r->seconds_fft, r->seconds_deconvolve,
      r->seconds_interp, (double)r->bytes_grid / 1e6,
      r->n_points ? (double)r->bytes_points / (double)r->n_points : 0.0);
}

static int ours_run(peer *me, double *points_seconds, double *execute_seconds) {
  ours *o = me->state;
  const bench_case *c = o->c;
  void *const *x = c->x, *const *t = c->omega;
  double start = seconds();
  TRY(fail_library(og_plan_set_points(o->plan, c->p->n_points, x[0], x[1], x[2]), c->p->text));
  if (c->p->op == OP_TYPE3)
    TRY(fail_library(og_plan_set_targets(o->plan, c->p->n_targets, t[0], t[1], t[2]), c->p->text));
  double set = seconds();
  TRY(fail_library(execute(o), c->p->text));
  *points_seconds = set - start;
  *execute_seconds = seconds() - set;
  o->report.size = sizeof o->report;
  TRY(fail_library(og_plan_report(o->plan, &o->report), c->p->text));
  describe(me);
  return 0;
}

/* Gradient along d: type 2 of the modes times -s i k_d 2 pi / period. Norm and error go over all dimensions. */
static int gradient_error(const ours *o, int64_t samples, double *error) {
  const problem *p = o->c->p;
  check k;
  peer_describe(o->c, o->is_real, &k);
  int64_t modes = check_modes(&k), parts = o->is_real ? 1 : 2;
  void *derived = numbers(o, 2 * modes);
  int code = derived ? 0 : fail_memory(p->text, 2.0 * (double)modes * (double)number_bytes(o));
  for (int d = 0; !code && d < p->ndim; d++) {
    double unit = k.period[d] != 0 ? TWO_PI / k.period[d] : 1;
    for (int64_t i = 0; i < modes; i++) {
      double wave[3];
      check_mode(&k, i, wave);
      double factor = -p->options.sign * wave[d] * unit;
      put(o, derived, 2 * i, -factor * get(o, o->in, 2 * i + 1));
      put(o, derived, 2 * i + 1, factor * get(o, o->in, 2 * i));
    }
    code = check_vector(&k, samples, 17, derived,
                        (char *)o->gradient + (size_t)(d * p->n_vectors * p->n_points * parts) * number_bytes(o));
  }
  free(derived);
  *error = check_error(&k);
  return code;
}

/* values[o] = sum over the few modes of w m F exp(-s i k.x), F the direct type 1. */
static int filter_error(const ours *o, int64_t samples, double *error) {
  const problem *p = o->c->p;
  check k, few;
  peer_describe(o->c, o->is_real, &k);
  int64_t modes = check_modes(&k), n = p->n_points, vector = p->n_vectors - 1;
  int m = o->n_filter_modes, s = p->options.sign;
  if (samples > n)
    samples = n;
  double *all = malloc(sizeof(double) * (size_t)(5 * n + 5 * samples) + 1), wave[3][FILTER_MODES],
         sum[2 * FILTER_MODES];
  if (!all)
    return fail_memory(p->text, 40.0 * (double)(n + samples));
  double *x[3], *strengths = all + 3 * n, *y[3], *exact = strengths + 2 * n + 3 * samples;
  const double *kk[3] = {wave[0], wave[1], wave[2]};
  for (int d = 0; d < 3; d++)
    x[d] = all + d * n, y[d] = strengths + 2 * n + d * samples;
  for (int d = 0; d < p->ndim; d++) {
    double unit = k.period[d] != 0 ? TWO_PI / k.period[d] : 1;
    for (int64_t j = 0; j < n; j++)
      x[d][j] = unit * get(o, o->c->x[d], j);
    for (int64_t i = 0; i < samples; i++)
      y[d][i] = x[d][i * (n / (samples > 0 ? samples : 1))];
  }
  for (int64_t j = 0; j < n; j++) {
    strengths[2 * j] = get(o, o->in, o->is_real ? j : 2 * j);
    strengths[2 * j + 1] = o->is_real ? 0 : get(o, o->in, 2 * j + 1);
  }
  for (int i = 0; i < m; i++) {
    double at[3];
    check_mode(&k, o->filter_mode[i], at);
    for (int d = 0; d < 3; d++)
      wave[d][i] = at[d];
  }
  int code = fail_library(og_direct_sum(p->ndim, s, n, (const double *const *)x, strengths, m, kk, sum), "direct sum");
  for (int i = 0; !code && i < m; i++) {
    int64_t place = vector * modes + o->filter_mode[i];
    double a = get(o, o->multipliers, 2 * place), b = get(o, o->multipliers, 2 * place + 1), re = sum[2 * i],
           im = sum[2 * i + 1];
    double w = o->is_real && wave[0][i] != 0 && 2 * wave[0][i] != (double)p->n_modes[0] ? 2 : 1;
    sum[2 * i] = w * (a * re - b * im);
    sum[2 * i + 1] = w * (a * im + b * re);
  }
  if (!code)
    code = fail_library(og_direct_sum(p->ndim, -s, m, kk, sum, samples, (const double *const *)y, exact), "direct sum");
  few = (check){0};
  for (int64_t i = 0; !code && i < samples; i++) {
    int64_t j = vector * n + i * (n / samples);
    double re = get(o, o->out, o->is_real ? j : 2 * j) - exact[2 * i];
    double im = o->is_real ? 0 : get(o, o->out, 2 * j + 1) - exact[2 * i + 1];
    few.error2 += re * re + im * im;
    few.norm2 += exact[2 * i] * exact[2 * i] + (o->is_real ? 0 : exact[2 * i + 1] * exact[2 * i + 1]);
  }
  free(all);
  *error = check_error(&few);
  return code;
}

static int ours_error(peer *me, int64_t samples, double *error) {
  const ours *o = me->state;
  if (o->c->p->op == OP_GRADIENT)
    return gradient_error(o, samples, error);
  if (o->c->p->op == OP_FILTER)
    return filter_error(o, samples, error);
  return peer_compare(o->c, o->is_real, samples, o->in, o->out, error);
}

static void ours_close(peer *me) {
  ours *o = me->state;
  if (!o)
    return;
  og_plan_destroy(o->plan);
  free(o->in);
  free(o->out);
  free(o->gradient);
  free(o->multipliers);
  free(o);
  me->state = NULL;
}

const og_report *peer_offgrid_report(const peer *me) { return &((const ours *)me->state)->report; }

const peer peer_offgrid = {
    .name = "offgrid", .open = ours_open, .run = ours_run, .error = ours_error, .close = ours_close};
