/* One spreading window, measured: its error in a transform and its cost. */
#ifndef CLI_WINDOW_MEASURE_H
#define CLI_WINDOW_MEASURE_H

#include "offgrid.h"

#define WINDOW_MODES 240 /* of the 1-D transform whose error is measured */

typedef struct window_entry {
  const char *name;
  int width, degree;
  double sigma, shape;
  double bound;                 /* relative l2 error by aliasing, 1-D */
  double error;                 /* measured: type 1 against the direct sum */
  double profile[WINDOW_MODES]; /* error of each mode, relative to the root mean square of all */
  double nanoseconds;           /* 1-D spreading per point, one thread */
  og_window_handle handle;      /* owned */
} window_entry;

/* Fills *e and measures. shape 0: the best known; optimised: the best found by search. Kinds of one fixed width take
 * that. On error nothing is left to free. */
int window_measure(window_entry *e, const char *name, int width, double sigma, double shape, int optimised);
void window_entry_free(window_entry *e);
#endif
