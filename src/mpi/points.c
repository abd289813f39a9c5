/* A point belongs to the rank whose block holds the start of its stencil. Its place is computed once, by its giver: the
 * owner gets coordinates in cells of its own block, in which folding is exact, so that both see the same start. */
#include "mpi/points.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static double coordinate(const void *x, int precision, int64_t j) {
  return precision == OG_F32 ? (double)((const float *)x)[j] : ((const double *)x)[j];
}

/* The nearest integer, for |x| < 2^51: no call in the loop over points. */
static double nearest(double x) {
  const double shift = 0x1.8p52;
  return (x + shift) - shift;
}

/* x less its whole turns. Near: turns times the period's halves are exact, and so is x minus the former. */
static double rest_of(const og_fold *f, double x) {
  if (fabs(x) < f->far) {
    const double turns = nearest(x / f->period);
    return ((x - turns * f->high) - turns * f->low) - turns * f->rest;
  }
  if (fabs(x / f->period) > 0x1p50) /* no digit of the place is left but what the remainder says */
    x = remainder(x, f->period);
  const double turns = rint(x / f->period);
  return fma(-turns, f->rest, fma(-turns, f->period, x));
}

/* In cells, in [0, n). */
static double folded(const og_fold *f, double x) {
  double g = rest_of(f, x) * f->cells_per;
  if (g < 0)
    g += f->n;
  return g < f->n ? g : 0;
}

og_fold og_fold_make(double period, int64_t n) {
  const double two_pi = 6.283185307179586476925;
  int exponent;
  const double digits = frexp(period, &exponent), high = ldexp(rint(ldexp(digits, 26)), exponent - 26);
  return (og_fold){.period = period,
                   .high = high,
                   .low = period - high,
                   .rest = period == two_pi ? 2.4492935982947064e-16 : 0, /* 2 pi minus the double nearest to it */
                   .far = 0x1p24 * period,
                   .n = (double)n,
                   .cells_per = (double)n / period};
}

int og_points_place(const og_layout *l, const og_fold fold[3], int precision, const void *const x[3], int64_t j,
                    double local[3], int *owner) {
  int at[2] = {0, 0};
  for (int d = 0; d < l->ndim; d++) {
    const double value = coordinate(x[d], precision, j);
    OG_CHECK(isfinite(value), OG_ERR_POINT, "point %lld has %c = %g: coordinates must be finite", (long long)j,
             "xyz"[d], value);
    double g = folded(&fold[d], value);
    if (d && l->parts[d - 1] > 1) {
      /* g as the stencil's start s >= 0 sees it: from here on, all sums are exact */
      double left = g - 0.5 * l->width;
      if (left <= -1) {
        g += (double)l->n[d];
        left = g - 0.5 * l->width;
      }
      int64_t start = (int64_t)left, lower, upper; /* rounded up: */
      start += (double)start < left;
      at[d - 1] = og_layout_part(l->n[d], l->parts[d - 1], start);
      og_layout_split(l->n[d], l->parts[d - 1], at[d - 1], &lower, &upper);
      g -= (double)lower;
    }
    local[d] = g;
  }
  *owner = at[0] + l->parts[0] * at[1];
  return OG_OK;
}

/* What is needed only while points are set. */
typedef struct trip {
  const og_layout *layout;
  double *place;    /* [n_here][ndim], in the caller's order */
  double *local[3]; /* [n_here], in the order of sending */
  double *apart[3]; /* [n_owned] */
  int *owner;
  int64_t *to, *from, *next; /* [ranks] */
  void *scratch;
} trip;

static void end_trip(trip *t) {
  og_free(t->place);
  for (int d = 0; d < 3; d++) {
    og_free(t->local[d]);
    og_free(t->apart[d]);
  }
  og_free(t->owner);
  og_free(t->to);
  og_free(t->from);
  og_free(t->next);
  og_free(t->scratch);
}

