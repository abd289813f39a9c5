/* The 96 functions of the FINUFFT-compatible library behind two of one signature each precision: the one-call functions
 * (C and Fortran) and a run through the plan interface; and the problem that they are tested on. */
#ifndef OG_TESTS_COMPAT_CALLS
#define OG_TESTS_COMPAT_CALLS
#include "common/test.h"

#include "finufft.h"

enum { BY_SIMPLE, BY_FORTRAN, BY_PLAN, BY_ADJOINT, WAYS };
static const char *const way_name[] = {"simple", "fortran", "plan", "adjoint"};

typedef struct call {
  int precision, way, type, ndim, many, isign;
  int ntrans; /* 1 unless many */
  double eps;
  int64_t n_points, n_targets; /* targets: of type 3 */
  int64_t n[3];                /* modes; 1 in absent dimensions */
  double *x[3], *s[3];         /* numbers that the precision holds exactly */
  const finufft_opts *opts;
  void *px[3], *ps[3], *c, *f; /* packed */
} call;

#define SIMPLE_CALLS(name, R)                                                                                          \
  static int name##_simple(const call *k) {                                                                            \
    const R *x = k->px[0], *y = k->px[1], *z = k->px[2], *s = k->ps[0], *t = k->ps[1], *u = k->ps[2], e = (R)k->eps;   \
    R _Complex *c = k->c, *f = k->f;                                                                                   \
    const int64_t m = k->n_points, l = k->n_targets, n1 = k->n[0], n2 = k->n[1], n3 = k->n[2];                         \
    const finufft_opts *o = k->opts;                                                                                   \
    const int v = k->ntrans, i = k->isign;                                                                             \
    switch (100 * k->ndim + 10 * k->type + k->many) {                                                                  \
    case 110:                                                                                                          \
      return name##1d1(m, x, c, i, e, n1, f, o);                                                                       \
    case 120:                                                                                                          \
      return name##1d2(m, x, c, i, e, n1, f, o);                                                                       \
    case 130:                                                                                                          \
      return name##1d3(m, x, c, i, e, l, s, f, o);                                                                     \
    case 210:                                                                                                          \
      return name##2d1(m, x, y, c, i, e, n1, n2, f, o);                                                                \
    case 220:                                                                                                          \
      return name##2d2(m, x, y, c, i, e, n1, n2, f, o);                                                                \
    case 230:                                                                                                          \
      return name##2d3(m, x, y, c, i, e, l, s, t, f, o);                                                               \
    case 310:                                                                                                          \
      return name##3d1(m, x, y, z, c, i, e, n1, n2, n3, f, o);                                                         \
    case 320:                                                                                                          \
      return name##3d2(m, x, y, z, c, i, e, n1, n2, n3, f, o);                                                         \
    case 330:                                                                                                          \
      return name##3d3(m, x, y, z, c, i, e, l, s, t, u, f, o);                                                         \
    case 111:                                                                                                          \
      return name##1d1many(v, m, x, c, i, e, n1, f, o);                                                                \
    case 121:                                                                                                          \
      return name##1d2many(v, m, x, c, i, e, n1, f, o);                                                                \
    case 131:                                                                                                          \
      return name##1d3many(v, m, x, c, i, e, l, s, f, o);                                                              \
    case 211:                                                                                                          \
      return name##2d1many(v, m, x, y, c, i, e, n1, n2, f, o);                                                         \
    case 221:                                                                                                          \
      return name##2d2many(v, m, x, y, c, i, e, n1, n2, f, o);                                                         \
    case 231:                                                                                                          \
      return name##2d3many(v, m, x, y, c, i, e, l, s, t, f, o);                                                        \
    case 311:                                                                                                          \
      return name##3d1many(v, m, x, y, z, c, i, e, n1, n2, n3, f, o);                                                  \
    case 321:                                                                                                          \
      return name##3d2many(v, m, x, y, z, c, i, e, n1, n2, n3, f, o);                                                  \
    case 331:                                                                                                          \
      return name##3d3many(v, m, x, y, z, c, i, e, l, s, t, u, f, o);                                                  \
    default:                                                                                                           \
      return -1;                                                                                                       \
    }                                                                                                                  \
  }
SIMPLE_CALLS(finufft, double)
SIMPLE_CALLS(finufftf, float)

/* Fortran passes everything by reference and has no prototypes; names end in an underscore. */
#define FORTRAN_NAMES(name)                                                                                            \
  void name##1d1_(), name##1d2_(), name##1d3_(), name##2d1_(), name##2d2_(), name##2d3_(), name##3d1_(), name##3d2_(), \
      name##3d3_(), name##1d1many_(), name##1d2many_(), name##1d3many_(), name##2d1many_(), name##2d2many_(),          \
      name##2d3many_(), name##3d1many_(), name##3d2many_(), name##3d3many_(), name##_default_opts_(),                  \
      name##_makeplan_(), name##_setpts_(), name##_execute_(), name##_execute_adjoint_(), name##_destroy_();
