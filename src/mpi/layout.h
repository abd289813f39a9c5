/* Who owns what in a distributed transform: boxes of every stage and the pieces that go from rank to rank between them. Index
 * algebra only: no memory, no communication, any number of ranks.
 *
 *   spread   x whole, y in P1 blocks, z in P2 blocks, each with the rows above that its points reach (the halo)
 *   grid     the same without the halo           space: cells of the fine grid
 *   lines    the same after the FFT along x      space: kept x, cells of y and z
 *   middle   x in P1 blocks, y whole             space: kept x, cells of y and z
 *   last     x in P1 blocks, y in P2 blocks, z whole   space: kept x and y, cells of z
 *   modes    as last, kept z. In two dimensions P2 = 1, and the modes follow middle.
 *
 * Kept coordinates are indices of the modes array. Rank r sits at (r mod P1, r / P1). */
#ifndef OG_MPI_LAYOUT_H
#define OG_MPI_LAYOUT_H
#include <stddef.h>
#include <stdint.h>

typedef struct og_box {
  int64_t lower[3], upper[3]; /* half-open, x first */
} og_box;

typedef struct og_layout {
  int ndim;
  int parts[2];          /* P1, P2 */
  int width;             /* of the window */
  int64_t n[3], kept[3]; /* cells, modes held; 1 in absent dimensions */
} og_layout;

/* Part i of 0 ... n - 1 in `parts` nearly equal blocks, and the part that holds an index. */
void og_layout_split(int64_t n, int parts, int i, int64_t *lower, int64_t *upper);
int og_layout_part(int64_t n, int parts, int64_t index);

int og_layout_ranks(const og_layout *l);
og_box og_layout_spread(const og_layout *l, int rank); /* not wrapped: y and z may pass n */
og_box og_layout_grid(const og_layout *l, int rank);
og_box og_layout_lines(const og_layout *l, int rank);
og_box og_layout_middle(const og_layout *l, int rank);
og_box og_layout_last(const og_layout *l, int rank);
og_box og_layout_modes(const og_layout *l, int rank);
int64_t og_box_cells(const og_box *box); /* 0 where empty */

enum { OG_MOVE_HALO, OG_MOVE_FIRST, OG_MOVE_SECOND, OG_MOVES };

/* What one rank gives to another (or to itself), in the giver's or the taker's coordinates. They differ in the halo only,
 * where the giver's pass n. */
typedef struct og_piece {
  int rank; /* the other one */
  og_box box;
} og_piece;

/* The pieces of a move, by the other's rank; both sides list the pieces of a pair in the same order. Forward (type 1):
 * giving = 1 is what this rank sends. pieces NULL: only counts. */
int64_t og_layout_pieces(const og_layout *l, int move, int rank, int giving, og_piece *pieces);

/* P1 and P2 with P1 P2 = ranks that move the fewest words in both transposes and the halo. words: 1 for real cells on the
 * grid, 2 for complex ones. */
void og_layout_choose(og_layout *l, int ranks, int words);
#endif
