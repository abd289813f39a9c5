/* The pruned FFT is the sum that defines it, in both directions; cells that hold no mode do not leak in, whatever they
 * hold, and padding stays as it was. Both engines, precisions, kinds of values and signs, any sizes and modes. */
#include "grids.h"

enum { MARK = 12345 }; /* in the padding */

typedef struct one {
  const og_backend *engine;
  og_grid grid;
  int64_t n_modes[3];
  int sign, threads, planning;
} one;

static og_fft *plan_of(const one *c, void *memory) {
  og_fft *fft = NULL;
  CHECK_OK(og_fft_create(&fft, c->engine, &c->grid, c->n_modes, c->sign, c->planning, c->threads, memory));
  return fft;
}

static double tolerance(const one *c) { return 40 * test_tolerance[c->grid.precision].eps; }

static void check_padding(const one *c, const void *memory) {
  const og_grid *g = &c->grid;
  int64_t used = g->values == OG_REAL ? 2 * (g->n[0] / 2 + 1) : 2 * g->n[0], parts = g->values == OG_REAL ? 1 : 2;
  for (int64_t z = 0; z < g->n[2]; z++) {
    for (int64_t y = 0; y < g->n[1]; y++)
      for (int64_t i = used; i < g->stride[1] * parts; i++)
        CHECK(grid_get(g, memory, grid_at(g, 0, 0, y, z) + i) == MARK, "padding of a row was written");
    for (int64_t i = g->stride[1] * g->n[1] * parts; i < g->stride[2] * parts; i++)
      CHECK(grid_get(g, memory, grid_at(g, 0, 0, 0, z) + i) == MARK, "padding of a plane was written");
  }
}

static void forward(const one *c) {
  const og_grid *g = &c->grid;
  int parts = g->values == OG_REAL ? 1 : 2, sign = g->values == OG_REAL ? -1 : c->sign;
  int64_t cells = g->n[0] * g->n[1] * g->n[2];
  kept_cells *k = grid_kept_cells(g, c->n_modes);
  void *memory = grid_memory(g);
  og_fft *fft = plan_of(c, memory);
  grid_fill(g, memory, MARK);
  double *in = test_random(parts * cells, g->precision), *want = test_doubles(2 * k->all);
  for (int64_t i = 0; i < cells; i++)
    for (int p = 0; p < parts; p++)
      grid_put(g, memory, grid_at(g, 0, i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1]) + p,
               in[parts * i + p]);
  for (int64_t m = 0; m < k->all; m++) {
    int64_t mode[3] = {k->cell[0][m % k->n[0]], k->cell[1][m / k->n[0] % k->n[1]], k->cell[2][m / k->n[0] / k->n[1]]};
    long double complex sum = 0;
    for (int64_t i = 0; i < cells; i++) {
      int64_t l[3] = {i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1]};
      long double complex wave = grid_wave(g, mode, l), x = parts == 2 ? CMPLXL(in[2 * i], in[2 * i + 1]) : in[i];
      sum += x * (sign < 0 ? conjl(wave) : wave);
    }
    want[2 * m] = (double)creall(sum);
    want[2 * m + 1] = (double)cimagl(sum);
  }
  if (fft) {
    CHECK_OK(og_fft_forward(fft, memory));
    CHECK_AT_MOST(test_error(kept_values(g, k, memory), want, 2 * k->all), tolerance(c), "forward error");
    check_padding(c, memory);
  }
  og_fft_destroy(fft);
}

