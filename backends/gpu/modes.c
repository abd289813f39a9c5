/* Launches the kernels between the fine spectrum and the modes (kernels/modes.c). */
#include "gpu/gpu.h"

#include <string.h>

#include "gpu/args.h"

static int find(og_gpu_context *c, const char *name, int real_bytes, void **kernel, og_gpu_kernel_info *info) {
  const og_gpu_macro macros[] = {{"REAL_BYTES", real_bytes}, {"ACC_BYTES", 8}, {"COORD_BYTES", real_bytes}, {NULL, 0}};
  int i = 0;
  for (; i < OG_GPU_MODES_KERNELS && c->kernels[i].name; i++)
    if (c->kernels[i].real_bytes == real_bytes && !strcmp(c->kernels[i].name, name)) {
      *kernel = c->kernels[i].handle;
      *info = c->kernels[i].info;
      return OG_OK;
    }
  OG_TRY(og_gpu_program(c->device, "modes.c", macros, name, kernel, info));
  if (i < OG_GPU_MODES_KERNELS) {
    c->kernels[i].real_bytes = real_bytes;
    c->kernels[i].handle = *kernel;
    c->kernels[i].info = *info;
    c->kernels[i].name = name;
  }
  return OG_OK;
}

static int launch(const og_modes_setup *s, const char *name, int64_t row, int64_t rows, int64_t vectors, og_k_modes *a,
                  const og_gpu_arg *rest, int n_rest) {
  og_gpu_context *c = s->device;
  const og_gpu_driver *driver = c->device->driver;
  void *kernel;
  og_gpu_kernel_info info;
  OG_TRY(find(c, name, (int)og_real_bytes(s->grid->precision), &kernel, &info));
  int team = row > 128 ? 256 : row > 64 ? 128 : row > 32 ? 64 : 32;
  team = team > info.max_team && info.max_team > 0 ? info.max_team : team;
  a->stretch = row < 4 * team ? row : 4 * team;
  a->stretches = (row + a->stretch - 1) / a->stretch;
  og_gpu_arg args[8] = {{a, sizeof *a, 0}};
  for (int i = 0; i < n_rest; i++)
    args[1 + i] = rest[i];
  const int64_t groups[3] = {rows * a->stretches, vectors, 1};
  return driver->launch(c->queue, kernel, groups, team, 1 + n_rest, args);
}

/* FFT libraries take it for granted that a real grid's spectrum is Hermitian where both halves are stored; the cpu backend's
 * lines, which serve the host driver, instead read the kept cells alone, and so must find all of a mode in its own cell. */
static int wants_hermitian(const og_modes_setup *s) {
  const og_gpu_context *c = s->device;
  return s->grid->values == OG_REAL && c->device->driver->fft;
}

static og_k_modes describe(const og_modes_setup *s) {
  const og_grid *g = s->grid;
  const int real = g->values == OG_REAL;
  const int64_t nyquist = s->n_modes[0] / 2;
  og_k_modes a = {.all_modes = s->kept[0] * s->kept[1] * s->kept[2],
                  .vector_cells = (int64_t)(g->bytes / og_value_bytes(g->precision, OG_COMPLEX)),
                  .row_cells = real ? g->n[0] / 2 + 1 : g->n[0],
                  .halved = real && s->n_modes[0] % 2 == 0 && 2 * nyquist < g->n[0] ? nyquist : -1,
                  .ascending = s->mode_order == OG_ORDER_ASCENDING,
                  .half = real,
                  .conjugate = s->conjugate,
                  .hermitian = wants_hermitian(s)};
  for (int d = 0; d < 3; d++) {
    a.modes[d] = s->n_modes[d];
    a.kept[d] = s->kept[d];
    a.cells[d] = g->n[d];
    a.stride[d] = d && real ? g->stride[d] / 2 : g->stride[d];
  }
  return a;
}

int og_gpu_modes_from_grid(const og_modes_setup *s, int64_t vectors, const void *grid, void *modes) {
  og_k_modes a = describe(s);
  a.vector_modes = a.all_modes;
  const og_gpu_arg rest[] = {OG_GPU_ARG(s->factor[0]), OG_GPU_ARG(s->factor[1]), OG_GPU_ARG(s->factor[2]),
                             OG_GPU_ARG(grid), OG_GPU_ARG(modes)};
  return launch(s, "modes_from_grid", s->kept[0], s->kept[1] * s->kept[2], vectors, &a, rest, 5);
}

int og_gpu_grid_from_modes(const og_modes_setup *s, int64_t vectors, int64_t n, const void *multipliers,
                           const void *modes, void *grid) {
  og_k_modes a = describe(s);
  a.multiplied = multipliers != NULL;
  a.vector_modes = multipliers ? 0 : a.all_modes;
  const void *times = multipliers ? multipliers : modes; /* an address must be one, also where it is not read */
  const og_gpu_arg rest[] = {
      OG_GPU_ARG(s->factor[0]), OG_GPU_ARG(s->factor[1]), OG_GPU_ARG(s->factor[2]), OG_GPU_ARG(n),
      OG_GPU_ARG(times),        OG_GPU_ARG(modes),        OG_GPU_ARG(grid)};
  return launch(s, "grid_from_modes", a.row_cells, s->grid->n[1] * s->grid->n[2], vectors, &a, rest, 7);
}

int og_gpu_multiply(void *device, int precision, int threads, int64_t vectors, int64_t n, int conjugate,
                    const void *factor, const void *in, void *out) {
  og_gpu_context *c = device;
  const int team = c->device->info.max_team < 256 ? 1 : 256;
  void *kernel;
  og_gpu_kernel_info info;
  int32_t conjugated = conjugate;
  (void)threads;
  if (!n)
    return OG_OK;
  OG_TRY(find(c, "multiply", (int)og_real_bytes(precision), &kernel, &info));
  const int64_t most = (int64_t)c->device->info.units * 32, wanted = (n + team - 1) / team;
  const int64_t groups[3] = {wanted < most ? wanted : most, vectors, 1};
  const og_gpu_arg args[] = {OG_GPU_ARG(n), OG_GPU_ARG(conjugated), OG_GPU_ARG(factor), OG_GPU_ARG(in),
                             OG_GPU_ARG(out)};
  return c->device->driver->launch(c->queue, kernel, groups, team, 5, args);
}
