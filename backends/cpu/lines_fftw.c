/* FFT lines on FFTW's transforms of single contiguous rows, out of place between the grid and a buffer in cache: FFTW's
 * strided and in-place transforms need a plan measured per stride, and are slower even then.
 *
 *   along x: row -> FFT -> buffer -> the wanted cells back (R2C, C2C forward), a row that is not in cache or not on 16
 *            bytes by way of a second buffer
 *            row's cells that hold data -> buffer, zeros in the gap -> FFT -> row (C2R, C2C backward)
 *   along y and z: the columns of one cache line are gathered as contiguous lines, transformed, and scattered; cells
 *            in the gap are not read, cells nobody wants are not written
 *
 * The planner's work is for one row of n points and each direction, whatever the strides. A line too long for the cache
 * (one-dimensional problems) goes in place: along x by lines_long.c, others by FFTW, with its own threads where there
 * are too few lines to share out. */
#include "base/memory.h"
#include "cpu/columns.h"
#include "cpu/cpu.h"
#include "cpu/fftw_plan.h"
#include "cpu/lines_long.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum {
  CACHE_LINE = 64,
  MAX_COLUMNS = 8,        /* of one cache line */
  LONG_LINE = 512 << 10,  /* bytes: lines above go in place */
  CELLS_PER_THREAD = 8192 /* less work is not worth another thread */
};

typedef struct lines {
  og_lines_setup setup;
  int threads;    /* that share out lines */
  int in_place;   /* never through a buffer */
  int copy_first; /* long rows from memory: FFTW's first step would fetch them in an order that prefetching dislikes */
  int columns;    /* per block: cells of a cache line, 1 along x */
  size_t cell;    /* bytes of a complex cell */
  size_t pitch;   /* bytes between a buffer's lines */
  size_t half;    /* bytes of the input lines of one thread, and of its output lines */
  const og_fftw_plan *plan;
  char *buffer;        /* [threads][2][columns][pitch] */
  og_long_line *whole; /* does a long row by all threads; there is no plan then */
} lines;

/* Cells of a row before and after, in complex cells. */
static int64_t cells_of_row(const og_lines_setup *s) { return s->kind == OG_LINES_C2C ? s->n : s->n / 2 + 1; }

static char *input_of(const lines *l, int thread) { return l->buffer + 2 * l->half * (size_t)thread; }
static char *output_of(const lines *l, int thread) { return input_of(l, thread) + l->half; }
static int aligned(const void *p) { return (uintptr_t)p % 16 == 0; }

static void fft(const lines *l, void *in, void *out) {
  OG_ASSERT(l->plan->problem.unaligned || (aligned(in) && aligned(out)));
  l->plan->execute(l->plan->plan, l->setup.kind, in, out);
}

/* Moves cells [0, n) but those of `hole` (as in og_range; within [0, n], or empty) */
static void copy_around(char *out, const char *in, int64_t n, og_range hole, size_t cell) {
  if (hole.begin >= hole.end) {
    memcpy(out, in, (size_t)n * cell);
    return;
  }
  memcpy(out, in, (size_t)hole.begin * cell);
  memcpy(out + (size_t)hole.end * cell, in + (size_t)hole.end * cell, (size_t)(n - hole.end) * cell);
}

static void zero(char *line, og_range gap, size_t cell) {
  if (gap.begin < gap.end)
    memset(line + (size_t)gap.begin * cell, 0, (size_t)(gap.end - gap.begin) * cell);
}

static void long_line(const lines *l, const og_lines_pass *pass, char *at) {
  og_range gap = pass->gap;
  if (l->whole) {
    (l->setup.precision == OG_F32 ? og_long_line_execute_f32 : og_long_line_execute_f64)(l->whole, gap, pass->skip, at);
    return;
  }
  if (l->setup.stride == 1)
    zero(at, gap, l->cell);
  else
    for (int64_t i = gap.begin; i < gap.end; i++)
      memset(at + (size_t)(i * l->setup.stride) * l->cell, 0, l->cell);
  fft(l, at, at);
}

static void row(const lines *l, const og_lines_pass *pass, char *at, int thread) {
  int64_t n = cells_of_row(&l->setup);
  char *in = input_of(l, thread), *out = output_of(l, thread);
  int direct_out = l->setup.kind == OG_LINES_C2R || pass->gap.begin < pass->gap.end;
  if (direct_out && aligned(at)) {
    copy_around(in, at, n, pass->gap, l->cell);
    zero(in, pass->gap, l->cell);
    fft(l, in, at);
  } else if (aligned(at) && !l->copy_first) {
    fft(l, at, out);
    copy_around(at, out, n, pass->skip, l->cell);
  } else {
    copy_around(in, at, n, pass->gap, l->cell);
    zero(in, pass->gap, l->cell);
    fft(l, in, out);
    copy_around(at, out, n, pass->skip, l->cell);
  }
}

