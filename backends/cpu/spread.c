/* Spreading: strengths into tile order where they are many, then the tasks colour by colour, then the tails. No locks
 * and no atomics: tasks of one colour write different cells, so that the result does not depend on who does what when.
 */
#include "points.h"

#include <string.h>

static inline __attribute__((always_inline)) void scatter_sized(const og_cpu_points *p, const char *from, int64_t begin,
                                                                int64_t end, size_t bytes) {
  char *to = p->values;
  for (int64_t i = begin; i < end; i++)
    memcpy(to + (size_t)p->destination[i] * bytes, from + (size_t)i * bytes, bytes);
}

static void scatter(const og_cpu_points *p, const void *strengths, int64_t begin, int64_t end) {
  switch (p->value_bytes) {
  case 4:
    scatter_sized(p, strengths, begin, end, 4);
    break;
  case 8:
    scatter_sized(p, strengths, begin, end, 8);
    break;
  default:
    scatter_sized(p, strengths, begin, end, 16);
    break;
  }
}

int og_cpu_spread(void *points, int64_t vectors, const void *strengths, void *grid) {
  (void)vectors;
  const og_cpu_points *p = points;
  const void *ordered = p->two_step ? p->values : strengths;
  if (p->team == 1) {
    if (p->two_step)
      scatter(p, strengths, 0, p->n);
    for (int64_t k = 0; k < p->spread_from[p->colours]; k++) {
      p->kernels->spread(p, &p->spread_tasks[k], ordered, grid, p->memory);
      og_cpu_count(p, &p->spread_tasks[k]);
    }
    return OG_OK;
  }
#pragma omp parallel num_threads(p->team)
  {
    const int t = og_cpu_thread(), team = og_cpu_team();
    char *work = p->memory + (size_t)t * p->work.bytes;
    if (p->two_step) {
      scatter(p, strengths, p->n * t / team, p->n * (t + 1) / team);
#pragma omp barrier
    }
    for (int c = 0; c < p->colours; c++) {
#pragma omp for schedule(dynamic, 1)
      for (int64_t k = p->spread_from[c]; k < p->spread_from[c + 1]; k++) {
        p->kernels->spread(p, &p->spread_tasks[k], ordered, grid, work);
        og_cpu_count(p, &p->spread_tasks[k]);
      }
    }
    if (p->n_tails)
      p->kernels->add_tails(p, t, team, grid, work);
  }
  return OG_OK;
}
