/* Chooses sigma and the width: a small sigma makes the FFT cheap, a small width makes spreading cheap, and a tolerance
 * fixes one when the other is given. Every width that can meet the tolerance is tried with its smallest sigma; the one
 * whose estimated time is least wins. */
#include <math.h>

#include "plan/plan.h"

static const double sigma_low = 1.15, sigma_low_type3 = 1.25, sigma_high = 2.5, pi = 3.14159265358979323846;

/* How much larger than eps the rounding of the FFT is in the modes of one dimension: noise is even over the spectrum, and
 * the division by the window's transform h lifts it at the band's edge: rms(1/h) over the band times rms(h) over all
 * frequencies. h = exp(-beta (1 - sqrt(1 - z^2))), z = xi / (2 pi - pi / sigma), as for all good windows. */
static double amplification(int width, double sigma) {
  enum { NODES = 12 };
  double beta = pi * width * (1 - 0.5 / sigma), cut = 2 - 1 / sigma, band = 0, all = 0; /* xi in units of pi */
  for (int i = 0; i < NODES; i++) {
    double middle = (i + 0.5) / NODES, z = middle / sigma / cut, y = middle / cut;
    band += exp(2 * beta * (1 - sqrt(1 - z * z))) / NODES;
    all += y < 1 ? exp(-2 * beta * (1 - sqrt(1 - y * y))) / NODES : 0;
  }
  return sqrt(band * all);
}

/* Relative error that rounding leaves. A coordinate of relative accuracy eps moves by eps n cells, in f64: in f32 positions
 * are folded in double and kept relative to their cell. */
static double rounding_lifted(const struct og_plan_s *p, double lifted, int64_t n) {
  int type3 = p->type3_law ? 3 : 1, slope = p->options.gradient;
  if (p->options.precision == OG_F32)
    return 1e-7 * ((slope ? 24 : 3) + 2 * lifted);
  return 1.1e-16 * ((slope ? 600 : 10) + type3 * (lifted + (double)n));
}

/* The same before the targets of a type 3 are known. It divides twice: its exponent and factors are measured. */
static double rounding_error(const struct og_plan_s *p, int width, double sigma, int64_t n) {
  static const double type3_exponent[4] = {0, 1.4, 2.8, 3.6};
  double exponent = p->type3_law ? type3_exponent[p->ndim] : p->ndim;
  return rounding_lifted(p, pow(amplification(width, sigma), exponent), n);
}

/* ---- nanoseconds of spreading or interpolating, their mean, on one core with AVX2
 *
 * A pencil's window of rows moves along x in steps of `block` cells: a width that leaves its vectors no room moves cell
 * by cell, and costs more than the next odd one where points are few. Measured: the stages' seconds in og_plan_report
 * for fixed sigma (1.25, 1.75, 2.34) and each width, 128^3, 1000^2 and 10^6 modes, points per mode 0.01 (movement
 * alone), 0.1, 1 and 5 to 10; seen to be within 10 % of most, 20 % of all but 2-D with few points and 1-D in f32. */

typedef struct {
  double rows, vectors, block;
} window_shape;

static window_shape shape_of(const struct og_plan_s *p, int width) {
  double lanes = 32.0 / (double)og_value_bytes(p->options.precision, p->options.values);
  window_shape s = {pow(width, p->ndim - 1), ceil(width / lanes), 1};
  if (width <= 4 && lanes * s.vectors == width) /* narrow ones take a vector more */
    s.vectors++;
  while (2 * s.block <= lanes * s.vectors - width + 1)
    s.block *= 2;
  return s;
}

/* A point: its window's values, then its rows; points close together share the loads and stores of a row, and a large
 * window leaves the first-level cache. density: points per cell. */
static double point_cost(const struct og_plan_s *p, int width, double density) {
  static const double values_of[4] = {0, 10, 19.5, 20};
  window_shape s = shape_of(p, width);
  double steps = s.rows * s.vectors, alone = 1 - fmin(1, 2 * density);
  return values_of[p->ndim] + (width > 8 ? 4.2 * p->ndim : 0) +
         (0.27 * steps + 4e-5 * steps * steps) * (1 + 0.3 * alone);
}

