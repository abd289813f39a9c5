/* See points.h. */
#include "gpu/points.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define TWO_PI 6.283185307179586476925
#define TWO_PI_REST 2.4492935982947064e-16 /* 2 pi minus the double nearest to it */
enum { PARTITION, PAGES, COUNT, OFFSETS, SCATTER, WORK, CHECK, LATER };
enum { MAX_SLABS = 3 };      /* each more costs a tenth of the sort on an H200 */
enum { TABLE_BYTES = 1024 }; /* room for og_k_points, and behind it for og_k_sort */

static size_t coordinate_bytes(const og_gpu_points *p) {
  return p->setup.wide ? sizeof(double) : og_real_bytes(p->setup.grid->precision);
}

static int log2_up(int64_t n) {
  int log = 0;
  while ((int64_t)1 << log < n)
    log++;
  return log;
}

/* ---- tables ---- */

/* The period in three parts: 32 bits, the rest, and what a double cannot hold of 2 pi. */
static void split_period(double period, double part[3]) {
  union {
    double value;
    uint64_t bits;
  } head = {period};
  head.bits &= ~(((uint64_t)1 << 21) - 1);
  part[0] = head.value;
  part[1] = period - head.value;
  part[2] = period == TWO_PI ? TWO_PI_REST : 0;
}

static og_k_points describe(const og_gpu_points *p, const int cells[3], int64_t n_points) {
  const og_grid *grid = p->setup.grid;
  og_k_points t = {.n_points = n_points, .n_bins = 1};
  for (int d = 0; d < 3; d++) {
    const double n = (double)grid->n[d], shift = p->setup.shift[d];
    t.n[d] = grid->n[d];
    t.extent[d] = n;
    t.cells[d] = cells[d];
    t.bins[d] = (grid->n[d] + cells[d] - 1) / cells[d];
    t.n_bins *= t.bins[d];
    if (d >= grid->ndim)
      continue;
    split_period(p->setup.period[d], t.period[d]);
    t.inverse[d] = 1 / p->setup.period[d];
    t.scale[d] = n / p->setup.period[d];
    t.shift[d] = shift - n * floor(shift / n);
    t.origin[d] = t.shift[d] - p->setup.window->width / 2.0;
    t.turn[d] = t.origin[d] / n - 0.5;
  }
  return t;
}

static og_k_sort describe_sort(const og_gpu_points *p, const og_k_points *t, const og_gpu_sort_plan *plan) {
  const int bits = /* that u has, whose last one `big` brings to a double's */
      p->setup.grid->precision == OG_F32 ? 24 : plan->stage_bits;
  union {
    double value;
    uint64_t bits;
  } far = {HUGE_VAL};
  og_k_sort sort = {.shift = plan->shift, .parts = plan->parts, .log_page = plan->log_page};
  for (int d = 0; d < 3; d++) {
    const int log_cells = log2_up(t->cells[d]);
    sort.cells[d] = t->cells[d];
    sort.inverse_cells[d] = 1.0 / t->cells[d];
    sort.middle[d] = (1.0 / t->cells[d] - 1) / 2;
    sort.big[d] = ldexp(1, log_cells + 52 - bits);
    sort.most[d] = 1 - ldexp(1, log_cells - bits);
    if (d < p->setup.grid->ndim && p->setup.period[d] * 0x1p20 < far.value)
      far.value = p->setup.period[d] * 0x1p20;
  }
  sort.far = (u32)(far.bits >> 32);
  return sort;
}

/* ---- what suits n points in so many bins ---- */

