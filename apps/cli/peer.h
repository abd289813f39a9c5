/* Something that can do a problem: this library, or another one. bench.c runs them in turn. */
#ifndef CLI_PEER_H
#define CLI_PEER_H

#include "check.h"
#include "problem.h"

/* The problem with its arrays, in the problem's precision; the same points for all. */
typedef struct bench_case {
  const problem *p;
  int threads; /* of every contender; settled by ours */
  void *x[3], *omega[3];
} bench_case;

typedef struct peer peer;
struct peer {
  const char *name;
  char detail[512];    /* what it is and chose, for people */
  const char *library; /* finufft: path of the shared library */
  const char *python;  /* ducc: the interpreter */
  const char *script;  /* ducc: ducc_peer.py, where it is not near the program; NULL: it is */
  /* Allocates, plans (*seconds) and keeps the case by pointer. EXIT_FAILED where it is not installed or cannot do the
   * problem: the sentence says which. close is legal after that too. */
  int (*open)(peer *me, const bench_case *c, double *seconds);
  /* Takes the points and transforms once. A peer that does both in one call leaves *points_seconds at 0. */
  int (*run)(peer *me, double *points_seconds, double *execute_seconds);
  /* Error of the last run. */
  int (*error)(peer *me, int64_t samples, double *error);
  void (*close)(peer *me);
  void *state;
};

extern const peer peer_offgrid, peer_finufft, peer_ducc;

const og_report *peer_offgrid_report(const peer *me);

/* How the case looks to check.h; is_real 0: the peers know complex values only. */
void peer_describe(const bench_case *c, int is_real, check *k);
/* Numbers (complex or real) in one vector on the way in and out. */
int64_t peer_size_in(const check *k);
int64_t peer_size_out(const check *k);
/* Types 1 to 3: the error over the first and the last vector. */
int peer_compare(const bench_case *c, int is_real, int64_t samples, const void *in, const void *out, double *error);
#endif
