/* Interpolation as matrix products, the mirror of spread_matrix.c: for the points p of a bin
 *
 *   inner[p][(z, re or im)] = sum_(x, y) (kx[p][x] ky[p][y]) grid[(x, y)][(z, re or im)],
 *   value[p] = sum_z kz[p][z] inner[p][z]
 *
 * is a product whose inner index is the cells, four neighbours of a row at a time. The window of the grid stays in
 * registers while it moves along a column of bins; new planes are read as it comes to them.
 *
 * SWAP 0: 16 points by MATRIX_COLUMNS columns of (plane, re or im). SWAP 1, where those are 8: 8 points by 16 columns, where
 * the window's depth allows: bins of few points waste less. See matrix.h. */
#include "matrix.h"

#if SWAP
#define GROUP_POINTS 8
#define COLUMNS 16 /* of a fragment */
#define WINDOW_EACH MATRIX_A_EACH
#define WINDOW_X(lane, e) MATRIX_A_COL(lane, e)
#define WINDOW_COLUMN(lane, e) MATRIX_A_ROW(lane, e)
#define WEIGHT_EACH MATRIX_B_EACH
#define WEIGHT_X(lane, e) MATRIX_B_ROW(lane, e)
#define WEIGHT_POINT(lane, e) MATRIX_B_COL(lane, e)
#define SUM_POINT(lane, e) MATRIX_D_COL(lane, e)
#define SUM_COLUMN(lane, e) MATRIX_D_ROW(lane, e)
#define PRODUCT(sum, weight, window) MATRIX_FMA(sum, window, weight)
#else
#define GROUP_POINTS 16
#define COLUMNS MATRIX_COLUMNS
#define WINDOW_EACH MATRIX_B_EACH
#define WINDOW_X(lane, e) MATRIX_B_ROW(lane, e)
#define WINDOW_COLUMN(lane, e) MATRIX_B_COL(lane, e)
#define WEIGHT_EACH MATRIX_A_EACH
#define WEIGHT_X(lane, e) MATRIX_A_COL(lane, e)
#define WEIGHT_POINT(lane, e) MATRIX_A_ROW(lane, e)
#define SUM_POINT(lane, e) MATRIX_D_ROW(lane, e)
#define SUM_COLUMN(lane, e) MATRIX_D_COL(lane, e)
#define PRODUCT(sum, weight, window) MATRIX_FMA(sum, weight, window)
#endif
#define STACK (PLANES * REALS / COLUMNS) /* fragments that hold a cell's planes */
#define QUADS (SX / 4)

#if COMPLEX
typedef real2 cell;
#define MAKE_CELL(v) MAKE_REAL2((real)(v)[0], (real)(v)[1])
#else
typedef real cell;
#define MAKE_CELL(v) ((real)(v)[0])
#endif

/* The planes that the next bin needs are copied to local memory while this one is worked on. */
#if DIM > 1 && REALS * REAL_BYTES >= 8
#define AHEAD 1
#define AHEAD_PLANE (WARP_ROWS * SX + 4) /* cells of a plane; the rest keeps planes in different banks */
#else
#define AHEAD 0
#endif

typedef struct interp_local {
#if AHEAD
  cell planes[BATCH * WARPS * STREAM * AHEAD_PLANE];
#endif
#if PACKED
  record records[POINTS];
#endif
  u32 index[POINTS];
#if WARPS > 1
  acc part[BATCH][WARPS][POINTS * REALS];
#endif
  matrix_windows windows;
} interp_local;

typedef struct interp_place {
  GLOBAL const real *cells;
  GLOBAL real *values; /* NULL: no such vector */
  u32 column;
  int lane, first_row;
} interp_place;

