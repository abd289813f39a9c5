/* The transforms as lists of stages: the page to read first. Type 2 runs the adjoint stages backwards.
 *
 *   strengths --to their owners--> spread --halo--> x lines --transpose--> y lines --transpose--> z lines --factors--> modes
 *
 * Where a stage fails on one rank, the messages still go, so that nobody waits; the caller's agreement tells all. */
#include <string.h>

#include "mpi/plan.h"

static size_t value_bytes(const struct og_mpi_plan_s *p) {
  return og_value_bytes(p->model->options.precision, p->model->options.values);
}

static int lines(const struct og_mpi_plan_s *p, int d, int backward) {
  void *engine = p->lines[d].lines[backward];
  return engine ? p->model->backend.lines_execute(engine, &p->lines[d].pass[backward], p->memory[d]) : OG_OK;
}

static void move(og_mpi_plan p, int which, int backward, const og_view *giver, const og_view *taker) {
  const size_t add = which == OG_MOVE_HALO && !backward ? og_real_bytes(p->model->options.precision) : 0;
  p->sent[which] += og_move_run(&p->move[which], &p->comm, backward, add, giver, taker, p->buffer[0], p->buffer[1]);
}

static int spread(const struct og_mpi_plan_s *p, const char *strengths) {
  if (p->travel.n_owned)
    return p->model->backend.spread(p->travel.points, 1, strengths, p->memory[0]);
  if (p->memory[0])
    memset(p->memory[0], 0, p->grid.bytes);
  return OG_OK;
}

/* The first of two codes that is one. */
static int first(int code, int next) { return code ? code : next; }

int og_mpi_execute_type1(og_mpi_plan p, const char *strengths, char *modes) {
  const char *there;
  p->sent_values += og_travel_there(&p->travel, &p->comm, value_bytes(p), strengths, &there);
  int code = spread(p, there);
  move(p, OG_MOVE_HALO, 0, &p->block, &p->block);
  code = first(code, lines(p, 0, 0));
  move(p, OG_MOVE_FIRST, 0, &p->spectrum, &p->middle);
  code = first(code, lines(p, 1, 0));
  if (p->layout.ndim == 3) {
    move(p, OG_MOVE_SECOND, 0, &p->middle_kept, &p->last);
    code = first(code, lines(p, 2, 0));
  }
  og_mpi_modes_from(&p->modes, &p->done, modes);
  return code;
}

/* Cells are the block's coordinates; k = 0 alone has no slope, and no noise either. */
static void slope_back(og_mpi_plan p, int d, char *slopes, char *gradient) {
  const struct og_plan_s *m = p->model;
  const double factor = m->n_modes[d] == 1 ? 0 : (double)p->layout.n[d] / m->period[d];
  og_mpi_scale(m->options.precision, factor, (size_t)p->travel.n_owned * value_bytes(p), slopes);
  p->sent_values += og_travel_back(&p->travel, &p->comm, value_bytes(p), slopes, gradient);
}

int og_mpi_execute_type2(og_mpi_plan p, const char *modes, int back, char *values, char *const gradients[3]) {
  int code = OG_OK;
  void *slopes[3] = {NULL, NULL, NULL};
  og_mpi_modes_to(&p->modes, &p->done, modes);
  if (p->layout.ndim == 3) {
    code = lines(p, 2, 1);
    move(p, OG_MOVE_SECOND, 1, &p->middle_kept, &p->last);
  }
  code = first(code, lines(p, 1, 1));
  move(p, OG_MOVE_FIRST, 1, &p->spectrum, &p->middle);
  code = first(code, lines(p, 0, 1));
  move(p, OG_MOVE_HALO, 1, &p->block, &p->block);
  for (int d = 0; gradients && d < p->layout.ndim; d++)
    slopes[d] = p->travel.slopes + (size_t)(d * p->travel.n_owned) * value_bytes(p);
  if (p->travel.n_owned)
    code = first(code,
                 p->model->backend.interp(p->travel.points, 1, p->memory[0], p->travel.in, gradients ? slopes : NULL));
  if (back)
    p->sent_values += og_travel_back(&p->travel, &p->comm, value_bytes(p), p->travel.in, values);
  for (int d = 0; gradients && d < p->layout.ndim; d++)
    slope_back(p, d, slopes[d], gradients[d]);
  return code;
}