/* The one or two parts of [0, n) around a hole. */
static int around(int64_t n, og_range hole, og_range part[2]) {
  if (hole.begin >= hole.end) {
    part[0] = (og_range){0, n};
    return 1;
  }
  part[0] = (og_range){0, hole.begin};
  part[1] = (og_range){hole.end, n};
  return 2;
}

/* Adjacent lines along y or z. */
static void block(const lines *l, const og_lines_pass *pass, char *at, int columns, int thread) {
  size_t stride = (size_t)l->setup.stride * l->cell;
  char *in = input_of(l, thread), *out = output_of(l, thread);
  og_range part[2];
  int n_parts = around(l->setup.n, pass->gap, part);
  for (int p = 0; p < n_parts; p++)
    og_columns_gather(l->setup.precision, at, stride, in, l->pitch, columns, part[p]);
  for (int j = 0; j < columns; j++) {
    zero(in + (size_t)j * l->pitch, pass->gap, l->cell);
    fft(l, in + (size_t)j * l->pitch, out + (size_t)j * l->pitch);
  }
  n_parts = around(l->setup.n, pass->skip, part);
  for (int p = 0; p < n_parts; p++)
    og_columns_scatter(l->setup.precision, at, stride, out, l->pitch, columns, part[p]);
}

/* Blocks of a range: cut at multiples of `columns` cells, so that a block is one cache line. */
static int64_t blocks_of(og_range r, int columns) {
  return r.begin < r.end ? (r.end - 1) / columns - r.begin / columns + 1 : 0;
}

static int64_t count_side(const lines *l, const og_lines_pass *pass) {
  int64_t n = 0;
  for (int i = 0; i < pass->n_side; i++)
    n += blocks_of(pass->side[i], l->columns);
  return n;
}

static int64_t count_outer(const og_lines_pass *pass) {
  int64_t n = 0;
  for (int i = 0; i < pass->n_outer; i++)
    n += pass->outer[i].end - pass->outer[i].begin;
  return n;
}

/* The i-th block: its columns. */
static og_range find_side(const lines *l, const og_lines_pass *pass, int64_t i) {
  const og_range *r = pass->side;
  while (i >= blocks_of(*r, l->columns))
    i -= blocks_of(*r++, l->columns);
  int64_t first = (r->begin / l->columns + i) * l->columns;
  return (og_range){first > r->begin ? first : r->begin, first + l->columns < r->end ? first + l->columns : r->end};
}

static int64_t find_outer(const og_lines_pass *pass, int64_t i) {
  const og_range *r = pass->outer;
  while (i >= r->end - r->begin)
    i -= r->end - r->begin, r++;
  return r->begin + i;
}

/* Blocks [begin, end) of all blocks of the pass, side fastest. */
static void work(const lines *l, const og_lines_pass *pass, char *grid, int64_t begin, int64_t end, int thread) {
  int64_t n_side = count_side(l, pass);
  for (int64_t i = begin; i < end; i++) {
    og_range side = find_side(l, pass, i % n_side);
    char *at =
        grid + (size_t)(find_outer(pass, i / n_side) * pass->outer_stride + side.begin * pass->side_stride) * l->cell;
    if (l->in_place)
      for (int64_t j = 0; j < side.end - side.begin; j++)
        long_line(l, pass, at + (size_t)(j * pass->side_stride) * l->cell);
    else if (l->setup.stride == 1)
      row(l, pass, at, thread);
    else
      block(l, pass, at, (int)(side.end - side.begin), thread);
  }
}

static int team(const lines *l, int64_t blocks) {
  double cells = (double)blocks * l->columns * (double)l->setup.n;
  int64_t t = cells < CELLS_PER_THREAD * (double)l->threads ? (int64_t)(cells / CELLS_PER_THREAD) : l->threads;
  t = t > blocks ? blocks : t;
  return t < 1 ? 1 : (int)t;
}

int og_cpu_lines_execute(void *handle, const og_lines_pass *pass, void *grid) {
  const lines *l = handle;
  int64_t n = count_side(l, pass) * count_outer(pass);
  int t = team(l, n);
  if (t == 1) {
    work(l, pass, grid, 0, n, 0);
    return OG_OK;
  }
#pragma omp parallel num_threads(t)
  {
    int64_t i = omp_get_thread_num(), of = omp_get_num_threads();
    work(l, pass, grid, n * i / of, n * (i + 1) / of, (int)i);
  }
  return OG_OK;
}

/* Slabs are what is shared out; where that leaves threads idle, or a line is a job for all of them, pass by pass. */
int og_cpu_lines_execute_pair(void *first, const og_lines_pass *first_pass, void *second,
                              const og_lines_pass *second_pass, void *grid) {
  const lines *a = first, *b = second;
  int64_t n = count_outer(first_pass), n_a = count_side(a, first_pass), n_b = count_side(b, second_pass);
  int t = team(a, n * n_a);
  if (n < 4 * t || a->in_place || b->in_place) {
    OG_TRY(og_cpu_lines_execute(first, first_pass, grid));
    return og_cpu_lines_execute(second, second_pass, grid);
  }
#pragma omp parallel for num_threads(t) schedule(static) if (t > 1)
  for (int64_t i = 0; i < n; i++) {
    work(a, first_pass, grid, i * n_a, (i + 1) * n_a, omp_get_thread_num());
    work(b, second_pass, grid, i * n_b, (i + 1) * n_b, omp_get_thread_num());
  }
  return OG_OK;
}