/* The last `fresh` planes of the window of bin `bin`. */
DEVICE void interp_load(CONSTANT const og_k_grid *grid, const interp_place *place, i32 bin, int fresh,
                        acc window[WARP_ROWS][QUADS][STACK][WINDOW_EACH]) {
  i64 corner[3], column_x[QUADS][WINDOW_EACH];
  const int phase = PHASE(bin);
  int lane = place->lane;
  OPAQUE(lane);
  matrix_corner(grid, place->column, bin, corner);
  UNROLL for (int h = 0; h < QUADS; h++) UNROLL for (int e = 0; e < WINDOW_EACH; e++) column_x[h][e] =
      wrap(corner[0] + 4 * h + WINDOW_X(lane, e), grid->n[0]) * REALS + WINDOW_COLUMN(lane, e) % REALS;
  UNROLL for (int q = 0; q < STACK; q++) UNROLL for (int e = 0; e < WINDOW_EACH; e++) {
    const int depth = matrix_depth(q * (COLUMNS / REALS) + WINDOW_COLUMN(lane, e) / REALS, phase);
    if (depth >= PLANES - fresh) {
      GLOBAL const real *plane = place->cells;
#if DIM > 1
      plane += wrap((i64)bin * STREAM + depth, grid->n[STREAM_DIM]) * grid->stride[STREAM_DIM] * REALS;
#endif
      UNROLL for (int y = 0; y < WARP_ROWS; y++) {
        GLOBAL const real *row = plane;
#if DIM == 3
        row += wrap(corner[1] + place->first_row + y, grid->n[1]) * grid->stride[1] * REALS;
#endif
        UNROLL for (int h = 0; h < QUADS; h++) window[y][h][q][e] =
            DIM > 1 || depth == 0 ? (acc)row[column_x[h][e]] : (acc)0;
      }
    }
  }
}

#if AHEAD
/* Copies of this warp's rows of the planes that bin + 1 adds to the window of `bin`. */
DEVICE void interp_copy_ahead(CONSTANT const og_k_grid *grid, const interp_place *place, i32 bin, LOCAL cell *planes) {
  enum { ALL = STREAM * WARP_ROWS * SX };
  i64 corner[3];
  matrix_corner(grid, place->column, bin, corner);
  UNROLL_N(2) for (int r = 0; r < ALL; r += MATRIX_LANES) {
    const int i = r + place->lane, plane = i / (WARP_ROWS * SX), in_plane = i % (WARP_ROWS * SX);
    if (ALL % MATRIX_LANES == 0 || i < ALL) {
      i64 from = wrap(corner[0] + in_plane % SX, grid->n[0]) +
                 wrap((i64)bin * STREAM + PLANES + plane, grid->n[STREAM_DIM]) * grid->stride[STREAM_DIM];
#if DIM == 3
      from += wrap(corner[1] + place->first_row + in_plane / SX, grid->n[1]) * grid->stride[1];
#endif
      COPY_ASYNC(&planes[plane * AHEAD_PLANE + in_plane], (GLOBAL const cell *)place->cells + from, REALS * REAL_BYTES);
    }
  }
  COPY_COMMIT();
}

/* The window of `bin` takes them. */
DEVICE void interp_take_ahead(const interp_place *place, i32 bin, LOCAL const cell *planes,
                              acc window[WARP_ROWS][QUADS][STACK][WINDOW_EACH]) {
  const int phase = PHASE(bin);
  int lane = place->lane;
  OPAQUE(lane);
  UNROLL for (int q = 0; q < STACK; q++) UNROLL for (int e = 0; e < WINDOW_EACH; e++) {
    const int depth = matrix_depth(q * (COLUMNS / REALS) + WINDOW_COLUMN(lane, e) / REALS, phase);
    if (depth >= PLANES - STREAM) {
      LOCAL const real *from =
          (LOCAL const real *)&planes[(depth - (PLANES - STREAM)) * AHEAD_PLANE + WINDOW_X(lane, e)] +
          WINDOW_COLUMN(lane, e) % REALS;
      UNROLL for (int y = 0; y < WARP_ROWS; y++) UNROLL for (int h = 0; h < QUADS; h++) window[y][h][q][e] =
          (acc)from[(y * SX + 4 * h) * REALS];
    }
  }
}
#endif

