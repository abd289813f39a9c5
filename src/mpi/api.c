/* The public calls: check, agree, forward, agree. */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/plan.h"
#include "plan/options.h"

const char *og_mpi_last_error(void) { return og_last_error(); }

/* ---- the same arguments everywhere */

static double number_of_text(const char *text) {
  double hash = 0;
  for (; *text; text++)
    hash = hash * 0.7 + (unsigned char)*text;
  return hash;
}

static double number_of_double(double x) { return x; }
static double number_of_int(int x) { return x; }
static double number_of_int64(int64_t x) { return (double)x; }

#define NUMBER(x)                                                                                                      \
  _Generic((x), double : number_of_double, int : number_of_int, int64_t : number_of_int64, default : number_of_text)(x)

/* Options that may differ: how a rank computes. */
static int of_one_rank(const char *name) {
  static const char *const own[] = {"threads", "simd", "backend", "fft_planning", "device", "stream", "tuning"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (!strcmp(name, own[i]))
      return 1;
  return 0;
}

#define OG_OPTION_ONE(type, name, value, doc) +1
enum { MOST_ARGUMENTS = 8 OG_OPTIONS_TABLE(OG_OPTION_ONE) }; /* ndim, 3 n_modes, 4 of og_mpi_options, the options */
#undef OG_OPTION_ONE

typedef struct arguments {
  int n;
  const char *name[MOST_ARGUMENTS];
  double value[MOST_ARGUMENTS];
} arguments;

static void add(arguments *a, const char *name, double value) {
  a->name[a->n] = name;
  a->value[a->n++] = value;
}

static int check_same(og_comm *c, int ndim, const int64_t *n_modes, const og_options *o, const og_mpi_options *m) {
  arguments a = {0};
  double theirs[MOST_ARGUMENTS];
  add(&a, "ndim", ndim);
  for (int d = 0; d < 3; d++)
    add(&a, "n_modes", d < ndim ? (double)n_modes[d] : 1);
#define OG_OPTION_ADD(type, name, value, doc)                                                                          \
  if (!of_one_rank(#name))                                                                                             \
    add(&a, #name, NUMBER(o->name));
  OG_OPTIONS_TABLE(OG_OPTION_ADD)
#undef OG_OPTION_ADD
  add(&a, "grid", m->grid[0]);
  add(&a, "grid", m->grid[1]);
  add(&a, "points_on_owners", m->points_on_owners);
  add(&a, "message_bytes", (double)m->message_bytes);
  memcpy(theirs, a.value, sizeof theirs);
  og_comm_from_first(c, theirs, (int)sizeof theirs);
  for (int i = 0; i < a.n; i++)
    OG_CHECK(a.value[i] == theirs[i], OG_ERR_ARGUMENT, "%s differs from rank 0's: must be the same on every rank",
             a.name[i]);
  return OG_OK;
}

/* ---- create and destroy */

static int check_sizes(int ndim, const int64_t *n_modes) {
  OG_CHECK(ndim != 1, OG_ERR_UNSUPPORTED, "ndim = 1: transforms over MPI have two or three dimensions");
  OG_CHECK(ndim == 2 || ndim == 3, OG_ERR_ARGUMENT, "ndim = %d, must be 2 or 3", ndim);
  OG_CHECK(n_modes, OG_ERR_NULL, "n_modes must not be null");
  for (int d = 0; d < ndim; d++)
    OG_CHECK(n_modes[d] >= 1 && n_modes[d] < INT32_MAX / 2, OG_ERR_SIZE, "n_modes[%d] = %lld, must be 1 to %d", d,
             (long long)n_modes[d], INT32_MAX / 2 - 1);
  return OG_OK;
}

static int check_own(const og_mpi_options *m, int ndim, int ranks) {
  OG_CHECK(m->size == sizeof *m, OG_ERR_OPTION, "mpi_options.size = %zu: start from OG_MPI_OPTIONS_DEFAULT", m->size);
  const int p1 = m->grid[0], p2 = m->grid[1], chosen = !p1 && !p2;
  OG_CHECK(chosen || (p1 > 0 && p2 > 0 && (int64_t)p1 * p2 == ranks), OG_ERR_OPTION,
           "process grid of %d x %d for %d ranks: want their product to be that, or 0 x 0", p1, p2, ranks);
  OG_CHECK(chosen || ndim == 3 || p2 == 1, OG_ERR_OPTION, "process grid of %d x %d: two dimensions want P2 = 1", p1,
           p2);
  OG_CHECK(m->points_on_owners == 0 || m->points_on_owners == 1, OG_ERR_OPTION, "points_on_owners = %d: want 0 or 1",
           m->points_on_owners);
  OG_CHECK(m->message_bytes >= 1 && m->message_bytes <= INT32_MAX, OG_ERR_OPTION,
           "message_bytes = %lld: want 1 to 2^31 - 1", (long long)m->message_bytes);
  return OG_OK;
}

static int check(og_mpi_plan *out, const og_comm *c, int ndim, const int64_t *n_modes, const og_options *options,
                 const og_mpi_options *m, og_options *full) {
  OG_CHECK(out, OG_ERR_NULL, "plan must not be null");
  OG_TRY(check_sizes(ndim, n_modes));
  OG_TRY(og_options_resolve(options, full));
  OG_CHECK(!full->spread_only && full->storage != OG_STORE_INDEX, OG_ERR_UNSUPPORTED,
           "options spread_only and storage = index do not apply to transforms over MPI");
  OG_TRY(check_own(m, ndim, c->size));
  og_mpi_plan p = og_allocate_zeroed(sizeof *p);
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for a plan (%zu bytes)", sizeof *p);
  *out = p;
  p->comm.comm = MPI_COMM_NULL;
  p->options = *m;
  OG_TRY(og_plan_make(&p->model, ndim, n_modes, full, NULL));
  OG_CHECK(!p->model->device, OG_ERR_UNSUPPORTED, "backend '%s' has a device: transforms over MPI run on CPUs",
           p->model->backend.name);
  return OG_OK;
}

static int choose(og_mpi_plan p) {
  const struct og_plan_s *m = p->model;
  const int64_t modes = m->n_modes[0] * m->n_modes[1] * m->n_modes[2], most = INT64_MAX / 1024;
  OG_TRY(og_choose(m,
                   m->options.expected_points ? m->options.expected_points
                   : modes < most             ? modes
                                              : most,
                   &p->choice));
  return og_plan_make_window(m, 1, &p->choice, &p->window); /* the choice's width may grow */
}

static void lay_out(og_mpi_plan p) {
  const struct og_plan_s *m = p->model;
  og_layout *l = &p->layout;
  *l = (og_layout){.ndim = m->ndim, .width = p->choice.width};
  memcpy(l->n, p->choice.n, sizeof l->n);
  memcpy(l->kept, m->kept, sizeof l->kept);
  if (p->options.grid[0])
    memcpy(l->parts, p->options.grid, sizeof l->parts);
  else
    og_layout_choose(l, p->comm.size, m->options.values == OG_REAL ? 1 : 2);
}

static int create(og_mpi_plan *out, og_comm *c, int ndim, const int64_t *n_modes, const og_options *options,
                  const og_mpi_options *m) {
  og_options full;
  c->longest = (size_t)(m->message_bytes > 0 ? m->message_bytes : 1);
  OG_TRY(og_comm_agree(c, check(out, c, ndim, n_modes, options, m, &full)));
  OG_TRY(og_comm_agree(c, check_same(c, ndim, n_modes, &full, m)));
  og_mpi_plan p = *out;
  p->comm = *c;
  *c = (og_comm){.comm = MPI_COMM_NULL};
  c = &p->comm;
  int code = c->rank ? OG_OK : choose(p); /* one choice for all: its arithmetic may differ between machines */
  code = og_comm_agree(c, code);
  if (!code) {
    og_comm_from_first(c, &p->choice, (int)sizeof p->choice);
    lay_out(p);
    code = og_comm_agree(c, og_mpi_build(p));
  }
  return code;
}

int og_mpi_plan_create(og_mpi_plan *plan, MPI_Comm comm, int ndim, const int64_t *n_modes, const og_options *options,
                       const og_mpi_options *mpi_options) {
  const og_mpi_options defaults = OG_MPI_OPTIONS_DEFAULT;
  og_comm c;
  if (plan)
    *plan = NULL;
  OG_TRY(og_comm_open(&c, comm));
  int code = create(plan, &c, ndim, n_modes, options, mpi_options ? mpi_options : &defaults);
  og_comm_close(&c); /* where the plan did not take it */
  if (code && plan) {
    og_mpi_plan_destroy(*plan);
    *plan = NULL;
  }
  return code;
}

void og_mpi_plan_destroy(og_mpi_plan p) {
  if (!p)
    return;
  if (p->model) {
    og_travel_destroy(&p->travel, &p->model->backend);
    og_mpi_unbuild(p);
  }
  og_plan_destroy(p->model);
  og_comm_close(&p->comm);
  og_free(p);
}

/* ---- points */

static int check_plan(og_mpi_plan p) {
  OG_CHECK(p, OG_ERR_NULL, "plan must not be null");
  OG_CHECK(!p->broken, OG_ERR_BROKEN, "an earlier call failed half way: destroy this plan");
  return OG_OK;
}

/* A plan whose communicator failed is broken. */
static int noted(og_mpi_plan p, int code) {
  p->broken |= code == OG_ERR_BROKEN;
  return code;
}

static int check_points(const struct og_mpi_plan_s *p, int64_t n, const void *const x[3]) {
  OG_CHECK(n >= 0 && n <= INT64_MAX / 1024, OG_ERR_ARGUMENT, "n_points = %lld, must be 0 to 2^53", (long long)n);
  for (int d = 0; d < p->layout.ndim; d++)
    OG_CHECK(x[d] || !n, OG_ERR_NULL, "coordinate array %c must not be null", "xyz"[d]);
  return OG_OK;
}

int og_mpi_plan_set_points(og_mpi_plan p, int64_t n_points, const void *x, const void *y, const void *z) {
  const void *const coordinates[3] = {x, y, z};
  og_travel travel;
  OG_TRY(check_plan(p));
  OG_TRY(noted(p, og_comm_agree(&p->comm, check_points(p, n_points, coordinates))));
  OG_TRY(noted(p, og_travel_create(&travel, &p->comm, &p->layout, &p->model->backend, &p->points_setup,
                                   p->model->period, p->options.points_on_owners, n_points, coordinates)));
  og_travel_destroy(&p->travel, &p->model->backend);
  p->travel = travel;
  p->has_points = 1;
  return OG_OK;
}

int og_mpi_plan_owners(og_mpi_plan p, int64_t n_points, const void *x, const void *y, const void *z, int *ranks) {
  const void *const coordinates[3] = {x, y, z};
  double unused[3];
  og_fold fold[3];
  OG_TRY(check_plan(p));
  OG_TRY(check_points(p, n_points, coordinates));
  OG_CHECK(ranks || !n_points, OG_ERR_NULL, "ranks must not be null");
  for (int d = 0; d < p->layout.ndim; d++)
    fold[d] = og_fold_make(p->model->period[d], p->layout.n[d]);
  for (int64_t j = 0; j < n_points; j++)
    OG_TRY(og_points_place(&p->layout, fold, p->model->options.precision, coordinates, j, unused, &ranks[j]));
  return OG_OK;
}

/* ---- transforms */

static size_t value_bytes(const struct og_mpi_plan_s *p) {
  return og_value_bytes(p->model->options.precision, p->model->options.values);
}
static size_t mode_bytes(const struct og_mpi_plan_s *p) { return 2 * og_real_bytes(p->model->options.precision); }

static int check_number(const struct og_mpi_plan_s *p, const char *name, int64_t n) {
  OG_CHECK(p->has_points, OG_ERR_ORDER, "og_mpi_plan_set_points must come first");
  OG_CHECK(n >= 0 && n <= p->model->options.max_vectors, OG_ERR_ARGUMENT, "%s = %lld, must be 0 to max_vectors = %lld",
           name, (long long)n, (long long)p->model->options.max_vectors);
  return OG_OK;
}

/* An array of n_vectors times `each` numbers. */
static int check_array(const char *name, int64_t n_vectors, int64_t each, const void *array) {
  OG_CHECK(array || !n_vectors || !each, OG_ERR_NULL, "%s must not be null", name);
  return OG_OK;
}

/* code: what this rank thinks of its arguments. */
static int begin(og_mpi_plan p, int code, const char *name, int64_t number) {
  OG_TRY(noted(p, og_comm_agree_on(&p->comm, code, name, number)));
  memset(p->sent, 0, sizeof p->sent);
  p->sent_values = 0;
  return OG_OK;
}

static int finish(og_mpi_plan p, int code) {
  if (!og_comm_agree(&p->comm, code))
    return OG_OK;
  p->broken = 1;
  return OG_ERR_BROKEN;
}

static int check_type1(const struct og_mpi_plan_s *p, int64_t n_vectors, const void *strengths, const void *modes) {
  OG_TRY(check_number(p, "n_vectors", n_vectors));
  OG_TRY(check_array("strengths", n_vectors, p->travel.n_here, strengths));
  return check_array("modes", n_vectors, p->n_kept, modes);
}

static const char *points_of(const struct og_mpi_plan_s *p, const void *values, int64_t v) {
  return og_const_at(values, v * p->travel.n_here, value_bytes(p));
}

static const char *modes_of(const struct og_mpi_plan_s *p, const void *modes, int64_t v) {
  return og_const_at(modes, v * p->n_kept, mode_bytes(p));
}

int og_mpi_type1(og_mpi_plan p, int64_t n_vectors, const void *strengths, void *modes) {
  OG_TRY(check_plan(p));
  OG_TRY(begin(p, check_type1(p, n_vectors, strengths, modes), "n_vectors", n_vectors));
  int code = OG_OK;
  for (int64_t v = 0; v < n_vectors; v++) {
    const int failed = og_mpi_execute_type1(p, points_of(p, strengths, v), og_at(modes, v * p->n_kept, mode_bytes(p)));
    code = code ? code : failed;
  }
  return finish(p, code);
}

static int type2(og_mpi_plan p, int64_t n_vectors, const void *modes, void *values, int with_gradients,
                 void *gradients) {
  const int back = !with_gradients || og_comm_any(&p->comm, values != NULL);
  int code = OG_OK;
  for (int64_t v = 0; v < n_vectors; v++) {
    char *slopes[3];
    for (int d = 0; d < 3; d++)
      slopes[d] = og_at(gradients, (d * n_vectors + v) * p->travel.n_here, value_bytes(p));
    const int failed =
        og_mpi_execute_type2(p, modes_of(p, modes, v), back, og_at(values, v * p->travel.n_here, value_bytes(p)),
                             with_gradients ? slopes : NULL);
    code = code ? code : failed;
  }
  return finish(p, code);
}

static int check_type2(const struct og_mpi_plan_s *p, int64_t n_vectors, const void *modes, const void *values) {
  OG_TRY(check_number(p, "n_vectors", n_vectors));
  OG_TRY(check_array("modes", n_vectors, p->n_kept, modes));
  return check_array("values", n_vectors, p->travel.n_here, values);
}

int og_mpi_type2(og_mpi_plan p, int64_t n_vectors, const void *modes, void *values) {
  OG_TRY(check_plan(p));
  OG_TRY(begin(p, check_type2(p, n_vectors, modes, values), "n_vectors", n_vectors));
  return type2(p, n_vectors, modes, values, 0, NULL);
}

static int check_gradient(const struct og_mpi_plan_s *p, int64_t n_vectors, const void *modes, const void *gradients) {
  OG_CHECK(p->model->options.gradient, OG_ERR_UNSUPPORTED, "the plan was made without the option gradient = 1");
  OG_TRY(check_number(p, "n_vectors", n_vectors));
  OG_TRY(check_array("modes", n_vectors, p->n_kept, modes));
  return check_array("gradients", n_vectors, p->travel.n_here, gradients);
}

int og_mpi_type2_gradient(og_mpi_plan p, int64_t n_vectors, const void *modes, void *values, void *gradients) {
  OG_TRY(check_plan(p));
  OG_TRY(begin(p, check_gradient(p, n_vectors, modes, gradients), "n_vectors", n_vectors));
  return type2(p, n_vectors, modes, values, 1, gradients);
}

/* ---- filter */

static int check_filter(og_mpi_plan p, int64_t n_in, const void *strengths, int64_t n_out, const void *multipliers,
                        const void *values) {
  OG_TRY(check_number(p, "n_in", n_in));
  OG_TRY(check_number(p, "n_out", n_out));
  OG_TRY(check_array("strengths", n_in, p->travel.n_here, strengths));
  OG_TRY(check_array("multipliers", n_in * n_out, p->n_kept, multipliers));
  OG_TRY(check_array("values", n_out, p->travel.n_here, values));
  if (p->filter_modes)
    return OG_OK;
  const size_t sets = (size_t)p->model->options.max_vectors + 1,
               bytes = og_bytes(sets, og_bytes((size_t)p->n_kept, mode_bytes(p)));
  p->filter_modes = og_allocate(bytes);
  OG_CHECK(p->filter_modes, OG_ERR_MEMORY, "no memory for the modes of a filter (%zu bytes)", bytes);
  return OG_OK;
}

int og_mpi_filter(og_mpi_plan p, int64_t n_in, const void *strengths, int64_t n_out, const void *multipliers,
                  void *values) {
  OG_TRY(check_plan(p));
  OG_TRY(begin(p, check_filter(p, n_in, strengths, n_out, multipliers, values), "n_in", n_in));
  OG_TRY(begin(p, OG_OK, "n_out", n_out));
  int code = OG_OK;
  for (int64_t i = 0; i < n_in && n_out; i++) {
    const int failed =
        og_mpi_execute_type1(p, points_of(p, strengths, i), og_at(p->filter_modes, (1 + i) * p->n_kept, mode_bytes(p)));
    code = code ? code : failed;
  }
  for (int64_t o = 0; o < n_out; o++) {
    og_mpi_multiply(p->model->options.precision, n_in, p->n_kept, modes_of(p, multipliers, o * n_in),
                    modes_of(p, p->filter_modes, 1), p->filter_modes);
    const int failed =
        og_mpi_execute_type2(p, p->filter_modes, 1, og_at(values, o * p->travel.n_here, value_bytes(p)), NULL);
    code = code ? code : failed;
  }
  return finish(p, code);
}

/* ---- questions */

int og_mpi_plan_modes_box(og_mpi_plan p, int64_t lower[3], int64_t upper[3]) {
  OG_TRY(check_plan(p));
  OG_CHECK(lower && upper, OG_ERR_NULL, "lower and upper must not be null");
  for (int d = 0; d < 3; d++) {
    lower[d] = p->modes.box.lower[d];
    upper[d] = p->modes.box.upper[d];
  }
  return OG_OK;
}

int og_mpi_plan_report(og_mpi_plan p, og_mpi_report *report) {
  OG_TRY(check_plan(p));
  OG_CHECK(report, OG_ERR_NULL, "report must not be null");
  OG_CHECK(report->size == sizeof *report, OG_ERR_ARGUMENT, "report.size = %zu: set it to sizeof(og_mpi_report)",
           report->size);
  *report = (og_mpi_report){.size = sizeof *report,
                            .ranks = p->comm.size,
                            .grid = {p->layout.parts[0], p->layout.parts[1]},
                            .width = p->window.width,
                            .threads = p->model->threads,
                            .sigma = p->window.sigma,
                            .expected_error = og_expected_error(p->model, &p->window, &p->choice),
                            .n_grid = {p->layout.n[0], p->layout.n[1], p->layout.n[2]},
                            .n_points = p->travel.n_here,
                            .n_owned = p->travel.n_owned,
                            .bytes_points = p->travel.bytes_sent,
                            .bytes_values = p->sent_values,
                            .bytes_halo = p->sent[OG_MOVE_HALO],
                            .bytes_first = p->sent[OG_MOVE_FIRST],
                            .bytes_second = p->sent[OG_MOVE_SECOND]};
  return OG_OK;
}
