/* From the choice to a plan: boxes, memories, views, lines, moves, factors. Local work; the caller agrees on the outcome. */
#include "base/memory.h"
#include "fft/prune.h"
#include "mpi/plan.h"

static const double two_pi = 6.283185307179586476925286766559;

static og_axis from(int64_t lower) { return (og_axis){0, -lower, -lower}; }

/* Where entry i of dimension d of the modes array lies on its line. */
static og_axis kept_axis(const struct og_mpi_plan_s *p, int d) {
  const og_options *o = &p->model->options;
  const int64_t n = p->layout.n[d], modes = p->model->n_modes[d], negative = modes / 2;
  if (d == 0 && o->values == OG_REAL)
    return from(0);
  if (o->mode_order == OG_ORDER_ASCENDING)
    return (og_axis){negative, n - negative, -negative};
  return (og_axis){modes - negative, 0, n - modes};
}

static int allocate(char **memory, size_t bytes, const char *what) {
  *memory = og_allocate(bytes);
  OG_CHECK(*memory, OG_ERR_MEMORY, "no memory for %s (%zu bytes)", what, bytes);
  return OG_OK;
}

static int make_block(og_mpi_plan p) {
  const struct og_plan_s *m = p->model;
  const og_options *o = &m->options;
  const og_box box = og_layout_spread(&p->layout, p->comm.rank);
  p->grid =
      (og_grid){.ndim = m->ndim, .precision = o->precision, .values = o->values, .n = {1, 1, 1}, .stride = {1, 0, 0}};
  p->points_setup = (og_points_setup){.grid = &p->grid,
                                      .window = &p->window,
                                      .evaluation = o->evaluation,
                                      .wide = 1,
                                      .gradient = o->gradient,
                                      .threads = m->threads,
                                      .simd = m->simd,
                                      .spread_method = m->spread_method,
                                      .interp_method = m->interp_method};
  if (!og_box_cells(&box)) /* no rows, so no points */
    return OG_OK;
  for (int d = 0; d < 3; d++) {
    p->grid.n[d] = box.upper[d] - box.lower[d];
    p->points_setup.period[d] = (double)p->grid.n[d]; /* coordinates are cells */
  }
  OG_TRY(m->backend.grid_layout(&p->grid));
  OG_TRY(allocate(&p->memory[0], p->grid.bytes, "the fine grid"));
  const size_t real = og_real_bytes(o->precision);
  const int64_t half = o->values == OG_REAL ? 2 : 1;
  p->block = (og_view){p->memory[0],
                       og_value_bytes(o->precision, o->values),
                       {1, p->grid.stride[1], p->grid.stride[2]},
                       {from(0), from(box.lower[1]), from(box.lower[2])}};
  p->spectrum = (og_view){p->memory[0],
                          2 * real,
                          {1, p->grid.stride[1] / half, p->grid.stride[2] / half},
                          {kept_axis(p, 0), from(box.lower[1]), from(box.lower[2])}};
  return OG_OK;
}

/* A compact stage of complex cells. */
static int make_stage(og_mpi_plan p, int d, const og_box *box, og_view *view, const char *what) {
  const size_t cell = 2 * og_real_bytes(p->model->options.precision);
  const int64_t cells = og_box_cells(box), row = box->upper[0] - box->lower[0];
  OG_TRY(allocate(&p->memory[d], og_bytes((size_t)cells, cell), what));
  *view = (og_view){p->memory[d],
                    cell,
                    {1, row, row * (box->upper[1] - box->lower[1])},
                    {from(box->lower[0]), from(box->lower[1]), from(box->lower[2])}};
  return OG_OK;
}

/* box: what the rank has of the lines along d; stride: complex cells of the stage. */
static int make_lines(og_mpi_plan p, int d, const og_box *box, const int64_t stride[3], size_t bytes) {
  const struct og_plan_s *m = p->model;
  const og_options *o = &m->options;
  const int real = o->values == OG_REAL, side = d ? 0 : 1, outer = d == 2 ? 1 : 2;
  const og_range gap = og_prune_gap(p->layout.n[d], m->n_modes[d], real && !d);
  for (int backward = 0; backward < 2 && og_box_cells(box); backward++) {
    og_lines_pass *pass = &p->lines[d].pass[backward];
    *pass = (og_lines_pass){.n_side = 1,
                            .n_outer = 1,
                            .side = {{0, box->upper[side] - box->lower[side]}},
                            .outer = {{0, box->upper[outer] - box->lower[outer]}},
                            .side_stride = stride[side],
                            .outer_stride = stride[outer]};
    *(backward ? &pass->gap : &pass->skip) = gap;
    const int sign = real ? -1 : o->sign;
    const og_lines_setup setup = {.kind = !real || d ? OG_LINES_C2C
                                          : backward ? OG_LINES_C2R
                                                     : OG_LINES_R2C,
                                  .sign = backward ? -sign : sign,
                                  .precision = o->precision,
                                  .n = p->layout.n[d],
                                  .stride = stride[d],
                                  .columns = box->upper[0] - box->lower[0],
                                  .lines = og_prune_pass_lines(pass),
                                  .planning = o->fft_planning,
                                  .threads = m->threads,
                                  .memory = p->memory[d],
                                  .bytes = bytes};
    OG_TRY(m->backend.lines_create(&setup, &p->lines[d].lines[backward]));
  }
  return OG_OK;
}

