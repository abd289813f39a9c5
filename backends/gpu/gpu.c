/* The gpu backend's tables, one per driver, and what of them is the driver's alone: devices, memory, marks. */
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "gpu/drivers/fft.h"

static int grid_layout(og_grid *grid) {
  const int64_t row = grid->values == OG_REAL ? 2 * (grid->n[0] / 2 + 1) : grid->n[0];
  const size_t cell = og_value_bytes(grid->precision, grid->values);
  int64_t plane, cells;
  size_t bytes;
  OG_CHECK(!__builtin_mul_overflow(row, grid->n[1], &plane) && !__builtin_mul_overflow(plane, grid->n[2], &cells) &&
               !__builtin_mul_overflow((size_t)cells, cell, &bytes) && bytes < SIZE_MAX / 4,
           OG_ERR_SIZE, "a fine grid of %lld x %lld x %lld cells overflows the address space", (long long)grid->n[0],
           (long long)grid->n[1], (long long)grid->n[2]);
  grid->stride[0] = 1;
  grid->stride[1] = row;
  grid->stride[2] = plane;
  grid->bytes = og_round_up(bytes, 256); /* the grids of a batch are aligned alike, as kernels of OpenCL want it */
  return OG_OK;
}

static void context_close(void *opened) {
  og_gpu_context *c = opened;
  if (!c)
    return;
  for (int i = 0; i < OG_MARKS; i++)
    if (c->marks[i])
      c->device->driver->mark_destroy(c->marks[i]);
  if (c->queue)
    c->device->driver->queue_destroy(c->queue);
  og_gpu_device_close(c->device);
  og_free(c);
}

static int context_fill(og_gpu_context *c, const og_gpu_driver *driver, int number, int64_t stream) {
  OG_TRY(og_gpu_device_open(driver, number, &c->device));
  OG_TRY(driver->queue_create(c->device->handle, (void *)(intptr_t)stream, &c->queue)); /* NOLINT: an address */
  for (int i = 0; i < OG_MARKS; i++)
    OG_TRY(driver->mark_create(c->device->handle, &c->marks[i]));
  return OG_OK;
}

static int context_open(const og_gpu_driver *driver, int number, int64_t stream, void **opened) {
  og_gpu_context *c = og_allocate_zeroed(sizeof *c);
  OG_CHECK(c, OG_ERR_MEMORY, "no memory for a device's context");
  int code = context_fill(c, driver, number, stream);
  if (code)
    context_close(c);
  else
    *opened = c;
  return code;
}

static int allocate(void *device, size_t bytes, void **memory) {
  const og_gpu_context *c = device;
  return c->device->driver->allocate(c->device->handle, bytes ? bytes : 1, memory);
}

static void release(void *device, void *memory) {
  const og_gpu_context *c = device;
  c->device->driver->release(c->device->handle, memory);
}

static int copy(void *device, void *to, const void *from, size_t bytes) {
  const og_gpu_context *c = device;
  return c->device->driver->copy(c->queue, to, from, bytes);
}

static int zero(void *device, void *memory, size_t bytes) {
  const og_gpu_context *c = device;
  return c->device->driver->fill(c->queue, memory, 0, bytes);
}

static int finish(void *device) {
  const og_gpu_context *c = device;
  return c->device->driver->finish(c->queue);
}

static int on_host(void *device, const void *memory) {
  const og_gpu_context *c = device;
  return c->device->driver->place(c->device->handle, memory) == OG_GPU_HOST_MEMORY;
}

static int mark(void *device, int i) {
  const og_gpu_context *c = device;
  return c->device->driver->mark(c->queue, c->marks[i]);
}

static int seconds(void *device, int from, int to, double *out) {
  const og_gpu_context *c = device;
  return c->device->driver->seconds(c->marks[from], c->marks[to], out);
}

static int one_thread(int asked) { return asked > 0 ? asked : 1; }

/* A driver is there when its library opens and has a device; asked once. */
static int has_device(const og_gpu_driver *driver) {
  int devices = 0;
  if (driver->load() != OG_OK || driver->count(&devices) != OG_OK)
    return 0;
  if (!devices)
    og_error_set(OG_ERR_BACKEND, driver->name, "%s finds no device on this machine", driver->name);
  return devices > 0;
}

static const char *describe_driver(const og_gpu_driver *driver) {
  static _Thread_local char text[640];
  og_gpu_device *device;
  if (og_gpu_device_open(driver, 0, &device))
    snprintf(text, sizeof text, "no device: %.500s", og_last_error());
  else {
    const int fft = !driver->fft || driver->fft->load() == OG_OK;
    snprintf(text, sizeof text, "%s, %s, %.0f MB of memory%s%.300s", device->info.name, device->info.arch,
             (double)device->info.memory_bytes / 1e6, fft ? "" : "; no FFT: ", fft ? "" : og_last_error());
    og_gpu_device_close(device);
  }
  return text;
}

#define TABLE(driver_, delegate_, fft_create_, fft_execute_, fft_destroy_)                                             \
  static int open_##driver_(int number, int64_t stream, void **device) {                                               \
    return context_open(&og_gpu_##driver_, number, stream, device);                                                    \
  }                                                                                                                    \
  static int available_##driver_(void) { return has_device(&og_gpu_##driver_); }                                       \
  static const char *describe_##driver_(void) { return describe_driver(&og_gpu_##driver_); }                           \
  const og_backend og_backend_##driver_ = {.name = #driver_,                                                           \
                                           .delegate = delegate_,                                                      \
                                           .describe = describe_##driver_,                                             \
                                           .available = available_##driver_,                                           \
                                           .threads = one_thread,                                                      \
                                           .grid_layout = grid_layout,                                                 \
                                           .points_create = og_gpu_stages_create,                                      \
                                           .points_bytes = og_gpu_stages_bytes,                                        \
                                           .points_set = og_gpu_stages_set,                                            \
                                           .points_destroy = og_gpu_stages_destroy,                                    \
                                           .points_simd = og_gpu_stages_arch,                                          \
                                           .spread = og_gpu_stages_spread,                                             \
                                           .interp = og_gpu_stages_interp,                                             \
                                           .modes_from_grid = og_gpu_modes_from_grid,                                  \
                                           .grid_from_modes = og_gpu_grid_from_modes,                                  \
                                           .multiply = og_gpu_multiply,                                                \
                                           .device_open = open_##driver_,                                              \
                                           .device_close = context_close,                                              \
                                           .allocate = allocate,                                                       \
                                           .release = release,                                                         \
                                           .copy = copy,                                                               \
                                           .zero = zero,                                                               \
                                           .finish = finish,                                                           \
                                           .on_host = on_host,                                                         \
                                           .mark = mark,                                                               \
                                           .seconds = seconds,                                                         \
                                           .fft_create = fft_create_,                                                  \
                                           .fft_execute = fft_execute_,                                                \
                                           .fft_destroy = fft_destroy_};

/* The host's memory is everybody's: its FFT is the cpu backend's lines. */
TABLE(host, "cpu", NULL, NULL, NULL)
TABLE(cuda, "ref", og_gpu_fft_create, og_gpu_fft_execute, og_gpu_fft_destroy)
TABLE(hip, "ref", og_gpu_fft_create, og_gpu_fft_execute, og_gpu_fft_destroy)
TABLE(opencl, "ref", og_gpu_fft_create, og_gpu_fft_execute, og_gpu_fft_destroy)
