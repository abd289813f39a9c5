/* The plan interface in both precisions: makeplan, setpts, execute, execute_adjoint, destroy, default_opts. */
#include "plan.h"

#define GURU(name, real, shim_precision)                                                                               \
  void name##_default_opts(finufft_opts *opts) {                                                                       \
    if (opts)                                                                                                          \
      shim_default_options(opts);                                                                                      \
  }                                                                                                                    \
  int name##_makeplan(int type, int dim, const int64_t *n_modes, int isign, int ntrans, real eps, name##_plan *plan,   \
                      const finufft_opts *opts) {                                                                      \
    if (!plan)                                                                                                         \
      return shim_refuse(FINUFFT_ERR_INVALID_ARGUMENT, "makeplan: plan is null");                                      \
    shim_plan *made = NULL;                                                                                            \
    int code = shim_make(&made, &(shim_job){.precision = shim_precision,                                               \
                                            .type = type,                                                              \
                                            .ndim = dim,                                                               \
                                            .n_vectors = ntrans,                                                       \
                                            .isign = isign,                                                            \
                                            .eps = eps,                                                                \
                                            .n_modes = n_modes,                                                        \
                                            .opts = opts});                                                            \
    *plan = (name##_plan)made;                                                                                         \
    return code;                                                                                                       \
  }                                                                                                                    \
  int name##_setpts(name##_plan plan, int64_t nj, const real *x, const real *y, const real *z, int64_t nk,             \
                    const real *s, const real *t, const real *u) {                                                     \
    return shim_set_points((shim_plan *)plan,                                                                          \
                           &(shim_job){.n_points = nj, .n_targets = nk, .x = {x, y, z}, .s = {s, t, u}});              \
  }                                                                                                                    \
  int name##_execute(name##_plan plan, real _Complex *c, real _Complex *f) {                                           \
    return shim_execute((shim_plan *)plan, c, f, 0);                                                                   \
  }                                                                                                                    \
  int name##_execute_adjoint(name##_plan plan, real _Complex *c, real _Complex *f) {                                   \
    return shim_execute((shim_plan *)plan, c, f, 1);                                                                   \
  }                                                                                                                    \
  int name##_destroy(name##_plan plan) { return shim_destroy((shim_plan *)plan); }

GURU(finufft, double, OG_F64)
GURU(finufftf, float, OG_F32)
