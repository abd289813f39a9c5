/* Each misuse gives its positive code and a sentence that names what is wrong, and leaves plans and outputs as they were. */
#include "common/problem3.h"

/* A plan on which calls are misused: 2-D with points; its modes before, to see that nothing changed. */
typedef struct subject {
  problem p;
  og_plan plan;
  double *strengths, *modes;
} subject;

static subject make_subject(const og_options *options) {
  const int64_t n[2] = {12, 9};
  subject s = {.p = problem_make(2, n, 30, POINTS_UNIFORM, options)};
  s.plan = problem_plan(&s.p);
  s.strengths = test_random(problem_values_size(&s.p), options->precision);
  if (!s.plan) {
    test_end();
    exit(1);
  }
  s.modes = problem_type1(&s.p, s.plan, 1, s.strengths);
  return s;
}

static void check_unchanged(const subject *s) {
  double *modes = problem_type1(&s->p, s->plan, 1, s->strengths);
  CHECK_AT_MOST(test_error(modes, s->modes, problem_modes_size(&s->p)), test_tolerance[s->p.options.precision].rounding,
                "after the error, type 1 differs by");
}

static int is_untouched(const double *out, int n) {
  for (int i = 0; i < n; i++)
    if (out[i] != 42.0)
      return 0;
  return 1;
}

/* ---- creation: *plan becomes NULL */

static void refused(int ndim, const int64_t *n, const og_options *o, int code, const char *word) {
  og_plan plan = (og_plan)(uintptr_t)1;
  CHECK_CODE(og_plan_create(&plan, ndim, n, o), code, word);
  CHECK(plan == NULL, "the plan is not NULL after an error (%s)", word);
  if (plan && plan != (og_plan)(uintptr_t)1)
    og_plan_destroy(plan);
}

static void refused_option(const char *name, const char *value, const og_options *base) {
  const int64_t n[3] = {10, 10, 10};
  og_options o = *base;
  int code = og_options_set(&o, name, value);
  if (code) { /* already the parser refuses */
    CHECK_CODE(code, OG_ERR_OPTION, name);
    return;
  }
  test_case("option %s = %s", name, value);
  refused(3, n, &o, !strcmp(name, "backend") ? OG_ERR_BACKEND : OG_ERR_OPTION, !strcmp(name, "backend") ? value : name);
}

