/* Times and verifies the distributed types 1 and 2:
 *
 *   mpirun -n 2 bench_mpi NX NY NZ POINTS TOLERANCE [REPEATS [real]]
 *
 * NZ = 0: two dimensions. POINTS of all ranks together, uniform. Prints one line per call, with points anywhere and on their owners: the
 * fastest of the repeats, of the slowest rank; the error of type 1 on 16 modes against the direct sum (2 stands behind it: it is the adjoint,
 * whose inner products are compared); and the bytes sent. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offgrid_mpi.h"

enum { CHECKED = 16 };

static int rank, ranks;

static double uniform(void) {
  static uint64_t state;
  uint64_t z = (state += 0x9e3779b97f4a7c15u + (uint64_t)rank * 0x632be59bd9b4e019u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void must(int code) {
  if (!code)
    return;
  fprintf(stderr, "rank %d: %s\n", rank, og_mpi_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *take(int64_t n, size_t bytes) {
  void *memory = calloc((size_t)(n > 0 ? n : 1), bytes);
  must(!memory);
  return memory;
}

typedef struct problem {
  int ndim, real, repeats;
  int64_t n_modes[3], n;
  double *x[3];
  double *strengths, *values; /* [n] complex or real */
  double complex *modes;
  int64_t lower[3], upper[3], boxed;
} problem;

