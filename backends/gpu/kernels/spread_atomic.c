/* Spreading by native atomics to the grid, in the bins' order or the caller's (SORTED 0: no sort needed). The team
 * evaluates the weights of a chunk of points into local memory; then LANES work items together add a point, neighbours to
 * neighbouring numbers of a row, so that their atomics meet in one transaction. The grid is cleared before. */
#include "place.h"

#define LANES (TEAM_SIZE < 32 ? TEAM_SIZE : 32)
#define ROW_REALS (WIDTH * REALS)
#if DIM == 1
#define ROWS 1
#elif DIM == 2
#define ROWS WIDTH
#else
#define ROWS (WIDTH * WIDTH)
#endif

typedef struct spread_local {
  acc weight[CHUNK][(DIM * WIDTH) | 1];
  real strength[CHUNK][BATCH * REALS];
  i32 start[CHUNK][DIM];
} spread_local;

DEVICE void evaluate(CONSTANT const og_k_window *window, const place *p, LOCAL acc *weight) {
  UNROLL for (int d = 0; d < DIM; d++) {
    acc w[WIDTH];
    window_values(window, p->t[d], w);
    UNROLL for (int i = 0; i < WIDTH; i++) weight[d * WIDTH + i] = w[i];
  }
}

/* One lane's share of a point's numbers: real i of a row in row i / ROW_REALS. */
DEVICE void add_point(CONSTANT const og_k_grid *grid, LOCAL const acc *weight, LOCAL const real *strength,
                      LOCAL const i32 *start, i32 vectors, GLOBAL real *cells) {
  for (int i = LOCAL_ID % LANES; i < ROWS * ROW_REALS; i += LANES) {
    int row = i / ROW_REALS, part = i % REALS, in_x = i % ROW_REALS / REALS;
    acc w = weight[in_x];
    i64 cell = wrap(start[0] + in_x, grid->n[0]);
#if DIM > 1
    w *= weight[WIDTH + row % WIDTH];
    cell += wrap(start[1] + row % WIDTH, grid->n[1]) * grid->stride[1];
#endif
#if DIM > 2
    w *= weight[2 * WIDTH + row / WIDTH];
    cell += wrap(start[2] + row / WIDTH, grid->n[2]) * grid->stride[2];
#endif
    (void)row;
    UNROLL for (int b = 0; b < BATCH; b++) if (b < vectors)
        ATOMIC_ADD(cells + (cell + b * grid->vector_cells) * REALS + part, (real)(w * (acc)strength[b * REALS + part]));
  }
}

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    spread_atomic(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                  GLOBAL const og_k_work *RESTRICT work, GLOBAL const void *RESTRICT sorted,
                  GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y,
                  GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT strengths, GLOBAL real *RESTRICT cells) {
  LOCAL_MEMORY(spread_local, local);
  i64 point, end, first[3], column_bin = 0, low = 0, high = 1, first_vector = FIRST_VECTOR(T(grid));
  i32 vectors = VECTORS_LEFT(T(grid), first_vector);
#if SORTED
  const og_k_work piece = work[GROUP_ID(0)];
  point = piece.begin, end = piece.end;
  column_first(&T(grid), piece.column, first);
  column_bin = (i64)piece.column * T(grid).bins[STREAM_DIM];
  low = column_bin + piece.bin, high = column_bin + T(grid).bins[STREAM_DIM];
#else
  (void)work;
  point = GROUP_ID(0) * CHUNK, end = point + CHUNK < T(points).n_points ? point + CHUNK : T(points).n_points;
  first[0] = first[1] = first[2] = 0;
#endif
  strengths += first_vector * T(grid).vector_points * REALS;
  cells += first_vector * T(grid).vector_cells * REALS;
  for (i64 from = point; from < end; from += CHUNK) {
    i32 count = end - from < CHUNK ? (i32)(end - from) : CHUNK;
    TEAM_BARRIER();
    for (i32 j = LOCAL_ID; j < count; j += TEAM_SIZE) {
      place p;
      i32 start[3];
      place_read(&T(points), sorted, x, y, z, from + j, &p);
      place_starts(begin, column_bin, low, high, from + j, first, &p, start);
      evaluate(&T(window_table), &p, local->weight[j]);
      UNROLL for (int d = 0; d < DIM; d++) local->start[j][d] = start[d];
      UNROLL for (int b = 0; b < BATCH; b++) for (int c = 0; c < REALS; c++) local->strength[j][b * REALS + c] =
          b < vectors ? strengths[(b * T(grid).vector_points + p.index) * REALS + c] : (real)0;
    }
    TEAM_BARRIER();
    for (i32 j = LOCAL_ID / LANES; j < count; j += TEAM_SIZE / LANES)
      add_point(&T(grid), local->weight[j], local->strength[j], local->start[j], vectors, cells);
  }
}
LOCAL_SIZE_OF(spread_atomic, spread_local)
