/* Spreading into a column's padded tile in local memory, two and three dimensions. Two work items never meet in a cell: one
 * owns all cells of a residue class, (x mod WIDTH, y mod WIDTH), of which every stencil holds exactly one (per plane). So
 * WIDTH^2 work items are busy with every point, and points follow each other without atomics or barriers. In three
 * dimensions with narrow windows the classes are those of all three coordinates.
 *
 * The tile is as deep as a bin's points reach along the stream, and circular: when the points go on to the next bin, the
 * planes that are finished are added to the grid and cleared. The grid is cleared before. */
#include "place.h"

#define SX (CORE_X + WIDTH - 1)
#if DIM == 3
#define SY (CORE_Y + WIDTH - 1)
#else
#define SY 1
#endif
#define DEPTH (STREAM + WIDTH - 1)
#define PLANE_CELLS (SX * SY)
#define RUNS (DIM == 3 && WIDTH > 3) /* a work item adds a run of WIDTH planes; otherwise single cells */
#define CLASSES (DIM == 2 || RUNS ? WIDTH * WIDTH : WIDTH * WIDTH * WIDTH)

typedef struct tile_point {
  u32 offset, residue; /* of the start from the bin's first, and that modulo WIDTH: a byte per dimension */
} tile_point;

typedef struct spread_local {
  value tile[DEPTH * PLANE_CELLS * BATCH];
  value strength[CHUNK][BATCH];
  acc weight[CHUNK][(DIM * WIDTH) | 1];
  tile_point point[CHUNK];
} spread_local;

/* Planes that no later point touches: added to the grid and cleared; neighbours add neighbouring numbers of a row. */
DEVICE void retire(CONSTANT const og_k_grid *grid, LOCAL spread_local *local, const i64 *first, i64 plane, int depth,
                   i32 planes, i32 vectors, GLOBAL real *cells) {
  i64 line = grid->n[STREAM_DIM], stride = grid->stride[STREAM_DIM];
  TEAM_BARRIER();
  for (i32 i = LOCAL_ID; i < planes * PLANE_CELLS * REALS; i += TEAM_SIZE) {
    i32 k = i / (PLANE_CELLS * REALS), in_plane = i / REALS % PLANE_CELLS, from = depth + k;
    i64 cell = wrap(plane + k, line) * stride + wrap(first[0] + in_plane % SX, grid->n[0]);
#if DIM == 3
    cell += wrap(first[1] + in_plane / SX, grid->n[1]) * grid->stride[1];
#endif
    from -= from >= DEPTH ? DEPTH : 0;
    LOCAL acc *tile = (LOCAL acc *)(local->tile + (from * PLANE_CELLS + in_plane) * BATCH) + i % REALS;
    UNROLL for (int b = 0; b < BATCH; b++) {
      if (b < vectors)
        ATOMIC_ADD(cells + (cell + b * grid->vector_cells) * REALS + i % REALS, (real)tile[b * REALS]);
      tile[b * REALS] = 0;
    }
  }
  TEAM_BARRIER();
}

/* The place in the stencil of the one cell of a class, from the start's residue. */
DEVICE int class_place(int residue, int start_residue) {
  int i = residue - start_residue;
  return i < 0 ? i + WIDTH : i;
}

/* A class's share of point j; depth: where in the tile the bin's first plane is. */
DEVICE void add_point(LOCAL spread_local *local, i32 j, int owner, int depth) {
  tile_point p = local->point[j];
  LOCAL const acc *weight = local->weight[j];
  int ix = class_place(owner % WIDTH, (int)(p.residue & 255)), cell = (int)(p.offset & 255) + ix;
  int plane = depth + (int)(p.offset >> 16);
  acc w = weight[ix];
#if DIM == 3
  int iy = class_place(owner / WIDTH % WIDTH, (int)(p.residue >> 8 & 255));
  cell += ((int)(p.offset >> 8 & 255) + iy) * SX;
  w *= weight[WIDTH + iy];
#endif
#if RUNS
  plane -= plane >= DEPTH ? DEPTH : 0;
  UNROLL for (int b = 0; b < BATCH; b++) {
    value v = VALUE_SCALE(local->strength[j][b], w);
    int k_plane = plane;
    UNROLL for (int k = 0; k < WIDTH; k++) {
      LOCAL value *to = &local->tile[(k_plane * PLANE_CELLS + cell) * BATCH + b];
      value sum = *to;
      VALUE_FMA(sum, weight[2 * WIDTH + k], v);
      *to = sum;
      k_plane = k_plane + 1 == DEPTH ? 0 : k_plane + 1;
    }
  }
#else
  int iz = class_place(owner / (CLASSES / WIDTH), (int)(p.residue >> 16));
  plane += iz;
  plane -= plane >= DEPTH ? DEPTH : 0;
  w *= weight[STREAM_DIM * WIDTH + iz];
  UNROLL for (int b = 0; b < BATCH; b++) {
    LOCAL value *to = &local->tile[(plane * PLANE_CELLS + cell) * BATCH + b];
    value sum = *to;
    VALUE_FMA(sum, w, local->strength[j][b]);
    *to = sum;
  }
#endif
}

