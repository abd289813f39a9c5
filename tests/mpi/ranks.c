/* On any number of ranks: types 1 and 2 equal one process's result to rounding and the direct sum to the tolerance, the bytes
 * sent are what the boxes imply, and every fault on every rank ends in the same code everywhere. */
#include <mpi.h>

#include "common/test.h"
#include "mpi/layout.h"
#include "base/memory.h"
#include "offgrid_mpi.h"

static int rank, size;

/* ---- base/memory.c of this program: the linker takes these, so that allocations can fail and leaks show (the address
 * sanitizer cannot tell them from MPI's own) */

static long live, count, fail_at = -1; /* blocks held; allocations so far; the one that fails (-1: none) */

size_t og_bytes(size_t n, size_t bytes) { return bytes && n > SIZE_MAX / bytes ? SIZE_MAX : n * bytes; }

void *og_allocate(size_t bytes) {
  void *memory = NULL;
  if (count++ == fail_at || bytes > SIZE_MAX / 2 ||
      posix_memalign(&memory, OG_ALIGNMENT, og_round_up(bytes ? bytes : 1, OG_ALIGNMENT)))
    return NULL;
  memset(memory, 0xee, bytes); /* nobody may count on zeros */
  live++;
  return memory;
}

void *og_allocate_zeroed(size_t bytes) {
  void *memory = og_allocate(bytes);
  if (memory)
    memset(memory, 0, bytes);
  return memory;
}

void og_free(void *memory) {
  live -= memory != NULL;
  free(memory);
}

/* ---- the same random problem on every rank; a rank gives the points that `owner` says */

enum { POINTS = 400, VECTORS = 2 };

typedef struct scene {
  int ndim;
  int64_t n_modes[3];
  og_options options;
  og_mpi_options mpi;
  int spread_by; /* 0: dealt round; 1: all on the last rank; 2: on their owners */
} scene;

static double *x[3], *strengths;
static void *packed[3];

static void make_points(const scene *s) {
  for (int d = 0; d < 3; d++) {
    x[d] = test_doubles(POINTS);
    for (int64_t j = 0; j < POINTS; j++)
      x[d][j] = test_round(j % 7 == 0 ? (double)(j % 5) * 0.3 : 20 * test_uniform(), s->options.precision);
    x[d][1] = 0;
    x[d][2] = -1e-18;
    packed[d] = test_pack(x[d], POINTS, s->options.precision);
  }
  strengths = test_random((int64_t)2 * VECTORS * POINTS, s->options.precision);
}

static double *pick(const double *all, const int *owner, int parts, int64_t *n) {
  double *mine = test_doubles((int64_t)VECTORS * POINTS * 2);
  int64_t at = 0;
  *n = 0;
  for (int64_t j = 0; j < POINTS; j++)
    *n += owner[j] == rank;
  for (int v = 0; v < VECTORS; v++)
    for (int64_t j = 0; j < POINTS; j++)
      if (owner[j] == rank)
        for (int c = 0; c < parts; c++)
          mine[at++] = all[((int64_t)v * POINTS + j) * parts + c];
  return mine;
}

