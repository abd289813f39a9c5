/* The boxes of a distributed transform for up to 4096 ranks, without starting any: each stage's boxes tile its space, the
 * pieces of every move tile what is given and what is taken, and both sides list the same ones. */
#include "common/test.h"
#include "mpi/layout.h"

typedef og_box (*box_of)(const og_layout *l, int rank);

/* Disjoint boxes that together hold as many cells as the whole are a tiling; disjointness is tested where it is cheap. */
static void tiling(const og_layout *l, box_of box, const char *name, const int64_t n[3]) {
  int64_t sum = 0, overlaps = 0, outside = 0;
  const int ranks = og_layout_ranks(l);
  for (int a = 0; a < ranks; a++) {
    const og_box x = box(l, a);
    sum += og_box_cells(&x);
    for (int d = 0; d < 3; d++)
      outside += x.lower[d] < 0 || x.upper[d] > n[d] || x.lower[d] > x.upper[d];
    for (int b = a + 1; b < ranks && b < a + 200; b++) {
      const og_box y = box(l, b);
      og_box both;
      for (int d = 0; d < 3; d++) {
        both.lower[d] = x.lower[d] > y.lower[d] ? x.lower[d] : y.lower[d];
        both.upper[d] = x.upper[d] < y.upper[d] ? x.upper[d] : y.upper[d];
      }
      overlaps += og_box_cells(&both) > 0;
    }
  }
  CHECK(sum == n[0] * n[1] * n[2], "%s: boxes hold %lld cells", name, (long long)sum);
  CHECK(!overlaps && !outside, "%s: %lld overlaps, %lld outside", name, (long long)overlaps, (long long)outside);
}

static int64_t volume(const og_piece *p, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += og_box_cells(&p[i].box);
  return sum;
}

/* Of one rank: what it gives is what its box holds, and each taker lists the same pieces in the same order. */
static void pieces(const og_layout *l, int move, int rank) {
  static og_piece mine[4 * 4096], theirs[4 * 4096];
  const int64_t n = og_layout_pieces(l, move, rank, 1, mine);
  CHECK(n == og_layout_pieces(l, move, rank, 1, NULL), "counting and listing differ");
  og_box all = move == OG_MOVE_FIRST ? og_layout_lines(l, rank) : og_layout_middle(l, rank);
  if (move == OG_MOVE_SECOND)
    all.upper[1] = l->kept[1];
  int64_t given = og_box_cells(&all);
  if (move == OG_MOVE_HALO) { /* a stencil that starts in the last row reaches width - 1 rows further */
    const og_box own = og_layout_grid(l, rank);
    const int64_t y = own.upper[1] - own.lower[1], z = own.upper[2] - own.lower[2],
                  more_y = l->parts[0] > 1 ? l->width - 1 : 0, more_z = l->parts[1] > 1 ? l->width - 1 : 0;
    given = y && z ? l->n[0] * ((y + more_y) * (z + more_z) - y * z) : 0;
  }
  CHECK(volume(mine, n) == given, "move %d: rank %d gives %lld cells, want %lld", move, rank,
        (long long)volume(mine, n), (long long)given);
  for (int64_t i = 0; i < n;) {
    int64_t end = i, at = 0;
    while (end < n && mine[end].rank == mine[i].rank)
      end++;
    const int64_t m = og_layout_pieces(l, move, mine[i].rank, 0, theirs);
    while (at < m && theirs[at].rank < rank)
      at++;
    for (; i < end; i++, at++) {
      int same = at < m && theirs[at].rank == rank;
      for (int d = 0; same && d < 3; d++) {
        const int64_t gap = mine[i].box.lower[d] - theirs[at].box.lower[d];
        same = gap == mine[i].box.upper[d] - theirs[at].box.upper[d] && (gap == 0 || (d && gap == l->n[d]));
      }
      CHECK(same, "move %d: the %lld-th piece from %d to %d is not the same on both sides", move, (long long)i, rank,
            mine[end - 1].rank);
    }
    CHECK(at == m || theirs[at].rank != rank, "the taker expects more");
  }
}

static void layout(og_layout l, int ranks) {
  if (!l.parts[0])
    og_layout_choose(&l, ranks, 2);
  test_case("%d-D, %lld x %lld x %lld cells, width %d, %d x %d ranks", l.ndim, (long long)l.n[0], (long long)l.n[1],
            (long long)l.n[2], l.width, l.parts[0], l.parts[1]);
  CHECK(og_layout_ranks(&l) == ranks, "%d ranks", og_layout_ranks(&l));
  const int64_t lines[3] = {l.kept[0], l.n[1], l.n[2]}, last[3] = {l.kept[0], l.kept[1], l.n[2]};
  tiling(&l, og_layout_grid, "grid", l.n);
  tiling(&l, og_layout_lines, "lines", lines);
  tiling(&l, og_layout_middle, "middle", lines);
  tiling(&l, og_layout_last, "last", last);
  tiling(&l, og_layout_modes, "modes", l.kept);
  const int step = ranks > 64 ? ranks / 7 : 1;
  for (int rank = 0; rank < ranks; rank += step)
    for (int move = 0; move < (l.ndim == 2 ? OG_MOVE_SECOND : OG_MOVES); move++)
      pieces(&l, move, rank);
  for (int i = 0; i < 50; i++) {
    const int64_t at = (int64_t)(test_bits() % (uint64_t)l.n[1]);
    int64_t lower, upper;
    og_layout_split(l.n[1], l.parts[0], og_layout_part(l.n[1], l.parts[0], at), &lower, &upper);
    CHECK(lower <= at && at < upper, "row %lld is in no part", (long long)at);
  }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "boxes of the stages, pieces between them");
  for (int ranks = 1; ranks <= 4096; ranks = ranks < 17 ? ranks + 1 : ranks * 2 - ranks % 3) {
    layout((og_layout){.ndim = 3, .width = 7, .n = {40, 45, 36}, .kept = {20, 23, 18}}, ranks);
    layout((og_layout){.ndim = 2, .width = 5, .n = {64, 81, 1}, .kept = {33, 40, 1}}, ranks);
    layout((og_layout){.ndim = 3, .width = 12, .n = {1024, 1000, 720}, .kept = {512, 500, 360}}, ranks);
    layout((og_layout){.ndim = 3, .width = 16, .n = {40, 34, 36}, .kept = {20, 20, 1}, .parts = {1, ranks}}, ranks);
  }
  layout((og_layout){.ndim = 3, .width = 9, .n = {1024, 1024, 1024}, .kept = {512, 512, 512}, .parts = {64, 64}}, 4096);
  return test_end();
}
