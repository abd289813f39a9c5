/* One spreading window, measured. The error is that of a whole 1-D transform of type 1 with this window, width and sigma,
 * all modes compared with the direct sum; the cost is that of spreading points on a grid that fits the cache. */
#include "window_measure.h"

#include "check.h"
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_POINTS = 600, COST_POINTS = 100000, COST_GRID = 4096, COST_REPEATS = 7 };

static int plan_options(og_options *o, const window_entry *e) {
  const og_options defaults = OG_OPTIONS_DEFAULT;
  *o = defaults;
  o->tolerance = 1e-15; /* the width decides, not the tolerance */
  o->window = e->name;
  o->width = e->width;
  o->sigma = e->sigma;
  o->shape = e->shape;
  o->threads = 1;
  return 0;
}

static void fill(double *x, double *strengths, int n) {
  uint64_t state = 7;
  for (int j = 0; j < n; j++) {
    x[j] = 6.283185307179586 * random_uniform(&state);
    strengths[2 * j] = 2 * random_uniform(&state) - 1;
    strengths[2 * j + 1] = 2 * random_uniform(&state) - 1;
  }
}

static int measure_error(window_entry *e) {
  static double x[ERROR_POINTS], strengths[2 * ERROR_POINTS], k[WINDOW_MODES], modes[2 * WINDOW_MODES],
      exact[2 * WINDOW_MODES];
  const double *sources[1] = {x}, *targets[1] = {k};
  const int64_t n = WINDOW_MODES;
  og_options options;
  og_plan plan;
  plan_options(&options, e);
  fill(x, strengths, ERROR_POINTS);
  for (int i = 0; i < WINDOW_MODES; i++)
    k[i] = i - 0.5 * WINDOW_MODES;
  TRY(fail_library(og_plan_create(&plan, 1, &n, &options), e->name));
  int code = og_plan_set_points(plan, ERROR_POINTS, x, NULL, NULL);
  if (!code)
    code = og_type1(plan, 1, strengths, modes);
  if (!code)
    code = og_direct_sum(1, options.sign, ERROR_POINTS, sources, strengths, WINDOW_MODES, targets, exact);
  og_plan_destroy(plan);
  TRY(fail_library(code, e->name));
  double error2 = 0, norm2 = 0;
  for (int i = 0; i < WINDOW_MODES; i++) {
    double re = modes[2 * i] - exact[2 * i], im = modes[2 * i + 1] - exact[2 * i + 1];
    e->profile[i] = sqrt(re * re + im * im);
    error2 += re * re + im * im;
    norm2 += exact[2 * i] * exact[2 * i] + exact[2 * i + 1] * exact[2 * i + 1];
  }
  for (int i = 0; i < WINDOW_MODES; i++)
    e->profile[i] /= sqrt(norm2 / WINDOW_MODES);
  e->error = sqrt(error2 / norm2);
  return 0;
}

static int spread_often(og_plan plan, const double *strengths, double *grid, double *least) {
  *least = INFINITY;
  for (int r = 0; r < COST_REPEATS; r++) {
    double start = seconds();
    TRY(og_spread(plan, 1, strengths, grid));
    double took = seconds() - start;
    *least = took < *least ? took : *least;
  }
  return 0;
}

static int measure_cost(window_entry *e) {
  og_options options;
  og_plan plan = NULL;
  const int64_t n = COST_GRID;
  double least = 0;
  plan_options(&options, e);
  options.spread_only = 1;
  double *x = malloc((3 * COST_POINTS + 2 * COST_GRID) * sizeof *x);
  if (!x)
    return fail("out of memory");
  fill(x, x + COST_POINTS, COST_POINTS);
  int code = og_plan_create(&plan, 1, &n, &options);
  if (!code)
    code = og_plan_set_points(plan, COST_POINTS, x, NULL, NULL);
  if (!code)
    code = spread_often(plan, x + COST_POINTS, x + 3 * COST_POINTS, &least);
  og_plan_destroy(plan);
  free(x);
  e->nanoseconds = least / COST_POINTS * 1e9;
  return fail_library(code, e->name);
}

/* Kinds of one fixed width (linear, cubic) refuse all others: the nearest that is taken, narrower ones first. */
static int create(window_entry *e) {
  int code = og_window_create(&e->handle, e->name, e->width, e->sigma, e->shape);
  for (int away = 1; code && away < 16; away++)
    for (int side = -1; code && side <= 1; side += 2) {
      int width = e->width + side * away;
      if (width >= 2 && width <= 16 && !og_window_create(&e->handle, e->name, width, e->sigma, e->shape)) {
        e->width = width;
        return 0;
      }
    }
  return fail_library(code, e->name);
}

int window_measure(window_entry *e, const char *name, int width, double sigma, double shape, int optimised) {
  *e = (window_entry){.name = name, .width = width, .sigma = sigma, .shape = shape};
  TRY(create(e));
  if (optimised) {
    og_window_destroy(e->handle);
    e->handle = NULL;
    TRY(fail_library(og_window_optimise(name, e->width, sigma, &e->shape), name));
    TRY(create(e));
  }
  e->shape = og_window_shape(e->handle);
  e->bound = og_window_aliasing(e->handle);
  e->degree = og_window_degree(e->handle);
  int code = measure_error(e);
  if (!code)
    code = measure_cost(e);
  if (code)
    window_entry_free(e);
  return code;
}

void window_entry_free(window_entry *e) {
  og_window_destroy(e->handle);
  e->handle = NULL;
}