static void backward(const one *c) {
  const og_grid *g = &c->grid;
  int parts = g->values == OG_REAL ? 1 : 2, sign = g->values == OG_REAL ? 1 : -c->sign;
  int64_t cells = g->n[0] * g->n[1] * g->n[2];
  kept_cells *k = grid_kept_cells(g, c->n_modes);
  void *memory = grid_memory(g);
  og_fft *fft = plan_of(c, memory);
  int64_t used = g->values == OG_REAL ? 2 * (g->n[0] / 2 + 1) : 2 * g->n[0];
  grid_fill(g, memory, MARK);
  for (int64_t z = 0; z < g->n[2]; z++)
    for (int64_t y = 0; y < g->n[1]; y++)
      for (int64_t i = 0; i < used; i++)
        grid_put(g, memory, grid_at(g, 0, 0, y, z) + i, NAN);
  double *in = test_random(2 * k->all, g->precision), *want = test_doubles(parts * cells);
  for (int64_t m = 0; m < k->all; m++)
    for (int p = 0; p < 2; p++)
      grid_put(g, memory, kept_at(g, k, m) + p, in[2 * m + p]);
  for (int64_t i = 0; i < cells; i++) {
    int64_t l[3] = {i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1]};
    long double complex sum = 0;
    for (int64_t m = 0; m < k->all; m++) {
      int64_t mode[3] = {k->cell[0][m % k->n[0]], k->cell[1][m / k->n[0] % k->n[1]], k->cell[2][m / k->n[0] / k->n[1]]};
      long double complex wave = grid_wave(g, mode, l);
      sum += kept_weight(g, k, m) * CMPLXL(in[2 * m], in[2 * m + 1]) * (sign < 0 ? conjl(wave) : wave);
    }
    want[parts * i] = (double)creall(sum);
    if (parts == 2)
      want[2 * i + 1] = (double)cimagl(sum);
  }
  if (fft) {
    CHECK_OK(og_fft_backward(fft, memory));
    CHECK_AT_MOST(test_error(grid_values(g, memory), want, parts * cells), tolerance(c), "backward error");
    check_padding(c, memory);
  }
  og_fft_destroy(fft);
}

static void all_of(int ndim, const int64_t *n, const int64_t *n_modes, int64_t pad) {
  for (int e = 0; e < 2; e++)
    FOR_PRECISIONS(p)
  FOR_VALUES(v)
  for (int sign = -1; sign <= 1; sign += 2) {
    one c = {.engine = &engines[e], .grid = grid_make(ndim, n, p, v, pad), .sign = sign, .threads = 2};
    for (int d = 0; d < 3; d++)
      c.n_modes[d] = d < ndim ? n_modes[d] : 1;
    c.planning = OG_FFT_ESTIMATE;
    if (!test_sample(2))
      continue;
    test_case("%s %dd grid %lldx%lldx%lld modes %lldx%lldx%lld pad %lld %s %s sign %d", c.engine->name, ndim,
              (long long)c.grid.n[0], (long long)c.grid.n[1], (long long)c.grid.n[2], (long long)c.n_modes[0],
              (long long)c.n_modes[1], (long long)c.n_modes[2], (long long)pad, test_precision_name[p],
              test_values_name[v], sign);
    forward(&c);
    backward(&c);
    test_free();
  }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "The pruned FFT is the sum that defines it, and cells without modes do not leak in.");
  static const int64_t more[] = {25, 30, 31, 32, 37, 49, 64, 77, 97, 121, 128, 143, 251};
  for (int64_t i = 1; i <= 19 + 13; i++) { /* 1-D */
    int64_t n = i <= 19 ? i : more[i - 20], n_modes[] = {1, 2, n / 2, n - 1, n};
    for (int j = 0; j < 5; j++)
      if (n_modes[j] >= 1 && n_modes[j] <= n)
        all_of(1, &n, &n_modes[j], 0);
  }
  for (int i = 0; i < 60; i++) { /* 2-D and 3-D, some with a dimension of one cell or one mode */
    int ndim = 2 + i % 2;
    int64_t n[3], n_modes[3];
    for (int d = 0; d < ndim; d++) {
      n[d] = test_integer(1, ndim == 2 ? 23 : 9);
      n_modes[d] = i % 5 ? test_integer(1, n[d]) : n[d];
    }
    all_of(ndim, n, n_modes, i % 4);
  }
  return test_end();
}
