/* See launch.h; spread.c and interp.c have the calls. Nothing allocates, compiles or waits once the launcher is made, but for
 * drivers that want tables in device memory: there a call with another number of vectors than the last one sends a new table. */
#include "gpu/launch.h"

#include <string.h>

/* Places in `tables`. */
enum { GRID_AT = 0, WINDOW_AT = 256, SLOPE_AT = 2048, TABLE_BYTES = 4096 };

/* Even and odd powers, highest first: see og_k_window. */
static void fill_terms(const og_window *window, const double coef[][OG_MAX_WIDTH], double *terms, float *single) {
  int degree = window->degree, n = 0;
  for (int i = 0; i < (window->width + 1) / 2; i++)
    for (int odd = 0; odd < 2; odd++)
      for (int k = degree - ((degree ^ odd) & 1); k >= 0; k -= 2)
        terms[n++] = coef[k][i];
  for (int i = 0; i < n; i++)
    single[i] = (float)terms[i];
}

static int make_kernel(og_gpu_launcher *l, const og_gpu_method *method, int packed, og_gpu_kernel *kernel) {
  og_gpu_macro macros[OG_GPU_METHOD_MACROS];
  og_gpu_kernel_info info;
  kernel->method = method;
  og_gpu_method_macros(&l->methods, method, &l->setup, packed, macros);
  OG_TRY(og_gpu_program(l->device, method->file, macros, method->kernel, &kernel->handle, &info));
  OG_CHECK(info.local_bytes < 0 || (size_t)info.local_bytes <= l->device->info.local_bytes, OG_ERR_OPTION,
           "method %s at width %d needs %d bytes of local memory; %s has %zu", method->name, l->window.width,
           info.local_bytes, l->device->info.name, l->device->info.local_bytes);
  OG_CHECK(info.max_team <= 0 || method->team <= info.max_team, OG_ERR_BACKEND,
           "method %s wants %d work items in a group, %s can have %d of this kernel", method->name, method->team,
           l->device->info.name, info.max_team);
  return OG_OK;
}

/* A method whose chunk of points is too large for the device's local memory gets a smaller one. */
static int fit_kernel(og_gpu_launcher *l, og_gpu_method *method, int packed, og_gpu_kernel *kernel) {
  int code = make_kernel(l, method, packed, kernel);
  while (code == OG_ERR_OPTION && method->chunk > 4 && strcmp(method->name, "direct") != 0 &&
         strcmp(method->name, "sorted") != 0) {
    method->chunk /= 2;
    code = make_kernel(l, method, packed, kernel);
  }
  return code;
}

static int send_tables(og_gpu_launcher *l) {
  const og_gpu_driver *driver = l->device->driver;
  if (driver->table_by_value)
    return OG_OK;
  if (!l->tables)
    OG_TRY(driver->allocate(l->device->handle, (size_t)3 * TABLE_BYTES, &l->tables));
  /* spread, interp and gradient may differ in their arithmetic */
  const og_gpu_kernel *kernels[3] = {&l->spread, &l->interp, &l->gradient};
  for (int i = 0; i < 3; i++) {
    if (!kernels[i]->handle)
      continue;
    int single = kernels[i]->method->acc_bytes == 4;
    size_t bytes = single ? sizeof l->single_terms[0] : sizeof l->terms[0];
    char *table = (char *)l->tables + (size_t)i * TABLE_BYTES;
    for (int slope = 0; slope < 2; slope++)
      OG_TRY(driver->copy(l->queue, table + (slope ? SLOPE_AT : WINDOW_AT),
                          single ? (const void *)l->single_terms[slope] : l->terms[slope], bytes));
  }
  memset(&l->grid, 0, sizeof l->grid);
  return OG_OK;
}

