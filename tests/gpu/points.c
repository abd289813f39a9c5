/* Points on a device are in the order of their bins, each once, in its place to rounding; work covers them; bad ones are
 * named and leave everything as it was. */
#include "gpu/points.h"
#include "harness.h"

typedef struct problem {
  int ndim, precision, wide, index_only, sorted;
  int64_t n[3];
  int cells[3], width;
  int64_t n_points, work;
  int kind;  /* see fill */
  int slabs; /* how much less scratch there is than all points want */
  int bits;  /* of a coordinate between the passes; 0: as the library chooses */
} problem;

enum { UNIFORM, ONE_PLACE, CORNER, FAR, EXACT, KINDS };

typedef struct made {
  test_gpu *gpu;
  const problem *q;
  og_grid grid;
  og_window window;
  og_points_setup setup;
  og_gpu_methods methods;
  og_gpu_points *points;
  og_gpu_sort_trial trial;
  size_t coord, resident_bytes, scratch_bytes;
  char *x[3];
  void *device_x[3], *resident, *scratch;
} made;

static double at(const made *m, int d, int64_t i) {
  return m->coord == 4 ? (double)((const float *)(void *)m->x[d])[i] : ((const double *)(void *)m->x[d])[i];
}

static void put(made *m, int d, int64_t i, double value) {
  if (m->coord == 4)
    ((float *)(void *)m->x[d])[i] = (float)value;
  else
    ((double *)(void *)m->x[d])[i] = value;
}

/* Of one coordinate, in periods; EXACT: in cells. */
static double sample(const problem *q, int d) {
  const double u = 0.5 * test_uniform();
  switch (q->kind) {
  case ONE_PLACE:
    return 0.37;
  case CORNER: /* around 0, where bins wrap around */
    return u / 16;
  case FAR:
    return ldexp(u, (int)test_integer(-3, test_integer(0, 4) ? 40 : q->precision == OG_F32 && !q->wide ? 120 : 1000));
  case EXACT: /* eighths of a cell; the period is n cells */
    return (double)test_integer(0, 8 * q->n[d] - 1) / 8;
  default:
    return u;
  }
}

/* Whether rounding to 32 bits of a bin, an error of pi 2^-32 (cells of the bin) / (sigma sqrt(12)) in a transform, is a tenth of what
 * the best windows reach, or less. */
static int may_round(const og_window *w, const int cells[3]) {
  double most = 1;
  for (int d = 0; d < 3; d++)
    while (most < cells[d])
      most *= 2;
  return w->sigma > 1 && 3.14159265358979 * most * 0x1p-32 / (w->sigma * sqrt(12)) <=
                             0.1 * exp(-3.14159265358979 * w->width * sqrt(1 - 1 / w->sigma));
}

static int slabs_seen; /* cases that went through less scratch than all points want */

static int make(test_gpu *gpu, const problem *q, made *m) {
  *m = (made){.gpu = gpu, .q = q};
  m->grid = (og_grid){.ndim = q->ndim, .precision = q->precision, .values = OG_COMPLEX};
  m->window.width = q->width;
  m->window.sigma = (double)test_integer(2, 5) / 2; /* 1: not known */
  m->setup = (og_points_setup){.grid = &m->grid, .window = &m->window, .index_only = q->index_only, .wide = q->wide};
  m->methods = (og_gpu_methods){.work = q->work, .sorted = q->sorted};
  m->coord = q->wide || q->precision == OG_F64 ? 8 : 4;
  for (int d = 0; d < 3; d++) {
    m->grid.n[d] = d < q->ndim ? q->n[d] : 1;
    m->methods.cells[d] = d < q->ndim ? q->cells[d] : 1;
    m->setup.period[d] = q->kind == EXACT ? (double)m->grid.n[d] : 6.283185307179586476925;
    m->setup.shift[d] = q->kind == UNIFORM ? 0.7 * (d + 1) - 40 * d : 0;
  }
  for (int d = 0; d < q->ndim; d++) {
    m->x[d] = test_keep(calloc((size_t)q->n_points + 1, m->coord));
    for (int64_t i = 0; i < q->n_points; i++)
      put(m, d, i, sample(q, d) * (q->kind == EXACT ? 1 : m->setup.period[d]));
    m->device_x[d] = test_gpu_put(gpu, m->x[d], ((size_t)q->n_points + 1) * m->coord);
  }
  if (!CHECK_OK(og_gpu_points_create(gpu->device, gpu->queue, &m->setup, &m->points)))
    return 0;
  m->trial.stage_bits = q->bits;
  m->points->trial = &m->trial;
  size_t all = 0;
  if (!CHECK_OK(og_gpu_points_bytes(m->points, &m->methods, q->n_points, &m->resident_bytes, &all)))
    return 0;
  const size_t room = all / (size_t)q->slabs + 1;
  m->scratch_bytes = room;
  if (!CHECK_OK(og_gpu_points_bytes(m->points, &m->methods, q->n_points, &m->resident_bytes, &m->scratch_bytes)))
    return 0;
  CHECK(m->scratch_bytes <= room || m->scratch_bytes == all, "%zu bytes of scratch, with %zu at hand; all are %zu",
        m->scratch_bytes, room, all);
  if (q->sorted && q->slabs > 1 && m->scratch_bytes < all)
    slabs_seen++;
  m->trial.slabs = m->scratch_bytes == all ? q->slabs : 0; /* where tables take most of it, in spite of that */
  m->scratch_bytes = m->trial.slabs > 1 ? 2 * all + 4096 : m->scratch_bytes;
  m->resident = test_gpu_put(gpu, NULL, m->resident_bytes + 1);
  m->scratch = test_gpu_put(gpu, NULL, m->scratch_bytes + 1);
  CHECK_OK(gpu->driver->fill(gpu->queue, m->scratch, 0xa5, m->scratch_bytes));
  return 1;
}

