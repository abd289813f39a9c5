/* The work of one set of points: a task per pencil, in the order of colours; pencils with far more points than others
 * are cut into several tasks by count, anywhere along x, whose last window is kept in a tail and added afterwards. */
#include "points.h"
#include "base/memory.h"

#define TASKS_PER_THREAD 6 /* enough for an even load */
#define LEAST_SPREAD 4096  /* points that a cut pencil's task has at least */
#define LEAST_INTERP 2048
#define LEAST_CELLS 65536 /* of a long line with few points */

/* First cell of the x block (or line tile) that point i starts in; the pencil's first tile is `base`. */
static int32_t block_of(const og_cpu_points *p, int64_t base, int64_t i) {
  int64_t low = base, high = base + p->cut[0].parts; /* the tile: tile_begin[low] <= i < tile_begin[low + 1] */
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    if (p->tile_begin[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  const char *record = p->records + (size_t)i * p->record_bytes + (size_t)p->dims_stored * p->real_bytes;
  uint32_t start;
  __builtin_memcpy(&start, record, 4);
  start >>= p->bits_y + p->bits_z;
  return (int32_t)(((low - base) << p->log_tile) + (start >> p->ring.log_block << p->ring.log_block));
}

/* Tasks of one pencil; pieces: how many of about equal count. Returns how many were made. */
static int64_t pencil_tasks(const og_cpu_points *p, int py, int pz, int64_t pieces, int32_t *tail, og_cpu_task *out) {
  const int64_t base = ((int64_t)pz * p->cut[1].parts + py) * p->cut[0].parts;
  const int64_t begin = p->tile_begin[base], n = p->tile_begin[base + p->cut[0].parts] - begin;
  for (int64_t k = 0; k < pieces; k++) {
    og_cpu_task *t = &out[k];
    *t = (og_cpu_task){.begin = begin + n * k / pieces,
                       .end = begin + n * (k + 1) / pieces,
                       .x_begin = 0,
                       .x_end = (int32_t)p->grid.n[0],
                       .py = py,
                       .pz = pz,
                       .tail = -1};
    if (pieces > 1) {
      t->tail = (*tail)++;
      if (k) {
        t->x_begin = block_of(p, base, t->begin);
        out[k - 1].x_end = t->x_begin;
      }
    }
  }
  return pieces;
}

static int64_t pencil_count(const og_cpu_points *p, int py, int pz) {
  const int64_t base = ((int64_t)pz * p->cut[1].parts + py) * p->cut[0].parts;
  return p->tile_begin[base + p->cut[0].parts] - p->tile_begin[base];
}

static int64_t pieces_of(int64_t count, int64_t most) {
  return count > most + most / 2 ? (count + most - 1) / most : 1;
}

/* A long line is cut even where points are few, because somebody must write its cells. */
static int64_t spread_pieces(const og_cpu_points *p, int64_t count, int64_t most, int cut) {
  if (!cut)
    return 1;
  int64_t pieces = pieces_of(count, most);
  if (p->ndim == 1) {
    int64_t by_cells = p->grid.n[0] / LEAST_CELLS, limit = (int64_t)p->team * TASKS_PER_THREAD;
    by_cells = by_cells > limit ? limit : by_cells;
    by_cells = by_cells > count ? count : by_cells;
    pieces = by_cells > pieces ? by_cells : pieces;
  }
  return pieces;
}

static void interp_tasks(og_cpu_points *p) {
  int64_t most = p->n / ((int64_t)p->team * TASKS_PER_THREAD) + 1, made = 0;
  int32_t ignored = 0;
  most = p->team == 1 ? p->n + 1 : most < LEAST_INTERP ? LEAST_INTERP : most;
  for (int pz = 0; pz < p->cut[2].parts; pz++)
    for (int py = 0; py < p->cut[1].parts; py++) {
      int64_t count = pencil_count(p, py, pz);
      if (count)
        made += pencil_tasks(p, py, pz, pieces_of(count, most), &ignored, p->interp_tasks + made);
    }
  p->n_interp_tasks = made;
}

static void spread_tasks(og_cpu_points *p, int cut) {
  int64_t most = p->n / ((int64_t)p->team * TASKS_PER_THREAD) + 1, made = 0;
  most = most < LEAST_SPREAD ? LEAST_SPREAD : most;
  p->n_tails = 0;
  p->colours = p->threads > 1 ? 4 : 1;
  for (int c = 0; c < p->colours; c++) {
    p->spread_from[c] = made;
    for (int pz = 0; pz < p->cut[2].parts; pz++)
      for (int py = 0; py < p->cut[1].parts; py++)
        if (og_cpu_colour(p, py, pz) == c)
          made += pencil_tasks(p, py, pz, spread_pieces(p, pencil_count(p, py, pz), most, cut), &p->n_tails,
                               p->spread_tasks + made);
  }
  p->spread_from[p->colours] = made;
}

/* Room for the tails, kept from one set of points to the next; where there is none the pencils stay whole: slower, as
 * right. */
static int tails_allocate(og_cpu_points *p) {
  if (p->n_tails <= p->tail_room)
    return 1;
  og_free(p->tails);
  og_free(p->tail_task);
  p->tails = og_allocate(og_bytes((size_t)p->n_tails, p->tail_bytes));
  p->tail_task = og_allocate(og_bytes((size_t)p->n_tails, sizeof *p->tail_task));
  p->tail_room = p->tails && p->tail_task ? p->n_tails : 0;
  return p->tail_room > 0;
}

/* Threads that are worth their start for these points. */
int og_cpu_tasks_team(const og_cpu_points *p, int64_t n) {
  double stencil = 1, cells = (double)(p->grid.n[0] * p->grid.n[1]) * (double)p->grid.n[2];
  for (int d = 0; d < p->ndim; d++)
    stencil *= p->width;
  double cycles = (double)n * (60 + stencil) + cells * 0.5;
  double team = 1 + cycles / 60e3;
  return team < p->threads ? (int)team : p->threads;
}

int64_t og_cpu_tasks_room(const og_cpu_points *p) {
  return (int64_t)p->cut[1].parts * p->cut[2].parts + 2 * (int64_t)p->threads * TASKS_PER_THREAD + 4;
}

void og_cpu_tasks_make(og_cpu_points *p) {
  interp_tasks(p);
  spread_tasks(p, p->team > 1);
  if (!tails_allocate(p)) {
    spread_tasks(p, 0); /* without tails */
  }
  for (int64_t k = 0; k < p->spread_from[p->colours]; k++)
    if (p->spread_tasks[k].tail >= 0)
      p->tail_task[p->spread_tasks[k].tail] = &p->spread_tasks[k];
}
