/* Spreading by a register window streamed along the last dimension: see stream.h. When the window moves on, the planes that
 * no later point touches are added to the grid. The grid is cleared before. */
#include "stream.h"

typedef struct spread_local {
  stream_weights weights;
  value strength[CHUNK][BATCH];
} spread_local;

/* The window moves up by `planes`, the lowest of which go to the grid. Collecting a plane in local memory first, so that
 * neighbours add neighbouring numbers, costs more than it saves. plane: the window's lowest. */
DEVICE void retire(CONSTANT const og_k_grid *grid, value window[OWN][DEPTH][BATCH], const i64 *place, i64 plane,
                   i32 planes, i32 vectors, GLOBAL real *cells) {
  for (i32 lowest = 0; lowest < planes; lowest++, plane++) {
    GLOBAL real *to = cells + wrap(plane, grid->n[STREAM_DIM]) * grid->stride[STREAM_DIM] * REALS;
    UNROLL for (int q = 0; q < OWN; q++) UNROLL for (int b = 0; b < BATCH; b++) {
      if (LOCAL_ID + q * TEAM_SIZE < PLANE_CELLS && b < vectors)
        VALUE_ATOMIC_ADD(to, place[q] + b * grid->vector_cells, window[q][0][b]);
      UNROLL for (int k = 0; k + 1 < DEPTH; k++) window[q][k][b] = window[q][k + 1][b];
      window[q][DEPTH - 1][b] = VALUE_ZERO;
    }
  }
}

DEVICE void add_point(value window[OWN][DEPTH][BATCH], LOCAL const spread_local *local, i32 j) {
  acc along[2 * Z_PAIRS], across[OWN];
  UNROLL for (int k = 0; k < (DEPTH + 1) / 2; k++) {
    acc2 pair = local->weights.z[j][k];
    along[2 * k] = pair.x, along[2 * k + 1] = pair.y;
  }
  owned_weights(&local->weights, j, across);
  UNROLL for (int b = 0; b < BATCH; b++) {
    value strength = local->strength[j][b];
    UNROLL for (int q = 0; q < OWN; q++) {
      value v = VALUE_SCALE(strength, across[q]);
      UNROLL for (int k = 0; k < DEPTH; k++) VALUE_FMA(window[q][k][b], along[k], v);
    }
  }
}

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    spread_stream(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                  GLOBAL const og_k_work *RESTRICT work, GLOBAL const void *RESTRICT sorted,
                  GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y,
                  GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT strengths, GLOBAL real *RESTRICT cells) {
  LOCAL_MEMORY(spread_local, local);
  const og_k_work piece = work[GROUP_ID(0)];
  i64 place[OWN], first_vector = FIRST_VECTOR(T(grid)), plane = (i64)piece.bin * STREAM, end = piece.end, bin_end;
  i32 vectors = VECTORS_LEFT(T(grid), first_vector);
  value window[OWN][DEPTH][BATCH];
  if (piece.begin == piece.end)
    return;
  begin += piece.column * T(grid).bins[STREAM_DIM] + piece.bin + 1;
  bin_end = *begin;
  strengths += first_vector * T(grid).vector_points * REALS;
  cells += first_vector * T(grid).vector_cells * REALS;
  owned_places(&T(grid), piece.column, place);
  UNROLL for (int i = 0; i < OWN * DEPTH * BATCH; i++) window[i / (DEPTH * BATCH)][i / BATCH % DEPTH][i % BATCH] =
      VALUE_ZERO;
  for (i64 from = piece.begin; from < end; from += CHUNK) {
    i32 count = end - from < CHUNK ? (i32)(end - from) : CHUNK;
    TEAM_BARRIER();
    for (i32 j = LOCAL_ID; j < count; j += TEAM_SIZE) {
      u32 index = stream_evaluate(&T(points), &T(window_table), sorted, x, y, z, from + j, j, 0, &local->weights);
      UNROLL for (int b = 0; b < BATCH; b++) local->strength[j][b] =
          b < vectors ? VALUE_OF(strengths, index + b * T(grid).vector_points) : VALUE_ZERO;
    }
    TEAM_BARRIER();
    for (i32 j = 0; j < count;) {
      i64 moved = 0;
      for (; from + j >= bin_end; moved += STREAM)
        bin_end = *++begin;
      retire(&T(grid), window, place, plane, moved < DEPTH ? (i32)moved : DEPTH, vectors, cells);
      plane += moved;
      i32 stop = bin_end - from < count ? (i32)(bin_end - from) : count;
      for (; j < stop; j++)
        add_point(window, local, j);
    }
  }
  retire(&T(grid), window, place, plane, DEPTH, vectors, cells);
}
LOCAL_SIZE_OF(spread_stream, spread_local)
