/* What spread_matrix.c and interp_matrix.c share: a column's footprint of SX x SY cells, PLANES planes of which are a
 * window that moves along the last dimension, and the values of the windows of a batch of points in local memory.
 *
 * The window is circular: plane z lies in column z mod PLANES of the fragments, so that planes come and go without
 * moving the others. One dimension has no stream: its bins are the columns, and the window is thrown away from bin to
 * bin.
 *
 * A team is BATCH x WARPS subgroups ("warps") of MATRIX_LANES: WARPS share the rows of the footprint, BATCH the
 * vectors. */
#ifndef OG_MATRIX_H
#define OG_MATRIX_H
#include "place.h"

#define PLANES_PER_TILE (MATRIX_COLUMNS / REALS) /* the columns of a fragment are (plane, re or im) */
#define TILES (PLANES / PLANES_PER_TILE)
#define WARP_ROWS (SY / WARPS)
#if DIM == 1
#define X_STARTS STREAM
#define Z_STARTS 1
#define RETIRE PLANES
#else
#define X_STARTS CORE_X
#define Z_STARTS STREAM
#define RETIRE STREAM
#endif
#if DIM < 3
#define CORE_Y 1
#endif

/* Values of a point's window lie at a fixed place between zeros that are written once; who reads the footprint's cell i
 * of a point reads from `place` on at i * SLOTS, which shifts the values by the start in the bin. Slots POINTS ...
 * POINTS + 3 are all zero: points that add nothing.
 *
 * Local memory has 16 banks of 8 bytes, and a subgroup reads four neighbouring points at four neighbouring cells.
 * Points are the fast index and SLOTS = 4 mod 16, so that those lie in different banks whatever the points' shifts. */
#define SLOTS (POINTS + 4)
#define SLOT_BYTES ((int)sizeof(acc))
#define EMPTY_SLOT(point) (POINTS + ((point)&3))
#define CELLS_X (X_STARTS - 1 + SX)
#define CELLS_Y (CORE_Y - 1 + SY)
#define CELLS_Z (Z_STARTS - 1 + PLANES)

typedef struct matrix_windows {
  acc x[CELLS_X * SLOTS];
#if DIM == 3
  acc y[CELLS_Y * SLOTS];
#endif
#if DIM > 1
  acc z[CELLS_Z * SLOTS];
#endif
  u64 place[SLOTS]; /* in x, y, z: bytes, 16, 16 and 32 bits */
} matrix_windows;

DEVICE u64 matrix_place(int slot, const i32 *offset) {
  u32 x = (u32)((X_STARTS - 1 - offset[0]) * SLOTS + slot), y = 0, z = 0;
#if DIM == 3
  y = (u32)((CORE_Y - 1 - offset[1]) * SLOTS + slot);
#endif
#if DIM > 1
  z = (u32)((Z_STARTS - 1 - offset[STREAM_DIM]) * SLOTS + slot);
#endif
  return (u64)(z * SLOT_BYTES) << 32 | y * SLOT_BYTES << 16 | x * SLOT_BYTES;
}

/* The cells of a point, where `cell` is that of a point in slot 0 that starts with the bin. */
DEVICE LOCAL const acc *matrix_at(LOCAL const acc *cell, u32 bytes) {
  return (LOCAL const acc *)((LOCAL const char *)cell + bytes);
}
#define PLACE_X(place) ((u32)(place)&0xffffu)
#define PLACE_Y(place) ((u32)(place) >> 16)
#define PLACE_Z(place) ((u32)((place) >> 32))

DEVICE void matrix_clear(LOCAL matrix_windows *w) {
  const i32 zero[3] = {0, 0, 0};
  for (int i = LOCAL_ID; i < CELLS_X * SLOTS; i += TEAM_SIZE)
    w->x[i] = 0;
#if DIM == 3
  for (int i = LOCAL_ID; i < CELLS_Y * SLOTS; i += TEAM_SIZE)
    w->y[i] = 0;
#endif
#if DIM > 1
  for (int i = LOCAL_ID; i < CELLS_Z * SLOTS; i += TEAM_SIZE)
    w->z[i] = 0;
#endif
  for (int i = LOCAL_ID; i < 4; i += TEAM_SIZE)
    w->place[POINTS + i] = matrix_place(POINTS + i, zero);
}

/* A batch's evaluation is cut into tasks for the work items: one dimension of one point from a record; a whole point
 * where its coordinates have to be fetched. */
#define TASKS (PACKED ? POINTS * DIM : POINTS)
#define TASK_ROUNDS ((TASKS + TEAM_SIZE - 1) / TEAM_SIZE)
#define POINT_ROUNDS ((POINTS + TEAM_SIZE - 1) / TEAM_SIZE)

