/* The clock. */
#ifndef OG_BASE_TIMER_H
#define OG_BASE_TIMER_H
/* Seconds of a monotonic clock. */
double og_timer_now(void);
/* Adds the time since *since to *total and moves *since on. */
void og_timer_lap(double *since, double *total);
#endif