/* Chunks and pages that suit the device; few points get small ones, so that all units work and pages waste little. */
static void choose_teams(const og_gpu_points *p, int64_t n, og_gpu_sort_plan *plan) {
  const og_gpu_info *info = &p->device->info;
  if (info->max_team < 64) {
    plan->team = plan->page_team = 1;
    plan->each = plan->max_page = 256;
    return;
  }
  const int small = p->packed && og_real_bytes(p->setup.grid->precision) == sizeof(double) ? 0 : 1;
  plan->each = info->local_bytes < 200 << 10 ? 4 : small ? 8 : 6; /* longer runs per partition */
  plan->team = n < 1 << 18 || info->max_team < 256                     ? 64
               : info->local_bytes < 100 << 10 || info->max_team < 512 ? 256
                                                                       : 512;
  plan->page_team = info->max_team < 256 ? 64 : info->max_team < 1024 ? 256 : 1024;
  plan->max_page = info->local_bytes < 64 << 10 ? 2048 : 4096;
}

/* Partitions and bins in each: about as many of both, because each is a table in local memory. */
static void choose_parts(int64_t n_bins, og_gpu_sort_plan *plan) {
  const int log_bins = log2_up(n_bins);
  plan->max_parts = 512;
  plan->shift = log_bins <= 18 ? (log_bins + 1) / 2 : log_bins - 9;
  plan->max_fine = plan->shift <= 11 ? 2048 : 1 << plan->shift;
  if (plan->shift > 13)
    plan->max_fine = 0; /* counted in global memory */
  plan->parts = (int)((n_bins + ((int64_t)1 << plan->shift) - 1) >> plan->shift);
}

/* Bits of a coordinate between the passes. A rounding to b bits of bins of 2^c cells moves points by 2^(c - b) / sqrt(12) of a cell
 * (rms), and modes, |k| <= n / (2 sigma), turn by 2 pi k / n times that: in three dimensions that is a relative error
 * of pi 2^(c - b) / (sigma sqrt(12)) in the transform. It may be a tenth of exp(-pi w sqrt(1 - 1 / sigma)), below which
 * hardly any window of width w gets (Barnett, Magland, af Klinteberg 2019), so it adds 0.5 % at most. */
static int choose_bits(const og_gpu_points *p, const int cells[3]) {
  const og_window *window = p->setup.window;
  double widest = 0;
  if (window->sigma <= 1)
    return 52;
  for (int d = 0; d < 3; d++)
    widest = fmax(widest, ldexp(1, log2_up(cells[d])));
  const double error = 0.907 / window->sigma * widest * 0x1p-32;
  return error <= 0.1 * exp(-PI * window->width * sqrt(1 - 1 / window->sigma)) ? 32 : 52;
}

static size_t place(size_t *end, int64_t count, size_t each) {
  const size_t at = *end;
  *end = og_round_up(at + (size_t)count * each, 256);
  return at;
}

/* The places in the scratch for slabs of n points. */
static void place_scratch(const og_k_points *t, int64_t n, og_gpu_sort_plan *plan) {
  size_t end = 0;
  for (plan->log_page = log2_up(plan->team * plan->each);
       1 << plan->log_page < plan->max_page && (int64_t)plan->parts << plan->log_page < n;)
    plan->log_page++;
  const int64_t page = (int64_t)1 << plan->log_page;
  plan->slab = n;
  plan->n_pages = n / page + plan->parts;
  (void)place(&end, plan->parts + 1 + (n / page + 1) * plan->parts, 4);
  plan->totals = place(&end, t->n_bins, 4);
  plan->later = place(&end, n < t->n_points ? t->n_bins : 0, 4);
  plan->zeros = end;
  plan->bad = place(&end, 1, 8);
  plan->begin = place(&end, plan->parts + 2, 4);
  plan->all_begin = place(&end, plan->parts + 2, 4);
  plan->list = place(&end, plan->n_pages, 16);
  plan->keys = place(&end, plan->n_pages * page, plan->key_bytes);
  plan->drawn = place(&end, plan->max_fine ? plan->n_pages << plan->shift : 0, 4);
  plan->stage = place(&end, plan->n_pages * page, plan->stage_bytes);
  plan->scratch = end;
}

/* In one slab where `room` bytes of scratch do, else in as few as fit it; where that is more than MAX_SLABS, in one, whose
 * plan->scratch says what it needs. */