/* Task of this work item in a round: 0 where there is none left. */
DEVICE int matrix_task(int round, int *slot, int *d) {
#if POINTS % TEAM_SIZE == 0
  *slot = round % (POINTS / TEAM_SIZE) * TEAM_SIZE + LOCAL_ID;
  *d = round / (POINTS / TEAM_SIZE);
  return 1;
#else
  const u32 task = (u32)(round * TEAM_SIZE + LOCAL_ID);
  *slot = (int)(task % POINTS);
  *d = (int)(task / POINTS);
  return TASKS % TEAM_SIZE == 0 || task < TASKS;
#endif
}

/* Values along dimension d at argument t. */
DEVICE void matrix_evaluate(CONSTANT const og_k_window *window, acc t, int slot, int d, LOCAL matrix_windows *w) {
  acc v[WIDTH];
  LOCAL acc *to = w->x + (X_STARTS - 1) * SLOTS + slot;
#if DIM == 3
  if (d == 1)
    to = w->y + (CORE_Y - 1) * SLOTS + slot;
#endif
#if DIM > 1
  if (d == STREAM_DIM)
    to = w->z + (Z_STARTS - 1) * SLOTS + slot;
#endif
  (void)d;
  window_values(window, t, v);
  UNROLL for (int i = 0; i < WIDTH; i++) to[i * SLOTS] = v[i];
}

#if PACKED
DEVICE void matrix_evaluate_record(CONSTANT const og_k_window *window, record r, int slot, int d,
                                   LOCAL matrix_windows *w) {
  place p;
  place_of_record(&r, &p);
  if (d == 0)
    w->place[slot] = matrix_place(slot, p.offset);
  matrix_evaluate(window, DIM == 1 || d == 0 ? p.t[0] : DIM == 2 || d == 1 ? p.t[1] : p.t[2], slot, d, w);
}

DEVICE u32 record_index(record r) {
  place p;
  place_of_record(&r, &p);
  return p.index;
}

DEVICE void copy_record(LOCAL record *to, GLOBAL const void *sorted, u32 i) {
  GLOBAL const record *from = (GLOBAL const record *)sorted + i;
  enum { PIECE = sizeof(record) % 16 ? 8 : 16 };
  UNROLL for (int b = 0; b < (int)sizeof(record); b += PIECE)
      COPY_ASYNC((LOCAL char *)to + b, (GLOBAL const char *)from + b, PIECE);
}
#else
DEVICE void matrix_evaluate_point(CONSTANT const og_k_window *window, const place *p, int slot,
                                  LOCAL matrix_windows *w) {
  w->place[slot] = matrix_place(slot, p->offset);
  UNROLL for (int d = 0; d < DIM; d++) matrix_evaluate(window, p->t[d], slot, d, w);
}
#endif

/* Points of a batch that this work item fetches: `i` of a round, and whether there is one. */
#define POINT_OF(round) ((round)*TEAM_SIZE + LOCAL_ID)
#define HAS_POINT(i) (POINTS % TEAM_SIZE == 0 || (i) < POINTS)

/* The walk of a group through its item of work: the bin it is in, where that bin's points end, and the next one's. */
typedef struct matrix_walk {
  u32 bin_end, next_end;
  i32 bin;
} matrix_walk;

/* begin: of the column. */
DEVICE u32 matrix_bin_end(CONSTANT const og_k_grid *grid, GLOBAL const u32 *begin, i32 bin) {
  const i64 bins = grid->bins[STREAM_DIM];
  return begin[bin < bins ? bin + 1 : bins];
}

DEVICE void matrix_begin(CONSTANT const og_k_grid *grid, GLOBAL const u32 *begin, u32 bin, matrix_walk *w) {
  w->bin = (i32)bin;
  w->bin_end = matrix_bin_end(grid, begin, w->bin);
  w->next_end = matrix_bin_end(grid, begin, w->bin + 1);
}

DEVICE void matrix_next_bin(CONSTANT const og_k_grid *grid, GLOBAL const u32 *begin, matrix_walk *w) {
  w->bin++;
  w->bin_end = w->next_end;
  w->next_end = matrix_bin_end(grid, begin, w->bin + 1);
}

/* The corner of a column (one dimension: of a bin), in cells. */
DEVICE void matrix_corner(CONSTANT const og_k_grid *grid, u32 column, i32 bin, i64 *corner) {
#if DIM == 1
  (void)grid, (void)column;
  corner[0] = (i64)bin * STREAM;
  corner[1] = 0;
#else
  const u32 row = (u32)grid->bins[0];
  (void)bin;
  corner[0] = (i64)(column % row) * CORE_X;
  corner[1] = (i64)(column / row) * CORE_Y;
#endif
}

/* How far from the window's first plane column `column` is, when the window begins in column `phase`. */
DEVICE int matrix_depth(int column, int phase) {
#if DIM == 1
  (void)phase;
  return column;
#else
  return column >= phase ? column - phase : column - phase + PLANES;
#endif
}
#if DIM == 1
#define PHASE(bin) 0
#else
#define PHASE(bin) ((int)((u32)(bin) % (PLANES / STREAM)) * STREAM)
#endif
#endif
