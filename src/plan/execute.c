/* The transforms as lists of stage calls: the page to read first.
 *
 *   type 1   spread        points -> fine grid              type 2   precorrect    modes -> kept cells of the spectrum
 *            FFT forward   fine grid -> spectrum                     FFT backward  spectrum -> fine grid
 *            deconvolve    kept cells -> modes                       interpolate   fine grid -> points
 *
 * Type 2 runs the adjoint stages in reverse, so it is the exact adjoint of type 1 at every tolerance. A stage does as many
 * vectors at once as the core has grids. */
#include "plan/plan.h"

#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "plan/place.h"

static size_t value_bytes(const struct og_plan_s *p) { return og_value_bytes(p->options.precision, p->options.values); }
static size_t mode_bytes(const struct og_plan_s *p) { return og_value_bytes(p->options.precision, OG_COMPLEX); }

void og_plan_reset_times(og_plan p) {
  p->seconds_spread = p->seconds_fft = p->seconds_deconvolve = p->seconds_interp = 0;
  p->n_marks = 0;
}

/* Stages' times. A device works on while the host goes on: there each stage ends with a mark on its stream, and the
 * report reads the marks, which are of the last vectors that were done together. */
static int stages_begin(og_plan p, double *since) {
  *since = og_timer_now();
  p->n_marks = 0;
  return p->device ? p->backend.mark(p->device, 0) : OG_OK;
}

static int stage_end(og_plan p, double *since, double *total) {
  if (!p->device) {
    og_timer_lap(since, total);
    return OG_OK;
  }
  p->marked[p->n_marks++] = total;
  return p->backend.mark(p->device, p->n_marks);
}

int og_execute_times(og_plan p) {
  for (int i = 0; i < p->n_marks; i++)
    OG_TRY(p->backend.seconds(p->device, i, i + 1, p->marked[i]));
  return OG_OK;
}

/* The end of a call whose results went to the host's memory. */
static int come_back(og_plan p, void *array, const void *at, size_t bytes) {
  OG_TRY(og_place_back(p, array, at, bytes));
  return array == at || !bytes ? OG_OK : p->backend.finish(p->device);
}

static int transform(const og_plan p, int back, int64_t vectors) {
  const og_core *c = p->core;
  if (c->whole)
    return p->backend.fft_execute(c->whole, back, vectors, c->memory, og_core_scratch(c));
  for (int64_t v = 0; v < vectors; v++) {
    char *grid = og_at(c->memory, v, c->grid.bytes);
    OG_TRY(back ? og_fft_backward(c->fft, grid) : og_fft_forward(c->fft, grid));
  }
  return OG_OK;
}

static int points_to_modes(og_plan p, int64_t vectors, const void *strengths, void *modes) {
  og_core *c = p->core;
  const size_t bytes = (size_t)(vectors * p->n_kept) * mode_bytes(p);
  const void *values;
  void *out;
  double t;
  OG_TRY(og_place_in(p, OG_SLOT_VALUES, strengths, (size_t)(vectors * p->n_points) * value_bytes(p), &values));
  OG_TRY(og_place_out(p, OG_SLOT_MODES, modes, bytes, &out));
  OG_TRY(stages_begin(p, &t));
  og_progress_enter(p, OG_STAGE_SPREAD, vectors);
  OG_TRY(p->backend.spread(c->points, vectors, values, c->memory));
  OG_TRY(stage_end(p, &t, &p->seconds_spread));
  og_progress_enter(p, OG_STAGE_FFT, vectors);
  OG_TRY(transform(p, 0, vectors));
  OG_TRY(stage_end(p, &t, &p->seconds_fft));
  og_progress_enter(p, OG_STAGE_DECONVOLVE, vectors);
  OG_TRY(p->backend.modes_from_grid(&c->modes_setup, vectors, c->memory, out));
  OG_TRY(stage_end(p, &t, &p->seconds_deconvolve));
  return come_back(p, modes, out, bytes);
}

/* Each vector: the sum of n of modes times the vector's multipliers (NULL: its own modes, as they are) to values at the
 * points. */
