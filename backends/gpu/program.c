/* Programs of a device: each is compiled once per process, however many threads ask, and kept until the device closes. */
#include "gpu/program.h"
#include "base/hash.h"
#include "base/memory.h"
#include "gpu/cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct loaded_kernel {
  struct loaded_kernel *next;
  void *handle;
  og_gpu_kernel_info info;
  char name[];
} loaded_kernel;

typedef struct program {
  struct program *next;
  char key[65];
  int ready; /* 0: some thread is making it */
  void *handle;
  loaded_kernel *kernels;
} program;

typedef struct og_gpu_programs {
  pthread_mutex_t lock;
  pthread_cond_t changed; /* a program became ready or was given up */
  program *first;
} og_gpu_programs;

static atomic_long compiled;
long og_gpu_programs_compiled(void) { return atomic_load(&compiled); }

og_gpu_programs *og_gpu_programs_create(void) {
  og_gpu_programs *programs = og_allocate_zeroed(sizeof *programs);
  if (!programs)
    return NULL;
  if (pthread_mutex_init(&programs->lock, NULL)) {
    og_free(programs);
    return NULL;
  }
  if (pthread_cond_init(&programs->changed, NULL)) {
    pthread_mutex_destroy(&programs->lock);
    og_free(programs);
    return NULL;
  }
  return programs;
}

void og_gpu_programs_destroy(const og_gpu_driver *driver, og_gpu_programs *programs) {
  for (program *p = programs->first, *next; p; p = next) {
    next = p->next;
    for (loaded_kernel *k = p->kernels, *after; k; k = after) {
      after = k->next;
      og_free(k);
    }
    driver->program_unload(p->handle);
    og_free(p);
  }
  pthread_cond_destroy(&programs->changed);
  pthread_mutex_destroy(&programs->lock);
  og_free(programs);
}

/* Everything that the binary depends on: the library, the driver, the architecture, the compiler, the complete source. */
static void key_of(const og_gpu_device *device, const char *source, char key[65]) {
  const char *const parts[] = {og_version(), device->driver->name, device->info.arch, device->info.version, source};
  unsigned char digest[32];
  og_hash hash;
  og_hash_begin(&hash);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    og_hash_add(&hash, parts[i], strlen(parts[i]) + 1);
  og_hash_end(&hash, digest);
  og_hash_text(digest, key);
}

static int compile(og_gpu_device *device, const char *file, const char *source, const char *key, void **handle) {
  static const char *const no_options[] = {NULL};
  void *binary = NULL;
  size_t bytes = 0;
  atomic_fetch_add(&compiled, 1);
  OG_TRY(device->driver->compile(device->handle, file, source, no_options, &binary, &bytes));
  og_gpu_cache_write(key, binary, bytes);
  int code = device->driver->program_load(device->handle, binary, bytes, handle);
  og_free(binary);
  return code;
}

/* From the disk, else compiled. A binary from the disk that does not load (made by a driver since gone) is made anew. */
static int make(og_gpu_device *device, const char *file, const char *source, program *p) {
  void *binary = NULL;
  size_t bytes = 0;
  if (og_gpu_cache_read(p->key, &binary, &bytes)) {
    int code = device->driver->program_load(device->handle, binary, bytes, &p->handle);
    og_free(binary);
    if (!code)
      return OG_OK;
  }
  return compile(device, file, source, p->key, &p->handle);
}

static program *find(og_gpu_programs *programs, const char *key) {
  program *p = programs->first;
  while (p && strcmp(p->key, key) != 0)
    p = p->next;
  return p;
}

static void forget(og_gpu_programs *programs, program *gone) {
  program **link = &programs->first;
  while (*link != gone)
    link = &(*link)->next;
  *link = gone->next;
  og_free(gone);
}

/* With the lock held, which is released while this thread compiles. Threads that find the program in the making wait;
 * when its maker fails, the next one tries, so that each gets a sentence of its own. */
static int obtain(og_gpu_device *device, const char *file, const char *source, const char *key, program **result) {
  og_gpu_programs *programs = device->programs;
  program *p;
  while ((p = find(programs, key)) && !p->ready)
    pthread_cond_wait(&programs->changed, &programs->lock);
  *result = p;
  if (p)
    return OG_OK;
  *result = p = og_allocate_zeroed(sizeof *p);
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for a program's description");
  memcpy(p->key, key, sizeof p->key);
  p->next = programs->first;
  programs->first = p;
  pthread_mutex_unlock(&programs->lock);
  int code = make(device, file, source, p);
  pthread_mutex_lock(&programs->lock);
  if (code)
    forget(programs, p);
  else
    p->ready = 1;
  pthread_cond_broadcast(&programs->changed);
  return code;
}

static int kernel_of(const og_gpu_driver *driver, program *p, const char *name, loaded_kernel **result) {
  loaded_kernel *k = p->kernels;
  while (k && strcmp(k->name, name) != 0)
    k = k->next;
  *result = k;
  if (k)
    return OG_OK;
  size_t bytes = strlen(name) + 1;
  *result = k = og_allocate_zeroed(sizeof *k + bytes);
  OG_CHECK(k, OG_ERR_MEMORY, "no memory for a kernel's description");
  memcpy(k->name, name, bytes);
  int code = driver->kernel(p->handle, name, &k->handle, &k->info);
  if (code) {
    og_free(k);
    return code;
  }
  k->next = p->kernels;
  p->kernels = k;
  return OG_OK;
}

int og_gpu_program(og_gpu_device *device, const char *file, const og_gpu_macro *macros, const char *kernel,
                   void **handle, og_gpu_kernel_info *info) {
  og_gpu_programs *programs = device->programs;
  char key[65], *source = NULL;
  program *p = NULL;
  loaded_kernel *k = NULL;
  OG_TRY(og_gpu_program_source(device->driver, file, macros, &source));
  key_of(device, source, key);
  pthread_mutex_lock(&programs->lock);
  int code = obtain(device, file, source, key, &p);
  if (!code)
    code = kernel_of(device->driver, p, kernel, &k);
  if (!code) {
    *handle = k->handle;
    if (info)
      *info = k->info;
  }
  pthread_mutex_unlock(&programs->lock);
  og_free(source);
  return code;
}