/* Sums of a group of points over this warp's rows: out[i] for the (point, part) that `interp_holds` says. */
#if MATRIX_LANES == 1
#define OUT_EACH (GROUP_POINTS * REALS)
DEVICE int interp_holds(int lane, int i, int *point, int *part) {
  (void)lane;
  *point = i / REALS, *part = i % REALS;
  return 1;
}
DEVICE void interp_reduce(int lane, const acc *s, acc *out) {
  for (int i = 0; i < OUT_EACH; i++)
    out[i] = 0;
  for (int e = 0; e < MATRIX_D_EACH; e++)
    out[SUM_POINT(lane, e) * REALS + SUM_COLUMN(lane, e) % REALS] += s[e];
}
#else
/* Of two values per lane, both to be summed over the two lanes: each lane goes on with one. */
DEVICE acc sum_one_of_two(acc a, acc b, int mask, int second) {
  acc mine = second ? b : a, other = second ? a : b;
  return mine + SUBGROUP_XOR(other, mask);
}
#define OUT_EACH 1
#if MATRIX_COLUMNS == 16
/* A row of D lies in lanes l, l + 16, l + 32 and l + 48, its re and im next to each other in each. */
DEVICE int interp_holds(int lane, int i, int *point, int *part) {
  (void)i;
  *point = lane & 15;
  *part = COMPLEX ? lane >> 4 & 1 : 0;
  return lane < 16 * REALS;
}
DEVICE void interp_reduce(int lane, const acc *s, acc *out) {
#if COMPLEX
  acc v = sum_one_of_two(s[0] + s[2], s[1] + s[3], 16, lane >> 4 & 1);
#else
  acc v = (s[0] + s[1]) + (s[2] + s[3]);
  v += SUBGROUP_XOR(v, 16);
#endif
  out[0] = v + SUBGROUP_XOR(v, 32);
}
#elif SWAP
DEVICE int interp_holds(int lane, int i, int *point, int *part) {
  (void)i;
  *point = 2 * (lane & 3) + (lane >> (COMPLEX ? 3 : 2) & 1);
  *part = COMPLEX ? lane >> 2 & 1 : 0;
  return lane < 8 * REALS;
}
DEVICE void interp_reduce(int lane, const acc *s, acc *out) {
  acc v = sum_one_of_two(s[0] + s[2], s[1] + s[3], COMPLEX ? 8 : 4, lane >> (COMPLEX ? 3 : 2) & 1);
  if (!COMPLEX)
    v += SUBGROUP_XOR(v, 8);
  out[0] = v + SUBGROUP_XOR(v, 16);
}
#else
DEVICE int interp_holds(int lane, int i, int *point, int *part) {
  (void)i;
  *point = (lane >> 2) + 8 * (lane >> 1 & 1);
  *part = COMPLEX ? lane & 1 : 0;
  return COMPLEX || !(lane & 1);
}
DEVICE void interp_reduce(int lane, const acc *s, acc *out) {
#if COMPLEX
  acc re = sum_one_of_two(s[0], s[2], 2, lane >> 1 & 1), im = sum_one_of_two(s[1], s[3], 2, lane >> 1 & 1);
  out[0] = sum_one_of_two(re, im, 1, lane & 1);
#else
  acc v = sum_one_of_two(s[0] + s[1], s[2] + s[3], 2, lane >> 1 & 1);
  out[0] = v + SUBGROUP_XOR(v, 1);
#endif
}
#endif
#endif

/* What a lane reads of a point's windows, as pointers for a point in slot 0 that starts with the bin. */
typedef struct interp_lane {
  LOCAL const u64 *place;
  LOCAL const acc *x[WEIGHT_EACH], *y, *z[STACK][MATRIX_D_EACH];
} interp_lane;

DEVICE void interp_lane_begin(LOCAL const matrix_windows *w, u32 lane, int first_row, interp_lane *at) {
  at->place = w->place;
  UNROLL for (int e = 0; e < WEIGHT_EACH; e++) at->x[e] = w->x + WEIGHT_X(lane, e) * SLOTS;
#if DIM == 3
  at->y = w->y + first_row * SLOTS;
#endif
  (void)first_row;
}

/* The same along the stream, which differs from bin to bin. */
DEVICE void interp_lane_bin(LOCAL const matrix_windows *w, u32 lane, i32 bin, interp_lane *at) {
#if DIM > 1
  UNROLL for (int q = 0; q < STACK; q++) UNROLL for (int e = 0; e < MATRIX_D_EACH; e++) at->z[q][e] =
      w->z + matrix_depth(q * (COLUMNS / REALS) + (int)(SUM_COLUMN(lane, e) / REALS), PHASE(bin)) * SLOTS;
#else
  (void)w, (void)lane, (void)bin, (void)at;
#endif
}

DEVICE u64 interp_point_place(const interp_lane *at, int point, int end) {
  return at->place[point < end ? point : EMPTY_SLOT(point)];
}

