/* The thread sanitizer's own test: with --plant, two OpenMP threads race on one variable, which it must report; without,
 * the same loop is ordered by OpenMP's barrier and reduction, which it must understand. See test_sanitizer.sh. */
#include <omp.h>

#include "common/test.h"

static double shared[2];

/* Each half writes, then reads the other half: right only with the barrier between. */
static double exchange(int plant) {
  double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int me = omp_get_thread_num() % 2;
    for (int i = 0; i < 1000; i++) {
      shared[me] += 1.0;
      if (!plant) {
#pragma omp barrier
      }
      sum += shared[1 - me];
      if (!plant) {
#pragma omp barrier
      }
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  int plant = argc > 1 && !strcmp(argv[1], "--plant");
  test_begin(argc, argv, "OpenMP's order is understood");
  double sum = exchange(plant);
  printf("sum %g\n", sum);
  if (!plant)
    CHECK(sum == 2 * 500500.0 || omp_get_max_threads() < 2, "sum %g", sum);
  else
    CHECK(sum > 0, "sum %g", sum);
  return test_end();
}
