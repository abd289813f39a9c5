/* The transforms as lists of stage calls: the page to read first.
 *
 *   type 1   spread        points -> fine grid              type 2   precorrect    modes -> kept cells of the spectrum
 *            FFT forward   fine grid -> spectrum                     FFT backward  spectrum -> fine grid
 *            deconvolve    kept cells -> modes                       interpolate   fine grid -> points
 *
 * Type 2 runs the adjoint stages in reverse, so it is the exact adjoint of type 1 at every tolerance. */
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
 * report reads the marks, which are of the last vector. */
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

static int forward(const og_plan p) {
  const og_core *c = p->core;
  return c->whole ? p->backend.fft_execute(c->whole, 0, c->memory, c->whole_scratch)
                  : og_fft_forward(c->fft, c->memory);
}

static int backward(const og_plan p) {
  const og_core *c = p->core;
  return c->whole ? p->backend.fft_execute(c->whole, 1, c->memory, c->whole_scratch)
                  : og_fft_backward(c->fft, c->memory);
}

/* One vector from points to modes. */
static int points_to_modes(og_plan p, const void *strengths, void *modes) {
  og_core *c = p->core;
  const void *values;
  void *out;
  double t;
  OG_TRY(og_place_in(p, OG_SLOT_VALUES, strengths, (size_t)p->n_points * value_bytes(p), &values));
  OG_TRY(og_place_out(p, OG_SLOT_MODES, modes, (size_t)p->n_kept * mode_bytes(p), &out));
  OG_TRY(stages_begin(p, &t));
  og_progress_enter(p, OG_STAGE_SPREAD);
  OG_TRY(p->backend.spread(c->points, values, c->memory));
  OG_TRY(stage_end(p, &t, &p->seconds_spread));
  og_progress_enter(p, OG_STAGE_FFT);
  OG_TRY(forward(p));
  OG_TRY(stage_end(p, &t, &p->seconds_fft));
  og_progress_enter(p, OG_STAGE_DECONVOLVE);
  OG_TRY(p->backend.modes_from_grid(&c->modes_setup, c->memory, out));
  OG_TRY(stage_end(p, &t, &p->seconds_deconvolve));
  return come_back(p, modes, out, (size_t)p->n_kept * mode_bytes(p));
}

/* The sum of n vectors of modes times their multipliers (NULL: one vector, as it is) to values at the points. */
static int modes_to_points(og_plan p, int64_t n, const void *multipliers, const void *modes, void *values,
                           void *const gradients[3]) {
  og_core *c = p->core;
  const size_t in_bytes = (size_t)(n * p->n_kept) * mode_bytes(p), bytes = (size_t)p->n_points * value_bytes(p);
  const void *in, *times;
  void *out, *slopes[3] = {NULL, NULL, NULL};
  double t;
  OG_TRY(og_place_in(p, OG_SLOT_MODES, modes, in_bytes, &in));
  OG_TRY(og_place_in(p, OG_SLOT_MULTIPLIERS, multipliers, in_bytes, &times));
  OG_TRY(og_place_out(p, OG_SLOT_VALUES, values, bytes, &out));
  for (int d = 0; gradients && d < p->ndim; d++)
    OG_TRY(og_place_out(p, OG_SLOT_GRADIENT + d, gradients[d], bytes, &slopes[d]));
  OG_TRY(stages_begin(p, &t));
  og_progress_enter(p, OG_STAGE_DECONVOLVE);
  OG_TRY(p->backend.grid_from_modes(&c->modes_setup, n, times, in, c->memory));
  OG_TRY(stage_end(p, &t, &p->seconds_deconvolve));
  og_progress_enter(p, OG_STAGE_FFT);
  OG_TRY(backward(p));
  OG_TRY(stage_end(p, &t, &p->seconds_fft));
  og_progress_enter(p, OG_STAGE_INTERP);
  OG_TRY(p->backend.interp(c->points, c->memory, out, gradients ? slopes : NULL));
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
  for (int64_t v = 0; v < n_vectors; v++)
    OG_TRY(points_to_modes(p, og_const_at(strengths, v * p->n_points, value_bytes(p)),
                           og_at(modes, v * p->n_kept, mode_bytes(p))));
  return OG_OK;
}

