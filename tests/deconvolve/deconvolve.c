/* Modes are the kept cells of the spectrum times the factors, in the order asked for, and back: by the definition, one
 * mode at a time in long double, for both backends; other cells are not touched; any number of threads gives the same
 * bits. */
#include "../fft/grids.h"

typedef struct one {
  int cpu;
  og_grid grid;
  og_modes_setup setup;
  double *factor[3];
  int64_t all;
} one;

static int from_grid(const one *c, const void *grid, void *modes) {
  return (c->cpu ? og_cpu_modes_from_grid : og_ref_modes_from_grid)(&c->setup, 1, grid, modes);
}

static int to_grid(const one *c, int64_t n, const void *multipliers, const void *modes, void *grid) {
  return (c->cpu ? og_cpu_grid_from_modes : og_ref_grid_from_modes)(&c->setup, 1, n, multipliers, modes, grid);
}

/* First real of the cell of mode i, found by its wave numbers; its factor and how it counts backward. */
static int64_t cell_of(const one *c, int64_t i, long double *factor, double *weight) {
  const og_modes_setup *s = &c->setup;
  int64_t index[3] = {i % s->kept[0], i / s->kept[0] % s->kept[1], i / s->kept[0] / s->kept[1]}, cell[3];
  int real = c->grid.values == OG_REAL;
  *factor = 1;
  for (int d = 0; d < 3; d++) {
    int64_t n = s->n_modes[d], k = index[d];
    if (s->mode_order == OG_ORDER_ASCENDING)
      k -= n / 2;
    else if (k > (n - 1) / 2)
      k -= n;
    if (real && d == 0)
      k = index[0];
    cell[d] = ((k % c->grid.n[d]) + c->grid.n[d]) % c->grid.n[d];
    *factor *= c->factor[d][index[d]];
  }
  *weight = real && s->n_modes[0] < c->grid.n[0] && 2 * index[0] == s->n_modes[0] ? 0.5 : 1;
  return grid_at(&c->grid, 1, cell[0], cell[1], cell[2]);
}

static void check(const one *c, int n_vectors, int with_multipliers) {
  const og_grid *g = &c->grid;
  int precision = g->precision;
  double eps = 8 * test_tolerance[precision].eps;
  void *grid = grid_memory(g), *modes = test_pack(NULL, 2 * c->all, precision);
  double *cells = test_random(grid_size(g), precision);
  for (int64_t i = 0; i < grid_size(g); i++)
    grid_put(g, grid, i, cells[i]);
  CHECK_OK(from_grid(c, grid, modes));
  double *got = test_unpack(modes, 2 * c->all, precision), *want = test_doubles(2 * c->all), weight;
  long double f;
  for (int64_t i = 0; i < c->all; i++) {
    int64_t at = cell_of(c, i, &f, &weight);
    want[2 * i] = (double)(f * cells[at]);
    want[2 * i + 1] = (double)((c->setup.conjugate ? -f : f) * cells[at + 1]);
  }
  CHECK_AT_MOST(test_error(got, want, 2 * c->all), eps, "error of modes_from_grid");

  double *in = test_random(n_vectors * 2 * c->all, precision), *m = test_random(n_vectors * 2 * c->all, precision);
  char *untouched = test_keep(malloc((size_t)grid_size(g)));
  memset(untouched, 1, (size_t)grid_size(g));
  double *back = test_doubles(2 * c->all);
  grid_fill(g, grid, NAN);
  CHECK_OK(to_grid(c, n_vectors, with_multipliers ? test_pack(m, n_vectors * 2 * c->all, precision) : NULL,
                   test_pack(in, n_vectors * 2 * c->all, precision), grid));
  for (int64_t i = 0; i < c->all; i++) {
    int64_t at = cell_of(c, i, &f, &weight);
    long double complex sum = 0;
    for (int64_t v = 0; v < n_vectors; v++) {
      const double *x = in + 2 * (v * c->all + i), *y = m + 2 * (v * c->all + i);
      sum += CMPLXL(x[0], x[1]) * (with_multipliers ? CMPLXL(y[0], y[1]) : 1);
    }
    want[2 * i] = (double)(f * weight * creall(sum));
    want[2 * i + 1] = (double)(f * weight * (c->setup.conjugate ? -1 : 1) * cimagl(sum));
    back[2 * i] = grid_get(g, grid, at);
    back[2 * i + 1] = grid_get(g, grid, at + 1);
    untouched[at] = untouched[at + 1] = 0;
  }
  CHECK_AT_MOST(test_error(back, want, 2 * c->all), eps, "error of grid_from_modes");
  int spoiled = 0;
  for (int64_t i = 0; i < grid_size(g); i++)
    spoiled += untouched[i] && !isnan(grid_get(g, grid, i));
  CHECK(!spoiled, "%d cells without modes were written", spoiled);
}

