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
    if (s->pieces[i].rank == rank) {
      s->own = s->n_own++ ? s->own : i;
      continue;
    }
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

static void take(char *to, const char *from, size_t bytes, size_t add) {
  if (add)
    add_reals(to, from, bytes, add);
  else
    memcpy(to, from, bytes);
}

static char *row_at(const og_view *v, int64_t y, int64_t z) {
  return v->memory +
         (og_axis_at(&v->axis[2], z) * v->stride[2] + og_axis_at(&v->axis[1], y) * v->stride[1]) * (int64_t)v->cell;
}

/* The cells of a row from x = lower to upper lie in at most two runs: the end of the first. */
static int64_t run_end(const og_axis *axis, int64_t lower, int64_t upper) {
  return lower < axis->turn && axis->turn < upper ? axis->turn : upper;
}

static char *cell_at(const og_view *v, char *row, int64_t x) {
  return row + og_axis_at(&v->axis[0], x) * (int64_t)v->cell;
}

/* The pieces of the side that are others', one after the other: into the buffer, or from there. */
static void walk(const og_side *s, const og_view *v, char *buffer, int packing, size_t add) {
  for (int64_t i = 0; i < s->n_pieces; i++) {
    const og_box *b = &s->pieces[i].box;
    if (s->n_own && i >= s->own && i < s->own + s->n_own)
      continue;
    for (int64_t z = b->lower[2]; z < b->upper[2]; z++)
      for (int64_t y = b->lower[1]; y < b->upper[1]; y++)
        for (int64_t x = b->lower[0], end; x < b->upper[0]; x = end) {
          end = run_end(&v->axis[0], x, b->upper[0]);
          const size_t bytes = (size_t)(end - x) * v->cell;
          char *cells = cell_at(v, row_at(v, y, z), x);
          if (packing)
            memcpy(buffer, cells, bytes);
          else
            take(cells, buffer, bytes, add);
          buffer += bytes;
        }
  }
}

/* A piece that stays, of which both sides have their own coordinates. */
static void copy_own(const og_box *a, const og_view *from, const og_box *b, const og_view *to, size_t add) {
  const int64_t dy = b->lower[1] - a->lower[1], dz = b->lower[2] - a->lower[2];
  for (int64_t z = a->lower[2]; z < a->upper[2]; z++)
    for (int64_t y = a->lower[1]; y < a->upper[1]; y++)
      for (int64_t x = a->lower[0], end; x < a->upper[0]; x = end) {
        end = run_end(&to->axis[0], x, run_end(&from->axis[0], x, a->upper[0]));
        take(cell_at(to, row_at(to, y + dy, z + dz), x), cell_at(from, row_at(from, y, z), x),
             (size_t)(end - x) * from->cell, add);
      }
}

int64_t og_move_run(const og_move *move, og_comm *comm, int backward, size_t add, const og_view *giver,
                    const og_view *taker, char *out, char *in) {
  const og_side *from = backward ? &move->taking : &move->giving, *to = backward ? &move->giving : &move->taking;
  const og_view *source = backward ? taker : giver, *goal = backward ? giver : taker;
  walk(from, source, out, 1, 0);
  const int64_t sent = og_comm_start(comm, from->n_parcels, from->parcels, out, to->n_parcels, to->parcels, in);
  for (int64_t i = 0; i < from->n_own; i++)
    copy_own(&from->pieces[from->own + i].box, source, &to->pieces[to->own + i].box, goal, add);
  og_comm_finish(comm);
  walk(to, goal, in, 0, add);
  return sent;
}
