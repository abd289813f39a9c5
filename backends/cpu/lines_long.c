/* A long line of n = r m r complex points, as three passes over memory, each shared out to all threads. With j = a m
 * r + c and k = ka + r k2, k2 = kb + m kc:
 *
 *   columns: for each c, transform over a (r points), times exp(s 2 pi i ka c / n)
 *   rows:    for each ka, transform over c (m r points) in cache; k2 = kb + m kc is put at kb r + kc
 *   swap:    (ka, kb, kc) -> (kc, kb, ka): for each kb a square matrix is transposed in place
 *
 * so that the result is in natural order without a second array (the four-step method of Bailey, J. Supercomputing 4,
 * 1990, with the square split off).
 *
 * A real line of 2 n points is a complex one of n points z, even points real and odd ones imaginary, and a pass that
 * separates the two spectra: with E and O those of the even and odd points, X[k] = E[k] + exp(s pi i k / n) O[k]. */
#include "cpu/lines_long.h"

#include "base/memory.h"
#include "base/real.h"
#include "cpu/columns.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { RUN = 32, PIECE = 4096, TILE = 8, COLUMNS = 64 / (2 * sizeof(real)), MAX_ROW_BYTES = 512 << 10, MIN_SIDE = 64 };

#ifdef OG_SINGLE
enum { PRECISION = OG_F32 };
#else
enum { PRECISION = OG_F64 };
#endif

typedef struct cell {
  real re, im;
} cell;

typedef struct cell2 {
  double re, im;
} cell2;

struct og_long_line {
  og_lines_kind kind;
  int64_t n, r, m; /* complex points */
  int sign;
  int threads, shift; /* exp(s 2 pi i t / n) = high[t >> shift] low[t & (2^shift - 1)] */
  cell2 *low, *high;
  cell2 half_step;       /* exp(s pi i / n) */
  size_t pitch, scratch; /* bytes: between lines of a thread's scratch, and of all of it */
  char *memory;          /* [threads][scratch] */
  const og_fftw_plan *column, *row;
};

/* Largest r with r r a divisor of n. */
static int64_t side_of(int64_t n) {
  int64_t r = 1;
  for (int64_t p = 2; p * p <= n; p++) {
    while (n % (p * p) == 0) {
      r *= p;
      n /= p * p;
    }
    while (n % p == 0)
      n /= p;
  }
  return r;
}

#ifndef OG_SINGLE
int og_long_line_suits(og_lines_kind kind, int64_t n, int precision) {
  if (kind != OG_LINES_C2C && n % 2)
    return 0;
  n = kind == OG_LINES_C2C ? n : n / 2;
  int64_t r = side_of(n);
  return r >= MIN_SIDE && (size_t)(n / r) * og_value_bytes(precision, OG_COMPLEX) <= MAX_ROW_BYTES;
}
#endif

