/* Adjacent columns of complex cells, gathered as contiguous lines. */
#ifndef OG_CPU_COLUMNS_H
#define OG_CPU_COLUMNS_H
#include "fft/lines.h"

/* Points `r` of `columns` adjacent columns to the same points of lines, and back. grid: the first column's point 0;
 * stride between its points and pitch between lines in bytes. */
void og_columns_gather(int precision, const char *grid, size_t stride, char *lines, size_t pitch, int columns,
                       og_range r);
void og_columns_scatter(int precision, char *grid, size_t stride, const char *lines, size_t pitch, int columns,
                        og_range r);
#endif
