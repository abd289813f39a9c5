/* The list of backends and their delegation: what a table leaves NULL comes from the backend it names. */
#include "backend.h"

#include <string.h>

#include "cpu/cpu.h"
#ifdef OG_HAVE_GPU
#include "gpu/gpu.h"
#endif
#include "ref/ref.h"

static const og_backend *const backends[] = {
    &og_backend_cpu,  &og_backend_ref, /* by falling priority */
#ifdef OG_HAVE_GPU
    &og_backend_cuda, &og_backend_hip, &og_backend_opencl, &og_backend_host,
#endif
};
enum { N_BACKENDS = sizeof backends / sizeof *backends };

static const og_backend *lookup(const char *name) {
  for (int i = 0; i < N_BACKENDS; i++)
    if ((!strcmp(name, "auto") || !strcmp(name, backends[i]->name)) && backends[i]->available())
      return backends[i];
  return NULL;
}

/* lines_execute_pair is not in the list: it belongs to the engine that made the lines. */
#define FILL(entry) backend->entry = backend->entry ? backend->entry : from->entry

int og_backend_find(const char *name, og_backend *backend) {
  const og_backend *from = lookup(name);
  for (int i = 0; !from && i < N_BACKENDS; i++)
    OG_CHECK(strcmp(name, backends[i]->name), OG_ERR_BACKEND, "backend '%s' is not available here: %s", name,
             og_last_error());
  OG_CHECK(from, OG_ERR_BACKEND, "backend '%s' is unknown: want auto, cpu, ref, cuda, hip, opencl or host", name);
  *backend = *from;
  for (const char *next = from->delegate; next; next = from->delegate) {
    from = lookup(next);
    OG_CHECK(from, OG_ERR_BACKEND, "backend '%s' delegates to '%s', which is not available", name, next);
    FILL(threads);
    FILL(grid_layout);
    FILL(points_create);
    FILL(points_bytes);
    FILL(points_set);
    FILL(points_destroy);
    FILL(points_simd);
    FILL(spread);
    FILL(interp);
    FILL(lines_create);
    FILL(lines_execute);
    FILL(lines_destroy);
    FILL(modes_from_grid);
    FILL(grid_from_modes);
    FILL(multiply);
    FILL(parallel);
  }
  return OG_OK;
}

const char *og_backend_name(int i) { return i >= 0 && i < N_BACKENDS ? backends[i]->name : NULL; }

const char *og_backend_describe(int i) { return i >= 0 && i < N_BACKENDS ? backends[i]->describe() : NULL; }
