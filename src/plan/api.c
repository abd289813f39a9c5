/* The public calls: check the arguments, then forward. Nothing is changed where a check fails. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "plan/options.h"
#include "plan/plan.h"

static int check_ndim(int ndim) {
  OG_CHECK(ndim >= 1 && ndim <= 3, OG_ERR_ARGUMENT, "ndim = %d, must be 1, 2 or 3", ndim);
  return OG_OK;
}

static int create(og_plan *built, int ndim, const int64_t *n_modes, const og_options *options) {
  og_options full;
  OG_TRY(check_ndim(ndim));
  OG_CHECK(n_modes, OG_ERR_NULL, "n_modes must not be null");
  for (int d = 0; d < ndim; d++)
    OG_CHECK(n_modes[d] >= 1 && n_modes[d] <= INT64_MAX / 64, OG_ERR_SIZE,
             "n_modes[%d] = %lld, must be >= 1 (and < 2^57)", d, (long long)n_modes[d]);
  OG_TRY(og_options_resolve(options, &full));
  OG_CHECK(!full.spread_only || !full.gradient, OG_ERR_OPTION, "options spread_only and gradient exclude each other");
  OG_TRY(og_plan_make(built, ndim, n_modes, &full, NULL));
  if (full.spread_only || full.sigma > 0 || full.expected_points > 0) {
    og_choice choice; /* what is known is checked now, not when the points come */
    OG_TRY(og_choose(*built, full.expected_points, &choice));
    OG_TRY(og_plan_build_core(*built, &choice, NULL, &(*built)->core));
  }
  return OG_OK;
}

int og_plan_create(og_plan *plan, int ndim, const int64_t *n_modes, const og_options *options) {
  OG_CHECK(plan, OG_ERR_NULL, "plan must not be null");
  *plan = NULL;
  int code = create(plan, ndim, n_modes, options);
  if (code) {
    og_plan_destroy(*plan);
    *plan = NULL;
  }
  return code;
}

static int create_type3(og_plan *built, int ndim, const og_options *options) {
  og_options full;
  OG_TRY(check_ndim(ndim));
  OG_TRY(og_options_resolve(options, &full));
  OG_CHECK(full.values == OG_COMPLEX && !full.gradient && !full.spread_only && !full.mode_order && !full.period_x &&
               !full.period_y && !full.period_z,
           OG_ERR_OPTION, "options values, gradient, spread_only, mode_order and periods do not apply to type 3");
  const int64_t none[3] = {1, 1, 1};
  OG_TRY(og_plan_make(built, ndim, none, &full, NULL));
  return og_type3_create(*built);
}

int og_plan_create_type3(og_plan *plan, int ndim, const og_options *options) {
  OG_CHECK(plan, OG_ERR_NULL, "plan must not be null");
  *plan = NULL;
  int code = create_type3(plan, ndim, options);
  if (code) {
    og_plan_destroy(*plan);
    *plan = NULL;
  }
  return code;
}

/* ---- points */

static int check_plan(og_plan plan) {
  OG_CHECK(plan, OG_ERR_NULL, "plan must not be null");
  OG_CHECK(!plan->broken, OG_ERR_BROKEN, "an earlier call failed half way: destroy this plan");
  return OG_OK;
}

static int check_points(og_plan plan, int64_t n, const void *const x[3]) {
  OG_TRY(check_plan(plan));
  OG_CHECK(n >= 0, OG_ERR_ARGUMENT, "n_points = %lld, must be >= 0", (long long)n);
  OG_CHECK(n <= INT64_MAX / 1024, OG_ERR_SIZE, "n_points = %lld: too many", (long long)n);
  for (int d = 0; d < plan->ndim; d++)
    OG_CHECK(x[d] || !n, OG_ERR_NULL, "coordinate array %c must not be null", "xyz"[d]);
  return OG_OK;
}

int og_plan_set_points(og_plan plan, int64_t n_points, const void *x, const void *y, const void *z) {
  const void *const coordinates[3] = {x, y, z};
  OG_TRY(check_points(plan, n_points, coordinates));
  double t = og_timer_now();
  og_progress_begin(plan, 0, 0, 0, 0);
  og_progress_enter(plan, OG_STAGE_POINTS, 1);
  OG_TRY(og_progress_end(plan, plan->type3 ? og_type3_set(plan, 0, n_points, coordinates)
                                           : og_plan_replace_points(plan, n_points, coordinates)));
  plan->seconds_points = og_timer_now() - t;
  return OG_OK;
}

