/* cuFFT, opened at run time. */
#define _GNU_SOURCE
#include "gpu/drivers/cuda.h"
#include "gpu/drivers/fft.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

typedef int handle;                                                              /* cufftHandle */
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 }; /* cufftType */

/* The library's interface, as NVIDIA documents it; every function returns 0 or a code. */
static struct {
  int (*create)(handle *plan);
  int (*destroy)(handle plan);
  int (*auto_allocation)(handle plan, int on);
  int (*make)(handle plan, int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance,
              long long *out_embed, long long out_stride, long long out_distance, int type, long long batch,
              size_t *work);
  int (*work_area)(handle plan, void *work);
  int (*stream)(handle plan, void *stream);
  int (*c2c)(handle plan, void *in, void *out, int direction), (*z2z)(handle plan, void *in, void *out, int direction);
  int (*r2c)(handle plan, void *in, void *out), (*c2r)(handle plan, void *in, void *out);
  int (*d2z)(handle plan, void *in, void *out), (*z2d)(handle plan, void *in, void *out);
} api;

static char why_not[256];

static void open_library(void) {
  static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"};
  void *library = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++)
    library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(why_not, sizeof why_not, "libcufft is not installed or not found by the loader");
    return;
  }
  const struct {
    const char *name;
    void **to;
  } functions[] = {{"cufftCreate", (void **)&api.create},
                   {"cufftDestroy", (void **)&api.destroy},
                   {"cufftSetAutoAllocation", (void **)&api.auto_allocation},
                   {"cufftMakePlanMany64", (void **)&api.make},
                   {"cufftSetWorkArea", (void **)&api.work_area},
                   {"cufftSetStream", (void **)&api.stream},
                   {"cufftExecC2C", (void **)&api.c2c},
                   {"cufftExecZ2Z", (void **)&api.z2z},
                   {"cufftExecR2C", (void **)&api.r2c},
                   {"cufftExecC2R", (void **)&api.c2r},
                   {"cufftExecD2Z", (void **)&api.d2z},
                   {"cufftExecZ2D", (void **)&api.z2d}};
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    *functions[k].to = dlsym(library, functions[k].name);
    if (!*functions[k].to) {
      snprintf(why_not, sizeof why_not, "libcufft has no function %s", functions[k].name);
      return;
    }
  }
}

static int load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  OG_CHECK(!why_not[0], OG_ERR_BACKEND, "%s", why_not);
  return OG_OK;
}

typedef struct {
  void *device;
  int f32, real;
  handle forward, backward; /* one plan for both where values are complex */
  int have_forward, have_backward;
} transform;

static void destroy_inside(transform *t) {
  if (t->have_backward)
    api.destroy(t->backward);
  if (t->have_forward)
    api.destroy(t->forward);
}

static void destroy(void *plan) {
  transform *t = plan;
  if (!t)
    return;
  if (og_cuda_enter(t->device) == OG_OK) {
    destroy_inside(t);
    og_cuda_leave();
  }
  free(t);
}

static int make(handle *plan, int *have, const og_gpu_fft_setup *s, int type, int backward, size_t *work) {
  int rank = s->n[2] > 1 ? 3 : s->n[1] > 1 ? 2 : 1, code;
  long long n[3], complex_embed[3], real_embed[3];
  for (int d = 0; d < rank; d++)
    n[rank - 1 - d] = s->n[d];
  complex_embed[0] = real_embed[0] = n[0];
  for (int d = 1; d < rank; d++)
    complex_embed[rank - d] = real_embed[rank - d] = s->stride[d] / s->stride[d - 1];
  if (rank == 1)
    complex_embed[0] = real_embed[0] = s->n[0];
  const int real = s->values == OG_REAL;
  if (real)
    real_embed[rank - 1] *= rank > 1 ? 2 : 1;
  const long long real_distance = s->vector_cells * (real ? 2 : 1), complex_distance = s->vector_cells;
  code = api.create(plan);
  OG_CHECK(!code, OG_ERR_BACKEND, "cuFFT cannot make a plan (cufftCreate: %d)", code);
  *have = 1;
  code = api.auto_allocation(*plan, 0);
  if (!code)
    code = api.make(*plan, rank, n, real && !backward ? real_embed : complex_embed, 1,
                    real && !backward ? real_distance : complex_distance, real && backward ? real_embed : complex_embed,
                    1, real && backward ? real_distance : complex_distance, type, s->vectors, work);
  OG_CHECK(!code, code == 2 ? OG_ERR_MEMORY : OG_ERR_BACKEND,
           "cuFFT cannot plan %lld x %lld x %lld cells, %lld at once (cufftMakePlanMany64: %d)", (long long)s->n[0],
           (long long)s->n[1], (long long)s->n[2], (long long)s->vectors, code);
  return OG_OK;
}

static int make_both(transform *t, const og_gpu_fft_setup *s, size_t *work) {
  size_t forward = 0, backward = 0;
  OG_TRY(make(&t->forward, &t->have_forward, s, t->real ? (t->f32 ? R2C : D2Z) : (t->f32 ? C2C : Z2Z), 0, &forward));
  if (t->real)
    OG_TRY(make(&t->backward, &t->have_backward, s, t->f32 ? C2R : Z2D, 1, &backward));
  *work = forward > backward ? forward : backward;
  return OG_OK;
}

static int create(void *device, const og_gpu_fft_setup *s, void **plan, size_t *work) {
  OG_TRY(load());
  transform *t = calloc(1, sizeof *t);
  OG_CHECK(t, OG_ERR_MEMORY, "no memory for a cuFFT plan");
  t->device = device;
  t->f32 = s->precision == OG_F32;
  t->real = s->values == OG_REAL;
  int code = og_cuda_enter(device);
  if (!code) {
    code = make_both(t, s, work);
    if (code)
      destroy_inside(t);
    og_cuda_leave();
  }
  if (code)
    free(t);
  else
    *plan = t;
  return code;
}

static int run(const transform *t, void *queue, int sign, void *grid, void *work) {
  const handle plan = t->real && sign > 0 ? t->backward : t->forward;
  int code = api.stream(plan, og_cuda_stream(queue));
  if (!code)
    code = api.work_area(plan, work);
  if (!code && t->real)
    code = (sign > 0 ? (t->f32 ? api.c2r : api.z2d) : (t->f32 ? api.r2c : api.d2z))(plan, grid, grid);
  else if (!code)
    code = (t->f32 ? api.c2c : api.z2z)(plan, grid, grid, sign); /* CUFFT_FORWARD is -1, CUFFT_INVERSE 1 */
  OG_CHECK(!code, OG_ERR_BACKEND, "cuFFT failed (%d)", code);
  return OG_OK;
}

static int execute(void *plan, void *queue, int sign, void *grid, void *work) {
  const transform *t = plan;
  OG_TRY(og_cuda_enter(t->device));
  int code = run(t, queue, sign, grid, work);
  og_cuda_leave();
  return code;
}

const og_gpu_fft og_gpu_cufft = {"cufft", load, create, destroy, execute};
