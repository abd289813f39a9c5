/* The kept cells of a line are k mod n of the modes, the gap is the rest, and passes visit exactly the lines that carry
 * data. */
#include "grids.h"

static void line(int64_t n, int64_t n_modes, int half) {
  char kept[64] = {0}, want[64] = {0};
  og_range r[2];
  int64_t cells = half ? n / 2 + 1 : n, count = 0;
  test_case("n=%lld N=%lld half=%d", (long long)n, (long long)n_modes, half);
  int n_ranges = og_prune_kept(n, n_modes, half, r);
  og_range gap = og_prune_gap(n, n_modes, half);
  CHECK(n_ranges == 1 || n_ranges == 2, "%d ranges", n_ranges);
  for (int i = 0; i < n_ranges; i++) {
    CHECK(r[i].begin < r[i].end && r[i].begin >= 0 && r[i].end <= cells, "range %d empty or outside", i);
    for (int64_t c = r[i].begin; c < r[i].end; c++)
      kept[c]++;
  }
  for (int64_t k = half ? 0 : -(n_modes / 2); k < (half ? n_modes / 2 + 1 : n_modes - n_modes / 2); k++)
    want[(k + n) % n]++;
  for (int64_t c = 0; c < cells; c++) {
    CHECK(kept[c] == want[c], "cell %lld kept %d times, want %d", (long long)c, kept[c], want[c]);
    CHECK((c >= gap.begin && c < gap.end) == !want[c], "cell %lld is wrongly in or out of the gap", (long long)c);
    count += kept[c];
  }
  CHECK(count == (half ? n_modes / 2 + 1 : n_modes), "%lld cells", (long long)count);
}

/* Each line of the pass once, and it carries data: its coordinates before dim are kept ones. */
static void pass_of(const og_grid *g, const int64_t *n_modes, int dim, int backward) {
  int64_t half = g->values == OG_REAL ? 2 : 1, cells = (int64_t)(g->bytes / og_value_bytes(g->precision, OG_COMPLEX));
  int *seen = test_keep(calloc((size_t)cells, sizeof *seen)), *want = test_keep(calloc((size_t)cells, sizeof *want));
  int64_t list[3][64], n[3], lines = 1, found = 0;
  og_lines_pass p;
  og_prune_pass(g, n_modes, dim, backward, &p);
  for (int d = 0; d < 3; d++) {
    n[d] = d < dim ? grid_kept(g, n_modes, d, list[d]) : d == dim ? 1 : g->n[d];
    if (d >= dim)
      for (int64_t i = 0; i < n[d]; i++)
        list[d][i] = i;
    lines *= n[d];
  }
  for (int64_t i = 0; i < lines; i++)
    want[list[0][i % n[0]] + list[1][i / n[0] % n[1]] * g->stride[1] / half +
         list[2][i / n[0] / n[1]] * g->stride[2] / half]++;
  for (int o = 0; o < p.n_outer; o++)
    for (int64_t io = p.outer[o].begin; io < p.outer[o].end; io++)
      for (int s = 0; s < p.n_side; s++)
        for (int64_t is = p.side[s].begin; is < p.side[s].end; is++, found++)
          seen[io * p.outer_stride + is * p.side_stride]++;
  CHECK(found == lines && og_prune_pass_lines(&p) == lines, "%lld lines visited, want %lld", (long long)found,
        (long long)lines);
  CHECK(!memcmp(seen, want, (size_t)cells * sizeof *seen), "dim %d: the wrong lines", dim);
  og_range gap = og_prune_gap(g->n[dim], n_modes[dim], dim == 0 && g->values == OG_REAL);
  og_range used = backward ? p.gap : p.skip, none = backward ? p.skip : p.gap;
  CHECK(used.begin == gap.begin && used.end == gap.end && none.begin == none.end, "dim %d: the wrong gap", dim);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "Pruning keeps the cells k mod n, and its passes visit the lines that carry data, each once.");
  for (int64_t n = 1; n <= 21; n++)
    for (int64_t n_modes = 1; n_modes <= n; n_modes++)
      for (int half = 0; half < 2; half++)
        line(n, n_modes, half);
  for (int i = 0; i < 200; i++) {
    int ndim = 1 + i % 3;
    int64_t n[3] = {1, 1, 1}, n_modes[3] = {1, 1, 1};
    for (int d = 0; d < ndim; d++) {
      n[d] = test_integer(1, 11);
      n_modes[d] = test_integer(1, n[d]);
    }
    FOR_VALUES(v) {
      og_grid g = grid_make(ndim, n, OG_F64, v, i % 4);
      test_case("%dd %lldx%lldx%lld %s", ndim, (long long)n[0], (long long)n[1], (long long)n[2], test_values_name[v]);
      for (int dim = 0; dim < ndim; dim++)
        for (int backward = 0; backward < 2; backward++)
          pass_of(&g, n_modes, dim, backward);
      test_free();
    }
  }
  return test_end();
}
