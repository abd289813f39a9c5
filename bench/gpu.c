/* One transform on a GPU with device arrays: verifies a sample against the direct sum, then times set_points and execute,
 * in turn with cuFINUFFT (each of its methods) where its library is given. Medians; milliseconds.
 *
 *   build/bin/bench_gpu [--peer libcufinufft.so] [--peer-method 1|2|3] [--repeat 5] [--vectors 1] [--option NAME=VALUE]... [--spread-only]
 *                       TYPE MODES POINTS TOL f64|f32 complex|real uniform|eighth|blobs|line
 *   build/bin/bench_gpu --peer libcufinufft.so type1 256x256x256 1.68e8 1e-4 f64 complex uniform
 *
 * --spread-only: MODES is the fine grid, and only spreading or interpolation is done; the error is then the difference
 * from the simplest method, each point by itself in the caller's order. eighth: all points in 1/512 of the volume. Needs
 * libcudart for the arrays. */
#include "gpu_runtime.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offgrid.h"

enum { MAX_REPEAT = 99, SAMPLES = 12 };

/* ---- the problem */

typedef struct {
  int type, ndim, f32, real, spread_only, repeat;
  int64_t n[3], cells, kept, points, vectors;
  double tolerance;
  const char *distribution;
  double *x[3], *strengths, *modes; /* on the host, double; complex */
  void *device_x[3], *device_values, *device_modes;
} problem;

static uint64_t hash(uint64_t i) {
  i += 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}
static double random_at(uint64_t i) { return (double)(hash(i) >> 11) / 9007199254740992.0; }

static double coordinate(const problem *p, int64_t i, int d) {
  const double u = random_at((uint64_t)(4 * i + d)), pi = 3.14159265358979323846;
  if (!strcmp(p->distribution, "eighth"))
    return -pi + 2 * pi * u / 8;
  if (!strcmp(p->distribution, "line"))
    return -pi + 2 * pi * random_at((uint64_t)(4 * i)) + 1e-3 * u;
  if (!strcmp(p->distribution, "blobs")) {
    double centre = 2 * pi * random_at((uint64_t)(1000 + i % 16 * 3 + d) << 32);
    return centre + 0.15 * sqrt(-2 * log(1 - u)) * cos(2 * pi * random_at((uint64_t)(4 * i + d) ^ 0x5555555555u));
  }
  return -pi + 2 * pi * u;
}

/* Host doubles -> the device, in the plan's precision; the doubles become what the device has. */
static void *to_device(double *from, int64_t n, int f32) {
  if (!f32)
    return bench_device_array((size_t)n * 8, from);
  float *narrow = malloc((size_t)n * 4 + 1);
  if (!narrow)
    bench_die("memory", "exhausted");
  for (int64_t i = 0; i < n; i++)
    from[i] = narrow[i] = (float)from[i];
  void *array = bench_device_array((size_t)n * 4, narrow);
  free(narrow);
  return array;
}

static double *host_array(int64_t n) {
  double *array = malloc((size_t)n * sizeof *array + 1);
  if (!array)
    bench_die("memory", "exhausted");
  return array;
}

static void make_problem(problem *p) {
  const int parts = p->real ? 1 : 2;
  for (int d = 0; d < p->ndim; d++) {
    p->x[d] = host_array(p->points);
#pragma omp parallel for
    for (int64_t i = 0; i < p->points; i++)
      p->x[d][i] = coordinate(p, i, d);
    p->device_x[d] = to_device(p->x[d], p->points, p->f32);
  }
  const int64_t n_values = p->points * p->vectors * parts,
                n_modes = p->kept * p->vectors * (p->spread_only ? parts : 2);
  p->strengths = host_array(n_values);
  p->modes = host_array(n_modes);
#pragma omp parallel for
  for (int64_t i = 0; i < n_values; i++)
    p->strengths[i] = random_at((uint64_t)i + (7ull << 60)) - 0.5;
#pragma omp parallel for
  for (int64_t i = 0; i < n_modes; i++)
    p->modes[i] = random_at((uint64_t)i + (3ull << 61)) - 0.5;
  p->device_values = to_device(p->strengths, n_values, p->f32);
  p->device_modes = to_device(p->modes, n_modes, p->f32);
}