static int make_plan(const og_gpu_points *p, const og_gpu_methods *methods, const og_k_points *t, size_t room,
                     og_gpu_sort_plan *plan) {
  static const size_t record[2][3] = {{16, 24, 32}, {8, 16, 16}};
  const int single = p->setup.grid->precision == OG_F32, ndim = p->setup.grid->ndim;
  const int64_t n = t->n_points, columns = t->n_bins / t->bins[ndim - 1];
  size_t end = 0;
  *plan = (og_gpu_sort_plan){.record_bytes = p->packed ? record[single][ndim - 1] : 4, .stage_bits = 52};
  choose_teams(p, n, plan);
  choose_parts(t->n_bins, plan);
  plan->stage_bytes = plan->record_bytes;
  if (plan->record_bytes == 32) {
    plan->stage_bits = p->trial && p->trial->stage_bits ? p->trial->stage_bits : choose_bits(p, t->cells);
    plan->stage_bytes = plan->stage_bits < 52 ? 16 : 24;
  }
  plan->key_bytes = plan->max_fine ? 2 : 4;
  const int64_t least = p->trial && p->trial->slabs ? p->trial->slabs : 1;
  int64_t slabs = least;
  for (; slabs <= MAX_SLABS; slabs++) {
    place_scratch(t, (n + slabs - 1) / slabs, plan);
    if (plan->scratch <= room)
      break;
  }
  if (slabs > MAX_SLABS)
    place_scratch(t, (n + least - 1) / least, plan);
  OG_CHECK(n >= 0 && n + ((int64_t)plan->parts << plan->log_page) <= UINT32_MAX, OG_ERR_SIZE,
           "%lld points, must be fewer than 2^32 - %lld in this grid", (long long)n,
           (long long)plan->parts << plan->log_page);
  OG_CHECK(t->n_bins < INT32_MAX, OG_ERR_SIZE, "%lld bins of points, must be fewer than 2^31", (long long)t->n_bins);
  (void)place(&end, n, plan->record_bytes);
  plan->offsets = place(&end, t->n_bins + 1, 4);
  plan->work = place(&end, columns + n / methods->work, sizeof(og_k_work));
  plan->resident = end;
  return OG_OK;
}

/* Nothing is sorted: the points are copied as they are, or borrowed. */
static void make_plain_plan(const og_gpu_points *p, int64_t n, og_gpu_sort_plan *plan) {
  size_t end = 0;
  *plan = (og_gpu_sort_plan){.parts = 1, .max_parts = 1, .max_fine = 1, .stage_bits = 52};
  choose_teams(p, n, plan);
  for (int d = 0; d < p->setup.grid->ndim && p->packed; d++)
    (void)place(&end, n, coordinate_bytes(p));
  plan->resident = end;
  plan->scratch = sizeof(uint64_t);
}

/* ---- kernels ---- */

static int same_kernels(const og_gpu_sort_plan *a, const og_gpu_sort_plan *b) {
  return a->team == b->team && a->each == b->each && a->page_team == b->page_team && a->max_parts == b->max_parts &&
         a->max_fine == b->max_fine && a->max_page == b->max_page && a->stage_bits == b->stage_bits;
}

static void fill_macros(const og_gpu_points *p, const og_gpu_sort_plan *plan, og_gpu_macro *macros) {
  const int64_t real = (int64_t)og_real_bytes(p->setup.grid->precision);
  const og_gpu_macro all[OG_GPU_POINTS_MACROS] = {{"DIM", p->setup.grid->ndim},
                                                  {"REAL_BYTES", real},
                                                  {"ACC_BYTES", real},
                                                  {"COORD_BYTES", (int64_t)coordinate_bytes(p)},
                                                  {"PACKED", p->packed},
                                                  {"TEAM_SIZE", plan->team},
                                                  {"EACH", plan->each},
                                                  {"PAGE_TEAM", plan->page_team},
                                                  {"PARTS", plan->max_parts},
                                                  {"FINE", plan->max_fine},
                                                  {"PAGE", plan->max_page},
                                                  {"PARTITION_GROUPS", 2},
                                                  {"PAGE_GROUPS", 2},
                                                  {"STAGE_BITS", plan->stage_bits},
                                                  {NULL, 0}};
  memcpy(macros, all, sizeof all);
}

