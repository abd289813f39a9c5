/* Spreading of sorted points on a device: grid[l] = sum_j strengths[j] prod_d phi(l_d - g_jd). */
#include "gpu/launch.h"

int og_gpu_launch_spread(og_gpu_launcher *l, const og_gpu_sorted *points, const og_gpu_vectors *vectors,
                         const void *strengths, void *grid) {
  const og_gpu_driver *driver = l->device->driver;
  og_gpu_call c;
  if (l->spread.method->clears) {
    size_t value = og_value_bytes(l->setup.grid->precision, l->setup.grid->values);
    for (int64_t v = 0; v < vectors->n; v++)
      OG_TRY(driver->fill(l->queue, (char *)grid + (size_t)(v * vectors->cells) * value, 0, l->setup.grid->bytes));
  }
  if (points->table->n_points == 0 && l->spread.method->clears)
    return OG_OK;
  OG_TRY(og_gpu_call_begin(l, &l->spread, points, 0, vectors, &c));
  c.args[c.n++] = OG_GPU_ARG(strengths);
  c.args[c.n++] = OG_GPU_ARG(grid);
  return og_gpu_call_finish(l, &l->spread, points, &c);
}
