/* What a batched 1-D FFT engine offers: three calls (lines_create, lines_execute, lines_destroy of backends/backend.h),
 * described by these two structs. The engine lives with its backend (backends/cpu/lines_fftw.c). */
#ifndef OG_FFT_LINES_H
#define OG_FFT_LINES_H
#include "base/grid.h"

typedef enum { OG_LINES_C2C, OG_LINES_R2C, OG_LINES_C2R } og_lines_kind;

typedef struct og_lines_setup og_lines_setup;
typedef struct og_lines_pass og_lines_pass;

/* One kind of line: what the engine plans for. */
struct og_lines_setup {
  og_lines_kind kind; /* R2C and C2R only along x, in place in the padded row */
  int sign;           /* exponent sign of C2C */
  int precision;
  int64_t n;       /* points of a line */
  int64_t stride;  /* between its points, in complex cells (1 along x) */
  int64_t columns; /* lines that lie side by side (kept cells along x), so that an engine can choose its block */
  int64_t lines;   /* of the whole pass, so that planning effort stays in proportion */
  int planning;    /* OG_FFT_AUTO, OG_FFT_ESTIMATE, OG_FFT_MEASURE */
  int threads;
  void *memory; /* a grid of the layout, free to be overwritten while planning */
  size_t bytes;
};

/* [begin, end) */
typedef struct og_range {
  int64_t begin, end;
} og_range;

/* The lines of one pass: those whose two other coordinates lie in the given ranges (at most two each: the low and the
 * high end of the kept modes). Along x: `side` is y. Along y or z: `side` is x, contiguous; ranges are disjoint. */
struct og_lines_pass {
  int n_side, n_outer;
  og_range side[2], outer[2];
  int64_t side_stride, outer_stride; /* complex cells (for R2C and C2R too) */
  og_range gap;  /* points of each line that hold no data before the transform: taken as 0, whatever memory has there */
  og_range skip; /* points of each line that nobody wants after it: the engine may leave anything there */
};
#endif