/* A cell: moved between grid and window by each pencil that it borders on. */
static double cell_cost(const struct og_plan_s *p, int width) {
  double bytes = (double)og_value_bytes(p->options.precision, p->options.values), overlap = 1;
  if (p->ndim == 1)
    return 0.15 * bytes;
  for (int d = 1; d < p->ndim; d++)
    overlap *= 1 + (width - 1) / (p->ndim == 2 ? 32.0 : 16.0);
  return ((p->ndim == 2 ? 1.3 : 1.9) / shape_of(p, width).block + 0.028 * bytes) * overlap;
}

static double points_cost(const struct og_plan_s *p, int width, double n_points, double cells) {
  return point_cost(p, width, n_points / cells) * n_points + cell_cost(p, width) * cells;
}

static int expected_width(const struct og_plan_s *p, double sigma) {
  return og_window_width(p->kind, p->options.tolerance, sigma, p->ndim, p->type3_law, p->options.gradient);
}

/* By how much the error of a type 3 exceeds that of its two spreadings: what the inner transform errs by leaks to the
 * targets in the corners of the band, where the division lifts it. Measured: 20 to 60 random problems of each width, sigma
 * 1.25 to 1.75, at 400, 22 x 18, 8 x 6 x 7 and 16 x 12 x 14 wave numbers; seen to be within 1.6 of the worst. */
double og_type3_excess(const struct og_plan_s *p, int width, double sigma) {
  static const double from[4] = {0, OG_MAX_WIDTH, 9, 6.5}, scale[4] = {1, 1, 4, 3.7};
  double wide = fmax((width - from[p->ndim]) / scale[p->ndim], 0);
  return p->type3_law ? 1 + wide * wide * exp(-5.3 * (sigma - 1.25)) : 1;
}

static double expected_error(const struct og_plan_s *p, int width, double sigma) {
  return og_type3_excess(p, width, sigma) *
         og_window_expected_error(p->kind, width, sigma, p->ndim, p->type3_law, p->options.gradient);
}

static double total_error(const struct og_plan_s *p, int width, double sigma, int64_t n) {
  return hypot(expected_error(p, width, sigma), rounding_error(p, width, sigma, n));
}

static int meets(const struct og_plan_s *p, int width, double sigma) {
  /* few targets, and gradients, scatter more */
  double tolerance = p->options.tolerance * (p->type3_law ? 0.8 : 1) * (p->options.gradient ? 0.75 : 1);
  return expected_width(p, sigma) <= width && total_error(p, width, sigma, 1) <= tolerance;
}

/* The excess of a type 3 varies more from one problem to another than aliasing alone. */
static double bearable(const struct og_plan_s *p, int width, double sigma) {
  return og_type3_excess(p, width, sigma) > 1.2 ? 1.2 : 1.5;
}

/* The width for a given sigma. Less than the tolerance's where a wider window only lifts the rounding; more where a type 3
 * exceeds its law. */
static int width_for(const struct og_plan_s *p, double sigma) {
  int width = p->options.width ? p->options.width : expected_width(p, sigma);
  if (p->options.width)
    return width;
  if (p->type3_law)
    while (width < OG_MAX_WIDTH && expected_error(p, width, sigma) > bearable(p, width, sigma) * p->options.tolerance)
      width++;
  while (width > 2 && total_error(p, width, sigma, 1) > p->options.tolerance &&
         total_error(p, width - 1, sigma, 1) < total_error(p, width, sigma, 1))
    width--;
  return width;
}

/* The width whose error is least. */
static int best_width(const struct og_plan_s *p, double sigma) {
  int best = p->options.width ? p->options.width : 2;
  for (int w = 3; w <= OG_MAX_WIDTH && !p->options.width; w++)
    if (total_error(p, w, sigma, 1) < total_error(p, best, sigma, 1))
      best = w;
  return best;
}

