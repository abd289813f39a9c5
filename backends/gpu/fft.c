/* The FFT of a whole grid by the driver's FFT library. */
#include "gpu/drivers/fft.h"

#include "base/memory.h"
#include "gpu/gpu.h"

typedef struct {
  const og_gpu_fft *library;
  void *queue, *plan;
  int sign;
} whole;

int og_gpu_fft_create(void *device, const og_grid *grid, int sign, void **fft, size_t *scratch) {
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
  setup.vector_cells = setup.stride[2] * setup.n[2];
  whole *w = og_allocate_zeroed(sizeof *w);
  OG_CHECK(w, OG_ERR_MEMORY, "no memory for an FFT's plan");
  w->library = library;
  w->queue = c->queue;
  w->sign = real ? -1 : sign;
  int code = library->create(c->device->handle, &setup, &w->plan, scratch);
  if (code)
    og_free(w);
  else
    *fft = w;
  return code;
}

int og_gpu_fft_execute(void *fft, int backward, void *grid, void *scratch) {
  const whole *w = fft;
  return w->library->execute(w->plan, w->queue, backward ? -w->sign : w->sign, grid, scratch);
}

void og_gpu_fft_destroy(void *fft) {
  whole *w = fft;
  if (!w)
    return;
  w->library->destroy(w->plan);
  og_free(w);
}
