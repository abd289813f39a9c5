/* On any number of ranks: types 1 and 2, gradient and filter equal one process's result to rounding and the direct sum to the
 * tolerance, points may be set again, and the bytes sent are what boxes and owners imply. */
#include "mpi/layout.h"
#include "mpi/ranks.h"

/* ---- the same random problem on every rank; a rank gives the points that `giver` says */

enum { POINTS = 400, VECTORS = 2 };

typedef struct scene {
  int ndim;
  int64_t n_modes[3];
  og_options options;
  og_mpi_options mpi;
  int spread_by; /* 0: dealt round; 1: all on the last rank; 2: on their owners; 3: none at all */
  int64_t points;
} scene;

static double *x[3], *strengths, *multipliers;
static void *packed[3];
static int owner[POINTS], giver[POINTS];

static void make_points(const scene *s, int64_t n_kept) {
  for (int d = 0; d < 3; d++) {
    x[d] = test_doubles(POINTS);
    for (int64_t j = 0; j < POINTS; j++)
      x[d][j] = test_round(j % 7 == 0 ? (double)(j % 5) * 0.3 : 20 * test_uniform(), s->options.precision);
    x[d][1] = 0;
    x[d][2] = -1e-18;
    const double far[3] = {7e3, -7e6, 3e8};
    for (int j = 0; d && j < 3; j++)
      x[d][3 + j] = test_round(d == 1 ? far[j] : -far[j], s->options.precision);
    packed[d] = test_pack(x[d], POINTS, s->options.precision);
  }
  strengths = test_random((int64_t)2 * VECTORS * POINTS, s->options.precision);
  multipliers = test_random(2 * VECTORS * n_kept, s->options.precision);
}

/* This rank's part of n_vectors vectors of values at all points, packed. */
static void *pick(const scene *s, int64_t n_vectors, const double *all, int parts, int64_t *n) {
  double *mine = test_doubles(n_vectors * POINTS * parts);
  int64_t at = 0;
  *n = 0;
  for (int64_t j = 0; j < s->points; j++)
    *n += giver[j] == rank;
  for (int64_t v = 0; v < n_vectors; v++)
    for (int64_t j = 0; j < s->points; j++)
      for (int c = 0; c < parts && giver[j] == rank; c++)
        mine[at++] = all[(v * s->points + j) * parts + c];
  return test_pack(mine, at, s->options.precision);
}

