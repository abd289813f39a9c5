/* Spreading in one dimension. Each work item takes the points of a bin and adds them to a row of its own in local memory, so
 * that no two meet; then the team adds up the rows where they overlap, cell by cell, and adds the sums to the grid, which
 * is cleared before. */
#include "place.h"

#define ROW (STREAM + WIDTH - 1)

typedef struct spread_local {
  value row[ROW][BATCH][TEAM_SIZE];
} spread_local;

/* The points [from, to), all of one bin, into this work item's row. */
DEVICE void add_points(CONSTANT const og_k_points *points, CONSTANT const og_k_grid *grid,
                       CONSTANT const og_k_window *window, GLOBAL const void *sorted, GLOBAL const coord *x, i64 from,
                       i64 to, GLOBAL const real *strengths, i32 vectors, LOCAL spread_local *local) {
  for (i64 j = from; j < to; j++) {
    place p;
    acc weight[WIDTH];
    place_read(points, sorted, x, x, x, j, &p);
    window_values(window, p.t[0], weight);
    UNROLL for (int b = 0; b < BATCH; b++) {
      if (b >= vectors)
        break;
      value strength = VALUE_OF(strengths, p.index + b * grid->vector_points);
      UNROLL for (int i = 0; i < WIDTH; i++) {
        LOCAL value *cell = &local->row[p.offset[0] + i][b][LOCAL_ID];
        value sum = *cell;
        VALUE_FMA(sum, weight[i], strength);
        *cell = sum;
      }
    }
  }
}

/* first: of the team's bins, the first cell. Neighbours add neighbouring numbers. */
DEVICE void add_rows(CONSTANT const og_k_grid *grid, LOCAL const spread_local *local, i64 first, i32 bins, i32 vectors,
                     GLOBAL real *cells) {
  for (i32 i = LOCAL_ID; i < ((bins - 1) * STREAM + ROW) * REALS; i += TEAM_SIZE) {
    i32 cell = i / REALS, part = i % REALS;
    GLOBAL real *to = cells + wrap(first + cell, grid->n[0]) * REALS + part;
    for (i32 b = 0; b < vectors; b++) {
      acc sum = 0;
      for (i32 bin = cell / STREAM, k = cell % STREAM; bin >= 0 && k < ROW; bin--, k += STREAM)
        if (bin < bins)
          sum += ((LOCAL const acc *)&local->row[k][b][bin])[part];
      ATOMIC_ADD(to + b * grid->vector_cells * REALS, (real)sum);
    }
  }
}

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    spread_line(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                GLOBAL const og_k_work *RESTRICT work, GLOBAL const void *RESTRICT sorted,
                GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y,
                GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT strengths, GLOBAL real *RESTRICT cells) {
  LOCAL_MEMORY(spread_local, local);
  const og_k_work piece = work[GROUP_ID(0)];
  i64 first_vector = FIRST_VECTOR(T(grid));
  i32 vectors = VECTORS_LEFT(T(grid), first_vector);
  (void)y, (void)z;
  if (piece.begin == piece.end)
    return;
  strengths += first_vector * T(grid).vector_points * REALS;
  cells += first_vector * T(grid).vector_cells * REALS;
  for (i64 bin = piece.bin; bin < T(grid).bins[0] && begin[bin] < piece.end; bin += TEAM_SIZE) {
    i32 bins = T(grid).bins[0] - bin < TEAM_SIZE ? (i32)(T(grid).bins[0] - bin) : TEAM_SIZE;
    if (LOCAL_ID < bins) {
      i64 from = begin[bin + LOCAL_ID], to = begin[bin + LOCAL_ID + 1];
      from = from < piece.begin ? piece.begin : from;
      to = to < piece.end ? to : piece.end;
      UNROLL for (int i = 0; i < ROW * BATCH; i++) local->row[i / BATCH][i % BATCH][LOCAL_ID] = VALUE_ZERO;
      add_points(&T(points), &T(grid), &T(window_table), sorted, x, from, to, strengths, vectors, local);
    }
    TEAM_BARRIER();
    add_rows(&T(grid), local, bin * STREAM, bins, vectors, cells);
    TEAM_BARRIER();
  }
}
LOCAL_SIZE_OF(spread_line, spread_local)
