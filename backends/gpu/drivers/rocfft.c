/* rocFFT, opened at run time: the FFT of the HIP driver. Tests run it against a library of the same interface on the CPU
 * (tests/gpu/fake); it has not run on a device yet. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "gpu/drivers/common.h"
#include "gpu/drivers/fft.h"
#include "gpu/drivers/hip.h"

#include <stdio.h>

enum { FORWARD, INVERSE, REAL_FORWARD, REAL_INVERSE }; /* rocfft_transform_type */
enum { SINGLE, DOUBLE };                               /* rocfft_precision */
enum { COMPLEX = 0, REAL = 2, HERMITIAN = 3 };         /* rocfft_array_type, interleaved */
enum { INPLACE = 0 };                                  /* rocfft_result_placement */

/* The interface as AMD documents it; every function returns 0 or a code. */
static struct {
  int (*setup)(void);
  int (*description_create)(void **description), (*description_destroy)(void *description);
  int (*layout)(void *description, int in_type, int out_type, const size_t *in_offsets, const size_t *out_offsets,
                size_t n_in, const size_t *in_strides, size_t in_distance, size_t n_out, const size_t *out_strides,
                size_t out_distance);
  int (*plan_create)(void **plan, int placement, int type, int precision, size_t dimensions, const size_t *lengths,
                     size_t transforms, void *description);
  int (*plan_destroy)(void *plan), (*work_bytes)(void *plan, size_t *bytes);
  int (*info_create)(void **info), (*info_destroy)(void *info);
  int (*info_work)(void *info, void *work, size_t bytes), (*info_stream)(void *info, void *stream);
  int (*execute)(void *plan, void **in, void **out, void *info);
} api;

static const og_gpu_function functions[] = {{"rocfft_setup", &api.setup},
                                            {"rocfft_plan_description_create", &api.description_create},
                                            {"rocfft_plan_description_destroy", &api.description_destroy},
                                            {"rocfft_plan_description_set_data_layout", &api.layout},
                                            {"rocfft_plan_create", &api.plan_create},
                                            {"rocfft_plan_destroy", &api.plan_destroy},
                                            {"rocfft_plan_get_work_buffer_size", &api.work_bytes},
                                            {"rocfft_execution_info_create", &api.info_create},
                                            {"rocfft_execution_info_destroy", &api.info_destroy},
                                            {"rocfft_execution_info_set_work_buffer", &api.info_work},
                                            {"rocfft_execution_info_set_stream", &api.info_stream},
                                            {"rocfft_execute", &api.execute},
                                            {NULL, NULL}};

static char why_not[256];

static void open_library(void) {
  static const char *const names[] = {"librocfft.so.0", "librocfft.so.1", "librocfft.so", NULL};
  void *library = og_gpu_open_library(names);
  const char *missing = library ? og_gpu_find_functions(library, functions) : NULL;
  int code;
  if (!library)
    snprintf(why_not, sizeof why_not,
             "librocfft, which the hip backend's FFT needs, is not installed or not found by the loader");
  else if (missing)
    snprintf(why_not, sizeof why_not, "librocfft has no function %s", missing);
  else if ((code = api.setup()) != 0)
    snprintf(why_not, sizeof why_not, "rocFFT does not start (rocfft_setup: %d)", code);
}

static int load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  OG_CHECK(!*why_not, OG_ERR_BACKEND, "%s", why_not);
  return OG_OK;
}

typedef struct {
  void *device;
  void *plans[2]; /* exponent sign -1, +1 */
  void *info;
  size_t work_bytes;
} transform;

static void destroy_inside(transform *t) {
  if (t->info)
    api.info_destroy(t->info);
  for (int i = 0; i < 2; i++)
    if (t->plans[i])
      api.plan_destroy(t->plans[i]);
}

static void destroy(void *plan) {
  transform *t = plan;
  int before;
  if (!t)
    return;
  if (og_hip_enter(t->device, &before) == OG_OK) {
    destroy_inside(t);
    og_hip_leave(t->device, before);
  }
  og_free(t);
}

