/* The FFT of whole grids by the driver's FFT library: of a batch at once by one plan, of fewer than that
 * one after the other. */
#include "gpu/drivers/fft.h"

#include "base/memory.h"
#include "gpu/gpu.h"

typedef struct {
  const og_gpu_fft *library;
  void *queue, *one, *all; /* all: NULL, or the plan for `vectors` grids */
  int64_t vectors;
  size_t grid_bytes;
  int sign;
} whole;

static int make_plans(whole *w, const og_gpu_context *c, og_gpu_fft_setup *setup, size_t *scratch) {
  size_t batched = 0;
  OG_TRY(w->library->create(c->device->handle, setup, &w->one, scratch));
  if (w->vectors == 1)
    return OG_OK;
  setup->vectors = w->vectors;
  OG_TRY(w->library->create(c->device->handle, setup, &w->all, &batched));
  *scratch = *scratch > batched ? *scratch : batched;
  return OG_OK;
}

int og_gpu_fft_create(void *device, const og_grid *grid, int64_t vectors, int sign, void **fft, size_t *scratch) {
  const og_gpu_context *c = device;
  const og_gpu_fft *library = c->device->driver->fft;
  const int real = grid->values == OG_REAL;
  OG_CHECK(library, OG_ERR_BACKEND, "driver %s has no FFT library", c->device->driver->name);
  OG_TRY(library->load());
  og_gpu_fft_setup setup = {.precision = grid->precision, .values = grid->values, .vectors = 1};
  for (int d = 0; d < 3; d++) {
    setup.n[d] = grid->n[d];
    setup.stride[d] = d && real ? grid->stride[d] / 2 : grid->stride[d];
  }
  setup.vector_cells = (int64_t)(grid->bytes / og_value_bytes(grid->precision, OG_COMPLEX));
  whole *w = og_allocate_zeroed(sizeof *w);
  OG_CHECK(w, OG_ERR_MEMORY, "no memory for an FFT's plan");
  w->library = library;
  w->queue = c->queue;
  w->sign = real ? -1 : sign;
  w->vectors = vectors;
  w->grid_bytes = grid->bytes;
  int code = make_plans(w, c, &setup, scratch);
  if (code)
    og_gpu_fft_destroy(w);
  else
    *fft = w;
  return code;
}

int og_gpu_fft_execute(void *fft, int backward, int64_t vectors, void *grid, void *scratch) {
  const whole *w = fft;
  const int sign = backward ? -w->sign : w->sign;
  if (w->all && vectors == w->vectors)
    return w->library->execute(w->all, w->queue, sign, grid, scratch);
  for (int64_t v = 0; v < vectors; v++)
    OG_TRY(w->library->execute(w->one, w->queue, sign, (char *)grid + (size_t)v * w->grid_bytes, scratch));
  return OG_OK;
}

void og_gpu_fft_destroy(void *fft) {
  whole *w = fft;
  if (!w)
    return;
  if (w->all)
    w->library->destroy(w->all);
  if (w->one)
    w->library->destroy(w->one);
  og_free(w);
}
