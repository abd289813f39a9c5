/* The cpu kernels of one instruction set, one precision and one kind of values; compiled for each (see kernels.cmake):
 * OG_SIMD_HEADER names the instruction set's header, OG_SINGLE and OG_REAL_VALUES choose the types. */
#include "cpu/points.h"
#include "base/real.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include OG_SIMD_HEADER

#ifdef OG_SINGLE
#define OG_REAL_BYTES 4
#else
#define OG_REAL_BYTES 8
#endif
#ifdef OG_REAL_VALUES
#define CELL 1 /* reals per cell */
#else
#define CELL 2
typedef real pair __attribute__((vector_size(2 * sizeof(real)), may_alias, aligned(sizeof(real))));
#endif

#include "cpu/kernel/fold.h"

/* Window evaluation: 4 cells of a side for width <= 8, else 8. */
#ifdef OG_SINGLE
#define EVB 16
#define EVN 1
#include "cpu/kernel/evaluate.h"
#undef EVB
#undef EVN
#if OG_SIMD_EVALUATE == 16
#define EVB 16
#define EVN 2
#else
#define EVB 32
#define EVN 1
#endif
#include "cpu/kernel/evaluate.h"
#define EVALUATE_4(...) evaluate_16_1(__VA_ARGS__)
#if OG_SIMD_EVALUATE == 16
#define EVALUATE_8(...) evaluate_16_2(__VA_ARGS__)
#else
#define EVALUATE_8(...) evaluate_32_1(__VA_ARGS__)
#endif
#elif OG_SIMD_EVALUATE == 16
#define EVB 16
#define EVN 2
#include "cpu/kernel/evaluate.h"
#undef EVN
#define EVN 4
#include "cpu/kernel/evaluate.h"
#define EVALUATE_4(...) evaluate_16_2(__VA_ARGS__)
#define EVALUATE_8(...) evaluate_16_4(__VA_ARGS__)
#else
#define EVB 32
#define EVN 1
#include "cpu/kernel/evaluate.h"
#undef EVN
#define EVN 2
#include "cpu/kernel/evaluate.h"
#define EVALUATE_4(...) evaluate_32_1(__VA_ARGS__)
#define EVALUATE_8(...) evaluate_32_2(__VA_ARGS__)
#endif

/* What the row loops need to know. Strides in reals, per point of the chunk. */
typedef struct {
  real *window;
  real *y, *z, *dy, *dz, *v, *dv, *sum;
  int y_stride, z_stride, v_stride, sum_stride, row_reals, plane_reals, vectors, width, width_z;
} rows_job;

/* One point (shift < 0), or two whose starts are `shift` rows apart; offset: of the first one's start in the window. */
typedef struct {
  int32_t point, shift;
  uint32_t offset;
} group;

/* Consecutive points of one sort tile. */
typedef struct {
  int64_t at, end; /* of the task */
  int64_t tile, tile_x;
  int m;
  const og_cpu_task *task;
  uint32_t start[OG_CPU_CHUNK], from[OG_CPU_CHUNK];
  const char *t; /* t of dimension d at t + i * t_stride + d * sizeof(real) */
  size_t t_stride;
  real computed[3 * (OG_CPU_CHUNK + 4)];
} chunk;

static int64_t chunk_tile_base(const og_cpu_points *p, const og_cpu_task *task) {
  return ((int64_t)task->pz * p->cut[1].parts + task->py) * p->cut[0].parts;
}

static void chunk_settle(const og_cpu_points *p, chunk *c) {
  c->m = 0;
  if (c->at >= c->end)
    return;
  while (p->tile_begin[c->tile + 1] <= c->at)
    c->tile++;
  int64_t end = p->tile_begin[c->tile + 1] < c->end ? p->tile_begin[c->tile + 1] : c->end;
  c->m = end - c->at < OG_CPU_CHUNK ? (int)(end - c->at) : OG_CPU_CHUNK;
  c->tile_x = (c->tile - chunk_tile_base(p, c->task)) << p->log_tile;
}

static void chunk_begin(const og_cpu_points *p, const og_cpu_task *task, chunk *c) {
  c->at = task->begin;
  c->end = task->end;
  c->task = task;
  c->tile = chunk_tile_base(p, task);
  chunk_settle(p, c);
}

