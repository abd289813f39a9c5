/* Coordinates are any finite reals: x + period m is x, for every period; a period is only a unit of length. */
#include "common/problem.h"

/* Both results of one problem, of strengths and modes that stay the same from call to call. */
static void both(const problem *p, const double *c, const double *f, double **modes, double **values) {
  og_plan plan = problem_plan(p);
  *modes = plan ? problem_type1(p, plan, 1, c) : test_doubles(problem_modes_size(p));
  *values = plan ? problem_type2(p, plan, 1, f) : test_doubles(problem_values_size(p));
  og_plan_destroy(plan);
}

static void check(const problem *p, const problem *q, double bound) {
  double *c = test_random(problem_values_size(p), p->options.precision), *modes[2], *values[2];
  double *f = test_random(problem_modes_size(p), p->options.precision);
  both(p, c, f, &modes[0], &values[0]);
  both(q, c, f, &modes[1], &values[1]);
  CHECK_AT_MOST(test_error(modes[1], modes[0], problem_modes_size(p)), bound, "type 1 differs by");
  CHECK_AT_MOST(test_error(values[1], values[0], problem_values_size(p)), bound, "type 2 differs by");
}

/* A period of 8, a power of two, and coordinates of few bits: x + 8 m is exact, so the results agree to rounding. */
static void exact_shifts(problem *p, int64_t most) {
  problem q = *p;
  for (int d = 0; d < p->ndim; d++) {
    q.x[d] = test_doubles(p->n_points);
    for (int64_t j = 0; j < p->n_points; j++) {
      p->x[d][j] = rint(p->x[d][j] * 512) / 512;
      q.x[d][j] = p->x[d][j] + 8.0 * (double)test_integer(-most, most);
    }
  }
  check(p, &q, test_tolerance[p->options.precision].rounding);
}

/* Whole turns of 2 pi, rounded: they agree to eps times coordinate times modes. */
static void turns(problem *p, int64_t most) {
  problem q = *p;
  double largest = 0;
  for (int d = 0; d < p->ndim; d++) {
    q.x[d] = test_doubles(p->n_points);
    for (int64_t j = 0; j < p->n_points; j++) {
      q.x[d][j] = test_round(p->x[d][j] + test_two_pi * (double)test_integer(-most, most), p->options.precision);
      largest = fmax(largest, fabs(q.x[d][j]) * (double)p->n_modes[d]);
    }
  }
  check(p, &q, test_tolerance[p->options.precision].eps * largest + test_tolerance[p->options.precision].rounding);
}

/* x in other units with the period in the same units: nothing changes. The unit is a power of two, so x is exact. */
static void units(problem *p, double unit) {
  problem q = *p;
  double *period[3] = {&q.options.period_x, &q.options.period_y, &q.options.period_z};
  for (int d = 0; d < p->ndim; d++) {
    double scale = unit * (1 << d);
    *period[d] = problem_period(p, d) * scale;
    q.x[d] = test_doubles(p->n_points);
    for (int64_t j = 0; j < p->n_points; j++)
      q.x[d][j] = p->x[d][j] * scale;
  }
  check(p, &q, test_tolerance[p->options.precision].rounding);
}

/* Any periods, any coordinates, against the direct sum. */
static void any_period(problem *p) {
  double *c = test_random(problem_values_size(p), p->options.precision), *modes, *values;
  double *f = test_random(problem_modes_size(p), p->options.precision);
  both(p, c, f, &modes, &values);
  CHECK_AT_MOST(test_error(modes, problem_direct_type1(p, 1, c), problem_modes_size(p)), 2 * problem_bound(p),
                "type 1 is off by");
  CHECK_AT_MOST(test_error(values, problem_direct_type2(p, 1, f), problem_values_size(p)), 2 * problem_bound(p),
                "type 2 is off by");
}

/* The period 2 pi is 2 pi, not the double next to it: 10^8 turns away the difference would be 10^-8 of a turn. */
static void far_away(problem *p) {
  enum { MODES = 8 };
  double *c = test_random(2 * p->n_points, p->options.precision), *want = test_doubles(2 * MODES);
  for (int64_t j = 0; j < p->n_points; j++)
    p->x[0][j] = test_round(6e8 * test_uniform(), p->options.precision);
  for (int k = 0; k < MODES; k++)
    for (int64_t j = 0; j < p->n_points; j++) {
      const long double phase = (long double)p->options.sign * (k - MODES / 2) * (long double)p->x[0][j];
      const double re = (double)cosl(phase), im = (double)sinl(phase);
      want[2 * k] += c[2 * j] * re - c[2 * j + 1] * im;
      want[2 * k + 1] += c[2 * j] * im + c[2 * j + 1] * re;
    }
  og_plan plan = problem_plan(p);
  if (plan)
    CHECK_AT_MOST(test_error(problem_type1(p, plan, 1, c), want, 2 * MODES), 2 * problem_bound(p), "type 1 is off by");
  og_plan_destroy(plan);
}

static void test_far(const char *backend, int precision) {
  const int64_t n_modes[3] = {8, 1, 1};
  og_options options = test_options(backend, precision, OG_COMPLEX);
  options.tolerance = precision == OG_F32 ? 1e-5 : 1e-11;
  problem p = problem_make(1, n_modes, 50, POINTS_UNIFORM, &options);
  test_case("%s/far away", problem_text(&p));
  far_away(&p);
  test_free();
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "coordinates are folded by any period");
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  test_far(backend, precision);
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < TEST_SIZES; i++)
    for (int kind = 0; kind < 5; kind++) {
      if (!test_sample(4))
        continue;
      og_options options = test_options(backend, precision, values);
      if (kind < 2)
        options.period_x = options.period_y = options.period_z = 8.0;
      if (kind == 4) {
        options.period_x = 1.0;
        options.period_y = 0.3;
        options.period_z = 77.7;
      }
      problem p = problem_make((int)test_sizes[i][0], test_sizes[i] + 1, 60, POINTS_UNIFORM, &options);
      test_case("%s/case %d", problem_text(&p), kind);
      if (kind == 0)
        exact_shifts(&p, 3);
      else if (kind == 1)
        exact_shifts(&p, precision == OG_F32 ? 1000 : 1000000);
      else if (kind == 2)
        turns(&p, 4);
      else if (kind == 3)
        units(&p, test_sample(2) ? 0x1p-20 : 1024.0);
      else
        any_period(&p);
      test_free();
    }
  return test_end();
}
