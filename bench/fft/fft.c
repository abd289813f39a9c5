/* Verifies and times the pruned FFT of the cpu engine, per direction, against FFTW's own transform of the whole grid:
 *
 *   bench_fft_fft 256x256x256 128x128x128 [f64|f32] [complex|real] [threads] [auto|estimate|measure] [peer]
 *
 * Times are the smallest of several, of the process's CPU time on one thread and of the clock on more. The error is
 * against FFTW's whole transform (peer) or a direct sum at a few modes. */
#include "base/memory.h"
#include "base/timer.h"
#include "cpu/cpu.h"
#include "fft/fft.h"
#include "fft/prune.h"

#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const og_backend engine = {.lines_create = og_cpu_lines_create,
                                  .lines_execute = og_cpu_lines_execute,
                                  .lines_execute_pair = og_cpu_lines_execute_pair,
                                  .lines_destroy = og_cpu_lines_destroy};

typedef struct bench {
  og_grid grid;
  int64_t n_modes[3];
  int threads, planning;
  void *memory;
} bench;

static double now(const bench *b) {
  struct timespec t;
  if (b->threads > 1)
    return og_timer_now();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int sizes(const char *text, int64_t n[3]) {
  int ndim = 0;
  n[0] = n[1] = n[2] = 1;
  for (char *end; ndim < 3; ndim++, text = end + 1) {
    n[ndim] = strtoll(text, &end, 10);
    if (n[ndim] < 1 || (*end && *end != 'x'))
      return 0;
    if (!*end)
      return ndim + 1;
  }
  return 0;
}

/* Rows and planes padded by a cache line, on cache lines. */
static void layout(og_grid *g) {
  int64_t line = (int64_t)(64 / og_value_bytes(g->precision, g->values));
  int64_t row = g->values == OG_REAL ? 2 * (g->n[0] / 2 + 1) : g->n[0];
  g->stride[0] = 1;
  g->stride[1] = (row + line - 1) / line * line + (g->ndim > 1 ? line : 0);
  g->stride[2] = g->stride[1] * g->n[1] + (g->ndim > 2 ? line : 0);
  g->bytes = (size_t)(g->stride[2] * g->n[2]) * og_value_bytes(g->precision, g->values);
}

static double value(int64_t i) { return (double)(i * 7919 % 10007) / 10007 - 0.5; }

static void put(const og_grid *g, void *memory, int64_t at, double x) {
  if (g->precision == OG_F32)
    ((float *)memory)[at] = (float)x;
  else
    ((double *)memory)[at] = x;
}

static double get(const og_grid *g, const void *memory, int64_t at) {
  return g->precision == OG_F32 ? (double)((const float *)memory)[at] : ((const double *)memory)[at];
}

static void fill(const bench *b) {
  const og_grid *g = &b->grid;
  int64_t parts = g->values == OG_REAL ? 1 : 2;
  for (int64_t z = 0; z < g->n[2]; z++)
    for (int64_t y = 0; y < g->n[1]; y++)
      for (int64_t x = 0; x < g->n[0] * parts; x++)
        put(g, b->memory, (y * g->stride[1] + z * g->stride[2]) * parts + x,
            value(x + g->n[0] * parts * (y + g->n[1] * z)));
}

/* Error of a few modes after a forward transform of fill(), relative to the transform's rms. */
static double error_of(const bench *b) {
  const og_grid *g = &b->grid;
  int64_t parts = g->values == OG_REAL ? 1 : 2, cells = g->n[0] * g->n[1] * g->n[2];
  double worst = 0, norm = 0;
  for (int64_t i = 0; i < cells * parts; i++)
    norm += value(i) * value(i);
  for (int s = 0; s < 5; s++) {
    int64_t k[3], c[3];
    for (int d = 0; d < 3; d++) {
      k[d] = (s * 1237 + d * 31) % b->n_modes[d] - b->n_modes[d] / 2;
      if (d == 0 && g->values == OG_REAL)
        k[d] = llabs(k[d]);
      c[d] = (k[d] + g->n[d]) % g->n[d];
    }
    double re = 0, im = 0, *root[3];
    for (int d = 0; d < 3; d++) {
      root[d] = malloc((size_t)g->n[d] * 2 * sizeof(double));
      for (int64_t x = 0; x < g->n[d]; x++) {
        double phase = -2 * M_PI * (double)(x * c[d] % g->n[d]) / (double)g->n[d];
        root[d][2 * x] = cos(phase);
        root[d][2 * x + 1] = sin(phase);
      }
    }
    for (int64_t z = 0; z < g->n[2]; z++)
      for (int64_t y = 0; y < g->n[1]; y++) {
        double rr = 0, ri = 0;
        for (int64_t x = 0; x < g->n[0]; x++) {
          int64_t at = (x + g->n[0] * (y + g->n[1] * z)) * parts;
          double vr = value(at), vi = parts == 2 ? value(at + 1) : 0, wr = root[0][2 * x], wi = root[0][2 * x + 1];
          rr += vr * wr - vi * wi;
          ri += vr * wi + vi * wr;
        }
        double yr = root[1][2 * y], yi = root[1][2 * y + 1], zr = root[2][2 * z], zi = root[2][2 * z + 1];
        double wr = yr * zr - yi * zi, wi = yr * zi + yi * zr;
        re += rr * wr - ri * wi;
        im += rr * wi + ri * wr;
      }
    int64_t at = (c[1] * g->stride[1] + c[2] * g->stride[2]) * parts + 2 * c[0];
    double e = hypot(get(g, b->memory, at) - re, get(g, b->memory, at + 1) - im) / sqrt(norm);
    worst = e > worst || isnan(e) ? e : worst;
    for (int d = 0; d < 3; d++)
      free(root[d]);
  }
  return worst;
}

static double peer_fftw(const bench *b, unsigned flags) {
  const og_grid *g = &b->grid;
  int n[3];
  for (int d = 0; d < g->ndim; d++)
    n[d] = (int)g->n[g->ndim - 1 - d];
  int64_t cells = g->n[0] * g->n[1] * g->n[2];
  fftw_complex *a = fftw_alloc_complex((size_t)cells);
  fftw_init_threads();
  fftw_plan_with_nthreads(b->threads);
  fftw_plan p = fftw_plan_dft(g->ndim, n, a, a, FFTW_FORWARD, flags);
  fftw_plan_with_nthreads(1);
  double best = 1e9;
  memset(a, 0, (size_t)cells * sizeof *a);
  for (int r = 0; r < 3; r++) {
    double t = now(b);
    fftw_execute(p);
    t = now(b) - t;
    best = t < best ? t : best;
  }
  fftw_destroy_plan(p);
  fftw_free(a);
  return best;
}

static void run(const og_fft *fft, int backward, void *memory) {
  if (backward ? og_fft_backward(fft, memory) : og_fft_forward(fft, memory)) {
    fprintf(stderr, "%s\n", og_last_error());
    exit(1);
  }
}

static double plan_seconds(const bench *b, og_fft **fft) {
  double t = og_timer_now();
  if (og_fft_create(fft, &engine, &b->grid, b->n_modes, -1, b->planning, b->threads, b->memory)) {
    fprintf(stderr, "%s\n", og_last_error());
    exit(1);
  }
  return og_timer_now() - t;
}

int main(int argc, char **argv) {
  bench b = {.threads = 1};
  int64_t cells = 1;
  int peer = 0;
  if (argc < 3 || !(b.grid.ndim = sizes(argv[1], b.grid.n)) || sizes(argv[2], b.n_modes) != b.grid.ndim) {
    fprintf(stderr, "usage: %s GRID MODES [f32] [real] [threads] [estimate|measure] [peer], sizes as 256x256x256\n",
            argv[0]);
    return 2;
  }
  for (int i = 3; i < argc; i++) {
    b.grid.precision |= !strcmp(argv[i], "f32");
    b.grid.values |= !strcmp(argv[i], "real");
    b.threads = atoi(argv[i]) > 0 ? atoi(argv[i]) : b.threads;
    b.planning = !strcmp(argv[i], "estimate")  ? OG_FFT_ESTIMATE
                 : !strcmp(argv[i], "measure") ? OG_FFT_MEASURE
                                               : b.planning;
    peer |= !strcmp(argv[i], "peer");
  }
  layout(&b.grid);
  b.memory = og_allocate_zeroed(b.grid.bytes);
  og_fft *fft, *second;
  double first_plan = plan_seconds(&b, &fft), second_plan = plan_seconds(&b, &second), best[2] = {1e9, 1e9};
  fill(&b);
  run(fft, 0, b.memory);
  double error = error_of(&b);
  for (int d = 0; d < 3; d++)
    cells *= b.grid.n[d];
  int inner = cells < 1 << 17 ? (1 << 20) / (int)cells + 1 : 1;
  for (int r = 0; r < 9; r++) {
    double t[3];
    memset(b.memory, 0, b.grid.bytes);
    t[0] = now(&b);
    for (int i = 0; i < inner; i++)
      run(fft, 0, b.memory);
    t[1] = now(&b);
    for (int i = 0; i < inner; i++)
      run(fft, 1, b.memory);
    t[2] = now(&b);
    for (int i = 0; i < 2; i++)
      best[i] = (t[i + 1] - t[i]) / inner < best[i] ? (t[i + 1] - t[i]) / inner : best[i];
  }
  double model = og_fft_cost(b.grid.n, b.n_modes, b.grid.values, b.grid.precision) * 1e-9;
  printf("%s -> %s %s %s %d thr: forward %.4g backward %.4g ms, model %.4g ms, error %.1e, plan %.2f ms, again %.4f ms",
         argv[1], argv[2], b.grid.precision ? "f32" : "f64", b.grid.values ? "real" : "complex", b.threads,
         best[0] * 1e3, best[1] * 1e3, model * 1e3, error, first_plan * 1e3, second_plan * 1e3);
  if (peer && !b.grid.precision && !b.grid.values)
    printf(", whole FFTW estimate %.4g ms", peer_fftw(&b, FFTW_ESTIMATE) * 1e3);
  printf("\n");
  og_fft_destroy(fft);
  og_fft_destroy(second);
  og_free(b.memory);
  return error > (b.grid.precision ? 1e-5 : 1e-13);
}