FORTRAN_NAMES(finufft)
FORTRAN_NAMES(finufftf)

#define FORTRAN_CALLS(name, R)                                                                                         \
  static int name##_fortran(const call *k) {                                                                           \
    call q = *k;                                                                                                       \
    void *x = q.px[0], *y = q.px[1], *z = q.px[2], *s = q.ps[0], *t = q.ps[1], *u = q.ps[2], *c = q.c, *f = q.f;       \
    int64_t *m = &q.n_points, *l = &q.n_targets, *n1 = &q.n[0], *n2 = &q.n[1], *n3 = &q.n[2];                          \
    R eps = (R)q.eps, *e = &eps;                                                                                       \
    finufft_opts options, *o = k->opts ? &options : NULL;                                                              \
    if (o)                                                                                                             \
      options = *k->opts;                                                                                              \
    int *v = &q.ntrans, *i = &q.isign, code = -1, *ier = &code;                                                        \
    switch (100 * q.ndim + 10 * q.type + q.many) {                                                                     \
    case 110:                                                                                                          \
      name##1d1_(m, x, c, i, e, n1, f, o, ier);                                                                        \
      break;                                                                                                           \
    case 120:                                                                                                          \
      name##1d2_(m, x, c, i, e, n1, f, o, ier);                                                                        \
      break;                                                                                                           \
    case 130:                                                                                                          \
      name##1d3_(m, x, c, i, e, l, s, f, o, ier);                                                                      \
      break;                                                                                                           \
    case 210:                                                                                                          \
      name##2d1_(m, x, y, c, i, e, n1, n2, f, o, ier);                                                                 \
      break;                                                                                                           \
    case 220:                                                                                                          \
      name##2d2_(m, x, y, c, i, e, n1, n2, f, o, ier);                                                                 \
      break;                                                                                                           \
    case 230:                                                                                                          \
      name##2d3_(m, x, y, c, i, e, l, s, t, f, o, ier);                                                                \
      break;                                                                                                           \
    case 310:                                                                                                          \
      name##3d1_(m, x, y, z, c, i, e, n1, n2, n3, f, o, ier);                                                          \
      break;                                                                                                           \
    case 320:                                                                                                          \
      name##3d2_(m, x, y, z, c, i, e, n1, n2, n3, f, o, ier);                                                          \
      break;                                                                                                           \
    case 330:                                                                                                          \
      name##3d3_(m, x, y, z, c, i, e, l, s, t, u, f, o, ier);                                                          \
      break;                                                                                                           \
    case 111:                                                                                                          \
      name##1d1many_(v, m, x, c, i, e, n1, f, o, ier);                                                                 \
      break;                                                                                                           \
    case 121:                                                                                                          \
      name##1d2many_(v, m, x, c, i, e, n1, f, o, ier);                                                                 \
      break;                                                                                                           \
    case 131:                                                                                                          \
      name##1d3many_(v, m, x, c, i, e, l, s, f, o, ier);                                                               \
      break;                                                                                                           \
    case 211:                                                                                                          \
      name##2d1many_(v, m, x, y, c, i, e, n1, n2, f, o, ier);                                                          \
      break;                                                                                                           \
    case 221:                                                                                                          \
      name##2d2many_(v, m, x, y, c, i, e, n1, n2, f, o, ier);                                                          \
      break;                                                                                                           \
    case 231:                                                                                                          \
      name##2d3many_(v, m, x, y, c, i, e, l, s, t, f, o, ier);                                                         \
      break;                                                                                                           \
    case 311:                                                                                                          \
      name##3d1many_(v, m, x, y, z, c, i, e, n1, n2, n3, f, o, ier);                                                   \
      break;                                                                                                           \
    case 321:                                                                                                          \
      name##3d2many_(v, m, x, y, z, c, i, e, n1, n2, n3, f, o, ier);                                                   \
      break;                                                                                                           \
    case 331:                                                                                                          \
      name##3d3many_(v, m, x, y, z, c, i, e, l, s, t, u, f, o, ier);                                                   \
      break;                                                                                                           \
    }                                                                                                                  \
    return code;                                                                                                       \
  }
FORTRAN_CALLS(finufft, double)
FORTRAN_CALLS(finufftf, float)

