/* Interpolation at sorted points on a device: values[j] = sum_l grid[l] prod_d phi(l_d - g_jd), and its gradient. */
#include "gpu/launch.h"

#include <string.h>

int og_gpu_launch_interp(og_gpu_launcher *l, const og_gpu_sorted *points, const og_gpu_vectors *vectors,
                         const void *grid, void *values, void *const gradients[3]) {
  const og_gpu_kernel *kernel = gradients ? &l->gradient : &l->interp;
  int matrix = !strcmp(kernel->method->name, "matrix");
  void *const none[3] = {NULL, NULL, NULL}, *const *out = gradients ? gradients : none;
  og_gpu_call c;
  OG_CHECK(kernel->handle, OG_ERR_ARGUMENT, "the points were not made for gradients");
  if (points->table->n_points == 0)
    return OG_OK;
  OG_TRY(og_gpu_call_begin(l, kernel, points, !matrix, vectors, &c));
  c.args[c.n++] = OG_GPU_ARG(grid);
  c.args[c.n++] = OG_GPU_ARG(values);
  for (int d = 0; d < 3 && !matrix; d++)
    c.args[c.n++] = OG_GPU_ARG(out[d]);
  return og_gpu_call_finish(l, kernel, points, &c);
}
