/* Times the kernels by which a device sorts points, one by one, and checks what they made: every point once, in its bin, in
 * its place. Milliseconds, least of the repetitions.
 *
 *   build/bin/bench_gpu_sort [--driver cuda|host] [--points 8e7] [--cells 400] [--repeat 5] WIDTH TRIAL...
 *
 * TRIAL: NAME=VALUE,NAME=VALUE... of bits (32, 52: of a coordinate between the passes), slabs (1: all the scratch that is wanted; 2,
 * 3), sigma (in tenths), index, f32, order (1: points in an order near that of their bins), eighth, check; `-` for none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "gpu/points.h"

enum { KERNELS = OG_GPU_POINTS_KERNELS, MARKS = 64 };

static const char *const kernel_names[KERNELS + 1] = {"partition", "pages", "count", "offsets", "scatter",
                                                      "work",      "check", "later", "clear"};

static void need(int code, const char *what) {
  if (!code)
    return;
  fprintf(stderr, "bench_gpu_sort: %s: %s\n", what, og_last_error());
  exit(1);
}

static struct {
  const og_gpu_driver *driver;
  og_gpu_device *device;
  void *queue, *marks[MARKS];
  int kernel[MARKS], n;
} gpu;

static void watch(void *context, int kernel) {
  (void)context;
  if (kernel == KERNELS)
    gpu.n = 0;
  if (gpu.n < MARKS) {
    gpu.kernel[gpu.n] = kernel;
    need(gpu.driver->mark(gpu.queue, gpu.marks[gpu.n++]), "mark");
  }
}

static uint64_t hash(uint64_t i) {
  i += 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

static void *device_memory(size_t bytes) {
  void *memory = NULL;
  need(gpu.driver->allocate(gpu.device->handle, bytes + 1, &memory), "memory");
  return memory;
}

typedef struct problem {
  int64_t n, cells;
  int f32, order, eighth;
  char *x[3];
  void *device_x[3];
} problem;

static double coordinate(const problem *p, int d, int64_t i) {
  return p->f32 ? (double)((const float *)(void *)p->x[d])[i] : ((const double *)(void *)p->x[d])[i];
}

static void make_points(problem *p) {
  const size_t real = p->f32 ? 4 : 8;
  for (int d = 0; d < 3; d++) {
    p->x[d] = malloc((size_t)p->n * real + 1);
    if (!p->x[d])
      exit(2);
#pragma omp parallel for
    for (int64_t i = 0; i < p->n; i++) {
      double u = (double)(hash((uint64_t)(4 * i + d)) >> 11) / 9007199254740992.0;
      if (p->order && d == 1) /* the partitions' dimension: points come nearly in order */
        u = fmod((double)i / (double)p->n + 0.01 * u, 1);
      const double x = (u - 0.5) * 6.283185307179586476925 / (p->eighth ? 8 : 1);
      if (p->f32)
        ((float *)(void *)p->x[d])[i] = (float)x;
      else
        ((double *)(void *)p->x[d])[i] = x;
    }
    p->device_x[d] = device_memory((size_t)p->n * real);
    need(gpu.driver->copy(gpu.queue, p->device_x[d], p->x[d], (size_t)p->n * real), "copy");
  }
}

static void free_points(problem *p) {
  for (int d = 0; d < 3; d++) {
    gpu.driver->release(gpu.device->handle, p->device_x[d]);
    free(p->x[d]);
    p->x[d] = NULL;
  }
}

static void *fetch(const void *from, size_t bytes) {
  void *to = malloc(bytes + 1);
  if (!to)
    exit(2);
  need(gpu.driver->copy(gpu.queue, to, from, bytes), "copy");
  return to;
}

