/* Moving boxes between the stages' memories: pieces packed once per neighbour, sent, and unpacked or added. */
#ifndef OG_MPI_MOVE_H
#define OG_MPI_MOVE_H
#include "mpi/comm.h"
#include "mpi/layout.h"

/* Where an index of a box lies along one dimension: at index + low below `turn`, at index + high from there. */
typedef struct og_axis {
  int64_t turn, low, high;
} og_axis;

static inline int64_t og_axis_at(const og_axis *axis, int64_t i) {
  return i + (i < axis->turn ? axis->low : axis->high);
}

typedef struct og_view {
  char *memory;
  size_t cell; /* bytes */
  int64_t stride[3];
  og_axis axis[3];
} og_view;

/* Pieces that stay on their rank are in no parcel. */
typedef struct og_side {
  int64_t n_pieces, own, n_own, n_parcels; /* own: the first of those that stay */
  og_piece *pieces;
  og_parcel *parcels;
  size_t bytes;
} og_side;

typedef struct og_move {
  og_side giving, taking;
} og_move;

int og_move_create(og_move *move, og_comm *comm, const og_layout *l, int which, size_t cell) OG_MUST_CHECK;
void og_move_destroy(og_move *move);
/* Bytes that each of the two buffers below needs. */
size_t og_move_bytes(const og_move *move);
/* Forward from giver to taker, backward from taker to giver. add: 0 to copy, else a precision's bytes: adds reals. */
int64_t og_move_run(const og_move *move, og_comm *comm, int backward, size_t add, const og_view *giver,
                    const og_view *taker, char *out, char *in);
#endif
