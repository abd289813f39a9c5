/* What a program with work of its own on a GPU relies on, verified and timed: execute on the caller's stream allocates
 * nothing and gives control back before the device is done; a CUDA graph that captured it repeats it; two plans on two
 * streams run at once and give what each gives alone. Milliseconds, medians.
 *
 *   build/bin/bench_gpu_streams [MODES [POINTS [TOL [f64|f32]]]]      default 64x64x64 2e6 1e-6 f64
 *
 * Exits with 1 where a result differs. Needs libcudart. */
#include "gpu_runtime.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "offgrid.h"

enum { REPEAT = 21, TYPES = 2 };

typedef struct side {
  void *stream;
  og_plan plan;
  void *x[3], *values, *modes; /* on the device */
} side;

static struct {
  int ndim, f32, failed;
  int64_t n[3], kept, points;
  double tolerance;
} problem = {.n = {1, 1, 1}};

static uint64_t state = 88172645463325252u;
static double random_value(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return 2 * ((double)(state >> 11) / 9007199254740992.0) - 1;
}

static void *random_array(int64_t n, double half) {
  double *wide = malloc((size_t)n * sizeof *wide + 1);
  if (!wide)
    bench_die("memory", "exhausted");
  for (int64_t i = 0; i < n; i++)
    wide[i] = half * random_value();
  float *narrow = (float *)wide; /* written from the front: never before it was read */
  for (int64_t i = 0; problem.f32 && i < n; i++) {
    const float value = (float)wide[i];
    memcpy(&narrow[i], &value, sizeof value);
  }
  void *array = bench_device_array((size_t)n * (problem.f32 ? 4 : 8), wide);
  free(wide);
  return array;
}

static void must(int code, const char *what) {
  if (code)
    bench_die(what, og_last_error());
}
static void must_cuda(int code, const char *what) {
  char number[32];
  snprintf(number, sizeof number, "CUDA error %d", code);
  if (code)
    bench_die(what, number);
}

static void open_side(side *s) {
  og_options o = OG_OPTIONS_DEFAULT;
  must_cuda(cuda.stream_create(&s->stream, 1), "cudaStreamCreateWithFlags"); /* waits for no other stream */
  o.backend = "cuda";
  o.stream = (int64_t)(intptr_t)s->stream;
  o.tolerance = problem.tolerance;
  o.precision = problem.f32 ? OG_F32 : OG_F64;
  must(og_plan_create(&s->plan, problem.ndim, problem.n, &o), "plan");
  for (int d = 0; d < problem.ndim; d++)
    s->x[d] = random_array(problem.points, 3.1415926);
  s->values = random_array(2 * problem.points, 1);
  s->modes = random_array(2 * problem.kept, 1);
  must(og_plan_set_points(s->plan, problem.points, s->x[0], s->x[1], s->x[2]), "points");
}

static void close_side(side *s) {
  og_plan_destroy(s->plan);
  for (int d = 0; d < problem.ndim; d++)
    cuda.release(s->x[d]);
  cuda.release(s->values);
  cuda.release(s->modes);
  cuda.stream_destroy(s->stream);
}

static void start(const side *s, int type) {
  must(type == 1 ? og_type1(s->plan, 1, s->values, s->modes) : og_type2(s->plan, 1, s->modes, s->values), "execute");
}
static void finish(const side *s) { must_cuda(cuda.stream_finish(s->stream), "cudaStreamSynchronize"); }

/* ---- results, on the host */

static int64_t count(int type) { return 2 * (type == 1 ? problem.kept : problem.points); }
static void *result_at(const side *s, int type) { return type == 1 ? s->modes : s->values; }

static void *result_of(const side *s, int type) {
  const size_t bytes = (size_t)count(type) * (problem.f32 ? 4 : 8);
  void *host = malloc(bytes + 1);
  if (!host || cuda.copy(host, result_at(s, type), bytes, 4))
    bench_die("a result", "does not come back");
  return host;
}

static double at(const void *array, int64_t i) {
  return problem.f32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* Sums in another order differ by rounding. */
static void compare(const side *s, int type, void *want, const char *what) {
  void *got = result_of(s, type);
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < count(type); i++) {
    difference += (at(got, i) - at(want, i)) * (at(got, i) - at(want, i));
    norm += at(want, i) * at(want, i);
  }
  const double relative = sqrt(difference / norm);
  const int right = norm > 0 && relative < (problem.f32 ? 1e-5 : 1e-13);
  printf("  type %d, %s: differs by %.1e%s\n", type, what, relative, right ? "" : "  WRONG");
  problem.failed |= !right;
  free(got);
}

