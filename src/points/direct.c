/* The direct sum results[l] = sum_j strengths[j] exp(s i omega_l.x_j): the judge of every transform.
 *
 * Each phase omega.x is summed and reduced by 2 pi in long double (64 bits), so that a phase of 1e5 radians still has an
 * error of 1e-15; what remains, a fraction of a turn in [-1/2, 1/2], needs no more than double. Its sine and cosine come
 * from Taylor polynomials on an eighth of a turn, written so that a compiler makes vectors of them. Terms are summed in
 * double over short blocks, blocks in long double: the sum's rounding error stays near one unit in the last place. */
#include "backend.h"

#include <float.h>
#include <math.h>

#define BLOCK 64
#define GRAIN 4096 /* terms that are worth a thread */
#define LANES 4    /* partial sums of a block */

typedef struct direct_sum {
  int ndim, sign;
  int64_t n_sources;
  const double *const *sources, *strengths, *const *targets;
  double *results;
} direct_sum;

/* turns[i] = fraction of a turn of source begin + i at the target, in [-1/2, 1/2]. */
static void reduce_phases(const direct_sum *sum, int64_t begin, int count, const double target[3], double *turns) {
  const long double per_turn = 0.159154943091895335768883763372514362L; /* 1 / (2 pi) */
  const long double round_up = 1.5L / LDBL_EPSILON; /* adding it leaves no fraction bits: rounds to an integer */
  const double *x = sum->sources[0] + begin;
  const double *y = sum->ndim > 1 ? sum->sources[1] + begin : x;
  const double *z = sum->ndim > 2 ? sum->sources[2] + begin : x;
  long double scaled[3] = {target[0] * per_turn, target[1] * per_turn, target[2] * per_turn};
  for (int i = 0; i < count; i++) {
    long double t = scaled[0] * x[i];
    if (sum->ndim > 1)
      t += scaled[1] * y[i];
    if (sum->ndim > 2)
      t += scaled[2] * z[i];
    long double whole = (t + round_up) - round_up;
    turns[i] = (double)(t - whole);
  }
}

/* cos and sin of 2 pi t, |t| <= 1/2: a quarter turn is split off, then polynomials on |angle| <= pi/4. */
static inline void turn_to_cos_sin(double t, double *cosine, double *sine) {
  const double round_up = 0x1.8p52;
  double quarter = (4.0 * t + round_up) - round_up; /* -2 ... 2 */
  double a = 6.283185307179586476925 * (t - 0.25 * quarter), b = a * a;
  double c =
      1.0 +
      b * (-1.0 / 2 +
           b * (1.0 / 24 + b * (-1.0 / 720 +
                                b * (1.0 / 40320 + b * (-1.0 / 3628800 +
                                                        b * (1.0 / 479001600 + b * (-1.0 / 87178291200.0 +
                                                                                    b * (1.0 / 20922789888000.0))))))));
  double s =
      a + a * b *
              (-1.0 / 6 +
               b * (1.0 / 120 +
                    b * (-1.0 / 5040 +
                         b * (1.0 / 362880 + b * (-1.0 / 39916800 +
                                                  b * (1.0 / 6227020800.0 + b * (-1.0 / 1307674368000.0 +
                                                                                 b * (1.0 / 355687428096000.0))))))));
  /* quarter q turns (c, s) into (c, s), (-s, c), (-c, -s), (s, -c): as arithmetic, because branches stop vectors */
  double q2 = quarter * quarter;
  double is_odd = q2 == 1.0 ? 1.0 : 0.0, is_half = q2 == 4.0 ? -1.0 : 1.0;
  double even = (1.0 - is_odd) * is_half, odd = is_odd * quarter;
  *cosine = even * c - odd * s;
  *sine = even * s + odd * c;
}

static void sum_block(const double *turns, int count, const double *strengths, double sign, double block[2]) {
  double re[LANES] = {0}, im[LANES] = {0}, c[BLOCK], s[BLOCK];
  for (int i = 0; i < count; i++)
    turn_to_cos_sin(sign * turns[i], &c[i], &s[i]);
  for (int i = 0; i < count; i++) {
    re[i % LANES] += c[i] * strengths[2 * i] - s[i] * strengths[2 * i + 1];
    im[i % LANES] += c[i] * strengths[2 * i + 1] + s[i] * strengths[2 * i];
  }
  block[0] = (re[0] + re[1]) + (re[2] + re[3]);
  block[1] = (im[0] + im[1]) + (im[2] + im[3]);
}

/* Targets [begin, end): the piece that a thread takes. */
static void sum_targets(void *context, int64_t begin, int64_t end) {
  const direct_sum *sum = context;
  double turns[BLOCK], block[2];
  for (int64_t l = begin; l < end; l++) {
    long double re = 0, im = 0;
    double target[3] = {0};
    for (int d = 0; d < sum->ndim; d++)
      target[d] = sum->targets[d][l];
    for (int64_t j = 0; j < sum->n_sources; j += BLOCK) {
      int count = sum->n_sources - j < BLOCK ? (int)(sum->n_sources - j) : BLOCK;
      reduce_phases(sum, j, count, target, turns);
      sum_block(turns, count, sum->strengths + 2 * j, sum->sign, block);
      re += block[0];
      im += block[1];
    }
    sum->results[2 * l] = (double)re;
    sum->results[2 * l + 1] = (double)im;
  }
}

static int check_points(const char *what, int ndim, int64_t n, const double *const *x) {
  OG_CHECK(n >= 0, OG_ERR_SIZE, "n_%ss = %lld, must be >= 0", what, (long long)n);
  OG_CHECK(x || n == 0, OG_ERR_NULL, "%ss is NULL", what);
  for (int d = 0; n > 0 && d < ndim; d++) {
    OG_CHECK(x[d], OG_ERR_NULL, "%ss[%d] is NULL", what, d);
    for (int64_t j = 0; j < n; j++)
      OG_CHECK(isfinite(x[d][j]), OG_ERR_POINT, "%s %lld: %c = %g, must be finite", what, (long long)j, "xyz"[d],
               x[d][j]);
  }
  return OG_OK;
}

int og_direct_sum(int ndim, int sign, int64_t n_sources, const double *const *sources, const double *strengths,
                  int64_t n_targets, const double *const *targets, double *results) {
  OG_CHECK(ndim >= 1 && ndim <= 3, OG_ERR_ARGUMENT, "ndim = %d, must be 1, 2 or 3", ndim);
  OG_CHECK(sign == -1 || sign == 1, OG_ERR_ARGUMENT, "sign = %d, must be -1 or 1", sign);
  OG_TRY(check_points("source", ndim, n_sources, sources));
  OG_TRY(check_points("target", ndim, n_targets, targets));
  OG_CHECK(strengths || n_sources == 0, OG_ERR_NULL, "strengths is NULL");
  OG_CHECK(results || n_targets == 0, OG_ERR_NULL, "results is NULL");
  direct_sum sum = {ndim, sign, n_sources, sources, strengths, targets, results};
  og_backend backend;
  OG_TRY(og_backend_find("auto", &backend));
  backend.parallel(backend.threads(0), n_targets, 1 + GRAIN / (n_sources + 1), sum_targets, &sum);
  return OG_OK;
}
