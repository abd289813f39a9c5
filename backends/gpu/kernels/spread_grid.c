/* Spreading driven by the output: the team of a bin owns the bin's own cells, TILE of them, in registers, and adds every point
 * whose stencil reaches them, one point after the other. Those lie in the bin and in bins before it, around the grid's
 * edge too. Each cell is written once: no atomics, no clearing, and the same sums in the same order whenever the points
 * are sorted the same way. */
#include "place.h"

#if DIM == 1
#define PLANE 1
#elif DIM == 2
#define PLANE CORE_X
#else
#define PLANE (CORE_X * CORE_Y)
#endif
#define TILE (PLANE * STREAM)
#define OWN ((TILE + TEAM_SIZE - 1) / TEAM_SIZE)

/* Weights of a chunk's points at the tile's cells, zero where a stencil does not reach. */
typedef struct spread_local {
  value strength[CHUNK][BATCH];
  acc z[CHUNK][STREAM | 1];
#if DIM > 1
  acc x[CHUNK][CORE_X | 1];
#endif
#if DIM > 2
  acc y[CHUNK][CORE_Y | 1];
#endif
} spread_local;

/* start: the stencil's, from the tile's first cell; often negative. */
DEVICE void clip_weights(LOCAL acc *row, int length, i64 start, const acc *weight) {
  UNROLL for (int i = 0; i < length; i++) row[i] = 0;
  UNROLL for (int i = 0; i < WIDTH; i++) if (start + i >= 0 && start + i < length) row[start + i] = weight[i];
}

/* The points [begin, end) of one bin, whose first starts lie at `shift` from the tile's first cell. */
DEVICE void add_bin(CONSTANT const og_k_points *points, CONSTANT const og_k_grid *grid,
                    CONSTANT const og_k_window *window, GLOBAL const void *sorted, GLOBAL const coord *x,
                    GLOBAL const coord *y, GLOBAL const coord *z, i64 begin, i64 end, const i64 *shift,
                    GLOBAL const real *strengths, i32 vectors, LOCAL spread_local *local, value sum[OWN][BATCH]) {
  for (i64 from = begin; from < end; from += CHUNK) {
    i32 count = end - from < CHUNK ? (i32)(end - from) : CHUNK;
    TEAM_BARRIER();
    for (i32 j = LOCAL_ID; j < count; j += TEAM_SIZE) {
      place p;
      acc w[WIDTH];
      place_read(points, sorted, x, y, z, from + j, &p);
      window_values(window, p.t[STREAM_DIM], w);
      clip_weights(local->z[j], STREAM, shift[STREAM_DIM] + p.offset[STREAM_DIM], w);
#if DIM > 1
      window_values(window, p.t[0], w);
      clip_weights(local->x[j], CORE_X, shift[0] + p.offset[0], w);
#endif
#if DIM > 2
      window_values(window, p.t[1], w);
      clip_weights(local->y[j], CORE_Y, shift[1] + p.offset[1], w);
#endif
      UNROLL for (int b = 0; b < BATCH; b++) local->strength[j][b] =
          b < vectors ? VALUE_OF(strengths, p.index + b * grid->vector_points) : VALUE_ZERO;
    }
    TEAM_BARRIER();
    for (i32 j = 0; j < count; j++)
      UNROLL for (int q = 0; q < OWN; q++) {
        int cell = LOCAL_ID + q * TEAM_SIZE, in_plane = cell % PLANE;
        if (cell >= TILE)
          continue;
        acc w = local->z[j][cell / PLANE];
        (void)in_plane;
#if DIM > 1
        w *= local->x[j][in_plane % CORE_X];
#endif
#if DIM > 2
        w *= local->y[j][in_plane / CORE_X];
#endif
        UNROLL for (int b = 0; b < BATCH; b++) VALUE_FMA(sum[q][b], w, local->strength[j][b]);
      }
  }
}

/* The bins of one dimension whose starts reach a tile, downwards from its own: bin, and its first start from the tile's
 * first cell. */
typedef struct reach {
  i64 bin, shift;
} reach;

DEVICE int reach_next(CONSTANT const og_k_grid *grid, int d, int cells, reach *r) {
  if (r->shift <= 1 - WIDTH)
    return 0;
  if (r->bin > 0)
    r->bin--, r->shift -= cells;
  else {
    r->bin = grid->bins[d] - 1;
    r->shift -= grid->n[d] - r->bin * cells;
  }
  return 1;
}

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    spread_grid(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                GLOBAL const og_k_work *RESTRICT work, GLOBAL const void *RESTRICT sorted,
                GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y,
                GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT strengths, GLOBAL real *RESTRICT cells) {
  LOCAL_MEMORY(spread_local, local);
  const i32 core[3] = {BIN_CELLS};
  i64 first_vector = FIRST_VECTOR(T(grid)), bin = GROUP_ID(0), line = T(grid).bins[STREAM_DIM], column = bin / line;
  i64 own[3] = {0, 0, 0}, shift[3] = {0, 0, 0};
  i32 vectors = VECTORS_LEFT(T(grid), first_vector);
  value sum[OWN][BATCH];
  (void)work;
  strengths += first_vector * T(grid).vector_points * REALS;
  cells += first_vector * T(grid).vector_cells * REALS;
  own[STREAM_DIM] = bin - column * line;
#if DIM == 2
  own[0] = column;
#elif DIM == 3
  own[1] = column / T(grid).bins[0];
  own[0] = column - own[1] * T(grid).bins[0];
#endif
  UNROLL for (int i = 0; i < OWN * BATCH; i++) sum[i / BATCH][i % BATCH] = VALUE_ZERO;
  reach rz = {own[STREAM_DIM], 0};
  do {
    shift[STREAM_DIM] = rz.shift;
#if DIM > 2
    reach ry = {own[1], 0};
    do {
      shift[1] = ry.shift;
#endif
#if DIM > 1
      reach rx = {own[0], 0};
      do {
        shift[0] = rx.shift;
#if DIM > 2
        i64 from = (ry.bin * T(grid).bins[0] + rx.bin) * line + rz.bin;
#else
        i64 from = rx.bin * line + rz.bin;
#endif
#else
    i64 from = rz.bin;
#endif
        add_bin(&T(points), &T(grid), &T(window_table), sorted, x, y, z, begin[from], begin[from + 1], shift, strengths,
                vectors, local, sum);
#if DIM > 1
      } while (reach_next(&T(grid), 0, core[0], &rx));
#endif
#if DIM > 2
    } while (reach_next(&T(grid), 1, core[1], &ry));
#endif
  } while (reach_next(&T(grid), STREAM_DIM, core[STREAM_DIM], &rz));
  UNROLL for (int q = 0; q < OWN; q++) {
    int cell = LOCAL_ID + q * TEAM_SIZE, in_plane = cell % PLANE;
    i64 l = own[STREAM_DIM] * STREAM + cell / PLANE, to = l * T(grid).stride[STREAM_DIM];
    int inside = cell < TILE && l < T(grid).n[STREAM_DIM];
    (void)in_plane;
#if DIM > 1
    l = own[0] * CORE_X + in_plane % CORE_X, to += l;
    inside = inside && l < T(grid).n[0];
#endif
#if DIM > 2
    l = own[1] * CORE_Y + in_plane / CORE_X, to += l * T(grid).stride[1];
    inside = inside && l < T(grid).n[1];
#endif
    UNROLL for (int b = 0; b < BATCH; b++) if (inside && b < vectors)
        VALUE_SET(cells, to + b * T(grid).vector_cells, sum[q][b]);
  }
}
LOCAL_SIZE_OF(spread_grid, spread_local)
