/* Interpolation in the order of the bins: one work item per point, so that neighbouring work items read the same cells. A
 * column's points stream along the last dimension, which keeps the cells of a group in the cache. */
#include "interp_point.h"

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    interp_sorted(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                  TABLE(og_k_window, slope_table), GLOBAL const og_k_work *RESTRICT work,
                  GLOBAL const void *RESTRICT sorted, GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x,
                  GLOBAL const coord *RESTRICT y, GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT cells,
                  GLOBAL real *RESTRICT values, GLOBAL real *RESTRICT gradient_x, GLOBAL real *RESTRICT gradient_y,
                  GLOBAL real *RESTRICT gradient_z) {
  LOCAL_MEMORY(point_local, local);
  const og_k_work piece = work[GROUP_ID(0)];
  i64 first[3], column_bin = (i64)piece.column * T(grid).bins[STREAM_DIM], low = column_bin + piece.bin, high = low + 1;
  column_first(&T(grid), piece.column, first);
#if PACKED
  if (piece.begin != piece.end)
    high = bin_of(begin, low, column_bin + T(grid).bins[STREAM_DIM], (i64)piece.end - 1) + 1;
#endif
  for (i64 j = (i64)piece.begin + LOCAL_ID; j < piece.end; j += TEAM_SIZE) {
    place p;
    i32 start[3];
    place_read(&T(points), sorted, x, y, z, j, &p);
    place_starts(begin, column_bin, low, high, j, first, &p, start);
    interp_point(&T(points), &T(grid), &T(window_table), &T(slope_table), &p, start, cells, values, gradient_x,
                 gradient_y, gradient_z, local);
  }
}
LOCAL_SIZE_OF(interp_sorted, point_local)
