/* A stage that fails half way breaks the plan: the call and all that follow say so, and destroying it leaks nothing. */
#include "common/problem3.h"
#include "plan/plan.h"

static int fail_spread(void *points, int64_t vectors, const void *strengths, void *grid) {
  (void)points, (void)vectors, (void)strengths, (void)grid;
  OG_FAIL(OG_ERR_BACKEND, "the device is gone");
}

static int fail_interp(void *points, int64_t vectors, const void *grid, void *values, void *const gradients[3]) {
  (void)points, (void)vectors, (void)grid, (void)values, (void)gradients;
  OG_FAIL(OG_ERR_BACKEND, "the device is gone");
}

typedef int (*call)(og_plan plan, const void *in, void *out);

static int type1(og_plan plan, const void *in, void *out) { return og_type1(plan, 1, in, out); }
static int type2(og_plan plan, const void *in, void *out) { return og_type2(plan, 1, in, out); }
static int filter(og_plan plan, const void *in, void *out) { return og_filter(plan, 1, in, 1, in, out); }
static int spread(og_plan plan, const void *in, void *out) { return og_spread(plan, 1, in, out); }
static int interp(og_plan plan, const void *in, void *out) { return og_interp(plan, 1, in, out); }
static int type3(og_plan plan, const void *in, void *out) { return og_type3(plan, 1, in, out); }
static int adjoint3(og_plan plan, const void *in, void *out) { return og_type3_adjoint(plan, 1, in, out); }

static void check(og_plan plan, call run, const char *name, double *in, double *out) {
  og_report report = {.size = sizeof report};
  const char *stage;
  double fraction;
  test_case("%s", name);
  if (!plan)
    return;
  CHECK_OK(run(plan, in, out));
  plan->backend.spread = fail_spread;
  plan->backend.interp = fail_interp;
  CHECK_CODE(og_plan_set_points(plan, 5, NULL, in, in), OG_ERR_NULL, "x"); /* nothing began: nothing broke */
  CHECK_CODE(run(plan, in, out), OG_ERR_BROKEN, "the device is gone");
  CHECK_CODE(run(plan, in, out), OG_ERR_BROKEN, "destroy");
  CHECK_CODE(og_plan_set_points(plan, 5, in, in, in), OG_ERR_BROKEN, "destroy");
  CHECK_CODE(og_plan_report(plan, &report), OG_ERR_BROKEN, "destroy");
  CHECK_OK(og_plan_progress(plan, &stage, &fraction));
  CHECK(!*stage, "still in '%s'", stage);
  og_plan_destroy(plan);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "a stage that fails breaks the plan");
  static const struct {
    const char *name;
    call run;
    int is_type3;
  } calls[] = {{"type 1", type1, 0},
               {"type 2", type2, 0},
               {"filter", filter, 0},
               {"spread", spread, 0},
               {"interp", interp, 0},
               {"type 3", type3, 1},
               {"adjoint of type 3", adjoint3, 1}};
  FOR_BACKENDS(backend)
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const int64_t n[] = {8, 7};
    const double waves[] = {8, 7, 1}, one[] = {1, 1, 1}, zero[] = {0, 0, 0};
    og_options options = test_options(backend, OG_F64, OG_COMPLEX);
    double *in = test_random(2000, OG_F64), *out = test_doubles(2000);
    if (calls[i].is_type3) {
      problem3 p = problem3_make(2, waves, one, zero, zero, 30, 20, &options);
      check(problem3_plan(&p), calls[i].run, calls[i].name, in, out);
    } else {
      problem p = problem_make(2, n, 30, POINTS_UNIFORM, &options);
      check(problem_plan(&p), calls[i].run, calls[i].name, in, out);
    }
    test_free();
  }
  return test_end();
}
