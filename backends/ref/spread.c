/* Spreading of the ref backend: grid[l] = sum_j strengths[j] prod_d phi(l_d - g_jd), one point after the other. */
#include "base/real.h"
#include "ref/points.h"
#include "ref/ref.h"

#include <string.h>

void OG_P(og_ref_spread)(const og_ref_points *points, const real *strengths, real *cells);

/* Padding is left alone. */
static void clear(const og_grid *grid, int parts, real *cells) {
  for (int64_t z = 0; z < grid->n[2]; z++)
    for (int64_t y = 0; y < grid->n[1]; y++)
      memset(cells + parts * (z * grid->stride[2] + y * grid->stride[1]), 0,
             (size_t)(parts * grid->n[0]) * sizeof *cells);
}

void OG_P(og_ref_spread)(const og_ref_points *points, const real *strengths, real *cells) {
  const og_grid *grid = points->setup.grid;
  int parts = grid->values == OG_REAL ? 1 : 2;
  og_ref_stencil s[3];
  clear(grid, parts, cells);
  for (int64_t j = 0; j < points->n; j++) {
    og_ref_stencils(points, j, s);
    for (int iz = 0; iz < s[2].width; iz++)
      for (int iy = 0; iy < s[1].width; iy++)
        for (int ix = 0; ix < s[0].width; ix++) {
          real *cell = cells + parts * (s[2].offset[iz] + s[1].offset[iy] + s[0].offset[ix]);
          double weight = s[2].weight[iz] * s[1].weight[iy] * s[0].weight[ix];
          for (int c = 0; c < parts; c++)
            cell[c] += (real)(weight * strengths[parts * j + c]);
        }
  }
}

#ifndef OG_SINGLE
void og_ref_spread_f32(const og_ref_points *points, const float *strengths, float *cells);

int og_ref_spread(void *handle, int64_t vectors, const void *strengths, void *grid) {
  (void)vectors;
  const og_ref_points *points = handle;
  if (points->setup.grid->precision == OG_F32)
    og_ref_spread_f32(points, strengths, grid);
  else
    og_ref_spread_f64(points, strengths, grid);
  return OG_OK;
}
#endif