static int set(made *m) {
  return og_gpu_points_set(m->points, &m->methods, m->q->n_points, (const void *const *)m->device_x, m->resident,
                           m->scratch, m->scratch_bytes);
}

static void unmake(made *m) {
  const og_gpu_driver *driver = m->gpu->driver;
  void *device = m->gpu->device->handle;
  og_gpu_points_destroy(m->points);
  for (int d = 0; d < m->q->ndim; d++)
    driver->release(device, m->device_x[d]);
  driver->release(device, m->resident);
  driver->release(device, m->scratch);
}

static void *fetch(made *m, const void *from, size_t bytes) {
  void *to = test_keep(malloc(bytes + 1));
  if (bytes)
    CHECK_OK(m->gpu->driver->copy(m->gpu->queue, to, from, bytes));
  CHECK_OK(m->gpu->driver->finish(m->gpu->queue));
  return to;
}

/* Grid coordinate minus half the width, modulo n, with more digits than a double has. */
static long double exact(const made *m, int d, double x) {
  const long double n = (long double)m->grid.n[d], period = (long double)m->setup.period[d];
  const long double lost = m->q->kind == EXACT ? 0 : 2.4492935982947064e-16L; /* of 2 pi by the double nearest to it */
  const long double near = remainder(x, m->setup.period[d]), turns = rintl(((long double)x - near) / period);
  const long double rest = fabsl(turns) < 1e15L ? turns * lost : 0;
  return fmodl((near - rest) / (period + lost) * n + (long double)m->setup.shift[d] - m->q->width / 2.0L + 50 * n, n);
}

/* Distance of two places modulo n. */
static double apart(long double a, long double b, long double n) {
  long double e = fabsl(fmodl(a - b + 8 * n, n));
  return (double)(e < n - e ? e : n - e);
}

/* By how much a record may be off for its digits: single precision, or what was left between the passes. */
static double rounding_of(const made *m, int d) {
  const int fixed = m->q->ndim == 3 && (m->q->bits == 32 || (!m->q->bits && may_round(&m->window, m->q->cells)));
  return m->q->precision == OG_F32 ? 1.5e-7 * m->q->cells[d] : fixed ? m->q->cells[d] * 0x1p-32 : 0;
}

/* What position i says of its point against the point itself; bin: from the offsets. */
static int misplaced(const made *m, const char *record, int64_t bin, uint32_t index) {
  const og_k_points *t = &m->points->table;
  const int ndim = m->q->ndim;
  int64_t column = bin / t->bins[ndim - 1], b[3] = {0};
  b[ndim - 1] = bin % t->bins[ndim - 1];
  if (ndim == 3)
    b[1] = column / t->bins[0];
  if (ndim > 1)
    b[0] = column % t->bins[0];
  for (int d = 0; d < ndim; d++) {
    const long double n = (long double)t->n[d], want = exact(m, d, at(m, d, index));
    const int64_t first = b[d] * t->cells[d], end = first + t->cells[d] < t->n[d] ? first + t->cells[d] : t->n[d];
    const double slack = 1e-11 * (double)n;
    if (m->q->index_only) { /* starts are places rounded up */
      const double middle = (double)(first + end - 1) / 2 - 0.5;
      if (apart(want, (long double)middle, n) > (double)(end - first) / 2 + slack)
        return 1;
      continue;
    }
    const double u = m->q->precision == OG_F32 ? (double)((const float *)(const void *)record)[d]
                                               : ((const double *)(const void *)record)[d];
    const double start = floor(u), f = u - start, rounding = rounding_of(m, d);
    if (u < 0 || start >= (double)(end - first))
      return 1;
    if (apart((long double)first + start - f, want, n) > slack + rounding)
      return 1;
  }
  return 0;
}

