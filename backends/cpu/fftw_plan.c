/* Plans of one precision, kept for the life of the process (up to a limit for those not in use), so that the second
 * plan of a size costs a look in a short table. See fftw_plan.h. */
#include "cpu/fftw_plan.h"

#include "base/memory.h"
#include "base/real.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef OG_SINGLE
#define FFTW(name) fftwf_##name
#define WISDOM_NAME "fftwf.wisdom"
#else
#define FFTW(name) fftw_##name
#define WISDOM_NAME "fftw.wisdom"
#endif

enum { MAX_PLANS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static og_fftw_plan *kept[MAX_PLANS]; /* plans in use beyond the limit live outside */
static uint64_t uses;
static int wisdom_read;

static void execute(const void *plan, og_lines_kind kind, void *in, void *out) {
  FFTW(plan) p = (FFTW(plan))(uintptr_t)plan;
  if (kind == OG_LINES_C2C)
    FFTW(execute_dft)(p, in, out);
  else if (kind == OG_LINES_R2C)
    FFTW(execute_dft_r2c)(p, in, out);
  else
    FFTW(execute_dft_c2r)(p, in, out);
}

static FFTW(plan) make(const og_fftw_problem *p, unsigned flags, void *in, void *out) {
  FFTW(iodim64) dim = {p->n, p->stride, p->stride};
  flags |= FFTW_DESTROY_INPUT | (p->unaligned ? FFTW_UNALIGNED : 0);
  if (p->kind == OG_LINES_C2C)
    return FFTW(plan_guru64_dft)(1, &dim, 0, NULL, in, out, p->sign, flags);
  if (p->kind == OG_LINES_R2C)
    return FFTW(plan_guru64_dft_r2c)(1, &dim, 0, NULL, in, out, flags);
  return FFTW(plan_guru64_dft_c2r)(1, &dim, 0, NULL, in, out, flags);
}

/* The same plan whatever the process planned before: wisdom is set aside. */
static FFTW(plan) make_pure(const og_fftw_problem *p, void *in, void *out) {
  char *wisdom = FFTW(export_wisdom_to_string)();
  FFTW(forget_wisdom)();
  FFTW(plan) plan = make(p, FFTW_ESTIMATE, in, out);
  if (wisdom) {
    FFTW(forget_wisdom)();
    (void)!FFTW(import_wisdom_from_string)(wisdom);
    free(wisdom);
  }
  return plan;
}

static void read_wisdom(void) {
  char *text = og_fftw_wisdom_load(WISDOM_NAME);
  if (text)
    (void)!FFTW(import_wisdom_from_string)(text);
  free(text);
}

/* Others may have written since: their lines are taken in first, so that the file only grows. */
static void write_wisdom(void) {
  read_wisdom();
  char *text = FFTW(export_wisdom_to_string)();
  if (text)
    og_fftw_wisdom_save(WISDOM_NAME, text);
  free(text);
}

/* Without FFTW's buffered and indirect candidates, which never win for contiguous lines in cache, measuring takes a
 * third of the time. A time limit is of no use: FFTW falls back to its estimate when it runs out. */
static FFTW(plan) make_measured(const og_fftw_problem *p, void *in, void *out) {
  unsigned flags = FFTW_MEASURE | (p->in_place ? 0 : FFTW_NO_BUFFERING | FFTW_NO_INDIRECT_OP);
  if (!wisdom_read)
    read_wisdom();
  wisdom_read = 1;
  FFTW(plan) plan = make(p, flags | FFTW_WISDOM_ONLY, in, out);
  if (!plan) {
    plan = make(p, flags, in, out);
    if (plan)
      write_wisdom();
  }
  return plan;
}

static int same_problem(const og_fftw_problem *a, const og_fftw_problem *b) {
  return a->kind == b->kind && (a->kind != OG_LINES_C2C || a->sign == b->sign) && a->in_place == b->in_place &&
         a->unaligned == b->unaligned && a->threads == b->threads && a->n == b->n && a->stride == b->stride;
}

static og_fftw_plan *find(const og_fftw_problem *problem, og_fftw_effort effort) {
  for (int i = 0; i < MAX_PLANS; i++) {
    og_fftw_plan *p = kept[i];
    if (p && same_problem(&p->problem, problem) &&
        (p->effort == effort || (effort == OG_FFTW_QUICK && p->effort == OG_FFTW_MEASURED)))
      return p;
  }
  return NULL;
}

static void destroy(og_fftw_plan *p) {
  FFTW(destroy_plan)(p->plan);
  free(p);
}

/* A free place, or that of the plan longest out of use. NULL: all are in use. */
static og_fftw_plan **place(void) {
  og_fftw_plan **oldest = NULL;
  for (int i = 0; i < MAX_PLANS; i++) {
    if (!kept[i])
      return &kept[i];
    if (!kept[i]->users && (!oldest || kept[i]->last_use < (*oldest)->last_use))
      oldest = &kept[i];
  }
  return oldest;
}

static og_fftw_plan *make_new(const og_fftw_problem *problem, og_fftw_effort effort, void *in, void *out) {
  static int ready;
  og_fftw_plan *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  if (!ready) {
    FFTW(init_threads)();
    FFTW(make_planner_thread_safe)(); /* the caller's own FFTW calls may come at any time from other threads */
    ready = 1;
  }
  int threads_before = FFTW(planner_nthreads)();
  FFTW(plan_with_nthreads)(problem->threads);
  *p = (og_fftw_plan){.problem = *problem, .effort = effort, .execute = execute};
  p->plan = effort == OG_FFTW_PURE    ? make_pure(problem, in, out)
            : effort == OG_FFTW_QUICK ? make(problem, FFTW_ESTIMATE, in, out)
                                      : make_measured(problem, in, out);
  FFTW(plan_with_nthreads)(threads_before);
  if (!p->plan) {
    free(p);
    return NULL;
  }
  og_fftw_plan **slot = place();
  if (slot) {
    if (*slot)
      destroy(*slot);
    *slot = p;
  }
  return p;
}

int OG_P(og_fftw_plan_take)(const og_fftw_problem *problem, og_fftw_effort effort, void *in, void *out,
                            const og_fftw_plan **plan) {
  pthread_mutex_lock(&lock);
  og_fftw_plan *p = find(problem, effort);
  if (!p)
    p = make_new(problem, effort, in, out);
  if (p) {
    p->users++;
    p->last_use = ++uses;
  }
  pthread_mutex_unlock(&lock);
  *plan = p;
  OG_CHECK(p, OG_ERR_FFT, "FFTW made no plan for %lld points", (long long)problem->n);
  return OG_OK;
}

void OG_P(og_fftw_plan_release)(const og_fftw_plan *plan) {
  if (!plan)
    return;
  pthread_mutex_lock(&lock);
  og_fftw_plan *p = (og_fftw_plan *)(uintptr_t)plan;
  int is_kept = 0;
  for (int i = 0; i < MAX_PLANS; i++)
    is_kept |= kept[i] == p;
  if (--p->users == 0 && !is_kept)
    destroy(p);
  pthread_mutex_unlock(&lock);
}
