/* The arithmetic of deconvolve.c on pieces of rows: loops that the compiler turns into SIMD code. */
#include "base/real.h"
#include "cpu/deconvolve_rows.h"

void OG_P(og_row_scale)(int64_t n, const double *factor, double scale, int conjugate, const void *in, void *out) {
  const real *restrict a = in;
  real *restrict b = out;
  if (conjugate)
    for (int64_t i = 0; i < n; i++) {
      real f = (real)(factor[i] * scale);
      b[2 * i] = a[2 * i] * f;
      b[2 * i + 1] = -a[2 * i + 1] * f;
    }
  else
    for (int64_t i = 0; i < n; i++) {
      real f = (real)(factor[i] * scale);
      b[2 * i] = a[2 * i] * f;
      b[2 * i + 1] = a[2 * i + 1] * f;
    }
}

void OG_P(og_row_multiply)(int64_t n, const double *factor, double scale, int conjugate, int add,
                           const void *multiplier, const void *in, void *out) {
  const real *restrict a = in, *restrict m = multiplier;
  real *restrict b = out, sign = conjugate ? -1 : 1;
  for (int64_t i = 0; i < n; i++) {
    real f = (real)(factor[i] * scale), re = a[2 * i] * m[2 * i] - a[2 * i + 1] * m[2 * i + 1],
         im = a[2 * i] * m[2 * i + 1] + a[2 * i + 1] * m[2 * i];
    real re_old = add ? b[2 * i] : 0, im_old = add ? b[2 * i + 1] : 0; /* not 0 * garbage */
    b[2 * i] = re_old + f * re;
    b[2 * i + 1] = im_old + sign * f * im;
  }
}

void OG_P(og_row_product)(int64_t n, int conjugate, const void *multiplier, const void *in, void *out) {
  const real *m = multiplier, *a = in;
  real *b = out, sign = conjugate ? -1 : 1;
  for (int64_t i = 0; i < n; i++) {
    real re = a[2 * i], im = a[2 * i + 1], mr = m[2 * i], mi = sign * m[2 * i + 1];
    b[2 * i] = re * mr - im * mi;
    b[2 * i + 1] = re * mi + im * mr;
  }
}
