/* Type 3 and its adjoint equal the direct sum: any offsets, extents and counts, single points and flat boxes included. */
//TEST name="cpu"
//TEST name="host" args="--backend host"
#include "common/problem3.h"

static void check(const problem3 *p, int64_t n_vectors) {
  og_plan plan = problem3_plan(p);
  if (!plan)
    return;
  int precision = p->options.precision;
  double bound = 5 * p->options.tolerance + 4 * test_tolerance[precision].eps +
                 4 * test_tolerance[OG_F64].eps * problem3_phase(p); /* phases are double in f32, too */
  /* 5: with few points, or flat boxes, nothing averages the error; plan/accuracy.c judges the factor */
  double *c = test_random(2 * n_vectors * p->n_points, precision),
         *f = test_random(2 * n_vectors * p->n_targets, precision);
  for (int adjoint = 0; adjoint < 2; adjoint++) {
    const double *in = adjoint ? f : c;
    double *got = problem3_execute(p, plan, adjoint, n_vectors, in), *want = problem3_direct(p, adjoint, n_vectors, in);
    int64_t n_in = 2 * (adjoint ? p->n_targets : p->n_points), n_out = 2 * (adjoint ? p->n_points : p->n_targets);
    double typical = fmax(test_norm(want, n_vectors * n_out),
                          test_norm(in, n_vectors * n_in) * sqrt((double)n_out / 2)); /* few terms may cancel */
    CHECK_AT_MOST(test_error(got, want, n_vectors * n_out) * test_norm(want, n_vectors * n_out) / typical, bound,
                  adjoint ? "error of the adjoint" : "error of type 3");
  }
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "type 3 and its adjoint equal the direct sum");
  /* wave numbers, half widths of the sources, centres of sources and targets */
  static const struct {
    const char *name;
    double n[3], half_width[3], centre[3], centre_omega[3];
  } boxes[] = {
      {"about the origin", {60, 14, 8}, {3.14, 3.14, 3.14}, {0, 0, 0}, {0, 0, 0}},
      {"far sources", {40, 10, 7}, {1, 1, 1}, {1000, -300, 50}, {0, 0, 0}},
      {"far targets", {40, 10, 7}, {1, 2, 0.5}, {0, 0, 0}, {500, -200, 30}},
      {"both far", {30, 9, 6}, {1, 2, 0.5}, {20, -30, 40}, {50, -20, 30}},
      {"tiny unit", {30, 9, 6}, {1e-6, 1e-6, 1e-6}, {0, 1e-6, 0}, {0, 0, 0}},
      {"flat in one dimension", {30, 0, 6}, {2, 0, 1}, {0, 1, 0}, {0, 0, 0}},
      {"sources in one place", {0, 0, 0}, {0, 0, 0}, {1, 2, 3}, {0, 0, 0}},
      {"targets in one place", {0, 0, 0}, {1, 2, 3}, {0, 0, 0}, {1, 2, 3}},
      {"long and thin", {200, 2, 1}, {5, 1, 1}, {0, 0, 0}, {0, 0, 0}},
  };
  const int64_t counts[][2] = {{1, 1}, {1, 40}, {40, 1}, {70, 90}};
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision)
  for (int ndim = 1; ndim <= 3; ndim++)
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
      for (int count = 0; count < 4; count++) {
        if (!test_sample(3))
          continue;
        og_options options = test_options(backend, precision, OG_COMPLEX);
        options.sign = test_bits() % 2 ? 1 : -1;
        options.tolerance = precision == OG_F32 ? 1e-4 : 1e-10;
        options.sigma = test_bits() % 2 ? 2.0 : 0.0;
        problem3 p = problem3_make(ndim, boxes[i].n, boxes[i].half_width, boxes[i].centre, boxes[i].centre_omega,
                                   counts[count][0], counts[count][1], &options);
        test_case("%s/%s", problem3_text(&p), boxes[i].name);
        check(&p, 1 + count % 2);
        test_free();
      }
  /* Many wave numbers in f32: all of the targets' digits count, whatever the number of cells. */
  FOR_BACKENDS(backend)
  for (int ndim = 1; ndim <= 2; ndim++) {
    const double waves[][3] = {{100000, 1, 1}, {4000, 60, 1}}, half[3] = {1, 2, 1}, zero[3] = {0, 0, 0};
    og_options options = test_options(backend, OG_F32, OG_COMPLEX);
    options.tolerance = 1e-5;
    options.sigma = 2;
    problem3 p = problem3_make(ndim, waves[ndim - 1], half, zero, zero, 300, 200, &options);
    test_case("%s/many waves", problem3_text(&p));
    check(&p, 1);
    test_free();
  }
  return test_end();
}
