/* One line too long for the cache, in place, by all threads: see lines_long.c. */
#ifndef OG_CPU_LINES_LONG_H
#define OG_CPU_LINES_LONG_H
#include "cpu/fftw_plan.h"

typedef struct og_long_line og_long_line;

/* 1 where n (for real kinds n / 2) splits well enough: r r m with rows of r m points that fit a cache. */
int og_long_line_suits(og_lines_kind kind, int64_t n, int precision);

int og_long_line_create_f64(og_lines_kind kind, int64_t n, int sign, og_fftw_effort effort, int threads,
                            og_long_line **line) OG_MUST_CHECK;
int og_long_line_create_f32(og_lines_kind kind, int64_t n, int sign, og_fftw_effort effort, int threads,
                            og_long_line **line) OG_MUST_CHECK;
/* gap, skip: as in og_lines_pass. cells: 16-byte aligned or not. */
void og_long_line_execute_f64(const og_long_line *line, og_range gap, og_range skip, void *cells);
void og_long_line_execute_f32(const og_long_line *line, og_range gap, og_range skip, void *cells);
void og_long_line_destroy_f64(og_long_line *line);
void og_long_line_destroy_f32(og_long_line *line);
#endif
