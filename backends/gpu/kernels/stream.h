/* What spread_stream.c and interp_stream.c share: a register window that moves along the last dimension.
 *
 * A column of CORE_X (x CORE_Y) starts has the footprint SX (x SY) cells. Each work item owns OWN of them and holds their
 * DEPTH planes of the window in registers. Points come in chunks: the team evaluates a chunk's weights into local memory,
 * those across the stream padded with zeros to the footprint; then, point by point, each work item does DEPTH products per
 * cell it owns, without a barrier. Two and three dimensions. */
#ifndef OG_STREAM_H
#define OG_STREAM_H
#include "place.h"

#define SX (CORE_X + WIDTH - 1)
#if DIM == 3
#define SY (CORE_Y + WIDTH - 1)
#else
#define SY 1
#endif
#define DEPTH (STREAM + WIDTH - 1)
#define PLANE_CELLS (SX * SY)
#define OWN ((PLANE_CELLS + TEAM_SIZE - 1) / TEAM_SIZE)
#define X_ROW (SX | 1) /* odd: the rows of neighbouring points lie in different banks */
#define Y_ROW (SY | 1)
#define Z_PAIRS (((DEPTH + 1) / 2) | 1) /* pairs, so that a row is read in wide loads */

typedef struct stream_weights {
  acc2 z[CHUNK][Z_PAIRS];
  acc x[CHUNK][X_ROW];
#if DIM == 3
  acc y[CHUNK][Y_ROW];
#endif
} stream_weights;

/* Zeros with the window's values from `offset` on. */
DEVICE void pad_weights(LOCAL acc *row, int length, int offset, const acc *weight) {
  UNROLL for (int i = 0; i < length; i++) row[i] = 0;
  UNROLL for (int i = 0; i < WIDTH; i++) row[offset + i] = weight[i];
}

/* Weights of point j of the chunk (slope 1: derivatives); returns the point's index. */
DEVICE u32 stream_evaluate(CONSTANT const og_k_points *points, CONSTANT const og_k_window *window,
                           GLOBAL const void *sorted, GLOBAL const coord *x, GLOBAL const coord *y,
                           GLOBAL const coord *z, i64 point, i32 j, int slope, LOCAL stream_weights *weights) {
  place p;
  acc w[WIDTH];
  place_read(points, sorted, x, y, z, point, &p);
  stencil_weights(window, slope, p.t[0], w);
  pad_weights(weights->x[j], SX, p.offset[0], w);
#if DIM == 3
  stencil_weights(window, slope, p.t[1], w);
  pad_weights(weights->y[j], SY, p.offset[1], w);
#endif
  stencil_weights(window, slope, p.t[STREAM_DIM], w);
#if STREAM == 1
  UNROLL for (int i = 0; i < (WIDTH + 1) / 2; i++) weights->z[j][i] =
      MAKE_ACC2(w[2 * i], 2 * i + 1 < WIDTH ? w[2 * i + 1 < WIDTH ? 2 * i + 1 : 0] : (acc)0);
#else
  pad_weights((LOCAL acc *)weights->z[j], DEPTH, p.offset[STREAM_DIM], w);
#endif
  return p.index;
}

/* Cell q of a work item: its place in the footprint. Where the team is a multiple of a row, x does not depend on q, and
 * its weight is read once. Past the footprint's end: the last cell, computed and thrown away. */
DEVICE int owned_cell(int q) {
  int cell = LOCAL_ID + q * TEAM_SIZE;
  return cell < PLANE_CELLS ? cell : PLANE_CELLS - 1;
}

#if TEAM_SIZE % SX == 0 && PLANE_CELLS % TEAM_SIZE == 0
DEVICE int owned_x(int q) { return LOCAL_ID % SX; }
#else
DEVICE int owned_x(int q) { return owned_cell(q) % SX; }
#endif

/* Where the cells of a work item are on a plane of the grid. */
DEVICE void owned_places(CONSTANT const og_k_grid *grid, u32 column, i64 *place) {
  i64 first[3];
  column_first(grid, column, first);
  UNROLL for (int q = 0; q < OWN; q++) {
    place[q] = wrap(first[0] + owned_cell(q) % SX, grid->n[0]);
#if DIM == 3
    place[q] += wrap(first[1] + owned_cell(q) / SX, grid->n[1]) * grid->stride[1];
#endif
  }
}

/* Weight of the owned cells across the stream. */
DEVICE void owned_weights(LOCAL const stream_weights *weights, i32 j, acc *across) {
  UNROLL for (int q = 0; q < OWN; q++) {
    across[q] = weights->x[j][owned_x(q)];
#if DIM == 3
    across[q] *= weights->y[j][owned_cell(q) / SX];
#endif
  }
}
#endif