/* Through a plan, in C for one vector and by the Fortran names for many, so that both are run. */
#define PLAN_CALLS(name, R)                                                                                            \
  static int name##_by_plan_c(const call *k) {                                                                         \
    name##_plan plan;                                                                                                  \
    int code = name##_makeplan(k->type, k->ndim, k->n, k->isign, k->ntrans, (R)k->eps, &plan, k->opts);                \
    if (code)                                                                                                          \
      return code;                                                                                                     \
    code = name##_setpts(plan, k->n_points, k->px[0], k->px[1], k->px[2], k->n_targets, k->ps[0], k->ps[1], k->ps[2]); \
    if (!code)                                                                                                         \
      code = k->way == BY_ADJOINT ? name##_execute_adjoint(plan, k->c, k->f) : name##_execute(plan, k->c, k->f);       \
    int end = name##_destroy(plan);                                                                                    \
    return code ? code : end;                                                                                          \
  }                                                                                                                    \
  static int name##_by_plan_fortran(const call *k) {                                                                   \
    call q = *k;                                                                                                       \
    name##_plan plan = NULL;                                                                                           \
    finufft_opts options;                                                                                              \
    R eps = (R)k->eps;                                                                                                 \
    int code = -1, end = -1;                                                                                           \
    name##_default_opts_(&options);                                                                                    \
    if (k->opts)                                                                                                       \
      options = *k->opts;                                                                                              \
    name##_makeplan_(&q.type, &q.ndim, q.n, &q.isign, &q.ntrans, &eps, &plan, &options, &code);                        \
    if (code)                                                                                                          \
      return code;                                                                                                     \
    name##_setpts_(&plan, &q.n_points, q.px[0], q.px[1], q.px[2], &q.n_targets, q.ps[0], q.ps[1], q.ps[2], &code);     \
    if (!code && k->way == BY_ADJOINT)                                                                                 \
      name##_execute_adjoint_(&plan, q.c, q.f, &code);                                                                 \
    else if (!code)                                                                                                    \
      name##_execute_(&plan, q.c, q.f, &code);                                                                         \
    name##_destroy_(&plan, &end);                                                                                      \
    return code ? code : end;                                                                                          \
  }                                                                                                                    \
  static int name##_call(const call *k) {                                                                              \
    if (k->way == BY_SIMPLE)                                                                                           \
      return name##_simple(k);                                                                                         \
    if (k->way == BY_FORTRAN)                                                                                          \
      return name##_fortran(k);                                                                                        \
    return k->many ? name##_by_plan_fortran(k) : name##_by_plan_c(k);                                                  \
  }
PLAN_CALLS(finufft, double)
PLAN_CALLS(finufftf, float)

static int call_run(const call *k) { return k->precision == OG_F32 ? finufftf_call(k) : finufft_call(k); }

static int64_t call_outputs(const call *k) { return k->type == 3 ? k->n_targets : k->n[0] * k->n[1] * k->n[2]; }

/* Frequency l along dimension d: a mode's index in the order asked for, or a target. */
static double call_frequency(const call *k, int64_t l, int d) {
  if (k->type == 3)
    return k->s[d][l];
  int64_t i = d == 0 ? l % k->n[0] : d == 1 ? l / k->n[0] % k->n[1] : l / k->n[0] / k->n[1], n = k->n[d];
  if (k->opts && k->opts->modeord)
    return (double)(i < (n + 1) / 2 ? i : i - n);
  return (double)(i - n / 2);
}

/* exp(i sign w.x) */
static void call_phase(const call *k, int sign, int64_t j, int64_t l, double e[2]) {
  double angle = 0;
  for (int d = 0; d < k->ndim; d++)
    angle += call_frequency(k, l, d) * k->x[d][j];
  e[0] = cos(angle);
  e[1] = sign * sin(angle);
}

/* The direct sum in double: from c to f (to_f) or back, with exp(i sign w.x). Arrays: [ntrans][count] complex. */
static TEST_UNUSED void call_direct(const call *k, int to_f, int sign, double *c, double *f) {
  int64_t m = k->n_points, n = call_outputs(k);
  memset(to_f ? f : c, 0, sizeof(double) * (size_t)(2 * k->ntrans * (to_f ? n : m)));
  for (int64_t l = 0; l < n; l++)
    for (int64_t j = 0; j < m; j++) {
      double e[2];
      call_phase(k, sign, j, l, e);
      for (int64_t v = 0; v < k->ntrans; v++) {
        double *a = c + 2 * (v * m + j), *b = f + 2 * (v * n + l);
        double *in = to_f ? a : b, *out = to_f ? b : a;
        out[0] += in[0] * e[0] - in[1] * e[1];
        out[1] += in[0] * e[1] + in[1] * e[0];
      }
    }
}

/* Random points in +-8 (folding is FINUFFT's as well), targets in +-half the mode counts. */
static TEST_UNUSED void call_points(call *k) {
  for (int d = 0; d < 3; d++) {
    k->x[d] = k->s[d] = NULL;
    k->px[d] = k->ps[d] = NULL;
    if (d >= k->ndim)
      continue;
    k->x[d] = test_random(k->n_points, k->precision);
    k->s[d] = test_random(k->n_targets, k->precision);
    for (int64_t j = 0; j < k->n_points; j++)
      k->x[d][j] *= 8;
    for (int64_t l = 0; l < k->n_targets; l++)
      k->s[d][l] = test_round(0.5 * (double)k->n[d] * k->s[d][l], k->precision);
    k->px[d] = test_pack(k->x[d], k->n_points, k->precision);
    k->ps[d] = test_pack(k->s[d], k->n_targets, k->precision);
  }
}
#endif
