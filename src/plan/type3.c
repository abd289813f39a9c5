/* Type 3, points to points: spread the sources on a grid that is fine enough for the highest target frequency, then read
 * that grid's Fourier series at the targets with a type 2, whose modes are the grid's cells.
 *
 * With sources C + x', |x'| <= X, targets D + w', |w'| <= S, a period P of the grid of n cells and u = x' n / P:
 *   exp(i s w x) = exp(i s w C) exp(i s D x') exp(i s xi u),  xi = w' P / n,
 *   sum_m phi(m - u) exp(i s xi m) = exp(i s xi u) hat(xi) + aliases.
 * n = 2 sigma S X / pi + w + 1 and P = pi n / (sigma S) keep |xi| <= pi / sigma and the stencils inside one period
 * (Lee and Greengard, J. Comput. Phys. 206, 2005). Every step has its adjoint, and the adjoint runs them backwards. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "plan/place.h"
#include "plan/plan.h"
#include "points/check.h"

#define WIDEST 1e280       /* half a span, so that periods and scales stay finite; and the inverse of the narrowest */
#define LARGEST_PHASE 1e15 /* beyond, exp(i omega x) has no digit left */

typedef struct {
  int64_t n;
  void *x[3]; /* the caller's coordinates, kept because centre and scale depend on the other side */
  double centre[3], half[3];
  void *phase; /* [n] complex: what this side's values are multiplied by */
} side;

struct og_two_sides {
  side source, target;
  og_plan inner; /* type 2 from the grid's cells to the scaled targets; made when both sides are known */
  void *phased;  /* [batch][n of the larger side] complex */
};

static void free_side(const struct og_plan_s *plan, side *s) {
  for (int d = 0; d < 3; d++)
    og_free(s->x[d]);
  og_place_free(plan, s->phase);
  *s = (side){0};
}

void og_type3_destroy(og_plan plan) {
  og_two_sides *t = plan->type3;
  if (!t)
    return;
  free_side(plan, &t->source);
  free_side(plan, &t->target);
  og_plan_destroy(t->inner);
  og_place_free(plan, t->phased);
  og_free(t);
}

int og_type3_create(og_plan plan) {
  plan->type3_law = 1;
  plan->type3 = og_allocate_zeroed(sizeof *plan->type3);
  OG_CHECK(plan->type3, OG_ERR_MEMORY, "no memory for a type 3 plan");
  return OG_OK;
}

/* ---- scales */

typedef struct {
  char *to;
  const char *from;
  size_t bytes; /* of one */
} copy_job;

static void copy_piece(void *context, int64_t begin, int64_t end) {
  const copy_job *j = context;
  memcpy(j->to + (size_t)begin * j->bytes, j->from + (size_t)begin * j->bytes, (size_t)(end - begin) * j->bytes);
}

/* The caller's coordinates in the host's memory, wherever they lie. */
static int copy_coordinates(og_plan plan, int64_t n, const void *const x[3], side *s) {
  size_t bytes = og_real_bytes(plan->options.precision);
  s->n = n;
  for (int d = 0; d < plan->ndim; d++) {
    s->x[d] = og_allocate(og_bytes((size_t)n, bytes));
    OG_CHECK(s->x[d], OG_ERR_MEMORY, "no memory for %lld coordinates", (long long)n);
    copy_job job = {s->x[d], x[d], bytes};
    if (!plan->device)
      plan->backend.parallel(plan->threads, n, 1 << 16, copy_piece, &job);
    else if (n)
      OG_TRY(og_place_copy(plan, s->x[d], x[d], (size_t)n * bytes));
  }
  return plan->device ? plan->backend.finish(plan->device) : OG_OK;
}

