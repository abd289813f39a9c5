/* The cpu backend: OpenMP, SIMD chosen at run time, FFTW's 1-D lines. */
#include "cpu/cpu.h"

#include <omp.h>
#include <stdio.h>

static int available(void) { return 1; }

static const char *describe(void) {
  static _Thread_local char text[96];
  const char *simd = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? "avx512"
                     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? "avx2"
                                                                                             : "generic";
  snprintf(text, sizeof text, "OpenMP with %d threads, %s, FFTW 3", omp_get_max_threads(), simd);
  return text;
}

static int settle_threads(int asked) { return asked > 0 ? asked : omp_get_max_threads(); }

void og_cpu_parallel(int threads, int64_t n, int64_t grain, void (*body)(void *context, int64_t begin, int64_t end),
                     void *context) {
  int64_t pieces = grain > 0 ? n / grain : n;
  if (pieces > threads)
    pieces = threads;
  if (pieces <= 1) {
    if (n > 0)
      body(context, 0, n);
    return;
  }
#pragma omp parallel for num_threads((int)pieces) schedule(static, 1)
  for (int64_t i = 0; i < pieces; i++)
    body(context, n * i / pieces, n * (i + 1) / pieces);
}

const og_backend og_backend_cpu = {
    .name = "cpu",
    .delegate = "ref",
    .describe = describe,
    .available = available,
    .threads = settle_threads,
    .grid_layout = og_cpu_grid_layout,
    .points_create = og_cpu_points_create,
    .points_bytes = og_cpu_points_bytes,
    .points_set = og_cpu_points_set,
    .points_destroy = og_cpu_points_destroy,
    .points_simd = og_cpu_points_simd,
    .spread = og_cpu_spread,
    .interp = og_cpu_interp,
    .lines_create = og_cpu_lines_create,
    .lines_execute = og_cpu_lines_execute,
    .lines_execute_pair = og_cpu_lines_execute_pair,
    .lines_destroy = og_cpu_lines_destroy,
    .modes_from_grid = og_cpu_modes_from_grid,
    .grid_from_modes = og_cpu_grid_from_modes,
    .multiply = og_cpu_multiply,
    .parallel = og_cpu_parallel,
};
