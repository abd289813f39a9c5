/* Pieces of rows of deconvolve.c, one precision each. All numbers complex, n of them; factor: [n] doubles. */
#ifndef OG_CPU_DECONVOLVE_ROWS_H
#define OG_CPU_DECONVOLVE_ROWS_H
#include <stdint.h>

/* out[i] = in[i] * factor[i] * scale, conjugated where asked */
typedef void og_row_scale(int64_t n, const double *factor, double scale, int conjugate, const void *in, void *out);
/* out[i] = (add ? out[i] : 0) + in[i] * multiplier[i] * factor[i] * scale, the new term conjugated where asked */
typedef void og_row_multiply(int64_t n, const double *factor, double scale, int conjugate, int add,
                             const void *multiplier, const void *in, void *out);
/* out[i] = in[i] * multiplier[i], the multiplier conjugated where asked; in may be out */
typedef void og_row_product(int64_t n, int conjugate, const void *multiplier, const void *in, void *out);

og_row_scale og_row_scale_f64, og_row_scale_f32;
og_row_multiply og_row_multiply_f64, og_row_multiply_f32;
og_row_product og_row_product_f64, og_row_product_f32;
#endif