/* Relative l2 error of the last vector's results against the direct sum, on a sample. Real values: complex ones are
 * compared with what the plan stands for (modes weighted 1, 2, ..., 1 in x). */
static double error_of(const problem *p, const void *device_result) {
  const int64_t v = p->vectors - 1;
  const int value_parts = p->real ? 1 : 2;
  double difference = 0, norm = 0;
  for (int s = 0; s < SAMPLES; s++) {
    double re = 0, im = 0, got[2] = {0, 0};
    const int to_modes = p->type == 1;
    int64_t at = (int64_t)(random_at((uint64_t)s + 99) * (double)(to_modes ? p->kept : p->points));
    int64_t kept_x = p->real ? p->n[0] / 2 + 1 : p->n[0];
    if (to_modes) {
      const double k[3] = {(double)(at % kept_x - (p->real ? 0 : p->n[0] / 2)),
                           (double)(at / kept_x % p->n[1] - p->n[1] / 2),
                           (double)(at / kept_x / p->n[1] - p->n[2] / 2)};
#pragma omp parallel for reduction(+ : re, im)
      for (int64_t j = 0; j < p->points; j++) {
        double phase = 0, c = p->strengths[(v * p->points + j) * value_parts],
               i = p->real ? 0 : p->strengths[(v * p->points + j) * 2 + 1];
        for (int d = 0; d < p->ndim; d++)
          phase -= k[d] * p->x[d][j];
        re += c * cos(phase) - i * sin(phase);
        im += c * sin(phase) + i * cos(phase);
      }
    } else {
#pragma omp parallel for reduction(+ : re, im)
      for (int64_t m = 0; m < p->kept; m++) {
        const int64_t kx = m % kept_x - (p->real ? 0 : p->n[0] / 2);
        const double k[3] = {(double)kx, (double)(m / kept_x % p->n[1] - p->n[1] / 2),
                             (double)(m / kept_x / p->n[1] - p->n[2] / 2)};
        double phase = 0, w = p->real && kx != 0 && 2 * kx != p->n[0] ? 2 : 1;
        const double *f = p->modes + 2 * (v * p->kept + m);
        for (int d = 0; d < p->ndim; d++)
          phase += k[d] * p->x[d][at];
        re += w * (f[0] * cos(phase) - f[1] * sin(phase));
        im += p->real ? 0 : f[0] * sin(phase) + f[1] * cos(phase);
      }
    }
    const int parts = to_modes ? 2 : value_parts;
    const size_t size = p->f32 ? 4 : 8;
    for (int c = 0; c < parts; c++) {
      double wide = 0;
      float narrow = 0;
      size_t offset = (size_t)((v * (to_modes ? p->kept : p->points) + at) * parts + c) * size;
      if (cuda.copy(p->f32 ? (void *)&narrow : (void *)&wide, (const char *)device_result + offset, size, 4))
        bench_die("cudaMemcpy", "failed");
      got[c] = p->f32 ? narrow : wide;
    }
    difference += (got[0] - re) * (got[0] - re) + (parts == 2 ? (got[1] - im) * (got[1] - im) : 0);
    norm += re * re + (parts == 2 ? im * im : 0);
  }
  return sqrt(difference / norm);
}

/* Spreading or interpolation alone: relative l2 difference of the last vector from the results of the method that is
 * simplest and shares least. */
