/* The clock. */
#ifndef OG_BASE_TIMER_H
#define OG_BASE_TIMER_H
/* Seconds of a monotonic clock. */
double og_timer_now(void);
#endif
