/* Misuse gives FINUFFT's code, and its corner cases (no points, no modes, huge counts) give FINUFFT's answer. */
#include "calls.h"

#include <unistd.h>

/* A legal 2-D type 1 job on 12 x 9 modes and 5 points: each case changes one thing. */
static call legal(int precision, finufft_opts *o) {
  finufft_default_opts(o);
  call k = {.precision = precision,
            .way = BY_PLAN,
            .type = 1,
            .ndim = 2,
            .isign = 1,
            .ntrans = 1,
            .eps = 1e-3,
            .n_points = 5,
            .n_targets = 7,
            .n = {12, 9, 1},
            .opts = o};
  call_points(&k);
  k.c = test_pack(test_random(2 * 5, precision), 2 * 5, precision);
  k.f = test_pack(NULL, 2 * 12 * 9, precision);
  return k;
}

static void lock_nothing(void *data) { (void)data; }

#define CASE(want, ...)                                                                                                \
  {                                                                                                                    \
    finufft_opts o;                                                                                                    \
    call k = legal(precision, &o);                                                                                     \
    __VA_ARGS__;                                                                                                       \
    test_case("%s %s", test_precision_name[precision], #__VA_ARGS__);                                                  \
    int code = call_run(&k);                                                                                           \
    CHECK(code == (want), "code %d, want %s = %d", code, #want, want);                                                 \
    test_free();                                                                                                       \
  }

static void makeplan_codes(int precision) {
  CASE(0, (void)k)
  CASE(FINUFFT_ERR_TYPE_NOTVALID, k.type = 0)
  CASE(FINUFFT_ERR_TYPE_NOTVALID, k.type = 4)
  CASE(FINUFFT_ERR_DIM_NOTVALID, k.ndim = 0)
  CASE(FINUFFT_ERR_DIM_NOTVALID, k.ndim = 4)
  CASE(FINUFFT_ERR_NTRANS_NOTVALID, k.ntrans = 0)
  CASE(FINUFFT_ERR_NTRANS_NOTVALID, k.ntrans = 0; k.eps = 0)
  CASE(FINUFFT_ERR_EPS_TOO_SMALL, k.eps = 0)
  CASE(FINUFFT_ERR_EPS_TOO_SMALL, k.eps = 1e-30)
  CASE(FINUFFT_ERR_EPS_TOO_SMALL, k.eps = -1)
  CASE(0, k.eps = 1e-30; o.allow_eps_too_small = 1)
  CASE(0, k.eps = 0; o.allow_eps_too_small = 1; k.type = 3)
  CASE(0, k.eps = 0.9)
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.eps = NAN)
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.eps = INFINITY)
  CASE(FINUFFT_ERR_UPSAMPFAC_TOO_SMALL, o.upsampfac = 1.0)
  CASE(FINUFFT_ERR_UPSAMPFAC_TOO_SMALL, o.upsampfac = -2)
  CASE(FINUFFT_ERR_UPSAMPFAC_TOO_SMALL, o.upsampfac = NAN)
  CASE(0, o.upsampfac = 1.25)
  CASE(0, o.upsampfac = 1.01)
  CASE(0, o.upsampfac = 7)
  CASE(FINUFFT_ERR_KERFORMULA_NOTVALID, o.spread_kerformula = 1)
  CASE(FINUFFT_ERR_KERFORMULA_NOTVALID, o.spread_kerformula = 99)
  CASE(0, o.spread_kerformula = 8)
  CASE(FINUFFT_ERR_LOCK_FUNS_INVALID, o.fftw_lock_fun = lock_nothing)
  CASE(FINUFFT_ERR_LOCK_FUNS_INVALID, o.fftw_unlock_fun = lock_nothing)
  CASE(FINUFFT_ERR_NTHREADS_NOTVALID, o.nthreads = 1 << 20)
  CASE(0, o.nthreads = -3)
  CASE(FINUFFT_ERR_NDATA_NOTVALID, k.n[1] = -1)
  CASE(FINUFFT_ERR_MAXNALLOC, k.n[0] = k.n[1] = (int64_t)1 << 40)
  CASE(0, o.spread_thread = 3; o.spread_kerevalmeth = 0; o.spread_kerpad = 0)
  CASE(0, o.fftw = 64)
  CASE(0, o.maxbatchsize = 1; o.spread_sort = 0; o.spread_nthr_atomic = 1; o.spread_max_sp_size = 10)
}

static void setpts_codes(int precision) {
  CASE(FINUFFT_ERR_NUM_NU_PTS_INVALID, k.n_points = -1)
  CASE(FINUFFT_ERR_NUM_NU_PTS_INVALID, k.n_points = (int64_t)1e16)
  CASE(FINUFFT_ERR_NUM_NU_PTS_INVALID, k.type = 3; k.n_targets = -1)
  CASE(FINUFFT_ERR_NUM_NU_PTS_INVALID, k.type = 3; k.n_targets = (int64_t)1e16)
  CASE(0, k.n_targets = -1) /* not read for type 1 */
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.px[1] = NULL)
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.type = 3; k.ps[1] = NULL)
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.x[0][3] = NAN; k.px[0] = test_pack(k.x[0], 5, precision))
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.type = 3; k.s[1][6] = INFINITY; k.ps[1] = test_pack(k.s[1], 7, precision))
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.c = NULL)
  CASE(FINUFFT_ERR_INVALID_ARGUMENT, k.f = NULL)
  CASE(FINUFFT_ERR_SPREAD_BOX_SMALL, o.spreadinterponly = 1; k.n[0] = 3)
  CASE(FINUFFT_ERR_SPREAD_BOX_SMALL, o.spreadinterponly = 1; k.n[0] = 0)
}