/* Seconds of the whole pass, roughly: 5 n log2 n operations a line at 10 per nanosecond. */
static double guess_seconds(const og_lines_setup *s) {
  return (double)s->lines * (double)s->n * (log2((double)s->n) + 1) * 0.5e-9 * (s->kind == OG_LINES_C2C ? 1 : 0.5);
}

static int suits_long_line(const og_lines_setup *s) {
  return s->stride == 1 && og_long_line_suits(s->kind, s->n, s->precision);
}

/* Measuring takes 10 to 100 ms for lines in cache, once per length and direction and machine: fair for passes of a few
 * milliseconds, which are executed more than once. For a long line it takes seconds. */
static og_fftw_effort choose_effort(const lines *l) {
  if (l->setup.planning == OG_FFT_ESTIMATE)
    return OG_FFTW_PURE;
  if (l->setup.planning == OG_FFT_MEASURE)
    return OG_FFTW_MEASURED;
  return (l->in_place && !suits_long_line(&l->setup)) || guess_seconds(&l->setup) < 1e-3 ? OG_FFTW_QUICK
                                                                                         : OG_FFTW_MEASURED;
}

/* Lines that go through the threads' buffers. */
static int fill_buffered(lines *l, size_t line_bytes, og_fftw_problem *problem) {
  const og_lines_setup *s = &l->setup;
  if (s->lines <= l->columns)
    l->threads = 1;
  l->copy_first = line_bytes >= 3072 && s->bytes > 8 << 20;
  l->pitch = og_round_up(line_bytes, CACHE_LINE) + CACHE_LINE; /* so that lines do not collide in the cache */
  l->half = og_round_up((size_t)l->columns * l->pitch, 4096) + CACHE_LINE;
  l->buffer = og_allocate(og_bytes((size_t)l->threads, 2 * l->half));
  OG_CHECK(l->buffer, OG_ERR_MEMORY, "no memory for the FFT's buffers of %d threads", l->threads);
  return (s->precision == OG_F32 ? og_fftw_plan_take_f32 : og_fftw_plan_take_f64)(
      problem, choose_effort(l), input_of(l, 0), output_of(l, 0), &l->plan);
}

static int fill_long(lines *l, og_fftw_problem *problem) {
  const og_lines_setup *s = &l->setup;
  l->in_place = 1;
  if (suits_long_line(s)) {
    og_fftw_effort effort = choose_effort(l);
    l->threads = 1;
    return (s->precision == OG_F32 ? og_long_line_create_f32 : og_long_line_create_f64)(s->kind, s->n, s->sign, effort,
                                                                                        s->threads, &l->whole);
  }
  if (s->lines < 2 * s->threads) {
    problem->threads = s->threads;
    l->threads = 1;
  } else {
    l->columns = 1;
  }
  problem->in_place = 1;
  problem->stride = s->stride;
  problem->unaligned = s->precision == OG_F32 && s->lines > 1; /* lines may start at any cell */
  return (s->precision == OG_F32 ? og_fftw_plan_take_f32 : og_fftw_plan_take_f64)(problem, choose_effort(l), s->memory,
                                                                                  s->memory, &l->plan);
}

static int fill(lines *l) {
  const og_lines_setup *s = &l->setup;
  l->cell = og_value_bytes(s->precision, OG_COMPLEX);
  l->threads = s->threads;
  l->columns = s->stride == 1 ? 1 : CACHE_LINE / (int)l->cell;
  size_t line_bytes = (size_t)cells_of_row(s) * l->cell;
  og_fftw_problem problem = {.kind = s->kind, .sign = s->sign, .threads = 1, .n = s->n, .stride = 1};
  return line_bytes > LONG_LINE ? fill_long(l, &problem) : fill_buffered(l, line_bytes, &problem);
}

int og_cpu_lines_create(const og_lines_setup *setup, void **handle) {
  *handle = NULL;
  lines *l = og_allocate_zeroed(sizeof *l);
  OG_CHECK(l, OG_ERR_MEMORY, "no memory for FFT lines");
  l->setup = *setup;
  int code = fill(l);
  l->setup.memory = NULL; /* was the planner's only */
  if (code)
    og_cpu_lines_destroy(l);
  else
    *handle = l;
  return code;
}

void og_cpu_lines_destroy(void *handle) {
  lines *l = handle;
  if (!l)
    return;
  (l->setup.precision == OG_F32 ? og_fftw_plan_release_f32 : og_fftw_plan_release_f64)(l->plan);
  (l->setup.precision == OG_F32 ? og_long_line_destroy_f32 : og_long_line_destroy_f64)(l->whole);
  og_free(l->buffer);
  og_free(l);
}
