/* Agreement and messages. Counts of MPI are int: longer parcels go as several messages, which keep their order. */
#include "mpi/comm.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define TAG 71
#define TEXT 400

/* Keeps the first error that MPI reports, for the next agreement: some error handlers return. */
static void met(og_comm *c, int error) {
  if (error != MPI_SUCCESS && !c->error)
    c->error = error;
}

static int check_mpi(const og_comm *c) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length;
  if (!c->error)
    return OG_OK;
  MPI_Error_string(c->error, text, &length);
  OG_FAIL(OG_ERR_BROKEN, "MPI failed: %s", text);
}

static int check_level(void) {
  int level = 0;
  MPI_Query_thread(&level);
  OG_CHECK(level >= MPI_THREAD_FUNNELED, OG_ERR_ORDER,
           "MPI runs without threads: call MPI_Init_thread with MPI_THREAD_FUNNELED or more");
  return OG_OK;
}

int og_comm_open(og_comm *c, MPI_Comm comm) {
  int on = 0, off = 0, inter = 0;
  *c = (og_comm){.comm = MPI_COMM_NULL};
  MPI_Initialized(&on);
  OG_CHECK(on, OG_ERR_ORDER, "MPI is not initialised: call MPI_Init_thread first");
  MPI_Finalized(&off);
  OG_CHECK(!off, OG_ERR_ORDER, "MPI is already finalised");
  OG_CHECK(comm != MPI_COMM_NULL, OG_ERR_NULL, "the communicator must not be MPI_COMM_NULL");
  MPI_Comm_test_inter(comm, &inter);
  OG_CHECK(!inter, OG_ERR_ARGUMENT, "the communicator must not be an intercommunicator");
  OG_CHECK(MPI_Comm_dup(comm, &c->comm) == MPI_SUCCESS, OG_ERR_ARGUMENT, "the communicator cannot be duplicated");
  MPI_Comm_rank(c->comm, &c->rank);
  MPI_Comm_size(c->comm, &c->size);
  const int code = og_comm_agree(c, check_level());
  if (code)
    og_comm_close(c);
  return code;
}

void og_comm_close(og_comm *c) {
  int off = 0;
  MPI_Finalized(&off);
  if (!off && c->comm != MPI_COMM_NULL)
    MPI_Comm_free(&c->comm);
  og_free(c->requests);
  *c = (og_comm){.comm = MPI_COMM_NULL};
}

/* Everybody takes over what the failed rank says. */
static int take_over(og_comm *c, int failed, int code) {
  char text[TEXT] = "";
  if (c->rank == failed)
    strncpy(text, og_last_error(), TEXT - 1);
  met(c, MPI_Bcast(&code, 1, MPI_INT, failed, c->comm));
  met(c, MPI_Bcast(text, TEXT, MPI_CHAR, failed, c->comm));
  char where[32];
  snprintf(where, sizeof where, "rank %d", failed);
  return og_error_set(code, where, "%s", text);
}

int og_comm_agree_on(og_comm *c, int code, const char *name, int64_t number) {
  const int broken = check_mpi(c);
  code = broken ? broken : code;
  int64_t mine[3] = {code ? c->rank : c->size, number, -number}, all[3] = {c->size, 0, 0};
  met(c, MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_MIN, c->comm));
  if (!broken)
    OG_TRY(check_mpi(c)); /* no agreement is possible */
  if (all[0] < c->size)
    return take_over(c, (int)all[0], code);
  OG_CHECK(all[1] == -all[2], OG_ERR_ARGUMENT, "%s differs: %lld on one rank, %lld on another", name, (long long)all[1],
           (long long)-all[2]);
  return OG_OK;
}

int og_comm_agree(og_comm *c, int code) { return og_comm_agree_on(c, code, "", 0); }

int og_comm_any(og_comm *c, int mine) {
  int any = mine;
  met(c, MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_LOR, c->comm));
  return any;
}

void og_comm_from_first(og_comm *c, void *data, int bytes) { met(c, MPI_Bcast(data, bytes, MPI_BYTE, 0, c->comm)); }

void og_comm_counts(og_comm *c, const int64_t *to, int64_t *from) {
  met(c, MPI_Alltoall(to, 1, MPI_INT64_T, from, 1, MPI_INT64_T, c->comm));
}

int og_comm_reserve(og_comm *c, int64_t n_parcels, size_t bytes) {
  const int64_t wanted = n_parcels + (int64_t)(bytes / c->longest);
  if (wanted <= c->n_requests)
    return OG_OK;
  OG_CHECK(wanted < INT32_MAX, OG_ERR_SIZE, "%lld messages at once: raise message_bytes", (long long)wanted);
  MPI_Request *requests = og_allocate(og_bytes((size_t)wanted, sizeof *requests));
  OG_CHECK(requests, OG_ERR_MEMORY, "no memory for %lld requests", (long long)wanted);
  og_free(c->requests);
  c->requests = requests;
  c->n_requests = wanted;
  return OG_OK;
}

static void post(og_comm *c, int out, const og_parcel *p, char *memory) {
  for (size_t done = 0; done < p->bytes; done += c->longest) {
    const size_t rest = p->bytes - done;
    const int bytes = (int)(rest < c->longest ? rest : c->longest);
    MPI_Request *request = &c->requests[c->n_posted++];
    *request = MPI_REQUEST_NULL;
    met(c, out ? MPI_Isend(memory + p->offset + done, bytes, MPI_BYTE, p->rank, TAG, c->comm, request)
               : MPI_Irecv(memory + p->offset + done, bytes, MPI_BYTE, p->rank, TAG, c->comm, request));
  }
}

int64_t og_comm_start(og_comm *c, int64_t n_out, const og_parcel *out, char *from, int64_t n_in, const og_parcel *in,
                      char *to) {
  int64_t sent = 0;
  c->n_posted = 0;
  for (int64_t i = 0; i < n_in; i++)
    if (in[i].rank != c->rank)
      post(c, 0, &in[i], to);
  for (int64_t i = 0; i < n_out; i++)
    if (out[i].rank != c->rank) {
      post(c, 1, &out[i], from);
      sent += (int64_t)out[i].bytes;
    }
  return sent;
}

void og_comm_finish(og_comm *c) { met(c, MPI_Waitall(c->n_posted, c->requests, MPI_STATUSES_IGNORE)); }
