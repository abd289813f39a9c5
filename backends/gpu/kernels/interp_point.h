/* Interpolation by one work item per point: what interp_direct.c and interp_sorted.c share. GRADIENT 1: the derivatives
 * beside the value, in the same pass over the cells. A point's weights along x lie in registers, the others in local
 * memory, so that the loops over them stay loops at every width. */
#ifndef OG_INTERP_POINT_H
#define OG_INTERP_POINT_H
#include "place.h"

#if GRADIENT
#define KINDS 2 /* of weights: values and slopes */
#define SUMS (1 + DIM)
#else
#define KINDS 1
#define SUMS 1
#endif

typedef struct point_local {
#if DIM > 1
  acc weight[KINDS][DIM - 1][WIDTH][TEAM_SIZE];
#else
  u32 unused;
#endif
} point_local;

/* Sums along a row of cells: [0] with the weights, [1] with the slopes. n: cells of the row until it wraps around. */
DEVICE void sum_row(GLOBAL const real *row, i64 start, i64 n, acc weight[KINDS][WIDTH], value *sum) {
  UNROLL for (int s = 0; s < KINDS; s++) sum[s] = VALUE_ZERO;
  if (start + WIDTH <= n) {
    UNROLL for (int i = 0; i < WIDTH; i++) {
      value cell = VALUE_OF(row, start + i);
      UNROLL for (int s = 0; s < KINDS; s++) VALUE_FMA(sum[s], weight[s][i], cell);
    }
  } else {
    UNROLL for (int i = 0; i < WIDTH; i++) {
      value cell = VALUE_OF(row, wrap(start + i, n));
      UNROLL for (int s = 0; s < KINDS; s++) VALUE_FMA(sum[s], weight[s][i], cell);
    }
  }
}

/* sum[0]: the value, sum[1 + d]: the derivative in dimension d. */
DEVICE void sum_stencil(CONSTANT const og_k_grid *grid, GLOBAL const real *cells, const i32 *start,
                        acc weight[KINDS][WIDTH], LOCAL const point_local *local, value *sum) {
#if DIM == 1
  sum_row(cells, start[0], grid->n[0], weight, sum);
#else
  UNROLL for (int s = 0; s < SUMS; s++) sum[s] = VALUE_ZERO;
#if DIM == 3
  UNROLL_N(1) for (int k = 0; k < WIDTH; k++) {
    GLOBAL const real *plane = cells + wrap(start[2] + k, grid->n[2]) * grid->stride[2] * REALS;
    value in_plane[SUMS];
    UNROLL for (int s = 0; s < SUMS; s++) in_plane[s] = VALUE_ZERO;
#else
  GLOBAL const real *plane = cells;
  value *in_plane = sum;
#endif
    UNROLL_N(1) for (int j = 0; j < WIDTH; j++) {
      value row[KINDS];
      sum_row(plane + wrap(start[1] + j, grid->n[1]) * grid->stride[1] * REALS, start[0], grid->n[0], weight, row);
      VALUE_FMA(in_plane[0], local->weight[0][0][j][LOCAL_ID], row[0]);
#if GRADIENT
      VALUE_FMA(in_plane[1], local->weight[0][0][j][LOCAL_ID], row[1]);
      VALUE_FMA(in_plane[2], local->weight[1][0][j][LOCAL_ID], row[0]);
#endif
    }
#if DIM == 3
    VALUE_FMA(sum[0], local->weight[0][1][k][LOCAL_ID], in_plane[0]);
#if GRADIENT
    VALUE_FMA(sum[1], local->weight[0][1][k][LOCAL_ID], in_plane[1]);
    VALUE_FMA(sum[2], local->weight[0][1][k][LOCAL_ID], in_plane[2]);
    VALUE_FMA(sum[3], local->weight[1][1][k][LOCAL_ID], in_plane[0]);
#endif
  }
#endif
#endif
}

/* The point with stencil starts `start`. */
DEVICE void interp_point(CONSTANT const og_k_points *points, CONSTANT const og_k_grid *grid,
                         CONSTANT const og_k_window *window, CONSTANT const og_k_window *slopes, const place *p,
                         const i32 *start, GLOBAL const real *cells, GLOBAL real *values, GLOBAL real *gradient_x,
                         GLOBAL real *gradient_y, GLOBAL real *gradient_z, LOCAL point_local *local) {
  acc weight[KINDS][WIDTH];
  UNROLL for (int s = 0; s < KINDS; s++) {
    UNROLL for (int d = DIM - 1; d >= 0; d--) {
      stencil_weights(s ? slopes : window, s, p->t[d], weight[s]);
#if DIM > 1
      if (d > 0)
        UNROLL for (int i = 0; i < WIDTH; i++) local->weight[s][d - 1][i][LOCAL_ID] = weight[s][i];
#endif
    }
  }
  i64 first = FIRST_VECTOR(*grid);
  i32 vectors = VECTORS_LEFT(*grid, first);
  for (i32 b = 0; b < vectors; b++) {
    value sum[SUMS];
    i64 to = (first + b) * grid->vector_points + p->index;
    sum_stencil(grid, cells + (first + b) * grid->vector_cells * REALS, start, weight, local, sum);
    if (values)
      VALUE_SET(values, to, sum[0]);
#if GRADIENT
    VALUE_SET(gradient_x, to, VALUE_SCALE(sum[1], (acc)points->scale[0]));
#if DIM > 1
    VALUE_SET(gradient_y, to, VALUE_SCALE(sum[2], (acc)points->scale[1]));
#endif
#if DIM > 2
    VALUE_SET(gradient_z, to, VALUE_SCALE(sum[3], (acc)points->scale[2]));
#endif
#endif
  }
#if !GRADIENT
  (void)points, (void)slopes, (void)gradient_x, (void)gradient_y, (void)gradient_z;
#endif
}
#endif
