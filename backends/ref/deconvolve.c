/* Modes from the fine spectrum and back, plainly: one mode after the other, in double. */
#include "ref/ref.h"

#include <complex.h>

typedef double complex cell;

static cell get(int precision, const void *memory, int64_t i) {
  if (precision == OG_F32)
    return CMPLX(((const float *)memory)[2 * i], ((const float *)memory)[2 * i + 1]);
  return CMPLX(((const double *)memory)[2 * i], ((const double *)memory)[2 * i + 1]);
}

static void put(int precision, void *memory, int64_t i, cell x) {
  if (precision == OG_F32) {
    ((float *)memory)[2 * i] = (float)creal(x);
    ((float *)memory)[2 * i + 1] = (float)cimag(x);
  } else {
    ((double *)memory)[2 * i] = creal(x);
    ((double *)memory)[2 * i + 1] = cimag(x);
  }
}

/* The cell of entry i of dimension d of a modes array. */
static int64_t cell_of(const og_modes_setup *s, int d, int64_t i) {
  int64_t n = s->grid->n[d], big_n = s->n_modes[d], k = i;
  if (d == 0 && s->grid->values == OG_REAL)
    return i;
  if (s->mode_order == OG_ORDER_ASCENDING)
    k = i - big_n / 2;
  else if (i >= big_n - big_n / 2)
    k = i - big_n;
  return k < 0 ? k + n : k;
}

typedef struct place {
  int64_t mode, cell; /* indices of complex numbers in the modes array and in the grid */
  double factor;
} place;

static place place_of(const og_modes_setup *s, int64_t ix, int64_t iy, int64_t iz) {
  int64_t half = s->grid->values == OG_REAL ? 2 : 1;
  return (place){(iz * s->kept[1] + iy) * s->kept[0] + ix,
                 cell_of(s, 0, ix) + cell_of(s, 1, iy) * (s->grid->stride[1] / half) +
                     cell_of(s, 2, iz) * (s->grid->stride[2] / half),
                 s->factor[0][ix] * s->factor[1][iy] * s->factor[2][iz]};
}

int og_ref_modes_from_grid(const og_modes_setup *s, int64_t vectors, const void *grid, void *modes) {
  (void)vectors;
  int precision = s->grid->precision;
  for (int64_t iz = 0; iz < s->kept[2]; iz++)
    for (int64_t iy = 0; iy < s->kept[1]; iy++)
      for (int64_t ix = 0; ix < s->kept[0]; ix++) {
        place p = place_of(s, ix, iy, iz);
        cell x = p.factor * get(precision, grid, p.cell);
        put(precision, modes, p.mode, s->conjugate ? conj(x) : x);
      }
  return OG_OK;
}

int og_ref_grid_from_modes(const og_modes_setup *s, int64_t vectors, int64_t n, const void *multipliers,
                           const void *modes, void *grid) {
  (void)vectors;
  int precision = s->grid->precision, real = s->grid->values == OG_REAL;
  int64_t all = s->kept[0] * s->kept[1] * s->kept[2], nyquist = s->n_modes[0] / 2;
  /* the complex-to-real transform counts every column twice but the first and, for even n, the last */
  int twice = real && s->n_modes[0] % 2 == 0 && 2 * nyquist < s->grid->n[0];
  for (int64_t iz = 0; iz < s->kept[2]; iz++)
    for (int64_t iy = 0; iy < s->kept[1]; iy++)
      for (int64_t ix = 0; ix < s->kept[0]; ix++) {
        place p = place_of(s, ix, iy, iz);
        cell sum = 0;
        for (int64_t i = 0; i < n; i++) {
          cell m = get(precision, modes, i * all + p.mode);
          sum += multipliers ? m * get(precision, multipliers, i * all + p.mode) : m;
        }
        sum *= twice && ix == nyquist ? 0.5 * p.factor : p.factor;
        put(precision, grid, p.cell, s->conjugate ? conj(sum) : sum);
      }
  return OG_OK;
}

int og_ref_multiply(void *device, int precision, int threads, int64_t vectors, int64_t n, int conjugate,
                    const void *factor, const void *in, void *out) {
  (void)device, (void)vectors;
  (void)threads;
  for (int64_t i = 0; i < n; i++) {
    cell f = get(precision, factor, i);
    put(precision, out, i, get(precision, in, i) * (conjugate ? conj(f) : f));
  }
  return OG_OK;
}
