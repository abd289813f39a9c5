/* Spreading as matrix products, in double precision on the matrix units where there are any. For the points p of a bin
 *
 *   sum[(x, y)][(z, re or im)] += sum_p (kx[p][x] ky[p][y]) (kz[p][z] strength[p])
 *
 * is one product whose inner index is the points: fragments of 16 cells (TILE_X x TILE_Y) by 8 or 16 columns, which stay in
 * registers while the window moves along a column of bins; planes that no later point of it touches are added to the
 * grid. The grid is cleared before. See matrix.h.
 *
 * Ordinary double-precision instructions share the matrix units' pipe (on Hopper, mixed with matrix products, at 4 to 7
 * cycles each): what is left beside the products, the windows' evaluation and the factors, sets the time. */
#include "matrix.h"

#define TILE_Y (16 / TILE_X)
#define TILES_X (SX / TILE_X)
#define TILES_Y (WARP_ROWS / TILE_Y)
#define CELL_BYTES (REALS * REAL_BYTES)
#define STAGE_PLANE (WARP_ROWS * SX + 32 / CELL_BYTES) /* cells of a plane; the rest keeps planes in different banks */

#if COMPLEX
typedef real2 cell;
#else
typedef real cell;
#endif

typedef struct spread_local {
  cell stage[BATCH * WARPS * RETIRE * STAGE_PLANE];
#if PACKED
  record records[2 * POINTS];
  cell strengths[BATCH * POINTS];
#endif
  acc strength[BATCH * REALS * SLOTS];
  matrix_windows windows;
} spread_local;

/* What a warp adds to: its vector's grid and its share of the footprint's rows. */
typedef struct spread_place {
  GLOBAL real *cells; /* NULL: no such vector */
  i64 x, y;
  u32 column;
  int lane, first_row;
} spread_place;

/* Rows of n reals from local memory to the grid, x wrapping around its end as often as need be. */
#ifdef ROW_ADD
#define ROWS_BY_ENGINE (CELL_BYTES * X_STARTS % ROW_ADD_GRANULE == 0 && CELL_BYTES * SX % ROW_ADD_GRANULE == 0)
#else
#define ROWS_BY_ENGINE 0
#endif

DEVICE GLOBAL real *spread_row(CONSTANT const og_k_grid *grid, const spread_place *place, i64 plane, int row) {
  GLOBAL real *to = place->cells;
#if DIM > 1
  to += wrap(plane + row / WARP_ROWS, grid->n[STREAM_DIM]) * grid->stride[STREAM_DIM] * REALS;
#endif
#if DIM == 3
  to += wrap(place->y + row % WARP_ROWS, grid->n[1]) * grid->stride[1] * REALS;
#endif
  (void)grid, (void)plane, (void)row;
  return to;
}

#if DIM == 1
#define FLUSH_ROWS 1
#else
#define FLUSH_ROWS (RETIRE * WARP_ROWS)
#endif

#if ROWS_BY_ENGINE
/* 1: rows start at multiples of the engine's granule. */
DEVICE int spread_aligned(CONSTANT const og_k_grid *grid, GLOBAL const real *cells) {
  int odd = (u64)cells % ROW_ADD_GRANULE != 0;
#if CELL_BYTES < ROW_ADD_GRANULE
  odd |= grid->n[0] * CELL_BYTES % ROW_ADD_GRANULE != 0;
#if DIM > 1
  odd |= grid->stride[1] * CELL_BYTES % ROW_ADD_GRANULE != 0;
#endif
#if DIM > 2
  odd |= grid->stride[2] * CELL_BYTES % ROW_ADD_GRANULE != 0;
#endif
#endif
  (void)grid;
  return !odd;
}

DEVICE void spread_rows(CONSTANT const og_k_grid *grid, const spread_place *place, i64 plane, LOCAL const cell *stage) {
  UNROLL for (int r = 0; r < FLUSH_ROWS; r += MATRIX_LANES) {
    const int row = r + place->lane;
    if (FLUSH_ROWS % MATRIX_LANES == 0 || row < FLUSH_ROWS) {
      GLOBAL real *to = spread_row(grid, place, plane, row);
      LOCAL const cell *from = stage + row / WARP_ROWS * STAGE_PLANE + row % WARP_ROWS * SX;
      const i64 n = grid->n[0];
      i64 x = place->x;
      int left = SX;
      while (left > 0) {
        const int count = n - x < left ? (int)(n - x) : left;
        ROW_ADD(to + x * REALS, (LOCAL const real *)from, count * REALS);
        from += count, left -= count, x = 0;
      }
    }
  }
  ROW_ADD_COMMIT();
}
#endif

