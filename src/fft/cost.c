/* What the pruned FFT costs, for choosing the grid's size: lines x points x (arithmetic + moving to and from memory).
 *
 * Arithmetic: log2 n times a factor per prime, fitted to the time of FFTW 3.3.10's measured plans of 160 lengths up to
 * 2048 on an AVX2 core (rms of the fit 9 %), in single precision of 29 lengths from 144 to 512: there a vector holds
 * four points, and lengths that 16 does not divide gain little. Moving: fitted to whole transforms timed
 * by bench/fft. */
#include "fft/cost.h"

#include "fft/fft.h"

#include <math.h>

static int count_factor(int64_t *n, int64_t p) {
  int count = 0;
  for (; *n % p == 0; *n /= p)
    count++;
  return count;
}

double og_cost_of_point(int64_t n, int precision) {
  static const double two[] = {1.3, 1.12, 1.06, 1}, three[] = {1, 1.02, 1.16, 1.41}, five[] = {1, 1.01, 1.1, 1.26};
  static const double single[] = {1, 1, 0.78, 0.77, 0.52};
  int64_t rest = n;
  double log_n = log2((double)n + 1), cost = 0.159 * log_n;
  int e2 = count_factor(&rest, 2), e3 = count_factor(&rest, 3), e5 = count_factor(&rest, 5);
  cost *= two[e2 < 3 ? e2 : 3] * three[e3 < 3 ? e3 : 3] * five[e5 < 3 ? e5 : 3];
  int e7 = count_factor(&rest, 7);
  if (precision == OG_F32)
    cost *= e2 < 4 ? single[e2] : single[4] * (e7 ? 1.35 : 1);
  cost *= pow(1.17, e7) * pow(1.6, count_factor(&rest, 11) + count_factor(&rest, 13));
  return rest > 1 ? 3 * cost : cost;
}

/* A line too long for the cache is moved three times and multiplied by roots of unity on the way. */
static double cost_of_long_line(int64_t n, double scale) { return (double)n * 16 * scale > 512 << 10 ? 7.5 : 0; }

/* Per complex cell of double precision: in cache, or from memory. */
static double cost_of_moving(double cells) {
  double bytes = 16 * cells;
  return 0.7 + 0.75 * fmin(1, fmax(0, log2(bytes / 4e6) / 3));
}

double og_fft_cost(const int64_t n[3], const int64_t n_modes[3], int values, int precision) {
  double half = values == OG_REAL ? 0.5 : 1, scale = precision == OG_F32 ? 0.53 : 1, total = 0;
  double moving = cost_of_moving((double)n[0] * (double)n[1] * (double)n[2] * half * scale);
  for (int d = 0; d < 3; d++) {
    double cells = (double)n[d];
    if (n[d] == 1)
      continue;
    for (int other = 0; other < 3; other++) {
      double kept = (double)n_modes[other] * (other == 0 ? half : 1);
      if (other != d)
        cells *= other < d ? kept : (double)n[other];
    }
    double memory = (moving + cost_of_long_line(n[d], scale)) * scale;
    total += cells * (d == 0 ? half : 1) * (og_cost_of_point(n[d], precision) + memory);
  }
  return 100 + total;
}