static int reserve_departure(trip *t, og_travel *v, int n_ranks) {
  const size_t ranks = (size_t)n_ranks, n = (size_t)v->n_here, ndim = (size_t)t->layout->ndim;
  t->to = og_allocate_zeroed(og_bytes(ranks, sizeof(int64_t)));
  t->from = og_allocate_zeroed(og_bytes(ranks, sizeof(int64_t)));
  t->next = og_allocate(og_bytes(ranks, sizeof(int64_t)));
  t->owner = og_allocate(og_bytes(n, sizeof *t->owner));
  t->place = og_allocate(og_bytes(n, ndim * sizeof(double)));
  v->order = og_allocate(og_bytes(n, sizeof *v->order));
  OG_CHECK(t->to && t->from && t->next && t->owner && t->place && v->order, OG_ERR_MEMORY,
           "no memory for the way of %zu points", n);
  for (size_t d = 0; d < ndim; d++) {
    t->local[d] = og_allocate(og_bytes(n, sizeof(double)));
    OG_CHECK(t->local[d], OG_ERR_MEMORY, "no memory for the way of %zu points", n);
  }
  return OG_OK;
}

/* Owners, how many go where, and coordinates in the order of sending. */
static int depart(trip *t, og_travel *v, const og_comm *c, const double period[3], int precision, int staying,
                  const void *const x[3]) {
  const int ndim = t->layout->ndim;
  og_fold fold[3];
  OG_TRY(reserve_departure(t, v, c->size));
  for (int d = 0; d < ndim; d++)
    fold[d] = og_fold_make(period[d], t->layout->n[d]);
  for (int64_t j = 0; j < v->n_here; j++) {
    double local[3] = {0, 0, 0};
    OG_TRY(og_points_place(t->layout, fold, precision, x, j, local, &t->owner[j]));
    OG_CHECK(!staying || t->owner[j] == c->rank, OG_ERR_POINT,
             "point %lld belongs to rank %d (see og_mpi_plan_owners): option points_on_owners wants every point there",
             (long long)j, t->owner[j]);
    t->to[t->owner[j]]++;
    for (int d = 0; d < ndim; d++)
      t->place[j * ndim + d] = local[d];
  }
  int64_t sum = 0;
  for (int r = 0; r < c->size; r++) {
    t->next[r] = sum;
    sum += t->to[r];
  }
  for (int64_t j = 0; j < v->n_here; j++) {
    const int64_t at = t->next[t->owner[j]]++;
    v->order[at] = j;
    for (int d = 0; d < ndim; d++)
      t->local[d][at] = t->place[j * ndim + d];
  }
  return OG_OK;
}

static int64_t fill_parcels(const int64_t *counts, int ranks, og_parcel *parcels, int64_t *total) {
  int64_t n = 0;
  *total = 0;
  for (int r = 0; r < ranks; r++) {
    if (counts[r])
      parcels[n++] = (og_parcel){r, (size_t)*total, (size_t)counts[r]};
    *total += counts[r];
  }
  return n;
}

/* Those that stay are one parcel of equal size on both sides. */
static void keep_own(const og_comm *c, int64_t n_out, const og_parcel *out, const char *from, int64_t n_in,
                     const og_parcel *in, char *to) {
  for (int64_t o = 0; o < n_out; o++)
    for (int64_t i = 0; i < n_in && out[o].rank == c->rank; i++)
      if (in[i].rank == c->rank)
        memcpy(to + in[i].offset, from + out[o].offset, out[o].bytes);
}

static int64_t swap(og_travel *v, og_comm *c, size_t bytes, int back, char *out, char *in) {
  for (int64_t i = 0; i < v->n_to + v->n_from; i++) {
    const og_parcel *p = i < v->n_to ? &v->to[i] : &v->from[i - v->n_to];
    v->scaled[i] = (og_parcel){p->rank, p->offset * bytes, p->bytes * bytes};
  }
  const og_parcel *to = v->scaled, *from = v->scaled + v->n_to, *leaving = back ? from : to, *coming = back ? to : from;
  const int64_t n_leaving = back ? v->n_from : v->n_to, n_coming = back ? v->n_to : v->n_from,
                sent = og_comm_start(c, n_leaving, leaving, out, n_coming, coming, in);
  keep_own(c, n_leaving, leaving, out, n_coming, coming, in);
  og_comm_finish(c);
  return sent;
}

