/* What the distributed transform asks of MPI: agreement on errors, and messages of any length between ranks. */
#ifndef OG_MPI_COMM_H
#define OG_MPI_COMM_H
#include <mpi.h>

#include "base/error.h"

typedef struct og_comm {
  MPI_Comm comm; /* the plan's own */
  int rank, size;
  int error;      /* the first that MPI reported, or 0 */
  size_t longest; /* bytes of a message: longer ones are split */
  MPI_Request *requests;
  int64_t n_requests;
  int n_posted;
} og_comm;

/* What goes to or comes from one rank: bytes of a buffer. */
typedef struct og_parcel {
  int rank;
  size_t offset, bytes;
} og_parcel;

/* A communicator of the plan's own. MPI must run, with threads funneled. */
int og_comm_open(og_comm *c, MPI_Comm comm) OG_MUST_CHECK;
void og_comm_close(og_comm *c);

/* Collective: 0 where every rank brings 0, else everywhere the code and the sentence of the lowest rank that has one.
 * OG_ERR_BROKEN where MPI reported an error on one since the communicator was made. */
int og_comm_agree(og_comm *c, int code) OG_MUST_CHECK;
/* The same, and OG_ERR_ARGUMENT where the ranks' numbers differ. */
int og_comm_agree_on(og_comm *c, int code, const char *name, int64_t number) OG_MUST_CHECK;

int og_comm_any(og_comm *c, int mine);                             /* collective: 1 where any rank says so */
void og_comm_from_first(og_comm *c, void *data, int bytes);        /* collective: rank 0's bytes for all */
void og_comm_counts(og_comm *c, const int64_t *to, int64_t *from); /* collective: [size], one number for each rank */

/* Room for the requests of a later swap, so that swapping allocates nothing. */
int og_comm_reserve(og_comm *c, int64_t n_parcels, size_t bytes) OG_MUST_CHECK;
/* Posts receives and sends; those to itself are the caller's business, between start and finish. Both sides know all sizes.
 * Returns the bytes sent. */
int64_t og_comm_start(og_comm *c, int64_t n_out, const og_parcel *out, char *from, int64_t n_in, const og_parcel *in,
                      char *to);
void og_comm_finish(og_comm *c);
#endif
