/* The error of a transform on a sample of its results. */
#include "check.h"

#include "message.h"
#include "offgrid.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586476925286766559

uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

double random_uniform(uint64_t *state) { return (double)(random_next(state) >> 11) * 0x1p-53; }

static int64_t held(const check *c, int d) { return c->is_real && d == 0 ? c->n_modes[0] / 2 + 1 : c->n_modes[d]; }

int64_t check_modes(const check *c) { return held(c, 0) * held(c, 1) * held(c, 2); }

static double wave_number(const check *c, int d, int64_t i) {
  int64_t n = c->n_modes[d];
  if (c->is_real && d == 0)
    return (double)i;
  return (double)(c->mode_order == OG_ORDER_FFT ? (i < (n + 1) / 2 ? i : i - n) : i - n / 2);
}

void check_mode(const check *c, int64_t place, double k[3]) {
  for (int d = 0; d < 3; d++) {
    k[d] = wave_number(c, d, place % held(c, d));
    place /= held(c, d);
  }
}

static double get(const check *c, const void *data, int64_t i) {
  return c->is_single ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* Coordinates in radians: of all sources, or of the sampled places. */
static void fill_points(const check *c, const void *const x[3], double *const to[3], const int64_t *places, int64_t n) {
  for (int d = 0; d < c->ndim; d++) {
    double scale = c->type != 3 && c->period[d] != 0 ? TWO_PI / c->period[d] : 1;
    for (int64_t j = 0; j < n; j++)
      to[d][j] = scale * get(c, x[d], places ? places[j] : j);
  }
}

static void fill_modes(const check *c, double *const to[3], const int64_t *places, int64_t n) {
  for (int64_t j = 0; j < n; j++) {
    double k[3];
    check_mode(c, places ? places[j] : j, k);
    for (int d = 0; d < c->ndim; d++)
      to[d][j] = k[d];
  }
}

/* Half of the modes stand for all where values are real: all but k_x = 0 and an even N_x's Nyquist plane count twice, in
 * the sum of type 2 as in the error of type 1 (whose worst modes, those at the edge, would weigh too much otherwise). */
static double weight(const check *c, double kx) {
  return c->type != 3 && c->is_real && kx != 0 && 2 * kx != (double)c->n_modes[0] ? 2 : 1;
}

/* All arrays of one comparison, in one block. */
typedef struct work {
  double *block, *sources[3], *strengths, *targets[3], *exact;
  int64_t *places;
} work;

static int allocate(work *w, int ndim, int64_t n_sources, int64_t samples) {
  size_t n = (size_t)n_sources, m = (size_t)samples;
  double *at = w->block = malloc(((size_t)ndim + 2) * (n + m) * sizeof(double) + 1);
  w->places = malloc(m * sizeof *w->places + 1);
  if (!w->block || !w->places)
    return fail("out of memory for the direct sum over %lld terms", (long long)n_sources);
  for (int d = 0; d < ndim; d++, at += n)
    w->sources[d] = at;
  w->strengths = at;
  at += 2 * n;
  for (int d = 0; d < ndim; d++, at += m)
    w->targets[d] = at;
  w->exact = at;
  return 0;
}

static int64_t n_sources(const check *c) { return c->type == 2 ? check_modes(c) : c->n_points; }

static int64_t n_results(const check *c) {
  return c->type == 1 ? check_modes(c) : c->type == 2 ? c->n_points : c->n_targets;
}

int64_t check_samples(const check *c) {
  int64_t sources = n_sources(c), samples = 20000000 / (sources > 0 ? sources : 1);
  samples = samples < 16 ? 16 : samples > 1000 ? 1000 : samples;
  return samples < n_results(c) ? samples : n_results(c);
}

static void fill(const check *c, work *w, int64_t samples, uint64_t seed, const void *in) {
  int64_t n = n_sources(c), results = n_results(c);
  for (int64_t i = 0; i < samples; i++)
    w->places[i] = samples == results ? i : (int64_t)(random_uniform(&seed) * (double)results);
  int complex_in = c->type == 2 || !c->is_real;
  if (c->type == 2)
    fill_modes(c, w->sources, NULL, n);
  else
    fill_points(c, c->x, w->sources, NULL, n);
  for (int64_t j = 0; j < n; j++) {
    double factor = c->type == 2 ? weight(c, w->sources[0][j]) : 1;
    w->strengths[2 * j] = factor * get(c, in, complex_in ? 2 * j : j);
    w->strengths[2 * j + 1] = complex_in ? factor * get(c, in, 2 * j + 1) : 0;
  }
  if (c->type == 1)
    fill_modes(c, w->targets, w->places, samples);
  else
    fill_points(c, c->type == 2 ? c->x : c->targets, w->targets, w->places, samples);
}

static void compare(check *c, const work *w, int64_t samples, const void *out) {
  int complex_out = c->type != 2 || !c->is_real;
  for (int64_t i = 0; i < samples; i++) {
    double re = w->exact[2 * i], im = complex_out ? w->exact[2 * i + 1] : 0;
    int64_t at = w->places[i];
    double dre = get(c, out, complex_out ? 2 * at : at) - re, dim = complex_out ? get(c, out, 2 * at + 1) - im : 0;
    double stands_for = c->type == 1 ? weight(c, w->targets[0][i]) : 1;
    c->error2 += stands_for * (dre * dre + dim * dim);
    c->norm2 += stands_for * (re * re + im * im);
  }
  c->samples_done += samples;
}

int check_vector(check *c, int64_t samples, uint64_t seed, const void *in, const void *out) {
  if (samples > n_results(c))
    samples = n_results(c);
  if (samples <= 0)
    return 0;
  work w = {0};
  int64_t n = n_sources(c);
  int code = allocate(&w, c->ndim, n, samples);
  if (!code) {
    fill(c, &w, samples, seed, in);
    code = fail_library(og_direct_sum(c->ndim, c->type == 2 ? -c->sign : c->sign, n, (const double *const *)w.sources,
                                      w.strengths, samples, (const double *const *)w.targets, w.exact),
                        "direct sum");
  }
  if (!code)
    compare(c, &w, samples, out);
  free(w.places);
  free(w.block);
  return code;
}

double check_error(const check *c) {
  if (c->norm2 > 0)
    return sqrt(c->error2 / c->norm2);
  return c->error2 == 0 ? 0 : INFINITY;
}
