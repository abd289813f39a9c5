/* A driver's FFT is the sum that defines it, forward and backward: real and complex, f32 and f64, one to three dimensions, several
 * grids at once, rows and planes with padding, which stays as it was. */
#include "harness.h"

#include "gpu/drivers/fft.h"

enum { MARK = 777 };

typedef struct fft_case {
  int64_t n[3], row, plane, vectors, cells; /* cells: of a vector, all in complex cells */
  int precision, real;
} fft_case;

static int64_t at(const fft_case *c, int64_t v, int64_t x, int64_t y, int64_t z) {
  return 2 * (v * c->cells + z * c->plane + y * c->row) + x; /* in reals, but for x */
}

/* Along one dimension of compact [n2][n1][n0] complex numbers. */
static void transform_along(double *data, const int64_t n[3], int d, int sign) {
  int64_t stride = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1], all = n[0] * n[1] * n[2];
  double *line = test_doubles(2 * n[d]);
  for (int64_t i = 0; i < all; i++) {
    if (i / stride % n[d])
      continue;
    for (int64_t k = 0; k < n[d]; k++) {
      long double re = 0, im = 0;
      for (int64_t l = 0; l < n[d]; l++) {
        long double phase = sign * 6.283185307179586476925286766559L * (long double)(k * l % n[d]) / (long double)n[d];
        const double *a = data + 2 * (i + l * stride);
        re += a[0] * cosl(phase) - a[1] * sinl(phase);
        im += a[0] * sinl(phase) + a[1] * cosl(phase);
      }
      line[2 * k] = (double)re, line[2 * k + 1] = (double)im;
    }
    for (int64_t k = 0; k < n[d]; k++)
      memcpy(data + 2 * (i + k * stride), line + 2 * k, 2 * sizeof *line);
  }
}

/* One vector's compact complex numbers, transformed. */
static void transform_all(double *data, const fft_case *c, int sign) {
  for (int d = 0; d < 3; d++)
    if (c->n[d] > 1)
      transform_along(data, c->n, d, sign);
}

static const char *text_of(const fft_case *c, int sign) {
  static char text[200];
  snprintf(text, sizeof text, "%lldx%lldx%lld, %lld at once, rows of %lld, %s %s, sign %d", (long long)c->n[0],
           (long long)c->n[1], (long long)c->n[2], (long long)c->vectors, (long long)c->row,
           test_precision_name[c->precision], c->real ? "real" : "complex", sign);
  return text;
}

/* What is given and what is to come, in the layout of the driver; MARK where nothing may be written. */
static void fill(const fft_case *c, int sign, double *in, double *want) {
  int64_t all = c->n[0] * c->n[1] * c->n[2], half = c->n[0] / 2 + 1, total = 2 * c->vectors * c->cells;
  for (int64_t i = 0; i < total; i++)
    in[i] = want[i] = MARK;
  for (int64_t v = 0; v < c->vectors; v++) {
    double *a = test_random(2 * all, c->precision), *spectrum = test_doubles(2 * all);
    for (int64_t i = 0; c->real && i < all; i++)
      a[2 * i + 1] = 0;
    memcpy(spectrum, a, (size_t)(2 * all) * sizeof *a);
    /* real, backward: a's spectrum is the input, all * a the result */
    transform_all(spectrum, c, c->real ? -1 : sign);
    for (int64_t i = 0; i < all; i++) {
      int64_t x = i % c->n[0], y = i / c->n[0] % c->n[1], z = i / c->n[0] / c->n[1];
      double *cells = c->real && sign > 0 ? want : in, *modes = c->real && sign > 0 ? in : want;
      if (c->real) {
        cells[at(c, v, x, y, z)] = a[2 * i] * (sign > 0 ? (double)all : 1);
        if (x < half)
          memcpy(modes + at(c, v, 2 * x, y, z), spectrum + 2 * i, 2 * sizeof *a);
      } else {
        memcpy(in + at(c, v, 2 * x, y, z), a + 2 * i, 2 * sizeof *a);
        memcpy(want + at(c, v, 2 * x, y, z), spectrum + 2 * i, 2 * sizeof *a);
      }
    }
  }
}

