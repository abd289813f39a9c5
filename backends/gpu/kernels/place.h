/* Where a point sits on the fine grid, from its record (PACKED 1) or from the caller's coordinates (PACKED 0), and how
 * strengths and cells are read and written.
 *
 * A bin has CORE_X x CORE_Y x STREAM starts (CORE_Y in three dimensions only, CORE_X in two and three): the macros of a
 * specialisation say what og_k_points says at run time. */
#ifndef OG_PLACE_H
#define OG_PLACE_H
#include "fold.h"

#if COMPLEX
#define REALS 2
typedef acc2 value; /* a strength or a cell, in the arithmetic's type */
#define VALUE_ZERO MAKE_ACC2((acc)0, (acc)0)
#define VALUE_OF(p, i) value_load((GLOBAL const real2 *)(p) + (i))
#define VALUE_SET(p, i, v) (((GLOBAL real2 *)(p))[i] = MAKE_REAL2((real)(v).x, (real)(v).y))
#define VALUE_ATOMIC_ADD(p, i, v)                                                                                      \
  do {                                                                                                                 \
    ATOMIC_ADD((p) + 2 * (i), (real)(v).x);                                                                            \
    ATOMIC_ADD((p) + 2 * (i) + 1, (real)(v).y);                                                                        \
  } while (0)
#define VALUE_FMA(sum, w, v) ((sum).x = FMA(w, (v).x, (sum).x), (sum).y = FMA(w, (v).y, (sum).y))
#define VALUE_SCALE(v, w) MAKE_ACC2((w) * (v).x, (w) * (v).y)
#define VALUE_ADD(sum, v) ((sum).x += (v).x, (sum).y += (v).y)
/* Arrays of complex numbers lie on multiples of their size. */
DEVICE acc2 value_load(GLOBAL const real2 *p) {
  real2 v = *p;
  return MAKE_ACC2((acc)v.x, (acc)v.y);
}
#else
#define REALS 1
typedef acc value;
#define VALUE_ZERO ((acc)0)
#define VALUE_OF(p, i) ((acc)(p)[i])
#define VALUE_SET(p, i, v) ((p)[i] = (real)(v))
#define VALUE_ATOMIC_ADD(p, i, v) ATOMIC_ADD((p) + (i), (real)(v))
#define VALUE_FMA(sum, w, v) ((sum) = FMA(w, v, sum))
#define VALUE_SCALE(v, w) ((w) * (v))
#define VALUE_ADD(sum, v) ((sum) += (v))
#endif

#define STREAM_DIM (DIM - 1)
#if DIM == 1
#define BIN_CELLS STREAM
#elif DIM == 2
#define BIN_CELLS CORE_X, STREAM
#else
#define BIN_CELLS CORE_X, CORE_Y, STREAM
#endif
#ifndef SORTED
#define SORTED 1 /* 0: points in the caller's order; not with PACKED */
#endif

#ifdef TEAM_SIZE
#if TEAM_SIZE <= SUBGROUP
#define TEAM_BARRIER() SUBGROUP_BARRIER()
#else
#define TEAM_BARRIER() BARRIER()
#endif
#endif

typedef struct place {
  i32 offset[3]; /* of the stencil's start from the bin's first, per dimension */
  i32 start[3];  /* of the stencil, from the grid's first cell; PACKED 0 only */
  acc t[3];      /* the window's argument */
  u32 index;     /* of the point in the caller's arrays */
} place;

/* i mod n for 0 <= i, where i is hardly ever past 2 n. */
DEVICE i64 wrap(i64 i, i64 n) {
  while (i >= n)
    i -= n;
  return i;
}

#if PACKED

typedef union index_bits {
  real r;
  u32 word[2];
} index_bits;

#if DIM == 1
typedef real2 record;
#elif REAL_BYTES == 4
typedef real4 record;
#elif DIM == 2
typedef struct record {
  real x, y, z;
} record;
#else
typedef struct record {
  real2 xy, zi;
} record;
#endif

/* u = offset + f, both in one real. */
DEVICE void place_unpack(real u, i32 *offset, acc *t) {
  i32 whole = (i32)u;
  *offset = whole;
  *t = (acc)2 * ((acc)u - (acc)whole) - (acc)1;
}