/* The same by atomic additions of neighbouring reals (pairs where the device adds them at once) in neighbouring lanes. */
#if defined(ATOMIC_ADD_PAIR) && COMPLEX
#define UNIT 2
#else
#define UNIT 1
#endif
DEVICE void spread_scalars(CONSTANT const og_k_grid *grid, const spread_place *place, i64 plane,
                           LOCAL const cell *stage) {
  enum { ROW_UNITS = SX * REALS / UNIT, ALL = FLUSH_ROWS * ROW_UNITS };
  UNROLL_N(4) for (int r = 0; r < ALL; r += MATRIX_LANES) {
    const int i = r + place->lane, row = i / ROW_UNITS, in_row = i % ROW_UNITS;
    if (ALL % MATRIX_LANES == 0 || i < ALL) {
      LOCAL const real *from = (LOCAL const real *)(stage + row / WARP_ROWS * STAGE_PLANE + row % WARP_ROWS * SX);
      GLOBAL real *to =
          spread_row(grid, place, plane, row) + wrap(place->x + in_row * UNIT / REALS, grid->n[0]) * REALS;
#if UNIT == 2
      ATOMIC_ADD_PAIR(to, from[2 * in_row], from[2 * in_row + 1]);
#else
      ATOMIC_ADD(to + in_row % REALS, from[in_row]);
#endif
    }
  }
}

/* The planes of bin `bin` leave the window: to the stage, in the grid's order, from there to the grid. */
DEVICE void spread_retire(CONSTANT const og_k_grid *grid, const spread_place *place, int engine, i32 bin,
                          LOCAL cell *stage, acc sum[TILES_Y][TILES_X][TILES][MATRIX_D_EACH]) {
  const int phase = PHASE(bin);
  int hidden = place->lane; /* or places in the stage would be kept in registers all the time */
  OPAQUE(hidden);
  const u32 lane = (u32)hidden;
  (void)lane, (void)engine;
#if ROWS_BY_ENGINE
  if (engine)
    ROW_ADD_WAIT();
#endif
  SUBGROUP_BARRIER();
  UNROLL for (int q = 0; q < TILES; q++) {
    int first = phase - q * PLANES_PER_TILE; /* hidden, or the compiler indexes `sum` at run time, in memory */
    OPAQUE(first);
    if (first > -RETIRE && first < PLANES_PER_TILE) {
      UNROLL for (int e = 0; e < MATRIX_D_EACH; e += REALS) {
        const int plane = (int)(MATRIX_D_COL(lane, e) / REALS) - first;
        if ((DIM > 1 || MATRIX_D_COL(lane, e) < REALS) &&
            (RETIRE % PLANES_PER_TILE == 0 || (plane >= 0 && plane < RETIRE)))
          UNROLL for (int j = 0; j < TILES_Y; j++) UNROLL for (int h = 0; h < TILES_X; h++) {
            const int x = h * TILE_X + (int)(MATRIX_D_ROW(lane, e) % TILE_X);
            const int y = j * TILE_Y + (int)(MATRIX_D_ROW(lane, e) / TILE_X);
            acc *v = &sum[j][h][q][e];
#if COMPLEX
            stage[plane * STAGE_PLANE + y * SX + x] = MAKE_REAL2((real)v[0], (real)v[1]);
            v[0] = v[1] = 0;
#else
            stage[plane * STAGE_PLANE + y * SX + x] = (real)v[0];
            v[0] = 0;
#endif
          }
      }
    }
  }
  if (!place->cells)
    return;
  spread_place here = *place;
  i64 corner[3], plane = DIM == 1 ? 0 : wrap((i64)bin * STREAM, grid->n[STREAM_DIM]);
  matrix_corner(grid, here.column, bin, corner);
  here.x = corner[0];
  here.lane = hidden;
#if DIM == 3
  here.y = corner[1] + place->first_row;
#endif
#if ROWS_BY_ENGINE
  if (engine) {
    ROW_ADD_FENCE();
    SUBGROUP_BARRIER();
    spread_rows(grid, &here, plane, stage);
    return;
  }
#endif
  SUBGROUP_BARRIER();
  spread_scalars(grid, &here, plane, stage);
}

