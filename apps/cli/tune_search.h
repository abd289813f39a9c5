/* Bayesian optimisation of a device's parameters for one problem. */
#ifndef CLI_TUNE_SEARCH_H
#define CLI_TUNE_SEARCH_H

#include "tune_measure.h"

enum { TUNE_MOST_TRIALS = 300 };

typedef struct tune_result {
  tune_parameters best;
  double tuned_ns, default_ns; /* equal where nothing was faster than the library's choice, and best is that; of
                                * interpolation in the bins of a tuned spreading, tuned_ns may be the larger */
  int trials, failed;
} tune_result;

/* until: seconds(); at least one trial is made. spread: of an earlier search with interp = 0. */
int tune_search(tune_problem *p, int interp, const tune_parameters *spread, int trials, double until, uint64_t seed,
                const char *name, tune_result *result);
#endif