int og_gpu_points_macros(const og_gpu_points *p, const og_gpu_methods *methods, int64_t n, og_gpu_macro *macros) {
  og_gpu_sort_plan plan;
  const og_k_points t = describe(p, methods->cells, n);
  OG_TRY(make_plan(p, methods, &t, SIZE_MAX, &plan));
  fill_macros(p, &plan, macros);
  return OG_OK;
}

static int make_kernels(og_gpu_points *p, const og_gpu_sort_plan *plan) {
  static const char *const names[OG_GPU_POINTS_KERNELS] = {"points_partition", "points_pages",   "points_count",
                                                           "points_offsets",   "points_scatter", "points_work",
                                                           "points_check",     "points_later"};
  og_gpu_macro macros[OG_GPU_POINTS_MACROS];
  og_gpu_kernel_info info;
  if (p->kernel[0] && same_kernels(&p->compiled, plan))
    return OG_OK;
  fill_macros(p, plan, macros);
  for (int i = 0; i < OG_GPU_POINTS_KERNELS; i++)
    OG_TRY(og_gpu_program(p->device, "points.c", macros, names[i], &p->kernel[i], &info));
  p->compiled = *plan;
  return OG_OK;
}

/* ---- the object ---- */

int og_gpu_points_create(og_gpu_device *device, void *queue, const og_points_setup *setup, og_gpu_points **points) {
  const og_grid *grid = setup->grid;
  *points = NULL;
  for (int d = 0; d < grid->ndim; d++)
    OG_CHECK(grid->n[d] >= setup->window->width && grid->n[d] < INT32_MAX / 2, OG_ERR_SIZE,
             "fine grid of %lld cells in dimension %d, must be %d to %d", (long long)grid->n[d], d,
             setup->window->width, INT32_MAX / 2 - 1);
  og_gpu_points *p = og_allocate_zeroed(sizeof *p);
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for the points' description");
  p->device = device;
  p->queue = queue;
  p->setup = *setup;
  p->packed = !setup->index_only;
  if (!device->driver->table_by_value) {
    int code = device->driver->allocate(device->handle, (size_t)4 * TABLE_BYTES, &p->tables);
    if (code) {
      og_free(p);
      return code;
    }
  }
  *points = p;
  return OG_OK;
}

void og_gpu_points_destroy(og_gpu_points *p) {
  if (p && p->tables)
    p->device->driver->release(p->device->handle, p->tables);
  og_free(p);
}

int og_gpu_points_bytes(const og_gpu_points *p, const og_gpu_methods *methods, int64_t n, size_t *resident,
                        size_t *scratch) {
  og_gpu_sort_plan plan;
  const og_k_points t = describe(p, methods->cells, n);
  if (methods->sorted)
    OG_TRY(make_plan(p, methods, &t, *scratch, &plan));
  else
    make_plain_plan(p, n, &plan);
  *resident = plan.resident;
  *scratch = plan.scratch;
  return OG_OK;
}

/* ---- setting points ---- */

/* A set in the making. */
typedef struct making {
  og_gpu_points *p;
  og_gpu_sort_plan plan;
  og_k_points table;
  og_k_sort sort;
  const void *table_address, *sort_address;
  char *scratch, *resident;
} making;

static og_gpu_arg points_table(const making *m) {
  return m->table_address ? OG_GPU_ARG(m->table_address) : OG_GPU_ARG(m->table);
}

static og_gpu_arg sort_table(const making *m) {
  return m->sort_address ? OG_GPU_ARG(m->sort_address) : OG_GPU_ARG(m->sort);
}

static void watch(const og_gpu_points *p, int kernel) {
  if (p->trial && p->trial->watch)
    p->trial->watch(p->trial->context, kernel);
}