/* What a lane reads of a point's windows, as pointers for a point in slot 0 that starts with the bin. */
typedef struct spread_lane {
  LOCAL const u64 *place;
  LOCAL const acc *x[MATRIX_A_EACH], *y[MATRIX_A_EACH], *z[TILES][MATRIX_B_EACH], *strength[MATRIX_B_EACH];
} spread_lane;

/* Fragments of four points, before cells are multiplied out; and where the four after them are. */
typedef struct spread_fragments {
  acc x[TILES_X][MATRIX_A_EACH], y[TILES_Y][MATRIX_A_EACH], z[TILES][MATRIX_B_EACH], strength[MATRIX_B_EACH];
  u64 next_a[MATRIX_A_EACH], next_b[MATRIX_B_EACH];
} spread_fragments;

DEVICE int spread_slot(int point, int end) { return point < end ? point : EMPTY_SLOT(point); }

DEVICE void spread_lane_begin(LOCAL const matrix_windows *w, LOCAL const acc *strength, u32 lane, int first_row,
                              spread_lane *at) {
  at->place = w->place;
  UNROLL for (int e = 0; e < MATRIX_A_EACH; e++) {
    at->x[e] = w->x + MATRIX_A_ROW(lane, e) % TILE_X * SLOTS;
#if DIM == 3
    at->y[e] = w->y + (first_row + MATRIX_A_ROW(lane, e) / TILE_X) * SLOTS;
#endif
  }
  UNROLL for (int e = 0; e < MATRIX_B_EACH; e++) at->strength[e] = strength + MATRIX_B_COL(lane, e) % REALS * SLOTS;
  (void)first_row;
}

/* The same along the stream, which differs from bin to bin. */
DEVICE void spread_lane_bin(LOCAL const matrix_windows *w, u32 lane, i32 bin, spread_lane *at) {
#if DIM > 1
  UNROLL for (int q = 0; q < TILES; q++) UNROLL for (int e = 0; e < MATRIX_B_EACH; e++) at->z[q][e] =
      w->z + matrix_depth(q * PLANES_PER_TILE + (int)(MATRIX_B_COL(lane, e) / REALS), PHASE(bin)) * SLOTS;
#else
  (void)w, (void)lane, (void)bin, (void)at;
#endif
}

DEVICE void spread_next(const spread_lane *at, int from, int end, u32 lane, spread_fragments *f) {
  UNROLL for (int e = 0; e < MATRIX_A_EACH; e++) f->next_a[e] =
      at->place[spread_slot(from + (int)MATRIX_A_COL(lane, e), end)];
  UNROLL for (int e = 0; e < MATRIX_B_EACH; e++) f->next_b[e] =
      at->place[spread_slot(from + (int)MATRIX_B_ROW(lane, e), end)];
}

/* The four points from `from` on, whose places have been read, and the places of the next four; past `end`: zeros. */
DEVICE void spread_load(const spread_lane *at, int from, int end, u32 lane, spread_fragments *f) {
  UNROLL for (int e = 0; e < MATRIX_A_EACH; e++) {
    LOCAL const acc *x = matrix_at(at->x[e], PLACE_X(f->next_a[e]));
    UNROLL for (int h = 0; h < TILES_X; h++) f->x[h][e] = x[h * TILE_X * SLOTS];
#if DIM == 3
    LOCAL const acc *y = matrix_at(at->y[e], PLACE_Y(f->next_a[e]));
    UNROLL for (int j = 0; j < TILES_Y; j++) f->y[j][e] = y[j * TILE_Y * SLOTS];
#else
    f->y[0][e] = 1;
#endif
  }
  UNROLL for (int e = 0; e < MATRIX_B_EACH; e++) {
    f->strength[e] = at->strength[e][spread_slot(from + (int)MATRIX_B_ROW(lane, e), end)];
    UNROLL for (int q = 0; q < TILES; q++)
#if DIM > 1
        f->z[q][e] = *matrix_at(at->z[q][e], PLACE_Z(f->next_b[e]));
#else
        f->z[q][e] = MATRIX_B_COL(lane, e) < REALS;
#endif
  }
  spread_next(at, from + 4, end, lane, f);
}

