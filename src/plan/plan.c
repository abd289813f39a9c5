/* From options to a plan: sizes, window, layout, then the backend's objects. */
#include "plan/plan.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "plan/place.h"

static const double two_pi = 6.283185307179586476925286766559;

int og_plan_make(og_plan *out, int ndim, const int64_t *n_modes, const og_options *o, void *device) {
  og_plan plan = og_allocate_zeroed(sizeof *plan);
  OG_CHECK(plan, OG_ERR_MEMORY, "no memory for a plan (%zu bytes)", sizeof *plan);
  *out = plan;
  plan->ndim = ndim;
  plan->progress = &plan->own_progress;
  plan->options = *o;
  OG_TRY(og_backend_find(o->backend, &plan->backend));
  plan->kind = (og_window_kind)og_window_kind_from_name(o->window);
  OG_CHECK((int)plan->kind >= 0, OG_ERR_OPTION,
           "option window = '%s': want optimal, pswf, es, kb, gaussian, linear, cubic or bh", o->window);
  OG_CHECK(!strcmp(o->simd, "auto") || !strcmp(o->simd, "generic") || !strcmp(o->simd, "avx2") ||
               !strcmp(o->simd, "avx512"),
           OG_ERR_OPTION, "option simd = '%s': want auto, generic, avx2 or avx512", o->simd);
  strcpy(plan->simd, o->simd);
  OG_CHECK(strlen(o->spread_method) < sizeof plan->spread_method, OG_ERR_OPTION, "option spread_method = '%s': unknown",
           o->spread_method);
  OG_CHECK(strlen(o->interp_method) < sizeof plan->interp_method, OG_ERR_OPTION, "option interp_method = '%s': unknown",
           o->interp_method);
  strcpy(plan->spread_method, o->spread_method);
  strcpy(plan->interp_method, o->interp_method);
  OG_CHECK(strlen(o->tuning) < sizeof plan->tuning, OG_ERR_OPTION, "option tuning: a path of more than %zu bytes",
           sizeof plan->tuning - 1);
  strcpy(plan->tuning, o->tuning);
  plan->threads = plan->backend.threads(o->threads);
  plan->device = device;
  if (plan->backend.device_open && !device) {
    OG_TRY(plan->backend.device_open(o->device, o->stream, &plan->device));
    plan->device_is_ours = 1;
  }
  const double period[3] = {o->period_x, o->period_y, o->period_z};
  plan->n_kept = 1;
  for (int d = 0; d < 3; d++) {
    plan->period[d] = period[d] > 0 ? period[d] : two_pi;
    plan->n_modes[d] = d < ndim ? n_modes[d] : 1;
    plan->kept[d] = d == 0 && o->values == OG_REAL ? plan->n_modes[0] / 2 + 1 : plan->n_modes[d];
    OG_CHECK(!__builtin_mul_overflow(plan->n_kept, plan->kept[d], &plan->n_kept) &&
                 plan->n_kept <= INT64_MAX / (int64_t)og_value_bytes(o->precision, OG_COMPLEX),
             OG_ERR_SIZE, "the number of modes overflows 64 bits");
  }
  return OG_OK;
}

/* ---- the core */

/* 1 / window transform along one dimension: of k = 0 ... positive - 1 at `zero`, then mirrored to k < 0. */
typedef struct {
  double *zero;
  const og_window *window;
  double step;
} factor_job;

static void fill_positive(void *context, int64_t begin, int64_t end) {
  const factor_job *j = context;
  og_window_factors(j->window, j->step, begin, end - begin, j->zero + begin);
}

static void fill_factor(const struct og_plan_s *plan, og_core *c, int d) {
  int half_spectrum = d == 0 && plan->options.values == OG_REAL,
      ascending = plan->options.mode_order == OG_ORDER_ASCENDING;
  int64_t kept = plan->kept[d], negative = half_spectrum ? 0 : kept / 2, positive = kept - negative;
  double *factor = c->factor[d], *zero = factor + (ascending ? negative : 0);
  factor_job job = {zero, &c->window, two_pi / (double)c->grid.n[d]};
  plan->backend.parallel(plan->threads, positive, 1024, fill_positive, &job);
  for (int64_t k = 1; k <= negative; k++) {
    double mirrored = k < positive ? zero[k] : 0;
    if (k == positive) /* even N: -N/2 alone has no positive partner */
      og_window_factors(&c->window, job.step, k, 1, &mirrored);
    factor[ascending ? negative - k : kept - k] = mirrored;
  }
}