static int64_t sum_of(int64_t mine) {
  int64_t all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* The bytes that the layout says this rank sends in a move. */
static int64_t implied(const og_layout *l, int move, int giving, int64_t cell) {
  static og_piece pieces[4096];
  const int64_t n = og_layout_pieces(l, move, rank, giving, pieces);
  int64_t bytes = 0;
  for (int64_t i = 0; i < n; i++)
    bytes += pieces[i].rank == rank ? 0 : og_box_cells(&pieces[i].box) * cell;
  return bytes;
}

static void check_bytes(const scene *s, og_mpi_plan plan, int giving) {
  og_mpi_report r = {.size = sizeof r};
  if (!CHECK_OK(og_mpi_plan_report(plan, &r)))
    return;
  const int64_t real = (int64_t)test_real_bytes(s->options.precision), value = s->options.values ? real : 2 * real;
  og_layout l = {.ndim = s->ndim,
                 .width = r.width,
                 .parts = {r.grid[0], r.grid[1]},
                 .n = {r.n_grid[0], r.n_grid[1], r.n_grid[2]},
                 .kept = {s->options.values ? s->n_modes[0] / 2 + 1 : s->n_modes[0], s->n_modes[1],
                          s->ndim > 2 ? s->n_modes[2] : 1}};
  CHECK(r.bytes_halo == VECTORS * implied(&l, OG_MOVE_HALO, giving, value), "halo: %lld bytes",
        (long long)r.bytes_halo);
  CHECK(r.bytes_first == VECTORS * implied(&l, OG_MOVE_FIRST, giving, 2 * real), "first: %lld bytes",
        (long long)r.bytes_first);
  if (s->ndim == 3)
    CHECK(r.bytes_second == VECTORS * implied(&l, OG_MOVE_SECOND, giving, 2 * real), "second: %lld bytes",
          (long long)r.bytes_second);
  if (l.n[1] % r.grid[0] == 0 && l.kept[0] % r.grid[0] == 0) { /* even blocks: the formula */
    const int64_t words = l.kept[0] * l.n[1] * l.n[2];
    CHECK(sum_of(r.bytes_first) == VECTORS * 2 * real * (words - words / r.grid[0]), "the first transpose's formula");
  }
  CHECK(sum_of(r.n_owned) == POINTS && sum_of(r.n_points) == POINTS, "points were lost");
  CHECK(s->spread_by != 2 || r.bytes_values + r.bytes_points == 0, "points on their owners were sent");
}

/* What one process says, and the direct sum: modes of VECTORS vectors, and values back from them. */
static void one_process(const scene *s, double *modes, double *values, int64_t n_kept) {
  og_plan plan;
  const int precision = s->options.precision, parts = s->options.values ? 1 : 2;
  void *in = test_pack(strengths, (int64_t)VECTORS * POINTS * parts, precision),
       *out = test_pack(NULL, VECTORS * n_kept * 2, precision),
       *back = test_pack(NULL, (int64_t)VECTORS * POINTS * parts, precision);
  if (!CHECK_OK(og_plan_create(&plan, s->ndim, s->n_modes, &s->options)))
    return;
  CHECK_OK(og_plan_set_points(plan, POINTS, packed[0], packed[1], packed[2]));
  CHECK_OK(og_type1(plan, VECTORS, in, out));
  CHECK_OK(og_type2(plan, VECTORS, out, back));
  og_plan_destroy(plan);
  memcpy(modes, test_unpack(out, VECTORS * n_kept * 2, precision), (size_t)(VECTORS * n_kept * 2) * sizeof *modes);
  memcpy(values, test_unpack(back, (int64_t)VECTORS * POINTS * parts, precision),
         (size_t)(VECTORS * POINTS * parts) * sizeof *values);
}

/* The relative error over all ranks. */
static double error_of(const double *got, const double *want, int64_t n) {
  double mine[2] = {0, 0}, all[2];
  for (int64_t i = 0; i < n; i++) {
    mine[0] += (got[i] - want[i]) * (got[i] - want[i]);
    mine[1] += want[i] * want[i];
  }
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all[1] > 0 ? sqrt(all[0] / all[1]) : sqrt(all[0]);
}

static void direct(const scene *s, const int64_t lower[3], const int64_t upper[3], const double *modes) {
  int64_t n = 0, boxed = 1;
  double *k[3], *right, *complex_strengths = test_doubles(2 * POINTS), *scaled[3];
  const int real = s->options.values == OG_REAL;
  for (int d = 0; d < 3; d++)
    boxed *= upper[d] - lower[d];
  for (int d = 0; d < 3; d++) {
    k[d] = test_doubles(boxed);
    scaled[d] = test_doubles(POINTS);
    const double period = d == 0 && s->options.period_x > 0 ? s->options.period_x : 6.283185307179586476925;
    for (int64_t j = 0; j < POINTS; j++)
      scaled[d][j] = period == s->options.period_x ? x[d][j] / period * 6.283185307179586476925 : x[d][j];
  }
  for (int64_t iz = lower[2]; iz < upper[2]; iz++)
    for (int64_t iy = lower[1]; iy < upper[1]; iy++)
      for (int64_t ix = lower[0]; ix < upper[0]; ix++, n++) {
        const int64_t i[3] = {ix, iy, iz};
        for (int d = 0; d < s->ndim; d++) {
          const int64_t modes_d = s->n_modes[d], half = modes_d / 2;
          k[d][n] = (double)(d == 0 && real               ? i[d]
                             : s->options.mode_order == 0 ? i[d] - half
                             : i[d] < modes_d - half      ? i[d]
                                                          : i[d] - modes_d);
        }
      }
  for (int64_t j = 0; j < POINTS; j++) {
    complex_strengths[2 * j] = strengths[real ? j : 2 * j];
    complex_strengths[2 * j + 1] = real ? 0 : strengths[2 * j + 1];
  }
  right = test_doubles(2 * boxed);
  const double *const from[3] = {scaled[0], scaled[1], scaled[2]}, *const to[3] = {k[0], k[1], k[2]};
  CHECK_OK(og_direct_sum(s->ndim, s->options.sign, POINTS, from, complex_strengths, boxed, to, right));
  CHECK_AT_MOST(error_of(modes, right, 2 * boxed), 4 * s->options.tolerance, "distance from the direct sum");
}

static void transform(const scene *s) {
  og_mpi_plan plan;
  const int precision = s->options.precision, parts = s->options.values ? 1 : 2;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (!CHECK_OK(og_mpi_plan_create(&plan, comm, s->ndim, s->n_modes, &s->options, &s->mpi)))
    return;
  MPI_Comm_free(&comm); /* the plan has its own */
  make_points(s);
  int owner[POINTS];
  CHECK_OK(og_mpi_plan_owners(plan, POINTS, packed[0], packed[1], packed[2], owner));
  for (int j = 0; j < POINTS && s->spread_by != 2; j++)
    owner[j] = s->spread_by ? size - 1 : j % size;
  int64_t n, lower[3], upper[3],
      kept[3] = {parts == 1 ? s->n_modes[0] / 2 + 1 : s->n_modes[0], s->n_modes[1], s->ndim > 2 ? s->n_modes[2] : 1};
  void *mine[3];
  for (int d = 0; d < 3; d++) {
    double *twice = test_doubles((int64_t)VECTORS * POINTS);
    memcpy(twice, x[d], POINTS * sizeof(double));
    mine[d] = test_pack(pick(twice, owner, 1, &n), POINTS, precision);
  }
  const double *in = pick(strengths, owner, parts, &n);
  CHECK_OK(og_mpi_plan_set_points(plan, n, mine[0], mine[1], s->ndim > 2 ? mine[2] : NULL));
  CHECK_OK(og_mpi_plan_modes_box(plan, lower, upper));
  const int64_t rows = upper[0] - lower[0], boxed = rows * (upper[1] - lower[1]) * (upper[2] - lower[2]),
                n_kept = kept[0] * kept[1] * kept[2];
  void *modes = test_pack(NULL, VECTORS * boxed * 2, precision),
       *values = test_pack(NULL, VECTORS * n * parts, precision);
  CHECK_OK(og_mpi_type1(plan, VECTORS, test_pack(in, VECTORS * n * parts, precision), modes));
  check_bytes(s, plan, 1);
  CHECK_OK(og_mpi_type2(plan, VECTORS, modes, values));
  check_bytes(s, plan, 0);
  og_mpi_plan_destroy(plan);
  CHECK(live == 0, "%ld blocks of memory left", live);

  double *want_modes = test_doubles(VECTORS * n_kept * 2), *want_values = test_doubles((int64_t)VECTORS * POINTS * 2),
         *want = test_doubles(VECTORS * boxed * 2);
  one_process(s, want_modes, want_values, n_kept);
  int64_t at = 0;
  for (int v = 0; v < VECTORS; v++)
    for (int64_t z = lower[2]; z < upper[2]; z++)
      for (int64_t y = lower[1]; y < upper[1]; y++, at += rows)
        memcpy(want + 2 * at, want_modes + 2 * (v * n_kept + (z * kept[1] + y) * kept[0] + lower[0]),
               (size_t)(rows > 0 ? 2 * rows : 0) * sizeof(double));
  const double *got = test_unpack(modes, VECTORS * boxed * 2, precision);
  const double limit = 20 * test_tolerance[precision].rounding;
  CHECK_AT_MOST(error_of(got, want, VECTORS * boxed * 2), limit, "type 1's distance from one process");
  CHECK_AT_MOST(error_of(test_unpack(values, VECTORS * n * parts, precision), pick(want_values, owner, parts, &n),
                         VECTORS * n * parts),
                limit, "type 2's distance from one process");
  direct(s, lower, upper, got);
  test_free();
}

/* ---- faults, each on each rank */

static int same_code(int code, int want, const char *what) {
  int low, high;
  MPI_Allreduce(&code, &low, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&code, &high, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return CHECK(low == high && low == want, "%s: codes %d to %d, want %d (%s)", what, low, high, want,
               og_mpi_last_error());
}

static void names_rank(int bad) {
  char name[32];
  snprintf(name, sizeof name, "rank %d:", bad);
  CHECK(strstr(og_mpi_last_error(), name), "'%s' does not name rank %d", og_mpi_last_error(), bad);
}

/* allocations: each that fails, or 1 in so many of them */
static void faults(scene s, int bad, long allocations) {
  og_mpi_plan plan;
  const int me = rank == bad;
  int64_t modes[3] = {12, 10, 9};
  double a[3] = {0.1, 0.2, 4}, b[3] = {1, 2, 3}, values[12] = {0};
  test_case("faults on rank %d of %d", bad, size);
  og_options wrong = s.options;
  wrong.tolerance = me ? -1 : wrong.tolerance;
  if (same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, modes, &wrong, NULL), OG_ERR_OPTION, "a bad option"))
    names_rank(bad);
  if (size > 1) {
    modes[1] += me;
    same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, modes, &s.options, NULL), OG_ERR_ARGUMENT, "other modes");
    modes[1] -= me;
  }
  same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, me ? 1 : 3, modes, &s.options, NULL), OG_ERR_UNSUPPORTED, "1-D");
  for (long i = bad % allocations, done = 0; !done;
       i += allocations) { /* each allocation of create and of set_points in turn */
    count = 0;
    fail_at = me ? i : -1;
    int code = og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, modes, &s.options, NULL);
    if (!code)
      code = og_mpi_plan_set_points(plan, 3, a, b, a);
    done = !me || count <= i;
    fail_at = -1;
    MPI_Bcast(&done, 1, MPI_LONG, bad, MPI_COMM_WORLD);
    if (same_code(code, done ? OG_OK : OG_ERR_MEMORY, "a failing allocation") && !done)
      names_rank(bad);
    if (!done)
      og_mpi_plan_destroy(plan);
  }
  a[1] = me ? NAN : a[1];
  same_code(og_mpi_plan_set_points(plan, 3, a, b, a), OG_ERR_POINT, "NaN");
  names_rank(bad);
  a[1] = 0.2;
  same_code(og_mpi_plan_set_points(plan, me ? -1 : 3, a, b, a), OG_ERR_ARGUMENT, "-1 points");
  same_code(og_mpi_plan_set_points(plan, 3, a, me ? NULL : b, a), OG_ERR_NULL, "no y");
  void *out = test_doubles(2 * 12 * 10 * 9);
  if (size > 1)
    same_code(og_mpi_type1(plan, me, values, out), OG_ERR_ARGUMENT, "other n_vectors");
  same_code(og_mpi_type1(plan, 1, me ? NULL : values, out), OG_ERR_NULL, "no strengths");
  same_code(og_mpi_type1(plan, 1, values, out), OG_OK, "after all these");
  og_mpi_plan_destroy(plan);
  if (size > 1) {
    const og_mpi_options own = {sizeof own, {0, 0}, 1, 1 << 20};
    int owner[3];
    CHECK_OK(og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, modes, &s.options, &own));
    CHECK_OK(og_mpi_plan_owners(plan, 3, a, b, a, owner));
    same_code(og_mpi_plan_set_points(plan, me && owner[0] != bad, a, b, a), owner[0] == bad ? OG_OK : OG_ERR_POINT,
              "a stray point");
    og_mpi_plan_destroy(plan);
  }
  CHECK(live == 0, "%ld blocks of memory left", live);
  test_free();
}

