/* spreadinterponly: the grid starts at x = -pi; spreading follows a point, conserves its mass and is the adjoint of
 * interpolation; nothing is said about the window, as in FINUFFT. */
#include "calls.h"

static const double pi = 3.141592653589793238462643383;

static int run(call *k, int type, int ntrans) {
  k->type = type;
  k->ntrans = ntrans;
  k->many = ntrans > 1;
  return call_run(k);
}

static call make(int precision, int ndim, const int64_t n[3], int64_t n_points, finufft_opts *o) {
  finufft_default_opts(o);
  o->spreadinterponly = 1;
  o->modeord = 1; /* of no effect here */
  o->upsampfac = 2;
  call k = {.precision = precision,
            .ndim = ndim,
            .isign = 1,
            .eps = precision == OG_F32 ? 1e-4 : 1e-9,
            .n_points = n_points,
            .n = {n[0], n[1], n[2]},
            .opts = o};
  call_points(&k);
  return k;
}

/* One point on cell (m0, m1, m2): the grid is symmetric about it and largest there. */
static void centred(int precision, int ndim, const int64_t n[3]) {
  finufft_opts o;
  call k = make(precision, ndim, n, 1, &o);
  int64_t m[3] = {0, 0, 0}, cells = call_outputs(&k);
  for (int d = 0; d < ndim; d++) {
    m[d] = test_integer(0, n[d] - 1);
    k.x[d][0] = test_round(-pi + 2 * pi * (double)m[d] / (double)n[d], precision);
    k.px[d] = test_pack(k.x[d], 1, precision);
  }
  double one[2] = {1, 0};
  k.c = test_pack(one, 2, precision);
  k.f = test_pack(NULL, 2 * cells, precision);
  CHECK(run(&k, 1, 1) == 0, "spreading failed");
  double *g = test_unpack(k.f, 2 * cells, precision), most = 0, asymmetry = 0;
  int64_t at = m[0] + n[0] * (m[1] + n[1] * m[2]);
  for (int64_t i = 0; i < cells; i++) {
    int64_t i0 = i % n[0], i1 = i / n[0] % n[1], i2 = i / n[0] / n[1];
    int64_t j0 = (2 * m[0] - i0 + 2 * n[0]) % n[0], j1 = (2 * m[1] - i1 + 2 * n[1]) % n[1];
    int64_t j2 = (2 * m[2] - i2 + 2 * n[2]) % n[2];
    most = fmax(most, g[2 * i]);
    asymmetry = fmax(asymmetry, fabs(g[2 * i] - g[2 * (j0 + n[0] * (j1 + n[1] * j2))]));
  }
  CHECK(g[2 * at] > 0.99 * most, "the peak is %g, at the point's cell the grid is %g", most, g[2 * at]);
  CHECK_AT_MOST(asymmetry / most, 5 * k.eps, "asymmetry about the point"); /* the window is fitted to eps */
}

/* <S c, g> = <c, S* g> for a batch. */
static void adjoint(int precision, int ndim, const int64_t n[3]) {
  enum { M = 33, VECTORS = 2 };
  finufft_opts o;
  call k = make(precision, ndim, n, M, &o);
  int64_t cells = call_outputs(&k), c_size = 2 * M * VECTORS, f_size = 2 * cells * VECTORS;
  double *c = test_random(c_size, precision), *g = test_random(f_size, precision);
  k.c = test_pack(c, c_size, precision);
  k.f = test_pack(NULL, f_size, precision);
  CHECK(run(&k, 1, VECTORS) == 0, "spreading failed");
  double *sc = test_unpack(k.f, f_size, precision), left = 0, right = 0;
  k.c = test_pack(NULL, c_size, precision);
  k.f = test_pack(g, f_size, precision);
  CHECK(run(&k, 2, VECTORS) == 0, "interpolation failed");
  double *sg = test_unpack(k.c, c_size, precision);
  for (int64_t i = 0; i < f_size; i++)
    left += sc[i] * g[i];
  for (int64_t i = 0; i < c_size; i++)
    right += c[i] * sg[i];
  double scale = test_norm(sc, f_size) * test_norm(g, f_size);
  CHECK_AT_MOST(fabs(left - right) / scale, precision == OG_F32 ? 1e-5 : 1e-13, "<S c, g> - <c, S* g>");
}

/* The sum over the grid is one window's mass per strength, to the tolerance. */
static void mass(int precision, int ndim, const int64_t n[3]) {
  enum { M = 40 };
  finufft_opts o;
  call k = make(precision, ndim, n, M, &o);
  int64_t cells = call_outputs(&k);
  double low = INFINITY, high = 0;
  double *grid = test_doubles(2 * cells);
  for (int64_t i = 0; i < cells; i++)
    grid[2 * i] = 1;
  k.c = test_pack(NULL, 2 * M, precision);
  k.f = test_pack(grid, 2 * cells, precision);
  CHECK(run(&k, 2, 1) == 0, "interpolation failed");
  double *value = test_unpack(k.c, 2 * M, precision);
  for (int j = 0; j < M; j++) {
    low = fmin(low, value[2 * j]);
    high = fmax(high, value[2 * j]);
  }
  CHECK_AT_MOST((high - low) / high, 20 * k.eps, "spread of the window's mass over the points");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "spreadinterponly spreads and interpolates on FINUFFT's grid.");
  const int64_t sizes[3][3] = {{64, 1, 1}, {45, 32, 1}, {36, 33, 35}};
  FOR_BACKENDS(backend) {
    setenv("OFFGRID_BACKEND", backend, 1);
    FOR_PRECISIONS(precision)
    for (int ndim = 1; ndim <= 3; ndim++) {
      test_case("%dd %s %s", ndim, test_precision_name[precision], backend);
      centred(precision, ndim, sizes[ndim - 1]);
      adjoint(precision, ndim, sizes[ndim - 1]);
      mass(precision, ndim, sizes[ndim - 1]);
      test_free();
    }
  }
  return test_end();
}