/* Strides in cells of what an array holds: reals, or (half) spectra, x first. */
static int describe(const og_gpu_fft_setup *s, size_t dimensions, int inverse, void *description) {
  const int real = s->values == OG_REAL;
  size_t spectrum[3] = {1, (size_t)s->stride[1], (size_t)s->stride[2]};
  size_t reals[3] = {1, 2 * (size_t)s->stride[1], 2 * (size_t)s->stride[2]};
  const size_t distance = (size_t)s->vector_cells;
  if (!real)
    return api.layout(description, COMPLEX, COMPLEX, NULL, NULL, dimensions, spectrum, distance, dimensions, spectrum,
                      distance);
  return inverse ? api.layout(description, HERMITIAN, REAL, NULL, NULL, dimensions, spectrum, distance, dimensions,
                              reals, 2 * distance)
                 : api.layout(description, REAL, HERMITIAN, NULL, NULL, dimensions, reals, 2 * distance, dimensions,
                              spectrum, distance);
}

static int make(transform *t, const og_gpu_fft_setup *s, int inverse) {
  const int real = s->values == OG_REAL, type = (real ? REAL_FORWARD : FORWARD) + inverse;
  const size_t dimensions = s->n[2] > 1 ? 3 : s->n[1] > 1 ? 2 : 1;
  const size_t lengths[3] = {(size_t)s->n[0], (size_t)s->n[1], (size_t)s->n[2]};
  void *description = NULL;
  size_t bytes = 0;
  int code = api.description_create(&description);
  if (!code)
    code = describe(s, dimensions, inverse, description);
  if (!code)
    code = api.plan_create(&t->plans[inverse], INPLACE, type, s->precision == OG_F32 ? SINGLE : DOUBLE, dimensions,
                           lengths, (size_t)s->vectors, description);
  if (description)
    api.description_destroy(description);
  if (!code)
    code = api.work_bytes(t->plans[inverse], &bytes);
  OG_CHECK(!code, OG_ERR_BACKEND, "rocFFT cannot plan %lld x %lld x %lld cells, %lld at once (code %d)",
           (long long)s->n[0], (long long)s->n[1], (long long)s->n[2], (long long)s->vectors, code);
  t->work_bytes = bytes > t->work_bytes ? bytes : t->work_bytes;
  return OG_OK;
}

static int make_both(transform *t, const og_gpu_fft_setup *s) {
  for (int inverse = 0; inverse < 2; inverse++)
    OG_TRY(make(t, s, inverse));
  int code = api.info_create(&t->info);
  OG_CHECK(!code, OG_ERR_BACKEND, "rocFFT cannot make a plan (rocfft_execution_info_create: %d)", code);
  return OG_OK;
}

static int create(void *device, const og_gpu_fft_setup *s, void **plan, size_t *work) {
  int before;
  OG_TRY(load());
  transform *t = og_allocate_zeroed(sizeof *t);
  OG_CHECK(t, OG_ERR_MEMORY, "no memory for a description of an FFT");
  t->device = device;
  int code = og_hip_enter(device, &before);
  if (!code) {
    code = make_both(t, s);
    if (code)
      destroy_inside(t);
    og_hip_leave(device, before);
  }
  if (code) {
    og_free(t);
    return code;
  }
  *work = t->work_bytes;
  *plan = t;
  return OG_OK;
}

static int execute(void *plan, void *queue, int sign, void *grid, void *work) {
  const transform *t = plan;
  void *arrays[1] = {grid};
  int before;
  OG_TRY(og_hip_enter(t->device, &before));
  int code = api.info_stream(t->info, og_hip_stream(queue));
  if (!code && t->work_bytes)
    code = api.info_work(t->info, work, t->work_bytes);
  if (!code)
    code = api.execute(t->plans[sign > 0], arrays, NULL, t->info);
  og_hip_leave(t->device, before);
  OG_CHECK(!code, OG_ERR_BACKEND, "rocFFT failed (code %d)", code);
  return OG_OK;
}

const og_gpu_fft og_gpu_rocfft = {"rocfft", load, create, destroy, execute};
