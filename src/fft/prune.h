/* Which lines of the fine grid carry data in each pass of the pruned FFT: index algebra only, no memory. */
#ifndef OG_FFT_PRUNE_H
#define OG_FFT_PRUNE_H
#include "base/grid.h"
#include "fft/lines.h"

/* Cells of a line of n that hold the modes -floor(N/2) ... ceil(N/2) - 1, mode k in cell k mod n; half: of the n/2 + 1
 * cells of a half spectrum, those that hold 0 ... floor(N/2). Fills at most two disjoint ascending ranges, returns how
 * many. 1 <= n_modes <= n. */
int og_prune_kept(int64_t n, int64_t n_modes, int half, og_range kept[2]);

/* The cells between them, that hold no mode; empty where all do. */
og_range og_prune_gap(int64_t n, int64_t n_modes, int half);

/* The lines along `dim` that carry data, in both directions: the dimensions before dim are kept modes only, those after
 * it are full. backward: the line's gap is empty before the pass; forward: nobody wants it afterwards. */
void og_prune_pass(const og_grid *grid, const int64_t n_modes[3], int dim, int backward, og_lines_pass *pass);

int64_t og_prune_pass_lines(const og_lines_pass *pass);
#endif