static int make_stages(og_mpi_plan p) {
  const int rank = p->comm.rank;
  const size_t cell = 2 * og_real_bytes(p->model->options.precision);
  const og_box grid = og_layout_grid(&p->layout, rank), middle = og_layout_middle(&p->layout, rank),
               last = og_layout_last(&p->layout, rank);
  OG_TRY(make_stage(p, 1, &middle, &p->middle, "the lines along y"));
  p->middle_kept = p->middle;
  p->middle_kept.axis[1] = kept_axis(p, 1);
  p->done = p->middle_kept;
  OG_TRY(make_lines(p, 0, &grid, p->spectrum.stride, p->grid.bytes));
  OG_TRY(make_lines(p, 1, &middle, p->middle.stride, (size_t)og_box_cells(&middle) * cell));
  if (p->layout.ndim == 2)
    return OG_OK;
  OG_TRY(make_stage(p, 2, &last, &p->last, "the lines along z"));
  p->done = p->last;
  p->done.axis[2] = kept_axis(p, 2);
  return make_lines(p, 2, &last, p->last.stride, (size_t)og_box_cells(&last) * cell);
}

static int make_moves(og_mpi_plan p) {
  size_t bytes = 0;
  const int n_moves = p->layout.ndim == 2 ? OG_MOVE_SECOND : OG_MOVES;
  for (int i = 0; i < n_moves; i++) {
    const size_t cell = i == OG_MOVE_HALO ? og_value_bytes(p->model->options.precision, p->model->options.values)
                                          : 2 * og_real_bytes(p->model->options.precision);
    OG_TRY(og_move_create(&p->move[i], &p->comm, &p->layout, i, cell));
    bytes = og_move_bytes(&p->move[i]) > bytes ? og_move_bytes(&p->move[i]) : bytes;
  }
  OG_TRY(allocate(&p->buffer[0], bytes, "a message buffer"));
  return allocate(&p->buffer[1], bytes, "a message buffer");
}

static int make_factor(og_mpi_plan p, int d) {
  const int64_t modes = p->model->n_modes[d], lower = p->modes.box.lower[d], upper = p->modes.box.upper[d],
                half = modes / 2;
  const int ascending = p->model->options.mode_order == OG_ORDER_ASCENDING;
  double *all = og_allocate(og_bytes((size_t)half + 1, sizeof *all));
  p->factor[d] = og_allocate(og_bytes((size_t)(upper - lower), sizeof(double)));
  p->modes.factor[d] = p->factor[d];
  if (!all || !p->factor[d]) {
    og_free(all);
    OG_FAIL(OG_ERR_MEMORY, "no memory for %lld deconvolution factors", (long long)(upper - lower));
  }
  all[0] = 1;
  if (d < p->layout.ndim)
    og_window_factors(&p->window, two_pi / (double)p->layout.n[d], 0, half + 1, all);
  for (int64_t i = lower; i < upper; i++) {
    int64_t k = i;
    if (d || p->model->options.values == OG_COMPLEX)
      k = ascending ? i - half : i < modes - half ? i : i - modes;
    p->factor[d][i - lower] = all[k < 0 ? -k : k];
  }
  og_free(all);
  return OG_OK;
}

static int make_modes(og_mpi_plan p) {
  const og_options *o = &p->model->options;
  const int64_t nyquist = p->model->n_modes[0] / 2;
  p->modes = (og_mpi_modes){.box = og_layout_modes(&p->layout, p->comm.rank),
                            .precision = o->precision,
                            .conjugate = o->values == OG_REAL && o->sign > 0,
                            .halved = -1};
  /* the complex-to-real transform counts every column twice but the first and, for even n, the last */
  if (o->values == OG_REAL && p->model->n_modes[0] % 2 == 0 && 2 * nyquist < p->layout.n[0])
    p->modes.halved = nyquist;
  p->n_kept = og_box_cells(&p->modes.box);
  for (int d = 0; d < 3; d++)
    OG_TRY(make_factor(p, d));
  return OG_OK;
}

int og_mpi_build(og_mpi_plan p) {
  OG_TRY(og_plan_make_window(p->model, 0, &p->choice, &p->window));
  OG_TRY(make_block(p));
  OG_TRY(make_stages(p));
  OG_TRY(make_moves(p));
  return make_modes(p);
}

void og_mpi_unbuild(og_mpi_plan p) {
  for (int d = 0; d < 3; d++) {
    for (int backward = 0; backward < 2; backward++)
      if (p->lines[d].lines[backward])
        p->model->backend.lines_destroy(p->lines[d].lines[backward]);
    og_free(p->memory[d]);
    og_free(p->factor[d]);
  }
  for (int i = 0; i < OG_MOVES; i++)
    og_move_destroy(&p->move[i]);
  og_free(p->buffer[0]);
  og_free(p->buffer[1]);
  og_free(p->filter_modes);
}
