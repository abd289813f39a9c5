/* FINUFFT as a contender, through its shared library: dlopen, its documented C interface, its own choices. Of its options
 * struct only two documented fields are set, at their documented places; the rest is what finufft_default_opts says. */
#define _GNU_SOURCE
#include "message.h"
#include "peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_SHOWWARN 4 /* the fifth and sixth int of finufft_opts */
#define OPTION_NTHREADS 5

typedef union finufft_options {
  int fields[256]; /* larger than any version's struct */
  double alignment;
} finufft_options;

typedef struct finufft {
  const bench_case *c;
  void *handle, *plan;
  int is_single;
  void *in, *out;
  void (*defaults)(finufft_options *);
  int (*make)(int, int, const int64_t *, int, int, double, void **, finufft_options *);
  int (*make_single)(int, int, const int64_t *, int, int, float, void **, finufft_options *);
  int (*set)(void *, int64_t, void *, void *, void *, int64_t, void *, void *, void *);
  int (*execute)(void *, void *, void *);
  int (*destroy)(void *);
} finufft;

/* A function's address through a void pointer, as POSIX wants it. */
static int symbol(const finufft *f, void *address, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "finufft%s_%s", f->is_single ? "f" : "", name);
  void *found = dlsym(f->handle, full);
  if (!found)
    return fail("finufft: the library has no function %s", full);
  memcpy(address, &found, sizeof found);
  return 0;
}

static int load(finufft *f, peer *me) {
  const char *name = me->library ? me->library : "libfinufft.so";
  f->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!f->handle)
    return fail("finufft: %s; give its shared library with --peer-lib PATH", dlerror());
  TRY(symbol(f, &f->defaults, "default_opts"));
  TRY(f->is_single ? symbol(f, &f->make_single, "makeplan") : symbol(f, &f->make, "makeplan"));
  TRY(symbol(f, &f->set, "setpts"));
  TRY(symbol(f, &f->execute, "execute"));
  TRY(symbol(f, &f->destroy, "destroy"));
  Dl_info where;
  void *address;
  memcpy(&address, &f->execute, sizeof address);
  snprintf(me->detail, sizeof me->detail, "%s, its own sigma and window",
           dladdr(address, &where) && where.dli_fname ? where.dli_fname : name);
  return 0;
}

static int can(const problem *p) {
  if (p->op != OP_TYPE1 && p->op != OP_TYPE2 && p->op != OP_TYPE3)
    return fail("finufft: has no %s", p->op == OP_GRADIENT ? "gradient" : "filter");
  if (p->options.period_x != 0 || p->options.period_y != 0 || p->options.period_z != 0)
    return fail("finufft: has no periods other than 2 pi");
  if (p->options.mode_order != OG_ORDER_ASCENDING)
    return fail("finufft: is compared in ascending mode order only");
  return 0;
}

static int allocate(finufft *f) {
  const problem *p = f->c->p;
  check k;
  peer_describe(f->c, 0, &k);
  size_t number = f->is_single ? 4 : 8;
  int64_t in = 2 * peer_size_in(&k) * p->n_vectors, out = 2 * peer_size_out(&k) * p->n_vectors;
  f->in = malloc((size_t)in * number + 1);
  f->out = malloc((size_t)out * number + 1);
  if (!f->in || !f->out)
    return fail_memory("finufft", (double)(in + out) * (double)number);
  problem_fill_data(p, 0, in, f->in);
  return 0;
}

static int finufft_open(peer *me, const bench_case *c, double *seconds_plan) {
  const problem *p = c->p;
  finufft *f = me->state = calloc(1, sizeof *f);
  if (!f)
    return fail("out of memory");
  f->c = c;
  f->is_single = p->options.precision == OG_F32;
  TRY(can(p));
  TRY(load(f, me));
  TRY(allocate(f));
  finufft_options options;
  memset(&options, 0, sizeof options);
  f->defaults(&options);
  options.fields[OPTION_SHOWWARN] = 0;
  options.fields[OPTION_NTHREADS] = c->threads;
  check k;
  peer_describe(c, 0, &k);
  int sign = k.type == 2 ? -k.sign : k.sign, vectors = (int)p->n_vectors;
  double tolerance = p->options.tolerance, start = seconds();
  int code = f->is_single
                 ? f->make_single(k.type, k.ndim, k.n_modes, sign, vectors, (float)tolerance, &f->plan, &options)
                 : f->make(k.type, k.ndim, k.n_modes, sign, vectors, tolerance, &f->plan, &options);
  *seconds_plan = seconds() - start;
  if (code > 1) /* 1 is a warning: the tolerance is out of reach */
    return fail("finufft: makeplan gave error %d", code);
  return 0;
}

static int finufft_run(peer *me, double *points_seconds, double *execute_seconds) {
  finufft *f = me->state;
  const bench_case *c = f->c;
  int type1 = c->p->op == OP_TYPE1 || c->p->op == OP_TYPE3;
  double start = seconds();
  int code = f->set(f->plan, c->p->n_points, c->x[0], c->x[1], c->x[2], c->p->op == OP_TYPE3 ? c->p->n_targets : 0,
                    c->omega[0], c->omega[1], c->omega[2]);
  double set = seconds();
  if (code <= 1)
    code = f->execute(f->plan, type1 ? f->in : f->out, type1 ? f->out : f->in);
  *points_seconds = set - start;
  *execute_seconds = seconds() - set;
  return code > 1 ? fail("finufft: setpts or execute gave error %d", code) : 0;
}

static int finufft_error(peer *me, int64_t samples, double *error) {
  const finufft *f = me->state;
  return peer_compare(f->c, 0, samples, f->in, f->out, error);
}

static void finufft_close(peer *me) {
  finufft *f = me->state;
  if (!f)
    return;
  if (f->plan)
    f->destroy(f->plan);
  free(f->in);
  free(f->out);
  free(f); /* the library stays loaded: its OpenMP threads may still be there */
  me->state = NULL;
}

const peer peer_finufft = {
    .name = "finufft", .open = finufft_open, .run = finufft_run, .error = finufft_error, .close = finufft_close};
