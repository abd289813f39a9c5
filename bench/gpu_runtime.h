/* For benches with arrays on a device: the CUDA runtime, opened when it is there, so that the benches build without it. */
#ifndef BENCH_GPU_RUNTIME_H
#define BENCH_GPU_RUNTIME_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
  int (*allocate)(void **, size_t), (*release)(void *), (*copy)(void *, const void *, size_t, int),
      (*synchronise)(void), (*memory)(size_t *, size_t *);
  /* streams and graphs, as the runtime's manual has them since version 12 */
  int (*stream_create)(void **, unsigned), (*stream_destroy)(void *), (*stream_finish)(void *),
      (*capture_begin)(void *, int), (*capture_end)(void *, void **),
      (*graph_instantiate)(void **, void *, unsigned long long), (*graph_launch)(void *, void *),
      (*graph_destroy)(void *), (*graph_exec_destroy)(void *);
} cuda;

static void bench_die(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

static void *bench_function(void *library, const char *name) {
  void *f = dlsym(library, name);
  if (!f)
    bench_die(name, "not in the library");
  return f;
}

static void bench_open_runtime(void) {
  void *library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
  library = library ? library : dlopen("libcudart.so.12", RTLD_NOW | RTLD_GLOBAL);
  library = library ? library : dlopen("libcudart.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    bench_die("libcudart", dlerror());
  *(void **)&cuda.allocate = bench_function(library, "cudaMalloc");
  *(void **)&cuda.release = bench_function(library, "cudaFree");
  *(void **)&cuda.copy = bench_function(library, "cudaMemcpy");
  *(void **)&cuda.synchronise = bench_function(library, "cudaDeviceSynchronize");
  *(void **)&cuda.memory = bench_function(library, "cudaMemGetInfo");
  *(void **)&cuda.stream_create = bench_function(library, "cudaStreamCreateWithFlags");
  *(void **)&cuda.stream_destroy = bench_function(library, "cudaStreamDestroy");
  *(void **)&cuda.stream_finish = bench_function(library, "cudaStreamSynchronize");
  *(void **)&cuda.capture_begin = bench_function(library, "cudaStreamBeginCapture");
  *(void **)&cuda.capture_end = bench_function(library, "cudaStreamEndCapture");
  *(void **)&cuda.graph_instantiate = bench_function(library, "cudaGraphInstantiate");
  *(void **)&cuda.graph_launch = bench_function(library, "cudaGraphLaunch");
  *(void **)&cuda.graph_destroy = bench_function(library, "cudaGraphDestroy");
  *(void **)&cuda.graph_exec_destroy = bench_function(library, "cudaGraphExecDestroy");
}

static void *bench_device_array(size_t bytes, const void *from) {
  void *array = NULL;
  if (cuda.allocate(&array, bytes ? bytes : 1))
    bench_die("device memory", "exhausted");
  if (from && cuda.copy(array, from, bytes, 4))
    bench_die("cudaMemcpy", "failed");
  return array;
}

static double bench_free_memory(void) {
  size_t available = 0, all;
  if (cuda.memory(&available, &all))
    bench_die("cudaMemGetInfo", "failed");
  return (double)available;
}

/* milliseconds */
static double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec);
}
#endif