static int launch(const making *m, int kernel, int64_t groups, int n_args, const og_gpu_arg *args) {
  const int by_page = kernel == COUNT || kernel == SCATTER;
  const int64_t shape[3] = {groups, 1, 1};
  if (groups == 0)
    return OG_OK;
  watch(m->p, kernel);
  return m->p->device->driver->launch(m->p->queue, m->p->kernel[kernel], shape,
                                      by_page ? m->plan.page_team : m->plan.team, n_args, args);
}
#define LAUNCH(m, kernel, groups, ...)                                                                                 \
  OG_TRY(launch(m, kernel, groups, (int)(sizeof((og_gpu_arg[]){__VA_ARGS__}) / sizeof(og_gpu_arg)),                    \
                (og_gpu_arg[]){__VA_ARGS__}))

static int send_tables(making *m) {
  og_gpu_points *p = m->p;
  if (!p->tables)
    return OG_OK;
  char *table = (char *)p->tables + (size_t)(1 - p->table_set) * 2 * TABLE_BYTES;
  OG_TRY(p->device->driver->copy(p->queue, table, &m->table, sizeof m->table));
  OG_TRY(p->device->driver->copy(p->queue, table + TABLE_BYTES, &m->sort, sizeof m->sort));
  m->table_address = table;
  m->sort_address = table + TABLE_BYTES;
  return OG_OK;
}

/* Where a kernel finds its arrays. */
typedef struct arrays {
  char *counters, *totals, *later, *bad, *begin, *all_begin, *list, *keys, *drawn, *stage, *records, *offsets, *work;
  const void *x, *y, *z;
} arrays;

static arrays find_arrays(const making *m, const void *const x[3]) {
  const og_gpu_sort_plan *plan = &m->plan;
  const int ndim = m->p->setup.grid->ndim;
  char *s = m->scratch;
  return (arrays){.counters = s,
                  .totals = s + plan->totals,
                  .later = s + plan->later,
                  .bad = s + plan->bad,
                  .begin = s + plan->begin,
                  .all_begin = s + plan->all_begin,
                  .list = s + plan->list,
                  .keys = s + plan->keys,
                  .drawn = s + plan->drawn,
                  .stage = s + plan->stage,
                  .records = m->resident,
                  .offsets = m->resident + plan->offsets,
                  .work = m->resident + plan->work,
                  .x = x[0],
                  .y = ndim > 1 ? x[1] : x[0],
                  .z = ndim > 2 ? x[2] : x[0]};
}

static int launch_partition(const making *m, const arrays *a, int64_t first, int64_t end) {
  const int64_t chunk = m->plan.team * m->plan.each, listed = 1;
  LAUNCH(m, PARTITION, (end - first + chunk - 1) / chunk, points_table(m), sort_table(m), OG_GPU_ARG(a->x),
         OG_GPU_ARG(a->y), OG_GPU_ARG(a->z), OG_GPU_ARG(a->stage), OG_GPU_ARG(a->keys), OG_GPU_ARG(a->counters),
         OG_GPU_ARG(a->bad), OG_GPU_ARG(first), OG_GPU_ARG(end));
  LAUNCH(m, PAGES, m->plan.parts < 64 ? m->plan.parts : 64, sort_table(m), OG_GPU_ARG(a->counters),
         OG_GPU_ARG(a->begin), OG_GPU_ARG(a->list), OG_GPU_ARG(listed));
  return OG_OK;
}

static int launch_count(const making *m, const arrays *a) {
  LAUNCH(m, COUNT, m->plan.n_pages, points_table(m), sort_table(m), OG_GPU_ARG(a->list), OG_GPU_ARG(a->begin),
         OG_GPU_ARG(a->keys), OG_GPU_ARG(a->totals), OG_GPU_ARG(a->drawn));
  return OG_OK;
}

