/* Every fault on every rank in turn ends in the same code on all ranks, whose sentence names the rank, and in bounded time (a hang
 * is cut by run.sh): bad options and points, arguments that differ, each failing allocation, stages and MPI calls that fail. What
 * came before a failed call is unharmed. */
#include "mpi/plan.h"
#include "mpi/ranks.h"

enum { N = 3, MODES = 12 * 10 * 9 };

/* ---- MPI's profiling interface: these calls do their work and then report an error where told to */

static int fail_call; /* the call that fails, of those below; 0: none */

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status *statuses) {
  const int code = PMPI_Waitall(n, requests, statuses);
  return fail_call == 1 ? MPI_ERR_OTHER : code;
}

int MPI_Alltoall(const void *out, int n_out, MPI_Datatype out_type, void *in, int n_in, MPI_Datatype in_type,
                 MPI_Comm comm) {
  const int code = PMPI_Alltoall(out, n_out, out_type, in, n_in, in_type, comm);
  return fail_call == 2 ? MPI_ERR_OTHER : code;
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast(data, n, type, root, comm);
  return fail_call == 3 ? MPI_ERR_OTHER : code;
}

/* ---- */

static const int64_t n_modes[3] = {12, 10, 9};
static double a[N] = {0.1, 0.2, 4}, b[N] = {1, 2, 3}, strengths[2 * N] = {1, 2, 3, 4, 5, 6}, values[2 * N];
static double modes[2 * MODES], multipliers[2 * MODES];
static og_options options = OG_OPTIONS_DEFAULT;

static int same_code(int code, int want, const char *what) {
  int low, high;
  MPI_Allreduce(&code, &low, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&code, &high, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return CHECK(low == high && low == want, "%s: codes %d to %d, want %d (%s)", what, low, high, want,
               og_mpi_last_error());
}

static void names_rank(int bad) {
  char name[32];
  snprintf(name, sizeof name, "rank %d:", bad);
  CHECK(strstr(og_mpi_last_error(), name), "'%s' does not name rank %d", og_mpi_last_error(), bad);
}

static int create(og_mpi_plan *plan, const og_options *o, const og_mpi_options *m) {
  return og_mpi_plan_create(plan, MPI_COMM_WORLD, 3, n_modes, o, m);
}

/* One rank's creation is wrong. */
static void refused(int bad) {
  const int me = rank == bad;
  og_mpi_plan plan;
  og_options wrong = options;
  og_mpi_options own = OG_MPI_OPTIONS_DEFAULT;
  wrong.tolerance = me ? -1 : wrong.tolerance;
  if (same_code(create(&plan, &wrong, NULL), OG_ERR_OPTION, "a bad option"))
    names_rank(bad);
  CHECK(!plan, "a plan in spite of the error");
  same_code(create(me ? NULL : &plan, &options, NULL), OG_ERR_NULL, "no place for the plan");
  same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, me ? NULL : n_modes, &options, NULL), OG_ERR_NULL, "no modes");
  same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, me ? 1 : 3, n_modes, &options, NULL), OG_ERR_UNSUPPORTED, "1-D");
  same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, me ? 4 : 3, n_modes, &options, NULL), OG_ERR_ARGUMENT, "4-D");
  wrong = options;
  wrong.spread_only = me;
  same_code(create(&plan, &wrong, NULL), OG_ERR_UNSUPPORTED, "spread_only");
  own.grid[0] = me ? size + 1 : 0;
  same_code(create(&plan, &options, &own), OG_ERR_OPTION, "a process grid of other size");
  own = (og_mpi_options)OG_MPI_OPTIONS_DEFAULT;
  own.size = me ? 3 : own.size;
  same_code(create(&plan, &options, &own), OG_ERR_OPTION, "mpi_options.size");
  check_leaks();
}

/* One rank's arguments are good and others than the rest's. */
static void different(int bad) {
  static const char *const other[][2] = {{"tolerance", "1e-4"}, {"precision", "f32"},      {"values", "real"},
                                         {"sign", "1"},         {"mode_order", "fft"},     {"max_vectors", "3"},
                                         {"window", "es"},      {"sigma", "1.5"},          {"width", "6"},
                                         {"gradient", "1"},     {"expected_points", "10"}, {"period_z", "2"}};
  const int me = rank == bad;
  og_mpi_plan plan;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    og_options wrong = options;
    if (me)
      CHECK_OK(og_options_set(&wrong, other[i][0], other[i][1]));
    same_code(create(&plan, &wrong, NULL), OG_ERR_ARGUMENT, other[i][0]);
    CHECK(strstr(og_mpi_last_error(), other[i][0]), "'%s' does not name %s", og_mpi_last_error(), other[i][0]);
  }
  const int64_t more[3] = {n_modes[0], n_modes[1] + me, n_modes[2]};
  same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, more, &options, NULL), OG_ERR_ARGUMENT, "n_modes");
  same_code(og_mpi_plan_create(&plan, MPI_COMM_WORLD, me ? 2 : 3, n_modes, &options, NULL), OG_ERR_ARGUMENT, "ndim");
  og_mpi_options own = OG_MPI_OPTIONS_DEFAULT;
  own.points_on_owners = me;
  same_code(create(&plan, &options, &own), OG_ERR_ARGUMENT, "points_on_owners");
  own = (og_mpi_options){sizeof own, {me ? 1 : size, me ? size : 1}, 0, 1 << 20};
  same_code(create(&plan, &options, &own), OG_ERR_ARGUMENT, "grid");
  check_leaks();
}

