/* cuFINUFFT's plans on top of offgrid's cuda backend. */
#include "cufinufft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offgrid.h"

/* FINUFFT's codes that occur here. */
enum {
  ERR_UPSAMPFAC = 7,
  ERR_NTRANS = 9,
  ERR_TYPE = 10,
  ERR_ALLOC = 11,
  ERR_DIM = 12,
  ERR_MODES = 14,
  ERR_CUDA = 15,
  ERR_PLAN = 16,
  ERR_METHOD = 17,
  ERR_POINTS = 20,
  ERR_ARGUMENT = 21
};

typedef struct {
  int type, ndim, n_vectors, spread_only;
  og_plan plan;
} shim;

/* CUDA's legacy default stream has a handle of its own; 0 asks offgrid for a stream of the plan's. */
enum { DEFAULT_STREAM = 1 };

static int failed(const char *where, int code) {
  if (!code)
    return 0;
  fprintf(stderr, "cufinufft (offgrid): %s: %s\n", where, og_last_error());
  switch (code) {
  case OG_ERR_MEMORY:
    return ERR_ALLOC;
  case OG_ERR_BACKEND:
    return ERR_CUDA;
  case OG_ERR_POINT:
  case OG_ERR_ORDER:
    return ERR_POINTS;
  default:
    return ERR_ARGUMENT;
  }
}

static int refuse(int code, const char *what) {
  fprintf(stderr, "cufinufft (offgrid): %s\n", what);
  return code;
}

void cufinufft_default_opts(cufinufft_opts *opts) {
  if (!opts)
    return;
  memset(opts, 0, sizeof *opts);
  opts->gpu_sort = 1;
  opts->gpu_kerevalmeth = 1;
  opts->gpu_maxsubprobsize = 1024;
}

static int check(int type, int dim, const int64_t *n_modes, int n_vectors, const cufinufft_opts *o) {
  if (type < 1 || type > 3)
    return refuse(ERR_TYPE, "type must be 1, 2 or 3");
  if (dim < 1 || dim > 3)
    return refuse(ERR_DIM, "dim must be 1, 2 or 3");
  if (n_vectors < 1)
    return refuse(ERR_NTRANS, "ntransf must be >= 1");
  if (o->upsampfac != 0 && !(o->upsampfac > 1))
    return refuse(ERR_UPSAMPFAC, "upsampfac must be > 1, or 0");
  if (o->gpu_method < 0 || o->gpu_method > 4)
    return refuse(ERR_METHOD, "gpu_method must be 0 to 4");
  if (type != 3 && !n_modes)
    return refuse(ERR_MODES, "n_modes is null");
  for (int d = 0; type != 3 && d < dim; d++)
    if (n_modes[d] < 1)
      return refuse(ERR_MODES, "n_modes must be >= 1");
  return 0;
}

static int make(shim **out, int precision, int type, int dim, const int64_t *n_modes, int sign, int n_vectors,
                double eps, const cufinufft_opts *given) {
  cufinufft_opts o;
  cufinufft_default_opts(&o);
  if (given)
    o = *given;
  *out = NULL;
  int code = check(type, dim, n_modes, n_vectors, &o);
  if (code)
    return code;
  shim *p = calloc(1, sizeof *p);
  if (!p)
    return refuse(ERR_ALLOC, "no memory for a plan");
  p->type = type;
  p->ndim = dim;
  p->n_vectors = n_vectors;
  p->spread_only = o.gpu_spreadinterponly != 0;
  sign = sign >= 0 ? 1 : -1;
  const double epsilon = precision == OG_F32 ? 1.2e-7 : 2.3e-16;
  og_options options = OG_OPTIONS_DEFAULT;
  options.backend = "cuda";
  options.tolerance = eps > epsilon ? eps : epsilon;
  options.precision = precision;
  options.sign = type == 2 ? -sign : sign; /* og_type2 has -s in its exponent */
  options.max_vectors = n_vectors;
  options.batch = o.gpu_maxbatchsize > 0 ? (o.gpu_maxbatchsize < 4096 ? o.gpu_maxbatchsize : 4096) : 0;
  options.device = o.gpu_device_id;
  options.stream = o.gpu_stream ? (int64_t)(intptr_t)o.gpu_stream : DEFAULT_STREAM;
  options.sigma = o.upsampfac != 0 ? fmin(fmax(o.upsampfac, 1.1), 4) : 0;
  if (type != 3) {
    options.mode_order = o.modeord && !p->spread_only ? OG_ORDER_FFT : OG_ORDER_ASCENDING;
    options.spread_only = p->spread_only;
  }
  code = type == 3 ? og_plan_create_type3(&p->plan, dim, &options) : og_plan_create(&p->plan, dim, n_modes, &options);
  if (code) {
    free(p);
    return failed("makeplan", code);
  }
  *out = p;
  return 0;
}

static int set_points(shim *p, int64_t m, const void *x, const void *y, const void *z, int64_t n, const void *s,
                      const void *t, const void *u) {
  if (!p)
    return refuse(ERR_PLAN, "setpts: the plan is null");
  if (m < 0 || n < 0)
    return refuse(ERR_POINTS, "setpts: numbers of points must be >= 0");
  int code = og_plan_set_points(p->plan, m, x, p->ndim > 1 ? y : NULL, p->ndim > 2 ? z : NULL);
  if (!code && p->type == 3)
    code = og_plan_set_targets(p->plan, n, s, p->ndim > 1 ? t : NULL, p->ndim > 2 ? u : NULL);
  return failed("setpts", code);
}

static int execute(shim *p, void *c, void *f) {
  if (!p)
    return refuse(ERR_PLAN, "execute: the plan is null");
  const int64_t n = p->n_vectors;
  int code;
  if (p->type == 3)
    code = og_type3(p->plan, n, c, f);
  else if (p->spread_only)
    code = p->type == 1 ? og_spread(p->plan, n, c, f) : og_interp(p->plan, n, f, c);
  else
    code = p->type == 1 ? og_type1(p->plan, n, c, f) : og_type2(p->plan, n, f, c);
  return failed("execute", code);
}

static int destroy(shim *p) {
  if (!p)
    return ERR_PLAN;
  og_plan_destroy(p->plan);
  free(p);
  return 0;
}

#define GURU(name, real, handle, precision)                                                                            \
  int name##_makeplan(int type, int dim, const int64_t *n_modes, int iflag, int ntransf, real eps, handle *plan,       \
                      cufinufft_opts *opts) {                                                                          \
    if (!plan)                                                                                                         \
      return refuse(ERR_ARGUMENT, "makeplan: plan is null");                                                           \
    shim *made;                                                                                                        \
    int code = make(&made, precision, type, dim, n_modes, iflag, ntransf, (double)eps, opts);                          \
    *plan = (handle)made;                                                                                              \
    return code;                                                                                                       \
  }                                                                                                                    \
  int name##_setpts(handle plan, int64_t m, real *x, real *y, real *z, int n, real *s, real *t, real *u) {             \
    return set_points((shim *)plan, m, x, y, z, n, s, t, u);                                                           \
  }                                                                                                                    \
  int name##_execute(handle plan, void *c, void *f) { return execute((shim *)plan, c, f); }                            \
  int name##_destroy(handle plan) { return destroy((shim *)plan); }

GURU(cufinufft, double, cufinufft_plan, OG_F64)
GURU(cufinufftf, float, cufinufftf_plan, OG_F32)