DEVICE void interp_points(const interp_lane *at, int from, int end, u32 lane,
                          const acc window[WARP_ROWS][QUADS][STACK][WINDOW_EACH], acc *out) {
  acc sum[CHAINS][STACK][MATRIX_D_EACH], xs[QUADS][WEIGHT_EACH], s[MATRIX_D_EACH];
#if DIM == 3
  LOCAL const acc *y_of[WEIGHT_EACH];
#endif
  UNROLL for (int c = 0; c < CHAINS; c++) UNROLL for (int q = 0; q < STACK; q++)
      UNROLL for (int e = 0; e < MATRIX_D_EACH; e++) sum[c][q][e] = 0;
  UNROLL for (int e = 0; e < WEIGHT_EACH; e++) {
    const u64 place = interp_point_place(at, from + (int)WEIGHT_POINT(lane, e), end);
    LOCAL const acc *x = matrix_at(at->x[e], PLACE_X(place));
#if DIM == 3
    y_of[e] = matrix_at(at->y, PLACE_Y(place));
#endif
    UNROLL for (int h = 0; h < QUADS; h++) xs[h][e] = x[4 * h * SLOTS];
  }
  UNROLL for (int y = 0; y < WARP_ROWS; y++) {
    acc ys[WEIGHT_EACH];
    UNROLL for (int e = 0; e < WEIGHT_EACH; e++)
#if DIM == 3
        ys[e] = y_of[e][y * SLOTS];
#else
        ys[e] = 1;
#endif
    UNROLL for (int h = 0; h < QUADS; h++) {
      acc weight[WEIGHT_EACH];
      UNROLL for (int e = 0; e < WEIGHT_EACH; e++) weight[e] = xs[h][e] * ys[e];
      UNROLL for (int q = 0; q < STACK; q++) PRODUCT(sum[(y * QUADS + h) % CHAINS][q], weight, window[y][h][q]);
    }
  }
  UNROLL for (int e = 0; e < MATRIX_D_EACH; e++) {
    const u64 place = interp_point_place(at, from + (int)SUM_POINT(lane, e), end);
    s[e] = 0;
    UNROLL for (int q = 0; q < STACK; q++) {
      acc v = sum[0][q][e];
      UNROLL for (int c = 1; c < CHAINS; c++) v += sum[c][q][e];
#if DIM > 1
      s[e] = FMA(*matrix_at(at->z[q][e], PLACE_Z(place)), v, s[e]);
#else
      s[e] += v;
#endif
    }
    (void)place;
  }
  interp_reduce((int)lane, s, out);
}

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    interp_matrix(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                  GLOBAL const og_k_work *RESTRICT work, GLOBAL const void *RESTRICT sorted,
                  GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y,
                  GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT cells, GLOBAL real *RESTRICT values) {
  LOCAL_MEMORY(interp_local, local);
  const og_k_work piece = work[GROUP_ID(0)];
  const int warp = LOCAL_ID / MATRIX_LANES, vector_in_team = warp / WARPS;
  const i64 first_vector = FIRST_VECTOR(T(grid));
  const int vectors = VECTORS_LEFT(T(grid), first_vector);
  const i64 vector = first_vector + (vector_in_team < vectors ? vector_in_team : 0);
  acc window[WARP_ROWS][QUADS][STACK][WINDOW_EACH];
  matrix_walk walk;
  interp_place at;
  interp_lane lane_at;
  int fresh = PLANES; /* planes that the window has not read yet */
  if (piece.begin == piece.end)
    return;
  begin += piece.column * T(grid).bins[STREAM_DIM];
  matrix_begin(&T(grid), begin, piece.bin, &walk);
  at.column = piece.column;
  at.lane = LOCAL_ID % MATRIX_LANES;
  at.first_row = warp % WARPS * WARP_ROWS;
  at.cells = cells + vector * T(grid).vector_cells * REALS;
  at.values = vector_in_team < vectors ? values + vector * T(grid).vector_points * REALS : 0;
  UNROLL for (int i = 0; i < WARP_ROWS; i++) UNROLL for (int h = 0; h < QUADS; h++)
      UNROLL for (int q = 0; q < STACK; q++) UNROLL for (int e = 0; e < WINDOW_EACH; e++) window[i][h][q][e] = 0;
#if AHEAD
  LOCAL cell *planes = local->planes + warp * (STREAM * AHEAD_PLANE);
#endif
  interp_lane_begin(&local->windows, (u32)at.lane, at.first_row, &lane_at);
  matrix_clear(&local->windows);
#if PACKED
  UNROLL for (int r = 0; r < POINT_ROUNDS; r++) {
    const int i = POINT_OF(r);
    if (HAS_POINT(i))
      copy_record(&local->records[i], sorted, piece.begin + i < piece.end ? piece.begin + i : piece.end - 1);
  }
  COPY_COMMIT();
#endif
  for (u32 from = piece.begin; from < piece.end; from += POINTS) {
    const int count = piece.end - from < POINTS ? (int)(piece.end - from) : POINTS;
#if PACKED
    COPY_WAIT(0);
#endif
    TEAM_BARRIER();
    UNROLL for (int r = 0; r < TASK_ROUNDS; r++) {
      int i, d;
      if (matrix_task(r, &i, &d)) {
#if PACKED
        record copy = local->records[i];
        if (d == 0)
          local->index[i] = record_index(copy);
        matrix_evaluate_record(&T(window_table), copy, i, d, &local->windows);
#else
        place p;
        place_read(&T(points), sorted, x, y, z, (i64)from + (i < count ? i : count - 1), &p);
        local->index[i] = p.index;
        matrix_evaluate_point(&T(window_table), &p, i, &local->windows);
#endif
      }
    }
    TEAM_BARRIER();
#if PACKED
    UNROLL for (int r = 0; r < POINT_ROUNDS; r++) { /* the next batch's records come meanwhile */
      const int i = POINT_OF(r);
      const u32 next = from + POINTS + i;
      if (HAS_POINT(i))
        copy_record(&local->records[i], sorted, next < piece.end ? next : piece.end - 1);
    }
    COPY_COMMIT();
#endif
    for (int i = 0; i < count;) {
      while (from + i >= walk.bin_end) {
        matrix_next_bin(&T(grid), begin, &walk);
        fresh += RETIRE;
      }
      if (fresh > 0) {
#if AHEAD
        COPY_WAIT(0);
        SUBGROUP_BARRIER();
        if (fresh == STREAM)
          interp_take_ahead(&at, walk.bin, planes, window);
        else
          interp_load(&T(grid), &at, walk.bin, fresh, window);
        SUBGROUP_BARRIER();
        if (walk.bin_end < piece.end)
          interp_copy_ahead(&T(grid), &at, walk.bin, planes);
#else
        interp_load(&T(grid), &at, walk.bin, fresh, window);
#endif
        fresh = 0;
        interp_lane_bin(&local->windows, (u32)at.lane, walk.bin, &lane_at);
      }
      const int stop = walk.bin_end - from < (u32)count ? (int)(walk.bin_end - from) : count;
      for (; i < stop; i += GROUP_POINTS) {
        acc out[OUT_EACH];
        interp_points(&lane_at, i, stop, (u32)at.lane, window, out);
        for (int k = 0; k < OUT_EACH; k++) {
          int point, part;
          if (interp_holds(at.lane, k, &point, &part) && i + point < stop) {
#if WARPS > 1
            local->part[vector_in_team][warp % WARPS][(i + point) * REALS + part] = out[k];
#else
            if (at.values)
              at.values[(i64)local->index[i + point] * REALS + part] = (real)out[k];
#endif
          }
        }
      }
      i = stop;
    }
#if WARPS > 1
    TEAM_BARRIER();
    for (int k = LOCAL_ID; k < BATCH * POINTS; k += TEAM_SIZE) {
      const int v = k / POINTS, i = k % POINTS;
      if (v < vectors && i < count) {
        acc total[REALS];
        UNROLL for (int part = 0; part < REALS; part++) {
          total[part] = local->part[v][0][i * REALS + part];
          UNROLL for (int other = 1; other < WARPS; other++) total[part] += local->part[v][other][i * REALS + part];
        }
        ((GLOBAL cell *)values)[(first_vector + v) * T(grid).vector_points + local->index[i]] = MAKE_CELL(total);
      }
    }
#endif
  }
  (void)points, (void)x, (void)y, (void)z;
}
LOCAL_SIZE_OF(interp_matrix, interp_local)