static void chunk_next(const og_cpu_points *p, chunk *c) {
  c->at += c->m;
  chunk_settle(p, c);
}

/* Borrowed coordinates: t from the coordinate and the start that the sort settled on. */
static void chunk_compute(const og_cpu_points *p, chunk *c) {
  for (int i = 0; i < c->m; i++) {
    int64_t s[3] = {c->tile_x + (c->start[i] >> (p->bits_y + p->bits_z)), 0, 0};
    if (p->ndim > 1)
      s[1] = p->cut[1].begin[c->task->py] + (int32_t)og_cpu_pack_y(p, c->start[i]);
    if (p->ndim > 2)
      s[2] = p->cut[2].begin[c->task->pz] + (int32_t)og_cpu_pack_z(p, c->start[i]);
    for (int d = 0; d < p->ndim; d++) {
      const og_cpu_fold *f = &p->fold[d];
      double g = fold_coordinate(f, fold_far(f, (double)((const real *)p->borrowed[d])[c->from[i]]));
      double gap = (double)s[d] - g;
      gap -= f->n * rint(gap / f->n);
      c->computed[3 * i + d] = (real)(2 * gap + (p->width - 1));
    }
  }
  for (int i = 3 * c->m; i < 3 * (c->m + 4) && i < 3 * (OG_CPU_CHUNK + 4); i++)
    c->computed[i] = 0;
}

static void chunk_load(const og_cpu_points *p, chunk *c) {
  const char *record = p->records + (size_t)c->at * p->record_bytes;
  const size_t skip = (size_t)p->dims_stored * sizeof(real);
  for (int i = 0; i < c->m; i++) {
    memcpy(&c->start[i], record + (size_t)i * p->record_bytes + skip, 4);
    memcpy(&c->from[i], record + (size_t)i * p->record_bytes + skip + 4, 4);
  }
  if (p->dims_stored) {
    c->t = record;
    c->t_stride = p->record_bytes;
  } else {
    chunk_compute(p, c);
    c->t = (const char *)c->computed;
    c->t_stride = 3 * sizeof(real);
  }
}

/* Strengths or results of the chunk on their way into cache, while its weights are evaluated. */
static void chunk_prefetch(const chunk *c, const void *values) {
  for (int i = 0; i < c->m; i++)
    __builtin_prefetch((const char *)values + (size_t)c->from[i] * CELL * sizeof(real));
}

/* The window's own functions, cell by cell: the option evaluation = direct. */
static void evaluate_direct(const og_cpu_points *p, const chunk *c, int d, int slope, real *out, int stride, int copy) {
  const og_window *window = p->setup.window;
  for (int i = 0; i < c->m; i++) {
    double t = *(const real *)(const void *)(c->t + (size_t)i * c->t_stride + (size_t)d * sizeof(real));
    for (int k = 0; k < p->width; k++) {
      real w = (real)og_window_cell(window, k, t, slope);
      out[i * stride + k] = w;
      if (copy)
        out[i * stride + k + copy] = w;
    }
  }
}

/* Weights of dimension d at out: [m][stride], and again `copy` further where not 0. */
static void chunk_evaluate(const og_cpu_points *p, const chunk *c, int d, int slope, real *out, int stride, int copy) {
  if (p->setup.evaluation == OG_EVALUATE_DIRECT) {
    evaluate_direct(p, c, d, slope, out, stride, copy);
    return;
  }
  const real *coef = slope ? p->derivative : p->coef;
  const char *t = c->t + (size_t)d * sizeof(real);
  if (p->lanes == 4)
    EVALUATE_4(t, c->t_stride, c->m, coef, p->half_degree, p->width, slope ? -1 : 1, out, stride, copy);
  else
    EVALUATE_8(t, c->t_stride, c->m, coef, p->half_degree, p->width, slope ? -1 : 1, out, stride, copy);
}