/* Each allocation of one rank in turn, or 1 in `among`, from the creation to the first filter; types 1 and 2 allocate nothing. */
static void allocations(int bad, long among) {
  og_mpi_plan plan;
  const int me = rank == bad;
  for (long i = bad % among, done = 0; !done; i += among) {
    atomic_store(&count, 0);
    atomic_store(&fail_at, me ? i : -1);
    int code = create(&plan, &options, NULL);
    if (!code)
      code = og_mpi_plan_set_points(plan, N, a, b, a);
    const long before = atomic_load(&count);
    if (!code)
      code = og_mpi_type1(plan, 1, strengths, modes);
    if (!code)
      code = og_mpi_type2(plan, 1, modes, values);
    CHECK(before == atomic_load(&count), "%ld allocations within types 1 and 2", atomic_load(&count) - before);
    if (!code)
      code = og_mpi_filter(plan, 1, strengths, 1, multipliers, values);
    done = !me || atomic_load(&count) <= i;
    atomic_store(&fail_at, -1);
    MPI_Bcast(&done, 1, MPI_LONG, bad, MPI_COMM_WORLD);
    if (same_code(code, done ? OG_OK : OG_ERR_MEMORY, "a failing allocation") && !done)
      names_rank(bad);
    og_mpi_plan_destroy(plan);
    check_leaks();
  }
}

/* Wrong calls of one rank leave the plan as it was. */
static void calls(int bad) {
  static double again[2 * MODES];
  const int me = rank == bad;
  int64_t lower[3], upper[3];
  og_mpi_plan plan;
  if (!same_code(create(&plan, &options, NULL), OG_OK, "create"))
    return;
  same_code(og_mpi_type1(plan, 1, strengths, modes), OG_ERR_ORDER, "no points yet");
  same_code(og_mpi_plan_set_points(plan, N, a, b, a), OG_OK, "points");
  same_code(og_mpi_type1(plan, 1, strengths, modes), OG_OK, "before all these");
  a[1] = me ? NAN : a[1];
  same_code(og_mpi_plan_set_points(plan, N, b, a, b), OG_ERR_POINT, "NaN");
  names_rank(bad);
  a[1] = 0.2;
  same_code(og_mpi_plan_set_points(plan, me ? -1 : N, b, b, a), OG_ERR_ARGUMENT, "-1 points");
  same_code(og_mpi_plan_set_points(plan, N, b, me ? NULL : b, a), OG_ERR_NULL, "no y");
  if (size > 1)
    same_code(og_mpi_type1(plan, me, strengths, modes), OG_ERR_ARGUMENT, "other n_vectors");
  same_code(og_mpi_type1(plan, me ? 2 : 1, strengths, modes), OG_ERR_ARGUMENT, "more than max_vectors");
  same_code(og_mpi_type1(plan, 1, me ? NULL : strengths, modes), OG_ERR_NULL, "no strengths");
  same_code(og_mpi_type2(plan, 1, modes, me ? NULL : values), OG_ERR_NULL, "no values");
  same_code(og_mpi_type2_gradient(plan, 1, modes, values, values), OG_ERR_UNSUPPORTED, "no option gradient");
  same_code(og_mpi_filter(plan, 1, strengths, 1, multipliers, me ? NULL : values), OG_ERR_NULL, "no values");
  if (size > 1)
    same_code(og_mpi_filter(plan, 1, strengths, !me, multipliers, values), OG_ERR_ARGUMENT, "other n_out");
  same_code(og_mpi_type1(plan, 1, strengths, again), OG_OK, "after all these");
  CHECK_OK(og_mpi_plan_modes_box(plan, lower, upper));
  CHECK(test_same_bits(modes, again, 2 * (upper[0] - lower[0]) * (upper[1] - lower[1]) * (upper[2] - lower[2])),
        "failed calls changed the plan");
  og_mpi_plan_destroy(plan);
  check_leaks();
}