static int modes_to_points(og_plan p, int64_t vectors, int64_t n, const void *multipliers, const void *modes,
                           void *values, void *const gradients[3]) {
  og_core *c = p->core;
  const size_t one = (size_t)p->n_kept * mode_bytes(p), bytes = (size_t)(vectors * p->n_points) * value_bytes(p);
  const void *in, *times;
  void *out, *slopes[3] = {NULL, NULL, NULL};
  double t;
  OG_TRY(og_place_in(p, OG_SLOT_MODES, modes, (size_t)(multipliers ? n : vectors) * one, &in));
  OG_TRY(og_place_in(p, OG_SLOT_MULTIPLIERS, multipliers, (size_t)(vectors * n) * one, &times));
  OG_TRY(og_place_out(p, OG_SLOT_VALUES, values, bytes, &out));
  for (int d = 0; gradients && d < p->ndim; d++)
    OG_TRY(og_place_out(p, OG_SLOT_GRADIENT + d, gradients[d], bytes, &slopes[d]));
  OG_TRY(stages_begin(p, &t));
  og_progress_enter(p, OG_STAGE_DECONVOLVE, vectors);
  OG_TRY(p->backend.grid_from_modes(&c->modes_setup, vectors, n, times, in, c->memory));
  OG_TRY(stage_end(p, &t, &p->seconds_deconvolve));
  og_progress_enter(p, OG_STAGE_FFT, vectors);
  OG_TRY(transform(p, 1, vectors));
  OG_TRY(stage_end(p, &t, &p->seconds_fft));
  og_progress_enter(p, OG_STAGE_INTERP, vectors);
  OG_TRY(p->backend.interp(c->points, vectors, c->memory, out, gradients ? slopes : NULL));
  OG_TRY(stage_end(p, &t, &p->seconds_interp));
  for (int d = 0; gradients && d < p->ndim; d++) {
    if (p->n_modes[d] == 1) /* k = 0 alone: no noise where the derivative is 0 */
      OG_TRY(og_place_zero(p, slopes[d], bytes));
    OG_TRY(come_back(p, gradients[d], slopes[d], bytes));
  }
  return come_back(p, values, out, bytes);
}

int og_execute_type1(og_plan p, int64_t n_vectors, const void *strengths, void *modes) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v += p->core->batch)
    OG_TRY(points_to_modes(p, og_together(p->core, n_vectors, v),
                           og_const_at(strengths, v * p->n_points, value_bytes(p)),
                           og_at(modes, v * p->n_kept, mode_bytes(p))));
  return OG_OK;
}

int og_execute_type2(og_plan p, int64_t n_vectors, const void *modes, void *values, void *gradients) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v += p->core->batch) {
    void *gradient[3] = {NULL, NULL, NULL};
    for (int d = 0; gradients && d < p->ndim; d++)
      gradient[d] = og_at(gradients, (d * n_vectors + v) * p->n_points, value_bytes(p));
    OG_TRY(modes_to_points(p, og_together(p->core, n_vectors, v), 1, NULL,
                           og_const_at(modes, v * p->n_kept, mode_bytes(p)),
                           og_at(values, v * p->n_points, value_bytes(p)), gradients ? gradient : NULL));
  }
  return OG_OK;
}

static int filter_memory(og_plan p, int64_t n_in) {
  if (p->filter_vectors >= n_in)
    return OG_OK;
  size_t bytes = og_plan_filter_bytes(p);
  void *memory = og_place_allocate(p, bytes);
  OG_CHECK(memory, OG_ERR_MEMORY, "no memory for the modes of a filter (%zu bytes)", bytes);
  p->filter_modes = memory;
  p->filter_vectors = p->options.max_vectors;
  p->filter_is_ours = 1;
  p->peak_bytes += bytes;
  return OG_OK;
}

int og_execute_filter(og_plan p, int64_t n_in, const void *strengths, int64_t n_out, const void *multipliers,
                      void *values) {
  og_plan_reset_times(p);
  if (n_in == 0) { /* an empty sum */
    const size_t bytes = (size_t)(n_out * p->n_points) * value_bytes(p);
    void *out;
    OG_TRY(og_place_out(p, OG_SLOT_VALUES, values, bytes, &out));
    OG_TRY(bytes ? og_place_zero(p, out, bytes) : OG_OK);
    return come_back(p, values, out, bytes);
  }
  OG_TRY(filter_memory(p, n_in));
  for (int64_t i = 0; i < n_in; i += p->core->batch)
    OG_TRY(points_to_modes(p, og_together(p->core, n_in, i), og_const_at(strengths, i * p->n_points, value_bytes(p)),
                           og_at(p->filter_modes, i * p->n_kept, mode_bytes(p))));
  for (int64_t o = 0; o < n_out; o += p->core->batch)
    OG_TRY(modes_to_points(p, og_together(p->core, n_out, o), n_in,
                           og_const_at(multipliers, o * n_in * p->n_kept, mode_bytes(p)), p->filter_modes,
                           og_at(values, o * p->n_points, value_bytes(p)), NULL));
  return OG_OK;
}

/* ---- spreading and interpolation alone: between the points and the caller's compact grid */

typedef struct {
  const og_grid *grid;
  char *padded, *compact;
  int to_compact;
} row_copy;