DEVICE void place_of_record(const record *r, place *p) {
  index_bits bits;
  p->start[0] = p->start[1] = p->start[2] = 0;
#if DIM == 1
  place_unpack(r->x, &p->offset[0], &p->t[0]);
  bits.r = r->y;
#elif DIM == 2
  place_unpack(r->x, &p->offset[0], &p->t[0]);
  place_unpack(r->y, &p->offset[1], &p->t[1]);
  bits.r = r->z;
#elif REAL_BYTES == 4
  place_unpack(r->x, &p->offset[0], &p->t[0]);
  place_unpack(r->y, &p->offset[1], &p->t[1]);
  place_unpack(r->z, &p->offset[2], &p->t[2]);
  bits.r = r->w;
#else
  place_unpack(r->xy.x, &p->offset[0], &p->t[0]);
  place_unpack(r->xy.y, &p->offset[1], &p->t[1]);
  place_unpack(r->zi.x, &p->offset[2], &p->t[2]);
  bits.r = r->zi.y;
#endif
  p->index = bits.word[0];
}

DEVICE void place_read(CONSTANT const og_k_points *points, GLOBAL const void *sorted, GLOBAL const coord *x,
                       GLOBAL const coord *y, GLOBAL const coord *z, i64 j, place *p) {
  record r = ((GLOBAL const record *)sorted)[j];
  (void)points, (void)x, (void)y, (void)z;
  place_of_record(&r, p);
}

#else

DEVICE void place_read(CONSTANT const og_k_points *points, GLOBAL const void *sorted, GLOBAL const coord *x,
                       GLOBAL const coord *y, GLOBAL const coord *z, i64 j, place *p) {
#if SORTED
  const i32 cells[3] = {BIN_CELLS};
  u32 index = ((GLOBAL const u32 *)sorted)[j];
#else
  u32 index = (u32)j;
#endif
  (void)sorted, (void)x, (void)y, (void)z;
  p->index = index;
  UNROLL for (int d = 0; d < DIM; d++) {
    double f;
    p->start[d] = (i32)fold_start(points, d, (double)(d == 0 ? x[index] : d == 1 ? y[index] : z[index]), &f);
#if SORTED
    p->offset[d] = p->start[d] % cells[d];
#endif
    p->t[d] = (acc)(2 * f - 1);
  }
}

#endif

/* The last bin in [low, high) whose first point is not past point p, where begin[low] <= p < begin[high]: the one that
 * holds it. */
DEVICE i64 bin_of(GLOBAL const u32 *begin, i64 low, i64 high, i64 p) {
  while (high - low > 1) {
    i64 middle = low + (high - low) / 2;
    if ((i64)begin[middle] <= p)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* First start of a column in the dimensions across the stream. */
DEVICE void column_first(CONSTANT const og_k_grid *grid, u32 column, i64 *first) {
  (void)grid, (void)column;
#if DIM == 1
  first[0] = 0;
#elif DIM == 2
  first[0] = (i64)column * CORE_X;
#else
  u32 row = column / (u32)grid->bins[0];
  first[0] = (i64)(column - row * (u32)grid->bins[0]) * CORE_X;
  first[1] = (i64)row * CORE_Y;
#endif
}

/* The stencil's starts of point j, a sorted one of this piece of work, whose bins lie in [low, high) of `begin`; first:
 * of its column. */
DEVICE void place_starts(GLOBAL const u32 *begin, i64 column_bin, i64 low, i64 high, i64 j, const i64 *first,
                         const place *p, i32 *start) {
#if PACKED
  UNROLL for (int d = 0; d < STREAM_DIM; d++) start[d] = (i32)first[d] + p->offset[d];
  start[STREAM_DIM] = (i32)(bin_of(begin, low, high, j) - column_bin) * STREAM + p->offset[STREAM_DIM];
#else
  (void)begin, (void)column_bin, (void)low, (void)high, (void)j, (void)first;
  UNROLL for (int d = 0; d < DIM; d++) start[d] = p->start[d];
#endif
}

/* The window's values at the stencil's cells, or with slope = 1 its derivatives, which need a table of their own. */
DEVICE void stencil_weights(CONSTANT const og_k_window *window, int slope, acc t, acc *weight) {
  if (slope)
    window_derivatives(window, t, weight);
  else
    window_values(window, t, weight);
}

/* The first vector of this group, and how many it has to do: at most BATCH. */
#define FIRST_VECTOR(grid) ((grid).first_vector + GROUP_ID(2) * BATCH)
#define VECTORS_LEFT(grid, first) ((grid).vectors - (first) < BATCH ? (i32)((grid).vectors - (first)) : BATCH)
#endif
