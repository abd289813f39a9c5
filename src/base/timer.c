/* The clock: monotonic, so that no adjustment of the time of day shows in a measurement. */
#define _POSIX_C_SOURCE 200809L
#include "base/timer.h"

#include <time.h>

double og_timer_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void og_timer_lap(double *since, double *total) {
  double now = og_timer_now();
  *total += now - *since;
  *since = now;
}
