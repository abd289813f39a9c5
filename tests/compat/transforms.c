/* Every function of the FINUFFT-compatible library equals the direct sum: 18 one-call functions and the plan's, both
 * precisions, both signs and mode orders, execute and execute_adjoint, by their C and their Fortran names. */
#include "calls.h"

static const int64_t modes[3][3] = {{31, 1, 1}, {14, 9, 1}, {8, 7, 10}};

static finufft_opts options_for(int modeord, int nthreads) {
  finufft_opts o;
  finufft_default_opts(&o);
  o.modeord = modeord;
  o.nthreads = nthreads;
  return o;
}

/* Runs k on random data and compares with the direct sum; what is not output must stay. */
static void compare(call *k) {
  int64_t c_size = 2 * k->ntrans * k->n_points, f_size = 2 * k->ntrans * call_outputs(k);
  int adjoint = k->way == BY_ADJOINT, to_f = (k->type != 2) != adjoint;
  double *c = test_random(c_size, k->precision), *f = test_random(f_size, k->precision);
  k->c = test_pack(to_f ? c : NULL, c_size, k->precision);
  k->f = test_pack(to_f ? NULL : f, f_size, k->precision);
  int code = call_run(k);
  CHECK(code == 0, "code %d, want 0", code);
  double *got_c = test_unpack(k->c, c_size, k->precision), *got_f = test_unpack(k->f, f_size, k->precision);
  if (to_f)
    CHECK(test_same_bits(got_c, c, c_size), "the input c was changed");
  else
    CHECK(test_same_bits(got_f, f, f_size), "the input f was changed");
  call_direct(k, to_f, adjoint ? -k->isign : k->isign, c, f);
  double error = to_f ? test_error(got_f, f, f_size) : test_error(got_c, c, c_size);
  CHECK_AT_MOST(error, 1.75 * k->eps, "relative error");
}

static void run(int precision, int way, int type, int ndim, int many, int isign, int modeord) {
  /* nthreads 0 and 2; opts given or NULL */
  int with_opts = modeord || test_bits() % 2;
  finufft_opts o = options_for(modeord, test_bits() % 2 ? 2 : 0);
  call k = {.precision = precision,
            .way = way,
            .type = type,
            .ndim = ndim,
            .many = many,
            .isign = isign,
            .ntrans = many ? 3 : 1,
            .eps = precision == OG_F32 ? 1e-4 : 1e-9,
            .n_points = 57,
            .n_targets = 41,
            .opts = with_opts ? &o : NULL};
  memcpy(k.n, modes[ndim - 1], sizeof k.n);
  call_points(&k);
  test_case("%dd%d%s %s %s isign=%d modeord=%d opts=%s", ndim, type, many ? "many" : "", way_name[way],
            test_precision_name[precision], isign, modeord, with_opts ? "given" : "NULL");
  compare(&k);
  test_free();
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "Every FINUFFT function equals the direct sum.");
  FOR_BACKENDS(backend) {
    setenv("OFFGRID_BACKEND", backend, 1);
    FOR_PRECISIONS(precision)
    for (int way = 0; way < WAYS; way++)
      for (int type = 1; type <= 3; type++)
        for (int ndim = 1; ndim <= 3; ndim++)
          for (int many = 0; many <= 1; many++)
            for (int isign = -1; isign <= 1; isign += 2)
              for (int modeord = 0; modeord <= (type != 3); modeord++)
                run(precision, way, type, ndim, many, isign, modeord);
  }
  return test_end();
}