/* The smallest sigma at which this width meets the tolerance, 0 where none does. */
static double smallest_sigma(const struct og_plan_s *p, int width) {
  double low = p->type3_law ? sigma_low_type3 : sigma_low, high = sigma_high;
  if (!meets(p, width, high))
    return 0;
  if (meets(p, width, low))
    return low;
  while (high - low > 0.005) {
    double middle = (low + high) / 2;
    if (meets(p, width, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* Sizes for sigma and width, the sigma that they really give, and the cost in nanoseconds. */
typedef int (*sizes_for)(const struct og_plan_s *p, const void *context, double sigma, int width, int64_t n_points,
                         og_choice *choice, double *cost);

static int try_choice(const struct og_plan_s *p, sizes_for sizes, const void *context, double sigma, int width,
                      int64_t n_points, og_choice *best, double *best_cost) {
  og_choice c = {.width = width, .n_points = best->n_points};
  double cost;
  OG_TRY(sizes(p, context, sigma, width, n_points, &c, &cost));
  if (cost < *best_cost) {
    *best_cost = cost;
    *best = c;
  }
  return OG_OK;
}

static int choose(const struct og_plan_s *p, sizes_for sizes, const void *context, int64_t n_points,
                  og_choice *choice) {
  const og_options *o = &p->options;
  double cost = INFINITY;
  if (o->sigma > 0) {
    OG_TRY(try_choice(p, sizes, context, o->sigma, width_for(p, o->sigma), n_points, choice, &cost));
  } else
    for (int w = o->width ? o->width : 2; w <= (o->width ? o->width : OG_MAX_WIDTH); w++) {
      double sigma = smallest_sigma(p, w);
      if (sigma > 0)
        OG_TRY(try_choice(p, sizes, context, sigma, w, n_points, choice, &cost));
    }
  if (cost == INFINITY) /* out of reach: the best there is */
    OG_TRY(try_choice(p, sizes, context, sigma_high, best_width(p, sigma_high), n_points, choice, &cost));
  return OG_OK;
}

static int64_t largest_size(const struct og_plan_s *p, const og_choice *choice) {
  int64_t largest = 1;
  for (int d = 0; d < p->ndim; d++)
    largest = choice->n[d] > largest ? choice->n[d] : largest;
  return largest;
}

double og_expected_error(const struct og_plan_s *p, const og_window *window, const og_choice *choice) {
  double value, gradient;
  og_window_alias(window, p->options.evaluation == OG_EVALUATE_POLYNOMIAL, &value, &gradient);
  double all = expm1(p->ndim * (p->type3_law ? 2 : 1) * log1p(value * value));
  double slope = expm1((p->ndim - 1) * log1p(value * value) + log1p(gradient * gradient));
  if (p->options.gradient) { /* it scatters more; and few modes are slow ones, whose own gradient is small */
    double slow = 1;
    for (int d = 0; d < p->ndim; d++)
      if (p->n_modes[d] > 1)
        slow = fmax(slow, (double)choice->n[d] / (double)p->n_modes[d] / choice->sigma);
    all = fmax(all, 1.44 * slow * slow * slope / 4);
  }
  double aliasing = og_type3_excess(p, choice->width, choice->sigma) * sqrt(all);
  if (p->type3_lift > 0) /* measured: 1 to 2 units of rounding per dimension */
    return hypot(aliasing, rounding_lifted(p, 2 * p->ndim * p->type3_lift / 3, largest_size(p, choice)));
  return hypot(aliasing, rounding_error(p, choice->width, choice->sigma, largest_size(p, choice)));
}

static int check_size(int d, double cells) {
  OG_CHECK(cells < 4e18, OG_ERR_SIZE, "the fine grid needs %.3g cells along %c", cells, "xyz"[d]);
  return OG_OK;
}

/* ---- types 1 and 2 */

static int modes_sizes(const struct og_plan_s *p, const void *context, double sigma, int width, int64_t n_points,
                       og_choice *choice, double *cost) {
  (void)context;
  double cells = 1;
  choice->sigma = fmax(sigma, sigma_high); /* beyond, the laws of the windows are not fitted */
  for (int d = 0; d < 3; d++) {
    int64_t least = (int64_t)ceil(sigma * (double)p->n_modes[d]);
    int64_t room = 2 * (width + (p->options.gradient ? 2 : 0)); /* a gradient's width may still grow */
    choice->n[d] = d < p->ndim ? og_fft_good_size(least > room ? least : room, p->options.precision) : 1;
    cells *= (double)choice->n[d];
    OG_TRY(check_size(d, cells * 16));
    if (d < p->ndim)
      choice->sigma = fmin(choice->sigma, (double)choice->n[d] / (double)p->n_modes[d]);
  }
  *cost = points_cost(p, width, (double)n_points, cells) +
          og_fft_cost(choice->n, p->n_modes, p->options.values, p->options.precision);
  return OG_OK;
}

/* The grid itself is given: sigma only shapes the window. */
static int spread_only(const struct og_plan_s *p, og_choice *choice) {
  choice->sigma = p->options.sigma > 0 ? p->options.sigma : 2;
  choice->width = p->options.width ? p->options.width : expected_width(p, choice->sigma);
  int width = choice->width;
  for (int d = 0; d < 3; d++) {
    choice->n[d] = p->n_modes[d];
    OG_CHECK(d >= p->ndim || choice->n[d] >= 2 * width, OG_ERR_SIZE,
             "spread_only: the grid has %lld cells along %c, a window of width %d needs %d", (long long)choice->n[d],
             "xyz"[d], width, 2 * width);
  }
  return OG_OK;
}

int64_t og_choice_points(const struct og_plan_s *p, int64_t n_points) {
  int64_t n = p->options.expected_points ? p->options.expected_points : n_points, power = 1;
  while (power < n - power / 2)
    power *= 2;
  return power;
}

int og_choose(const struct og_plan_s *p, int64_t n_points, og_choice *choice) {
  choice->n_points = og_choice_points(p, n_points);
  if (p->options.spread_only)
    return spread_only(p, choice);
  return choose(p, modes_sizes, NULL, choice->n_points, choice);
}

/* ---- type 3: the outer grid has 2 sigma s x / pi cells for the band and the width for the margin */

typedef struct {
  const double *x, *s;
} extents;

static int type3_sizes(const struct og_plan_s *p, const void *context, double sigma, int width, int64_t n_points,
                       og_choice *choice, double *cost) {
  const extents *e = context;
  int64_t inner[3] = {1, 1, 1};
  double cells = 1, outer_cells = 1;
  choice->sigma = sigma;
  for (int d = 0; d < 3; d++) {
    choice->n[d] = 1;
    if (d >= p->ndim)
      continue;
    double band = 2 * sigma * e->s[d] * e->x[d] / pi + width + 1;
    OG_TRY(check_size(d, band * sigma * 64));
    int64_t n = (int64_t)ceil(fmax(band, 2 * width));
    choice->n[d] = n + n % 2;
    inner[d] = og_fft_good_size((int64_t)ceil(fmax(sigma * (double)choice->n[d], 2 * width)), p->options.precision);
    cells *= (double)inner[d];
    outer_cells *= (double)choice->n[d];
    OG_TRY(check_size(d, cells * 16));
  }
  *cost = points_cost(p, width, (double)n_points, outer_cells) + cell_cost(p, width) * (cells + outer_cells) +
          og_fft_cost(inner, choice->n, OG_COMPLEX, p->options.precision);
  return OG_OK;
}

int og_choose_type3(const struct og_plan_s *p, int64_t n_points, const double x[3], const double s[3],
                    og_choice *choice) {
  extents e = {x, s};
  choice->n_points = n_points;
  return choose(p, type3_sizes, &e, n_points, choice);
}

/* ---- for who waits */

void og_stage_costs(const struct og_plan_s *p, double *points, double *fft, double *rest) {
  *points = *fft = *rest = 0;
  if (!p->core)
    return;
  const og_choice *c = &p->core->choice;
  double cells = (double)(c->n[0] * c->n[1]) * (double)c->n[2];
  *points = points_cost(p, c->width, (double)p->n_points, cells);
  if (p->type3 || p->options.spread_only)
    return;
  *fft = og_fft_cost(c->n, p->n_modes, p->options.values, p->options.precision);
  *rest = 0.15 * (double)og_value_bytes(p->options.precision, OG_COMPLEX) * (double)p->n_kept;
}
