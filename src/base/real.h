/* The leaf files' precision: each leaf is compiled twice, once with OG_SINGLE defined. OG_P(spread) is spread_f64 or
 * spread_f32. */
#ifndef OG_BASE_REAL_H
#define OG_BASE_REAL_H
#ifdef OG_SINGLE
typedef float real;
#define OG_P(name) name##_f32
#else
typedef double real;
#define OG_P(name) name##_f64
#endif
#endif
