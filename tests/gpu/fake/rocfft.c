/* A library with the interface of rocFFT, on FFTW: see hip.c. It refuses layouts, orders of calls and arguments that rocFFT's
 * documentation does not allow. */
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK = 0, BAD = 2, WORK = 512 };

typedef struct {
  int in_type, out_type;
  size_t n, in_strides[3], out_strides[3], in_distance, out_distance;
} description;
typedef struct {
  description d;
  int type, f32;
  size_t n, lengths[3], transforms;
} plan;
typedef struct {
  void *work, *stream;
  size_t bytes;
} info;

static int started, plans;

EXPORT int rocfft_setup(void) { return started = 1, OK; }
EXPORT int rocfft_plan_description_create(description **d) { return *d = calloc(1, sizeof **d), started ? OK : BAD; }
EXPORT int rocfft_plan_description_destroy(description *d) { return free(d), OK; }
EXPORT int rocfft_plan_description_set_data_layout(description *d, int in_type, int out_type, const size_t *in_offsets,
                                                   const size_t *out_offsets, size_t n_in, const size_t *in_strides,
                                                   size_t in_distance, size_t n_out, const size_t *out_strides,
                                                   size_t out_distance) {
  if (in_offsets || out_offsets || n_in != n_out || n_in > 3 || in_strides[0] != 1 || out_strides[0] != 1)
    return BAD;
  *d = (description){in_type, out_type, n_in, {0}, {0}, in_distance, out_distance};
  memcpy(d->in_strides, in_strides, n_in * sizeof *in_strides);
  memcpy(d->out_strides, out_strides, n_in * sizeof *out_strides);
  return OK;
}

EXPORT int rocfft_plan_create(plan **made, int placement, int type, int precision, size_t n, const size_t *lengths,
                              size_t transforms, description *d) {
  static const int types[4][2] = {{0, 0}, {0, 0}, {2, 3}, {3, 2}};
  if (placement || type < 0 || type > 3 || precision < 0 || precision > 1 || n != d->n ||
      d->in_type != types[type][0] || d->out_type != types[type][1])
    return BAD;
  *made = calloc(1, sizeof **made);
  **made = (plan){*d, type, precision == 0, n, {1, 1, 1}, transforms};
  memcpy((*made)->lengths, lengths, n * sizeof *lengths);
  plans++;
  return OK;
}
EXPORT int rocfft_plan_destroy(plan *p) { return free(p), plans--, OK; }
EXPORT int rocfft_plan_get_work_buffer_size(plan *p, size_t *bytes) { return *bytes = p->type ? WORK : WORK / 2, OK; }
EXPORT int rocfft_execution_info_create(info **i) { return *i = calloc(1, sizeof **i), OK; }
EXPORT int rocfft_execution_info_destroy(info *i) { return free(i), OK; }
EXPORT int rocfft_execution_info_set_work_buffer(info *i, void *work, size_t bytes) {
  return i->work = work, i->bytes = bytes, work ? OK : BAD;
}
EXPORT int rocfft_execution_info_set_stream(info *i, void *stream) { return i->stream = stream, OK; }

#define EXECUTE(NAME, P, REAL)                                                                                         \
  static void NAME(const plan *p, REAL *data) {                                                                        \
    P##iodim dims[3], all = {(int)p->transforms, (int)p->d.in_distance, (int)p->d.out_distance};                       \
    for (size_t i = 0; i < p->n; i++) {                                                                                \
      size_t at = p->n - 1 - i;                                                                                        \
      dims[i] = (P##iodim){(int)p->lengths[at], (int)p->d.in_strides[at], (int)p->d.out_strides[at]};                  \
    }                                                                                                                  \
    P##complex *cells = (P##complex *)data;                                                                            \
    int n = (int)p->n;                                                                                                 \
    P##plan made = p->type == 3   ? P##plan_guru_dft_c2r(n, dims, 1, &all, cells, data, FFTW_ESTIMATE)                 \
                   : p->type == 2 ? P##plan_guru_dft_r2c(n, dims, 1, &all, data, cells, FFTW_ESTIMATE)                 \
                                  : P##plan_guru_dft(n, dims, 1, &all, cells, cells, p->type ? 1 : -1, FFTW_ESTIMATE); \
    P##execute(made);                                                                                                  \
    P##destroy_plan(made);                                                                                             \
  }
EXECUTE(run_f64, fftw_, double)
EXECUTE(run_f32, fftwf_, float)

EXPORT int rocfft_execute(plan *p, void **in, void **out, info *i) {
  if (out || !i || !i->stream || !i->work || i->bytes < WORK)
    return BAD;
  memset(i->work, 0x55, WORK);
  p->f32 ? run_f32(p, in[0]) : run_f64(p, in[0]);
  return OK;
}

static __attribute__((destructor)) void at_end(void) {
  if (plans)
    abort();
}