DEVICE void spread_product(const spread_fragments *f, acc sum[TILES_Y][TILES_X][TILES][MATRIX_D_EACH]) {
  acc b[TILES][MATRIX_B_EACH];
  UNROLL for (int q = 0; q < TILES; q++) UNROLL for (int e = 0; e < MATRIX_B_EACH; e++) b[q][e] =
      f->z[q][e] * f->strength[e];
  UNROLL for (int j = 0; j < TILES_Y; j++) UNROLL for (int h = 0; h < TILES_X; h++) {
    acc a[MATRIX_A_EACH];
    UNROLL for (int e = 0; e < MATRIX_A_EACH; e++) a[e] = f->x[h][e] * f->y[j][e];
    UNROLL for (int q = 0; q < TILES; q++) MATRIX_FMA(sum[j][h][q], a, b[q]);
  }
}

/* A strength goes to local memory by its parts. */
DEVICE void store_strength(cell c, LOCAL acc *to) {
#if COMPLEX
  to[0] = (acc)c.x;
  to[SLOTS] = (acc)c.y;
#else
  to[0] = (acc)c;
#endif
}

#if PACKED
DEVICE void copy_strengths(CONSTANT const og_k_grid *grid, GLOBAL const real *strengths, int vectors, u32 index,
                           LOCAL cell *to) {
  UNROLL for (int v = 0; v < BATCH; v++) if (v < vectors) {
    GLOBAL const cell *from = (GLOBAL const cell *)strengths + v * grid->vector_points + index;
#if CELL_BYTES >= 8
    COPY_ASYNC(&to[v * POINTS], from, CELL_BYTES);
#else
    to[v * POINTS] = *from;
#endif
  }
}
#endif

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    spread_matrix(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window),
                  GLOBAL const og_k_work *RESTRICT work, GLOBAL const void *RESTRICT sorted,
                  GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y,
                  GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT strengths, GLOBAL real *RESTRICT cells) {
  LOCAL_MEMORY(spread_local, local);
  const og_k_work piece = work[GROUP_ID(0)];
  const int warp = LOCAL_ID / MATRIX_LANES, vector_in_team = warp / WARPS;
  const i64 first_vector = FIRST_VECTOR(T(grid));
  const int vectors = VECTORS_LEFT(T(grid), first_vector);
  acc sum[TILES_Y][TILES_X][TILES][MATRIX_D_EACH];
  matrix_walk walk;
  spread_place place_;
  spread_lane at;
  int live = 0, engine = 0;
  if (piece.begin == piece.end)
    return;
  begin += piece.column * T(grid).bins[STREAM_DIM];
  matrix_begin(&T(grid), begin, piece.bin, &walk);
  place_.column = piece.column;
  strengths += first_vector * T(grid).vector_points * REALS;
  place_.lane = LOCAL_ID % MATRIX_LANES;
  place_.first_row = warp % WARPS * WARP_ROWS;
  place_.x = place_.y = 0;
  place_.cells = vector_in_team < vectors ? cells + (first_vector + vector_in_team) * T(grid).vector_cells * REALS : 0;
#if ROWS_BY_ENGINE
  engine = spread_aligned(&T(grid), place_.cells);
#endif
  LOCAL cell *stage = local->stage + warp * (RETIRE * STAGE_PLANE);
  LOCAL const acc *strength = local->strength + vector_in_team * (REALS * SLOTS);
  UNROLL for (int j = 0; j < TILES_Y; j++) UNROLL for (int h = 0; h < TILES_X; h++)
      UNROLL for (int q = 0; q < TILES; q++) UNROLL for (int e = 0; e < MATRIX_D_EACH; e++) sum[j][h][q][e] = 0;
  spread_lane_begin(&local->windows, strength, (u32)place_.lane, place_.first_row, &at);
  spread_lane_bin(&local->windows, (u32)place_.lane, walk.bin, &at);
  matrix_clear(&local->windows);
  for (int i = LOCAL_ID; i < BATCH * REALS * 4; i += TEAM_SIZE)
    local->strength[i / 4 * SLOTS + POINTS + i % 4] = 0;
#if PACKED
  /* Copied without waiting: records two batches ahead, strengths one. */
  int half = 0; /* of the records: this batch's */
  UNROLL for (int r = 0; r < POINT_ROUNDS; r++) {
    const int i = POINT_OF(r);
    if (HAS_POINT(i))
      copy_record(&local->records[i], sorted, piece.begin + i < piece.end ? piece.begin + i : piece.end - 1);
  }
  COPY_COMMIT();
  COPY_WAIT(0);
  UNROLL for (int r = 0; r < POINT_ROUNDS; r++) {
    const int i = POINT_OF(r);
    const u32 next = piece.begin + POINTS + i;
    if (HAS_POINT(i)) {
      copy_strengths(&T(grid), strengths, vectors, record_index(local->records[i]), &local->strengths[i]);
      copy_record(&local->records[POINTS + i], sorted, next < piece.end ? next : piece.end - 1);
    }
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
        matrix_evaluate_record(&T(window), local->records[half * POINTS + i], i, d, &local->windows);
#else
        place p;
        place_read(&T(points), sorted, x, y, z, (i64)from + (i < count ? i : count - 1), &p);
        matrix_evaluate_point(&T(window), &p, i, &local->windows);
        UNROLL for (int v = 0; v < BATCH; v++) if (v < vectors)
            store_strength(((GLOBAL const cell *)strengths)[v * T(grid).vector_points + p.index],
                           &local->strength[v * REALS * SLOTS + i]);
#endif
      }
    }