/* Room for what comes; value: bytes of a strength. */
static int prepare(trip *t, og_travel *v, og_comm *c, size_t value, int gradient) {
  const size_t ranks = (size_t)c->size, ndim = (size_t)t->layout->ndim;
  v->to = og_allocate(og_bytes(ranks, sizeof *v->to));
  v->from = og_allocate(og_bytes(ranks, sizeof *v->from));
  v->scaled = og_allocate(og_bytes(2 * ranks, sizeof *v->scaled));
  OG_CHECK(v->to && v->from && v->scaled, OG_ERR_MEMORY, "no memory for the points' parcels");
  int64_t unused;
  v->n_to = fill_parcels(t->to, c->size, v->to, &unused);
  v->n_from = fill_parcels(t->from, c->size, v->from, &v->n_owned);
  const size_t here = (size_t)v->n_here, owned = (size_t)v->n_owned;
  v->out = og_allocate(og_bytes(here, value));
  v->in = og_allocate(og_bytes(owned, value));
  v->slopes = gradient ? og_allocate(og_bytes(owned, ndim * value)) : NULL;
  OG_CHECK(v->out && v->in && (v->slopes || !gradient), OG_ERR_MEMORY, "no memory for %zu points that this rank owns",
           owned);
  for (size_t d = 0; d < ndim; d++) {
    t->apart[d] = og_allocate(og_bytes(owned, sizeof(double)));
    OG_CHECK(t->apart[d], OG_ERR_MEMORY, "no memory for %zu points that this rank owns", owned);
  }
  return og_comm_reserve(c, v->n_to + v->n_from, (here + owned) * 2 * sizeof(double));
}

static int arrive(trip *t, og_travel *v, const og_backend *backend, const og_points_setup *setup) {
  size_t resident = 0, scratch = 0;
  if (!v->n_owned)
    return OG_OK; /* its block may have no row */
  OG_TRY(backend->points_create(setup, &v->points));
  OG_TRY(backend->points_bytes(v->points, v->n_owned, &resident, &scratch));
  v->resident = og_allocate(resident);
  t->scratch = og_allocate(scratch);
  OG_CHECK(v->resident && t->scratch, OG_ERR_MEMORY, "no memory for %lld points", (long long)v->n_owned);
  const void *const x[3] = {t->apart[0], t->apart[1], t->apart[2]};
  return backend->points_set(v->points, v->n_owned, x, v->resident, t->scratch);
}

static int travel(trip *t, og_travel *v, og_comm *c, const og_backend *backend, const og_points_setup *setup,
                  const double period[3], int staying, const void *const x[3]) {
  const og_grid *grid = setup->grid;
  OG_TRY(og_comm_agree(c, depart(t, v, c, period, grid->precision, staying, x)));
  og_comm_counts(c, t->to, t->from);
  OG_TRY(og_comm_agree(c, prepare(t, v, c, og_value_bytes(grid->precision, grid->values), setup->gradient)));
  for (int d = 0; d < t->layout->ndim; d++)
    v->bytes_sent += swap(v, c, sizeof(double), 0, (char *)t->local[d], (char *)t->apart[d]);
  return og_comm_agree(c, arrive(t, v, backend, setup));
}

int og_travel_create(og_travel *v, og_comm *c, const og_layout *l, const og_backend *backend,
                     const og_points_setup *setup, const double period[3], int staying, int64_t n,
                     const void *const x[3]) {
  trip t = {.layout = l};
  *v = (og_travel){.n_here = n};
  const int code = travel(&t, v, c, backend, setup, period, staying, x);
  end_trip(&t);
  if (code)
    og_travel_destroy(v, backend);
  return code;
}

void og_travel_destroy(og_travel *v, const og_backend *backend) {
  if (v->points)
    backend->points_destroy(v->points);
  og_free(v->resident);
  og_free(v->order);
  og_free(v->to);
  og_free(v->from);
  og_free(v->scaled);
  og_free(v->out);
  og_free(v->in);
  og_free(v->slopes);
  *v = (og_travel){0};
}

/* Between the caller's order and that of sending; one size at a time, so that a copy is an instruction. */
#define REORDER(size)                                                                                                  \
  for (int64_t i = 0; i < v->n_here; i++)                                                                              \
  memcpy(to + (size_t)(back ? v->order[i] : i) * (size), from + (size_t)(back ? i : v->order[i]) * (size), (size))

static void reorder(const og_travel *v, size_t value, int back, const char *from, char *to) {
  if (value == 16)
    REORDER(16);
  else if (value == 8)
    REORDER(8);
  else
    REORDER(4);
}

int64_t og_travel_there(og_travel *v, og_comm *c, size_t value, const char *strengths, const char **there) {
  reorder(v, value, 0, strengths, v->out);
  *there = v->in;
  return swap(v, c, value, 0, v->out, v->in);
}

int64_t og_travel_back(og_travel *v, og_comm *c, size_t value, char *there, char *values) {
  const int64_t sent = swap(v, c, value, 1, there, v->out);
  if (values)
    reorder(v, value, 1, v->out, values);
  return sent;
}
