/* Interpolation in the caller's order: one work item per point, no sort needed. */
#define SORTED 0
#include "interp_point.h"

KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, GROUPS_PER_UNIT)
    interp_direct(TABLE(og_k_points, points), TABLE(og_k_grid, grid), TABLE(og_k_window, window_table),
                  TABLE(og_k_window, slope_table), GLOBAL const og_k_work *RESTRICT work,
                  GLOBAL const void *RESTRICT sorted, GLOBAL const u32 *RESTRICT begin, GLOBAL const coord *RESTRICT x,
                  GLOBAL const coord *RESTRICT y, GLOBAL const coord *RESTRICT z, GLOBAL const real *RESTRICT cells,
                  GLOBAL real *RESTRICT values, GLOBAL real *RESTRICT gradient_x, GLOBAL real *RESTRICT gradient_y,
                  GLOBAL real *RESTRICT gradient_z) {
  LOCAL_MEMORY(point_local, local);
  i64 j = GROUP_ID(0) * TEAM_SIZE + LOCAL_ID;
  place p;
  (void)work, (void)begin;
  if (j >= T(points).n_points)
    return;
  place_read(&T(points), sorted, x, y, z, j, &p);
  interp_point(&T(points), &T(grid), &T(window_table), &T(slope_table), &p, p.start, cells, values, gradient_x,
               gradient_y, gradient_z, local);
}
LOCAL_SIZE_OF(interp_direct, point_local)
