/* Interpolation, with derivatives where asked: tasks in any order, since they only read the grid; results that went to
 * tile order come back. */
#include "points.h"

#include <string.h>

static inline __attribute__((always_inline)) void gather_sized(const og_cpu_points *p, char *to, int64_t begin,
                                                               int64_t end, size_t bytes) {
  const char *from = p->values;
  for (int64_t i = begin; i < end; i++)
    memcpy(to + (size_t)i * bytes, from + (size_t)p->destination[i] * bytes, bytes);
}

static void gather(const og_cpu_points *p, void *values, int64_t begin, int64_t end) {
  switch (p->value_bytes) {
  case 4:
    gather_sized(p, values, begin, end, 4);
    break;
  case 8:
    gather_sized(p, values, begin, end, 8);
    break;
  default:
    gather_sized(p, values, begin, end, 16);
    break;
  }
}

/* An array of results in tile order -> the caller's order, in place, through p->values. Called by the whole team. */
static void reorder(const og_cpu_points *p, void *array, int64_t begin, int64_t end) {
  memcpy((char *)p->values + (size_t)begin * p->value_bytes, (char *)array + (size_t)begin * p->value_bytes,
         (size_t)(end - begin) * p->value_bytes);
#pragma omp barrier
  gather(p, array, begin, end);
#pragma omp barrier
}

static void finish(const og_cpu_points *p, void *values, void *const gradients[3], int t, int team) {
  const int64_t begin = p->n * t / team, end = p->n * (t + 1) / team;
  if (values)
    gather(p, values, begin, end);
#pragma omp barrier
  for (int d = 0; gradients && d < p->ndim; d++)
    reorder(p, gradients[d], begin, end);
}

int og_cpu_interp(void *points, int64_t vectors, const void *grid, void *values, void *const gradients[3]) {
  (void)vectors;
  const og_cpu_points *p = points;
  void *out = values && p->two_step ? p->values : values;
  if (p->team == 1) {
    for (int64_t k = 0; k < p->n_interp_tasks; k++) {
      p->kernels->interp(p, &p->interp_tasks[k], grid, out, gradients, p->memory);
      og_cpu_count(p, &p->interp_tasks[k]);
    }
    if (p->two_step)
      finish(p, values, gradients, 0, 1);
    return OG_OK;
  }
#pragma omp parallel num_threads(p->team)
  {
    const int t = og_cpu_thread(), team = og_cpu_team();
    char *work = p->memory + (size_t)t * p->work.bytes;
#pragma omp for schedule(dynamic, 1)
    for (int64_t k = 0; k < p->n_interp_tasks; k++) {
      p->kernels->interp(p, &p->interp_tasks[k], grid, out, gradients, work);
      og_cpu_count(p, &p->interp_tasks[k]);
    }
    if (p->two_step)
      finish(p, values, gradients, t, team);
  }
  return OG_OK;
}