int og_gpu_launcher_make(og_gpu_launcher *l, og_gpu_device *device, void *queue, const og_points_setup *setup,
                         const og_gpu_methods *methods, int packed) {
  l->device = device, l->queue = queue, l->setup = *setup, l->asked = l->methods = *methods;
  l->window = *setup->window;
  l->setup.window = &l->window;
  if (setup->evaluation == OG_EVALUATE_DIRECT)
    og_window_fit(&l->window, 0, setup->gradient);
  fill_terms(&l->window, (const double(*)[OG_MAX_WIDTH])l->window.coef, l->terms[0], l->single_terms[0]);
  fill_terms(&l->window, (const double(*)[OG_MAX_WIDTH])l->window.derivative, l->terms[1], l->single_terms[1]);
  l->gradient.handle = NULL;
  OG_TRY(fit_kernel(l, &l->methods.spread, packed, &l->spread));
  l->spread_rest = l->methods.spread;
  og_gpu_method_share(&l->spread_rest, 1);
  l->rest = l->spread;
  if (l->methods.spread.batch > 1)
    OG_TRY(fit_kernel(l, &l->spread_rest, packed, &l->rest));
  OG_TRY(fit_kernel(l, &l->methods.interp, packed, &l->interp));
  if (setup->gradient)
    OG_TRY(fit_kernel(l, &l->methods.gradient, packed, &l->gradient));
  return send_tables(l);
}

void og_gpu_launcher_free(og_gpu_launcher *l) {
  if (l->tables)
    l->device->driver->release(l->device->handle, l->tables);
  l->tables = NULL;
}

static og_k_grid describe(const og_gpu_launcher *l, const og_gpu_vectors *vectors) {
  const og_grid *g = l->setup.grid;
  og_k_grid grid = {.first_vector = vectors->first,
                    .vectors = vectors->n,
                    .vector_points = vectors->points,
                    .vector_cells = vectors->cells};
  for (int d = 0; d < 3; d++) {
    grid.n[d] = g->n[d];
    grid.stride[d] = g->stride[d];
    grid.cells[d] = l->methods.cells[d];
    grid.bins[d] = (g->n[d] + grid.cells[d] - 1) / grid.cells[d];
  }
  return grid;
}

static void add_table(const og_gpu_launcher *l, og_gpu_call *c, const void *value, size_t bytes, int i) {
  c->args[c->n++] = l->device->driver->table_by_value ? (og_gpu_arg){value, bytes, 0} : OG_GPU_ARG(c->address[i]);
}

int og_gpu_call_begin(og_gpu_launcher *l, const og_gpu_kernel *kernel, const og_gpu_sorted *points, int slopes,
                      const og_gpu_vectors *vectors, og_gpu_call *c) {
  const og_gpu_driver *driver = l->device->driver;
  int single = kernel->method->acc_bytes == 4, i = kernel == &l->interp ? 1 : kernel == &l->gradient ? 2 : 0;
  c->n = 0;
  c->grid = describe(l, vectors);
  if (!driver->table_by_value) {
    char *own = (char *)l->tables + (size_t)i * TABLE_BYTES;
    if (memcmp(&l->grid, &c->grid, sizeof c->grid) != 0)
      OG_TRY(driver->copy(l->queue, (char *)l->tables + GRID_AT, &c->grid, sizeof c->grid));
    l->grid = c->grid;
    c->address[0] = points->table_address;
    c->address[1] = (char *)l->tables + GRID_AT;
    c->address[2] = own + WINDOW_AT;
    c->address[3] = own + SLOPE_AT;
  }
  add_table(l, c, points->table, sizeof *points->table, 0);
  add_table(l, c, &c->grid, sizeof c->grid, 1);
  for (int slope = 0; slope <= slopes; slope++)
    add_table(l, c, single ? (const void *)l->single_terms[slope] : l->terms[slope],
              single ? sizeof l->single_terms[slope] : sizeof l->terms[slope], 2 + slope);
  c->args[c->n++] = OG_GPU_ARG(points->work);
  c->args[c->n++] = OG_GPU_ARG(points->records);
  c->args[c->n++] = OG_GPU_ARG(points->begin);
  for (int d = 0; d < 3; d++)
    c->args[c->n++] = OG_GPU_ARG(points->x[d]);
  return OG_OK;
}

int og_gpu_call_finish(const og_gpu_launcher *l, const og_gpu_kernel *kernel, const og_gpu_sorted *points,
                       og_gpu_call *c) {
  const og_gpu_method *m = kernel->method;
  int64_t n = points->table->n_points, vectors = c->grid.vectors - c->grid.first_vector;
  int64_t groups[3] = {og_gpu_method_groups(m, n, points->n_work, points->table->n_bins), 1,
                       (vectors + m->batch - 1) / m->batch};
  if (groups[0] == 0 || groups[2] == 0)
    return OG_OK;
  return l->device->driver->launch(l->queue, kernel->handle, groups, m->team, c->n, c->args);
}
