/* The fraction of a call's estimated time that is done: stages count by the cost model, spreading and interpolation by the
 * points done as well. */
#include "plan/progress.h"

#include "plan/plan.h"

#include <math.h>
#include <stdatomic.h>

/* `now`: the call's number (3 bits), the stage (3), what is done before it and its share (29 each, ONE is all). */
#define ONE ((uint64_t)1 << 28)
#define MASK (((uint64_t)1 << 29) - 1)
#define CALL(now) ((now) >> 61)

static uint64_t share(double part, double total) {
  return part > 0 && total > 0 ? (uint64_t)(fmin(part / total, 1) * (double)ONE) : 0;
}

static void publish(og_progress *g, og_stage stage) {
  uint64_t done = share(g->done, g->total), here = share(g->stage, g->total);
  here = here < ONE - done ? here : ONE - done;
  atomic_store(&g->now, g->call << 61 | (uint64_t)stage << 58 | done << 29 | here);
}

/* Of one pass through the stages. */
static double estimate(struct og_plan_s *plan) {
  if (!plan)
    return 0;
  double *cost = plan->stage_cost;
  og_stage_costs(plan, &cost[OG_STAGE_SPREAD], &cost[OG_STAGE_FFT], &cost[OG_STAGE_DECONVOLVE]);
  cost[OG_STAGE_INTERP] = cost[OG_STAGE_SPREAD];
  return cost[OG_STAGE_SPREAD] + cost[OG_STAGE_FFT] + cost[OG_STAGE_DECONVOLVE];
}

void og_progress_begin(struct og_plan_s *plan, int64_t to_modes, int64_t to_points, int64_t spreads, int64_t interps) {
  og_progress *g = plan->progress;
  if (g != &plan->own_progress) /* a part of its owner's call */
    return;
  double whole = estimate(plan), inner = estimate(og_type3_inner(plan));
  g->total = (double)(to_modes + to_points) * whole +
             (double)(spreads + interps) * (plan->stage_cost[OG_STAGE_SPREAD] + inner);
  g->done = g->stage = 0;
  g->call++;
  publish(g, OG_STAGE_NONE);
}

void og_progress_enter(struct og_plan_s *plan, og_stage stage, int64_t vectors) {
  og_progress *g = plan->progress;
  g->done += g->stage;
  g->stage = (double)vectors * plan->stage_cost[stage];
  atomic_store(&g->to_count, stage == OG_STAGE_SPREAD || stage == OG_STAGE_INTERP ? vectors * plan->n_points : 0);
  __atomic_store_n(&g->counted, 0, __ATOMIC_SEQ_CST);
  publish(g, stage);
}

int og_progress_end(struct og_plan_s *plan, int code) {
  og_progress *g = plan->progress;
  if (code && (atomic_load(&g->now) >> 58 & 7) > OG_STAGE_POINTS) {
    plan->broken = 1;
    code = OG_ERR_BROKEN;
  }
  if (g == &plan->own_progress) {
    g->done = g->total = 1;
    g->stage = 0;
    publish(g, OG_STAGE_NONE);
  }
  return code;
}

int og_plan_progress(og_plan plan, const char **stage, double *fraction) {
  static const char *const names[OG_STAGES] = {"", "points", "spread", "fft", "deconvolve", "interp"};
  OG_CHECK(plan && stage && fraction, OG_ERR_NULL, "plan, stage and fraction must not be null");
  og_progress *g = plan->progress;
  uint64_t best = atomic_load(&g->best), now = atomic_load(&g->now);
  int64_t of = atomic_load(&g->to_count);
  double points = (double)__atomic_load_n(&g->counted, __ATOMIC_SEQ_CST);
  double part = of > 0 ? fmin(points / (double)of, 1) : 0;
  uint64_t told = (now >> 29 & MASK) + (uint64_t)((double)(now & MASK) * part);
  if (CALL(best) == CALL(now) && told < (best & MASK))
    told = best & MASK; /* the count may be of the stage before or after */
  atomic_compare_exchange_strong(&g->best, &best, CALL(now) << 61 | told);
  *stage = names[now >> 58 & 7];
  *fraction = (double)told / (double)ONE;
  return OG_OK;
}
