/* The cpu engine gives the same bits for any number of threads, is the same as ref, and its directions are adjoint: on
 * grids large enough for threads, with every planning effort, with rows that are not aligned, and with long lines. */
#include "grids.h"

typedef struct one {
  const char *name;
  int ndim;
  int64_t n[3], n_modes[3], pad;
  int same_bits; /* 0 where FFTW's own threads share out a line */
} one;

static const one cases[] = {
    {"rows and columns", 2, {150, 130, 1}, {75, 64, 1}, 3, 1},
    {"cube", 3, {40, 36, 30}, {21, 18, 15}, 4, 1},
    {"odd strides", 3, {45, 27, 35}, {22, 27, 9}, 1, 1},
    {"plates", 3, {128, 128, 3}, {64, 65, 2}, 4, 1},
    {"prime", 2, {211, 199, 1}, {101, 100, 1}, 5, 1},
    {"thin", 2, {3, 9000, 1}, {2, 4001, 1}, 1, 1},
    {"few columns", 2, {4000, 10, 1}, {3, 5, 1}, 1, 1},
    {"long row", 1, {90000, 1, 1}, {45000, 1, 1}, 0, 1},
    {"long row, square", 1, {131072, 1, 1}, {30001, 1, 1}, 0, 1},
    {"long row, small gap", 1, {135200, 1, 1}, {135101, 1, 1}, 0, 1},
    {"long rows", 2, {90000, 3, 1}, {45001, 2, 1}, 1, 1},
    {"long row, unsplit", 1, {74002, 1, 1}, {37002, 1, 1}, 0, 0},
    {"long columns", 2, {3, 70000, 1}, {2, 35000, 1}, 1, 0},
};

/* A random spectrum or grid, the same for each seed; all of the memory, so that kept cells are in it. */
static void fill_random(const og_grid *g, void *memory, uint64_t seed) {
  test.state = seed;
  for (int64_t i = 0; i < grid_size(g); i++)
    grid_put(g, memory, i, test_uniform());
}

static double *run(const one *c, const og_grid *g, const og_backend *engine, int planning, int threads, int backward,
                   uint64_t seed) {
  void *memory = grid_memory(g);
  og_fft *fft = NULL;
  double *result = test_doubles(1);
  if (!CHECK_OK(og_fft_create(&fft, engine, g, c->n_modes, -1, planning, threads, memory)))
    return result;
  fill_random(g, memory, seed);
  CHECK_OK(backward ? og_fft_backward(fft, memory) : og_fft_forward(fft, memory));
  og_fft_destroy(fft);
  if (backward)
    return grid_values(g, memory);
  int64_t *cells[3], n[3], all = 1;
  for (int d = 0; d < 3; d++) {
    cells[d] = test_keep(malloc((size_t)g->n[d] * sizeof **cells + 8));
    all *= n[d] = grid_kept(g, c->n_modes, d, cells[d]);
  }
  result = test_doubles(2 * all);
  for (int64_t i = 0; i < 2 * all; i++) {
    int64_t m = i / 2;
    result[i] = grid_get(
        g, memory, grid_at(g, 1, cells[0][m % n[0]], cells[1][m / n[0] % n[1]], cells[2][m / n[0] / n[1]]) + i % 2);
  }
  return result;
}

static int64_t result_size(const one *c, const og_grid *g, int backward) {
  int64_t real = g->values == OG_REAL;
  if (backward)
    return g->n[0] * g->n[1] * g->n[2] * (real ? 1 : 2);
  return 2 * (real ? c->n_modes[0] / 2 + 1 : c->n_modes[0]) * c->n_modes[1] * c->n_modes[2];
}

/* <forward a, b> over kept cells, weighted for real values, is <a, backward b>. */
static void check_adjoint(const one *c, const og_grid *g, const double *forward, const double *backward) {
  void *a = grid_memory(g), *b = grid_memory(g);
  fill_random(g, a, 1);
  fill_random(g, b, 2);
  int64_t kept[4096 * 48];
  long double left = 0, right = 0, scale = 0;
  double *values = grid_values(g, a);
  for (int64_t i = 0; i < result_size(c, g, 1); i++) {
    right += (long double)values[i] * backward[i];
    scale += fabsl((long double)values[i] * backward[i]);
  }
  int64_t *cy = test_keep(malloc((size_t)g->n[1] * 8)), *cz = test_keep(malloc((size_t)g->n[2] * 8));
  int64_t n[3] = {grid_kept(g, c->n_modes, 0, kept), grid_kept(g, c->n_modes, 1, cy), grid_kept(g, c->n_modes, 2, cz)};
  for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
    int64_t x = kept[i % n[0]], at = grid_at(g, 1, x, cy[i / n[0] % n[1]], cz[i / n[0] / n[1]]);
    double w = g->values == OG_COMPLEX || x == 0 || 2 * x == g->n[0] ? 1 : 2;
    for (int p = 0; p < 2; p++)
      left += w * (long double)forward[2 * i + p] * grid_get(g, b, at + p);
  }
  CHECK_AT_MOST((double)(fabsl(left - right) / scale), 20 * test_tolerance[g->precision].eps, "adjointness defect");
}

static void check_case(const one *c, int precision, int values) {
  og_grid g = grid_make(c->ndim, c->n, precision, values, c->pad);
  double *by_direction[2];
  for (int backward = 0; backward < 2; backward++) {
    int64_t size = result_size(c, &g, backward);
    double *ref = run(c, &g, &engines[0], OG_FFT_ESTIMATE, 1, backward, 1 + (uint64_t)backward);
    double *first = run(c, &g, &engines[1], OG_FFT_ESTIMATE, 1, backward, 1 + (uint64_t)backward);
    CHECK_AT_MOST(test_error(first, ref, size), 10 * test_tolerance[precision].eps * (c->n[0] == 211 ? 4 : 1),
                  "error against ref");
    static const int teams[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
      double *next = run(c, &g, &engines[1], OG_FFT_ESTIMATE, teams[i], backward, 1 + (uint64_t)backward);
      if (teams[i] == 1 || c->same_bits)
        CHECK(test_same_bits(next, first, size), "%d threads give other bits than 1", teams[i]);
      else
        CHECK_AT_MOST(test_error(next, ref, size), 10 * test_tolerance[precision].eps, "error against ref, threads");
    }
    double *quick = run(c, &g, &engines[1], OG_FFT_AUTO, 2, backward, 1 + (uint64_t)backward);
    CHECK_AT_MOST(test_error(quick, ref, size), 20 * test_tolerance[precision].eps, "error with auto planning");
    double *again = run(c, &g, &engines[1], OG_FFT_ESTIMATE, 1, backward, 1 + (uint64_t)backward);
    CHECK(test_same_bits(again, first, size), "ESTIMATE gives other bits after AUTO");
    by_direction[backward] = first;
  }
  if (c->n[0] < 4096 * 48)
    check_adjoint(c, &g, by_direction[0], by_direction[1]);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "The cpu engine gives the same bits for any number of threads, is ref's equal, and adjoint.");
  char folder[] = "/tmp/offgrid-test-XXXXXX";
  if (!mkdtemp(folder))
    return 2;
  setenv("OFFGRID_CACHE", folder, 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    FOR_PRECISIONS(p)
  FOR_VALUES(v) {
    test_case("%s %s %s", cases[i].name, test_precision_name[p], test_values_name[v]);
    check_case(&cases[i], p, v);
    test_free();
  }
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) ? 2 : test_end();
}
