/* See tune_measure.h. Times are the library's own of the stage, so that copies from and to the host count for nothing. */
#include "tune_measure.h"

#include "check.h"
#include "message.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { REPEATS = 3 };

static size_t real_bytes(const tune_problem *p) { return p->precision == OG_F32 ? sizeof(float) : sizeof(double); }
static int64_t reals(const tune_problem *p) { return p->values == OG_REAL ? 1 : 2; }
static int64_t grid_reals(const tune_problem *p) { return p->n[0] * p->n[1] * p->n[2] * reals(p); }
static int64_t value_reals(const tune_problem *p) { return p->n_points * reals(p); }

/* n uniform numbers in [-half, half]. */
static void *random_array(const tune_problem *p, int64_t n, double half, uint64_t seed) {
  char *array = malloc((size_t)n * real_bytes(p) + 1);
  for (int64_t i = 0; array && i < n; i++) {
    double value = half * (2 * random_uniform(&seed) - 1);
    if (p->precision == OG_F32)
      ((float *)(void *)array)[i] = (float)value;
    else
      ((double *)(void *)array)[i] = value;
  }
  return array;
}

int tune_problem_open(tune_problem *p, double cells) {
  int64_t side = (int64_t)llround(pow(cells, 1.0 / p->ndim)), count = 1;
  for (int d = 0; d < 3; d++) {
    p->n[d] = d < p->ndim ? (side > 2 * p->width ? side : 2 * p->width) : 1;
    count *= p->n[d];
  }
  p->n_points = (int64_t)llround(p->density * (double)count);
  p->n_points = p->n_points > 0 ? p->n_points : 1;
  int missing = 0;
  for (int d = 0; d < p->ndim; d++)
    missing |= !(p->x[d] = random_array(p, p->n_points, 3.1415926, 11 + (uint64_t)d));
  missing |= !(p->strengths = random_array(p, value_reals(p), 1, 21));
  missing |= !(p->grid = random_array(p, grid_reals(p), 1, 31));
  int64_t most = grid_reals(p) > value_reals(p) ? grid_reals(p) : value_reals(p);
  missing |= !(p->results = malloc((size_t)most * real_bytes(p)));
  missing |= !(p->reference[0] = malloc((size_t)grid_reals(p) * real_bytes(p)));
  missing |= !(p->reference[1] = malloc((size_t)value_reals(p) * real_bytes(p)));
  if (!missing)
    return 0;
  tune_problem_close(p);
  return fail_memory("a problem to tune for", (size_t)(4 * most) * real_bytes(p));
}

void tune_problem_close(tune_problem *p) {
  for (int d = 0; d < 3; d++)
    free(p->x[d]);
  free(p->strengths);
  free(p->grid);
  free(p->results);
  free(p->reference[0]);
  free(p->reference[1]);
  memset(p->x, 0, sizeof p->x);
  p->strengths = p->grid = p->results = p->reference[0] = p->reference[1] = NULL;
}

static og_options options_of(const tune_problem *p, int interp, const tune_parameters *spread,
                             const tune_parameters *parameters) {
  og_options o = OG_OPTIONS_DEFAULT;
  o.backend = p->backend;
  o.device = p->number;
  o.precision = p->precision;
  o.values = p->values;
  o.tolerance = 1e-15; /* the width decides, not the tolerance */
  o.width = p->width;
  o.sigma = 2;
  o.spread_only = 1;
  o.tuning = "none";
  const tune_parameters *first = interp ? spread : parameters;
  if (first) {
    o.spread_method = first->method;
    o.bin_x = first->bin[0], o.bin_y = first->bin[1], o.bin_z = first->bin[2];
    o.spread_team = first->team;
    o.work_points = first->work_points;
  }
  if (interp && parameters) {
    o.interp_method = parameters->method;
    o.interp_team = parameters->team;
  }
  return o;
}

/* Relative l2 difference of the results from the defaults'; NaN where there are NaNs. */
static double difference(const tune_problem *p, int interp) {
  int64_t n = interp ? value_reals(p) : grid_reals(p);
  double away = 0, norm = 0;
  for (int64_t i = 0; i < n; i++) {
    double a = p->precision == OG_F32 ? ((const float *)p->results)[i] : ((const double *)p->results)[i];
    double b =
        p->precision == OG_F32 ? ((const float *)p->reference[interp])[i] : ((const double *)p->reference[interp])[i];
    away += (a - b) * (a - b);
    norm += b * b;
  }
  return sqrt(away / norm);
}

static int once(tune_problem *p, og_plan plan, int interp, double *took) {
  og_report report = {.size = sizeof report};
  int code = interp ? og_interp(plan, 1, p->grid, p->results) : og_spread(plan, 1, p->strengths, p->results);
  if (!code)
    code = og_plan_report(plan, &report);
  if (code)
    return code;
  *took = interp ? report.seconds_interp : report.seconds_spread;
  strncpy(p->device, report.device, sizeof p->device - 1);
  return 0;
}

/* The library's code; *nanoseconds stays where the results are others. */
static int run(tune_problem *p, og_plan plan, int interp, double *nanoseconds) {
  double took = 0, least = INFINITY;
  int code = og_plan_set_points(plan, p->n_points, p->x[0], p->x[1], p->x[2]);
  if (!code)
    code = once(p, plan, interp, &took); /* warm */
  if (code)
    return code;
  if (!p->has_reference[interp]) {
    size_t n = (size_t)(interp ? value_reals(p) : grid_reals(p));
    memcpy(p->reference[interp], p->results, n * real_bytes(p));
    p->has_reference[interp] = 1;
  }
  int lock = p->lock ? open(p->lock, O_RDWR | O_CLOEXEC) : -1;
  if (lock >= 0)
    (void)flock(lock, LOCK_EX); /* where the file system has none, times are less exact, no more */
  for (int r = 0; r < REPEATS && !code; r++) {
    code = once(p, plan, interp, &took);
    least = took < least ? took : least;
  }
  if (lock >= 0)
    close(lock);
  /* sums in another order differ by rounding; anything else is a wrong kernel */
  if (!code && difference(p, interp) < (p->precision == OG_F32 ? 1e-4 : 1e-11))
    *nanoseconds = 1e9 * least / (double)p->n_points;
  return code;
}

int tune_measure(tune_problem *p, int interp, const tune_parameters *spread, const tune_parameters *parameters,
                 double *nanoseconds) {
  og_options o = options_of(p, interp, spread, parameters);
  og_plan plan = NULL;
  *nanoseconds = INFINITY;
  int code = og_plan_create(&plan, p->ndim, p->n, &o);
  if (!code)
    code = run(p, plan, interp, nanoseconds);
  if (code)
    *nanoseconds = INFINITY;
  if (code && !parameters)
    code = fail_library(code, "the default configuration");
  else
    code = 0;
  og_plan_destroy(plan);
  if (!code && !parameters && !*p->device)
    code = fail("backend %s has nothing to tune: want a device's, or host", p->backend);
  else if (!code && !parameters && !isfinite(*nanoseconds))
    code = fail("the default configuration's results differ from one call to the next");
  return code;
}