/* Number of points that are missing, twice or not where they belong; *off: largest distance in cells. */
static int64_t count_wrong(const problem *p, const og_gpu_points *points, double *off) {
  const og_gpu_sorted *s = &points->sorted;
  const og_k_points *t = &points->table;
  const size_t bytes = points->compiled.record_bytes, real = p->f32 ? 4 : 8;
  uint32_t *offsets = fetch(s->begin, (size_t)(t->n_bins + 1) * 4);
  char *records = fetch(s->records, (size_t)p->n * bytes), *seen = calloc((size_t)p->n + 1, 1);
  int64_t wrong = 0;
  double most = 0;
  if (!seen)
    exit(2);
#pragma omp parallel for reduction(+ : wrong) reduction(max : most) schedule(dynamic, 1024)
  for (int64_t bin = 0; bin < t->n_bins; bin++)
    for (uint32_t i = offsets[bin]; i < offsets[bin + 1] && i < p->n; i++) {
      const int64_t column = bin / t->bins[2], b[3] = {column % t->bins[0], column / t->bins[0], bin % t->bins[2]};
      const char *record = records + (size_t)i * bytes;
      uint32_t index;
      memcpy(&index, record + (points->packed ? 3 * real : 0), 4);
      if (index >= p->n) {
        wrong++;
        continue;
      }
#pragma omp atomic
      seen[index]++;
      for (int d = 0; d < 3; d++) {
        const double n = (double)t->n[d];
        double g = coordinate(p, d, index) * n / 6.283185307179586476925 - points->setup.window->width / 2.0, u;
        g = fmod(g + 2 * n, n);
        if (!points->packed) {
          wrong +=
              fmod(ceil(g), n) < (double)(b[d] * t->cells[d]) || fmod(ceil(g), n) >= (double)((b[d] + 1) * t->cells[d]);
          continue;
        }
        if (p->f32)
          u = (double)((const float *)(const void *)record)[d];
        else
          memcpy(&u, record + (size_t)d * 8, 8);
        double e = fabs((double)(b[d] * t->cells[d]) + floor(u) - (u - floor(u)) - g);
        e = fmin(e, fabs(e - n));
        most = fmax(most, e);
        wrong += u < 0 || u >= t->cells[d] || e > 1e-3;
      }
    }
  for (int64_t i = 0; i < p->n; i++)
    wrong += seen[i] != 1;
  wrong += offsets[0] != 0 || offsets[t->n_bins] != p->n;
  free(offsets);
  free(records);
  free(seen);
  *off = most;
  return wrong;
}

static int number(const char *text, const char *name, int otherwise) {
  const size_t length = strlen(name);
  for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (!strncmp(at, name, length) && at[length] == '=')
      return atoi(at + length + 1);
  return otherwise;
}

