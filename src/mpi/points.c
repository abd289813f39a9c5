/* A point belongs to the rank whose block holds the start of its stencil. Its place is computed once, by its giver: the
 * owner gets coordinates in cells of its own block, in which folding is exact, so that both see the same start. */
#include "mpi/points.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define TWO_PI 6.283185307179586476925
#define TWO_PI_REST 2.4492935982947064e-16 /* 2 pi minus the double nearest to it */

static double coordinate(const void *x, int precision, int64_t j) {
  return precision == OG_F32 ? (double)((const float *)x)[j] : ((const double *)x)[j];
}

/* In cells, in [0, n). */
static double folded(double x, double period, double n) {
  const double rest = period == TWO_PI ? TWO_PI_REST : 0;
  if (fabs(x / period) > 0x1p50) /* no digit of the place is left but what the remainder says */
    x = remainder(x, period);
  const double turns = rint(x / period), r = fma(-turns, rest, fma(-turns, period, x));
  double g = r * (n / period);
  if (g < 0)
    g += n;
  return g < n ? g : 0;
}

int og_points_place(const og_layout *l, const double period[3], int precision, const void *const x[3], int64_t j,
                    double local[3], int *owner) {
  int at[2] = {0, 0};
  for (int d = 0; d < l->ndim; d++) {
    const double value = coordinate(x[d], precision, j);
    OG_CHECK(isfinite(value), OG_ERR_POINT, "point %lld has %c = %g: coordinates must be finite", (long long)j,
             "xyz"[d], value);
    double g = folded(value, period[d], (double)l->n[d]);
    if (d && l->parts[d - 1] > 1) {
      /* g as the stencil's start s >= 0 sees it: from here on, all sums are exact */
      double start = ceil(g - 0.5 * l->width);
      if (start < 0) {
        g += (double)l->n[d];
        start = ceil(g - 0.5 * l->width);
      }
      int64_t lower, upper;
      at[d - 1] = og_layout_part(l->n[d], l->parts[d - 1], (int64_t)start);
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
  double *local;    /* [n_here][ndim], in the order of sending */
  double *arrived;  /* [n_owned][ndim] */
  double *apart[3]; /* the same by dimension */
  int *owner;
  int64_t *to, *from, *next; /* [ranks] */
  void *scratch;
} trip;

static void end_trip(trip *t) {
  og_free(t->local);
  og_free(t->arrived);
  for (int d = 0; d < 3; d++)
    og_free(t->apart[d]);
  og_free(t->owner);
  og_free(t->to);
  og_free(t->from);
  og_free(t->next);
  og_free(t->scratch);
}

/* Owners, and how many go where. */
static int depart(trip *t, og_travel *v, const og_comm *c, const double period[3], int precision, int staying,
                  const void *const x[3]) {
  const int ndim = t->layout->ndim;
  const size_t ranks = (size_t)c->size, n = (size_t)v->n_here;
  t->to = og_allocate_zeroed(og_bytes(ranks, sizeof(int64_t)));
  t->from = og_allocate_zeroed(og_bytes(ranks, sizeof(int64_t)));
  t->next = og_allocate(og_bytes(ranks, sizeof(int64_t)));
  t->owner = og_allocate(og_bytes(n, sizeof *t->owner));
  t->local = og_allocate(og_bytes(n, (size_t)ndim * sizeof(double)));
  v->order = og_allocate(og_bytes(n, sizeof *v->order));
  OG_CHECK(t->to && t->from && t->next && t->owner && t->local && v->order, OG_ERR_MEMORY,
           "no memory for the way of %zu points", n);
  double local[3];
  for (int64_t j = 0; j < v->n_here; j++) {
    OG_TRY(og_points_place(t->layout, period, precision, x, j, local, &t->owner[j]));
    OG_CHECK(!staying || t->owner[j] == c->rank, OG_ERR_POINT,
             "point %lld belongs to rank %d (see og_mpi_plan_owners): option points_on_owners wants every point there",
             (long long)j, t->owner[j]);
    t->to[t->owner[j]]++;
  }
  int64_t sum = 0;
  for (int r = 0; r < c->size; r++) {
    t->next[r] = sum;
    sum += t->to[r];
  }
  for (int64_t j = 0; j < v->n_here; j++) {
    const int64_t at = t->next[t->owner[j]]++;
    v->order[at] = j;
    int unused;
    OG_TRY(og_points_place(t->layout, period, precision, x, j, local, &unused));
    memcpy(t->local + at * ndim, local, (size_t)ndim * sizeof *local);
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

static int64_t swap(og_travel *v, og_comm *c, size_t bytes, int back, const char *out, char *in) {
  for (int64_t i = 0; i < v->n_to + v->n_from; i++) {
    const og_parcel *p = i < v->n_to ? &v->to[i] : &v->from[i - v->n_to];
    v->scaled[i] = (og_parcel){p->rank, p->offset * bytes, p->bytes * bytes};
  }
  const og_parcel *to = v->scaled, *from = v->scaled + v->n_to;
  return back ? og_comm_swap(c, v->n_from, from, out, v->n_to, to, in)
              : og_comm_swap(c, v->n_to, to, out, v->n_from, from, in);
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
  t->arrived = og_allocate(og_bytes(owned, ndim * sizeof(double)));
  v->out = og_allocate(og_bytes(here, value));
  v->in = og_allocate(og_bytes(owned, value));
  v->slopes = gradient ? og_allocate(og_bytes(owned, ndim * value)) : NULL;
  OG_CHECK(t->arrived && v->out && v->in && (v->slopes || !gradient), OG_ERR_MEMORY,
           "no memory for %zu points that this rank owns", owned);
  for (size_t d = 0; d < ndim; d++) {
    t->apart[d] = og_allocate(og_bytes(owned, sizeof(double)));
    OG_CHECK(t->apart[d], OG_ERR_MEMORY, "no memory for %zu points that this rank owns", owned);
  }
  return og_comm_reserve(c, v->n_to + v->n_from, (here + owned) * ndim * sizeof(double));
}

static int arrive(trip *t, og_travel *v, const og_backend *backend, const og_points_setup *setup) {
  const int ndim = t->layout->ndim;
  size_t resident = 0, scratch = 0;
  for (int64_t j = 0; j < v->n_owned; j++)
    for (int d = 0; d < ndim; d++)
      t->apart[d][j] = t->arrived[j * ndim + d];
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
  v->bytes_sent = swap(v, c, (size_t)t->layout->ndim * sizeof(double), 0, (const char *)t->local, (char *)t->arrived);
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

int64_t og_travel_there(og_travel *v, og_comm *c, size_t value, const char *strengths, const char **there) {
  for (int64_t i = 0; i < v->n_here; i++)
    memcpy(v->out + (size_t)i * value, strengths + (size_t)v->order[i] * value, value);
  *there = v->in;
  return swap(v, c, value, 0, v->out, v->in);
}

int64_t og_travel_back(og_travel *v, og_comm *c, size_t value, const char *there, char *values) {
  const int64_t sent = swap(v, c, value, 1, there, v->out);
  for (int64_t i = 0; i < v->n_here && values; i++)
    memcpy(values + (size_t)v->order[i] * value, v->out + (size_t)i * value, value);
  return sent;
}
