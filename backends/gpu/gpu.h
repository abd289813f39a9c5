/* The gpu backend: one algorithm, a table per driver. */
#ifndef OG_GPU_H
#define OG_GPU_H
#include "backend.h"
#include "gpu/program.h"

enum { OG_GPU_MODES_KERNELS = 3 };

/* What a plan has of a device: `device` of the setups in backend.h. */
typedef struct og_gpu_context {
  og_gpu_device *device;
  void *queue;
  void *marks[OG_MARKS];
  struct { /* of modes.c, once they were asked for: og_gpu_program hashes whole sources, 0.1 ms */
    const char *name;
    int real_bytes;
    void *handle;
    og_gpu_kernel_info info;
  } kernels[OG_GPU_MODES_KERNELS];
} og_gpu_context;

extern const og_backend og_backend_cuda, og_backend_hip, og_backend_opencl, og_backend_host;

int og_gpu_stages_create(const og_points_setup *setup, void **points);
int og_gpu_stages_bytes(void *points, int64_t n, size_t *resident, size_t *scratch);
int og_gpu_stages_set(void *points, int64_t n, const void *const x[3], void *resident, void *scratch);
void og_gpu_stages_destroy(void *points);
const char *og_gpu_stages_arch(void *points);
int og_gpu_stages_spread(void *points, int64_t vectors, const void *strengths, void *grid);
int og_gpu_stages_interp(void *points, int64_t vectors, const void *grid, void *values, void *const gradients[3]);

int og_gpu_modes_from_grid(const og_modes_setup *setup, int64_t vectors, const void *grid, void *modes);
int og_gpu_grid_from_modes(const og_modes_setup *setup, int64_t vectors, int64_t n, const void *multipliers,
                           const void *modes, void *grid);

int og_gpu_multiply(void *device, int precision, int threads, int64_t vectors, int64_t n, int conjugate,
                    const void *factor, const void *in, void *out);

int og_gpu_fft_create(void *device, const og_grid *grid, int64_t vectors, int sign, void **fft, size_t *scratch);
int og_gpu_fft_execute(void *fft, int backward, int64_t vectors, void *grid, void *scratch);
void og_gpu_fft_destroy(void *fft);
#endif
