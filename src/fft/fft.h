/* The pruned FFT between the fine grid and the kept modes, in place, dimension by dimension, on a backend's 1-D lines:
 * after each dimension only the lines that carry kept modes go on, so that a grid of (sigma N)^3 cells costs
 * (sigma^2 + sigma + 1) N^2 lines instead of 3 sigma^2 N^2. */
#ifndef OG_FFT_H
#define OG_FFT_H
#include "backend.h"
#include "fft/lines.h"

typedef struct og_fft og_fft;

/* sign: of the forward (type 1) exponent. memory: the grid's memory, overwritten while planning. n_modes: [3]. */
int og_fft_create(og_fft **fft, const og_backend *backend, const og_grid *grid, const int64_t n_modes[3], int sign,
                  int planning, int threads, void *memory) OG_MUST_CHECK;

/* Type 1: grid values -> spectrum; only cells of kept modes are right afterwards. Real grids: half spectrum of sign -1
 * (deconvolve conjugates for +1). */
int og_fft_forward(const og_fft *fft, void *grid) OG_MUST_CHECK;

/* Type 2, the adjoint: cells of kept modes hold the spectrum, all others count as zero whatever they hold -> values. */
int og_fft_backward(const og_fft *fft, void *grid) OG_MUST_CHECK;

void og_fft_destroy(og_fft *fft);

/* size.c: the even size >= at_least that is done in the least time: products of small primes only. */
int64_t og_fft_good_size(int64_t at_least, int precision);

/* cost.c: nanoseconds of one direction of the transform on one thread, roughly: a fitted model, for choosing sigma.
 * n, n_modes: [3], 1 in absent dimensions. */
double og_fft_cost(const int64_t n[3], const int64_t n_modes[3], int values, int precision);
#endif
