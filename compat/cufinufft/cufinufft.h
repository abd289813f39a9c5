/* The C interface of cuFINUFFT 2.5, as its documentation describes it: the same functions, options and codes, so that programs made for
 * libcufinufft run with this library in its place. Arrays are the device's. What an option does here, docs/finufft.md says. */
#ifndef CUFINUFFT_H
#define CUFINUFFT_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cufinufft_opts {
  double upsampfac; /* 0: chosen */
  int gpu_method;   /* 0: chosen; 1, 2, 3: accepted, the methods here are others */
  int gpu_sort;
  int gpu_binsizex, gpu_binsizey, gpu_binsizez;
  int gpu_obinsizex, gpu_obinsizey, gpu_obinsizez;
  int gpu_maxsubprobsize, gpu_kerevalmeth;
  int gpu_spreadinterponly; /* 1: spreading or interpolation alone, on n_modes as the fine grid */
  int gpu_maxbatchsize;     /* transforms done at once; 0: up to 8 in 2 GiB */
  int gpu_device_id;
  void *gpu_stream; /* NULL: the default stream */
  int modeord;      /* 0: -N/2 first; 1: 0 first */
  int gpu_np;
  int debug;
} cufinufft_opts;

typedef struct cufinufft_plan_s *cufinufft_plan;
typedef struct cufinufft_fplan_s *cufinufftf_plan;

#define CUFINUFFT_API __attribute__((visibility("default")))
CUFINUFFT_API void cufinufft_default_opts(cufinufft_opts *opts);
CUFINUFFT_API int cufinufft_makeplan(int type, int dim, const int64_t *n_modes, int iflag, int ntransf, double eps,
                                     cufinufft_plan *plan, cufinufft_opts *opts);
CUFINUFFT_API int cufinufftf_makeplan(int type, int dim, const int64_t *n_modes, int iflag, int ntransf, float eps,
                                      cufinufftf_plan *plan, cufinufft_opts *opts);
CUFINUFFT_API int cufinufft_setpts(cufinufft_plan plan, int64_t m, double *x, double *y, double *z, int n, double *s,
                                   double *t, double *u);
CUFINUFFT_API int cufinufftf_setpts(cufinufftf_plan plan, int64_t m, float *x, float *y, float *z, int n, float *s,
                                    float *t, float *u);
/* c: [ntransf][m], f: [ntransf][modes], complex, interleaved (cuDoubleComplex, cuFloatComplex). */
CUFINUFFT_API int cufinufft_execute(cufinufft_plan plan, void *c, void *f);
CUFINUFFT_API int cufinufftf_execute(cufinufftf_plan plan, void *c, void *f);
CUFINUFFT_API int cufinufft_destroy(cufinufft_plan plan);
CUFINUFFT_API int cufinufftf_destroy(cufinufftf_plan plan);

#ifdef __cplusplus
}
#endif
#endif
