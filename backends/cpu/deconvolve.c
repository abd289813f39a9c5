/* Modes from the fine spectrum and back. The modes are walked as one long array, cut in pieces for the threads
 * anywhere, even inside a row, so that one-dimensional problems are shared out as well; each piece of a row is at
 * most two runs of adjacent cells, because the kept modes are the two ends of a line of the spectrum. */
#include "cpu/cpu.h"
#include "cpu/deconvolve_rows.h"

enum { GRAIN = 16384 }; /* modes that are worth another thread */

typedef struct job {
  const og_modes_setup *setup;
  int64_t n_vectors, all; /* all: modes of one vector */
  size_t cell;            /* bytes of a complex number */
  int64_t stride[3];      /* complex cells */
  int64_t nyquist;        /* entry of a row that is halved, or -1 */
  const char *multipliers;
  char *modes, *grid;
} job;

/* The cell of entry i of dimension d of the modes. */
static int64_t cell_of(const og_modes_setup *s, int d, int64_t i) {
  int64_t low = s->n_modes[d] / 2;
  if (d == 0 && s->grid->values == OG_REAL)
    return i;
  if (s->mode_order == OG_ORDER_FFT)
    return i < s->n_modes[d] - low ? i : i - s->n_modes[d] + s->grid->n[d];
  return i < low ? i - low + s->grid->n[d] : i - low;
}

/* Entries of a row that lie in adjacent cells, from i on. */
static int64_t run_of(const og_modes_setup *s, int64_t i) {
  int64_t low = s->n_modes[0] / 2;
  if (s->grid->values == OG_REAL)
    return s->kept[0] - i;
  int64_t split = s->mode_order == OG_ORDER_FFT ? s->n_modes[0] - low : low;
  return (i < split ? split : s->n_modes[0]) - i;
}

static void scale(const job *j, int64_t n, int64_t i, double factor, const void *in, void *out) {
  const og_modes_setup *s = j->setup;
  (s->grid->precision == OG_F32 ? og_row_scale_f32 : og_row_scale_f64)(n, s->factor[0] + i, factor, s->conjugate, in,
                                                                       out);
}

/* cells = factor * sum of multipliers * modes; mode: index of the first in a vector */
static void to_cells(const job *j, int64_t n, int64_t i, double factor, int64_t mode, char *cells) {
  const og_modes_setup *s = j->setup;
  if (!j->multipliers) {
    scale(j, n, i, factor, j->modes + (size_t)mode * j->cell, cells);
    return;
  }
  for (int64_t v = 0; v < j->n_vectors; v++) {
    size_t at = (size_t)(v * j->all + mode) * j->cell;
    (s->grid->precision == OG_F32 ? og_row_multiply_f32 : og_row_multiply_f64)(
        n, s->factor[0] + i, factor, s->conjugate, v > 0, j->multipliers + at, j->modes + at, cells);
  }
}

static void halve(const job *j, char *cell) {
  for (int part = 0; part < 2; part++)
    if (j->setup->grid->precision == OG_F32)
      ((float *)cell)[part] *= 0.5f;
    else
      ((double *)cell)[part] *= 0.5;
}

/* Entries [i, end) of row (iy, iz). */
static void part_of_row(const job *j, int to_grid, int64_t iz, int64_t iy, int64_t i, int64_t end) {
  const og_modes_setup *s = j->setup;
  double factor = s->factor[1][iy] * s->factor[2][iz];
  int64_t row = cell_of(s, 1, iy) * j->stride[1] + cell_of(s, 2, iz) * j->stride[2];
  int64_t first_mode = (iz * s->kept[1] + iy) * s->kept[0];
  while (i < end) {
    int64_t n = run_of(s, i);
    n = n < end - i ? n : end - i;
    char *cells = j->grid + (size_t)(row + cell_of(s, 0, i)) * j->cell;
    if (!to_grid) {
      scale(j, n, i, factor, cells, j->modes + (size_t)(first_mode + i) * j->cell);
    } else {
      to_cells(j, n, i, factor, first_mode + i, cells);
      if (j->nyquist >= i && j->nyquist < i + n)
        halve(j, cells + (size_t)(j->nyquist - i) * j->cell);
    }
    i += n;
  }
}

static void walk(const job *j, int to_grid, int64_t begin, int64_t end) {
  const int64_t *kept = j->setup->kept;
  int64_t row = begin / kept[0], i = begin % kept[0], iy = row % kept[1], iz = row / kept[1];
  while (begin < end) {
    int64_t stop = kept[0] < i + end - begin ? kept[0] : i + end - begin;
    part_of_row(j, to_grid, iz, iy, i, stop);
    begin += stop - i;
    i = 0;
    if (++iy == kept[1]) {
      iy = 0;
      iz++;
    }
  }
}

static void from_grid(void *context, int64_t begin, int64_t end) { walk(context, 0, begin, end); }
static void to_grid(void *context, int64_t begin, int64_t end) { walk(context, 1, begin, end); }

static job make_job(const og_modes_setup *s, int64_t n, const void *multipliers, const void *modes, const void *grid) {
  int64_t half = s->grid->values == OG_REAL ? 2 : 1, nyquist = s->n_modes[0] / 2;
  /* the complex-to-real transform counts every column twice but the first and, for even n, the last */
  int twice = s->grid->values == OG_REAL && s->n_modes[0] % 2 == 0 && s->n_modes[0] < s->grid->n[0];
  return (job){.setup = s,
               .n_vectors = n,
               .all = s->kept[0] * s->kept[1] * s->kept[2],
               .cell = og_value_bytes(s->grid->precision, OG_COMPLEX),
               .stride = {1, s->grid->stride[1] / half, s->grid->stride[2] / half},
               .nyquist = twice ? nyquist : -1,
               .multipliers = multipliers,
               .modes = (char *)(uintptr_t)modes,
               .grid = (char *)(uintptr_t)grid};
}

int og_cpu_modes_from_grid(const og_modes_setup *setup, int64_t vectors, const void *grid, void *modes) {
  (void)vectors;
  job j = make_job(setup, 1, NULL, modes, grid);
  og_cpu_parallel(setup->threads, j.all, GRAIN, from_grid, &j);
  return OG_OK;
}

int og_cpu_grid_from_modes(const og_modes_setup *setup, int64_t vectors, int64_t n, const void *multipliers,
                           const void *modes, void *grid) {
  (void)vectors;
  job j = make_job(setup, n, multipliers, modes, grid);
  og_cpu_parallel(setup->threads, j.all, GRAIN, to_grid, &j);
  return OG_OK;
}

typedef struct product {
  int conjugate;
  size_t cell;
  og_row_product *rows;
  const char *factor, *in;
  char *out;
} product;

static void product_piece(void *context, int64_t begin, int64_t end) {
  const product *p = context;
  size_t at = (size_t)begin * p->cell;
  p->rows(end - begin, p->conjugate, p->factor + at, p->in + at, p->out + at);
}

int og_cpu_multiply(void *device, int precision, int threads, int64_t vectors, int64_t n, int conjugate,
                    const void *factor, const void *in, void *out) {
  (void)device, (void)vectors;
  product p = {conjugate,
               og_value_bytes(precision, OG_COMPLEX),
               precision == OG_F32 ? og_row_product_f32 : og_row_product_f64,
               factor,
               in,
               out};
  og_cpu_parallel(threads, n, GRAIN, product_piece, &p);
  return OG_OK;
}
