/* One pass over the coordinates: finite or not, and their range. Pieces are merged in order, so that the first bad point
 * is named whatever the number of threads. */
#include "points/check.h"

#include <math.h>
#include <stdint.h>

enum { GRAIN = 1 << 14, MAX_PIECES = 256 };

typedef struct {
  int precision;
  int64_t n, piece;
  const void *x;
  struct {
    int64_t bad;
    double low, high;
  } found[MAX_PIECES];
} scan;

static inline double coordinate(const scan *s, int64_t i) {
  return s->precision == OG_F32 ? (double)((const float *)s->x)[i] : ((const double *)s->x)[i];
}

static void scan_pieces(void *context, int64_t begin, int64_t end) {
  scan *s = context;
  for (int64_t p = begin; p < end; p++) {
    int64_t a = p * s->piece, b = a + s->piece < s->n ? a + s->piece : s->n;
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (int64_t i = a; i < b; i++) {
      double v = coordinate(s, i);
      low = v < low ? v : low;
      high = v > high ? v : high;
      sum += v - v; /* NaN as soon as one is not finite; vectorises, unlike an early exit */
    }
    int64_t bad = -1;
    if (!(sum == 0))
      for (bad = a; bad < b && isfinite(coordinate(s, bad)); bad++)
        ;
    s->found[p].bad = bad;
    s->found[p].low = low;
    s->found[p].high = high;
  }
}

int og_points_check(const og_backend *backend, int precision, int threads, int ndim, int64_t n, const void *const x[3],
                    double smallest[3], double largest[3]) {
  scan s = {.precision = precision, .n = n};
  s.piece = n / MAX_PIECES + 1 > GRAIN ? n / MAX_PIECES + 1 : GRAIN;
  int64_t pieces = (n + s.piece - 1) / s.piece, first = INT64_MAX;
  int dimension = 0;
  for (int d = 0; d < ndim; d++) {
    double low = INFINITY, high = -INFINITY;
    s.x = x[d];
    backend->parallel(threads, pieces, 1, scan_pieces, &s);
    for (int64_t p = 0; p < pieces; p++) {
      if (s.found[p].bad >= 0 && s.found[p].bad < first) {
        first = s.found[p].bad;
        dimension = d;
      }
      low = fmin(low, s.found[p].low);
      high = fmax(high, s.found[p].high);
    }
    if (smallest)
      smallest[d] = n ? low : 0;
    if (largest)
      largest[d] = n ? high : 0;
  }
  OG_CHECK(first == INT64_MAX, OG_ERR_POINT, "point %lld has %c = %g: coordinates must be finite", (long long)first,
           "xyz"[dimension], coordinate(&(scan){.precision = precision, .x = x[dimension]}, first));
  return OG_OK;
}
