/* Times the cpu backend's set_points, spread and interp alone: CPU seconds (least of some repetitions) and cycles per
 * point. build/bin/bench_cpu_stages DIM N M WIDTH f64|f32 complex|real [uniform|clustered|line] [repetitions] [threads] [simd]
 * [index] N: fine grid, e.g. 256 or 256x240x200. Correctness is tests/spread's. */
#include "cpu/cpu.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Cycles per second of this core, from a chain of dependent additions. */
static double frequency(void) {
  double best = 1e9;
  for (int k = 0; k < 5; k++) {
    double t = now(CLOCK_THREAD_CPUTIME_ID);
    uint64_t a = 1;
    for (long i = 0; i < 10000000; i++)
      __asm__ volatile("add $1, %0" : "+r"(a));
    t = now(CLOCK_THREAD_CPUTIME_ID) - t;
    best = t < best ? t : best;
  }
  return 1e7 / best;
}

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr,
            "usage: %s DIM N M WIDTH f64|f32 complex|real [uniform|clustered|line] [repetitions] [threads] [simd] "
            "[index]\n",
            argv[0]);
    return 2;
  }
  og_grid grid = {.ndim = atoi(argv[1]), .n = {1, 1, 1}};
  const char *text = argv[2];
  for (int d = 0; d < grid.ndim; d++) {
    grid.n[d] = strtoll(text, NULL, 10);
    if (strchr(text, 'x'))
      text = strchr(text, 'x') + 1;
  }
  const int64_t m = (int64_t)atof(argv[3]);
  const int width = atoi(argv[4]);
  grid.precision = !strcmp(argv[5], "f32");
  grid.values = !strcmp(argv[6], "real");
  const char *shape = argc > 7 ? argv[7] : "uniform";
  const int repetitions = argc > 8 ? atoi(argv[8]) : 5, threads = argc > 9 ? atoi(argv[9]) : 1;
  static og_window window;
  double accuracy = 0.1; /* of the polynomials: what a plan of this width asks for */
  for (int k = 1; k < width; k++)
    accuracy *= 0.1;
  if (og_cpu_grid_layout(&grid) || og_window_make(&window, OG_PSWF, width, 2.0, 0, accuracy)) {
    fprintf(stderr, "%s\n", og_last_error());
    return 1;
  }
  og_points_setup setup = {.grid = &grid,
                           .window = &window,
                           .period = {6.283185307179586, 6.283185307179586, 6.283185307179586},
                           .threads = threads,
                           .simd = argc > 10 ? argv[10] : "auto",
                           .index_only = argc > 11};
  const size_t rb = og_real_bytes(grid.precision), cell = og_value_bytes(grid.precision, grid.values);
  void *x[3] = {0}, *strengths = malloc((size_t)m * cell), *values = malloc((size_t)m * cell), *points;
  uint64_t seed = 1;
  for (int d = 0; d < grid.ndim; d++) {
    x[d] = malloc((size_t)m * rb);
    for (int64_t i = 0; i < m; i++) {
      double u = uniform(&seed) - 0.5;
      double v = !strcmp(shape, "clustered") ? 0.1 * u + 0.1 : !strcmp(shape, "line") && d ? 0.1 : u;
      v *= 6.283185307179586;
      if (grid.precision)
        ((float *)x[d])[i] = (float)v;
      else
        ((double *)x[d])[i] = v;
    }
  }
  for (size_t i = 0; i < (size_t)m * cell / rb; i++)
    if (grid.precision)
      ((float *)strengths)[i] = (float)uniform(&seed);
    else
      ((double *)strengths)[i] = uniform(&seed);
  size_t resident, scratch;
  if (og_cpu_points_create(&setup, &points) || og_cpu_points_bytes(points, m, &resident, &scratch)) {
    fprintf(stderr, "%s\n", og_last_error());
    return 1;
  }
  void *memory = og_allocate(resident), *spare = og_allocate(scratch), *cells = og_allocate(grid.bytes);
  memset(memory, 0, resident);
  memset(spare, 0, scratch);
  memset(cells, 0, grid.bytes);
  memset(values, 0, (size_t)m * cell);
  double best[3] = {1e9, 1e9, 1e9}, wall[3] = {1e9, 1e9, 1e9};
  for (int r = 0; r < repetitions; r++)
    for (int k = 0; k < 3; k++) {
      double t = now(CLOCK_PROCESS_CPUTIME_ID), u = now(CLOCK_MONOTONIC);
      int code = k == 0   ? og_cpu_points_set(points, m, (const void *const *)x, memory, spare)
                 : k == 1 ? og_cpu_spread(points, 1, strengths, cells)
                          : og_cpu_interp(points, 1, cells, values, NULL);
      t = now(CLOCK_PROCESS_CPUTIME_ID) - t;
      u = now(CLOCK_MONOTONIC) - u;
      best[k] = t < best[k] ? t : best[k];
      wall[k] = u < wall[k] ? u : wall[k];
      if (code) {
        fprintf(stderr, "%s\n", og_last_error());
        return 1;
      }
    }
  const double hz = frequency();
  printf("%dd n=%s m=%lld w=%d degree=%d %s %s %s threads=%d %s%s:", grid.ndim, argv[2], (long long)m, width,
         window.degree, argv[5], argv[6], shape, threads, og_cpu_points_simd(points), setup.index_only ? " index" : "");
  const char *names[] = {"set", "spread", "interp"};
  for (int k = 0; k < 3; k++)
    printf("  %s %.3g s cpu %.3g wall %.0f cyc/pt", names[k], best[k], wall[k], best[k] * hz / (double)m);
  printf("  (%.2f GHz, resident %.1f scratch %.1f B/pt)\n", hz * 1e-9, (double)resident / (double)m,
         (double)scratch / (double)m);
  og_cpu_points_destroy(points);
  return 0;
}