/* The slowest rank's time of one call. */
static double seconds(double start) {
  double mine = MPI_Wtime() - start, all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static double begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

/* Relative error of the checked modes. */
static double error(const problem *p) {
  double sums[4] = {0, 0, 0, 0};
  double complex right[CHECKED] = {0}, all[CHECKED];
  int64_t at[CHECKED][3];
  for (int c = 0; c < CHECKED; c++)
    for (int d = 0; d < 3; d++)
      at[c][d] = (c * 7919 + d * 104729 + 11 * c * d) % (d == 0 && p->real ? p->n_modes[0] / 2 + 1 : p->n_modes[d]);
  for (int c = 0; c < CHECKED; c++)
    for (int64_t j = 0; j < p->n; j++) {
      double phase = 0;
      for (int d = 0; d < p->ndim; d++)
        phase += (double)(at[c][d] - (d == 0 && p->real ? 0 : p->n_modes[d] / 2)) * p->x[d][j];
      right[c] += (p->real ? p->strengths[j] : p->strengths[2 * j] + I * p->strengths[2 * j + 1]) * cexp(-I * phase);
    }
  MPI_Allreduce(right, all, CHECKED, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  for (int c = 0; c < CHECKED; c++) {
    int64_t index = 0;
    int here = 1;
    for (int d = 2; d >= 0; d--) {
      here = here && at[c][d] >= p->lower[d] && at[c][d] < p->upper[d];
      index = index * (p->upper[d] - p->lower[d]) + at[c][d] - p->lower[d];
    }
    if (here) {
      const double off = cabs(p->modes[index] - all[c]), norm = cabs(all[c]);
      sums[0] += off * off;
      sums[1] += norm * norm;
    }
  }
  MPI_Allreduce(sums, sums + 2, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(sums[2] / sums[3]);
}

/* How far <type1(strengths), modes> is from <strengths, type2(modes)>, complex values only. */
static double adjointness(const problem *p) {
  double sums[2] = {0, 0}, all[2];
  for (int64_t i = 0; i < p->boxed; i++)
    sums[0] += creal(p->modes[i] * conj(p->modes[i]));
  for (int64_t j = 0; j < 2 * p->n; j++)
    sums[1] += p->strengths[j] * p->values[j];
  MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return fabs(all[0] - all[1]) / fabs(all[0]);
}

static void run(problem *p, double tolerance, int64_t points, int on_owners) {
  og_options options = OG_OPTIONS_DEFAULT;
  og_mpi_options own = OG_MPI_OPTIONS_DEFAULT;
  og_mpi_report report = {.size = sizeof report};
  og_mpi_plan plan;
  double best[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  options.tolerance = tolerance;
  options.values = p->real ? OG_REAL : OG_COMPLEX;
  options.expected_points = points;
  own.points_on_owners = on_owners;
  double start = begin();
  must(og_mpi_plan_create(&plan, MPI_COMM_WORLD, p->ndim, p->n_modes, &options, &own));
  const double create = seconds(start);
  must(og_mpi_plan_modes_box(plan, p->lower, p->upper));
  p->boxed = 1;
  for (int d = 0; d < 3; d++)
    p->boxed *= p->upper[d] - p->lower[d];
  p->n = points / ranks + (rank < points % ranks);
  p->strengths = take(p->n, sizeof(double complex));
  p->values = take(p->n, sizeof(double complex));
  p->modes = take(p->boxed, sizeof(double complex));
  for (int d = 0; d < 3; d++)
    p->x[d] = take(p->n, sizeof(double));
  for (int64_t j = 0, tries = 0; j < p->n;) { /* where asked for, points that this rank owns */
    int owner = rank;
    for (int d = 0; d < 3; d++)
      p->x[d][j] = 6.283185307179586 * uniform();
    if (on_owners)
      must(og_mpi_plan_owners(plan, 1, p->x[0] + j, p->x[1] + j, p->x[2] + j, &owner));
    j += owner == rank;
    p->n = ++tries > 1000 + 100 * ranks * points ? j : p->n; /* it owns none */
  }
  for (int64_t j = 0; j < (p->real ? 1 : 2) * p->n; j++)
    p->strengths[j] = uniform() - 0.5;
  for (int i = 0; i < p->repeats; i++) {
    start = begin();
    must(og_mpi_plan_set_points(plan, p->n, p->x[0], p->x[1], p->x[2]));
    best[0] = fmin(best[0], seconds(start));
    start = begin();
    must(og_mpi_type1(plan, 1, p->strengths, p->modes));
    best[1] = fmin(best[1], seconds(start));
    must(og_mpi_plan_report(plan, &report));
    start = begin();
    must(og_mpi_type2(plan, 1, p->modes, p->values));
    best[2] = fmin(best[2], seconds(start));
  }
  const double off = error(p), adjoint = p->real ? 0 : adjointness(p);
  int64_t mine[4] = {report.bytes_values, report.bytes_halo, report.bytes_first, report.bytes_second}, sent[4];
  MPI_Allreduce(mine, sent, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (!rank)
    printf("%s ranks=%dx%d threads=%d width=%d sigma=%.3g create=%.4f points=%.4f type1=%.4f type2=%.4f error=%.1e "
           "adjoint=%.1e "
           "MB: values=%.3f halo=%.3f first=%.3f second=%.3f\n",
           on_owners ? "owners  " : "anywhere", report.grid[0], report.grid[1], report.threads, report.width,
           report.sigma, create, best[0], best[1], best[2], off, adjoint, 1e-6 * (double)sent[0],
           1e-6 * (double)sent[1], 1e-6 * (double)sent[2], 1e-6 * (double)sent[3]);
  must(!(off <= 10 * tolerance && adjoint <= 1e-9));
  og_mpi_plan_destroy(plan);
  free(p->strengths);
  free(p->values);
  free(p->modes);
  for (int d = 0; d < 3; d++)
    free(p->x[d]);
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 6) {
    if (!rank)
      fprintf(stderr, "usage: bench_mpi NX NY NZ POINTS TOLERANCE [REPEATS [real]]\n");
    MPI_Finalize();
    return 2;
  }
  problem p = {.ndim = atoi(argv[3]) ? 3 : 2, .repeats = argc > 6 ? atoi(argv[6]) : 5};
  p.real = argc > 7 && !strcmp(argv[7], "real");
  for (int d = 0; d < 3; d++)
    p.n_modes[d] = d < p.ndim ? atoll(argv[1 + d]) : 1;
  for (int on_owners = 0; on_owners < 2; on_owners++)
    run(&p, atof(argv[5]), atoll(argv[4]), on_owners);
  MPI_Finalize();
  return 0;
}