void og_plan_destroy_core(const struct og_plan_s *plan, og_core *core) {
  if (!core)
    return;
  og_fft_destroy(core->fft);
  if (core->whole)
    plan->backend.fft_destroy(core->whole);
  if (core->points)
    plan->backend.points_destroy(core->points);
  for (int d = 0; d < 3; d++) {
    og_free(core->factor[d]);
    og_place_free(plan, core->factor_there[d]);
  }
  if (core->memory_is_ours)
    og_place_free(plan, core->memory);
  og_free(core);
}

static int has_room(const og_choice *choice, int ndim) {
  for (int d = 0; d < ndim; d++)
    if (choice->n[d] < 2 * (choice->width + 1))
      return 0;
  return 1;
}

int og_plan_make_window(const struct og_plan_s *plan, int may_grow, og_choice *choice, og_window *window) {
  const og_options *o = &plan->options;
  double fit = o->spread_only ? 0.01 * o->tolerance : o->tolerance; /* there the grid itself is the result */
  fit /= og_type3_excess(plan, choice->width, choice->sigma);       /* it lifts the fit's error as well */
  OG_TRY(og_window_make(window, plan->kind, choice->width, choice->sigma, o->shape, fit));
  if (!o->gradient)
    return OG_OK;
  og_window_fit(window, 0.3 * fit, 1);
  if (!may_grow || o->width || choice->width >= OG_MAX_WIDTH || !has_room(choice, plan->ndim) ||
      og_expected_error(plan, window, choice) <= o->tolerance)
    return OG_OK;
  choice->width++;
  return og_plan_make_window(plan, may_grow, choice, window);
}

/* The factors of dimension d where the backend reads them. */
static int place_factor(const struct og_plan_s *plan, og_core *c, int d) {
  c->modes_setup.factor[d] = c->factor[d];
  if (!plan->device)
    return OG_OK;
  const size_t bytes = (size_t)plan->kept[d] * sizeof(double);
  c->modes_setup.factor[d] = c->factor_there[d] = og_place_allocate(plan, bytes);
  OG_CHECK(c->factor_there[d], OG_ERR_MEMORY, "no device memory for %lld deconvolution factors",
           (long long)plan->kept[d]);
  return og_place_copy(plan, c->factor_there[d], c->factor[d], bytes);
}

/* Vectors done at once. More grids than these few bytes fill a device by themselves. */
static int64_t choose_batch(const struct og_plan_s *plan, size_t grid_bytes) {
  const og_options *o = &plan->options;
  const size_t most_bytes = (size_t)2 << 30, fit = most_bytes / (grid_bytes ? grid_bytes : 1);
  int64_t batch = o->batch ? o->batch : fit < 1 ? 1 : fit < 8 ? (int64_t)fit : 8;
  if (!plan->device)
    return 1;
  batch = batch < o->max_vectors ? batch : o->max_vectors;
  return batch <= (int64_t)(SIZE_MAX / 8 / (grid_bytes + 1)) ? batch : 1;
}

