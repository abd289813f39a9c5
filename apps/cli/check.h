/* The error of a transform, on a sample of its results, against the direct sum: the only truth the command knows. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <stdint.h>

/* One transform as the library was asked for it; coordinates and data in the plan's precision. */
typedef struct check {
  int type, ndim, sign;
  int is_single, is_real;
  int mode_order;
  int64_t n_modes[3]; /* 1 in absent dimensions */
  double period[3];   /* 0: 2 pi */
  int64_t n_points, n_targets;
  const void *x[3], *targets[3];
  /* sums over all calls: the error is sqrt(error2 / norm2) */
  double error2, norm2;
  int64_t samples_done;
} check;

/* How many results can be checked in a second or two, and no fewer than 16. */
int64_t check_samples(const check *c);

/* Compares `samples` random results of one vector: strengths -> modes (type 1), modes -> values (type 2), strengths ->
 * results (type 3). */
int check_vector(check *c, int64_t samples, uint64_t seed, const void *in, const void *out);

/* Relative l2 error of all results compared; 0 where all sums are zero and all results too. */
double check_error(const check *c);

/* A mode's wave numbers, from its place in the modes array. */
void check_mode(const check *c, int64_t place, double k[3]);
int64_t check_modes(const check *c); /* number of modes held */

/* splitmix64: a small generator with a full period, the same on every machine. */
uint64_t random_next(uint64_t *state);
double random_uniform(uint64_t *state); /* [0, 1) */
#endif