static void check(test_gpu *gpu, const fft_case *c, void *plan, size_t work_bytes, int sign) {
  int64_t total = 2 * c->vectors * c->cells, used = c->real ? c->n[0] / 2 + 1 : c->n[0], n = 0;
  size_t bytes = (size_t)total * test_real_bytes(c->precision);
  double *in = test_doubles(total), *want = test_doubles(total);
  fill(c, sign, in, want);
  void *packed = test_pack(in, total, c->precision), *grid = test_gpu_put(gpu, packed, bytes);
  void *work = work_bytes ? test_gpu_put(gpu, NULL, work_bytes) : NULL;
  CHECK_OK(gpu->driver->fft->execute(plan, gpu->queue, sign, grid, work));
  test_gpu_take(gpu, grid, packed, bytes);
  if (work)
    gpu->driver->release(gpu->device->handle, work);
  double *got = test_unpack(packed, total, c->precision), *a = test_doubles(total), *b = test_doubles(total);
  for (int64_t i = 0; i < total; i++) {
    int64_t in_vector = i / 2 % c->cells, x = in_vector % c->plane % c->row;
    int inside = x < used && in_vector % c->plane / c->row < c->n[1] && in_vector / c->plane < c->n[2];
    if (!inside)
      CHECK(got[i] == MARK, "padding at %lld was written", (long long)i);
    else if (want[i] != MARK)
      a[n] = got[i], b[n++] = want[i];
  }
  CHECK_AT_MOST(test_error(a, b, n), 20 * test_tolerance[c->precision].eps, "relative error");
}

static void run(test_gpu *gpu, const fft_case *c) {
  const og_gpu_fft_setup setup = {.precision = c->precision,
                                  .values = c->real ? OG_REAL : OG_COMPLEX,
                                  .n = {c->n[0], c->n[1], c->n[2]},
                                  .stride = {1, c->row, c->plane},
                                  .vectors = c->vectors,
                                  .vector_cells = c->cells};
  void *plan = NULL;
  size_t work = 0;
  test_case("%s %s", gpu->driver->name, text_of(c, 0));
  if (!CHECK_OK(gpu->driver->fft->create(gpu->device->handle, &setup, &plan, &work)))
    return;
  for (int sign = -1; sign <= 1; sign += 2) {
    test_case("%s %s", gpu->driver->name, text_of(c, sign));
    check(gpu, c, plan, work, sign);
    test_free();
  }
  gpu->driver->fft->destroy(plan);
}

/* Sizes as og_fft_good_size chooses them, and others. */
static const int64_t sizes[][3] = {
    {2, 1, 1},    {56, 1, 1},  {97, 1, 1},  {350, 1, 1},  {1920, 1, 1}, {20000, 1, 1},
    {14, 12, 1},  {48, 2, 1},  {2, 30, 1},  {125, 17, 1}, {512, 8, 1},  {6, 10, 14},
    {24, 18, 20}, {2, 2, 108}, {64, 48, 2}, {21, 5, 6},   {40, 40, 40},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

int main(int argc, char **argv) {
  test_begin(argc, argv, "a driver's FFT is the sum that defines it");
  for (int i = 0; i < TEST_DRIVERS; i++) {
    test_gpu gpu = {0};
    if (!test_drivers[i]->fft || !test_driver_wanted(test_drivers[i]))
      continue;
    if (test_drivers[i]->fft->load() != OG_OK) {
      snprintf(test.context, sizeof test.context, "%s", test_drivers[i]->name);
      test_skip(og_last_error());
      continue;
    }
    if (!test_gpu_open(test_drivers[i], &gpu))
      continue;
    FOR_PRECISIONS(precision)
    for (int real = 0; real < 2; real++)
      for (int size = 0; size < SIZES; size++)
        for (int padded = 0; padded < 2; padded++) {
          if (!test_sample(60))
            continue;
          fft_case c = {.n = {sizes[size][0], sizes[size][1], sizes[size][2]}, .precision = precision, .real = real};
          c.vectors = padded ? 3 : 1;
          c.row = (real ? c.n[0] / 2 + 1 : c.n[0]) + (padded ? 3 : 0);
          c.plane = c.row * c.n[1] + (padded ? 2 * c.row : 0);
          c.cells = c.plane * c.n[2] + (padded ? 5 : 0);
          run(&gpu, &c);
        }
    test_gpu_close(&gpu);
  }
  return test_end();
}
