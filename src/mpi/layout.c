/* Boxes of the stages, and their intersections. */
#include "mpi/layout.h"

#include <math.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

void og_layout_split(int64_t n, int parts, int i, int64_t *lower, int64_t *upper) {
  const int64_t each = n / parts, more = n % parts;
  *lower = i * each + least(i, more);
  *upper = *lower + each + (i < more);
}

int og_layout_part(int64_t n, int parts, int64_t index) {
  const int64_t each = n / parts, more = n % parts, large = more * (each + 1);
  return (int)(index < large ? index / (each + 1) : more + (index - large) / each);
}

int og_layout_ranks(const og_layout *l) { return l->parts[0] * l->parts[1]; }

int64_t og_box_cells(const og_box *box) {
  int64_t cells = 1;
  for (int d = 0; d < 3; d++)
    cells *= most(0, box->upper[d] - box->lower[d]);
  return cells;
}

static og_box whole(int64_t x, int64_t y, int64_t z) { return (og_box){{0, 0, 0}, {x, y, z}}; }

/* Cuts dimension d of a box that starts at 0 for the rank: along = 0 by P1, 1 by P2. */
static void cut(const og_layout *l, int rank, int along, int d, og_box *box) {
  const int i = along ? rank / l->parts[0] : rank % l->parts[0];
  og_layout_split(box->upper[d], l->parts[along], i, &box->lower[d], &box->upper[d]);
}

og_box og_layout_grid(const og_layout *l, int rank) {
  og_box box = whole(l->n[0], l->n[1], l->n[2]);
  cut(l, rank, 0, 1, &box);
  cut(l, rank, 1, 2, &box);
  return box;
}

og_box og_layout_spread(const og_layout *l, int rank) {
  og_box box = og_layout_grid(l, rank);
  for (int d = 1; d < 3; d++)
    if (l->parts[d - 1] > 1 && box.upper[d] > box.lower[d]) /* a dimension that is not cut is periodic by itself */
      box.upper[d] += l->width - 1;
  return box;
}

og_box og_layout_lines(const og_layout *l, int rank) {
  og_box box = og_layout_grid(l, rank);
  box.upper[0] = l->kept[0];
  return box;
}

og_box og_layout_middle(const og_layout *l, int rank) {
  og_box box = whole(l->kept[0], l->n[1], l->n[2]);
  cut(l, rank, 0, 0, &box);
  cut(l, rank, 1, 2, &box);
  return box;
}

og_box og_layout_last(const og_layout *l, int rank) {
  og_box box = whole(l->kept[0], l->kept[1], l->n[2]);
  cut(l, rank, 0, 0, &box);
  cut(l, rank, 1, 1, &box);
  return box;
}

og_box og_layout_modes(const og_layout *l, int rank) {
  og_box box = og_layout_last(l, rank);
  box.upper[2] = l->kept[2];
  return box;
}

static int meet(const og_box *a, const og_box *b, og_box *both) {
  for (int d = 0; d < 3; d++) {
    both->lower[d] = most(a->lower[d], b->lower[d]);
    both->upper[d] = least(a->upper[d], b->upper[d]);
  }
  return og_box_cells(both) > 0;
}

static og_box shifted(og_box box, const int64_t by[3]) {
  for (int d = 0; d < 3; d++) {
    box.lower[d] += by[d];
    box.upper[d] += by[d];
  }
  return box;
}

/* What `giver` gives to `taker`: at most four pieces of the halo (as they are, or wrapped in y, z or both), else one. */
static int between(const og_layout *l, int move, int giver, int taker, int giving, og_box piece[4]) {
  int count = 0;
  if (move != OG_MOVE_HALO) {
    og_box from = move == OG_MOVE_FIRST ? og_layout_lines(l, giver) : og_layout_middle(l, giver);
    og_box to = move == OG_MOVE_FIRST ? og_layout_middle(l, taker) : og_layout_last(l, taker);
    if (move == OG_MOVE_SECOND)
      from.upper[1] = l->kept[1]; /* the y of middle is kept cells by now */
    return meet(&from, &to, piece);
  }
  const og_box from = og_layout_spread(l, giver), to = og_layout_grid(l, taker);
  for (int wrap = 0; wrap < 4; wrap++) {
    if (giver == taker && !wrap)
      continue;
    const int64_t by[3] = {0, wrap & 1 ? l->n[1] : 0, wrap & 2 ? l->n[2] : 0}, back[3] = {0, -by[1], -by[2]};
    const og_box there = shifted(to, by);
    if (meet(&from, &there, &piece[count])) {
      if (!giving)
        piece[count] = shifted(piece[count], back);
      count++;
    }
  }
  return count;
}

int64_t og_layout_pieces(const og_layout *l, int move, int rank, int giving, og_piece *pieces) {
  int64_t count = 0;
  for (int other = 0; other < og_layout_ranks(l); other++) {
    og_box box[4];
    const int found = between(l, move, giving ? rank : other, giving ? other : rank, giving, box);
    for (int i = 0; i < found; i++, count++)
      if (pieces)
        pieces[count] = (og_piece){other, box[i]};
  }
  return count;
}

/* Words that leave their rank, about. */
static double words_moved(const og_layout *l, int words) {
  const double x = (double)l->n[0], y = (double)l->n[1], z = (double)l->n[2], kept_x = (double)l->kept[0],
               kept_y = (double)l->kept[1], p1 = l->parts[0], p2 = l->parts[1], halo = l->width - 1;
  const double rows = (p1 > 1 ? y + p1 * halo : y) * (p2 > 1 ? z + p2 * halo : z) - y * z;
  return words * x * rows + 2 * kept_x * z * (y * (1 - 1 / p1) + kept_y * (1 - 1 / p2));
}

void og_layout_choose(og_layout *l, int ranks, int words) {
  int best = 1;
  double least_words = HUGE_VAL;
  for (int p1 = 1; p1 <= ranks; p1++) {
    if (ranks % p1 || (l->ndim == 2 && p1 != ranks))
      continue;
    l->parts[0] = p1;
    l->parts[1] = ranks / p1;
    /* ranks without rows only where nothing else is left */
    const double idle = l->n[1] < p1 || l->n[2] < ranks / p1 || l->kept[0] < p1 || l->kept[1] < ranks / p1 ? 1e6 : 1;
    const double moved = idle * (1 + words_moved(l, words));
    if (moved < least_words) {
      best = p1;
      least_words = moved;
    }
  }
  l->parts[0] = best;
  l->parts[1] = ranks / best;
}