DEVICE void evaluate(CONSTANT const og_k_window *window, const place *p, LOCAL acc *weight, LOCAL tile_point *point) {
  tile_point local = {0, 0};
  UNROLL for (int d = 0; d < DIM; d++) {
    acc w[WIDTH];
    window_values(window, p->t[d], w);
    UNROLL for (int i = 0; i < WIDTH; i++) weight[d * WIDTH + i] = w[i];
    int shift = d == STREAM_DIM ? 16 : 8 * d;
    local.offset |= (u32)p->offset[d] << shift;
    local.residue |= (u32)(p->offset[d] % WIDTH) << shift;
  }
  *point = local;
}

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    spread_tiled(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                 GLOBAL const og_k_work *RESTRICT work, GLOBAL const void *RESTRICT sorted,
                 GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y,
                 GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT strengths, GLOBAL real *RESTRICT cells) {
  LOCAL_MEMORY(spread_local, local);
  const og_k_work piece = work[GROUP_ID(0)];
  i64 first[3], first_vector = FIRST_VECTOR(T(grid)), plane = (i64)piece.bin * STREAM, end = piece.end, bin_end;
  i32 vectors = VECTORS_LEFT(T(grid), first_vector), depth = 0;
  if (piece.begin == piece.end)
    return;
  begin += piece.column * T(grid).bins[STREAM_DIM] + piece.bin + 1;
  bin_end = *begin;
  strengths += first_vector * T(grid).vector_points * REALS;
  cells += first_vector * T(grid).vector_cells * REALS;
  column_first(&T(grid), piece.column, first);
  for (i32 i = LOCAL_ID; i < DEPTH * PLANE_CELLS * BATCH; i += TEAM_SIZE)
    local->tile[i] = VALUE_ZERO;
  for (i64 from = piece.begin; from < end; from += CHUNK) {
    i32 count = end - from < CHUNK ? (i32)(end - from) : CHUNK;
    TEAM_BARRIER();
    for (i32 j = LOCAL_ID; j < count; j += TEAM_SIZE) {
      place p;
      place_read(&T(points), sorted, x, y, z, from + j, &p);
      evaluate(&T(window_table), &p, local->weight[j], &local->point[j]);
      UNROLL for (int b = 0; b < BATCH; b++) local->strength[j][b] =
          b < vectors ? VALUE_OF(strengths, p.index + b * T(grid).vector_points) : VALUE_ZERO;
    }
    TEAM_BARRIER();
    for (i32 j = 0; j < count;) {
      i64 moved = 0;
      for (; from + j >= bin_end; moved += STREAM)
        bin_end = *++begin;
      if (moved) {
        i32 planes = moved < DEPTH ? (i32)moved : DEPTH;
        retire(&T(grid), local, first, plane, depth, planes, vectors, cells);
        plane += moved;
        depth = (depth + planes) % DEPTH;
      }
      i32 stop = bin_end - from < count ? (i32)(bin_end - from) : count;
      for (; j < stop; j++)
        for (int owner = LOCAL_ID; owner < CLASSES; owner += TEAM_SIZE)
          add_point(local, j, owner, depth);
    }
  }
  retire(&T(grid), local, first, plane, depth, DEPTH, vectors, cells);
}
LOCAL_SIZE_OF(spread_tiled, spread_local)
