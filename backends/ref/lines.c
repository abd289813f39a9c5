/* 1-D FFT lines, plainly: n = p m with the smallest prime p, p transforms of m points, combined by the definition. All
 * arithmetic in double, roots of unity one by one; a prime n costs n^2. The judge of the other engines. */
#include "base/memory.h"
#include "ref/ref.h"

#include <complex.h>
#include <math.h>

typedef double complex cell;

typedef struct lines {
  og_lines_kind kind;
  int precision;
  int64_t n, stride;
  cell *root;               /* [n]: exp(sign 2 pi i k / n) */
  cell *in, *out, *scratch; /* [n] each */
} lines;

static double get(const lines *l, const void *memory, int64_t i) {
  return l->precision == OG_F32 ? ((const float *)memory)[i] : ((const double *)memory)[i];
}

static void put(const lines *l, void *memory, int64_t i, double x) {
  if (l->precision == OG_F32)
    ((float *)memory)[i] = (float)x;
  else
    ((double *)memory)[i] = x;
}

static int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; p++)
    if (n % p == 0)
      return p;
  return n;
}

/* out[k] = sum_j in[j step] root[j k l->n / n] for k < n */
static void transform(const lines *l, int64_t n, const cell *in, int64_t step, cell *out) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  int64_t p = smallest_factor(n), m = n / p;
  for (int64_t r = 0; r < p; r++)
    transform(l, m, in + r * step, step * p, out + r * m);
  for (int64_t k = 0; k < m; k++) {
    for (int64_t q = 0; q < p; q++) {
      cell sum = 0;
      for (int64_t r = 0; r < p; r++)
        sum += out[r * m + k] * l->root[r * (k + q * m) % n * (l->n / n)];
      l->scratch[q] = sum;
    }
    for (int64_t q = 0; q < p; q++)
      out[q * m + k] = l->scratch[q];
  }
}

/* One line whose first point is complex cell `first`. */
static void line(const lines *l, int64_t first, og_range gap, void *grid) {
  int64_t n = l->n, half = n / 2 + 1, n_in = l->kind == OG_LINES_C2R ? half : n;
  for (int64_t j = 0; j < n_in; j++) {
    int64_t at = 2 * (first + j * l->stride);
    if (l->kind == OG_LINES_R2C)
      l->in[j] = get(l, grid, 2 * first + j);
    else if (j >= gap.begin && j < gap.end)
      l->in[j] = 0;
    else
      l->in[j] = CMPLX(get(l, grid, at), get(l, grid, at + 1));
  }
  if (l->kind == OG_LINES_C2R) {
    l->in[0] = creal(l->in[0]);
    if (n % 2 == 0)
      l->in[n / 2] = creal(l->in[n / 2]);
    for (int64_t j = half; j < n; j++)
      l->in[j] = conj(l->in[n - j]);
  }
  transform(l, n, l->in, 1, l->out);
  for (int64_t k = 0; k < (l->kind == OG_LINES_R2C ? half : n); k++) {
    int64_t at = 2 * (first + k * l->stride);
    if (l->kind == OG_LINES_C2R) {
      put(l, grid, 2 * first + k, creal(l->out[k]));
    } else {
      put(l, grid, at, creal(l->out[k]));
      put(l, grid, at + 1, cimag(l->out[k]));
    }
  }
}

int og_ref_lines_create(const og_lines_setup *setup, void **handle) {
  *handle = NULL;
  size_t n = (size_t)setup->n;
  lines *l = og_allocate_zeroed(sizeof *l);
  cell *memory = og_allocate(og_bytes(n, 4 * sizeof(cell)));
  if (!l || !memory) {
    og_free(l);
    og_free(memory);
    OG_FAIL(OG_ERR_MEMORY, "no memory for a line of %lld points", (long long)setup->n);
  }
  *l = (lines){setup->kind, setup->precision, setup->n,       setup->stride,
               memory,      memory + n,       memory + 2 * n, memory + 3 * n};
  int sign = setup->kind == OG_LINES_R2C ? -1 : setup->kind == OG_LINES_C2R ? 1 : setup->sign;
  for (size_t k = 0; k < n; k++) {
    long double phase = 2 * acosl(-1.0L) * (long double)k / (long double)n;
    l->root[k] = CMPLX((double)cosl(phase), (double)(sign * sinl(phase)));
  }
  *handle = l;
  return OG_OK;
}

int og_ref_lines_execute(void *handle, const og_lines_pass *pass, void *grid) {
  const lines *l = handle;
  for (int o = 0; o < pass->n_outer; o++)
    for (int64_t io = pass->outer[o].begin; io < pass->outer[o].end; io++)
      for (int s = 0; s < pass->n_side; s++)
        for (int64_t is = pass->side[s].begin; is < pass->side[s].end; is++)
          line(l, io * pass->outer_stride + is * pass->side_stride, pass->gap, grid);
  return OG_OK;
}

void og_ref_lines_destroy(void *handle) {
  lines *l = handle;
  if (l)
    og_free(l->root);
  og_free(l);
}
