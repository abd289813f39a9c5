/* Interpolation by a register window streamed along the last dimension, the mirror image of spread_stream.c: the window
 * holds the grid's planes, each work item sums over the cells it owns, and its sums of a chunk's points meet in local
 * memory. GRADIENT 1: the derivative in each dimension beside the value. */
#include "stream.h"

#if GRADIENT
#define SUMS (1 + DIM)
#else
#define SUMS 1
#endif
/* Points whose sums meet in local memory at once: few, to leave room for other groups, where the barrier costs nothing. */
#if TEAM_SIZE <= SUBGROUP && ACC_BYTES == 8
#define MEET 8
#else
#define MEET CHUNK
#endif
#if SUBGROUP >= 4
#define PARTS 4 /* work items that add up a point's sums together */
#else
#define PARTS 1
#endif
#define SUM_ROW (TEAM_SIZE + PARTS)

typedef struct interp_local {
  stream_weights weights;
#if GRADIENT
  stream_weights slopes;
#endif
  value sum[MEET][BATCH * SUMS][SUM_ROW];
  u32 index[CHUNK];
} interp_local;

/* The window moves up by a plane, which the grid fills. */
DEVICE void advance(CONSTANT const og_k_grid *grid, value window[OWN][DEPTH][BATCH], const i64 *place, i64 plane,
                    i32 vectors, GLOBAL const real *cells) {
  cells += wrap(plane, grid->n[STREAM_DIM]) * grid->stride[STREAM_DIM] * REALS;
  UNROLL for (int q = 0; q < OWN; q++) UNROLL for (int b = 0; b < BATCH; b++) {
    UNROLL for (int k = 0; k + 1 < DEPTH; k++) window[q][k][b] = window[q][k + 1][b];
    if (b < vectors)
      window[q][DEPTH - 1][b] = VALUE_OF(cells, place[q] + b * grid->vector_cells);
  }
}

DEVICE void read_along(LOCAL const stream_weights *weights, i32 j, acc *along) {
  UNROLL for (int k = 0; k < (DEPTH + 1) / 2; k++) {
    acc2 pair = weights->z[j][k];
    along[2 * k] = pair.x, along[2 * k + 1] = pair.y;
  }
}

/* A work item's share of point j's sums. What it owns past the footprint's end counts nothing. */
DEVICE void sum_point(value window[OWN][DEPTH][BATCH], LOCAL interp_local *local, i32 j) {
  acc along[2 * Z_PAIRS], across[OWN];
#if GRADIENT
  acc slope[2 * Z_PAIRS];
  read_along(&local->slopes, j, slope);
#endif
  read_along(&local->weights, j, along);
  owned_weights(&local->weights, j, across);
  UNROLL for (int b = 0; b < BATCH; b++) {
    value sum[SUMS];
    UNROLL for (int s = 0; s < SUMS; s++) sum[s] = VALUE_ZERO;
    UNROLL for (int q = 0; q < OWN; q++) {
      value v = VALUE_ZERO;
      acc used = LOCAL_ID + q * TEAM_SIZE < PLANE_CELLS ? (acc)1 : (acc)0;
      UNROLL for (int k = 0; k < DEPTH; k++) VALUE_FMA(v, along[k], window[q][k][b]);
      VALUE_FMA(sum[0], used * across[q], v);
#if GRADIENT
      value dv = VALUE_ZERO;
      acc dx = used * local->slopes.x[j][owned_x(q)];
      UNROLL for (int k = 0; k < DEPTH; k++) VALUE_FMA(dv, slope[k], window[q][k][b]);
      VALUE_FMA(sum[DIM], used * across[q], dv);
#if DIM == 3
      acc dy = used * local->slopes.y[j][owned_cell(q) / SX] * local->weights.x[j][owned_x(q)];
      VALUE_FMA(sum[2], dy, v);
      dx *= local->weights.y[j][owned_cell(q) / SX];
#endif
      VALUE_FMA(sum[1], dx, v);
#endif
    }
    UNROLL for (int s = 0; s < SUMS; s++) local->sum[j % MEET][b * SUMS + s][LOCAL_ID] = sum[s];
  }
}

#if PARTS > 1
#if COMPLEX
#define PART_ADD(v, mask)                                                                                              \
  do {                                                                                                                 \
    (v).x += SUBGROUP_XOR((v).x, mask);                                                                                \
    (v).y += SUBGROUP_XOR((v).y, mask);                                                                                \
  } while (0)
#else
#define PART_ADD(v, mask) ((v) += SUBGROUP_XOR(v, mask))
#endif
#else
#define PART_ADD(v, mask) ((void)0)
#endif

