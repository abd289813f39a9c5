/* Type 1 over MPI: every rank brings its own points and gets its own box of the modes. Run with mpirun -n 4 example_mpi. */
#include "offgrid_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_POINTS = 1000 };

int main(int argc, char **argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  double x[3][N_POINTS], strengths[N_POINTS][2];
  for (int j = 0; j < N_POINTS; j++) {
    for (int d = 0; d < 3; d++)
      x[d][j] = 6.28 * fmod(0.618 * (j + 1) * (d + 1) + 0.1 * rank, 1.0);
    strengths[j][0] = 1;
    strengths[j][1] = 0;
  }

  og_mpi_plan plan;
  const int64_t n_modes[3] = {32, 24, 20};
  int64_t from[3], to[3];
  double(*modes)[2] = NULL;
  int code = og_mpi_plan_create(&plan, MPI_COMM_WORLD, 3, n_modes, NULL, NULL);
  if (!code)
    code = og_mpi_plan_set_points(plan, N_POINTS, x[0], x[1], x[2]);
  if (!code)
    code = og_mpi_plan_modes_box(plan, from, to);
  if (!code) {
    modes = malloc(sizeof *modes * (size_t)((to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]) + 1));
    code = og_mpi_type1(plan, 1, strengths, modes);
  }
  /* The mode k = 0 is the sum of all strengths. */
  const int64_t zero[3] = {16 - from[0], 12 - from[1], 10 - from[2]}, n[2] = {to[0] - from[0], to[1] - from[1]};
  if (!code && zero[0] >= 0 && zero[1] >= 0 && 16 < to[0] && 12 < to[1]) {
    const double sum = modes[(zero[2] * n[1] + zero[1]) * n[0] + zero[0]][0], right = (double)N_POINTS * ranks;
    printf("rank %d of %d has the mode 0: %.6f, want %.0f\n", rank, ranks, sum, right);
    code = fabs(sum / right - 1) > 1e-4;
  } else if (code)
    fprintf(stderr, "rank %d: %s\n", rank, og_mpi_last_error());
  free(modes);
  og_mpi_plan_destroy(plan);
  MPI_Finalize();
  return code != 0;
}
