/* The plan behind finufft_plan and finufftf_plan, and the calls that the two precisions share: precision is a value
 * here (OG_F64 or OG_F32), the exported functions in guru.c, simple.c and fortran.c only add the types. */
#ifndef FINUFFT_PLAN_H
#define FINUFFT_PLAN_H
#include <pthread.h>

#include "finufft.h"
#include "offgrid.h"

typedef struct shim_plan {
  int precision, type, ndim, isign;
  int n_vectors;
  int64_t n_modes[3];  /* 1 in absent dimensions and for type 3 */
  int64_t total_modes; /* 0 is legal here, unlike in offgrid.h: then `plan` is NULL and the transform is empty */
  int64_t n_points, n_targets;
  int has_points, warned;
  double tolerance; /* as given to offgrid: not below machine epsilon */
  finufft_opts opts;
  og_plan plan;
  pthread_mutex_t lock; /* FINUFFT lets several threads execute one plan; an og_plan is for one thread at a time */
} shim_plan;

/* What one call is about; arrays are of the precision's type, complex ones interleaved. */
typedef struct shim_job {
  int precision, type, ndim, n_vectors, isign;
  double eps;
  const int64_t *n_modes; /* [ndim], not read for type 3 */
  const finufft_opts *opts;
  int64_t n_points, n_targets;
  const void *x[3], *s[3];
  void *c, *f;
} shim_job;

int shim_make(shim_plan **plan, const shim_job *job);
int shim_set_points(shim_plan *plan, const shim_job *job);
int shim_execute(shim_plan *plan, void *c, void *f, int adjoint);
int shim_destroy(shim_plan *plan);
int shim_once(const shim_job *job); /* the four above, for the simple interface */

/* options.c */
void shim_default_options(finufft_opts *opts);
/* Checks what FINUFFT checks when a plan is made, in its order. */
int shim_check(const shim_job *job, const finufft_opts *opts, double *tolerance);
og_options shim_options(const shim_plan *plan);

/* text.c: FINUFFT's code for an offgrid code, after saying og_last_error() on stderr. */
int shim_failed(const shim_plan *plan, const char *where, int code);
/* Says the sentence on stderr and returns the code. */
int shim_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void shim_warn(const finufft_opts *opts, const char *format, ...) __attribute__((format(printf, 2, 3)));
void shim_debug_made(const shim_plan *plan);
void shim_debug_points(const shim_plan *plan);
void shim_debug_executed(const shim_plan *plan, int adjoint);
void shim_warn_unreached(shim_plan *plan);
#endif