static int copy_side(og_plan plan, int64_t n, const void *const x[3], side *s) {
  double low[3], high[3];
  OG_TRY(copy_coordinates(plan, n, x, s));
  OG_TRY(og_points_check(&plan->backend, plan->options.precision, plan->threads, plan->ndim, n,
                         (const void *const[3]){s->x[0], s->x[1], s->x[2]}, low, high));
  for (int d = 0; d < plan->ndim; d++) {
    s->centre[d] = low[d] / 2 + high[d] / 2;
    s->half[d] = high[d] / 2 - low[d] / 2;
    OG_CHECK(s->half[d] <= WIDEST, OG_ERR_POINT, "the points span [%g, %g] along %c: want less than %g", low[d],
             high[d], "xyz"[d], 2 * WIDEST);
    if (fabs(s->centre[d]) < 0.1 * s->half[d]) { /* a slightly larger grid is cheaper than a phase */
      s->half[d] += fabs(s->centre[d]);
      s->centre[d] = 0;
    }
  }
  return OG_OK;
}

/* Half widths that may be 0 (one point) or next to it made positive without making the grid larger. */
static void positive_halves(double *x, double *s) {
  if (*x == 0 && *s == 0)
    *x = *s = 1;
  else if (*x == 0)
    *x = fmin(1 / *s, WIDEST);
  else if (*s == 0)
    *s = fmin(1 / *x, WIDEST);
  *x = fmax(*x, 1 / WIDEST);
  *s = fmax(*s, 1 / WIDEST);
}

typedef struct {
  const struct og_plan_s *plan;
  const og_series *hat;
  const side *side;
  const double *centre; /* of the other side: the phase's frequency */
  const double *origin; /* subtracted from the coordinates first */
  const double *scale;  /* xi = scale (x - origin), or NULL: no division by hat */
  double sign;
  double *scaled[3]; /* xi out, in double precision whatever the plan's: rounded to f32 it would cost 1e-8 n */
} phase_job;

