/* One dimension: a buffer of one tile and the width - 1 cells behind it, in the first-level cache. Points of a tile
 * stay in the caller's order, so that neighbours in time rarely meet in memory, which would make each wait for the
 * last. */

#define LINE_TILE (OG_CPU_LINE_BYTES / (CELL * OG_REAL_BYTES))

typedef RV_NAME(vec, OG_SIMD_WIDEST) line_vec;
typedef RV_NAME(uvec, OG_SIMD_WIDEST) line_uvec;
#define LINE_LANES (OG_SIMD_WIDEST / OG_REAL_BYTES)
#define LINE_CELLS (LINE_LANES / CELL)

/* at: where the points' stencils begin in `cells`, in reals. C: vectors under a stencil. */
static inline __attribute__((always_inline)) void line_add_some(real *cells, const uint32_t *at, int m, const real *x,
                                                                int stride, const real *strengths, const uint32_t *from,
                                                                const int C) {
  for (int i = 0; i < m; i++) {
    line_vec c = WIDE(repeat, OG_SIMD_WIDEST)(strengths + (size_t)from[i] * CELL);
    real *g = cells + at[i];
    const real *w = x + i * stride;
    for (int j = 0; j < C; j++)
      *(line_uvec *)(g + j * LINE_LANES) += WIDE(weights, OG_SIMD_WIDEST)(w + j * LINE_CELLS) * c;
  }
}

static void line_add(real *cells, const uint32_t *at, int m, const real *x, int stride, const real *strengths,
                     const uint32_t *from, int vectors) {
  switch (vectors) {
  case 1:
    line_add_some(cells, at, m, x, stride, strengths, from, 1);
    break;
  case 2:
    line_add_some(cells, at, m, x, stride, strengths, from, 2);
    break;
  case 3:
    line_add_some(cells, at, m, x, stride, strengths, from, 3);
    break;
  case 4:
    line_add_some(cells, at, m, x, stride, strengths, from, 4);
    break;
  default:
    line_add_some(cells, at, m, x, stride, strengths, from, vectors);
    break;
  }
}

static inline __attribute__((always_inline)) void line_take_some(const real *cells, const uint32_t *at, int m,
                                                                 const real *x, int stride, real factor, real *out,
                                                                 const uint32_t *from, const int C) {
  for (int i = 0; i < m; i++) {
    const real *g = cells + at[i], *w = x + i * stride;
    line_vec s = *(const line_uvec *)g * WIDE(weights, OG_SIMD_WIDEST)(w);
    for (int j = 1; j < C; j++)
      s += *(const line_uvec *)(g + j * LINE_LANES) * WIDE(weights, OG_SIMD_WIDEST)(w + j * LINE_CELLS);
    WIDE(reduce, OG_SIMD_WIDEST)(s * factor, out + (size_t)from[i] * CELL);
  }
}

static void line_take(const real *cells, const uint32_t *at, int m, const real *x, int stride, real factor, real *out,
                      const uint32_t *from, int vectors) {
  switch (vectors) {
  case 1:
    line_take_some(cells, at, m, x, stride, factor, out, from, 1);
    break;
  case 2:
    line_take_some(cells, at, m, x, stride, factor, out, from, 2);
    break;
  case 3:
    line_take_some(cells, at, m, x, stride, factor, out, from, 3);
    break;
  case 4:
    line_take_some(cells, at, m, x, stride, factor, out, from, 4);
    break;
  default:
    line_take_some(cells, at, m, x, stride, factor, out, from, vectors);
    break;
  }
}

static int line_vectors(const og_cpu_points *p) { return (p->width + LINE_CELLS - 1) / LINE_CELLS; }

/* Cells [x, x + LINE_TILE) of the buffer go to the grid, as far as they are before `end`; those behind move to the
 * front. */
static void line_flush(const og_cpu_points *p, real *cells, real *grid, int64_t x, int64_t end) {
  const size_t tile = end - x < LINE_TILE ? (size_t)(end - x) : LINE_TILE, tail = (size_t)p->width - 1;
  memcpy(grid + x * CELL, cells, tile * CELL * sizeof(real));
  memmove(cells, cells + tile * CELL, tail * CELL * sizeof(real));
  memset(cells + tail * CELL, 0, tile * CELL * sizeof(real));
}