static int fill_core(const struct og_plan_s *plan, const double *shift, og_core *c) {
  const og_options *o = &plan->options;
  const og_choice *choice = &c->choice;
  OG_TRY(og_plan_make_window(plan, 1, &c->choice, &c->window));
  c->grid = (og_grid){.ndim = plan->ndim, .precision = o->precision, .values = o->values};
  memcpy(c->grid.n, choice->n, sizeof choice->n);
  OG_TRY(plan->backend.grid_layout(&c->grid));
  if (o->spread_only || plan->type3) { /* the grid is an array of others: compact */
    c->grid.stride[1] = c->grid.n[0];
    c->grid.stride[2] = c->grid.n[0] * c->grid.n[1];
    c->grid.bytes = (size_t)(c->grid.stride[2] * c->grid.n[2]) * og_value_bytes(o->precision, o->values);
  }
  c->batch = choose_batch(plan, c->grid.bytes);
  c->points_setup = (og_points_setup){.grid = &c->grid,
                                      .window = &c->window,
                                      .period = {plan->period[0], plan->period[1], plan->period[2]},
                                      .evaluation = o->evaluation,
                                      .index_only = o->storage == OG_STORE_INDEX,
                                      .wide = plan->wide_points,
                                      .counted = &plan->progress->counted,
                                      .gradient = o->gradient,
                                      .threads = plan->threads,
                                      .simd = plan->simd,
                                      .device = plan->device,
                                      .spread_method = plan->spread_method,
                                      .interp_method = plan->interp_method,
                                      .bin = {o->bin_x, o->bin_y, o->bin_z},
                                      .spread_team = o->spread_team,
                                      .interp_team = o->interp_team,
                                      .work_points = o->work_points,
                                      .tuning = plan->tuning,
                                      .vectors = c->batch,
                                      .choice = &c->points_choice};
  if (shift)
    memcpy(c->points_setup.shift, shift, sizeof c->points_setup.shift);
  OG_TRY(plan->backend.points_create(&c->points_setup, &c->points));
  c->modes_setup = (og_modes_setup){.grid = &c->grid,
                                    .mode_order = o->mode_order,
                                    .conjugate = o->values == OG_REAL && o->sign > 0,
                                    .threads = plan->threads,
                                    .device = plan->device};
  for (int d = 0; d < 3; d++) {
    c->modes_setup.n_modes[d] = plan->n_modes[d];
    c->modes_setup.kept[d] = plan->kept[d];
    if (o->spread_only)
      continue;
    c->factor[d] = og_allocate(og_bytes((size_t)plan->kept[d], sizeof(double)));
    OG_CHECK(c->factor[d], OG_ERR_MEMORY, "no memory for %lld deconvolution factors", (long long)plan->kept[d]);
    if (d < plan->ndim)
      fill_factor(plan, c, d);
    else
      c->factor[d][0] = 1;
    OG_TRY(place_factor(plan, c, d));
  }
  return OG_OK;
}

int og_plan_build_core(const struct og_plan_s *plan, const og_choice *choice, const double *shift, og_core **core) {
  og_core *c = og_allocate_zeroed(sizeof *c);
  OG_CHECK(c, OG_ERR_MEMORY, "no memory for a plan's core");
  c->choice = *choice;
  int code = fill_core(plan, shift, c);
  if (code) {
    og_plan_destroy_core(plan, c);
    return code;
  }
  *core = c;
  return OG_OK;
}

static size_t grids_bytes(const og_core *c) { return (size_t)c->batch * c->grid.bytes; }

size_t og_core_bytes(const og_core *c) {
  return c->whole_bytes ? og_round_up(grids_bytes(c), OG_DEVICE_ALIGNMENT) + c->whole_bytes : grids_bytes(c);
}

void *og_core_scratch(const og_core *c) {
  return c->whole_bytes ? (char *)c->memory + og_round_up(grids_bytes(c), OG_DEVICE_ALIGNMENT) : NULL;
}

/* The backend's own FFT, where it has one; how much it works in is known after that. */
static int make_whole(const struct og_plan_s *plan, og_core *c) {
  if (!plan->backend.fft_create || c->whole)
    return OG_OK;
  return plan->backend.fft_create(plan->device, &c->grid, c->batch, plan->options.sign, &c->whole, &c->whole_bytes);
}

static int make_lines(const struct og_plan_s *plan, og_core *c) {
  const og_options *o = &plan->options;
  /* what FFTW measures differs from run to run, and with it the last bits */
  int planning = o->deterministic ? OG_FFT_ESTIMATE : o->fft_planning;
  if (c->whole)
    return OG_OK;
  return og_fft_create(&c->fft, &plan->backend, &c->grid, plan->n_modes, o->sign, planning, plan->threads, c->memory);
}