/* The team's sums of the points [from, to) of a chunk, added up and written; all between two multiples of MEET. */
DEVICE void write_sums(CONSTANT const og_k_points *points, CONSTANT const og_k_grid *grid,
                       LOCAL const interp_local *local, i32 from, i32 to, GLOBAL real *values, GLOBAL real *gradient_x,
                       GLOBAL real *gradient_y, GLOBAL real *gradient_z) {
  i64 first_vector = FIRST_VECTOR(*grid);
  TEAM_BARRIER();
  for (i32 i = LOCAL_ID; i < MEET * BATCH * SUMS * PARTS; i += TEAM_SIZE) {
    i32 part = i % PARTS, j = from + i / (PARTS * BATCH * SUMS), b = i / PARTS % (BATCH * SUMS) / SUMS,
        s = i / PARTS % SUMS;
    value sum = VALUE_ZERO;
    UNROLL for (i32 k = 0; k < TEAM_SIZE / PARTS; k++)
        VALUE_ADD(sum, local->sum[j % MEET][b * SUMS + s][k * PARTS + part]);
    PART_ADD(sum, 1);
    PART_ADD(sum, 2);
    if (part != 0 || j >= to || first_vector + b >= grid->vectors)
      continue;
    i64 at = (first_vector + b) * grid->vector_points + local->index[j];
    if (s == 0 && values)
      VALUE_SET(values, at, sum);
#if GRADIENT
    if (s > 0) {
      GLOBAL real *out = s == 1 ? gradient_x : s == 2 ? gradient_y : gradient_z;
      double scale = s == 1   ? points->scale[0]
                     : s == 2 ? points->scale[1]
                              : points->scale[2]; /* no array of parameters */
      VALUE_SET(out, at, VALUE_SCALE(sum, (acc)scale));
    }
#else
    (void)points, (void)gradient_x, (void)gradient_y, (void)gradient_z;
#endif
  }
  TEAM_BARRIER();
}

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    interp_stream(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                  TABLE(og_k_window, slope_table), GLOBAL const og_k_work *RESTRICT work,
                  GLOBAL const void *RESTRICT sorted, GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x,
                  GLOBAL const coord *RESTRICT y, GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT cells,
                  GLOBAL real *RESTRICT values, GLOBAL real *RESTRICT gradient_x, GLOBAL real *RESTRICT gradient_y,
                  GLOBAL real *RESTRICT gradient_z) {
  LOCAL_MEMORY(interp_local, local);
  const og_k_work piece = work[GROUP_ID(0)];
  i64 place[OWN], first_vector = FIRST_VECTOR(T(grid)), plane = (i64)piece.bin * STREAM, moved = DEPTH, end = piece.end,
                  bin_end;
  i32 vectors = VECTORS_LEFT(T(grid), first_vector);
  value window[OWN][DEPTH][BATCH];
  if (piece.begin == piece.end)
    return;
  begin += piece.column * T(grid).bins[STREAM_DIM] + piece.bin + 1;
  bin_end = *begin;
  cells += first_vector * T(grid).vector_cells * REALS;
  owned_places(&T(grid), piece.column, place);
  UNROLL for (int i = 0; i < OWN * DEPTH * BATCH; i++) window[i / (DEPTH * BATCH)][i / BATCH % DEPTH][i % BATCH] =
      VALUE_ZERO;
  for (i64 from = piece.begin; from < end; from += CHUNK) {
    i32 count = end - from < CHUNK ? (i32)(end - from) : CHUNK;
    TEAM_BARRIER();
    for (i32 j = LOCAL_ID; j < count; j += TEAM_SIZE) {
      local->index[j] = stream_evaluate(&T(points), &T(window_table), sorted, x, y, z, from + j, j, 0, &local->weights);
#if GRADIENT
      stream_evaluate(&T(points), &T(slope_table), sorted, x, y, z, from + j, j, 1, &local->slopes);
#endif
    }
    TEAM_BARRIER();
    for (i32 j = 0; j < count;) {
      for (; from + j >= bin_end; moved += STREAM, plane += STREAM)
        bin_end = *++begin;
      for (i32 k = moved < DEPTH ? DEPTH - (i32)moved : 0; k < DEPTH; k++)
        advance(&T(grid), window, place, plane + k, vectors, cells);
      moved = 0;
      i32 met = j - j % MEET, stop = met + MEET < count ? met + MEET : count;
      i32 next = bin_end - from < stop ? (i32)(bin_end - from) : stop;
      for (; j < next; j++)
        sum_point(window, local, j);
      if (j == stop)
        write_sums(&T(points), &T(grid), local, met, stop, values, gradient_x, gradient_y, gradient_z);
    }
  }
}
LOCAL_SIZE_OF(interp_stream, interp_local)
