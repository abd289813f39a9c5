/* Embedded kernel texts and how they become one source. */
#ifndef OG_GPU_SOURCE_H
#define OG_GPU_SOURCE_H
#include <stddef.h>

/* Written by cmake/embed.cmake from backends/gpu/kernels; the last has no name. */
typedef struct og_gpu_text {
  const char *name; /* "spread_matrix.c", "dialect/host.h" */
  const unsigned char *text;
  size_t bytes;
} og_gpu_text;
extern const og_gpu_text og_gpu_texts[];
#endif