static double read_real(const void *x, int precision, int64_t i) {
  return precision == OG_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void write_real(void *x, int precision, int64_t i, double v) {
  if (precision == OG_F32)
    ((float *)x)[i] = (float)v;
  else
    ((double *)x)[i] = v;
}

static void fill_phase(void *context, int64_t begin, int64_t end) {
  const phase_job *j = context;
  int precision = j->plan->options.precision;
  enum { BLOCK = 64 };
  for (int64_t a = begin; a < end; a += BLOCK) {
    int m = end - a < BLOCK ? (int)(end - a) : BLOCK;
    double angle[BLOCK] = {0}, factor[BLOCK];
    const double *scaled[3] = {NULL, NULL, NULL};
    for (int i = 0; i < m; i++)
      factor[i] = 1;
    for (int d = 0; d < j->plan->ndim; d++) {
      for (int i = 0; i < m; i++) {
        double x = read_real(j->side->x[d], precision, a + i);
        angle[i] += j->sign * j->centre[d] * (x - j->origin[d]);
        if (j->scale)
          j->scaled[d][a + i] = j->scale[d] * (x - j->side->centre[d]);
      }
      scaled[d] = j->scale ? j->scaled[d] + a : NULL;
    }
    if (j->scale)
      og_series_factors(j->hat, j->plan->ndim, m, scaled, factor);
    for (int i = 0; i < m; i++) {
      write_real(j->side->phase, precision, 2 * (a + i), factor[i] * cos(angle[i]));
      write_real(j->side->phase, precision, 2 * (a + i) + 1, factor[i] * sin(angle[i]));
    }
  }
}

/* ---- building: everything anew, swapped in when whole */

typedef struct {
  og_core *core;
  og_plan inner;
  void *resident, *phased, *source_phase, *target_phase;
  double *scaled[3]; /* targets, for the inner plan */
  size_t resident_bytes;
  double lift;
} build;

og_plan og_type3_inner(const struct og_plan_s *plan) { return plan->type3 ? plan->type3->inner : NULL; }

static int make_inner(const struct og_plan_s *plan, const og_choice *choice, og_plan *inner) {
  og_options o = plan->options;
  o.backend = plan->backend.name;
  o.simd = plan->simd;
  o.window = og_window_kind_name((int)plan->kind);
  o.sign = -plan->options.sign; /* a type 2 has the opposite exponent */
  o.mode_order = OG_ORDER_FFT;  /* cells of negative coordinate wrap to the end */
  o.storage = OG_STORE_COPY;
  o.expected_points = 0;
  o.spread_method = plan->spread_method;
  o.interp_method = plan->interp_method;
  o.tuning = plan->tuning;
  OG_TRY(og_plan_make(inner, plan->ndim, choice->n, &o, plan->device));
  (*inner)->type3_law = 1;
  (*inner)->wide_points = 1;
  (*inner)->progress = plan->progress;
  return OG_OK;
}

static int set_outer(og_plan plan, build *b, const double x[3], const double s[3]) {
  og_two_sides *t = plan->type3;
  og_choice choice;
  OG_TRY(og_choose_type3(plan, t->source.n + t->target.n, x, s, &choice));
  struct og_plan_s view = *plan; /* the outer grid's points have their own period */
  double shift[3] = {0, 0, 0};
  view.options.storage = OG_STORE_COPY;
  for (int d = 0; d < plan->ndim; d++) {
    view.period[d] = 3.14159265358979323846 * (double)choice.n[d] / (choice.sigma * s[d]);
    shift[d] = -t->source.centre[d] * (double)choice.n[d] / view.period[d];
  }
  OG_TRY(og_plan_build_core(&view, &choice, shift, &b->core));
  og_core *c = b->core;
  c->memory = og_place_allocate(plan, og_core_bytes(c));
  if (!c->memory && c->batch > 1) {
    c->batch = 1;
    c->memory = og_place_allocate(plan, c->grid.bytes);
  }
  c->memory_is_ours = 1;
  OG_CHECK(c->memory, OG_ERR_MEMORY, "no memory for a type 3 grid of %zu bytes", c->grid.bytes);
  return OG_OK;
}

static int set_sources(og_plan plan, build *b) {
  size_t resident, scratch_bytes = og_core_bytes(b->core);
  const side *s = &plan->type3->source;
  const void *const x[3] = {s->x[0], s->x[1], s->x[2]};
  OG_TRY(plan->backend.points_bytes(b->core->points, s->n, &resident, &scratch_bytes));
  b->resident_bytes = resident;
  b->resident = og_place_allocate(plan, resident);
  OG_CHECK(b->resident, OG_ERR_MEMORY, "no memory for %lld points", (long long)s->n);
  return og_plan_sort_points(plan, b->core, s->n, x, b->resident, NULL, scratch_bytes);
}

/* A side's phases, which were computed on the host, where the backend multiplies by them. */
static int place_phases(og_plan plan, const side *s, void **phase) {
  size_t bytes = (size_t)s->n * og_value_bytes(plan->options.precision, OG_COMPLEX);
  if (!plan->device) {
    *phase = s->phase;
    return OG_OK;
  }
  *phase = og_place_allocate(plan, bytes);
  OG_CHECK(*phase, OG_ERR_MEMORY, "no device memory for the phases of a type 3");
  if (bytes)
    OG_TRY(og_place_copy(plan, *phase, s->phase, bytes));
  return plan->backend.finish(plan->device);
}

static double square(double x) { return x * x; }

/* How much larger the rounding of the inner transform is in the results: what it computes has the size of the grid's
 * norm, rms(phi hat) over all frequencies, and is divided by phi hat at the targets, where few in a corner of the band
 * outweigh the others (a sample of the real ones: random targets of one problem differ tenfold from another's); before
 * that the inner type 2 divides the grid's cells, of which the sources fill all but the margin. */
static double rounding_lift(const struct og_plan_s *plan, const build *b, const side *target) {
  enum { NODES = 16, SAMPLES = 4096 };
  const og_window *w = &b->core->window;
  const og_choice *c = &b->core->choice;
  const int precision = plan->options.precision;
  const int64_t step = target->n / SAMPLES + 1;
  double norm = 0, at_targets = 0, lift = 1;
  for (int i = 0; i < 8 * NODES; i++)
    norm += square(og_window_phi(w, w->width * ((i + 0.5) / (8 * NODES) - 0.5))) * w->width / (8 * NODES);
  for (int64_t l = 0; l < target->n; l += step)
    at_targets +=
        square(read_real(target->phase, precision, 2 * l)) + square(read_real(target->phase, precision, 2 * l + 1));
  for (int d = 0; d < plan->ndim; d++) {
    double filled = fmax(1 - (w->width + 1) / (double)c->n[d], 0), cells = 0;
    for (int i = 0; i < NODES; i++)
      cells += 1 / square(og_window_hat(w, (i + 0.5) / NODES * filled * 3.14159265358979323846 / c->sigma)) / NODES;
    lift *= norm * fmax(cells * norm, 1); /* the other stages round as well */
  }
  return target->n ? sqrt(lift * at_targets / (double)((target->n - 1) / step + 1)) : 0;
}

static int make_phases(og_plan plan, build *b, side *source, side *target) {
  size_t value = og_value_bytes(plan->options.precision, OG_COMPLEX);
  const double zero[3] = {0, 0, 0};
  double scale[3] = {0, 0, 0};
  source->phase = og_allocate(og_bytes((size_t)source->n, value));
  target->phase = og_allocate(og_bytes((size_t)target->n, value));
  b->phased = og_place_allocate(
      plan, og_bytes((size_t)(b->core->batch * (source->n > target->n ? source->n : target->n)), value));
  OG_CHECK(source->phase && target->phase && b->phased, OG_ERR_MEMORY, "no memory for the phases of a type 3");
  og_series hat;
  og_series_make(&b->core->window, 1.000001 * 3.14159265358979323846 / b->core->choice.sigma, &hat);
  phase_job job = {.plan = plan, .hat = &hat, .sign = plan->options.sign};
  for (int d = 0; d < plan->ndim; d++) {
    job.scaled[d] = b->scaled[d] = og_allocate(og_bytes((size_t)target->n, sizeof(double)));
    OG_CHECK(b->scaled[d], OG_ERR_MEMORY, "no memory for the targets of a type 3");
    scale[d] = b->core->points_setup.period[d] / (double)b->core->grid.n[d];
  }
  job.side = source;
  job.centre = target->centre;
  job.origin = source->centre;
  plan->backend.parallel(plan->threads, source->n, 1024, fill_phase, &job);
  job.side = target;
  job.centre = source->centre;
  job.origin = zero;
  job.scale = scale;
  plan->backend.parallel(plan->threads, target->n, 256, fill_phase, &job);
  b->lift = rounding_lift(plan, b, target);
  OG_TRY(place_phases(plan, source, &b->source_phase));
  return place_phases(plan, target, &b->target_phase);
}

static int fill_phases(og_plan plan, build *b) {
  side source = plan->type3->source, target = plan->type3->target;
  source.phase = target.phase = NULL;
  int code = make_phases(plan, b, &source, &target);
  if (source.phase != b->source_phase)
    og_free(source.phase);
  if (target.phase != b->target_phase)
    og_free(target.phase);
  return code;
}

static int fill_build(og_plan plan, build *b) {
  og_two_sides *t = plan->type3;
  double x[3] = {1, 1, 1}, s[3] = {1, 1, 1};
  for (int d = 0; d < plan->ndim; d++) {
    x[d] = t->source.half[d];
    s[d] = t->target.half[d];
    positive_halves(&x[d], &s[d]);
    double phase = (fabs(t->source.centre[d]) + t->source.half[d]) * (fabs(t->target.centre[d]) + t->target.half[d]);
    OG_CHECK(phase < LARGEST_PHASE, OG_ERR_POINT,
             "sources and targets along %c multiply to %.3g radians: beyond %g no digit of the phase is left", "xyz"[d],
             phase, LARGEST_PHASE);
  }
  OG_TRY(set_outer(plan, b, x, s));
  OG_TRY(set_sources(plan, b));
  OG_TRY(fill_phases(plan, b));
  OG_TRY(make_inner(plan, &b->core->choice, &b->inner));
  return og_plan_set_points(b->inner, t->target.n, b->scaled[0], b->scaled[1], b->scaled[2]);
}

static void drop_build(og_plan plan, build *b) {
  og_plan_destroy_core(plan, b->core);
  og_plan_destroy(b->inner);
  og_place_free(plan, b->resident);
  og_place_free(plan, b->phased);
  og_place_free(plan, b->source_phase);
  og_place_free(plan, b->target_phase);
}

static int rebuild(og_plan plan) {
  build b = {0};
  og_two_sides *t = plan->type3;
  int code = fill_build(plan, &b);
  for (int d = 0; d < 3; d++)
    og_free(b.scaled[d]);
  if (code) {
    drop_build(plan, &b);
    return code;
  }
  build old = {.core = plan->core,
               .inner = t->inner,
               .resident = plan->resident,
               .phased = t->phased,
               .source_phase = t->source.phase,
               .target_phase = t->target.phase};
  plan->core = b.core;
  plan->resident = b.resident;
  plan->resident_is_ours = 1;
  plan->resident_bytes = b.resident_bytes + b.inner->resident_bytes;
  plan->peak_bytes = og_core_bytes(b.core) + b.inner->peak_bytes + b.resident_bytes;
  t->inner = b.inner;
  t->phased = b.phased;
  t->source.phase = b.source_phase;
  t->target.phase = b.target_phase;
  drop_build(plan, &old);
  plan->n_points = t->source.n;
  plan->type3_lift = b.lift;
  return OG_OK;
}

int og_type3_set(og_plan plan, int targets, int64_t n, const void *const x[3]) {
  og_two_sides *t = plan->type3;
  side *mine = targets ? &t->target : &t->source, *other = targets ? &t->source : &t->target;
  side fresh = {0}, old = *mine;
  int known = other->x[0] != NULL;
  int code = copy_side(plan, n, x, &fresh);
  if (!code && known) {
    *mine = fresh;
    mine->phase = old.phase; /* freed by rebuild, which makes a new one */
    code = rebuild(plan);
    fresh.phase = NULL;
  }
  if (code) {
    *mine = old;
    free_side(plan, &fresh);
    return code;
  }
  if (!known)
    *mine = fresh;
  old.phase = NULL;
  free_side(plan, &old);
  plan->has_points = known;
  return OG_OK;
}

/* ---- execute */

static int check_sides(og_plan plan, int64_t n_vectors, const void *at_sources, const void *at_targets) {
  OG_CHECK(plan->has_points, OG_ERR_ORDER, "og_plan_set_points and og_plan_set_targets come first");
  OG_CHECK(at_sources || !n_vectors || !plan->type3->source.n, OG_ERR_NULL, "the sources' array must not be null");
  OG_CHECK(at_targets || !n_vectors || !plan->type3->target.n, OG_ERR_NULL, "the targets' array must not be null");
  return OG_OK;
}

/* The phases, timed with the deconvolution that they carry. */
static int multiply(og_plan plan, int64_t vectors, const side *s, int conjugate, const void *in, void *out) {
  double t = og_timer_now();
  OG_TRY(plan->backend.multiply(plan->device, plan->options.precision, plan->threads, vectors, s->n, conjugate,
                                s->phase, in, out));
  og_timer_lap(&t, &plan->seconds_deconvolve);
  return OG_OK;
}

/* Adds what the inner transform took to the plan's own times. */
static void add_times(og_plan plan) {
  const og_plan inner = plan->type3->inner;
  plan->seconds_spread += inner->seconds_spread;
  plan->seconds_fft += inner->seconds_fft;
  plan->seconds_deconvolve += inner->seconds_deconvolve;
  plan->seconds_interp += inner->seconds_interp;
}

/* The vectors' arrays `from` there, and `to` there. */
static int sides_in(og_plan plan, int64_t vectors, const side *in, const void *from, const void **in_at,
                    const side *out, void *to, void **out_at) {
  size_t value = (size_t)vectors * og_value_bytes(plan->options.precision, OG_COMPLEX);
  OG_TRY(og_place_in(plan, OG_SLOT_VALUES, from, (size_t)in->n * value, in_at));
  return og_place_out(plan, OG_SLOT_MODES, to, (size_t)out->n * value, out_at);
}

static int side_back(og_plan plan, int64_t vectors, const side *out, void *to, const void *at) {
  if (to == at)
    return OG_OK;
  OG_TRY(og_place_back(plan, to, at, (size_t)(vectors * out->n) * og_value_bytes(plan->options.precision, OG_COMPLEX)));
  return plan->backend.finish(plan->device);
}

static int sources_to_targets(og_plan plan, int64_t vectors, const void *from, void *to) {
  og_two_sides *t = plan->type3;
  const void *strengths;
  void *results;
  OG_TRY(sides_in(plan, vectors, &t->source, from, &strengths, &t->target, to, &results));
  OG_TRY(multiply(plan, vectors, &t->source, 0, strengths, t->phased));
  double since = og_timer_now();
  og_progress_enter(plan, OG_STAGE_SPREAD, vectors);
  OG_TRY(plan->backend.spread(plan->core->points, vectors, t->phased, plan->core->memory));
  og_timer_lap(&since, &plan->seconds_spread);
  OG_TRY(og_type2(t->inner, vectors, plan->core->memory, results));
  add_times(plan);
  OG_TRY(multiply(plan, vectors, &t->target, 0, results, results));
  return side_back(plan, vectors, &t->target, to, results);
}

static int targets_to_sources(og_plan plan, int64_t vectors, const void *from, void *to) {
  og_two_sides *t = plan->type3;
  const void *results;
  void *values;
  OG_TRY(sides_in(plan, vectors, &t->target, from, &results, &t->source, to, &values));
  OG_TRY(multiply(plan, vectors, &t->target, 1, results, t->phased));
  OG_TRY(og_type1(t->inner, vectors, t->phased, plan->core->memory));
  add_times(plan);
  double since = og_timer_now();
  og_progress_enter(plan, OG_STAGE_INTERP, vectors);
  OG_TRY(plan->backend.interp(plan->core->points, vectors, plan->core->memory, values, NULL));
  og_timer_lap(&since, &plan->seconds_interp);
  OG_TRY(multiply(plan, vectors, &t->source, 1, values, values));
  return side_back(plan, vectors, &t->source, to, values);
}

int og_type3_execute(og_plan plan, int64_t n_vectors, const void *strengths, void *results) {
  const og_two_sides *t = plan->type3;
  OG_TRY(check_sides(plan, n_vectors, strengths, results));
  size_t value = og_value_bytes(plan->options.precision, OG_COMPLEX);
  og_plan_reset_times(plan);
  for (int64_t v = 0; v < n_vectors; v += plan->core->batch)
    OG_TRY(sources_to_targets(plan, og_together(plan->core, n_vectors, v),
                              og_const_at(strengths, v * t->source.n, value), og_at(results, v * t->target.n, value)));
  return OG_OK;
}

int og_type3_execute_adjoint(og_plan plan, int64_t n_vectors, const void *results, void *values) {
  const og_two_sides *t = plan->type3;
  OG_TRY(check_sides(plan, n_vectors, values, results));
  size_t value = og_value_bytes(plan->options.precision, OG_COMPLEX);
  og_plan_reset_times(plan);
  for (int64_t v = 0; v < n_vectors; v += plan->core->batch)
    OG_TRY(targets_to_sources(plan, og_together(plan->core, n_vectors, v), og_const_at(results, v * t->target.n, value),
                              og_at(values, v * t->source.n, value)));
  return OG_OK;
}
