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

static size_t value_bytes(const struct og_plan_s *p) { return og_value_bytes(p->options.precision, p->options.values); }
static size_t mode_bytes(const struct og_plan_s *p) { return og_value_bytes(p->options.precision, OG_COMPLEX); }

void og_plan_reset_times(og_plan p) {
  p->seconds_spread = p->seconds_fft = p->seconds_deconvolve = p->seconds_interp = 0;
}

/* One vector from points to modes. */
static int points_to_modes(og_plan p, const void *strengths, void *modes) {
  og_core *c = p->core;
  double t = og_timer_now();
  OG_TRY(p->backend.spread(c->points, strengths, c->memory));
  og_timer_lap(&t, &p->seconds_spread);
  OG_TRY(og_fft_forward(c->fft, c->memory));
  og_timer_lap(&t, &p->seconds_fft);
  OG_TRY(p->backend.modes_from_grid(&c->modes_setup, c->memory, modes));
  og_timer_lap(&t, &p->seconds_deconvolve);
  return OG_OK;
}

/* The sum of n vectors of modes times their multipliers (NULL: one vector, as it is) to values at the points. */
static int modes_to_points(og_plan p, int64_t n, const void *multipliers, const void *modes, void *values,
                           void *const gradients[3]) {
  og_core *c = p->core;
  double t = og_timer_now();
  OG_TRY(p->backend.grid_from_modes(&c->modes_setup, n, multipliers, modes, c->memory));
  og_timer_lap(&t, &p->seconds_deconvolve);
  OG_TRY(og_fft_backward(c->fft, c->memory));
  og_timer_lap(&t, &p->seconds_fft);
  OG_TRY(p->backend.interp(c->points, c->memory, values, gradients));
  og_timer_lap(&t, &p->seconds_interp);
  return OG_OK;
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
    for (int d = 0; gradients && d < p->ndim; d++)
      if (p->n_modes[d] == 1) /* k = 0 alone: no noise where the derivative is 0 */
        memset(gradient[d], 0, (size_t)p->n_points * value_bytes(p));
  }
  return OG_OK;
}

static int filter_memory(og_plan p, int64_t n_in) {
  if (p->filter_vectors >= n_in)
    return OG_OK;
  size_t bytes = og_plan_filter_bytes(p);
  void *memory = og_allocate(bytes);
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
    if (n_out && p->n_points)
      memset(values, 0, (size_t)(n_out * p->n_points) * value_bytes(p));
    return OG_OK;
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

static void copy_grid(og_plan p, void *compact, int to_compact) {
  const og_grid *g = &p->core->grid;
  row_copy r = {g, p->core->memory, compact, to_compact};
  p->backend.parallel(p->threads, g->n[1] * g->n[2], 1 + 65536 / g->n[0], copy_rows, &r);
}

static int64_t grid_cells(const og_grid *g) { return g->n[0] * g->n[1] * g->n[2]; }

int og_execute_spread(og_plan p, int64_t n_vectors, const void *strengths, void *grid) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v++) {
    const void *from = og_const_at(strengths, v * p->n_points, value_bytes(p));
    void *to = og_at(grid, v * grid_cells(&p->core->grid), value_bytes(p));
    double t = og_timer_now();
    OG_TRY(p->backend.spread(p->core->points, from, p->options.spread_only ? to : p->core->memory));
    if (!p->options.spread_only)
      copy_grid(p, to, 1);
    og_timer_lap(&t, &p->seconds_spread);
  }
  return OG_OK;
}

int og_execute_interp(og_plan p, int64_t n_vectors, const void *grid, void *values) {
  og_plan_reset_times(p);
  for (int64_t v = 0; v < n_vectors; v++) {
    const void *from = og_const_at(grid, v * grid_cells(&p->core->grid), value_bytes(p));
    void *to = og_at(values, v * p->n_points, value_bytes(p));
    double t = og_timer_now();
    if (!p->options.spread_only)
      copy_grid(p, (void *)from, 0); /* only read */
    OG_TRY(p->backend.interp(p->core->points, p->options.spread_only ? from : p->core->memory, to, NULL));
    og_timer_lap(&t, &p->seconds_interp);
  }
  return OG_OK;
}