/* This rank's box of n_vectors vectors of modes, packed. */
static void *pick_modes(const scene *s, int64_t n_vectors, const double *all, const int64_t lower[3],
                        const int64_t upper[3], const int64_t kept[3]) {
  const int64_t row = upper[0] > lower[0] ? 2 * (upper[0] - lower[0]) : 0;
  double *mine = test_doubles(2 * n_vectors * kept[0] * kept[1] * kept[2]);
  int64_t at = 0;
  for (int64_t v = 0; v < n_vectors; v++)
    for (int64_t z = lower[2]; z < upper[2]; z++)
      for (int64_t y = lower[1]; y < upper[1]; y++, at += row)
        memcpy(mine + at, all + 2 * (((v * kept[2] + z) * kept[1] + y) * kept[0] + lower[0]),
               (size_t)row * sizeof *all);
  return test_pack(mine, at, s->options.precision);
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

/* The points that this rank gives and another owns, or the other way round. */
static int64_t travellers(const scene *s, int giving) {
  int64_t n = 0;
  for (int64_t j = 0; j < s->points; j++)
    n += giver[j] != owner[j] && (giving ? giver[j] : owner[j]) == rank;
  return n;
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
  int64_t owned = 0;
  for (int64_t j = 0; j < s->points; j++)
    owned += owner[j] == rank;
  CHECK(r.n_owned == owned && sum_of(r.n_points) == s->points, "points were lost");
  CHECK(r.bytes_points == travellers(s, 1) * s->ndim * (int64_t)sizeof(double), "points: %lld bytes",
        (long long)r.bytes_points);
  CHECK(r.bytes_values == VECTORS * travellers(s, giving) * value, "values: %lld bytes", (long long)r.bytes_values);
}

/* What one process says: modes of VECTORS vectors, values and gradients back from them, and a filter's values. */
typedef struct answers {
  double *modes, *values, *gradients, *filtered;
} answers;

static answers one_process(const scene *s, int64_t n_kept) {
  og_plan plan;
  const int precision = s->options.precision;
  const int64_t parts = s->options.values ? 1 : 2, n_values = s->points * parts, n_modes = VECTORS * n_kept * 2;
  void *in = test_pack(strengths, VECTORS * n_values, precision), *out = test_pack(NULL, n_modes, precision),
       *back = test_pack(NULL, VECTORS * n_values, precision),
       *slopes = test_pack(NULL, 3 * VECTORS * n_values, precision), *filtered = test_pack(NULL, n_values, precision);
  if (!CHECK_OK(og_plan_create(&plan, s->ndim, s->n_modes, &s->options)))
    exit(1);
  CHECK_OK(og_plan_set_points(plan, s->points, packed[0], packed[1], packed[2]));
  CHECK_OK(og_type1(plan, VECTORS, in, out));
  CHECK_OK(og_type2(plan, VECTORS, out, back));
  if (s->options.gradient)
    CHECK_OK(og_type2_gradient(plan, VECTORS, out, NULL, slopes));
  CHECK_OK(og_filter(plan, VECTORS, in, 1, test_pack(multipliers, n_modes, precision), filtered));
  og_plan_destroy(plan);
  return (answers){test_unpack(out, n_modes, precision), test_unpack(back, VECTORS * n_values, precision),
                   test_unpack(slopes, 3 * VECTORS * n_values, precision), test_unpack(filtered, n_values, precision)};
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
  for (int64_t j = 0; j < s->points; j++) {
    complex_strengths[2 * j] = strengths[real ? j : 2 * j];
    complex_strengths[2 * j + 1] = real ? 0 : strengths[2 * j + 1];
  }
  right = test_doubles(2 * boxed);
  const double *const from[3] = {scaled[0], scaled[1], scaled[2]}, *const to[3] = {k[0], k[1], k[2]};
  CHECK_OK(og_direct_sum(s->ndim, s->options.sign, s->points, from, complex_strengths, boxed, to, right));
  CHECK_AT_MOST(error_of(modes, right, 2 * boxed), 4 * s->options.tolerance, "distance from the direct sum");
}

/* got and want: packed, n numbers of this rank. */
static void compare(const scene *s, const void *got, const void *want, int64_t n, double limit, const char *what) {
  const int precision = s->options.precision;
  CHECK_AT_MOST(error_of(test_unpack(got, n, precision), test_unpack(want, n, precision), n), limit, what);
}

/* Where the points start, who gives them, and another set of points before. */
static int64_t deal(const scene *s, og_mpi_plan plan) {
  int64_t n;
  void *mine[3];
  CHECK_OK(og_mpi_plan_owners(plan, POINTS, packed[0], packed[1], packed[2], owner));
  for (int64_t j = 0; j < s->points; j++)
    giver[j] = s->spread_by == 2 ? owner[j] : s->spread_by ? size - 1 : (int)(j % size);
  if (s->spread_by != 2)
    CHECK_OK(og_mpi_plan_set_points(plan, rank % 3 * 20, packed[2], packed[1], packed[0]));
  for (int d = 0; d < 3; d++)
    mine[d] = pick(s, 1, x[d], 1, &n);
  CHECK_OK(og_mpi_plan_set_points(plan, n, mine[0], mine[1], s->ndim > 2 ? mine[2] : NULL));
  return n;
}

static void transform(const scene *s) {
  og_mpi_plan plan;
  const int precision = s->options.precision, parts = s->options.values ? 1 : 2;
  const int64_t kept[3] = {parts == 1 ? s->n_modes[0] / 2 + 1 : s->n_modes[0], s->n_modes[1],
                           s->ndim > 2 ? s->n_modes[2] : 1},
                n_kept = kept[0] * kept[1] * kept[2];
  int64_t lower[3], upper[3], unused;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (!CHECK_OK(og_mpi_plan_create(&plan, comm, s->ndim, s->n_modes, &s->options, &s->mpi)))
    return;
  MPI_Comm_free(&comm); /* the plan has its own */
  make_points(s, n_kept);
  const int64_t n = deal(s, plan);
  CHECK_OK(og_mpi_plan_modes_box(plan, lower, upper));
  int64_t boxed = 1;
  for (int d = 0; d < 3; d++)
    boxed *= upper[d] - lower[d];
  void *modes = test_pack(NULL, VECTORS * boxed * 2, precision),
       *values = test_pack(NULL, VECTORS * n * parts, precision),
       *beside = test_pack(NULL, VECTORS * n * parts, precision),
       *gradients = test_pack(NULL, s->ndim * VECTORS * n * parts, precision),
       *filtered = test_pack(NULL, n * parts, precision), *in = pick(s, VECTORS, strengths, parts, &unused);
  CHECK_OK(og_mpi_type1(plan, VECTORS, in, modes));
  check_bytes(s, plan, 1);
  CHECK_OK(og_mpi_type2(plan, VECTORS, modes, values));
  check_bytes(s, plan, 0);
  if (s->options.gradient) /* values are wanted on the last rank only */
    CHECK_OK(og_mpi_type2_gradient(plan, VECTORS, modes, rank == size - 1 ? beside : NULL, gradients));
  CHECK_OK(og_mpi_filter(plan, VECTORS, in, 1, pick_modes(s, VECTORS, multipliers, lower, upper, kept), filtered));
  og_mpi_plan_destroy(plan);
  check_leaks();

  const double limit = 20 * test_tolerance[precision].rounding;
  const answers want = one_process(s, n_kept);
  compare(s, modes, pick_modes(s, VECTORS, want.modes, lower, upper, kept), VECTORS * boxed * 2, limit,
          "type 1's distance from one process");
  compare(s, values, pick(s, VECTORS, want.values, parts, &unused), VECTORS * n * parts, limit,
          "type 2's distance from one process");
  compare(s, filtered, pick(s, 1, want.filtered, parts, &unused), n * parts, limit,
          "the filter's distance from one process");
  if (s->options.gradient) {
    compare(s, gradients, pick(s, s->ndim * VECTORS, want.gradients, parts, &unused), s->ndim * VECTORS * n * parts,
            10 * limit, "the gradient's distance from one process");
    compare(s, rank == size - 1 ? beside : values, values, VECTORS * n * parts, limit, "values beside gradients");
  }
  direct(s, lower, upper, test_unpack(modes, VECTORS * boxed * 2, precision));
  test_free();
}

int main(int argc, char **argv) {
  start(&argc, &argv, MPI_THREAD_FUNNELED, "the distributed transform equals one process's");
  const char *among = test_argument(argc, argv, "--among"); /* 1 in so many transforms */
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
    s.options.gradient = round % 4 < 2;
    s.options.threads = size < 3 ? 2 : 1;
    s.options.max_vectors = VECTORS;
    s.options.period_x = kind == 1 ? 3.5 : 0;
    s.options.fft_planning = OG_FFT_ESTIMATE;
    s.spread_by = round % 3;
    s.points = round == 5 || round == 24 ? 0 : POINTS;
    s.mpi.points_on_owners = s.spread_by == 2;
    s.mpi.message_bytes = kind == 1 ? 1000 : s.mpi.message_bytes;
    s.mpi.grid[0] = kind == 2 ? (ndim == 2 ? size : 1) : 0;
    s.mpi.grid[1] = kind == 2 ? (ndim == 2 ? 1 : size) : 0;
    if (!test_sample(few))
      continue;
    test_case("%d-D %s %s kind %d, %d ranks", ndim, test_precision_name[precision], test_values_name[real], kind, size);
    transform(&s);
  }
  return finish();
}