/* A product of ranges that no grid can hold. */
static void huge_type3(int precision) {
  finufft_opts o;
  call k = legal(precision, &o);
  k.type = 3;
  for (int l = 0; l < 7; l++)
    k.s[0][l] = test_round(1e13 * k.s[0][l], precision), k.s[1][l] = test_round(1e13 * k.s[1][l], precision);
  k.ps[0] = test_pack(k.s[0], 7, precision);
  k.ps[1] = test_pack(k.s[1], 7, precision);
  test_case("%s type 3 of 1e14 x 1e14 cells", test_precision_name[precision]);
  int code = call_run(&k);
  CHECK(code == FINUFFT_ERR_MAXNALLOC || code == FINUFFT_ERR_ALLOC, "code %d, want 2 or 11", code);
  test_free();
}

static void null_plans(void) {
  test_case("null and unready plans");
  double x[1] = {0};
  double _Complex c[1] = {1}, f[4];
  int64_t n[1] = {4};
  finufft_plan plan = (finufft_plan)x;
  CHECK(finufft_destroy(NULL) == 1, "destroy of a null plan");
  CHECK(finufftf_destroy(NULL) == 1, "destroy of a null plan");
  CHECK(finufft_execute(NULL, c, f) == FINUFFT_ERR_PLAN_NOTVALID, "execute of a null plan");
  CHECK(finufft_execute_adjoint(NULL, c, f) == FINUFFT_ERR_PLAN_NOTVALID, "execute_adjoint of a null plan");
  CHECK(finufft_setpts(NULL, 1, x, NULL, NULL, 0, NULL, NULL, NULL) == FINUFFT_ERR_PLAN_NOTVALID, "setpts of none");
  CHECK(finufft_makeplan(1, 1, n, 1, 1, 1e-3, NULL, NULL) == FINUFFT_ERR_INVALID_ARGUMENT, "makeplan to nowhere");
  CHECK(finufft_makeplan(1, 1, NULL, 1, 1, 1e-3, &plan, NULL) == FINUFFT_ERR_NDATA_NOTVALID, "no n_modes");
  CHECK(!plan, "a failed makeplan leaves a null plan");
  CHECK(finufft_makeplan(1, 1, n, 1, 1, 1e-3, &plan, NULL) == 0, "makeplan");
  CHECK(finufft_execute(plan, c, f) == FINUFFT_ERR_INVALID_ARGUMENT, "execute before setpts");
  CHECK(finufft_destroy(plan) == 0, "destroy straight after");
  CHECK(finufft_makeplan(3, 1, NULL, 1, 1, 1e-3, &plan, NULL) == 0, "type 3 does not read n_modes");
  CHECK(finufft_destroy(plan) == 0, "destroy of a type 3 plan without points");
  finufft_default_opts(NULL); /* no crash */
}

/* No points: zero modes or results. No modes or targets: nothing written, or zero values. */
static void empty(int precision, int type, int ndim, int many, int no_points, int no_outputs) {
  call k = {.precision = precision,
            .way = BY_SIMPLE,
            .type = type,
            .ndim = ndim,
            .many = many,
            .isign = 1,
            .ntrans = many ? 4 : 1,
            .eps = 1e-3,
            .n_points = no_points ? 0 : 20,
            .n_targets = no_outputs ? 0 : 10,
            .n = {10, ndim > 1 ? 9 : 1, ndim > 2 ? 8 : 1}};
  if (no_outputs)
    k.n[test_integer(0, ndim - 1)] = 0;
  call_points(&k);
  int64_t c_size = 2 * k.ntrans * k.n_points, f_size = 2 * k.ntrans * call_outputs(&k);
  double *c = test_random(c_size, precision), *f = test_random(f_size, precision);
  k.c = test_pack(c, c_size, precision);
  k.f = test_pack(f, f_size, precision);
  test_case("%dd%d%s %s, %lld points, %lld outputs", ndim, type, many ? "many" : "", test_precision_name[precision],
            (long long)k.n_points, (long long)call_outputs(&k));
  int code = call_run(&k);
  CHECK(code == 0, "code %d, want 0", code);
  int to_f = type != 2;
  double norm = to_f ? test_norm(test_unpack(k.f, f_size, precision), f_size)
                     : test_norm(test_unpack(k.c, c_size, precision), c_size);
  CHECK(norm == 0, "the output's norm is %g, want 0", norm);
  test_free();
}

/* The refusals above say why on stderr; in this test that is only noise. */
static void quiet_stderr(void) {
  if (!test.verbose && !freopen("/dev/null", "w", stderr))
    exit(2);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "Misuse and corner cases give FINUFFT's codes and answers.");
  quiet_stderr();
  FOR_PRECISIONS(precision) {
    makeplan_codes(precision);
    setpts_codes(precision);
    huge_type3(precision);
    for (int type = 1; type <= 3; type++)
      for (int ndim = 1; ndim <= 3; ndim++)
        for (int many = 0; many <= 1; many++)
          for (int which = 1; which <= 3; which++)
            empty(precision, type, ndim, many, which & 1, which & 2);
  }
  null_plans();
  return test_end();
}