static int give_memory_to_batch(const struct og_plan_s *plan, og_core *c, void *memory) {
  OG_TRY(make_whole(plan, c));
  c->memory = memory ? memory : og_place_allocate(plan, og_core_bytes(c));
  c->memory_is_ours = !memory;
  OG_CHECK(c->memory, OG_ERR_MEMORY, "no memory for a fine grid of %lld x %lld x %lld cells and its FFT (%zu bytes)",
           (long long)c->grid.n[0], (long long)c->grid.n[1], (long long)c->grid.n[2], og_core_bytes(c));
  int code = make_lines(plan, c);
  if (code && c->memory_is_ours)
    og_place_free(plan, c->memory);
  if (code)
    c->memory = NULL;
  return code;
}

/* The memory of the grids (unless it is somebody else's array) and of the FFT, and the FFT that is planned on it. Where
 * there is none for several grids, one does. */
static int give_memory(const struct og_plan_s *plan, og_core *c, void *memory) {
  if (plan->options.spread_only)
    return OG_OK;
  int code = give_memory_to_batch(plan, c, memory);
  if (code != OG_ERR_MEMORY || c->batch == 1)
    return code;
  c->batch = 1;
  if (c->whole)
    plan->backend.fft_destroy(c->whole);
  c->whole = NULL;
  c->whole_bytes = 0;
  return give_memory_to_batch(plan, c, memory);
}

/* The core that n_points points want: *fresh is new, or NULL where the plan's own will do. */
static int prepare(og_plan plan, int64_t n_points, og_core **fresh) {
  og_choice choice;
  og_choice *now = plan->core ? &plan->core->choice : NULL;
  int fixed = plan->workspace || plan->options.spread_only || plan->options.sigma > 0;
  *fresh = NULL;
  if (now && (fixed || now->n_points == og_choice_points(plan, n_points)))
    return plan->core->memory ? OG_OK : give_memory(plan, plan->core, NULL);
  OG_TRY(og_choose(plan, n_points, &choice));
  if (now && now->width == choice.width && !memcmp(now->n, choice.n, sizeof choice.n)) {
    now->n_points = choice.n_points;
    return plan->core->memory ? OG_OK : give_memory(plan, plan->core, NULL);
  }
  OG_TRY(og_plan_build_core(plan, &choice, NULL, fresh));
  int code = give_memory(plan, *fresh, NULL);
  if (code) {
    og_plan_destroy_core(plan, *fresh);
    *fresh = NULL;
  }
  return code;
}

/* ---- points */

static size_t room_of(const og_core *c) { return c->memory ? og_core_bytes(c) : 0; }

/* Bytes of the coordinates that the backend copies to its device. */
static size_t bytes_brought(const struct og_plan_s *plan, int64_t n, const void *const x[3]) {
  const size_t coordinate = plan->wide_points ? sizeof(double) : og_real_bytes(plan->options.precision);
  size_t bytes = 0;
  for (int d = 0; d < plan->ndim; d++)
    if (plan->device && n && plan->backend.on_host(plan->device, x[d]))
      bytes += (size_t)n * coordinate;
  return bytes;
}

static void drop_spare(og_plan plan) {
  og_place_free(plan, plan->spare);
  plan->spare = NULL;
  plan->spare_bytes = 0;
}

/* What is only spare goes before memory is said to be exhausted. */
static void *allocate(og_plan plan, size_t bytes) {
  void *memory = og_place_allocate(plan, bytes);
  if (memory || !plan->spare)
    return memory;
  drop_spare(plan);
  return og_place_allocate(plan, bytes);
}

/* Memory beside the core's to sort in: behind the points in a workspace, or the plan's spare one. To take it from a device
 * and give it back takes as long as the sort. */
static int take_spare(og_plan plan, size_t bytes, char *behind, void **scratch) {
  if (plan->workspace) {
    *scratch = behind;
    return OG_OK;
  }
  if (plan->spare_bytes < bytes) {
    drop_spare(plan);
    plan->spare = og_place_allocate(plan, bytes);
    OG_CHECK(plan->spare, OG_ERR_MEMORY, "no memory to sort the points (%zu bytes)", bytes);
    plan->spare_bytes = bytes;
  }
  *scratch = plan->spare;
  return OG_OK;
}