static void line_spread(const og_cpu_points *p, const og_cpu_task *task, const real *strengths, real *grid,
                        char *work) {
  real *cells = (real *)(work + p->work.window), *x = (real *)(work + p->work.x);
  window_claim(p, work, WINDOW_CLEAN);
  const int vectors = line_vectors(p), stride = p->work.x_stride;
  int64_t base = task->x_begin;
  int dirty = 0; /* the buffer holds something */
  chunk c;
  for (chunk_begin(p, task, &c); c.m; chunk_next(p, &c)) {
    chunk_load(p, &c);
    chunk_prefetch(&c, strengths);
    chunk_evaluate(p, &c, 0, 0, x, stride, 0);
    for (int i = 0, end; i < c.m; i = end) {
      const uint32_t tile = c.start[i] / LINE_TILE;
      const int64_t to = c.tile_x + (int64_t)tile * LINE_TILE;
      while (base < to) {
        if (dirty) {
          line_flush(p, cells, grid, base, task->x_end);
          base += LINE_TILE;
          dirty--;
        } else {
          memset(grid + base * CELL, 0, (size_t)(to - base) * CELL * sizeof(real));
          base = to;
        }
      }
      for (end = i; end < c.m && c.start[end] / LINE_TILE == tile; end++)
        c.start[end] = (c.start[end] % LINE_TILE) * CELL;
      line_add(cells, c.start + i, end - i, x + i * stride, stride, strengths, c.from + i, vectors);
      dirty = 2; /* this tile, and the cells that it pushes into the next */
    }
  }
  while (base < task->x_end) {
    if (dirty) {
      line_flush(p, cells, grid, base, task->x_end);
      base += LINE_TILE;
      dirty--;
    } else {
      memset(grid + base * CELL, 0, (size_t)(task->x_end - base) * CELL * sizeof(real));
      base = task->x_end;
    }
  }
  if (task->tail < 0) {
    for (int k = 0; k < (p->width - 1) * CELL; k++)
      grid[k] += cells[k];
    memset(cells, 0, (size_t)(p->width - 1) * CELL * sizeof(real));
  } else {
    memcpy(p->tails + (size_t)task->tail * p->tail_bytes, cells, p->tail_bytes);
    memset(cells, 0, p->tail_bytes);
  }
}

static void line_add_tails(const og_cpu_points *p, int part, real *grid) {
  const int64_t n = p->grid.n[0];
  if (part)
    return;
  for (int32_t k = 0; k < p->n_tails; k++) {
    const real *tail = (const real *)(p->tails + (size_t)k * p->tail_bytes);
    int64_t x = p->tail_task[k]->x_end;
    x -= x >= n ? n : 0;
    for (int64_t i = 0; i < LINE_TILE + p->width - 1; i++, x++) {
      x -= x >= n ? n : 0;
      for (int r = 0; r < CELL; r++)
        grid[x * CELL + r] += tail[i * CELL + r];
    }
  }
}

static void line_interp(const og_cpu_points *p, const og_cpu_task *task, const real *grid, real *const out[4],
                        int outputs, char *work) {
  real *copy = (real *)(work + p->work.window), *x = (real *)(work + p->work.x), *dx = (real *)(work + p->work.dx);
  const int vectors = line_vectors(p), stride = p->work.x_stride;
  const int64_t n = p->grid.n[0];
  const real *cells = NULL;
  int64_t base = -1;
  chunk c;
  for (chunk_begin(p, task, &c); c.m; chunk_next(p, &c)) {
    chunk_load(p, &c);
    if (out[0])
      chunk_prefetch(&c, out[0]);
    if (out[0])
      chunk_evaluate(p, &c, 0, 0, x, stride, 0);
    if (outputs > 1)
      chunk_evaluate(p, &c, 0, 1, dx, stride, 0);
    for (int i = 0, end; i < c.m; i = end) {
      const uint32_t tile = c.start[i] / LINE_TILE;
      const int64_t to = c.tile_x + (int64_t)tile * LINE_TILE;
      if (to != base) {
        base = to;
        cells = grid + base * CELL;
        const int64_t need = (n - base < LINE_TILE ? n - base : LINE_TILE) + vectors * LINE_CELLS;
        if (base + need > n) { /* near the end of the grid, where x = 0 follows */
          const int64_t own = n - base, past = p->width - 1 < need - own ? p->width - 1 : need - own;
          window_claim(p, work, WINDOW_USED);
          memcpy(copy, cells, (size_t)own * CELL * sizeof(real));
          memcpy(copy + own * CELL, grid, (size_t)past * CELL * sizeof(real));
          memset(copy + (own + past) * CELL, 0, (size_t)(need - own - past) * CELL * sizeof(real));
          cells = copy;
        }
      }
      for (end = i; end < c.m && c.start[end] / LINE_TILE == tile; end++)
        c.start[end] = (c.start[end] % LINE_TILE) * CELL;
      if (out[0])
        line_take(cells, c.start + i, end - i, x + i * stride, stride, 1, out[0], c.from + i, vectors);
      if (outputs > 1)
        line_take(cells, c.start + i, end - i, dx + i * stride, stride, (real)p->fold[0].scale, out[1], c.from + i,
                  vectors);
    }
  }
}
