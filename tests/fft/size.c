/* Good sizes are the next even products of small primes, and the cost model grows with the work. */
#include "grids.h"

static int has_small_primes_only(int64_t n) {
  static const int primes[] = {2, 3, 5, 7};
  for (int i = 0; i < 4; i++)
    while (n % primes[i] == 0)
      n /= primes[i];
  return n == 1;
}

static void check_cost(int64_t n, int64_t n_modes, int ndim, int values, int precision) {
  int64_t a[3] = {1, 1, 1}, b[3] = {1, 1, 1}, m[3] = {1, 1, 1}, fewer[3] = {1, 1, 1};
  for (int d = 0; d < ndim; d++) {
    a[d] = n;
    m[d] = n_modes;
    fewer[d] = n_modes - n_modes / 4;
  }
  double cost = og_fft_cost(a, m, values, precision);
  test_case("%dd n=%lld N=%lld %s %s", ndim, (long long)n, (long long)n_modes, test_values_name[values],
            test_precision_name[precision]);
  CHECK(cost > 0 && isfinite(cost), "cost %g", cost);
  for (int d = 0; d < ndim; d++)
    b[d] = 2 * n;
  CHECK(og_fft_cost(b, m, values, precision) > cost, "a larger grid is cheaper");
  CHECK(og_fft_cost(a, fewer, values, precision) <= cost, "fewer modes cost more");
  CHECK(og_fft_cost(a, m, OG_REAL, precision) <= og_fft_cost(a, m, OG_COMPLEX, precision), "real costs more");
  CHECK(og_fft_cost(a, m, values, OG_F32) <= og_fft_cost(a, m, values, OG_F64), "single costs more than double");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "Good sizes are even products of small primes, close above; the cost model grows with work.");
  FOR_PRECISIONS(precision) {
    for (int64_t at = -3; at < 20000; at = at < 3000 ? at + 1 : at + test_integer(1, 97)) {
      int64_t n = og_fft_good_size(at, precision);
      CHECK(n >= at && n >= 2 && n % 2 == 0, "size %lld for %lld", (long long)n, (long long)at);
      CHECK(has_small_primes_only(n), "size %lld for %lld has a large prime", (long long)n, (long long)at);
      CHECK(at < 100 || n - at <= at / 5, "size %lld for %lld is far away", (long long)n, (long long)at);
      CHECK(og_fft_good_size(n, precision) == n, "size %lld is not its own good size", (long long)n);
    }
    CHECK(og_fft_good_size(1000000007, precision) < 1000000007 * 1.2, "a large size is far away");
  }
  for (int i = 0; i < 300; i++) {
    int ndim = (int)test_integer(1, 3);
    int64_t n = test_integer(4, 600);
    check_cost(n, test_integer(1, n), ndim, (int)test_integer(0, 1), (int)test_integer(0, 1));
  }
  return test_end();
}
