/* FFTW's plans of single rows, shared by all users in the process: FFTW's planner is one global thing, slow and not
 * to be entered by two threads, so that everything that touches it is behind this header and its one lock. */
#ifndef OG_CPU_FFTW_PLAN_H
#define OG_CPU_FFTW_PLAN_H
#include "base/error.h"
#include "fft/lines.h"

/* A row of n points, 16-byte aligned unless `unaligned`. Out of place it is contiguous, and the input may be destroyed;
 * in place it may be strided. */
typedef struct og_fftw_problem {
  og_lines_kind kind;
  int sign;
  int in_place, unaligned;
  int threads;
  int64_t n, stride; /* stride in complex cells; 1 out of place and for real kinds */
} og_fftw_problem;

/* How the plan is found. PURE depends on the problem alone (the same plan in every process: no wisdom, no timing);
 * QUICK takes whatever is known and else estimates; MEASURED times candidates, and remembers on disk what was best. */
typedef enum { OG_FFTW_PURE, OG_FFTW_QUICK, OG_FFTW_MEASURED } og_fftw_effort;

typedef struct og_fftw_plan {
  og_fftw_problem problem;
  og_fftw_effort effort;
  void *plan;
  void (*execute)(const void *plan, og_lines_kind kind, void *in, void *out);
  int users;
  uint64_t last_use;
} og_fftw_plan;

/* in, out: rows like those to come, 64-byte aligned, overwritten. The plan stays valid until it is released. */
int og_fftw_plan_take_f64(const og_fftw_problem *problem, og_fftw_effort effort, void *in, void *out,
                          const og_fftw_plan **plan) OG_MUST_CHECK;
int og_fftw_plan_take_f32(const og_fftw_problem *problem, og_fftw_effort effort, void *in, void *out,
                          const og_fftw_plan **plan) OG_MUST_CHECK;
void og_fftw_plan_release_f64(const og_fftw_plan *plan);
void og_fftw_plan_release_f32(const og_fftw_plan *plan);

/* fftw_wisdom.c: text that outlives the process, under `name` in the cache folder. Never an error: load returns NULL
 * where there is none or it is damaged (free it with free), save does what it can. */
char *og_fftw_wisdom_load(const char *name);
void og_fftw_wisdom_save(const char *name, const char *text);
#endif