int og_plan_sort_points(og_plan plan, const og_core *c, int64_t n, const void *const x[3], void *resident, char *behind,
                        size_t scratch_bytes) {
  const int beside = scratch_bytes > room_of(c); /* the grid holds nothing between two calls */
  void *scratch = c->memory;
  if (beside)
    OG_TRY(take_spare(plan, scratch_bytes, behind, &scratch));
  int code = plan->backend.points_set(c->points, n, x, resident, scratch);
  plan->spare_calls = beside ? plan->spare_calls + 1 : 0;
  if (!plan->device || !plan->options.spread_only || plan->spare_calls < 2)
    drop_spare(plan);
  return code;
}

static size_t resident_offset(const struct og_plan_s *plan) {
  return og_round_up(og_core_bytes(plan->core), OG_DEVICE_ALIGNMENT) +
         og_round_up(og_plan_filter_bytes(plan), OG_DEVICE_ALIGNMENT);
}

/* Of a workspace: the grid, the FFT's and the filter's memory, the points, and what sorting them wants beside. */
static int workspace_bytes(og_plan plan, int64_t n, size_t *resident, size_t *scratch, size_t *total) {
  const size_t room = og_core_bytes(plan->core), filter = og_plan_filter_bytes(plan);
  *scratch = room;
  OG_TRY(plan->backend.points_bytes(plan->core->points, n, resident, scratch));
  *total = resident_offset(plan);
  OG_CHECK(filter < SIZE_MAX / 4 && *resident < SIZE_MAX / 4 && *scratch < SIZE_MAX / 4 &&
               !__builtin_add_overflow(*total, og_round_up(*resident, OG_DEVICE_ALIGNMENT), total) &&
               !__builtin_add_overflow(*total, *scratch > room ? og_round_up(*scratch, OG_ALIGNMENT) : 0, total),
           OG_ERR_SIZE, "the workspace overflows the address space");
  return OG_OK;
}

static int take_from_workspace(og_plan plan, og_core *c, int64_t n, const void *const x[3]) {
  size_t bytes, scratch, total;
  OG_TRY(workspace_bytes(plan, n, &bytes, &scratch, &total));
  OG_CHECK(total <= plan->workspace_bytes, OG_ERR_WORKSPACE,
           "%lld points need a workspace of %zu bytes, the caller's has %zu", (long long)n, total,
           plan->workspace_bytes);
  char *resident = plan->workspace + resident_offset(plan);
  OG_TRY(og_plan_sort_points(plan, c, n, x, resident, resident + og_round_up(bytes, OG_DEVICE_ALIGNMENT), scratch));
  plan->resident = resident;
  plan->resident_bytes = bytes;
  plan->peak_bytes = total > plan->peak_bytes ? total : plan->peak_bytes;
  return OG_OK;
}

/* Points for the core c, which is the plan's own or is to become it: then the old points keep their memory. */
static int take_from_heap(og_plan plan, og_core *c, int64_t n, const void *const x[3]) {
  size_t bytes, scratch = room_of(c);
  OG_TRY(plan->backend.points_bytes(c->points, n, &bytes, &scratch));
  void *resident = plan->resident, *fresh = NULL;
  if (c != plan->core || !plan->resident || bytes > plan->resident_bytes || bytes < plan->resident_bytes / 4) {
    resident = fresh = allocate(plan, bytes);
    OG_CHECK(resident, OG_ERR_MEMORY, "no memory for %lld points (%zu bytes)", (long long)n, bytes);
  }
  int code = og_plan_sort_points(plan, c, n, x, resident, NULL, scratch);
  if (code) {
    og_place_free(plan, fresh);
    return code;
  }
  size_t now = room_of(c) + (scratch > room_of(c) ? scratch : 0) + bytes_brought(plan, n, x) + plan->borrowed_bytes +
               plan->resident_bytes + (fresh ? bytes : 0) + (c != plan->core && plan->core ? room_of(plan->core) : 0) +
               (plan->filter_is_ours ? og_plan_filter_bytes(plan) : 0);
  plan->peak_bytes = now > plan->peak_bytes ? now : plan->peak_bytes;
  if (fresh) {
    if (plan->resident_is_ours)
      og_place_free(plan, plan->resident);
    plan->resident_is_ours = 1;
    plan->resident_bytes = bytes;
  }
  plan->resident = resident;
  return OG_OK;
}