/* Ones there beforehand would pass for results, were nothing done. */
static void spoil(const side *s, int type) {
  const size_t bytes = (size_t)count(type) * (problem.f32 ? 4 : 8);
  void *zeros = calloc(1, bytes + 1);
  if (!zeros || cuda.copy(result_at(s, type), zeros, bytes, 4))
    bench_die("a result", "cannot be cleared");
  free(zeros);
}

static int by_size(const void *a, const void *b) {
  const double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}
static double median(double *t) {
  qsort(t, REPEAT, sizeof *t, by_size);
  return t[REPEAT / 2];
}

/* ---- the three claims */

static void check_stream(const side *s, int type) {
  double given[REPEAT], whole[REPEAT];
  start(s, type);
  finish(s);
  const double before = bench_free_memory();
  for (int r = 0; r < REPEAT; r++) {
    const double t = bench_now();
    start(s, type);
    given[r] = bench_now() - t;
    finish(s);
    whole[r] = bench_now() - t;
  }
  const double taken = before - bench_free_memory();
  printf("  type %d, caller's stream: control is back after %.3f of %.3f ms; device memory taken: %.0f bytes%s\n", type,
         median(given), median(whole), taken, taken > 0 ? "  WRONG" : "");
  problem.failed |= taken > 0;
}

static void check_graph(const side *s, int type) {
  void *graph = NULL, *ready = NULL, *want = result_of(s, type);
  double t[REPEAT];
  spoil(s, type);
  must_cuda(cuda.capture_begin(s->stream, 0), "cudaStreamBeginCapture"); /* globally strict */
  start(s, type);
  must_cuda(cuda.capture_end(s->stream, &graph), "cudaStreamEndCapture");
  must_cuda(cuda.graph_instantiate(&ready, graph, 0), "cudaGraphInstantiate");
  for (int r = 0; r < REPEAT; r++) {
    const double since = bench_now();
    must_cuda(cuda.graph_launch(ready, s->stream), "cudaGraphLaunch");
    finish(s);
    t[r] = bench_now() - since;
  }
  printf("  type %d, CUDA graph: %.3f ms\n", type, median(t));
  compare(s, type, want, "CUDA graph");
  cuda.graph_exec_destroy(ready);
  cuda.graph_destroy(graph);
  spoil(s, type); /* and the plan is as it was */
  start(s, type);
  finish(s);
  compare(s, type, want, "the same plan after the graph");
  free(want);
}

static void check_both(const side both[2], int type) {
  double apart[REPEAT], together[REPEAT];
  void *want[2] = {result_of(&both[0], type), NULL};
  start(&both[1], type);
  finish(&both[1]);
  want[1] = result_of(&both[1], type);
  for (int r = 0; r < REPEAT; r++) {
    double t = bench_now();
    for (int i = 0; i < 2; i++) {
      start(&both[i], type);
      finish(&both[i]);
    }
    apart[r] = bench_now() - t;
    t = bench_now();
    start(&both[0], type);
    start(&both[1], type);
    finish(&both[0]);
    finish(&both[1]);
    together[r] = bench_now() - t;
  }
  printf("  type %d, two plans: one after the other %.3f ms, at once on two streams %.3f\n", type, median(apart),
         median(together));
  for (int i = 0; i < 2; i++) {
    compare(&both[i], type, want[i], i ? "second of two plans at once" : "first of two plans at once");
    free(want[i]);
  }
}

int main(int argc, char **argv) {
  const char *modes = argc > 1 ? argv[1] : "64x64x64";
  problem.ndim = sscanf(modes, "%ldx%ldx%ld", &problem.n[0], &problem.n[1], &problem.n[2]);
  problem.points = argc > 2 ? (int64_t)strtod(argv[2], NULL) : 2000000;
  problem.tolerance = argc > 3 ? strtod(argv[3], NULL) : 1e-6;
  problem.f32 = argc > 4 && !strcmp(argv[4], "f32");
  problem.kept = problem.n[0] * problem.n[1] * problem.n[2];
  if (problem.ndim < 1 || problem.points < 1)
    bench_die("usage", "[MODES [POINTS [TOL [f64|f32]]]]");
  bench_open_runtime();
  printf("%s m=%.3g tol=%g %s\n", modes, (double)problem.points, problem.tolerance, problem.f32 ? "f32" : "f64");
  side both[2] = {{0}};
  open_side(&both[0]);
  open_side(&both[1]);
  for (int type = 1; type <= TYPES; type++) {
    check_stream(&both[0], type);
    check_graph(&both[0], type);
    check_both(both, type);
  }
  close_side(&both[0]);
  close_side(&both[1]);
  return problem.failed;
}