/* The other slabs' points, by bin and, on top of this slab's, by partition. */
static int launch_later(const making *m, const arrays *a) {
  const int64_t first = m->plan.slab, chunk = m->plan.team, listed = 0,
                groups = (m->table.n_points - first + chunk - 1) / chunk, most = 2 * m->p->device->info.units;
  LAUNCH(m, LATER, groups < most ? groups : most, points_table(m), sort_table(m), OG_GPU_ARG(a->x), OG_GPU_ARG(a->y),
         OG_GPU_ARG(a->z), OG_GPU_ARG(a->counters), OG_GPU_ARG(a->later), OG_GPU_ARG(a->bad), OG_GPU_ARG(first));
  LAUNCH(m, PAGES, 1, sort_table(m), OG_GPU_ARG(a->counters), OG_GPU_ARG(a->all_begin), OG_GPU_ARG(a->list),
         OG_GPU_ARG(listed));
  return OG_OK;
}

static int launch_offsets(const making *m, const arrays *a) {
  const int64_t slabs = m->plan.slab < m->table.n_points ? 2 : 1;
  const char *begin = slabs > 1 ? a->all_begin : a->begin;
  LAUNCH(m, OFFSETS, m->plan.parts, points_table(m), sort_table(m), OG_GPU_ARG(begin), OG_GPU_ARG(a->totals),
         OG_GPU_ARG(a->later), OG_GPU_ARG(a->offsets), OG_GPU_ARG(a->bad), OG_GPU_ARG(slabs));
  return OG_OK;
}

static int launch_scatter(const making *m, const arrays *a) {
  const int64_t n_bins = m->table.n_bins;
  LAUNCH(m, SCATTER, m->plan.n_pages, sort_table(m), OG_GPU_ARG(a->list), OG_GPU_ARG(a->begin), OG_GPU_ARG(a->keys),
         OG_GPU_ARG(a->stage), OG_GPU_ARG(a->drawn), OG_GPU_ARG(a->offsets), OG_GPU_ARG(a->totals),
         OG_GPU_ARG(a->records), OG_GPU_ARG(a->bad), OG_GPU_ARG(n_bins));
  return OG_OK;
}

static int launch_sort(const making *m, int64_t work_points, const void *const x[3]) {
  const int64_t n = m->table.n_points, slab = m->plan.slab,
                columns = m->table.n_bins / m->table.bins[m->p->setup.grid->ndim - 1],
                items = columns + n / work_points;
  const arrays a = find_arrays(m, x);
  OG_TRY(launch_partition(m, &a, 0, slab));
  OG_TRY(launch_count(m, &a));
  if (slab < n)
    OG_TRY(launch_later(m, &a));
  OG_TRY(launch_offsets(m, &a));
  OG_TRY(launch_scatter(m, &a));
  for (int64_t first = slab; first < n; first += slab) {
    OG_TRY(m->p->device->driver->fill(m->p->queue, a.counters, 0, m->plan.totals));
    OG_TRY(launch_partition(m, &a, first, n - first < slab ? n : first + slab));
    if (m->plan.max_fine) /* else all were counted before */
      OG_TRY(launch_count(m, &a));
    OG_TRY(launch_scatter(m, &a));
  }
  LAUNCH(m, WORK, (items + m->plan.team - 1) / m->plan.team, points_table(m), OG_GPU_ARG(a.offsets), OG_GPU_ARG(a.work),
         OG_GPU_ARG(work_points), OG_GPU_ARG(a.bad));
  return OG_OK;
}

static int launch_check(const making *m, const void *const x[3]) {
  const int ndim = m->p->setup.grid->ndim;
  const int64_t n = m->table.n_points, groups = (n + m->plan.team - 1) / m->plan.team;
  const void *y = ndim > 1 ? x[1] : x[0], *z = ndim > 2 ? x[2] : x[0];
  char *bad = m->scratch;
  LAUNCH(m, CHECK, groups < 4096 ? groups : 4096, OG_GPU_ARG(n), OG_GPU_ARG(x[0]), OG_GPU_ARG(y), OG_GPU_ARG(z),
         OG_GPU_ARG(bad));
  return OG_OK;
}

