/* Pieces to parcels, rows to buffers and back. */
#include "mpi/move.h"

#include <string.h>

#include "base/memory.h"

static int make_side(og_side *s, const og_layout *l, int which, int rank, int giving, size_t cell) {
  s->n_pieces = og_layout_pieces(l, which, rank, giving, NULL);
  s->pieces = og_allocate(og_bytes((size_t)s->n_pieces + 1, sizeof *s->pieces));
  s->parcels = og_allocate(og_bytes((size_t)s->n_pieces + 1, sizeof *s->parcels));
  OG_CHECK(s->pieces && s->parcels, OG_ERR_MEMORY, "no memory for %lld pieces of an exchange", (long long)s->n_pieces);
  og_layout_pieces(l, which, rank, giving, s->pieces);
  for (int64_t i = 0; i < s->n_pieces; i++) {
    const size_t bytes = (size_t)og_box_cells(&s->pieces[i].box) * cell;
    if (!s->n_parcels || s->parcels[s->n_parcels - 1].rank != s->pieces[i].rank)
      s->parcels[s->n_parcels++] = (og_parcel){s->pieces[i].rank, s->bytes, 0};
    s->parcels[s->n_parcels - 1].bytes += bytes;
    s->bytes += bytes;
  }
  return OG_OK;
}

int og_move_create(og_move *move, og_comm *comm, const og_layout *l, int which, size_t cell) {
  OG_TRY(make_side(&move->giving, l, which, comm->rank, 1, cell));
  OG_TRY(make_side(&move->taking, l, which, comm->rank, 0, cell));
  return og_comm_reserve(comm, move->giving.n_parcels + move->taking.n_parcels,
                         move->giving.bytes + move->taking.bytes);
}

void og_move_destroy(og_move *move) {
  og_side *const sides[2] = {&move->giving, &move->taking};
  for (int i = 0; i < 2; i++) {
    og_free(sides[i]->pieces);
    og_free(sides[i]->parcels);
  }
}

size_t og_move_bytes(const og_move *move) {
  return move->giving.bytes > move->taking.bytes ? move->giving.bytes : move->taking.bytes;
}

static void add_reals(char *to, const char *from, size_t bytes, size_t real) {
  if (real == sizeof(float))
    for (size_t i = 0; i < bytes / sizeof(float); i++)
      ((float *)(void *)to)[i] += ((const float *)(const void *)from)[i];
  else
    for (size_t i = 0; i < bytes / sizeof(double); i++)
      ((double *)(void *)to)[i] += ((const double *)(const void *)from)[i];
}

typedef enum { PACK, UNPACK, ADD } work;

static char *copy_row(const og_view *v, char *row, int64_t lower, int64_t upper, work what, size_t real, char *buffer) {
  while (lower < upper) {
    const int64_t turn = v->axis[0].turn, end = lower < turn && turn < upper ? turn : upper;
    char *cells = row + og_axis_at(&v->axis[0], lower) * (int64_t)v->cell;
    const size_t bytes = (size_t)(end - lower) * v->cell;
    if (what == ADD)
      add_reals(cells, buffer, bytes, real);
    else
      memcpy(what == PACK ? buffer : cells, what == PACK ? cells : buffer, bytes);
    buffer += bytes;
    lower = end;
  }
  return buffer;
}

static void copy_side(const og_side *s, const og_view *v, work what, size_t real, char *buffer) {
  for (int64_t i = 0; i < s->n_pieces; i++) {
    const og_box *b = &s->pieces[i].box;
    for (int64_t z = b->lower[2]; z < b->upper[2]; z++)
      for (int64_t y = b->lower[1]; y < b->upper[1]; y++) {
        const int64_t at = og_axis_at(&v->axis[2], z) * v->stride[2] + og_axis_at(&v->axis[1], y) * v->stride[1];
        buffer = copy_row(v, v->memory + at * (int64_t)v->cell, b->lower[0], b->upper[0], what, real, buffer);
      }
  }
}

int64_t og_move_run(const og_move *move, og_comm *comm, int backward, size_t add, const og_view *giver,
                    const og_view *taker, char *out, char *in) {
  const og_side *from = backward ? &move->taking : &move->giving, *to = backward ? &move->giving : &move->taking;
  copy_side(from, backward ? taker : giver, PACK, 0, out);
  const int64_t sent = og_comm_swap(comm, from->n_parcels, from->parcels, out, to->n_parcels, to->parcels, in);
  copy_side(to, backward ? giver : taker, add ? ADD : UNPACK, add, in);
  return sent;
}