static int take_points(og_plan plan, og_core *c, int64_t n, const void *const x[3]) {
  OG_TRY(plan->workspace ? take_from_workspace(plan, c, n, x) : take_from_heap(plan, c, n, x));
  plan->borrowed_bytes = plan->options.storage == OG_STORE_INDEX ? bytes_brought(plan, n, x) : 0;
  plan->n_points = n;
  plan->has_points = 1;
  return OG_OK;
}

int og_plan_replace_points(og_plan plan, int64_t n, const void *const x[3]) {
  og_core *fresh;
  OG_TRY(prepare(plan, n, &fresh));
  int code = take_points(plan, fresh ? fresh : plan->core, n, x);
  if (fresh && !code) {
    og_plan_destroy_core(plan, plan->core);
    plan->core = fresh;
  } else
    og_plan_destroy_core(plan, fresh);
  return code;
}

/* ---- the caller's workspace: grid, modes of og_filter, points */

size_t og_plan_filter_bytes(const struct og_plan_s *plan) {
  return og_bytes(og_bytes((size_t)plan->options.max_vectors, (size_t)plan->n_kept),
                  og_value_bytes(plan->options.precision, OG_COMPLEX));
}

int og_plan_workspace(og_plan plan, int64_t max_points, size_t *bytes) {
  OG_CHECK(plan && bytes, OG_ERR_NULL, "plan and bytes must not be null");
  OG_CHECK(!plan->type3, OG_ERR_UNSUPPORTED, "a type 3 plan takes no workspace");
  OG_CHECK(!plan->options.spread_only, OG_ERR_UNSUPPORTED, "a spread_only plan has no grid of its own");
  OG_CHECK(max_points >= 0, OG_ERR_ARGUMENT, "max_points = %lld, must be >= 0", (long long)max_points);
  if (!plan->core) {
    og_choice choice;
    OG_TRY(og_choose(plan, max_points, &choice));
    OG_TRY(og_plan_build_core(plan, &choice, NULL, &plan->core));
  }
  size_t resident, scratch;
  OG_TRY(make_whole(plan, plan->core));
  return workspace_bytes(plan, max_points, &resident, &scratch, bytes);
}

int og_plan_set_workspace(og_plan plan, void *memory, size_t bytes) {
  OG_CHECK(memory, OG_ERR_NULL, "memory must not be null");
  OG_CHECK((uintptr_t)memory % OG_ALIGNMENT == 0, OG_ERR_ARGUMENT, "the workspace must be aligned to %d bytes",
           OG_ALIGNMENT);
  size_t least;
  OG_TRY(og_plan_workspace(plan, 0, &least));
  OG_CHECK(!plan->has_points && !plan->core->memory, OG_ERR_ORDER, "set the workspace before the points");
  OG_CHECK(bytes >= least, OG_ERR_WORKSPACE, "the workspace has %zu bytes, %zu are needed", bytes, least);
  OG_TRY(give_memory(plan, plan->core, memory));
  plan->workspace = memory;
  plan->workspace_bytes = bytes;
  plan->filter_modes = (char *)memory + og_round_up(og_core_bytes(plan->core), OG_DEVICE_ALIGNMENT);
  plan->filter_vectors = plan->options.max_vectors;
  return OG_OK;
}

void og_plan_destroy(og_plan plan) {
  if (!plan)
    return;
  og_type3_destroy(plan);
  og_plan_destroy_core(plan, plan->core);
  if (plan->resident_is_ours)
    og_place_free(plan, plan->resident);
  if (plan->filter_is_ours)
    og_place_free(plan, plan->filter_modes);
  drop_spare(plan);
  og_place_release(plan);
  if (plan->device_is_ours)
    plan->backend.device_close(plan->device);
  og_free(plan);
}