static void stray(int bad) {
  const og_mpi_options own = {sizeof own, {0, 0}, 1, 1 << 20};
  const int me = rank == bad;
  og_mpi_plan plan;
  int owner[N];
  if (!same_code(create(&plan, &options, &own), OG_OK, "create"))
    return;
  CHECK_OK(og_mpi_plan_owners(plan, N, a, b, a, owner));
  same_code(og_mpi_plan_set_points(plan, me && owner[0] != bad, a, b, a), owner[0] == bad ? OG_OK : OG_ERR_POINT,
            "a stray point");
  og_mpi_plan_destroy(plan);
  check_leaks();
}

static int failing_lines(void *lines, const og_lines_pass *pass, void *grid) {
  (void)lines, (void)pass, (void)grid;
  return og_error_set(OG_ERR_MEMORY, __func__, "as told to");
}

/* What fails half way breaks the plan on all ranks; the next call says so, too. */
static void broken(int bad) {
  const int me = rank == bad;
  og_mpi_plan plan;
  for (int way = 0; way < 4; way++) {
    if (!same_code(create(&plan, &options, NULL), OG_OK, "create"))
      return;
    same_code(og_mpi_plan_set_points(plan, N, a, b, a), OG_OK, "points");
    if (me && way == 0)
      plan->model->backend.lines_execute = failing_lines;
    fail_call = me && (way == 1 || way == 2) ? 1 : 0;
    if (way == 3) {
      fail_call = me ? 2 : 0;
      same_code(og_mpi_plan_set_points(plan, N, a, b, a), OG_ERR_BROKEN, "a failing MPI_Alltoall");
    } else if (way == 2)
      same_code(og_mpi_type2(plan, 1, modes, values), OG_ERR_BROKEN, "a failing MPI_Waitall");
    else
      same_code(og_mpi_type1(plan, 1, strengths, modes), OG_ERR_BROKEN,
                way ? "a failing MPI_Waitall" : "failing lines");
    names_rank(bad);
    fail_call = 0;
    same_code(og_mpi_type1(plan, 1, strengths, modes), OG_ERR_BROKEN, "a broken plan");
    same_code(og_mpi_plan_set_points(plan, N, a, b, a), OG_ERR_BROKEN, "a broken plan");
    og_mpi_plan_destroy(plan);
    check_leaks();
  }
  fail_call = me ? 3 : 0;
  const int code = create(&plan, &options, NULL);
  fail_call = 0;
  same_code(code, OG_ERR_BROKEN, "a failing MPI_Bcast");
  check_leaks();
}

/* One rank of MPI_COMM_WORLD, or all, without the thread level: known before MPI is, from the launcher. */
static int without_threads(int argc, char **argv) {
  const char *which = test_argument(argc, argv, "--single"), *mine = getenv("OMPI_COMM_WORLD_RANK");
  mine = mine ? mine : getenv("PMI_RANK");
  return which && (!strcmp(which, "all") || (mine && !strcmp(mine, which)));
}

int main(int argc, char **argv) {
  og_mpi_plan plan;
  CHECK_CODE(og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, NULL, NULL, NULL), OG_ERR_ORDER, "not initialised");
  start(&argc, &argv, without_threads(argc, argv) ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED,
        "faults on one rank are the same error on all");
  options.threads = 1;
  options.tolerance = 1e-3;
  options.fft_planning = OG_FFT_ESTIMATE;
  if (test_argument(argc, argv, "--single")) {
    test_case("MPI_THREAD_SINGLE on rank %s", test_argument(argc, argv, "--single"));
    if (same_code(create(&plan, &options, NULL), OG_ERR_ORDER, "no threads"))
      CHECK(strstr(og_mpi_last_error(), "MPI_THREAD_FUNNELED"), "'%s' does not say what to do", og_mpi_last_error());
    check_leaks();
    return finish();
  }
  CHECK_CODE(og_mpi_plan_create(&plan, MPI_COMM_NULL, 3, NULL, NULL, NULL), OG_ERR_NULL, "MPI_COMM_NULL");
  CHECK_CODE(og_mpi_type1(NULL, 1, strengths, modes), OG_ERR_NULL, "plan");
  const char *among = test_argument(argc, argv, "--among"); /* 1 in so many failing allocations */
  for (int bad = 0; bad < size; bad++) {
    test_case("rank %d of %d", bad, size);
    refused(bad);
    if (size > 1)
      different(bad);
    allocations(bad, test.all || !among ? 1 : atol(among));
    calls(bad);
    stray(bad);
    broken(bad);
  }
  CHECK_OK(create(&plan, &options, NULL)); /* its end comes after MPI's */
  const int code = finish();
  og_mpi_plan_destroy(plan);
  return code;
}
