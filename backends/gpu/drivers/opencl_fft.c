/* The FFT of the OpenCL driver: VkFFT, in a plugin that is opened at run time (vkfft/vkfft.h). Compiled kernels are kept on disk as
 * those of the library are. */
#define _GNU_SOURCE
#include "base/hash.h"
#include "base/memory.h"
#include "gpu/cache.h"
#include "gpu/drivers/fft.h"
#include "gpu/drivers/opencl.h"
#include "gpu/drivers/vkfft/vkfft.h"
#include "offgrid.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifndef OG_PLUGIN_FOLDER /* below the prefix: cmake/gpu.cmake */
#define OG_PLUGIN_FOLDER "lib/offgrid"
#endif

enum { KEY = 65, SENTENCE = 400 };

typedef struct {
  og_opencl_device *device;
  void *plan;
} transform;

static struct {
  og_vkfft_plugin plugin;
  char why_not[512];
} here;

/* The plugin next to the file that holds this code, which may be the shared library (in lib or a folder below it) or, with the
 * static one, a program (in bin, or wherever); else where the loader looks. */
static void *open_plugin(void) {
  static const char *const places[] = {"offgrid/", "../lib/offgrid/", "../" OG_PLUGIN_FOLDER "/",
                                       "../../" OG_PLUGIN_FOLDER "/"};
  char path[4096 + 64];
  Dl_info us;
  void *library = NULL;
  int folder = 0;
  if (dladdr((void *)&here, &us) && us.dli_fname && strrchr(us.dli_fname, '/'))
    folder = (int)(strrchr(us.dli_fname, '/') - us.dli_fname);
  for (size_t i = 0; folder && !library && i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%.*s/%s%s", folder < 4000 ? folder : 0, us.dli_fname, places[i], OG_VKFFT_FILE);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return library ? library : dlopen(OG_VKFFT_FILE, RTLD_NOW | RTLD_LOCAL);
}

static void open_library(void) {
  void (*fill)(og_vkfft_plugin * plugin);
  void *library = open_plugin(), *entry = library ? dlsym(library, OG_VKFFT_ENTRY) : NULL;
  if (!library) {
    const char *reason = dlerror();
    snprintf(here.why_not, sizeof here.why_not,
             "the opencl backend's FFT is missing (it is built where VkFFT's and OpenCL's headers are): %s",
             reason ? reason : OG_VKFFT_FILE);
  } else if (!entry) {
    snprintf(here.why_not, sizeof here.why_not, "%s is of another version of offgrid", OG_VKFFT_FILE);
  } else {
    memcpy(&fill, &entry, sizeof fill);
    fill(&here.plugin);
  }
}

static int load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  OG_CHECK(!*here.why_not, OG_ERR_BACKEND, "%s", here.why_not);
  return OG_OK;
}

/* Everything that the compiled kernels depend on. */
static void key_of(const og_opencl_device *d, const og_vkfft_setup *s, char key[KEY]) {
  const uint64_t numbers[] = {here.plugin.version, (uint64_t)s->f32, (uint64_t)s->real,
                              (uint64_t)s->wide,   s->vectors,       s->vector_cells};
  unsigned char digest[32];
  og_hash hash;
  og_hash_begin(&hash);
  og_hash_add(&hash, OG_VKFFT_ENTRY, sizeof OG_VKFFT_ENTRY);
  og_hash_add(&hash, og_version(), strlen(og_version()) + 1);
  og_hash_add(&hash, d->identity, strlen(d->identity) + 1);
  og_hash_add(&hash, numbers, sizeof numbers);
  og_hash_add(&hash, s->n, sizeof s->n);
  og_hash_add(&hash, s->stride, sizeof s->stride);
  og_hash_end(&hash, digest);
  og_hash_text(digest, key);
}

static int make_plan(const og_vkfft_setup *s, void **plan) {
  char why[SENTENCE];
  int code = here.plugin.create(s, plan, why, sizeof why);
  OG_CHECK(!code, code == OG_VKFFT_NO_MEMORY ? OG_ERR_MEMORY : OG_ERR_BACKEND, "an FFT of %llu x %llu x %llu cells: %s",
           (unsigned long long)s->n[0], (unsigned long long)s->n[1], (unsigned long long)s->n[2], why);
  return OG_OK;
}

/* With the kernels from the disk, or else compiled. */
static int make(const og_opencl_device *d, og_vkfft_setup *s, void **plan) {
  char key[KEY];
  void *kept = NULL;
  const void *fresh;
  size_t bytes;
  if (d->keeps)
    return make_plan(s, plan);
  s->keep = 1;
  key_of(d, s, key);
  if (og_gpu_cache_read(key, &kept, &bytes)) {
    s->binary = kept;
    int code = make_plan(s, plan);
    s->binary = NULL;
    og_free(kept);
    if (!code)
      return OG_OK;
  }
  OG_TRY(make_plan(s, plan));
  bytes = here.plugin.binary(*plan, &fresh);
  if (bytes)
    og_gpu_cache_write(key, fresh, bytes);
  return OG_OK;
}

static int create(void *device, const og_gpu_fft_setup *setup, void **plan, size_t *work) {
  og_opencl_device *d = device;
  OG_TRY(load());
  og_vkfft_setup s = {.device = d->id,
                      .context = d->context,
                      .f32 = setup->precision == OG_F32,
                      .real = setup->values == OG_REAL,
                      .vectors = (uint64_t)setup->vectors,
                      .vector_cells = (uint64_t)setup->vector_cells};
  for (int i = 0; i < 3; i++) {
    s.n[i] = (uint64_t)setup->n[i];
    s.stride[i] = (uint64_t)setup->stride[i];
  }
  /* kernels count reals and may go past the end by a team's share */
  s.wide = s.vector_cells > (1u << 30) / s.vectors;
  transform *t = og_allocate_zeroed(sizeof *t);
  OG_CHECK(t, OG_ERR_MEMORY, "no memory for a description of an FFT");
  t->device = d;
  int code = make(d, &s, &t->plan);
  if (code) {
    og_free(t);
    return code;
  }
  *work = 0; /* what long lines need besides the grid, VkFFT takes itself */
  *plan = t;
  return OG_OK;
}

static void destroy(void *plan) {
  transform *t = plan;
  if (!t)
    return;
  here.plugin.destroy(t->plan);
  og_free(t);
}

static int execute(void *plan, void *queue, int sign, void *grid, void *work) {
  const transform *t = plan;
  char why[SENTENCE];
  void *buffer;
  size_t offset;
  (void)work;
  OG_TRY(og_opencl_buffer_of(t->device, grid, &buffer, &offset));
  int code = here.plugin.execute(t->plan, ((og_opencl_queue *)queue)->queue, sign, buffer, offset, why, sizeof why);
  OG_CHECK(!code, OG_ERR_BACKEND, "%s", why);
  return OG_OK;
}

const og_gpu_fft og_gpu_vkfft = {"vkfft", load, create, destroy, execute};