int og_plan_set_targets(og_plan plan, int64_t n_targets, const void *x, const void *y, const void *z) {
  const void *const coordinates[3] = {x, y, z};
  OG_TRY(check_points(plan, n_targets, coordinates));
  OG_CHECK(plan->type3, OG_ERR_UNSUPPORTED, "only a type 3 plan has targets");
  og_progress_begin(plan, 0, 0, 0, 0);
  og_progress_enter(plan, OG_STAGE_POINTS, 1);
  return og_progress_end(plan, og_type3_set(plan, 1, n_targets, coordinates));
}

/* ---- transforms */

static int check_vectors(og_plan plan, const char *name, int64_t n) {
  OG_CHECK(n >= 0 && n <= plan->options.max_vectors, OG_ERR_ARGUMENT,
           "%s = %lld, must be 0 to max_vectors = %lld (an option of the plan)", name, (long long)n,
           (long long)plan->options.max_vectors);
  return OG_OK;
}

enum { NEEDS_FFT = 1, NEEDS_POINTS = 2 };

static int check_execute(og_plan plan, int64_t n_vectors, int needs) {
  OG_TRY(check_plan(plan));
  OG_CHECK(!plan->type3, OG_ERR_UNSUPPORTED, "the plan is of type 3: og_type3 and og_type3_adjoint are its calls");
  OG_CHECK(!(needs & NEEDS_FFT) || !plan->options.spread_only, OG_ERR_UNSUPPORTED,
           "a spread_only plan only spreads and interpolates");
  OG_CHECK(plan->has_points, OG_ERR_ORDER, "og_plan_set_points comes first");
  return check_vectors(plan, "n_vectors", n_vectors);
}

/* An array may be null where it holds nothing. */
static int check_array(const char *name, const void *array, int64_t vectors, int64_t count) {
  OG_CHECK(array || !vectors || !count, OG_ERR_NULL, "%s must not be null", name);
  return OG_OK;
}

int og_type1(og_plan plan, int64_t n_vectors, const void *strengths, void *modes) {
  OG_TRY(check_execute(plan, n_vectors, NEEDS_FFT));
  OG_TRY(check_array("strengths", strengths, n_vectors, plan->n_points));
  OG_TRY(check_array("modes", modes, n_vectors, 1));
  og_progress_begin(plan, n_vectors, 0, 0, 0);
  return og_progress_end(plan, og_execute_type1(plan, n_vectors, strengths, modes));
}

int og_type2(og_plan plan, int64_t n_vectors, const void *modes, void *values) {
  OG_TRY(check_execute(plan, n_vectors, NEEDS_FFT));
  OG_TRY(check_array("values", values, n_vectors, plan->n_points));
  OG_TRY(check_array("modes", modes, n_vectors, 1));
  og_progress_begin(plan, 0, n_vectors, 0, 0);
  return og_progress_end(plan, og_execute_type2(plan, n_vectors, modes, values, NULL));
}

int og_type2_gradient(og_plan plan, int64_t n_vectors, const void *modes, void *values, void *gradients) {
  OG_TRY(check_execute(plan, n_vectors, NEEDS_FFT));
  OG_CHECK(plan->options.gradient, OG_ERR_UNSUPPORTED, "the plan was made without the option gradient = 1");
  OG_TRY(check_array("gradients", gradients, n_vectors, plan->n_points));
  OG_TRY(check_array("modes", modes, n_vectors, 1));
  og_progress_begin(plan, 0, n_vectors, 0, 0);
  return og_progress_end(plan, plan->n_points ? og_execute_type2(plan, n_vectors, modes, values, gradients) : OG_OK);
}

int og_filter(og_plan plan, int64_t n_in, const void *strengths, int64_t n_out, const void *multipliers, void *values) {
  OG_TRY(check_execute(plan, 0, NEEDS_FFT));
  OG_TRY(check_vectors(plan, "n_in", n_in));
  OG_TRY(check_vectors(plan, "n_out", n_out));
  OG_TRY(check_array("strengths", strengths, n_in, plan->n_points));
  OG_TRY(check_array("multipliers", multipliers, n_in * n_out, 1));
  OG_TRY(check_array("values", values, n_out, plan->n_points));
  og_progress_begin(plan, n_in, n_out, 0, 0);
  return og_progress_end(plan, og_execute_filter(plan, n_in, strengths, n_out, multipliers, values));
}

int og_spread(og_plan plan, int64_t n_vectors, const void *strengths, void *grid) {
  OG_TRY(check_execute(plan, n_vectors, 0));
  OG_TRY(check_array("strengths", strengths, n_vectors, plan->n_points));
  OG_TRY(check_array("grid", grid, n_vectors, 1));
  og_progress_begin(plan, 0, 0, n_vectors, 0);
  return og_progress_end(plan, og_execute_spread(plan, n_vectors, strengths, grid));
}

