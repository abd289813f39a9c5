/* Nanoseconds of complex lines on one thread: a model, see cost.c. */
#ifndef OG_FFT_COST_H
#define OG_FFT_COST_H
#include <stdint.h>

/* Of the transform of a line of n points in cache, per point. */
double og_cost_of_point(int64_t n, int precision);
#endif
