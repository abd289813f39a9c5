/* What the VkFFT plugin and its only user, opencl_fft.c, agree on. VkFFT is a header that calls its vendor's library directly; so
 * that liboffgrid needs neither, it is compiled into a shared object of its own, which is opened at run time. */
#ifndef OG_GPU_VKFFT_H
#define OG_GPU_VKFFT_H
#include <stddef.h>
#include <stdint.h>

#define OG_VKFFT_FILE "liboffgrid_vkfft_opencl.so"
#define OG_VKFFT_ENTRY "og_vkfft_plugin_fill_1" /* the number changes with these structs */

/* Results besides 0. */
enum { OG_VKFFT_FAILED = 1, OG_VKFFT_NO_MEMORY = 2 };

typedef struct og_vkfft_setup {
  void *device, *context; /* cl_device_id, cl_context */
  int f32, real;          /* real: half spectra, in place in padded rows */
  int wide;               /* indices of 64 bits inside of kernels */
  uint64_t n[3];          /* 1 in absent dimensions */
  uint64_t stride[3];     /* as in og_gpu_fft_setup */
  uint64_t vectors, vector_cells;
  int keep;           /* `binary` will be asked for */
  const void *binary; /* the compiled kernels of an earlier plan of this setup on this device, or NULL */
} og_vkfft_setup;

typedef struct og_vkfft_plugin {
  uint32_t version; /* VkFFT's */
  /* why: room for a sentence, filled on errors. */
  int (*create)(const og_vkfft_setup *setup, void **plan, char *why, size_t room);
  void (*destroy)(void *plan);
  /* The plan's compiled kernels, valid until destroy; 0 bytes where it was made from a binary. */
  size_t (*binary)(void *plan, const void **binary);
  /* buffer, offset: cl_mem and where the grid starts in it, in bytes; sign: of the exponent. */
  int (*execute)(void *plan, void *queue, int sign, void *buffer, uint64_t offset, char *why, size_t room);
} og_vkfft_plugin;
#endif