int og_interp(og_plan plan, int64_t n_vectors, const void *grid, void *values) {
  OG_TRY(check_execute(plan, n_vectors, 0));
  OG_TRY(check_array("grid", grid, n_vectors, 1));
  OG_TRY(check_array("values", values, n_vectors, plan->n_points));
  og_progress_begin(plan, 0, 0, 0, n_vectors);
  return og_progress_end(plan, og_execute_interp(plan, n_vectors, grid, values));
}

static int check_type3(og_plan plan, int64_t n_vectors) {
  OG_TRY(check_plan(plan));
  OG_CHECK(plan->type3, OG_ERR_UNSUPPORTED, "the plan is not of type 3: see og_plan_create_type3");
  return check_vectors(plan, "n_vectors", n_vectors);
}

int og_type3(og_plan plan, int64_t n_vectors, const void *strengths, void *results) {
  OG_TRY(check_type3(plan, n_vectors));
  og_progress_begin(plan, 0, 0, n_vectors, 0);
  return og_progress_end(plan, og_type3_execute(plan, n_vectors, strengths, results));
}

int og_type3_adjoint(og_plan plan, int64_t n_vectors, const void *results, void *values) {
  OG_TRY(check_type3(plan, n_vectors));
  og_progress_begin(plan, 0, 0, 0, n_vectors);
  return og_progress_end(plan, og_type3_execute_adjoint(plan, n_vectors, results, values));
}

/* ---- what a plan knows */

int og_plan_grid(og_plan plan, int64_t n_grid[3]) {
  OG_TRY(check_plan(plan));
  OG_CHECK(n_grid, OG_ERR_NULL, "n_grid must not be null");
  OG_CHECK(plan->core, OG_ERR_ORDER, "the grid is known once the points are set, or sigma or expected_points given");
  memcpy(n_grid, plan->core->choice.n, sizeof plan->core->choice.n);
  return OG_OK;
}

int og_plan_modes_box(og_plan plan, int64_t lower[3], int64_t upper[3]) {
  OG_TRY(check_plan(plan));
  OG_CHECK(lower && upper, OG_ERR_NULL, "lower and upper must not be null");
  OG_CHECK(!plan->type3, OG_ERR_UNSUPPORTED, "a type 3 plan has no modes");
  for (int d = 0; d < 3; d++) {
    int half_spectrum = d == 0 && plan->options.values == OG_REAL;
    lower[d] = half_spectrum ? 0 : -(plan->n_modes[d] / 2);
    upper[d] = lower[d] + plan->kept[d];
  }
  return OG_OK;
}

int og_plan_report(og_plan plan, og_report *report) {
  OG_TRY(check_plan(plan));
  OG_CHECK(report, OG_ERR_NULL, "report must not be null");
  OG_CHECK(report->size >= sizeof report->size && report->size <= sizeof *report, OG_ERR_ARGUMENT,
           "report.size = %zu: set it to sizeof(og_report)", report->size);
  const og_core *c = plan->core;
  OG_CHECK(c, OG_ERR_ORDER, "nothing is chosen yet: set the points first");
  double expected = og_expected_error(plan, &c->window, &c->choice);
  OG_TRY(og_execute_times(plan));
  size_t filter = plan->filter_vectors ? og_plan_filter_bytes(plan) : 0;
  og_report full = {.size = report->size,
                    .backend = plan->backend.name,
                    .simd = plan->backend.points_simd(c->points),
                    .window = og_window_kind_name((int)plan->kind),
                    .sigma = c->choice.sigma,
                    .shape = c->window.shape,
                    .width = c->choice.width,
                    .degree = c->window.degree,
                    .threads = plan->threads,
                    .reached = expected <= plan->options.tolerance,
                    .expected_error = expected,
                    .n_points = plan->n_points,
                    .n_grid = {c->choice.n[0], c->choice.n[1], c->choice.n[2]},
                    .bytes_grid = (c->memory ? og_core_bytes(c) : 0) + filter,
                    .bytes_points = plan->resident_bytes + plan->borrowed_bytes + plan->spare_bytes,
                    .bytes_peak = plan->peak_bytes,
                    .seconds_points = plan->seconds_points,
                    .seconds_spread = plan->seconds_spread,
                    .seconds_fft = plan->seconds_fft,
                    .seconds_deconvolve = plan->seconds_deconvolve,
                    .seconds_interp = plan->seconds_interp,
                    .device = c->points_choice.device,
                    .choice = c->points_choice.text};
  memcpy(report, &full, report->size);
  return OG_OK;
}

#define STRING_OF(x) #x
#define DOTTED(a, b, c) STRING_OF(a) "." STRING_OF(b) "." STRING_OF(c)
const char *og_version(void) { return DOTTED(OG_VERSION_MAJOR, OG_VERSION_MINOR, OG_VERSION_PATCH); }