/* Waits for the check. */
static int find_bad(const making *m, const void *const x[3]) {
  const og_gpu_driver *driver = m->p->device->driver;
  const size_t bytes = coordinate_bytes(m->p);
  uint64_t bad = 0;
  OG_TRY(driver->copy(m->p->queue, &bad, m->scratch + m->plan.bad, sizeof bad));
  OG_TRY(driver->finish(m->p->queue));
  if (bad == UINT64_MAX)
    return OG_OK;
  for (int d = 0; d < m->p->setup.grid->ndim; d++) {
    double wide = 0;
    float single = 0;
    OG_TRY(driver->copy(m->p->queue, bytes == sizeof single ? (void *)&single : &wide, (const char *)x[d] + bad * bytes,
                        bytes));
    OG_TRY(driver->finish(m->p->queue));
    const double value = bytes == sizeof single ? (double)single : wide;
    OG_CHECK(isfinite(value), OG_ERR_POINT, "point %llu has coordinate %c = %g, must be finite",
             (unsigned long long)bad, "xyz"[d], value);
  }
  OG_FAIL(OG_ERR_POINT, "point %llu changed while it was read", (unsigned long long)bad);
}

/* The set replaces what was held. */
static int hold(const making *m, const og_gpu_methods *methods, const void *const x[3]) {
  og_gpu_points *p = m->p;
  const int ndim = p->setup.grid->ndim;
  og_gpu_sorted *sorted = &p->sorted;
  const int copied = !methods->sorted && p->packed;
  const size_t bytes = coordinate_bytes(p), row = og_round_up((size_t)m->table.n_points * bytes, 256);
  p->table = m->table;
  p->table_set = p->tables ? 1 - p->table_set : 0;
  *sorted =
      (og_gpu_sorted){.table = &p->table, .table_address = m->table_address, .packed = p->packed && methods->sorted};
  for (int d = 0; d < ndim; d++) {
    sorted->x[d] = copied ? m->resident + (size_t)d * row : x[d];
    if (copied && m->table.n_points)
      OG_TRY(p->device->driver->copy(p->queue, m->resident + (size_t)d * row, x[d], (size_t)m->table.n_points * bytes));
  }
  if (copied)
    OG_TRY(p->device->driver->finish(p->queue));
  if (methods->sorted) {
    sorted->records = m->resident;
    sorted->begin = m->resident + m->plan.offsets;
    sorted->work = m->resident + m->plan.work;
    sorted->n_work = m->table.n_bins / m->table.bins[ndim - 1] + m->table.n_points / methods->work;
    for (int d = 0; d < ndim && p->packed; d++)
      sorted->x[d] = NULL;
  }
  return OG_OK;
}

int og_gpu_points_set(og_gpu_points *p, const og_gpu_methods *methods, int64_t n, const void *const x[3],
                      void *resident, void *scratch, size_t scratch_bytes) {
  const og_gpu_driver *driver = p->device->driver;
  making m = {.p = p, .table = describe(p, methods->cells, n), .scratch = scratch, .resident = resident};
  if (methods->sorted)
    OG_TRY(make_plan(p, methods, &m.table, scratch_bytes, &m.plan));
  else
    make_plain_plan(p, n, &m.plan);
  OG_CHECK(m.plan.scratch <= scratch_bytes, OG_ERR_MEMORY, "%zu bytes to sort %lld points, must be at least %zu",
           scratch_bytes, (long long)n, m.plan.scratch);
  m.sort = describe_sort(p, &m.table, &m.plan);
  OG_TRY(make_kernels(p, &m.plan));
  OG_TRY(send_tables(&m));
  watch(p, OG_GPU_POINTS_KERNELS);
  if (m.plan.zeros)
    OG_TRY(driver->fill(p->queue, m.scratch, 0, m.plan.zeros));
  OG_TRY(driver->fill(p->queue, m.scratch + m.plan.bad, 0xff, sizeof(uint64_t)));
  OG_TRY(methods->sorted ? launch_sort(&m, methods->work, x) : launch_check(&m, x));
  watch(p, OG_GPU_POINTS_KERNELS + 1);
  OG_TRY(find_bad(&m, x));
  return hold(&m, methods, x);
}
