/* One problem for `offgrid tune`, and how long a configuration of a device's kernels takes for it. */
#ifndef CLI_TUNE_MEASURE_H
#define CLI_TUNE_MEASURE_H

#include "offgrid.h"

/* 0 is the method's own choice, "auto" the library's. */
typedef struct tune_parameters {
  const char *method;
  int bin[3], team;
  int64_t work_points;
} tune_parameters;

typedef struct tune_problem {
  const char *backend;
  int number;       /* of the device */
  const char *lock; /* a file locked while times are taken, or NULL */
  int ndim, width, precision, values;
  double density;
  int64_t n[3], n_points;
  char device[128];                                       /* its name, known after a measurement */
  void *x[3], *strengths, *grid, *results, *reference[2]; /* [0] of spreading, [1] of interpolation, by the defaults */
  int has_reference[2];
} tune_problem;

/* Uniform random points at that density on about `cells` cells; the description is filled in before. */
int tune_problem_open(tune_problem *p, double cells);
void tune_problem_close(tune_problem *p);

/* Nanoseconds per point of spreading (interp = 0) or interpolation with these parameters; with interpolation, spreading's
 * are `spread`. The first measurement of either kind must be that of the defaults (spread = parameters = NULL): its
 * results are those that others are compared with. INFINITY where a configuration is refused, fails or has other results;
 * only the defaults' own failure is an error. */
int tune_measure(tune_problem *p, int interp, const tune_parameters *spread, const tune_parameters *parameters,
                 double *nanoseconds);
#endif
