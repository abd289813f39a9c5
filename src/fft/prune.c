/* Which lines carry data. In cells, the kept modes of a dimension are its two ends:
 *
 *     0 ... ceil(N/2) - 1 | gap | n - floor(N/2) ... n - 1          (half spectrum: 0 ... floor(N/2) | gap)
 *
 * Forward, the passes go x, y, z, and each prunes its own dimension; backward, z, y, x, and each fills its own. So the
 * lines of one dimension are the same in both directions. */
#include "fft/prune.h"

int og_prune_kept(int64_t n, int64_t n_modes, int half, og_range kept[2]) {
  og_range gap = og_prune_gap(n, n_modes, half);
  int64_t cells = half ? n / 2 + 1 : n;
  if (gap.begin == gap.end) {
    kept[0] = (og_range){0, cells};
    return 1;
  }
  kept[0] = (og_range){0, gap.begin};
  kept[1] = (og_range){gap.end, cells};
  return gap.end < cells ? 2 : 1;
}

og_range og_prune_gap(int64_t n, int64_t n_modes, int half) {
  int64_t low = n_modes / 2;
  return half ? (og_range){low + 1, n / 2 + 1} : (og_range){n_modes - low, n - low};
}

static int full(int64_t n, og_range range[2]) {
  range[0] = (og_range){0, n};
  return 1;
}

void og_prune_pass(const og_grid *grid, const int64_t n_modes[3], int dim, int backward, og_lines_pass *pass) {
  int real = grid->values != 0, side = dim ? 0 : 1, outer = dim == 2 ? 1 : 2;
  og_range gap = og_prune_gap(grid->n[dim], n_modes[dim], real && !dim);
  *pass = (og_lines_pass){0};
  pass->n_side = side < dim ? og_prune_kept(grid->n[side], n_modes[side], real && !side, pass->side)
                            : full(grid->n[side], pass->side);
  pass->n_outer =
      outer < dim ? og_prune_kept(grid->n[outer], n_modes[outer], 0, pass->outer) : full(grid->n[outer], pass->outer);
  pass->side_stride = side ? grid->stride[side] / (real ? 2 : 1) : 1;
  pass->outer_stride = grid->stride[outer] / (real ? 2 : 1);
  *(backward ? &pass->gap : &pass->skip) = gap;
}

int64_t og_prune_pass_lines(const og_lines_pass *pass) {
  int64_t side = 0, outer = 0;
  for (int i = 0; i < pass->n_side; i++)
    side += pass->side[i].end - pass->side[i].begin;
  for (int i = 0; i < pass->n_outer; i++)
    outer += pass->outer[i].end - pass->outer[i].begin;
  return side * outer;
}