static void creation(const og_options *o) {
  const int64_t good[3] = {10, 10, 10}, zero[3] = {10, 0, 10}, negative[3] = {-1, 10, 10};
  const int64_t huge[3] = {(int64_t)1 << 62, 10, 10}, product[3] = {(int64_t)1 << 30, 1 << 30, 1 << 30};
  const int64_t large[3] = {(int64_t)1 << 40, 1 << 20, 1};
  test_case("creation");
  CHECK_CODE(og_plan_create(NULL, 1, good, o), OG_ERR_NULL, "plan");
  CHECK_CODE(og_plan_create_type3(NULL, 1, o), OG_ERR_NULL, "plan");
  refused(1, NULL, o, OG_ERR_NULL, "n_modes");
  refused(0, good, o, OG_ERR_ARGUMENT, "ndim = 0");
  refused(4, good, o, OG_ERR_ARGUMENT, "ndim = 4");
  refused(-1, good, o, OG_ERR_ARGUMENT, "ndim = -1");
  refused(2, zero, o, OG_ERR_SIZE, "n_modes[1] = 0");
  refused(1, negative, o, OG_ERR_SIZE, "n_modes[0] = -1");
  refused(1, huge, o, OG_ERR_SIZE, "4611686018427387904");
  refused(3, product, o, OG_ERR_SIZE, "");
  refused(2, large, o, OG_ERR_SIZE, "");
  og_plan plan = NULL;
  CHECK_OK(og_plan_create(&plan, 3, good, NULL));
  og_plan_destroy(plan);
  og_plan_destroy(NULL);

  const char *const bad[][2] = {
      {"tolerance", "0"},
      {"tolerance", "-1e-3"},
      {"tolerance", "nan"},
      {"tolerance", "inf"},
      {"tolerance", "1e-6x"},
      {"precision", "f16"},
      {"precision", "7"},
      {"values", "quaternion"},
      {"sign", "0"},
      {"sign", "2"},
      {"mode_order", "random"},
      {"backend", "abacus"},
      {"backend", ""},
      {"simd", "mmx"},
      {"threads", "-1"},
      {"threads", "1.5"},
      {"max_vectors", "0"},
      {"max_vectors", "-5"},
      {"expected_points", "-1"},
      {"window", "boxcar"},
      {"window", ""},
      {"evaluation", "2"},
      {"sigma", "1"},
      {"sigma", "1.05"},
      {"sigma", "nan"},
      {"sigma", "5"},
      {"width", "1"},
      {"width", "17"},
      {"width", "-3"},
      {"shape", "-1"},
      {"shape", "nan"},
      {"shape", "inf"},
      {"gradient", "2"},
      {"spread_only", "-1"},
      {"storage", "disk"},
      {"storage", "3"},
      {"deterministic", "3"},
      {"fft_planning", "patient"},
      {"period_x", "-1"},
      {"period_x", "1e-310"},
      {"period_y", "nan"},
      {"period_z", "inf"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    refused_option(bad[i][0], bad[i][1], o);
  og_options set = *o;
  test_case("options by name");
  CHECK_CODE(og_options_set(&set, "tolerence", "1e-3"), OG_ERR_OPTION, "tolerence");
  CHECK_CODE(og_options_set(&set, "", "1e-3"), OG_ERR_OPTION, "''");
  CHECK_CODE(og_options_set(NULL, "tolerance", "1"), OG_ERR_NULL, "options");
  CHECK_CODE(og_options_set(&set, NULL, "1"), OG_ERR_NULL, "name");
  CHECK_CODE(og_options_set(&set, "tolerance", NULL), OG_ERR_NULL, "value");
  CHECK(!memcmp(&set, o, sizeof set), "a refused option changed the struct");
  set.size = 0;
  refused(3, good, &set, OG_ERR_OPTION, "size");
  set.size = sizeof set + 8;
  refused(3, good, &set, OG_ERR_OPTION, "size");
  set.size = sizeof set;
  set.window = NULL;
  refused(3, good, &set, OG_ERR_OPTION, "window");
  set = *o;
  set.backend = NULL;
  refused(3, good, &set, OG_ERR_OPTION, "backend");
}

/* ---- points: a refusal keeps the earlier ones */

static int names_point(const char *sentence, int64_t point) {
  char word[40];
  int length = snprintf(word, sizeof word, "point %lld", (long long)point);
  const char *found = strstr(sentence, word);
  return found && (found[length] < '0' || found[length] > '9');
}

static void bad_point(const subject *s, int64_t n, int64_t at, int d, double value) {
  void *x[2];
  double *c[2] = {test_random(n, OG_F32), test_random(n, OG_F32)};
  c[d][at] = value;
  if (at + 3 < n) {
    c[1 - d][at + 3] = NAN; /* a later one, in the other dimension */
    c[d][n - 1] = INFINITY;
  }
  for (int i = 0; i < 2; i++)
    x[i] = test_pack(c[i], n, s->p.options.precision);
  CHECK_CODE(og_plan_set_points(s->plan, n, x[0], x[1], NULL), OG_ERR_POINT, d ? "y = " : "x = ");
  CHECK(names_point(og_last_error(), at), "the sentence '%s' does not name point %lld", og_last_error(), (long long)at);
  check_unchanged(s);
}

static void points(const subject *s) {
  int precision = s->p.options.precision;
  void *x = test_pack(s->p.x[0], 30, precision), *y = test_pack(s->p.x[1], 30, precision);
  test_case("%s: points", problem_text(&s->p));
  CHECK_CODE(og_plan_set_points(NULL, 30, x, y, NULL), OG_ERR_NULL, "plan");
  CHECK_CODE(og_plan_set_points(s->plan, 30, NULL, y, NULL), OG_ERR_NULL, "x");
  CHECK_CODE(og_plan_set_points(s->plan, 30, x, NULL, NULL), OG_ERR_NULL, "y");
  check_unchanged(s);
  CHECK_CODE(og_plan_set_points(s->plan, -1, x, y, NULL), OG_ERR_ARGUMENT, "-1");
  int code = og_plan_set_points(s->plan, INT64_MAX, x, y, NULL);
  CHECK(code == OG_ERR_SIZE || code == OG_ERR_MEMORY, "2^63 - 1 points: code %d", code);
  check_unchanged(s);
  CHECK_CODE(og_plan_set_targets(s->plan, 30, x, y, NULL), OG_ERR_UNSUPPORTED, "type 3");
  bad_point(s, 30, 0, 0, NAN);
  bad_point(s, 30, 17, 1, INFINITY);
  bad_point(s, 200000, 123456, 0, -INFINITY);
  bad_point(s, 200000, 199999, 1, NAN);
  bad_point(s, 200000, 3, 1, NAN);
}

/* ---- execution: outputs stay as they were */

static void execution(const subject *s, int with_gradient) {
  double in[4096] = {0}, out[4096];
  og_plan plan = s->plan;
  const int64_t n[2] = {12, 9};
  for (int i = 0; i < 4096; i++)
    out[i] = 42.0;
  test_case("%s: execution", problem_text(&s->p));
  CHECK_CODE(og_type1(NULL, 1, in, out), OG_ERR_NULL, "plan");
  CHECK_CODE(og_type1(plan, 1, NULL, out), OG_ERR_NULL, "strengths");
  CHECK_CODE(og_type1(plan, 1, in, NULL), OG_ERR_NULL, "modes");
  CHECK_CODE(og_type1(plan, -1, in, out), OG_ERR_ARGUMENT, "-1");
  CHECK_CODE(og_type1(plan, 4, in, out), OG_ERR_ARGUMENT, "max_vectors = 3");
  CHECK_CODE(og_type2(NULL, 1, in, out), OG_ERR_NULL, "plan");
  CHECK_CODE(og_type2(plan, 1, NULL, out), OG_ERR_NULL, "modes");
  CHECK_CODE(og_type2(plan, 1, in, NULL), OG_ERR_NULL, "values");
  CHECK_CODE(og_type2(plan, 4, in, out), OG_ERR_ARGUMENT, "n_vectors = 4");
  CHECK_CODE(og_filter(plan, 1, NULL, 1, in, out), OG_ERR_NULL, "strengths");
  CHECK_CODE(og_filter(plan, 1, in, 1, NULL, out), OG_ERR_NULL, "multipliers");
  CHECK_CODE(og_filter(plan, 1, in, 1, in, NULL), OG_ERR_NULL, "values");
  CHECK_CODE(og_filter(plan, 4, in, 1, in, out), OG_ERR_ARGUMENT, "n_in = 4");
  CHECK_CODE(og_filter(plan, 1, in, 4, in, out), OG_ERR_ARGUMENT, "n_out = 4");
  CHECK_CODE(og_filter(plan, 1, in, -1, in, out), OG_ERR_ARGUMENT, "n_out = -1");
  CHECK_CODE(og_spread(plan, 1, NULL, out), OG_ERR_NULL, "strengths");
  CHECK_CODE(og_spread(plan, 1, in, NULL), OG_ERR_NULL, "grid");
  CHECK_CODE(og_interp(plan, 1, NULL, out), OG_ERR_NULL, "grid");
  CHECK_CODE(og_interp(plan, 1, in, NULL), OG_ERR_NULL, "values");
  CHECK_CODE(og_type3(plan, 1, in, out), OG_ERR_UNSUPPORTED, "type 3");
  CHECK_CODE(og_type3_adjoint(plan, 1, in, out), OG_ERR_UNSUPPORTED, "type 3");
  if (!with_gradient)
    CHECK_CODE(og_type2_gradient(plan, 1, in, out, out), OG_ERR_UNSUPPORTED, "gradient");
  else {
    CHECK_CODE(og_type2_gradient(plan, 1, NULL, out, out), OG_ERR_NULL, "modes");
    CHECK_CODE(og_type2_gradient(plan, 1, in, out, NULL), OG_ERR_NULL, "gradients");
  }
  og_plan early = NULL;
  CHECK_OK(og_plan_create(&early, 2, n, &s->p.options));
  CHECK_CODE(og_type1(early, 1, in, out), OG_ERR_ORDER, "og_plan_set_points");
  CHECK_CODE(og_type2(early, 1, in, out), OG_ERR_ORDER, "og_plan_set_points");
  CHECK_CODE(og_filter(early, 1, in, 1, in, out), OG_ERR_ORDER, "og_plan_set_points");
  CHECK_CODE(og_spread(early, 1, in, out), OG_ERR_ORDER, "og_plan_set_points");
  CHECK_CODE(og_interp(early, 1, in, out), OG_ERR_ORDER, "og_plan_set_points");
  og_plan_destroy(early);
  CHECK(is_untouched(out, 4096), "a refused call wrote its output");
  check_unchanged(s);
}

static void queries(const subject *s) {
  int64_t box[2][3] = {{0}}, grid[3];
  og_report report = {.size = sizeof report};
  size_t bytes;
  test_case("%s: queries", problem_text(&s->p));
  CHECK_CODE(og_plan_grid(NULL, grid), OG_ERR_NULL, "plan");
  CHECK_CODE(og_plan_grid(s->plan, NULL), OG_ERR_NULL, "n_grid");
  CHECK_CODE(og_plan_modes_box(NULL, box[0], box[1]), OG_ERR_NULL, "plan");
  CHECK_CODE(og_plan_modes_box(s->plan, NULL, box[1]), OG_ERR_NULL, "lower");
  CHECK_CODE(og_plan_report(NULL, &report), OG_ERR_NULL, "plan");
  CHECK_CODE(og_plan_report(s->plan, NULL), OG_ERR_NULL, "report");
  report.size = 0;
  CHECK_CODE(og_plan_report(s->plan, &report), OG_ERR_ARGUMENT, "size");
  CHECK_CODE(og_plan_workspace(NULL, 1, &bytes), OG_ERR_NULL, "plan");
  static _Alignas(64) char memory[64];
  CHECK_CODE(og_plan_set_workspace(NULL, memory, 64), OG_ERR_NULL, "plan");
  CHECK_OK(og_plan_modes_box(s->plan, box[0], box[1]));
  int real = s->p.options.values == OG_REAL;
  CHECK(box[0][0] == (real ? 0 : -6) && box[1][0] == (real ? 7 : 6) && box[0][1] == -4 && box[1][1] == 5 &&
            box[0][2] == 0 && box[1][2] == 1,
        "modes box [%d, %d) x [%d, %d)", (int)box[0][0], (int)box[1][0], (int)box[0][1], (int)box[1][1]);
  og_options lazy = s->p.options; /* sigma not fixed, no points: the grid is not known */
  og_plan plan = NULL;
  lazy.sigma = 0;
  const int64_t n[2] = {12, 9};
  CHECK_OK(og_plan_create(&plan, 2, n, &lazy));
  CHECK_CODE(og_plan_grid(plan, grid), OG_ERR_ORDER, "points");
  og_plan_destroy(plan);
}

static void spread_only(const og_options *base) {
  const int64_t n[2] = {40, 40}, small[2] = {40, 3};
  double in[3200] = {0}, out[3200], x[2] = {0.1, 0.2};
  og_options o = *base;
  og_plan plan = NULL;
  for (int i = 0; i < 3200; i++)
    out[i] = 42.0;
  o.spread_only = 1;
  test_case("spread only");
  refused(2, small, &o, OG_ERR_SIZE, "");
  CHECK_OK(og_plan_create(&plan, 2, n, &o));
  CHECK_OK(og_plan_set_points(plan, 1, x, x + 1, NULL));
  CHECK_CODE(og_type1(plan, 1, in, out), OG_ERR_UNSUPPORTED, "spread_only");
  CHECK_CODE(og_type2(plan, 1, in, out), OG_ERR_UNSUPPORTED, "spread_only");
  CHECK_CODE(og_filter(plan, 1, in, 1, in, out), OG_ERR_UNSUPPORTED, "spread_only");
  CHECK(is_untouched(out, 3200), "a refused call wrote its output");
  og_plan_destroy(plan);
}

static int set_one(og_plan plan, int targets, double a, double b) {
  const double x[2] = {a, b};
  return (targets ? og_plan_set_targets : og_plan_set_points)(plan, 2, x, NULL, NULL);
}

/* The ends of the range of integers and, for a type 3's boxes, of doubles: a clear error, or a result. */
static void extremes(const og_options *base) {
  og_options many = *base;
  const int64_t n = 10;
  many.expected_points = INT64_MAX;
  refused(1, &n, &many, OG_ERR_OPTION, "expected_points");
  if (base->precision == OG_F32)
    return;
  const double in[4] = {1, 2, 3, 4};
  double out[4] = {0};
  og_plan plan = NULL;
  test_case("extremes");
  CHECK_OK(og_plan_create_type3(&plan, 1, base));
  CHECK_OK(set_one(plan, 1, 0, 0));
  CHECK_CODE(set_one(plan, 0, -1.7e308, 1.7e308), OG_ERR_POINT, "span");
  CHECK_CODE(set_one(plan, 0, 0, 1e300), OG_ERR_POINT, "span");
  CHECK_OK(set_one(plan, 0, 0, 1e200)); /* one target at 0: the plain sum, whatever the sources */
  CHECK_OK(og_type3(plan, 1, in, out));
  CHECK_AT_MOST(hypot(out[0] - 4, out[1] - 6), 1e-6 * 8, "sum of strengths");
  CHECK_CODE(set_one(plan, 1, 0, 1), OG_ERR_POINT, "radians");
  CHECK_OK(set_one(plan, 1, -1e-200, 1e-200));
  CHECK_OK(og_type3(plan, 1, in, out));
  CHECK_AT_MOST(
      hypot(out[2] - (1 + 3 * cos(1) - 4 * base->sign * sin(1)), out[3] - (2 + 4 * cos(1) + 3 * base->sign * sin(1))),
      1e-5 * 8, "phases of one radian");
  CHECK_OK(set_one(plan, 0, 0, 5e-324));
  CHECK_OK(og_type3(plan, 1, in, out));
  CHECK_OK(set_one(plan, 1, -1e200, 1e200));
  CHECK_OK(og_type3(plan, 1, in, out));
  CHECK_AT_MOST(hypot(out[0] - 4, out[1] - 6), 1e-6 * 8, "sum of strengths in one place");
  og_plan_destroy(plan);
}

static void type3(const og_options *base) {
  const double n[3] = {20, 10, 5}, half_width[3] = {1, 1, 1}, zero[3] = {0, 0, 0};
  double in[400] = {0}, out[400];
  og_plan plan = NULL, wrong = NULL;
  og_options bad = *base;
  for (int i = 0; i < 400; i++)
    out[i] = 42.0;
  problem3 p = problem3_make(2, n, half_width, zero, zero, 30, 20, base);
  test_case("%s", problem3_text(&p));
  bad.values = OG_REAL;
  CHECK_CODE(og_plan_create_type3(&wrong, 2, &bad), OG_ERR_OPTION, "type 3");
  bad = *base;
  bad.gradient = 1;
  CHECK_CODE(og_plan_create_type3(&wrong, 2, &bad), OG_ERR_OPTION, "type 3");
  bad = *base;
  bad.period_y = 1;
  CHECK_CODE(og_plan_create_type3(&wrong, 2, &bad), OG_ERR_OPTION, "type 3");
  bad = *base;
  bad.mode_order = OG_ORDER_FFT;
  CHECK_CODE(og_plan_create_type3(&wrong, 2, &bad), OG_ERR_OPTION, "type 3");
  CHECK_CODE(og_plan_create_type3(&wrong, 5, base), OG_ERR_ARGUMENT, "ndim = 5");
  CHECK(!wrong, "a plan in spite of the error");

  CHECK_OK(og_plan_create_type3(&plan, 2, base));
  if (!plan)
    return;
  CHECK_CODE(og_type3(plan, 1, in, out), OG_ERR_ORDER, "og_plan_set_points");
  problem3_set_points(&p, plan);
  CHECK_CODE(og_type3(plan, 1, in, out), OG_ERR_ORDER, "og_plan_set_targets");
  CHECK_CODE(og_type3_adjoint(plan, 1, in, out), OG_ERR_ORDER, "og_plan_set_targets");
  problem3_set_targets(&p, plan);
  CHECK_CODE(og_type3(plan, 4, in, out), OG_ERR_ARGUMENT, "4");
  CHECK_CODE(og_type3(plan, 1, NULL, out), OG_ERR_NULL, "sources");
  CHECK_CODE(og_type3(plan, 1, in, NULL), OG_ERR_NULL, "targets");
  CHECK_CODE(og_type1(plan, 1, in, out), OG_ERR_UNSUPPORTED, "type 3");
  CHECK_CODE(og_type2(plan, 1, in, out), OG_ERR_UNSUPPORTED, "type 3");
  CHECK_CODE(og_type2_gradient(plan, 1, in, out, out), OG_ERR_UNSUPPORTED, "type 3");
  CHECK_CODE(og_filter(plan, 1, in, 1, in, out), OG_ERR_UNSUPPORTED, "type 3");
  CHECK_CODE(og_spread(plan, 1, in, out), OG_ERR_UNSUPPORTED, "type 3");
  CHECK_CODE(og_interp(plan, 1, in, out), OG_ERR_UNSUPPORTED, "type 3");
  CHECK(is_untouched(out, 400), "a refused call wrote its output");

  /* a bad target, and a space times bandwidth that no machine holds: the earlier ones stay */
  double *c = test_random(60, base->precision), *before = problem3_execute(&p, plan, 0, 1, c);
  problem3 q = problem3_make(2, n, half_width, zero, zero, 30, 20, base);
  void *x = test_pack(q.omega[0], 20, base->precision), *y = test_pack(q.omega[1], 20, base->precision);
  if (base->precision == OG_F32)
    ((float *)y)[7] = NAN;
  else
    ((double *)y)[7] = (double)NAN;
  CHECK_CODE(og_plan_set_targets(plan, 20, x, y, NULL), OG_ERR_POINT, "y = ");
  CHECK(names_point(og_last_error(), 7), "the sentence '%s' does not name point 7", og_last_error());
  y = test_pack(q.omega[1], 20, base->precision);
  if (base->precision == OG_F32)
    ((float *)y)[7] = 1e30f;
  else
    ((double *)y)[7] = 1e30;
  int code = og_plan_set_targets(plan, 20, x, y, NULL);
  CHECK(code == OG_ERR_POINT && strstr(og_last_error(), "radians"), "targets up to 1e30: code %d (%s)", code,
        og_last_error());
  CHECK_CODE(og_plan_set_targets(plan, 20, x, NULL, NULL), OG_ERR_NULL, "y");
  CHECK_AT_MOST(test_error(problem3_execute(&p, plan, 0, 1, c), before, 40), test_tolerance[base->precision].rounding,
                "type 3 after refused targets differs by");
  og_plan_destroy(plan);
}

static void windows(void) {
  og_window_handle w = NULL;
  double shape = 42;
  test_case("windows");
  CHECK_CODE(og_window_create(NULL, "es", 6, 2, 0), OG_ERR_NULL, "");
  CHECK_CODE(og_window_create(&w, NULL, 6, 2, 0), OG_ERR_NULL, "");
  CHECK(og_window_create(&w, "boxcar", 6, 2, 0) > 0 && strstr(og_last_error(), "boxcar"), "'boxcar': %s",
        og_last_error());
  CHECK(og_window_create(&w, "es", 1, 2, 0) > 0, "width 1 was taken");
  CHECK(og_window_create(&w, "es", 17, 2, 0) > 0, "width 17 was taken");
  CHECK(og_window_create(&w, "es", 6, 1.0, 0) > 0, "sigma 1 was taken");
  CHECK(og_window_create(&w, "es", 6, (double)NAN, 0) > 0, "sigma NaN was taken");
  CHECK(og_window_create(&w, "es", 6, 2, -1) > 0, "shape -1 was taken");
  CHECK(og_window_create(&w, "es", 6, 2, (double)NAN) > 0, "shape NaN was taken");
  CHECK(!w, "a window in spite of the error");
  CHECK(og_window_optimise("boxcar", 6, 2, &shape) > 0 && shape == 42, "optimised a boxcar");
  CHECK_CODE(og_window_optimise("es", 6, 2, NULL), OG_ERR_NULL, "");
  og_window_destroy(NULL);
  CHECK(!og_window_name(-1) && !og_window_name(1000) && !og_backend_name(-1) && !og_backend_name(99),
        "a name past the last");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "each misuse gives its code and a sentence, and changes nothing");
  windows();
  FOR_BACKENDS(backend)
  FOR_PRECISIONS(precision) {
    og_options options = test_options(backend, precision, OG_COMPLEX);
    creation(&options);
    spread_only(&options);
    type3(&options);
    extremes(&options);
    test_free();
    FOR_VALUES(values)
    for (int storage = OG_STORE_COPY; storage <= OG_STORE_INDEX; storage++)
      for (int gradient = 0; gradient < 2; gradient++) {
        options.values = values;
        options.storage = storage;
        options.gradient = gradient;
        options.sigma = storage == OG_STORE_COPY ? 2.0 : 0.0;
        subject s = make_subject(&options);
        points(&s);
        options.sigma = 2.0;
        execution(&s, gradient);
        queries(&s);
        og_plan_destroy(s.plan);
        test_free();
      }
  }
  return test_end();
}