static double difference_from_simplest(const problem *p, const og_options *ours) {
  const int64_t parts = p->real ? 1 : 2, n = (p->type == 1 ? p->cells : p->points) * parts, from = (p->vectors - 1) * n;
  const size_t size = p->f32 ? 4 : 8;
  void *result = p->type == 1 ? p->device_modes : p->device_values;
  char *got = malloc((size_t)n * size), *want = malloc((size_t)n * size);
  double difference = 0, norm = 0;
  og_options o = *ours;
  og_plan plan;
  o.spread_method = "atomic";
  o.interp_method = "direct";
  o.tuning = "none";
  o.bin_x = o.bin_y = o.bin_z = o.spread_team = o.interp_team = 0;
  o.work_points = 0;
  if (!got || !want || cuda.copy(got, (char *)result + (size_t)from * size, (size_t)n * size, 4))
    bench_die("results", "do not come back");
  if (og_plan_create(&plan, p->ndim, p->n, &o) ||
      og_plan_set_points(plan, p->points, p->device_x[0], p->device_x[1], p->device_x[2]) ||
      (p->type == 1 ? og_spread(plan, p->vectors, p->device_values, p->device_modes)
                    : og_interp(plan, p->vectors, p->device_modes, p->device_values)))
    bench_die("the simplest method", og_last_error());
  if (cuda.copy(want, (char *)result + (size_t)from * size, (size_t)n * size, 4))
    bench_die("results", "do not come back");
  og_plan_destroy(plan);
#pragma omp parallel for reduction(+ : difference, norm)
  for (int64_t i = 0; i < n; i++) {
    const double a = p->f32 ? (double)((float *)(void *)got)[i] : ((double *)(void *)got)[i];
    const double b = p->f32 ? (double)((float *)(void *)want)[i] : ((double *)(void *)want)[i];
    difference += (a - b) * (a - b);
    norm += b * b;
  }
  free(got);
  free(want);
  return sqrt(difference / norm);
}

/* ---- contenders: points and execute, then times */

typedef struct contender {
  char name[48];
  void *plan;
  int (*points)(struct contender *, const problem *);
  int (*execute)(struct contender *, const problem *);
  double error, t_points[MAX_REPEAT], t_execute[MAX_REPEAT];
  int left_out;
} contender;

static int our_points(contender *c, const problem *p) {
  return og_plan_set_points(c->plan, p->points, p->device_x[0], p->device_x[1], p->device_x[2]);
}

static int our_execute(contender *c, const problem *p) {
  if (p->spread_only)
    return p->type == 1 ? og_spread(c->plan, p->vectors, p->device_values, p->device_modes)
                        : og_interp(c->plan, p->vectors, p->device_modes, p->device_values);
  return p->type == 1 ? og_type1(c->plan, p->vectors, p->device_values, p->device_modes)
                      : og_type2(c->plan, p->vectors, p->device_modes, p->device_values);
}

/* cuFINUFFT 2.5's interface, as its documentation has it. */
typedef struct {
  double upsampfac;
  int gpu_method, gpu_sort, binsize[3], obinsize[3], maxsubprobsize, kerevalmeth, spreadinterponly, maxbatchsize,
      device;
  void *stream;
  int modeord, np, debug, room[16];
} cufinufft_options;

static struct {
  void (*defaults)(cufinufft_options *);
  int (*make)(int, int, const int64_t *, int, int, double, void **, cufinufft_options *);
  int (*make_f)(int, int, const int64_t *, int, int, float, void **, cufinufft_options *);
  int (*points)(void *, int64_t, void *, void *, void *, int, void *, void *, void *),
      (*execute)(void *, void *, void *), (*destroy)(void *);
} peer;

static int peer_points(contender *c, const problem *p) {
  return peer.points(c->plan, p->points, p->device_x[0], p->device_x[1], p->device_x[2], 0, NULL, NULL, NULL);
}

static int peer_execute(contender *c, const problem *p) {
  return peer.execute(c->plan, p->device_values, p->device_modes);
}