static one make(int cpu, int ndim, const int64_t *n, const int64_t *n_modes, int precision, int values, int order,
                int conjugate) {
  one c = {.cpu = cpu, .grid = grid_make(ndim, n, precision, values, test_integer(0, 3))};
  c.setup = (og_modes_setup){.n_modes = {1, 1, 1}, .mode_order = order, .conjugate = conjugate, .threads = 1};
  c.all = 1;
  for (int d = 0; d < 3; d++) {
    c.setup.n_modes[d] = d < ndim ? n_modes[d] : 1;
    c.setup.kept[d] = d == 0 && values == OG_REAL ? c.setup.n_modes[0] / 2 + 1 : c.setup.n_modes[d];
    c.factor[d] = test_random(c.setup.kept[d], OG_F64);
    c.setup.factor[d] = c.factor[d];
    c.all *= c.setup.kept[d];
  }
  if (ndim < 3)
    c.factor[2][0] = 1;
  return c;
}

static void random_sizes(int i, int ndim, int64_t *n, int64_t *n_modes) {
  for (int d = 0; d < ndim; d++) {
    n[d] = test_integer(1, ndim == 1 ? 60 : 12);
    n_modes[d] = i % 4 ? test_integer(1, n[d]) : n[d];
  }
}

static void threads_give_the_same_bits(int precision, int values) {
  int64_t n[3] = {200, 150, 4}, n_modes[3] = {100, 121, 3};
  one c = make(1, 3, n, n_modes, precision, values, OG_ORDER_ASCENDING, values);
  c.setup.grid = &c.grid;
  test_case("threads %s %s", test_precision_name[precision], test_values_name[values]);
  void *grid = grid_memory(&c.grid), *first = NULL, *first_grid = NULL;
  double *in = test_random(grid_size(&c.grid), precision);
  size_t bytes = (size_t)c.all * og_value_bytes(precision, OG_COMPLEX);
  for (int t = 1; t <= 4; t++) {
    void *modes = test_pack(NULL, 2 * c.all, precision);
    c.setup.threads = t;
    for (int64_t i = 0; i < grid_size(&c.grid); i++)
      grid_put(&c.grid, grid, i, in[i]);
    CHECK_OK(from_grid(&c, grid, modes));
    if (!first)
      first = modes;
    CHECK(!memcmp(first, modes, bytes), "modes_from_grid: %d threads give other bits than 1", t);
    CHECK_OK(to_grid(&c, 1, modes, modes, grid));
    if (!first_grid)
      memcpy(first_grid = grid_memory(&c.grid), grid, c.grid.bytes);
    CHECK(!memcmp(first_grid, grid, c.grid.bytes), "grid_from_modes: %d threads give other bits than 1", t);
  }
  test_free();
}

static void multiply(int cpu, int precision, int threads, int64_t n, int conjugate, int in_place) {
  test_case("multiply %s %s n=%lld", cpu ? "cpu" : "ref", test_precision_name[precision], (long long)n);
  double *a = test_random(2 * n, precision), *m = test_random(2 * n, precision), *want = test_doubles(2 * n);
  void *in = test_pack(a, 2 * n, precision), *out = in_place ? in : test_pack(NULL, 2 * n, precision);
  CHECK_OK((cpu ? og_cpu_multiply : og_ref_multiply)(NULL, precision, threads, 1, n, conjugate,
                                                     test_pack(m, 2 * n, precision), in, out));
  for (int64_t i = 0; i < n; i++) {
    long double complex x = CMPLXL(a[2 * i], a[2 * i + 1]) * CMPLXL(m[2 * i], conjugate ? -m[2 * i + 1] : m[2 * i + 1]);
    want[2 * i] = (double)creall(x);
    want[2 * i + 1] = (double)cimagl(x);
  }
  CHECK_AT_MOST(test_error(test_unpack(out, 2 * n, precision), want, 2 * n), 4 * test_tolerance[precision].eps,
                "error");
  test_free();
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "Modes are the kept cells times the factors, in order; and back, touching nothing else.");
  for (int i = 0; i < 60; i++) {
    int ndim = 1 + i % 3;
    int64_t n[3] = {1, 1, 1}, n_modes[3] = {1, 1, 1};
    random_sizes(i, ndim, n, n_modes);
    for (int cpu = 0; cpu < 2; cpu++)
      FOR_PRECISIONS(p)
    FOR_VALUES(v)
    for (int order = 0; order < 2; order++)
      for (int conjugate = 0; conjugate <= v; conjugate++) {
        one c = make(cpu, ndim, n, n_modes, p, v, order, conjugate);
        c.setup.grid = &c.grid;
        test_case("%s %dd grid %lldx%lldx%lld modes %lldx%lldx%lld %s %s order %d conjugate %d", cpu ? "cpu" : "ref",
                  ndim, (long long)n[0], (long long)n[1], (long long)n[2], (long long)n_modes[0], (long long)n_modes[1],
                  (long long)n_modes[2], test_precision_name[p], test_values_name[v], order, conjugate);
        check(&c, 1, 0);
        check(&c, 1 + i % 3, 1);
        test_free();
      }
  }
  FOR_PRECISIONS(p) {
    FOR_VALUES(v) threads_give_the_same_bits(p, v);
    for (int cpu = 0; cpu < 2; cpu++)
      for (int i = 0; i < 8; i++)
        multiply(cpu, p, 1 + i, i == 7 ? 100003 : test_integer(1, 50), i & 1, i & 2);
  }
  return test_end();
}
