/* What the examples share: random points, and the relative l2 distance between a result and the direct sum. */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A number in [-1, 1), the same sequence in every run. */
static inline double check_random(void) {
  static uint64_t state = 2026;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-52 - 1.0;
}

static inline double check_distance(int64_t n, const double complex *got, const double complex *right) {
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < n; i++) {
    difference += pow(cabs(got[i] - right[i]), 2);
    norm += pow(cabs(right[i]), 2);
  }
  return sqrt(difference / norm);
}

/* Prints the error and returns the program's exit code: 1 where it is above the limit, or NaN. */
static inline int check_report(const char *what, double error, double limit) {
  printf("%s: relative error %.1e, at most %.1e asked\n", what, error, limit);
  return error <= limit ? 0 : 1;
}
#endif
