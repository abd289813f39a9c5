/* Spreading of sorted points on a device: grid[l] = sum_j strengths[j] prod_d phi(l_d - g_jd). */
#include "gpu/launch.h"

static int launch(og_gpu_launcher *l, const og_gpu_kernel *kernel, const og_gpu_sorted *points,
                  const og_gpu_vectors *vectors, const void *strengths, void *grid) {
  og_gpu_call c;
  if (vectors->first == vectors->n)
    return OG_OK;
  OG_TRY(og_gpu_call_begin(l, kernel, points, 0, vectors, &c));
  c.args[c.n++] = OG_GPU_ARG(strengths);
  c.args[c.n++] = OG_GPU_ARG(grid);
  return og_gpu_call_finish(l, kernel, points, &c);
}

int og_gpu_launch_spread(og_gpu_launcher *l, const og_gpu_sorted *points, const og_gpu_vectors *vectors,
                         const void *strengths, void *grid) {
  const og_gpu_driver *driver = l->device->driver;
  const og_grid *g = l->setup.grid;
  const size_t step = (size_t)vectors->cells * og_value_bytes(g->precision, g->values);
  if (l->spread.method->clears) {
    const int packed = step == g->bytes; /* nothing lies between them */
    for (int64_t v = 0; v < (packed ? 1 : vectors->n); v++)
      OG_TRY(driver->fill(l->queue, (char *)grid + (size_t)v * step, 0, packed ? (size_t)vectors->n * step : g->bytes));
  }
  if (points->table->n_points == 0 && l->spread.method->clears)
    return OG_OK;
  og_gpu_vectors whole = *vectors, rest = *vectors;
  whole.n = rest.first = vectors->n - vectors->n % l->spread.method->batch;
  OG_TRY(launch(l, &l->spread, points, &whole, strengths, grid));
  return launch(l, &l->rest, points, &rest, strengths, grid);
}