static cell2 product(cell2 a, cell2 b) { return (cell2){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/* exp(s 2 pi i t / n), 0 <= t < n */
static cell2 root(const og_long_line *l, int64_t t) {
  return product(l->high[t >> l->shift], l->low[t & (((int64_t)1 << l->shift) - 1)]);
}

static cell2 exact_root(const og_long_line *l, int sign, int64_t t) {
  long double phase = 2 * acosl(-1.0L) * (long double)t / (long double)l->n;
  return (cell2){(double)cosl(phase), (double)(sign * sinl(phase))};
}

/* line[ka] *= exp(s 2 pi i ka c / n): runs of a few share a table of this column. */
static void twiddle(const og_long_line *l, int64_t c, cell *restrict line) {
  cell run[RUN];
  for (int q = 0; q < RUN; q++) {
    cell2 w = q < l->r ? root(l, q * c) : (cell2){0, 0};
    run[q] = (cell){(real)w.re, (real)w.im};
  }
  for (int64_t k = 0; k < l->r; k += RUN) {
    cell2 first = root(l, k * c);
    real fr = (real)first.re, fi = (real)first.im;
    int64_t n = l->r - k < RUN ? l->r - k : RUN;
    for (int64_t q = 0; q < n; q++) {
      real wr = run[q].re * fr - run[q].im * fi, wi = run[q].re * fi + run[q].im * fr;
      cell x = line[k + q];
      line[k + q] = (cell){x.re * wr - x.im * wi, x.re * wi + x.im * wr};
    }
  }
}

static void columns(const og_long_line *l, int64_t c, og_range gap, cell *cells, char *scratch) {
  int64_t across = l->m * l->r;
  int n = across - c < COLUMNS ? (int)(across - c) : COLUMNS;
  char *in = scratch, *out = scratch + COLUMNS * l->pitch, *at = (char *)(cells + c);
  size_t stride = (size_t)across * sizeof(cell);
  og_columns_gather(PRECISION, at, stride, in, l->pitch, n, (og_range){0, gap.begin});
  og_columns_gather(PRECISION, at, stride, in, l->pitch, n, (og_range){gap.end, l->r});
  for (int j = 0; j < n; j++) {
    cell *line = (cell *)(void *)(in + (size_t)j * l->pitch), *result = (cell *)(void *)(out + (size_t)j * l->pitch);
    memset(line + gap.begin, 0, (size_t)(gap.end - gap.begin) * sizeof *line);
    l->column->execute(l->column->plan, OG_LINES_C2C, line, result);
    twiddle(l, c + j, result);
  }
  og_columns_scatter(PRECISION, at, stride, out, l->pitch, n, (og_range){0, l->r});
}

static void row(const og_long_line *l, cell *at, char *scratch) {
  int64_t n = l->m * l->r;
  cell *in = (cell *)(void *)scratch, *out = in + (size_t)n + COLUMNS - (size_t)n % COLUMNS;
  memcpy(in, at, (size_t)n * sizeof *in);
  l->row->execute(l->row->plan, OG_LINES_C2C, in, out);
  if (l->m == 1)
    memcpy(at, out, (size_t)n * sizeof *at);
  else
    for (int64_t kb = 0; kb < l->m; kb++)
      for (int64_t kc = 0; kc < l->r; kc++)
        at[kb * l->r + kc] = out[kb + l->m * kc];
}

/* Swaps the tile at (i, j) with the transposed one at (j, i); sides: cells of the tile. wanted: bit 0, the first's
 * cells are; bit 1, the second's. */
static void swap_tiles(cell *first, cell *second, int64_t stride, int rows, int cols, int wanted) {
  cell keep[TILE][TILE];
  for (int y = 0; y < rows; y++)
    memcpy(keep[y], first + y * stride, (size_t)cols * sizeof(cell));
  if (wanted & 1)
    for (int x = 0; x < cols; x++)
      for (int y = 0; y < rows; y++)
        first[y * stride + x] = second[x * stride + y];
  if (wanted & 2)
    for (int x = 0; x < cols; x++)
      for (int y = 0; y < rows; y++)
        second[x * stride + y] = keep[y][x];
}

/* Row tile i of every kb with all tiles from the diagonal on. Rows in `unwanted` need not be right. */
static void swap_row(const og_long_line *l, int64_t i, og_range unwanted, cell *cells) {
  int64_t stride = l->m * l->r;
  int rows = l->r - i < TILE ? (int)(l->r - i) : TILE;
  int want_i = !(i >= unwanted.begin && i + rows <= unwanted.end);
  for (int64_t kb = 0; kb < l->m; kb++)
    for (int64_t j = i; j < l->r; j += TILE) {
      int cols = l->r - j < TILE ? (int)(l->r - j) : TILE;
      int wanted = want_i | (j >= unwanted.begin && j + cols <= unwanted.end ? 0 : 2);
      cell *base = cells + kb * l->r;
      if (wanted)
        swap_tiles(base + i * stride + j, base + j * stride + i, stride, rows, cols, i == j ? 2 : wanted);
    }
}

/* The rows that lie wholly in a range of cells. */
static og_range whole_rows(const og_long_line *l, og_range cells) {
  int64_t across = l->m * l->r;
  og_range rows = {(cells.begin + across - 1) / across, cells.end / across};
  return cells.begin < cells.end && rows.begin < rows.end ? rows : (og_range){0, 0};
}

/* Zeros in the part of the gap that is not whole rows, which are not read at all. */
static void zero_edges(const og_long_line *l, og_range gap, og_range rows, cell *cells) {
  int64_t across = l->m * l->r;
  og_range low = {gap.begin, rows.begin * across}, high = {rows.end * across, gap.end};
  if (rows.begin == rows.end)
    low.end = high.begin = gap.end;
  if (low.begin < low.end)
    memset(cells + low.begin, 0, (size_t)(low.end - low.begin) * sizeof *cells);
  if (high.begin < high.end)
    memset(cells + high.begin, 0, (size_t)(high.end - high.begin) * sizeof *cells);
}

static void zero_all(const og_long_line *l, og_range gap, cell *cells) {
#pragma omp parallel for num_threads(l->threads) schedule(static) if (l->threads > 1)
  for (int64_t i = gap.begin; i < gap.end; i += PIECE)
    memset(cells + i, 0, (size_t)(gap.end - i < PIECE ? gap.end - i : PIECE) * sizeof *cells);
}

static void complex_line(const og_long_line *l, og_range gap, og_range skip, cell *cells) {
  int64_t across = l->m * l->r;
  og_range gap_rows = whole_rows(l, gap), skip_rows = whole_rows(l, skip);
  if (gap.begin < gap.end)
    zero_edges(l, gap, gap_rows, cells);
#pragma omp parallel num_threads(l->threads) if (l->threads > 1)
  {
    char *scratch = l->memory + l->scratch * (size_t)(l->threads > 1 ? omp_get_thread_num() : 0);
#pragma omp for schedule(static)
    for (int64_t c = 0; c < across; c += COLUMNS)
      columns(l, c, gap_rows, cells, scratch);
#pragma omp for schedule(static)
    for (int64_t ka = 0; ka < l->r; ka++)
      row(l, cells + ka * across, scratch);
#pragma omp for schedule(static, 1)
    for (int64_t i = 0; i < l->r; i += TILE)
      swap_row(l, i, skip_rows, cells);
  }
}

/* Between the spectrum z of (even) + i (odd points) and that of the real line, for k and n - k at once:
 * to_real = 0: X = (a + b) / 2 + w (a - b) / (2 i), a = z[k], b = conj z[n - k];
 * to_real = 1: z = (a + b) + i w (a - b), a = X[k], b = conj X[n - k]. w = exp(s pi i k / n). */
static void pair_up(const og_long_line *l, int to_real, int64_t begin, int64_t end, const cell *run, cell *cells) {
  cell2 w0 = product(root(l, begin / 2), begin % 2 ? l->half_step : (cell2){1, 0});
  real scale = to_real ? 1 : (real)0.5, turn = to_real ? -1 : 1;
  for (int64_t k = begin; k < end; k++) {
    cell a = cells[k], b = {cells[l->n - k].re, -cells[l->n - k].im}, t = run[k - begin];
    real wr = t.re * (real)w0.re - t.im * (real)w0.im, wi = t.re * (real)w0.im + t.im * (real)w0.re;
    cell sum = {scale * (a.re + b.re), scale * (a.im + b.im)}, dif = {scale * (a.re - b.re), scale * (a.im - b.im)};
    cell odd = {turn * (dif.re * wi + dif.im * wr), -turn * (dif.re * wr - dif.im * wi)}; /* w dif, times -i or i */
    cells[k] = (cell){sum.re + odd.re, sum.im + odd.im};
    cells[l->n - k] = (cell){sum.re - odd.re, -(sum.im - odd.im)};
  }
}

static void all_pairs(const og_long_line *l, int to_real, cell *cells) {
  cell run[RUN], first = cells[0], last = cells[l->n];
  for (int q = 0; q < RUN; q++) {
    cell2 w = product(root(l, q / 2), q % 2 ? l->half_step : (cell2){1, 0});
    run[q] = (cell){(real)w.re, (real)w.im};
  }
  int64_t end = l->n / 2 + 1; /* k = n / 2 is its own partner: both assignments agree */
#pragma omp parallel for num_threads(l->threads) schedule(static) if (l->threads > 1)
  for (int64_t k = 1; k < end; k += RUN)
    pair_up(l, to_real, k, k + RUN < end ? k + RUN : end, run, cells);
  if (to_real) { /* the imaginary parts of the first and last are not looked at */
    cells[0] = (cell){first.re + last.re, first.re - last.re};
  } else {
    cells[0] = (cell){first.re + first.im, 0};
    cells[l->n] = (cell){first.re - first.im, 0};
  }
}

void OG_P(og_long_line_execute)(const og_long_line *l, og_range gap, og_range skip, void *memory) {
  cell *cells = memory;
  og_range none = {0, 0};
  if (l->kind == OG_LINES_C2C) {
    complex_line(l, gap, skip, cells);
  } else if (l->kind == OG_LINES_R2C) {
    complex_line(l, none, none, cells);
    all_pairs(l, 0, cells);
  } else {
    zero_all(l, gap, cells);
    all_pairs(l, 1, cells);
    complex_line(l, none, none, cells);
  }
}

static int fill(og_long_line *l, og_fftw_effort effort) {
  int sign = l->sign;
  int64_t across = l->m * l->r, n_high;
  while (((int64_t)1 << (2 * l->shift)) < l->n)
    l->shift++;
  n_high = (l->n >> l->shift) + 1;
  l->pitch = og_round_up((size_t)l->r * sizeof(cell), 64) + 64;
  size_t for_columns = 2 * COLUMNS * l->pitch, for_rows = 2 * ((size_t)across + COLUMNS) * sizeof(cell);
  l->scratch = og_round_up(for_columns > for_rows ? for_columns : for_rows, 4096) + 64;
  l->low = og_allocate(sizeof *l->low << l->shift);
  l->high = og_allocate(og_bytes((size_t)n_high, sizeof *l->high));
  l->memory = og_allocate(og_bytes((size_t)l->threads, l->scratch));
  OG_CHECK(l->low && l->high && l->memory, OG_ERR_MEMORY, "no memory for an FFT line of %lld points", (long long)l->n);
  for (int64_t t = 0; t < (int64_t)1 << l->shift; t++)
    l->low[t] = exact_root(l, sign, t);
  for (int64_t t = 0; t < n_high; t++)
    l->high[t] = exact_root(l, sign, t << l->shift);
  long double angle = acosl(-1.0L) / (long double)l->n;
  l->half_step = (cell2){(double)cosl(angle), (double)(sign * sinl(angle))};
  og_fftw_problem problem = {.kind = OG_LINES_C2C, .sign = sign, .threads = 1, .n = l->r, .stride = 1};
  OG_TRY(OG_P(og_fftw_plan_take)(&problem, effort, l->memory, l->memory + COLUMNS * l->pitch, &l->column));
  problem.n = across;
  char *out = l->memory + ((size_t)across + COLUMNS - (size_t)across % COLUMNS) * sizeof(cell);
  return OG_P(og_fftw_plan_take)(&problem, effort, l->memory, out, &l->row);
}

int OG_P(og_long_line_create)(og_lines_kind kind, int64_t n, int sign, og_fftw_effort effort, int threads,
                              og_long_line **line) {
  *line = NULL;
  og_long_line *l = og_allocate_zeroed(sizeof *l);
  OG_CHECK(l, OG_ERR_MEMORY, "no memory for an FFT line");
  l->kind = kind;
  l->n = kind == OG_LINES_C2C ? n : n / 2;
  l->sign = kind == OG_LINES_C2C ? sign : kind == OG_LINES_R2C ? -1 : 1;
  l->r = side_of(l->n);
  l->m = l->n / l->r / l->r;
  l->threads = threads;
  int code = fill(l, effort);
  if (code)
    OG_P(og_long_line_destroy)(l);
  else
    *line = l;
  return code;
}

void OG_P(og_long_line_destroy)(og_long_line *l) {
  if (!l)
    return;
  OG_P(og_fftw_plan_release)(l->column);
  OG_P(og_fftw_plan_release)(l->row);
  og_free(l->low);
  og_free(l->high);
  og_free(l->memory);
  og_free(l);
}
