/* Laws that every transform obeys: linearity, translation <-> phase, one point <-> plane wave, permutation of points. */
#include "common/problem.h"

static double rounding(const problem *p) { return test_tolerance[p->options.precision].rounding; }

/* T(a u + b v) = a T(u) + b T(v), to rounding whatever the tolerance; a and b are powers of 2, so that inputs are exact. */
static void check_linear(const problem *p) {
  og_plan plan = problem_plan(p);
  if (!plan)
    return;
  for (int type = 1; type <= 2; type++) {
    int64_t n_in = type == 1 ? problem_values_size(p) : problem_modes_size(p);
    int64_t n_out = type == 1 ? problem_modes_size(p) : problem_values_size(p);
    double *(*run)(const problem *, og_plan, int64_t, const double *) = type == 1 ? problem_type1 : problem_type2;
    double *u = test_random(n_in, OG_F32), *v = test_random(n_in, OG_F32), *sum = test_doubles(n_in);
    for (int64_t i = 0; i < n_in; i++) {
      u[i] = rint(u[i] * 1024) / 1024; /* few bits: the sum is exact in float, too */
      v[i] = rint(v[i] * 1024) / 1024;
      sum[i] = 2.0 * u[i] - 0.5 * v[i];
    }
    double *tu = run(p, plan, 1, u), *tv = run(p, plan, 1, v), *tsum = run(p, plan, 1, sum);
    double *want = test_doubles(n_out);
    for (int64_t i = 0; i < n_out; i++)
      want[i] = 2.0 * tu[i] - 0.5 * tv[i];
    CHECK_AT_MOST(test_error(tsum, want, n_out),
                  rounding(p) * (1 + (test_norm(tu, n_out) + test_norm(tv, n_out)) / test_norm(want, n_out)),
                  type == 1 ? "type 1 is linear to" : "type 2 is linear to");
  }
  og_plan_destroy(plan);
}

/* Permuted points with permuted strengths: the same modes; permuted values. */
static void check_permuted(const problem *p) {
  problem q = *p;
  int64_t m = p->n_points, *to = test_keep(calloc((size_t)m, sizeof *to));
  int parts = problem_parts(p);
  for (int64_t j = 0; j < m; j++)
    to[j] = j;
  for (int64_t j = m - 1; j > 0; j--) {
    int64_t other = test_integer(0, j), swap = to[j];
    to[j] = to[other];
    to[other] = swap;
  }
  double *c = test_random(problem_values_size(p), p->options.precision), *qc = test_doubles(problem_values_size(p));
  double *f = test_random(problem_modes_size(p), p->options.precision);
  for (int d = 0; d < p->ndim; d++)
    q.x[d] = test_doubles(m);
  for (int64_t j = 0; j < m; j++) {
    for (int d = 0; d < p->ndim; d++)
      q.x[d][to[j]] = p->x[d][j];
    memcpy(qc + parts * to[j], c + parts * j, (size_t)parts * sizeof *c);
  }
  og_plan plan = problem_plan(p), permuted = problem_plan(&q);
  if (plan && permuted) {
    CHECK_AT_MOST(test_error(problem_type1(&q, permuted, 1, qc), problem_type1(p, plan, 1, c), problem_modes_size(p)),
                  rounding(p), "type 1 of permuted points differs by");
    double *values = problem_type2(p, plan, 1, f), *other = problem_type2(&q, permuted, 1, f);
    double *back = test_doubles(problem_values_size(p));
    for (int64_t j = 0; j < m; j++)
      memcpy(back + parts * j, other + parts * to[j], (size_t)parts * sizeof *c);
    CHECK_AT_MOST(test_error(back, values, problem_values_size(p)), rounding(p),
                  "type 2 of permuted points differs by");
  }
  og_plan_destroy(plan);
  og_plan_destroy(permuted);
}

/* type1 of x + a is type1 of x times exp(s i k.a). The shift is a number that adds exactly. */
static void check_translated(const problem *p) {
  problem q = *p;
  const double shift[3] = {0.75, -1.5, 2.25};
  for (int d = 0; d < p->ndim; d++) {
    q.x[d] = test_doubles(p->n_points);
    for (int64_t j = 0; j < p->n_points; j++) {
      p->x[d][j] = rint(p->x[d][j] * 65536) / 65536; /* 16 bits behind the point: exact in float */
      q.x[d][j] = p->x[d][j] + shift[d];
    }
  }
  double *c = test_random(problem_values_size(p), p->options.precision), *waves[3];
  og_plan plan = problem_plan(p), moved = problem_plan(&q);
  problem_waves(p, waves);
  if (plan && moved) {
    double *want = problem_type1(p, plan, 1, c), *got = problem_type1(&q, moved, 1, c);
    for (int64_t k = 0; k < problem_mode_count(p); k++) {
      double phase = 0, re = want[2 * k], im = want[2 * k + 1];
      for (int d = 0; d < p->ndim; d++)
        phase += p->options.sign * waves[d][k] * shift[d];
      want[2 * k] = re * cos(phase) - im * sin(phase);
      want[2 * k + 1] = re * sin(phase) + im * cos(phase);
    }
    CHECK_AT_MOST(test_error(got, want, problem_modes_size(p)), 2 * problem_bound(p), "translated type 1 differs by");
  }
  og_plan_destroy(plan);
  og_plan_destroy(moved);
}

