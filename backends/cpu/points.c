/* The points of the cpu backend: create, fold, check, partition, sort. */
#include "points.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define TWO_PI 6.283185307179586476925
#define TWO_PI_REST 2.4492935982947064e-16 /* 2 pi minus the double nearest to it */
#define TWO_STEP_BYTES ((int64_t)2 << 20)  /* strengths that do not stay in cache go through tile order */
#define RECORD_PAD 256                     /* records past the end that chunks may read */

/* The period in three parts: 32 bits, the rest, and what a double cannot hold of 2 pi. */
static void fold_make(og_cpu_fold *f, double period, double shift, double n, int width) {
  union {
    double value;
    uint64_t bits;
  } head = {period};
  head.bits &= ~(((uint64_t)1 << 21) - 1);
  f->inverse = 1 / period;
  f->period[0] = head.value;
  f->period[1] = period - head.value;
  f->period[2] = period == TWO_PI ? TWO_PI_REST : 0;
  f->scale = n / period;
  f->shift = shift - n * floor(shift / n);
  f->n = n;
  f->half_width = width / 2.0;
}

/* The window's coefficients in the order of kernel/evaluate.h. */
static int coefficients(const og_cpu_points *p, const double from[][OG_MAX_WIDTH], void **out) {
  const int half = p->half_degree, w = p->width;
  char *table = og_allocate_zeroed((size_t)(half + 1) * 16 * p->real_bytes);
  OG_CHECK(table, OG_ERR_MEMORY, "no memory for the window's coefficients");
  for (int k = 0; k <= p->degree; k++)
    for (int i = 0; i < p->lanes && i < w; i++) {
      size_t at = (size_t)(k / 2) * 16 + (size_t)(k % 2) * 8 + (size_t)i;
      if (p->grid.precision == OG_F32)
        ((float *)(void *)table)[at] = (float)from[k][i];
      else
        ((double *)(void *)table)[at] = from[k][i];
    }
  *out = table;
  return OG_OK;
}

static int points_build(og_cpu_points *p, const og_points_setup *setup) {
  p->setup = *setup;
  p->grid = *setup->grid;
  p->ndim = p->grid.ndim;
  p->width = setup->window->width;
  p->degree = setup->window->degree;
  p->threads = setup->threads < 1 ? 1 : setup->threads;
  p->real_bytes = og_real_bytes(p->grid.precision);
  p->value_bytes = og_value_bytes(p->grid.precision, p->grid.values);
  p->reals = (int)(p->value_bytes / p->real_bytes);
  p->dims_stored = setup->index_only ? 0 : p->ndim;
  p->record_bytes = (size_t)p->dims_stored * p->real_bytes + 8;
  p->half_degree = p->degree / 2;
  p->lanes = p->width <= 8 ? 4 : 8;
  p->team = 1;
  for (int d = 0; d < p->ndim; d++) {
    OG_CHECK(p->grid.n[d] >= p->width && p->grid.n[d] < INT32_MAX / 2, OG_ERR_SIZE,
             "fine grid of %lld cells in dimension %d, must be %d to %d", (long long)p->grid.n[d], d, p->width,
             INT32_MAX / 2 - 1);
    fold_make(&p->fold[d], setup->period[d], setup->shift[d], (double)p->grid.n[d], p->width);
  }
  OG_TRY(coefficients(p, setup->window->coef, &p->coef));
  if (setup->gradient)
    OG_TRY(coefficients(p, setup->window->derivative, &p->derivative));
  OG_TRY(og_cpu_tiling_make(p));
  int64_t room = og_cpu_tasks_room(p);
  p->spread_tasks = og_allocate(og_bytes((size_t)room, sizeof *p->spread_tasks));
  p->interp_tasks = og_allocate(og_bytes((size_t)room, sizeof *p->interp_tasks));
  OG_CHECK(p->spread_tasks && p->interp_tasks, OG_ERR_MEMORY, "no memory for %lld tasks", (long long)room);
  og_cpu_tasks_make(p);
  return OG_OK;
}

int og_cpu_points_create(const og_points_setup *setup, void **points) {
  *points = NULL;
  const og_cpu_kernels *kernels = og_cpu_kernels_find(setup->simd, setup->grid->precision, setup->grid->values);
  OG_CHECK(kernels, OG_ERR_OPTION, "simd \"%s\": unknown or not available here, allowed: auto, generic, avx2, avx512",
           setup->simd);
  og_cpu_points *p = og_allocate_zeroed(sizeof *p);
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for the points' description");
  p->kernels = kernels;
  int code = points_build(p, setup);
  if (code)
    og_cpu_points_destroy(p);
  else
    *points = p;
  return code;
}

void og_cpu_points_destroy(void *points) {
  og_cpu_points *p = points;
  if (!p)
    return;
  for (int d = 0; d < 3; d++) {
    og_free(p->cut[d].begin);
    og_free(p->cut[d].key);
  }
  void *const owned[] = {p->coef,         p->derivative,   p->histogram, p->tile_begin, p->memory,
                         p->spread_tasks, p->interp_tasks, p->tails,     p->tail_task};
  for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
    og_free(owned[k]);
  og_free(p);
}

const char *og_cpu_points_simd(void *points) { return ((og_cpu_points *)points)->kernels->simd; }

