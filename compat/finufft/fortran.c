/* The Fortran interface: the 48 functions once more, by reference, with a trailing underscore and the code as the last
 * argument. Builds of FINUFFT with Fortran support export the same names. */
#include "plan.h"

#define LIST(...) __VA_ARGS__

/* A missing argument (a null reference) must not become a crash where FINUFFT's own wrapper catches it. */
#define PLAN(plan) ((plan) ? *(plan) : NULL)

#define GURU(name, real)                                                                                               \
  FINUFFT_API void name##_default_opts_(finufft_opts *o) { name##_default_opts(o); }                                   \
  FINUFFT_API void name##_makeplan_(int *type, int *dim, int64_t *n_modes, int *isign, int *ntrans, real *eps,         \
                                    name##_plan *plan, finufft_opts *o, int *ier) {                                    \
    *ier = name##_makeplan(*type, *dim, n_modes, *isign, *ntrans, *eps, plan, o);                                      \
  }                                                                                                                    \
  FINUFFT_API void name##_setpts_(name##_plan *plan, int64_t *nj, real *x, real *y, real *z, int64_t *nk, real *s,     \
                                  real *t, real *u, int *ier) {                                                        \
    *ier = name##_setpts(PLAN(plan), *nj, x, y, z, nk ? *nk : 0, s, t, u);                                             \
  }                                                                                                                    \
  FINUFFT_API void name##_execute_(name##_plan *plan, real _Complex *c, real _Complex *f, int *ier) {                  \
    *ier = name##_execute(PLAN(plan), c, f);                                                                           \
  }                                                                                                                    \
  FINUFFT_API void name##_execute_adjoint_(name##_plan *plan, real _Complex *c, real _Complex *f, int *ier) {          \
    *ier = name##_execute_adjoint(PLAN(plan), c, f);                                                                   \
  }                                                                                                                    \
  FINUFFT_API void name##_destroy_(name##_plan *plan, int *ier) { *ier = name##_destroy(PLAN(plan)); }

#define SIMPLE(name, real, d, xs_declared, xs, ss_declared, ss, modes_declared, modes)                                 \
  FINUFFT_API void name##d##d1_(int64_t *nj, LIST xs_declared, real _Complex *c, int *isign, real *eps,                \
                                LIST modes_declared, real _Complex *f, finufft_opts *o, int *ier) {                    \
    *ier = name##d##d1(*nj, LIST xs, c, *isign, *eps, LIST modes, f, o);                                               \
  }                                                                                                                    \
  FINUFFT_API void name##d##d1many_(int *ntrans, int64_t *nj, LIST xs_declared, real _Complex *c, int *isign,          \
                                    real *eps, LIST modes_declared, real _Complex *f, finufft_opts *o, int *ier) {     \
    *ier = name##d##d1many(*ntrans, *nj, LIST xs, c, *isign, *eps, LIST modes, f, o);                                  \
  }                                                                                                                    \
  FINUFFT_API void name##d##d2_(int64_t *nj, LIST xs_declared, real _Complex *c, int *isign, real *eps,                \
                                LIST modes_declared, real _Complex *f, finufft_opts *o, int *ier) {                    \
    *ier = name##d##d2(*nj, LIST xs, c, *isign, *eps, LIST modes, f, o);                                               \
  }                                                                                                                    \
  FINUFFT_API void name##d##d2many_(int *ntrans, int64_t *nj, LIST xs_declared, real _Complex *c, int *isign,          \
                                    real *eps, LIST modes_declared, real _Complex *f, finufft_opts *o, int *ier) {     \
    *ier = name##d##d2many(*ntrans, *nj, LIST xs, c, *isign, *eps, LIST modes, f, o);                                  \
  }                                                                                                                    \
  FINUFFT_API void name##d##d3_(int64_t *nj, LIST xs_declared, real _Complex *c, int *isign, real *eps, int64_t *nk,   \
                                LIST ss_declared, real _Complex *f, finufft_opts *o, int *ier) {                       \
    *ier = name##d##d3(*nj, LIST xs, c, *isign, *eps, *nk, LIST ss, f, o);                                             \
  }                                                                                                                    \
  FINUFFT_API void name##d##d3many_(int *ntrans, int64_t *nj, LIST xs_declared, real _Complex *c, int *isign,          \
                                    real *eps, int64_t *nk, LIST ss_declared, real _Complex *f, finufft_opts *o,       \
                                    int *ier) {                                                                        \
    *ier = name##d##d3many(*ntrans, *nj, LIST xs, c, *isign, *eps, *nk, LIST ss, f, o);                                \
  }

#define ALL(name, real)                                                                                                \
  GURU(name, real)                                                                                                     \
  SIMPLE(name, real, 1, (real * x), (x), (real * s), (s), (int64_t * n1), (*n1))                                       \
  SIMPLE(name, real, 2, (real * x, real * y), (x, y), (real * s, real * t), (s, t), (int64_t * n1, int64_t * n2),      \
         (*n1, *n2))                                                                                                   \
  SIMPLE(name, real, 3, (real * x, real * y, real * z), (x, y, z), (real * s, real * t, real * u), (s, t, u),          \
         (int64_t * n1, int64_t * n2, int64_t * n3), (*n1, *n2, *n3))

ALL(finufft, double)
ALL(finufftf, float)
