/* The one-call interface: 3 dimensions x 3 types x {one vector, many} in both precisions, 36 functions of one shape.
 *
 * SIMPLE makes the six of a dimension. What depends on the dimension comes as parenthesised lists: the points, the
 * targets and the mode counts, each declared, then named. */
#include "plan.h"

#define LIST(...) __VA_ARGS__

#define JOB(precision_, type_, d, n_vectors_, nj, xs, c_, isign_, eps_, modes, nk, ss, f_, opts_)                      \
  shim_once(&(shim_job){.precision = precision_,                                                                       \
                        .type = type_,                                                                                 \
                        .ndim = d,                                                                                     \
                        .n_vectors = n_vectors_,                                                                       \
                        .isign = isign_,                                                                               \
                        .eps = eps_,                                                                                   \
                        .n_modes = (const int64_t[3]){LIST modes},                                                     \
                        .opts = opts_,                                                                                 \
                        .n_points = nj,                                                                                \
                        .n_targets = nk,                                                                               \
                        .x = {LIST xs},                                                                                \
                        .s = {LIST ss},                                                                                \
                        .c = (void *)c_,                                                                               \
                        .f = (void *)f_})

#define SIMPLE(name, real, precision, d, xs_declared, xs, ss_declared, ss, modes_declared, modes)                      \
  int name##d##d1many(int ntrans, int64_t nj, LIST xs_declared, const real _Complex *c, int isign, real eps,           \
                      LIST modes_declared, real _Complex *f, const finufft_opts *opts) {                               \
    return JOB(precision, 1, d, ntrans, nj, xs, c, isign, eps, modes, 0, (0), f, opts);                                \
  }                                                                                                                    \
  int name##d##d1(int64_t nj, LIST xs_declared, const real _Complex *c, int isign, real eps, LIST modes_declared,      \
                  real _Complex *f, const finufft_opts *opts) {                                                        \
    return JOB(precision, 1, d, 1, nj, xs, c, isign, eps, modes, 0, (0), f, opts);                                     \
  }                                                                                                                    \
  int name##d##d2many(int ntrans, int64_t nj, LIST xs_declared, real _Complex *c, int isign, real eps,                 \
                      LIST modes_declared, const real _Complex *f, const finufft_opts *opts) {                         \
    return JOB(precision, 2, d, ntrans, nj, xs, c, isign, eps, modes, 0, (0), f, opts);                                \
  }                                                                                                                    \
  int name##d##d2(int64_t nj, LIST xs_declared, real _Complex *c, int isign, real eps, LIST modes_declared,            \
                  const real _Complex *f, const finufft_opts *opts) {                                                  \
    return JOB(precision, 2, d, 1, nj, xs, c, isign, eps, modes, 0, (0), f, opts);                                     \
  }                                                                                                                    \
  int name##d##d3many(int ntrans, int64_t nj, LIST xs_declared, const real _Complex *c, int isign, real eps,           \
                      int64_t nk, LIST ss_declared, real _Complex *f, const finufft_opts *opts) {                      \
    return JOB(precision, 3, d, ntrans, nj, xs, c, isign, eps, (1, 1, 1), nk, ss, f, opts);                            \
  }                                                                                                                    \
  int name##d##d3(int64_t nj, LIST xs_declared, const real _Complex *c, int isign, real eps, int64_t nk,               \
                  LIST ss_declared, real _Complex *f, const finufft_opts *opts) {                                      \
    return JOB(precision, 3, d, 1, nj, xs, c, isign, eps, (1, 1, 1), nk, ss, f, opts);                                 \
  }

#define SIMPLE_ALL(name, real, precision)                                                                              \
  SIMPLE(name, real, precision, 1, (const real *x), (x), (const real *s), (s), (int64_t n1), (n1))                     \
  SIMPLE(name, real, precision, 2, (const real *x, const real *y), (x, y), (const real *s, const real *t), (s, t),     \
         (int64_t n1, int64_t n2), (n1, n2))                                                                           \
  SIMPLE(name, real, precision, 3, (const real *x, const real *y, const real *z), (x, y, z),                           \
         (const real *s, const real *t, const real *u), (s, t, u), (int64_t n1, int64_t n2, int64_t n3), (n1, n2, n3))

SIMPLE_ALL(finufft, double, OG_F64)
SIMPLE_ALL(finufftf, float, OG_F32)