/* What n points are stored as. */
typedef struct {
  int two_step, sorted;
  int64_t room; /* records of a thread's share of the scratch */
  size_t records, destination, values, resident, scratch;
} plan_of_memory;

static int memory_plan(const og_cpu_points *p, int64_t n, int log_tile, plan_of_memory *m) {
  OG_CHECK(n >= 0 && n < (int64_t)UINT32_MAX - 63, OG_ERR_SIZE, "%lld points, must be fewer than 2^32 - 64",
           (long long)n);
  m->two_step = p->dims_stored && n * (int64_t)p->value_bytes > TWO_STEP_BYTES;
  m->sorted = log_tile > p->ring.log_block;
  m->records = og_round_up((size_t)n * p->record_bytes, 64) + RECORD_PAD;
  m->destination = m->two_step ? og_round_up((size_t)n * 4, 64) : 0;
  m->values = m->two_step ? (size_t)n * p->value_bytes : 0;
  m->resident = m->records + m->destination + m->values;
  m->room = m->sorted ? og_cpu_sort_room(p, n) : 0;
  m->scratch = (size_t)og_cpu_tasks_team(p, n) * (size_t)m->room * p->record_bytes;
  return OG_OK;
}

int og_cpu_points_bytes(void *points, int64_t n, size_t *resident, size_t *scratch) {
  og_cpu_points *p = points;
  plan_of_memory m = {0};
  OG_TRY(memory_plan(p, n, og_cpu_tiling_log(p, n), &m));
  *resident = m.resident;
  *scratch = m.scratch;
  return OG_OK;
}

/* Folds and counts per tile, a histogram per share of the points. Returns the first bad point, or -1. */
static int64_t count_points(og_cpu_points *p, int team, int64_t tiles, int64_t n, const void *const x[3]) {
  int64_t first_bad = INT64_MAX;
#pragma omp parallel for num_threads(team) schedule(static, 1) reduction(min : first_bad) if (team > 1)
  for (int t = 0; t < team; t++) {
    uint32_t *histogram = p->histogram + t * p->histogram_stride;
    memset(histogram, 0, (size_t)tiles * sizeof *histogram);
    int64_t bad = p->kernels->count(p, x, n * t / team, n * (t + 1) / team, histogram);
    if (bad >= 0 && bad < first_bad)
      first_bad = bad;
  }
  return first_bad == INT64_MAX ? -1 : first_bad;
}

static void place_points(og_cpu_points *p, int team, int64_t tiles) {
  int64_t sum = 0;
  for (int64_t k = 0; k < tiles; k++) {
    p->tile_begin[k] = sum;
    for (int t = 0; t < team; t++) {
      uint32_t *h = p->histogram + t * p->histogram_stride + k, c = *h;
      *h = (uint32_t)sum;
      sum += c;
    }
  }
  p->tile_begin[tiles] = sum;
}

static void partition_points(og_cpu_points *p, int team, int64_t n, const void *const x[3]) {
#pragma omp parallel for num_threads(team) schedule(static, 1) if (team > 1)
  for (int t = 0; t < team; t++)
    p->kernels->partition(p, x, n * t / team, n * (t + 1) / team, p->histogram + t * p->histogram_stride);
}

static int bad_point(const og_cpu_points *p, int64_t i, const void *const x[3]) {
  for (int d = 0; d < p->ndim; d++) {
    int single = p->grid.precision == OG_F32 && !p->setup.wide;
    double value = single ? (double)((const float *)x[d])[i] : ((const double *)x[d])[i];
    OG_CHECK(isfinite(value), OG_ERR_POINT, "point %lld has coordinate %c = %g, must be finite", (long long)i, "xyz"[d],
             value);
  }
  return OG_ERR_POINT;
}

int og_cpu_points_set(void *points, int64_t n, const void *const x[3], void *resident, void *scratch) {
  og_cpu_points *p = points;
  plan_of_memory m = {0};
  const int log_tile = p->log_tile;
  OG_TRY(memory_plan(p, n, og_cpu_tiling_log(p, n), &m));
  og_cpu_tiling_set(p, og_cpu_tiling_log(p, n));
  int team = og_cpu_tasks_team(p, n);
  int64_t tiles = (int64_t)p->cut[0].parts * p->cut[1].parts * p->cut[2].parts;
  int64_t bad = count_points(p, team, tiles, n, x);
  if (bad >= 0) { /* the points that were held stay */
    og_cpu_tiling_set(p, log_tile);
    return bad_point(p, bad, x);
  }
  place_points(p, team, tiles);
  p->n = n;
  p->team = team;
  p->two_step = m.two_step;
  p->sorted = m.sorted;
  p->records = resident;
  p->destination = m.two_step ? (uint32_t *)(void *)((char *)resident + m.records) : NULL;
  p->values = m.two_step ? (char *)resident + m.records + m.destination : NULL;
  for (int d = 0; d < 3; d++)
    p->borrowed[d] = x[d];
  memset(p->records + (size_t)n * p->record_bytes, 0, RECORD_PAD);
  partition_points(p, team, n, x);
  if (m.sorted)
    og_cpu_sort(p, scratch, m.room);
  og_cpu_tasks_make(p);
  return OG_OK;
}