static void chunk_weights(const og_cpu_points *p, const chunk *c, char *work, int slopes) {
  const og_cpu_work *w = &p->work;
  chunk_evaluate(p, c, 0, 0, (real *)(work + w->x), w->x_stride, p->ring.cells);
  chunk_evaluate(p, c, 1, 0, (real *)(work + w->y), w->y_stride, 0);
  if (p->ndim == 3)
    chunk_evaluate(p, c, 2, 0, (real *)(work + w->z), w->z_stride, 0);
  if (slopes) {
    chunk_evaluate(p, c, 0, 1, (real *)(work + w->dx), w->x_stride, p->ring.cells);
    chunk_evaluate(p, c, 1, 1, (real *)(work + w->dy), w->y_stride, 0);
    if (p->ndim == 3)
      chunk_evaluate(p, c, 2, 1, (real *)(work + w->dz), w->z_stride, 0);
  }
}

/* Spreading wants the window zero and leaves it so; interpolation leaves it used. The first int of `work` tells. */
enum { WINDOW_USED, WINDOW_CLEAN };
static void window_claim(const og_cpu_points *p, char *work, int state) {
  int *held = (int *)(void *)work;
  if (state == WINDOW_CLEAN && *held != WINDOW_CLEAN)
    memset(work + p->work.window, 0, p->work.rows - p->work.window);
  *held = state;
}

#define RVB OG_SIMD_WIDEST
#include "cpu/kernel/rows.h"
#undef RVB
#ifdef OG_SIMD_NARROW
#define RVB OG_SIMD_NARROW
#include "cpu/kernel/rows.h"
#undef RVB
#endif

#define WIDE_(f, b) f##_##b
#define WIDE(f, b) WIDE_(f, b)
#ifdef OG_SIMD_NARROW
#define RING_CALL(p, f, arguments)                                                                                     \
  ((p)->ring.bytes == OG_SIMD_WIDEST ? WIDE(f, OG_SIMD_WIDEST) arguments : WIDE(f, OG_SIMD_NARROW) arguments)
#else
#define OG_SIMD_NARROW 0
#define RING_CALL(p, f, arguments) WIDE(f, OG_SIMD_WIDEST) arguments
#endif

#include "cpu/kernel/ring.h"
#include "cpu/kernel/line.h"

static void kernel_spread(const og_cpu_points *p, const og_cpu_task *task, const void *strengths, void *grid,
                          char *work) {
  if (p->ndim == 1)
    line_spread(p, task, strengths, grid, work);
  else
    ring_spread(p, task, strengths, grid, work);
}

static void kernel_interp(const og_cpu_points *p, const og_cpu_task *task, const void *grid, void *values,
                          void *const gradients[3], char *work) {
  real *out[4] = {values, NULL, NULL, NULL};
  for (int d = 0; d < p->ndim && gradients; d++)
    out[d + 1] = gradients[d];
  int outputs = gradients ? p->ndim + 1 : 1;
  if (p->ndim == 1)
    line_interp(p, task, grid, out, outputs, work);
  else
    ring_interp(p, task, grid, out, outputs, work);
}

static void kernel_add_tails(const og_cpu_points *p, int part, int parts, void *grid, char *work) {
  if (p->ndim == 1)
    line_add_tails(p, part, grid);
  else
    ring_add_tails(p, part, parts, grid, (grid_row *)(work + p->work.rows));
}

#define TABLE_JOIN(isa, precision, values) og_cpu_kernels_##isa##_##precision##_##values
#define TABLE_NAME(isa, precision, values) TABLE_JOIN(isa, precision, values)
#ifdef OG_SINGLE
#define TABLE_PRECISION f32
#else
#define TABLE_PRECISION f64
#endif
#ifdef OG_REAL_VALUES
#define TABLE_VALUES real
#else
#define TABLE_VALUES complex
#endif
extern const og_cpu_kernels TABLE_NAME(OG_SIMD, TABLE_PRECISION, TABLE_VALUES);
const og_cpu_kernels TABLE_NAME(OG_SIMD, TABLE_PRECISION, TABLE_VALUES) = {
    .simd = OG_SIMD_NAME,
    .vector_bytes = {OG_SIMD_WIDEST, OG_SIMD_NARROW},
    .count = fold_count,
    .partition = fold_partition,
    .spread = kernel_spread,
    .interp = kernel_interp,
    .add_tails = kernel_add_tails,
};