int og_execute_type2(og_plan p, int64_t n_vectors, const void *modes, void *values, void *gradients) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v++) {
    void *gradient[3] = {NULL, NULL, NULL};
    for (int d = 0; gradients && d < p->ndim; d++)
      gradient[d] = og_at(gradients, (d * n_vectors + v) * p->n_points, value_bytes(p));
    OG_TRY(modes_to_points(p, 1, NULL, og_const_at(modes, v * p->n_kept, mode_bytes(p)),
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
  for (int64_t i = 0; i < n_in; i++)
    OG_TRY(points_to_modes(p, og_const_at(strengths, i * p->n_points, value_bytes(p)),
                           og_at(p->filter_modes, i * p->n_kept, mode_bytes(p))));
  for (int64_t o = 0; o < n_out; o++)
    OG_TRY(modes_to_points(p, n_in, og_const_at(multipliers, o * n_in * p->n_kept, mode_bytes(p)), p->filter_modes,
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

static int copy_grid(og_plan p, void *compact, int to_compact) {
  const og_grid *g = &p->core->grid;
  row_copy r = {g, p->core->memory, compact, to_compact};
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

static int64_t grid_cells(const og_grid *g) { return g->n[0] * g->n[1] * g->n[2]; }

int og_execute_spread(og_plan p, int64_t n_vectors, const void *strengths, void *grid) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v++) {
    const void *from = og_const_at(strengths, v * p->n_points, value_bytes(p));
    void *to = og_at(grid, v * grid_cells(&p->core->grid), value_bytes(p));
    const size_t bytes = (size_t)grid_cells(&p->core->grid) * value_bytes(p);
    const void *values;
    void *grid_there = p->core->memory;
    double t;
    OG_TRY(og_place_in(p, OG_SLOT_VALUES, from, (size_t)p->n_points * value_bytes(p), &values));
    if (p->options.spread_only)
      OG_TRY(og_place_out(p, OG_SLOT_MODES, to, bytes, &grid_there));
    OG_TRY(stages_begin(p, &t));
    og_progress_enter(p, OG_STAGE_SPREAD);
    OG_TRY(p->backend.spread(p->core->points, values, grid_there));
    OG_TRY(stage_end(p, &t, &p->seconds_spread));
    OG_TRY(p->options.spread_only ? come_back(p, to, grid_there, bytes) : copy_grid(p, to, 1));
  }
  return OG_OK;
}

int og_execute_interp(og_plan p, int64_t n_vectors, const void *grid, void *values) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v++) {
    const void *from = og_const_at(grid, v * grid_cells(&p->core->grid), value_bytes(p));
    void *to = og_at(values, v * p->n_points, value_bytes(p));
    const size_t bytes = (size_t)p->n_points * value_bytes(p);
    const void *grid_there = p->core->memory;
    void *out;
    double t;
    if (p->options.spread_only)
      OG_TRY(og_place_in(p, OG_SLOT_MODES, from, (size_t)grid_cells(&p->core->grid) * value_bytes(p), &grid_there));
    else
      OG_TRY(copy_grid(p, (void *)from, 0)); /* only read */
    OG_TRY(og_place_out(p, OG_SLOT_VALUES, to, bytes, &out));
    OG_TRY(stages_begin(p, &t));
    og_progress_enter(p, OG_STAGE_INTERP);
    OG_TRY(p->backend.interp(p->core->points, grid_there, out, NULL));
    OG_TRY(stage_end(p, &t, &p->seconds_interp));
    OG_TRY(come_back(p, to, out, bytes));
  }
  return OG_OK;
}