static void open_peer(const char *path, int f32) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    bench_die(path, dlerror());
  *(void **)&peer.defaults = bench_function(library, "cufinufft_default_opts");
  *(void **)&peer.make = bench_function(library, "cufinufft_makeplan");
  *(void **)&peer.make_f = bench_function(library, "cufinufftf_makeplan");
  *(void **)&peer.points = bench_function(library, f32 ? "cufinufftf_setpts" : "cufinufft_setpts");
  *(void **)&peer.execute = bench_function(library, f32 ? "cufinufftf_execute" : "cufinufft_execute");
  *(void **)&peer.destroy = bench_function(library, f32 ? "cufinufftf_destroy" : "cufinufft_destroy");
}

static int make_peer(contender *c, const problem *p, int method) {
  cufinufft_options o;
  memset(&o, 0, sizeof o);
  peer.defaults(&o);
  o.gpu_method = method;
  o.spreadinterponly = p->spread_only;
  snprintf(c->name, sizeof c->name, "cufinufft method %d", method);
  c->points = peer_points;
  c->execute = peer_execute;
  const int sign = p->type == 1 ? -1 : 1;
  return p->f32 ? peer.make_f(p->type, p->ndim, p->n, sign, (int)p->vectors, (float)p->tolerance, &c->plan, &o)
                : peer.make(p->type, p->ndim, p->n, sign, (int)p->vectors, p->tolerance, &c->plan, &o);
}

static og_options our_options(const problem *p, int n_options, char **options) {
  og_options o = OG_OPTIONS_DEFAULT;
  o.backend = "cuda";
  o.tolerance = p->tolerance;
  o.precision = p->f32 ? OG_F32 : OG_F64;
  o.values = p->real ? OG_REAL : OG_COMPLEX;
  o.max_vectors = p->vectors;
  o.spread_only = p->spread_only;
  o.expected_points = p->points;
  for (int i = 0; i < n_options; i++) {
    char *equals = strchr(options[i], '=');
    if (!equals)
      bench_die(options[i], "want NAME=VALUE");
    *equals = 0;
    if (og_options_set(&o, options[i], equals + 1))
      bench_die("option", og_last_error());
  }
  return o;
}

static void make_ours(contender *c, const problem *p, const og_options *o) {
  strcpy(c->name, "offgrid");
  c->points = our_points;
  c->execute = our_execute;
  double t = bench_now();
  if (og_plan_create((og_plan *)&c->plan, p->ndim, p->n, o))
    bench_die("plan", og_last_error());
  printf("plan %.1f ms\n", bench_now() - t);
}

/* After a warm run. `before`: free memory before the plan. */
static void tell(const contender *c, const problem *p, double before) {
  og_report r = {.size = sizeof r};
  if (og_plan_report(c->plan, &r))
    bench_die("report", og_last_error());
  const double grid = (double)r.bytes_grid, n = (double)p->points;
  printf(
      "%s\nsigma %.3g, width %d; device memory taken: %.1f B per point beyond the grid (%.0f MB); the plan's account: "
      "%.1f B per point, at peak %.1f\n",
      r.choice, r.sigma, r.width, (before - bench_free_memory() - grid) / n, 1e-6 * grid, (double)r.bytes_points / n,
      ((double)r.bytes_peak - grid) / n);
}