static void copy_rows(void *context, int64_t begin, int64_t end) {
  const row_copy *r = context;
  const og_grid *g = r->grid;
  size_t cell = og_value_bytes(g->precision, g->values), row = cell * (size_t)g->n[0];
  for (int64_t i = begin; i < end; i++) {
    char *padded = r->padded + cell * (size_t)(i / g->n[1] * g->stride[2] + i % g->n[1] * g->stride[1]);
    char *compact = r->compact + row * (size_t)i;
    memcpy(r->to_compact ? compact : padded, r->to_compact ? padded : compact, row);
  }
}

/* The core's grid number v. */
static int copy_grid(og_plan p, int64_t v, void *compact, int to_compact) {
  const og_grid *g = &p->core->grid;
  row_copy r = {g, og_at(p->core->memory, v, g->bytes), compact, to_compact};
  if (p->device) {
    const size_t cell = og_value_bytes(g->precision, g->values), row = cell * (size_t)g->n[0];
    const int packed = g->stride[1] == g->n[0] && g->stride[2] == g->n[0] * g->n[1];
    const int64_t rows = packed ? 1 : g->n[1] * g->n[2]; /* a real grid's rows are padded: they go one by one */
    for (int64_t i = 0; i < rows; i++) {
      char *padded = r.padded + cell * (size_t)(i / g->n[1] * g->stride[2] + i % g->n[1] * g->stride[1]);
      char *here = r.compact + row * (size_t)i;
      OG_TRY(og_place_copy(p, to_compact ? here : padded, to_compact ? padded : here,
                           packed ? row * (size_t)(g->n[1] * g->n[2]) : row));
    }
    return p->backend.finish(p->device);
  }
  p->backend.parallel(p->threads, g->n[1] * g->n[2], 1 + 65536 / g->n[0], copy_rows, &r);
  return OG_OK;
}

static size_t compact_bytes(const struct og_plan_s *p) {
  const og_grid *g = &p->core->grid;
  return (size_t)(g->n[0] * g->n[1] * g->n[2]) * value_bytes(p);
}

static int copy_grids(og_plan p, int64_t vectors, void *compact, int to_compact) {
  for (int64_t v = 0; v < vectors; v++)
    OG_TRY(copy_grid(p, v, og_at(compact, v, compact_bytes(p)), to_compact));
  return OG_OK;
}

static int spread(og_plan p, int64_t vectors, const void *strengths, void *grid) {
  const size_t bytes = (size_t)vectors * compact_bytes(p);
  const void *values;
  void *there = p->core->memory;
  double t;
  OG_TRY(og_place_in(p, OG_SLOT_VALUES, strengths, (size_t)(vectors * p->n_points) * value_bytes(p), &values));
  if (p->options.spread_only)
    OG_TRY(og_place_out(p, OG_SLOT_MODES, grid, bytes, &there));
  OG_TRY(stages_begin(p, &t));
  og_progress_enter(p, OG_STAGE_SPREAD, vectors);
  OG_TRY(p->backend.spread(p->core->points, vectors, values, there));
  OG_TRY(stage_end(p, &t, &p->seconds_spread));
  return p->options.spread_only ? come_back(p, grid, there, bytes) : copy_grids(p, vectors, grid, 1);
}

static int interpolate(og_plan p, int64_t vectors, const void *grid, void *values) {
  const size_t bytes = (size_t)(vectors * p->n_points) * value_bytes(p);
  const void *there = p->core->memory;
  void *out;
  double t;
  if (p->options.spread_only)
    OG_TRY(og_place_in(p, OG_SLOT_MODES, grid, (size_t)vectors * compact_bytes(p), &there));
  else
    OG_TRY(copy_grids(p, vectors, (void *)grid, 0)); /* only read */
  OG_TRY(og_place_out(p, OG_SLOT_VALUES, values, bytes, &out));
  OG_TRY(stages_begin(p, &t));
  og_progress_enter(p, OG_STAGE_INTERP, vectors);
  OG_TRY(p->backend.interp(p->core->points, vectors, there, out, NULL));
  OG_TRY(stage_end(p, &t, &p->seconds_interp));
  return come_back(p, values, out, bytes);
}

int og_execute_spread(og_plan p, int64_t n_vectors, const void *strengths, void *grid) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v += p->core->batch)
    OG_TRY(spread(p, og_together(p->core, n_vectors, v), og_const_at(strengths, v * p->n_points, value_bytes(p)),
                  og_at(grid, v, compact_bytes(p))));
  return OG_OK;
}

int og_execute_interp(og_plan p, int64_t n_vectors, const void *grid, void *values) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v += p->core->batch)
    OG_TRY(interpolate(p, og_together(p->core, n_vectors, v), og_const_at(grid, v, compact_bytes(p)),
                       og_at(values, v * p->n_points, value_bytes(p))));
  return OG_OK;
}