int main(int argc, char **argv) {
  og_mpi_plan plan;
  CHECK_CODE(og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, NULL, NULL, NULL), OG_ERR_ORDER, "not initialised");
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  test_begin(argc, argv, "the distributed transform");
  CHECK_CODE(og_mpi_plan_create(&plan, MPI_COMM_NULL, 3, NULL, NULL, NULL), OG_ERR_NULL, "MPI_COMM_NULL");
  const char *among = test_argument(argc, argv, "--among"); /* 1 in so many transforms and failing allocations */
  const int few = test.all || !among ? 1 : atoi(among);
  int round = 0;
  for (int ndim = 2; ndim <= 3; ndim++)
    FOR_PRECISIONS(precision)
  FOR_VALUES(real)
  for (int kind = 0; kind < 4; kind++, round++) {
    scene s = {.ndim = ndim, .options = OG_OPTIONS_DEFAULT, .mpi = OG_MPI_OPTIONS_DEFAULT};
    const int64_t sizes[4][3] = {{16, 16, 16}, {13, 11, 18}, {7, 30, 5}, {12, 8, 21}};
    memcpy(s.n_modes, sizes[kind], sizeof s.n_modes);
    s.options.precision = precision;
    s.options.values = real;
    s.options.tolerance = kind == 1 ? 1e-3 : test_tolerance[precision].tight;
    s.options.sigma = kind == 2 ? 1.5 : 2;
    s.options.backend = kind == 3 ? "ref" : "cpu";
    s.options.sign = kind % 2 ? 1 : -1;
    s.options.mode_order = round % 3 == 1;
    s.options.threads = 1;
    s.options.max_vectors = VECTORS;
    s.options.period_x = kind == 1 ? 3.5 : 0;
    s.options.fft_planning = OG_FFT_ESTIMATE;
    s.spread_by = round % 3;
    s.mpi.points_on_owners = s.spread_by == 2;
    s.mpi.message_bytes = kind == 1 ? 1000 : s.mpi.message_bytes;
    s.mpi.grid[0] = kind == 2 ? (ndim == 2 ? size : 1) : 0;
    s.mpi.grid[1] = kind == 2 ? (ndim == 2 ? 1 : size) : 0;
    if (!test_sample(few))
      continue;
    test_case("%d-D %s %s kind %d, %d ranks", ndim, test_precision_name[precision], test_values_name[real], kind, size);
    transform(&s);
  }
  scene s = {.ndim = 3, .options = OG_OPTIONS_DEFAULT};
  s.options.threads = 1;
  s.options.tolerance = 1e-3;
  s.options.fft_planning = OG_FFT_ESTIMATE;
  for (int bad = 0; bad < size; bad++)
    if (size <= 4 || bad == 0 || bad == size - 1 || test_sample(size))
      faults(s, bad, few);
  int failed = test_end(), any;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