static int by_size(const void *a, const void *b) {
  const double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

static double median(double *t, int n) {
  qsort(t, (size_t)n, sizeof *t, by_size);
  return t[n / 2];
}

static int once(contender *c, const problem *p, int repeat) {
  cuda.synchronise();
  double t = bench_now();
  int code = c->points(c, p);
  cuda.synchronise();
  double middle = bench_now();
  code = code ? code : c->execute(c, p);
  cuda.synchronise();
  if (repeat >= 0) {
    c->t_points[repeat] = middle - t;
    c->t_execute[repeat] = bench_now() - middle;
  }
  return code;
}

int main(int argc, char **argv) {
  problem p = {.repeat = 5, .vectors = 1, .n = {1, 1, 1}};
  const char *peer_path = NULL;
  int only = 0;
  char *options[16];
  int at = 1, n_options = 0, n = 0;
  for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
    if (!strcmp(argv[at], "--spread-only"))
      p.spread_only = 1;
    else if (at + 1 < argc && !strcmp(argv[at], "--peer"))
      peer_path = argv[++at];
    else if (at + 1 < argc && !strcmp(argv[at], "--peer-method"))
      only = atoi(argv[++at]);
    else if (at + 1 < argc && !strcmp(argv[at], "--repeat"))
      p.repeat = atoi(argv[++at]);
    else if (at + 1 < argc && !strcmp(argv[at], "--vectors"))
      p.vectors = atoll(argv[++at]);
    else if (at + 1 < argc && !strcmp(argv[at], "--option") && n_options < 16)
      options[n_options++] = argv[++at];
    else
      bench_die(argv[at], "unknown option");
  }
  if (argc - at != 7 || p.repeat < 1 || p.repeat > MAX_REPEAT || p.vectors < 1)
    bench_die("usage", "[options] type1|type2 MODES POINTS TOL f64|f32 complex|real uniform|eighth|blobs|line");
  p.type = !strcmp(argv[at], "type2") ? 2 : 1;
  p.ndim = sscanf(argv[at + 1], "%ldx%ldx%ld", &p.n[0], &p.n[1], &p.n[2]);
  p.points = (int64_t)strtod(argv[at + 2], NULL);
  p.tolerance = strtod(argv[at + 3], NULL);
  p.f32 = !strcmp(argv[at + 4], "f32");
  p.real = !strcmp(argv[at + 5], "real");
  p.distribution = argv[at + 6];
  p.cells = p.n[0] * p.n[1] * p.n[2];
  p.kept = p.real && !p.spread_only ? (p.n[0] / 2 + 1) * p.n[1] * p.n[2] : p.cells;
  bench_open_runtime();
  make_problem(&p);
  contender all[4];
  memset(all, 0, sizeof all);
  const og_options ours = our_options(&p, n_options, options);
  const double before = bench_free_memory();
  make_ours(&all[n++], &p, &ours);
  if (peer_path && !p.real) {
    open_peer(peer_path, p.f32);
    for (int method = 1; method <= (p.type == 1 && p.ndim == 3 ? 3 : 2); method++)
      if ((!only || only == method) && !make_peer(&all[n], &p, method))
        n++;
  }
  for (int c = 0; c < n; c++) { /* warm, and verified */
    if (once(&all[c], &p, -1)) {
      all[c].left_out = 1;
      if (!c)
        bench_die("offgrid", og_last_error());
      continue;
    }
    if (!c)
      tell(&all[c], &p, before);
    all[c].error = p.spread_only && c ? NAN
                   : p.spread_only    ? difference_from_simplest(&p, &ours)
                                      : error_of(&p, p.type == 1 ? p.device_modes : p.device_values);
  }
  for (int r = 0; r < p.repeat; r++)
    for (int c = 0; c < n; c++)
      if (!all[c].left_out && once(&all[c], &p, r))
        bench_die(all[c].name, "failed while it was timed");
  printf("type%d %s m=%.3g tol=%g %s %s %s vectors=%ld%s\n", p.type, argv[at + 1], (double)p.points, p.tolerance,
         argv[at + 4], argv[at + 5], p.distribution, p.vectors, p.spread_only ? " spread only" : "");
  for (int c = 0; c < n; c++)
    if (all[c].left_out)
      printf("  %-20s cannot\n", all[c].name);
    else {
      const double points = median(all[c].t_points, p.repeat), execute = median(all[c].t_execute, p.repeat);
      printf("  %-20s error %.1e  points %8.2f ms  execute %8.2f ms  (%.0f Mpts/s, with points %.0f)\n", all[c].name,
             all[c].error, points, execute, (double)(p.points * p.vectors) / execute * 1e-3,
             (double)(p.points * p.vectors) / (points + execute) * 1e-3);
    }
  return 0;
}
