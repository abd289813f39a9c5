/* Which sizes of the fine grid to take: even products of small primes, not always the smallest: 240 takes less time
 * than 216. */
#include "fft/cost.h"
#include "fft/fft.h"

/* Spent on a cell besides its part in a line of this dimension: other dimensions' lines, spreading, memory.
 * Nanoseconds. */
static const double rest_of_cell = 2.8;

static double score(int64_t n, int precision) {
  return (double)n * (rest_of_cell * (precision == OG_F32 ? 0.6 : 1) + og_cost_of_point(n, precision));
}

/* odd * 2^a >= at_least, a >= 1 */
static int64_t fill_up(int64_t odd, int64_t at_least) {
  int64_t n = 2 * odd;
  while (n < at_least)
    n *= 2;
  return n;
}

int64_t og_fft_good_size(int64_t at_least, int precision) {
  int64_t best = fill_up(1, at_least);
  for (int64_t seven = 1; seven <= 7; seven *= 7)
    for (int64_t five = seven; five < 2 * at_least; five *= 5)
      for (int64_t odd = five; odd < 2 * at_least; odd *= 3) {
        int64_t n = fill_up(odd, at_least);
        double cost = score(n, precision), least = score(best, precision);
        if (cost < least || (cost == least && n < best))
          best = n;
      }
  return best;
}
