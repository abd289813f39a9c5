/* Interpolation of the ref backend: values[j] = sum_l grid[l] prod_d phi(l_d - g_jd), and its gradient, where dimension
 * d takes the window's derivative instead. Sums in double whatever the precision. */
#include "base/real.h"
#include "ref/points.h"
#include "ref/ref.h"

void OG_P(og_ref_interp)(const og_ref_points *points, const real *cells, real *values, void *const gradients[3]);

/* Sum over the stencil of cells times the weights of each dimension: part c of the value. */
static double stencil_sum(const og_ref_stencil s[3], const double *const weight[3], const real *cells, int parts,
                          int c) {
  double sum = 0;
  for (int iz = 0; iz < s[2].width; iz++)
    for (int iy = 0; iy < s[1].width; iy++)
      for (int ix = 0; ix < s[0].width; ix++)
        sum += weight[2][iz] * weight[1][iy] * weight[0][ix] *
               cells[parts * (s[2].offset[iz] + s[1].offset[iy] + s[0].offset[ix]) + c];
  return sum;
}

void OG_P(og_ref_interp)(const og_ref_points *points, const real *cells, real *values, void *const gradients[3]) {
  const og_grid *grid = points->setup.grid;
  int parts = grid->values == OG_REAL ? 1 : 2;
  og_ref_stencil s[3];
  for (int64_t j = 0; j < points->n; j++) {
    og_ref_stencils(points, j, s);
    const double *weight[3] = {s[0].weight, s[1].weight, s[2].weight};
    for (int c = 0; values && c < parts; c++)
      values[parts * j + c] = (real)stencil_sum(s, weight, cells, parts, c);
    for (int d = 0; gradients && d < grid->ndim; d++) {
      const double *varied[3] = {s[0].weight, s[1].weight, s[2].weight};
      varied[d] = s[d].derivative;
      for (int c = 0; c < parts; c++)
        ((real *)gradients[d])[parts * j + c] = (real)stencil_sum(s, varied, cells, parts, c);
    }
  }
}

#ifndef OG_SINGLE
void og_ref_interp_f32(const og_ref_points *points, const float *cells, float *values, void *const gradients[3]);

int og_ref_interp(void *handle, int64_t vectors, const void *grid, void *values, void *const gradients[3]) {
  (void)vectors;
  const og_ref_points *points = handle;
  if (points->setup.grid->precision == OG_F32)
    og_ref_interp_f32(points, grid, values, gradients);
  else
    og_ref_interp_f64(points, grid, values, gradients);
  return OG_OK;
}
#endif
