/* og_direct_sum is right to rounding: against quadruple precision, for large phases, crowded and single terms. */
#include "common/test.h"

/* The same sum in the type that the compiler calls __float128: products are exact there, and its own arithmetic sums a
 * Taylor series after halving the angle until it is small. */
typedef __float128 quad;

static void quad_cos_sin(quad angle, quad *c, quad *s) {
  const quad two_pi = 6.283185307179586476925286766559005768394338798750Q;
  angle -= two_pi * (quad)(int64_t)(double)(angle / two_pi);
  int halvings = 8;
  quad a = angle / (1 << halvings), term = 1, cosine = 0, sine = 0;
  for (int n = 0; n < 20; n++) { /* |a| < 0.025 */
    cosine += term;
    term *= a / (2 * n + 1);
    sine += term;
    term *= -a / (2 * n + 2);
  }
  for (; halvings > 0; halvings--) { /* cos 2a - 1 = -2 sin^2 a would keep more digits: 2^8 of 2^113 do not matter */
    quad s2 = 2 * sine * cosine;
    cosine = 1 - 2 * sine * sine;
    sine = s2;
  }
  *c = cosine;
  *s = sine;
}

static void check(int ndim, int sign, int64_t n, int64_t m, double reach) {
  double *x[3] = {0}, *w[3] = {0}, *c = test_random(2 * n, OG_F64), *got = test_doubles(2 * m),
         *want = test_doubles(2 * m);
  for (int d = 0; d < ndim; d++) {
    x[d] = test_random(n, OG_F64);
    w[d] = test_random(m, OG_F64);
    for (int64_t l = 0; l < m; l++)
      w[d][l] *= reach;
  }
  CHECK_OK(og_direct_sum(ndim, sign, n, (const double *const *)x, c, m, (const double *const *)w, got));
  for (int64_t l = 0; l < m; l++) {
    quad re = 0, im = 0;
    for (int64_t j = 0; j < n; j++) {
      quad angle = 0, cosine, sine;
      for (int d = 0; d < ndim; d++)
        angle += (quad)w[d][l] * x[d][j];
      quad_cos_sin(sign * angle, &cosine, &sine);
      re += cosine * c[2 * j] - sine * c[2 * j + 1];
      im += cosine * c[2 * j + 1] + sine * c[2 * j];
    }
    want[2 * l] = (double)re;
    want[2 * l + 1] = (double)im;
  }
  /* some units of rounding relative to the terms, which may cancel, and the phase's: 64 bits of long double */
  double norm = test_norm(want, 2 * m), typical = sqrt((double)m) * test_norm(c, 2 * n);
  CHECK_AT_MOST(test_error(got, want, 2 * m) * norm / fmax(norm, typical), 1e-15 + 0x1p-63 * ndim * reach, "error");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the direct sum is right to rounding");
  const double reach[] = {1e-9, 0.5, 3, 100, 1e4, 1e6};
  const int64_t n[] = {1, 2, 63, 64, 65, 300};
  for (int ndim = 1; ndim <= 3; ndim++)
    for (int sign = -1; sign <= 1; sign += 2)
      for (int r = 0; r < 6; r++)
        for (int i = 0; i < 6; i++) {
          if (!test_sample(4))
            continue;
          test_case("%dd/sign=%d/n=%lld/phases to %g", ndim, sign, (long long)n[i], reach[r]);
          check(ndim, sign, n[i], 20, reach[r]);
          test_free();
        }
  /* quarters and eighths of a turn, where the reduction changes branch */
  double angles[33], one[2] = {1, 0}, unit[1] = {1}, got[66];
  const double *const sources[1] = {unit}, *const targets[1] = {angles};
  for (int i = 0; i < 33; i++)
    angles[i] = 3.14159265358979323846 * (i - 16) / 4;
  test_case("multiples of an eighth of a turn");
  CHECK_OK(og_direct_sum(1, 1, 1, sources, one, 33, targets, got));
  for (int i = 0; i < 33; i++)
    CHECK(fabs(got[2 * i] - cos(angles[i])) < 4e-16 && fabs(got[2 * i + 1] - sin(angles[i])) < 4e-16,
          "exp(i %g) = %.17g + %.17g i", angles[i], got[2 * i], got[2 * i + 1]);
  test_case("misuse");
  const double *const none[1] = {NULL};
  double bad[1] = {NAN};
  const double *const nan_targets[1] = {bad};
  CHECK_OK(og_direct_sum(1, 1, 0, none, NULL, 1, targets, got));
  CHECK(got[0] == 0 && got[1] == 0, "an empty sum is %g + %g i", got[0], got[1]);
  CHECK_OK(og_direct_sum(1, 1, 1, sources, one, 0, none, NULL));
  CHECK_CODE(og_direct_sum(0, 1, 1, sources, one, 1, targets, got), OG_ERR_ARGUMENT, "ndim = 0");
  CHECK_CODE(og_direct_sum(4, 1, 1, sources, one, 1, targets, got), OG_ERR_ARGUMENT, "ndim = 4");
  CHECK_CODE(og_direct_sum(1, 0, 1, sources, one, 1, targets, got), OG_ERR_ARGUMENT, "sign = 0");
  CHECK_CODE(og_direct_sum(1, 1, -1, sources, one, 1, targets, got), OG_ERR_SIZE, "-1");
  CHECK_CODE(og_direct_sum(1, 1, 1, NULL, one, 1, targets, got), OG_ERR_NULL, "source");
  CHECK_CODE(og_direct_sum(1, 1, 1, none, one, 1, targets, got), OG_ERR_NULL, "source");
  CHECK_CODE(og_direct_sum(1, 1, 1, sources, NULL, 1, targets, got), OG_ERR_NULL, "strengths");
  CHECK_CODE(og_direct_sum(1, 1, 1, sources, one, 1, targets, NULL), OG_ERR_NULL, "results");
  CHECK_CODE(og_direct_sum(1, 1, 1, sources, one, 1, nan_targets, got), OG_ERR_POINT, "target 0");
  return test_end();
}