static void check_sorted(made *m) {
  const problem *q = m->q;
  const og_gpu_sorted *s = &m->points->sorted;
  const og_k_points *t = &m->points->table;
  const size_t record = q->index_only ? 4 : m->points->compiled.record_bytes, real = q->precision == OG_F32 ? 4 : 8;
  const uint32_t *offsets = fetch(m, s->begin, (size_t)(t->n_bins + 1) * 4);
  const char *records = fetch(m, s->records, (size_t)q->n_points * record);
  char *seen = test_keep(calloc((size_t)q->n_points + 1, 1));
  int64_t wrong = 0, twice = 0, falling = 0;
  CHECK(offsets[0] == 0 && offsets[t->n_bins] == q->n_points, "offsets run from %u to %u, want 0 and %lld", offsets[0],
        offsets[t->n_bins], (long long)q->n_points);
  for (int64_t bin = 0; bin < t->n_bins; bin++)
    falling += offsets[bin] > offsets[bin + 1];
  if (!CHECK(!falling, "%lld bins end before they begin", (long long)falling))
    return;
  for (int64_t bin = 0; bin < t->n_bins; bin++)
    for (int64_t i = offsets[bin]; i < offsets[bin + 1]; i++) {
      uint32_t index;
      memcpy(&index, records + (size_t)i * record + (q->index_only ? 0 : (size_t)q->ndim * real), 4);
      if (index >= q->n_points || seen[index]++)
        twice++;
      else
        wrong += misplaced(m, records + (size_t)i * record, bin, index);
    }
  CHECK(!twice, "%lld indices are out of range or there twice", (long long)twice);
  CHECK(!wrong, "%lld points are not where they belong", (long long)wrong);
}

/* Of points whose places are eighths of a cell everything is exact: the offsets are those of a plain count. */
static void check_counts(made *m) {
  const problem *q = m->q;
  const og_k_points *t = &m->points->table;
  const uint32_t *offsets = fetch(m, m->points->sorted.begin, (size_t)(t->n_bins + 1) * 4);
  int64_t *count = test_keep(calloc((size_t)t->n_bins + 1, sizeof *count)), wrong = 0;
  for (int64_t i = 0; i < q->n_points; i++) {
    int64_t bin = 0;
    static const int order[4][3] = {{0}, {0}, {0, 1}, {1, 0, 2}};
    for (int k = 0; k < q->ndim; k++) {
      const int d = order[q->ndim][k];
      const int64_t eighths = (int64_t)(8 * at(m, d, i)) - 4 * q->width + 8 * t->n[d];
      bin = bin * t->bins[d] + (eighths + 7) / 8 % t->n[d] / t->cells[d];
    }
    count[bin]++;
  }
  for (int64_t bin = 0, sum = 0; bin < t->n_bins; sum += count[bin++])
    wrong += offsets[bin] != sum;
  CHECK(!wrong, "%lld bins begin where a count says they do not", (long long)wrong);
}

static void check_work(made *m) {
  const problem *q = m->q;
  const og_gpu_sorted *s = &m->points->sorted;
  const og_k_points *t = &m->points->table;
  const int64_t stream = t->bins[q->ndim - 1];
  const uint32_t *offsets = fetch(m, s->begin, (size_t)(t->n_bins + 1) * 4);
  const og_k_work *work = fetch(m, s->work, (size_t)s->n_work * sizeof *work);
  uint32_t end = 0;
  int64_t wrong = 0, largest = 0;
  for (int64_t i = 0; i < s->n_work; i++) {
    const og_k_work w = work[i];
    wrong += w.begin != end || w.end < w.begin;
    end = w.end;
    if (w.begin == w.end)
      continue;
    const int64_t bin = (int64_t)w.column * stream + w.bin;
    wrong += (int64_t)w.bin >= stream || bin >= t->n_bins || offsets[bin] > w.begin || offsets[bin + 1] <= w.begin ||
             offsets[(w.column + 1) * stream] < w.end;
    largest = w.end - w.begin > largest ? w.end - w.begin : largest;
  }
  CHECK(!wrong && end == q->n_points, "%lld of %lld items of work are wrong; they end at %u", (long long)wrong,
        (long long)s->n_work, end);
  CHECK(4 * largest <= 5 * q->work + 4, "an item of work has %lld points, asked for %lld", (long long)largest,
        (long long)q->work);
}