static void run(const problem *p, int width, const char *text, int repeat, int check) {
  og_gpu_sort_trial trial = {.stage_bits = number(text, "bits", 0), .slabs = number(text, "slabs", 0), .watch = watch};
  og_grid grid = {
      .ndim = 3, .precision = p->f32 ? OG_F32 : OG_F64, .values = OG_COMPLEX, .n = {p->cells, p->cells, p->cells}};
  static og_window window;
  window.width = width;
  window.sigma = 0.1 * number(text, "sigma", 20);
  const double period = 6.283185307179586476925;
  og_points_setup setup = {
      .grid = &grid, .window = &window, .period = {period, period, period}, .index_only = number(text, "index", 0)};
  og_gpu_methods methods;
  og_gpu_points *points;
  size_t resident_bytes, scratch_bytes = 0;
  need(og_gpu_methods_choose(&gpu.device->info, &setup, p->n, &methods), "methods");
  methods.sorted = 1;
  need(og_gpu_points_create(gpu.device, gpu.queue, &setup, &points), "points");
  points->trial = &trial;
  need(og_gpu_points_bytes(points, &methods, p->n, &resident_bytes, &scratch_bytes), "bytes");
  void *resident = device_memory(resident_bytes);
  double best = 1e9, allocation = 1e9, wall = 1e9, ms[KERNELS + 1];
  for (int k = 0; k <= KERNELS; k++)
    ms[k] = 1e9;
  for (int r = 0; r < 3; r++) { /* what taking and giving back the scratch costs */
    double t = og_timer_now();
    gpu.driver->release(gpu.device->handle, device_memory(scratch_bytes));
    t = og_timer_now() - t;
    allocation = t < allocation ? t : allocation;
  }
  void *scratch = device_memory(scratch_bytes);
  for (int r = 0; r <= repeat; r++) {
    double sum[KERNELS + 1] = {0}, all = 0, t = og_timer_now();
    const int code =
        og_gpu_points_set(points, &methods, p->n, (const void *const *)p->device_x, resident, scratch, scratch_bytes);
    t = og_timer_now() - t;
    if (code) {
      printf("%s: %s\n", text, og_last_error());
      break;
    }
    for (int i = 0; i + 1 < gpu.n; i++) {
      double seconds = 0;
      need(gpu.driver->seconds(gpu.marks[i], gpu.marks[i + 1], &seconds), "seconds");
      sum[gpu.kernel[i]] += 1e3 * seconds;
      all += 1e3 * seconds;
    }
    if (!r)
      continue; /* compiles */
    for (int k = 0; k <= KERNELS; k++)
      ms[k] = sum[k] < ms[k] ? sum[k] : ms[k];
    best = all < best ? all : best;
    wall = t < wall ? t : wall;
  }
  double off = 0;
  const int64_t wrong = check ? count_wrong(p, points, &off) : -1;
  printf("%-44s all %6.3f  wall %6.3f  scratch %5.2f B/pt (take, give back %.2f ms) |", text, best, 1e3 * wall,
         (double)scratch_bytes / (double)p->n, 1e3 * allocation);
  for (int k = 0; k <= KERNELS; k++)
    if (ms[k] > 0.0005)
      printf(" %s %.3f", kernel_names[k], ms[k]);
  if (check)
    printf(" | wrong %lld, off %.1e cells", (long long)wrong, off);
  printf("\n");
  fflush(stdout);
  og_gpu_points_destroy(points);
  gpu.driver->release(gpu.device->handle, resident);
  gpu.driver->release(gpu.device->handle, scratch);
}

int main(int argc, char **argv) {
  problem p = {.n = 80000000, .cells = 400};
  int repeat = 5, at = 1;
  gpu.driver = &og_gpu_cuda;
  for (; at < argc && !strncmp(argv[at], "--", 2); at++)
    if (at + 1 < argc && !strcmp(argv[at], "--driver"))
      gpu.driver = strcmp(argv[++at], "host") ? &og_gpu_cuda : &og_gpu_host;
    else if (at + 1 < argc && !strcmp(argv[at], "--points"))
      p.n = (int64_t)strtod(argv[++at], NULL);
    else if (at + 1 < argc && !strcmp(argv[at], "--cells"))
      p.cells = atoll(argv[++at]);
    else if (at + 1 < argc && !strcmp(argv[at], "--repeat"))
      repeat = atoi(argv[++at]);
  if (argc - at < 2) {
    fprintf(stderr, "usage: see the head of bench/gpu/sort.c\n");
    return 2;
  }
  need(og_gpu_device_open(gpu.driver, 0, &gpu.device), "device");
  need(gpu.driver->queue_create(gpu.device->handle, NULL, &gpu.queue), "queue");
  for (int i = 0; i < MARKS; i++)
    need(gpu.driver->mark_create(gpu.device->handle, &gpu.marks[i]), "mark");
  const int width = atoi(argv[at++]);
  printf("%s: width %d, %lld^3 cells, %lld points\n", gpu.device->info.name, width, (long long)p.cells, (long long)p.n);
  for (; at < argc; at++) {
    const int f32 = number(argv[at], "f32", 0), order = number(argv[at], "order", 0),
              eighth = number(argv[at], "eighth", 0);
    if (!p.x[0] || p.f32 != f32 || p.order != order || p.eighth != eighth) {
      if (p.x[0])
        free_points(&p);
      p.f32 = f32, p.order = order, p.eighth = eighth;
      make_points(&p);
    }
    run(&p, width, argv[at], repeat, number(argv[at], "check", 0));
  }
  free_points(&p);
  for (int i = 0; i < MARKS; i++)
    gpu.driver->mark_destroy(gpu.marks[i]);
  gpu.driver->queue_destroy(gpu.queue);
  og_gpu_device_close(gpu.device);
  return 0;
}
