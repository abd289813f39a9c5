/* A type 3 transform to test: sources, targets, its plan's calls in double, and what the direct sum says. */
#ifndef OG_TESTS_COMMON_PROBLEM3
#define OG_TESTS_COMMON_PROBLEM3
#include "common/problem.h"

typedef struct problem3 {
  int ndim;
  int64_t n_points, n_targets;
  og_options options;
  double *x[3], *omega[3]; /* numbers that the precision holds exactly */
} problem3;

/* n "wave numbers" per dimension: sources within half_width[d] of centre[d], targets such that their box times the
 * sources' box is that of n[d] modes on a period of 2 pi, about centre_omega[d]. */
static TEST_UNUSED problem3 problem3_make(int ndim, const double n[3], const double half_width[3],
                                          const double centre[3], const double centre_omega[3], int64_t n_points,
                                          int64_t n_targets, const og_options *options) {
  problem3 p = {.ndim = ndim, .n_points = n_points, .n_targets = n_targets, .options = *options};
  for (int d = 0; d < ndim; d++) {
    double half_omega = half_width[d] > 0 ? 0.25 * test_two_pi * n[d] / half_width[d] : 1.0;
    p.x[d] = test_doubles(n_points);
    p.omega[d] = test_doubles(n_targets);
    for (int64_t j = 0; j < n_points; j++)
      p.x[d][j] = test_round(centre[d] + half_width[d] * test_uniform(), options->precision);
    for (int64_t l = 0; l < n_targets; l++)
      p.omega[d][l] = test_round(centre_omega[d] + half_omega * test_uniform(), options->precision);
  }
  return p;
}

static TEST_UNUSED const char *problem3_text(const problem3 *p) {
  static char text[200];
  snprintf(text, sizeof text, "%dd/type3/m=%lld/targets=%lld/tol=%g/%s/%s/sigma=%g/sign=%d", p->ndim,
           (long long)p->n_points, (long long)p->n_targets, p->options.tolerance,
           test_precision_name[p->options.precision], p->options.backend, p->options.sigma, p->options.sign);
  return text;
}

static TEST_UNUSED int problem3_set_points(const problem3 *p, og_plan plan) {
  void *x[3] = {NULL, NULL, NULL};
  for (int d = 0; d < p->ndim; d++)
    x[d] = test_pack(p->x[d], p->n_points, p->options.precision);
  return CHECK_OK(og_plan_set_points(plan, p->n_points, x[0], x[1], x[2]));
}

static TEST_UNUSED int problem3_set_targets(const problem3 *p, og_plan plan) {
  void *x[3] = {NULL, NULL, NULL};
  for (int d = 0; d < p->ndim; d++)
    x[d] = test_pack(p->omega[d], p->n_targets, p->options.precision);
  return CHECK_OK(og_plan_set_targets(plan, p->n_targets, x[0], x[1], x[2]));
}

/* NULL where it failed (and counted as a failure). */
static TEST_UNUSED og_plan problem3_plan(const problem3 *p) {
  og_plan plan = NULL;
  if (CHECK_OK(og_plan_create_type3(&plan, p->ndim, &p->options)))
    CHECK(plan, "success, but no plan");
  if (plan && !(problem3_set_points(p, plan) && problem3_set_targets(p, plan))) {
    og_plan_destroy(plan);
    plan = NULL;
  }
  return plan;
}

static TEST_UNUSED double *problem3_execute(const problem3 *p, og_plan plan, int adjoint, int64_t n_vectors,
                                            const double *in) {
  int precision = p->options.precision;
  int64_t n_in = 2 * n_vectors * (adjoint ? p->n_targets : p->n_points);
  int64_t n_out = 2 * n_vectors * (adjoint ? p->n_points : p->n_targets);
  void *packed = test_pack(in, n_in, precision), *copy = test_pack(in, n_in, precision);
  void *out = test_pack(NULL, n_out, precision);
  CHECK_OK((adjoint ? og_type3_adjoint : og_type3)(plan, n_vectors, packed, out));
  CHECK(!memcmp(packed, copy, (size_t)n_in * test_real_bytes(precision)), "the call changed its input");
  return test_unpack(out, n_out, precision);
}

static TEST_UNUSED double *problem3_direct(const problem3 *p, int adjoint, int64_t n_vectors, const double *in) {
  int64_t n_in = adjoint ? p->n_targets : p->n_points, n_out = adjoint ? p->n_points : p->n_targets;
  const double *const *from = (const double *const *)(adjoint ? p->omega : p->x);
  const double *const *to = (const double *const *)(adjoint ? p->x : p->omega);
  double *out = test_doubles(2 * n_vectors * n_out);
  for (int64_t v = 0; v < n_vectors; v++)
    CHECK_OK(og_direct_sum(p->ndim, adjoint ? -p->options.sign : p->options.sign, n_in, from, in + 2 * v * n_in, n_out,
                           to, out + 2 * v * n_out));
  return out;
}

/* Largest phase in radians: eps times it is what the precision's rounding of coordinates alone may cost. */
static TEST_UNUSED double problem3_phase(const problem3 *p) {
  double phase = 0;
  for (int d = 0; d < p->ndim; d++) {
    double x = 0, omega = 0;
    for (int64_t j = 0; j < p->n_points; j++)
      x = fmax(x, fabs(p->x[d][j]));
    for (int64_t l = 0; l < p->n_targets; l++)
      omega = fmax(omega, fabs(p->omega[d][l]));
    phase += x * omega;
  }
  return phase;
}
#endif
