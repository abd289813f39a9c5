/* The plugin: VkFFT for OpenCL behind a table. Built where VkFFT's and OpenCL's headers are (cmake/gpu.cmake). */
#include "vkfft.h"

#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* VkFFT prints what a compiler complains about; a library does not: the first line of it goes into the error's sentence. */
static _Thread_local char said[200];
static __attribute__((format(printf, 1, 2))) int note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (!*said)
    vsnprintf(said, sizeof said, format, arguments);
  va_end(arguments);
  said[strcspn(said, "\n")] = 0;
  return 0;
}

#define VKFFT_BACKEND 3
#define CL_TARGET_OPENCL_VERSION 120
#define printf(...) note(__VA_ARGS__)
#include <vkFFT.h>
#undef printf

typedef struct {
  VkFFTApplication app;
  cl_device_id device;
  cl_context context;
} transform;

/* VkFFT sets the process's locale while it writes its kernels. */
static pthread_mutex_t planning = PTHREAD_MUTEX_INITIALIZER;

static int fail(VkFFTResult result, const char *what, char *why, size_t room) {
  snprintf(why, room, "VkFFT cannot %s (code %d)%s%s", what, (int)result, *said ? ": " : "", said);
  int memory = result == VKFFT_ERROR_MALLOC_FAILED || result == VKFFT_ERROR_FAILED_TO_ALLOCATE;
  return memory ? OG_VKFFT_NO_MEMORY : OG_VKFFT_FAILED;
}

static void destroy(void *plan) {
  transform *t = plan;
  if (!t)
    return;
  deleteVkFFT(&t->app);
  free(t);
}

static void configure(const og_vkfft_setup *s, transform *t, VkFFTConfiguration *c) {
  c->device = &t->device;
  c->context = &t->context;
  c->FFTdim = s->n[2] > 1 ? 3 : s->n[1] > 1 ? 2 : 1;
  for (uint64_t d = 0; d < c->FFTdim; d++)
    c->size[d] = s->n[d];
  for (uint64_t d = 0; d < 3; d++) /* from a row, a plane, a grid to the next */
    c->bufferStride[d] = d + 1 < c->FFTdim ? s->stride[d + 1] : s->vector_cells;
  c->numberBatches = s->vectors;
  c->performR2C = (uint64_t)s->real;
  c->doublePrecision = !s->f32;
  c->useUint64 = (uint64_t)s->wide;
  c->specifyOffsetsAtLaunch = 1;
  c->saveApplicationToString = s->keep && !s->binary;
  c->loadApplicationFromString = s->binary != NULL;
  c->loadApplicationString = (void *)(uintptr_t)s->binary;
}

static int create(const og_vkfft_setup *s, void **plan, char *why, size_t room) {
  VkFFTConfiguration c;
  transform *t = calloc(1, sizeof *t);
  *said = 0;
  if (!t)
    return fail(VKFFT_ERROR_MALLOC_FAILED, "make a plan", why, room);
  t->device = s->device;
  t->context = s->context;
  memset(&c, 0, sizeof c);
  configure(s, t, &c);
  pthread_mutex_lock(&planning);
  VkFFTResult result = initializeVkFFT(&t->app, c); /* cleans up after its own errors */
  pthread_mutex_unlock(&planning);
  if (result != VKFFT_SUCCESS) {
    free(t);
    return fail(result, "make a plan", why, room);
  }
  *plan = t;
  return 0;
}

static size_t binary(void *plan, const void **kernels) {
  const transform *t = plan;
  *kernels = t->app.saveApplicationString;
  return t->app.configuration.saveApplicationToString ? (size_t)t->app.applicationStringSize : 0;
}

static int execute(void *plan, void *queue, int sign, void *buffer, uint64_t offset, char *why, size_t room) {
  transform *t = plan;
  cl_command_queue commands = queue;
  cl_mem memory = buffer;
  VkFFTLaunchParams launch;
  memset(&launch, 0, sizeof launch);
  launch.commandQueue = &commands;
  launch.buffer = &memory;
  launch.bufferOffset = offset;
  *said = 0;
  VkFFTResult result = VkFFTAppend(&t->app, sign < 0 ? -1 : 1, &launch);
  return result == VKFFT_SUCCESS ? 0 : fail(result, "run a transform", why, room);
}

/* The only symbol of this object; its name is OG_VKFFT_ENTRY. */
__attribute__((visibility("default"))) void og_vkfft_plugin_fill_1(og_vkfft_plugin *plugin);
void og_vkfft_plugin_fill_1(og_vkfft_plugin *plugin) {
  *plugin = (og_vkfft_plugin){(uint32_t)VkFFTGetVersion(), create, destroy, binary, execute};
}