#if PACKED
    UNROLL for (int r = 0; r < POINT_ROUNDS; r++) {
      const int i = POINT_OF(r);
      if (HAS_POINT(i))
        UNROLL for (int v = 0; v < BATCH; v++) if (v < vectors)
            store_strength(local->strengths[v * POINTS + i], &local->strength[v * REALS * SLOTS + i]);
    }
#endif
    TEAM_BARRIER();
#if PACKED
    UNROLL for (int r = 0; r < POINT_ROUNDS; r++) {
      const int i = POINT_OF(r);
      const u32 next = from + 2 * POINTS + i;
      if (HAS_POINT(i)) {
        copy_strengths(&T(grid), strengths, vectors, record_index(local->records[(half ^ 1) * POINTS + i]),
                       &local->strengths[i]);
        copy_record(&local->records[half * POINTS + i], sorted, next < piece.end ? next : piece.end - 1);
      }
    }
    COPY_COMMIT();
    half ^= 1;
#endif
    for (int i = 0; i < count;) {
      if (from + i >= walk.bin_end) {
        do {
          if (live > 0) {
            spread_retire(&T(grid), &place_, engine, walk.bin, stage, sum);
            live--;
          }
          matrix_next_bin(&T(grid), begin, &walk);
        } while (from + i >= walk.bin_end);
        spread_lane_bin(&local->windows, (u32)place_.lane, walk.bin, &at);
      }
      live = PLANES / RETIRE;
      const int stop = walk.bin_end - from < (u32)count ? (int)(walk.bin_end - from) : count;
      spread_fragments now;
      spread_next(&at, i, stop, (u32)place_.lane, &now);
      spread_load(&at, i, stop, (u32)place_.lane, &now);
      for (; i < stop; i += 4) { /* reading is one step ahead of the products, and places two */
        spread_fragments next = now;
        spread_load(&at, i + 4, stop, (u32)place_.lane, &next);
        spread_product(&now, sum);
        now = next;
      }
      i = stop;
    }
  }
  for (; live > 0; live--) {
    spread_retire(&T(grid), &place_, engine, walk.bin, stage, sum);
    walk.bin++;
  }
#if ROWS_BY_ENGINE
  if (engine)
    ROW_ADD_FINISH();
#endif
  (void)points, (void)x, (void)y, (void)z, (void)engine;
}
LOCAL_SIZE_OF(spread_matrix, spread_local)
