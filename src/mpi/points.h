/* Points: who owns them, their way to the owner and back. */
#ifndef OG_MPI_POINTS_H
#define OG_MPI_POINTS_H
#include "backend.h"
#include "mpi/comm.h"
#include "mpi/layout.h"

typedef struct og_travel {
  int64_t n_here, n_owned; /* points of the caller, of this rank's block */
  int64_t *order;          /* [n_here]: the caller's index of each point as it is sent */
  int64_t n_to, n_from;
  og_parcel *to, *from; /* of points; offset and bytes are counts of points here */
  og_parcel *scaled;    /* [n_to + n_from]: the same in bytes of what is sent */
  char *out, *in;       /* values of one vector: in the order of sending, and of the owner */
  char *slopes;         /* [ndim][n_owned] values, where gradients are asked for */
  void *points;         /* the backend's */
  void *resident;
  int64_t bytes_sent; /* of coordinates */
} og_travel;

/* A dimension's way from coordinates to cells. */
typedef struct og_fold {
  double period, high, low, rest; /* period = high + low, high of 26 bits; rest: what it lacks */
  double far, n, cells_per;
} og_fold;
og_fold og_fold_make(double period, int64_t n);

/* The rank that owns a point, and its coordinates in cells of that rank's block. OG_ERR_POINT: not finite. */
int og_points_place(const og_layout *l, const og_fold fold[3], int precision, const void *const x[3], int64_t j,
                    double local[3], int *owner) OG_MUST_CHECK;

/* Collective, all in one: on success *travel is new and agreed on; on error nothing is left. staying: points must be on
 * their owners. */
int og_travel_create(og_travel *travel, og_comm *comm, const og_layout *l, const og_backend *backend,
                     const og_points_setup *setup, const double period[3], int staying, int64_t n,
                     const void *const x[3]) OG_MUST_CHECK;
void og_travel_destroy(og_travel *travel, const og_backend *backend);

/* One vector: strengths to the owners (*there: in their order), and values in the owners' order back. Return the bytes sent. */
int64_t og_travel_there(og_travel *travel, og_comm *comm, size_t value, const char *strengths, const char **there);
int64_t og_travel_back(og_travel *travel, og_comm *comm, size_t value, char *there, char *values);
#endif