/* Points that are not finite, the first of them in a later coordinate than the second. */
static void check_bad(made *m) {
  static const double bad[3] = {NAN, INFINITY, -INFINITY};
  const problem *q = m->q;
  const int64_t first = q->n_points / 3, second = q->n_points / 2;
  const void *held = m->points->sorted.records;
  char sentence[64];
  if (q->n_points < 8)
    return;
  char *before = fetch(m, m->resident, m->resident_bytes);
  for (int k = 0; k < 3; k++) {
    double saved[2] = {at(m, q->ndim - 1, first), at(m, 0, second)};
    put(m, 0, second, bad[(k + 1) % 3]);
    put(m, q->ndim - 1, first, bad[k]);
    for (int d = 0; d < q->ndim; d++)
      CHECK_OK(m->gpu->driver->copy(m->gpu->queue, m->device_x[d], m->x[d], (size_t)q->n_points * m->coord));
    const int code = set(m);
    snprintf(sentence, sizeof sentence, "point %lld has coordinate %c", (long long)first, "xyz"[q->ndim - 1]);
    CHECK(code == OG_ERR_POINT && strstr(og_last_error(), sentence), "code %d, %s; want '%s'", code, og_last_error(),
          sentence);
    put(m, 0, second, saved[1]);
    put(m, q->ndim - 1, first, saved[0]);
  }
  char *after = fetch(m, m->resident, m->resident_bytes);
  CHECK(!memcmp(before, after, m->resident_bytes), "a bad point changed what is resident");
  CHECK(m->points->sorted.records == held && m->points->table.n_points == q->n_points, "the points held were let go");
  for (int d = 0; d < q->ndim; d++)
    CHECK_OK(m->gpu->driver->copy(m->gpu->queue, m->device_x[d], m->x[d], (size_t)q->n_points * m->coord));
}

static void check_plain(made *m) {
  const og_gpu_sorted *s = &m->points->sorted;
  CHECK(!s->records && !s->packed, "unsorted points have records");
  for (int d = 0; d < m->q->ndim; d++) {
    const char *x = fetch(m, s->x[d], (size_t)m->q->n_points * m->coord);
    CHECK(!memcmp(x, m->x[d], (size_t)m->q->n_points * m->coord), "coordinate %d was changed", d);
    CHECK((s->x[d] == m->device_x[d]) == m->q->index_only, "coordinate %d borrowed: %d", d, s->x[d] == m->device_x[d]);
  }
}

static void run(test_gpu *gpu, const problem *q) {
  made m;
  test_case("%s %dd %s%s%s %lld points kind %d slabs %d bits %d bins %d %d %d of %lld %lld %lld", gpu->driver->name,
            q->ndim, q->precision == OG_F32 ? "f32" : "f64", q->wide ? " wide" : "",
            q->index_only ? " index only"
            : q->sorted   ? ""
                          : " unsorted",
            (long long)q->n_points, q->kind, q->slabs, q->bits, q->cells[0], q->cells[1], q->cells[2],
            (long long)q->n[0], (long long)q->n[1], (long long)q->n[2]);
  if (make(gpu, q, &m)) {
    for (int again = 0; again < 2; again++) { /* the second time over what the first left, bad points in between */
      if (!CHECK_OK(set(&m)))
        break;
      if (q->sorted) {
        check_sorted(&m);
        check_work(&m);
        if (q->kind == EXACT)
          check_counts(&m);
      } else
        check_plain(&m);
      if (!again)
        check_bad(&m);
    }
  }
  unmake(&m);
  test_free();
}