/* One point of strength 1 gives exp(s i k.x); one mode gives a plane wave of modulus 1. */
static void check_plane_wave(const problem *p) {
  problem one = *p;
  one.n_points = 1;
  double c[2] = {1, 0}, *waves[3], *f = test_doubles(problem_modes_size(p));
  int64_t mode = test_integer(0, problem_mode_count(p) - 1);
  f[2 * mode] = 1;
  og_plan single = problem_plan(&one), plan = problem_plan(p);
  problem_waves(p, waves);
  if (single && plan) {
    double *got = problem_type1(&one, single, 1, c), *want = test_doubles(problem_modes_size(p));
    for (int64_t k = 0; k < problem_mode_count(p); k++) {
      double phase = 0;
      for (int d = 0; d < p->ndim; d++)
        phase += p->options.sign * waves[d][k] * p->x[d][0];
      want[2 * k] = cos(phase);
      want[2 * k + 1] = sin(phase);
    }
    /* one mode alone may be at the edge, where the window is worst: some times the l2 error of all */
    CHECK_AT_MOST(test_error(got, want, problem_modes_size(p)), 5 * problem_bound(p), "type 1 of one point is off by");
    double *values = problem_type2(p, plan, 1, f), worst = 0, weight = problem_weight(p, mode);
    int parts = problem_parts(p);
    for (int64_t j = 0; j < p->n_points; j++) {
      double phase = 0;
      for (int d = 0; d < p->ndim; d++)
        phase -= p->options.sign * waves[d][mode] * p->x[d][j];
      worst = fmax(worst, fabs(values[parts * j] - weight * cos(phase)));
      if (parts == 2)
        worst = fmax(worst, fabs(values[parts * j + 1] - sin(phase)));
    }
    CHECK_AT_MOST(worst, 10 * problem_bound(p), "type 2 of one mode is off by");
  }
  og_plan_destroy(single);
  og_plan_destroy(plan);
}

/* Real values are a special case of complex ones: the same modes for k_x >= 0, and Re of the weighted sum. */
static void check_real_is_complex(const problem *p) {
  problem q = *p;
  q.options.values = OG_COMPLEX;
  q.n_modes[0] = p->n_modes[0] | 1; /* odd: holds +N/2, too */
  q.options.mode_order = OG_ORDER_FFT;
  problem r = *p;
  r.options.values = OG_REAL;
  r.options.mode_order = OG_ORDER_FFT;
  double *c = test_random(p->n_points, p->options.precision), *complex = test_doubles(2 * p->n_points);
  for (int64_t j = 0; j < p->n_points; j++)
    complex[2 * j] = c[j];
  og_plan real_plan = problem_plan(&r), complex_plan = problem_plan(&q);
  if (real_plan && complex_plan) {
    double *got = problem_type1(&r, real_plan, 1, c), *full = problem_type1(&q, complex_plan, 1, complex);
    double *want = test_doubles(problem_modes_size(&r));
    int64_t kept = problem_kept(&r, 0);
    if (kept - 1 <= (q.n_modes[0] - 1) / 2)
      for (int64_t row = 0; row < r.n_modes[1] * r.n_modes[2]; row++)
        memcpy(want + 2 * kept * row, full + 2 * q.n_modes[0] * row, 2 * (size_t)kept * sizeof *want);
    CHECK_AT_MOST(test_error(got, want, problem_modes_size(&r)), 2 * problem_bound(p),
                  "real and complex type 1 differ by");
  }
  og_plan_destroy(real_plan);
  og_plan_destroy(complex_plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "linearity, translation, plane waves, permutation, real as complex");
  void (*const laws[])(const problem *) = {check_linear, check_permuted, check_translated, check_plane_wave,
                                           check_real_is_complex};
  const char *const names[] = {"linear", "permuted", "translated", "plane wave", "real is complex"};
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  for (int i = 0; i < TEST_SIZES; i++)
    for (int law = 0; law < 5; law++) {
      if (!test_sample(2) || (law == 4 && values == OG_REAL))
        continue;
      og_options options = test_options(backend, precision, values);
      options.sign = test_bits() % 2 ? 1 : -1;
      problem p =
          problem_make((int)test_sizes[i][0], test_sizes[i] + 1, test_integer(20, 90), POINTS_UNIFORM, &options);
      test_case("%s/%s", problem_text(&p), names[law]);
      laws[law](&p);
      test_free();
    }
  return test_end();
}
