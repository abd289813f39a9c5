/* What a vendor's FFT library offers the gpu backend: in-place transforms of whole grids. cufft.c, rocfft.c,
 * opencl_fft.c; opened with dlopen. */
#ifndef OG_GPU_FFT_H
#define OG_GPU_FFT_H
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Grids of n[0] x n[1] x n[2] cells, x contiguous; 1 in absent dimensions. Real ones: rows are padded to their half
 * spectrum, n[0] / 2 + 1 complex cells, in place; forward is real to complex with exponent sign -1, backward complex to
 * real with +1. Unnormalised. */
typedef struct og_gpu_fft_setup {
  int precision, values; /* OG_F64, OG_F32; OG_COMPLEX, OG_REAL */
  int64_t n[3];
  int64_t stride[3];             /* of a complex cell, or of the half spectrum's, in complex cells */
  int64_t vectors, vector_cells; /* grids at once, and their distance in complex cells */
} og_gpu_fft_setup;

typedef struct og_gpu_fft {
  const char *name;
  int (*load)(void); /* OG_ERR_BACKEND where the library is not there */
  /* *work: bytes of scratch that every execute needs. */
  int (*create)(void *device, const og_gpu_fft_setup *setup, void **plan, size_t *work);
  void (*destroy)(void *plan);
  /* sign: of the exponent. */
  int (*execute)(void *plan, void *queue, int sign, void *grid, void *work);
} og_gpu_fft;

extern const og_gpu_fft og_gpu_cufft, og_gpu_rocfft, og_gpu_vkfft;
#endif