/* 32 bits between the passes are taken where they add a tenth at most to the error that is expected of the window, and often. */
static void check_bits(test_gpu *gpu) {
  int taken[2] = {0, 0};
  for (int width = 2; width <= OG_MAX_WIDTH; width++)
    for (int k = 0; k < 7; k++) {
      static const int bins[3] = {8, 2, 2};
      og_grid grid = {.ndim = 3, .precision = OG_F64, .values = OG_COMPLEX, .n = {64, 64, 64}};
      og_window window = {.width = width, .sigma = 1.25 + 0.25 * k};
      og_points_setup setup = {.grid = &grid, .window = &window, .period = {1, 1, 1}};
      og_gpu_methods methods = {.cells = {bins[0], bins[1], bins[2]}, .work = 256, .sorted = 1};
      og_gpu_macro macros[OG_GPU_POINTS_MACROS];
      og_gpu_points *points;
      int bits = 0;
      test_case("%s width %d sigma %g", gpu->driver->name, width, window.sigma);
      if (!CHECK_OK(og_gpu_points_create(gpu->device, gpu->queue, &setup, &points)))
        return;
      if (CHECK_OK(og_gpu_points_macros(points, &methods, 1000, macros)))
        for (int i = 0; macros[i].name; i++)
          if (!strcmp(macros[i].name, "STAGE_BITS"))
            bits = (int)macros[i].value;
      og_gpu_points_destroy(points);
      CHECK(bits == 32 || bits == 52, "%d bits", bits);
      taken[bits == 32]++;
      const double rounding = 3.14159265358979 * bins[0] * 0x1p-32 / (window.sigma * sqrt(12)),
                   window_error = og_window_expected_error(OG_OPTIMAL, width, window.sigma, 3, 0, 0);
      CHECK(bits == 52 || rounding < 0.1 * window_error, "32 bits, an error of %.1e, where the window's is %.1e",
            rounding, window_error);
    }
  CHECK(taken[0] > 20 && taken[1] > 20, "32 bits %d times, 52 %d times", taken[1], taken[0]);
}

static void run_driver(const og_gpu_driver *driver) {
  static const problem shapes[] = {
      {.ndim = 1, .n = {5000}, .cells = {4}, .width = 7, .work = 500},
      {.ndim = 1, .n = {40}, .cells = {1}, .width = 16, .work = 256},
      {.ndim = 2, .n = {90, 130}, .cells = {5, 4}, .width = 4, .work = 256},
      {.ndim = 3, .n = {30, 25, 43}, .cells = {4, 3, 2}, .width = 5, .work = 300},
      {.ndim = 3, .n = {16, 16, 16}, .cells = {16, 16, 16}, .width = 2, .work = 1000},
      {.ndim = 3, .n = {160, 150, 180}, .cells = {2, 1, 1}, .width = 8, .work = 256},
      {.ndim = 3, .n = {170, 180, 190}, .cells = {1, 1, 1}, .width = 8, .work = 256}, /* counted in global memory */
  };
  test_gpu gpu;
  if (!test_gpu_open(driver, &gpu)) {
    test_gpu_close(&gpu);
    return;
  }
  check_bits(&gpu);
  const int simulated = !!strstr(gpu.device->info.name, "Oclgrind");
  const int rare = simulated ? 8 : driver == &og_gpu_opencl ? 4 : 1; /* its compiler is slow */
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int form = 0; form < 6; form++) { /* f64, f32, wide; sorted copies, indices; unsorted */
        static const int64_t sizes[] = {30000, 1, 0, 777, 4096, 300000};
        problem q = shapes[i];
        q.kind = kind;
        q.precision = form % 3 ? OG_F32 : OG_F64;
        q.wide = form % 3 == 2 && form < 3;
        q.sorted = form != 5;
        q.index_only = form >= 3 && form < 5;
        for (int size = 0; size < 6; size++) {
          static const int bits[] = {0, 0, 32, 52};
          q.n_points = sizes[size];
          q.slabs = (int)test_integer(0, 1) ? 1 : (int)test_integer(2, 3);
          q.bits = bits[test_integer(0, 3)];
          if (simulated && (q.n_points > 777 || i >= 5 || (test.all && kind != UNIFORM && kind != ONE_PLACE)))
            continue;
          if (!test_sample((size == 0 ? 6 : size == 5 ? 40 : 12) * rare))
            continue;
          run(&gpu, &q);
        }
      }
  test_gpu_close(&gpu);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "points of a device are sorted, placed, cut into work and checked");
  for (int i = 0; i < TEST_DRIVERS; i++)
    if (test_driver_thorough(test_drivers[i]))
      run_driver(test_drivers[i]);
  test_case("all");
  CHECK(slabs_seen > 0, "no case had several slabs");
  return test_end();
}
