/* Two and three dimensions: a window of all rows that the stencils of a pencil touch, each row a ring of a few cells,
 * is streamed along x. Cell x sits in slot x mod ring.cells. When the x block of the next point begins past the
 * window's first block, finished cells move to the grid: stored where this pencil is the first of all to write, else
 * added. Interpolation is the mirror image. */

/* Rows of the window: first those that this pencil is the first to write, then the others. */
typedef struct {
  int64_t grid;    /* where x = 0 of the row is, in reals */
  int32_t window;  /* likewise, in reals */
  uint32_t number; /* of the row in the grid: y + n_y z, modulo 2^32 */
} grid_row;

typedef struct {
  const og_cpu_points *p;
  real *window;
  grid_row *rows;
  int n_rows, n_first;
  int64_t x;     /* first cell in the window */
  int64_t dirty; /* cells from here on are zero (spreading) */
  int slot;      /* x mod cells */
} stream;

/* Does no pencil of lower rank touch the row? dy, dz: the row relative to the pencil's first. */
static int row_is_first(const og_cpu_points *p, int py, int pz, int dy, int dz) {
  const og_cpu_cut *cy = &p->cut[1], *cz = &p->cut[2];
  int hy = cy->begin[py + 1] - cy->begin[py], hz = cz->begin[pz + 1] - cz->begin[pz], w = p->width;
  int oy = dy < w - 1 ? (py ? py - 1 : cy->parts - 1) : dy >= hy ? (py + 1) % cy->parts : py;
  int oz = p->ndim < 3 ? pz : dz < w - 1 ? (pz ? pz - 1 : cz->parts - 1) : dz >= hz ? (pz + 1) % cz->parts : pz;
  if ((cy->parts == 1 && dy >= hy) || (p->ndim == 3 && cz->parts == 1 && dz >= hz))
    return 0; /* the same row of the grid as an earlier one of the window */
  int64_t rank = og_cpu_rank(p, py, pz);
  return rank <= og_cpu_rank(p, oy, pz) && rank <= og_cpu_rank(p, py, oz) && rank <= og_cpu_rank(p, oy, oz);
}

/* The row (dy, dz) past the pencil's first. */
static grid_row row_at(const og_cpu_points *p, int py, int pz, int dy, int dz) {
  const int64_t y = (p->cut[1].begin[py] + dy) % p->grid.n[1], z = (p->cut[2].begin[pz] + dz) % p->grid.n[2];
  return (grid_row){.grid = (y * p->grid.stride[1] + z * p->grid.stride[2]) * CELL,
                    .window = (dz * p->rows_y + dy) * p->ring.row * CELL,
                    .number = (uint32_t)(y + p->grid.n[1] * z)};
}

/* Rows of a pencil's window in y and in z. */
static int rows_in_y(const og_cpu_points *p, int py) {
  return p->cut[1].begin[py + 1] - p->cut[1].begin[py] + p->width - 1;
}
static int rows_in_z(const og_cpu_points *p, int pz) {
  return p->ndim < 3 ? 1 : p->cut[2].begin[pz + 1] - p->cut[2].begin[pz] + p->width - 1;
}

static void stream_rows(stream *s, int py, int pz) {
  const og_cpu_points *p = s->p;
  const int ry = rows_in_y(p, py), rz = rows_in_z(p, pz);
  int n_first = 0, n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int dz = 0; dz < rz; dz++)
      for (int dy = 0; dy < ry; dy++) {
        if (row_is_first(p, py, pz, dy, dz) == pass)
          continue;
        s->rows[n++] = row_at(p, py, pz, dy, dz);
      }
    if (!pass)
      n_first = n;
  }
  s->n_rows = n;
  s->n_first = n_first;
}

/* A piece of B bytes of each row, moved to the grid and cleared; or fetched from it. */
#define PREFETCH_BYTES 192
#define PIECE(B)                                                                                                       \
  typedef real piece_##B __attribute__((vector_size(B), may_alias));                                                   \
  typedef real upiece_##B __attribute__((vector_size(B), may_alias, aligned(sizeof(real))));                           \
  static void retire_##B(const grid_row *rows, int n_first, int n, real *window, real *grid) {                         \
    for (int i = 0; i < n_first; i++) {                                                                                \
      piece_##B *t = (piece_##B *)(window + rows[i].window);                                                           \
      real *g = grid + rows[i].grid;                                                                                   \
      __builtin_prefetch((char *)g + PREFETCH_BYTES, 1);                                                               \
      *(upiece_##B *)g = *t;                                                                                           \
      *t = (piece_##B){0};                                                                                             \
    }                                                                                                                  \
    for (int i = n_first; i < n; i++) {                                                                                \
      piece_##B *t = (piece_##B *)(window + rows[i].window);                                                           \
      real *g = grid + rows[i].grid;                                                                                   \
      __builtin_prefetch((char *)g + PREFETCH_BYTES, 1);                                                               \
      *(upiece_##B *)g += *t;                                                                                          \
      *t = (piece_##B){0};                                                                                             \
    }                                                                                                                  \
  }                                                                                                                    \
  static void enter_##B(const grid_row *rows, int n, real *window, const real *grid) {                                 \
    for (int i = 0; i < n; i++) {                                                                                      \
      const real *g = grid + rows[i].grid;                                                                             \
      __builtin_prefetch((const char *)g + PREFETCH_BYTES, 0);                                                         \
      *(piece_##B *)(window + rows[i].window) = *(const upiece_##B *)g;                                                \
    }                                                                                                                  \
  }
#ifdef OG_SINGLE
typedef real piece_4;
typedef real upiece_4;
static void retire_4(const grid_row *rows, int n_first, int n, real *window, real *grid) {
  for (int i = 0; i < n; i++) {
    real *t = window + rows[i].window, *g = grid + rows[i].grid;
    *g = i < n_first ? *t : *g + *t;
    *t = 0;
  }
}
static void enter_4(const grid_row *rows, int n, real *window, const real *grid) {
  for (int i = 0; i < n; i++)
    window[rows[i].window] = grid[rows[i].grid];
}
#endif
PIECE(8)
PIECE(16)
PIECE(32)
PIECE(64)

static void retire(const stream *s, int bytes, int n_first, real *window, real *grid) {
  switch (bytes) {
#ifdef OG_SINGLE
  case 4:
    retire_4(s->rows, n_first, s->n_rows, window, grid);
    break;
#endif
  case 8:
    retire_8(s->rows, n_first, s->n_rows, window, grid);
    break;
  case 16:
    retire_16(s->rows, n_first, s->n_rows, window, grid);
    break;
  case 32:
    retire_32(s->rows, n_first, s->n_rows, window, grid);
    break;
  default:
    retire_64(s->rows, n_first, s->n_rows, window, grid);
    break;
  }
}

static void enter(const stream *s, int bytes, real *window, const real *grid) {
  switch (bytes) {
#ifdef OG_SINGLE
  case 4:
    enter_4(s->rows, s->n_rows, window, grid);
    break;
#endif
  case 8:
    enter_8(s->rows, s->n_rows, window, grid);
    break;
  case 16:
    enter_16(s->rows, s->n_rows, window, grid);
    break;
  case 32:
    enter_32(s->rows, s->n_rows, window, grid);
    break;
  default:
    enter_64(s->rows, s->n_rows, window, grid);
    break;
  }
}

/* Moves the window's first `cells` cells out. wrapped: past the end of the row, where x = 0 follows: always added. */
static void stream_retire(stream *s, real *grid, int cells, int piece, int wrapped) {
  const int64_t n = s->p->grid.n[0];
  for (int b = 0; b < cells; b += piece) {
    retire(s, piece * CELL * (int)sizeof(real), wrapped ? 0 : s->n_first, s->window + s->slot * CELL,
           grid + (wrapped ? s->x - n : s->x) * CELL);
    s->x += piece;
    s->slot += piece;
    s->slot -= s->slot >= s->p->ring.cells ? s->p->ring.cells : 0;
  }
}

/* Moves the window on to begin at cell `to`, at most n. */
static void stream_advance(stream *s, real *grid, int64_t to) {
  const og_cpu_ring *ring = &s->p->ring;
  const int block = 1 << ring->log_block;
  while (s->x < to && s->x < s->dirty) {
    if (s->x + block <= to && !(s->x & (block - 1)))
      stream_retire(s, grid, block, ring->piece, 0);
    else
      stream_retire(s, grid, 1, 1, 0);
  }
  if (s->x < to) { /* nothing in the window: its cells are written without passing through it */
    for (int i = 0; i < s->n_first; i++)
      memset(grid + s->rows[i].grid + s->x * CELL, 0, (size_t)(to - s->x) * CELL * sizeof(real));
    s->x = to;
    s->slot = (int)(to % ring->cells);
  }
}

/* Fetches cells [x, x + cells) of all rows, x a multiple of the piece. */
static void stream_enter(const stream *s, const real *grid, int64_t x, int cells) {
  const og_cpu_ring *ring = &s->p->ring;
  const int64_t n = s->p->grid.n[0];
  int slot = (int)(x % ring->cells);
  for (int b = 0; b < cells; b += ring->piece) {
    int64_t at = (x + b) % n;
    if (at + ring->piece <= n)
      enter(s, ring->piece * CELL * (int)sizeof(real), s->window + slot * CELL, grid + at * CELL);
    else
      for (int k = 0; k < ring->piece; k++)
        enter(s, CELL * (int)sizeof(real), s->window + (slot + k) * CELL, grid + (x + b + k) % n * CELL);
    slot += ring->piece;
    slot -= slot >= ring->cells ? ring->cells : 0;
  }
}

/* Are the task's points so few that their own rows are fewer cells than all rows along the way? */
static int task_is_sparse(const og_cpu_points *p, const og_cpu_task *task) {
  const int64_t cells = p->ring.cells, points = task->end - task->begin, way = task->x_end - task->x_begin;
  const int64_t own = 2 * p->width * (p->ndim == 3 ? p->width : 1); /* twice: they are found one by one */
  const int64_t all = rows_in_y(p, task->py) * rows_in_z(p, task->pz);
  return points * own * cells < all * (points * cells < way ? points * cells : way);
}

/* Fetches the rows of one point alone. */
static void stream_enter_point(const stream *s, const og_cpu_task *task, const real *grid, int64_t x, uint32_t start) {
  const og_cpu_points *p = s->p;
  const int y = (int)og_cpu_pack_y(p, start), z = (int)og_cpu_pack_z(p, start), nz = p->ndim == 3 ? p->width : 1;
  grid_row rows[OG_MAX_WIDTH * OG_MAX_WIDTH];
  int n = 0;
  for (int k = 0; k < nz; k++)
    for (int i = 0; i < p->width; i++)
      rows[n++] = row_at(p, task->py, task->pz, y + i, z + k);
  stream_enter(&(stream){.p = p, .window = s->window, .rows = rows, .n_rows = n}, grid, x, p->ring.cells);
}

/* Window positions of a chunk. block: of x, in cells of the grid / block size. */
typedef struct {
  int32_t slot[OG_CPU_CHUNK];
  uint32_t key[OG_CPU_CHUNK]; /* x block in the tile, then as packed */
  uint32_t offset[OG_CPU_CHUNK];
} places;

static void chunk_places(const og_cpu_points *p, const chunk *c, int64_t tile_x, places *at) {
  const int byz = p->bits_y + p->bits_z, log_block = p->ring.log_block, row = p->ring.row * CELL;
  const uint32_t cells = (uint32_t)p->ring.cells;
  const uint32_t tile_slot = (uint32_t)(tile_x % cells), rows_y = (uint32_t)p->rows_y;
  for (int i = 0; i < c->m; i++) {
    uint32_t start = c->start[i], x = (start >> byz) + tile_slot;
    at->slot[i] = (int32_t)(x - cells * (uint32_t)(x * p->ring.magic >> 40));
    at->key[i] = (start >> (byz + log_block)) << byz | (start & ((1u << byz) - 1));
    at->offset[i] = (og_cpu_pack_z(p, start) * rows_y + og_cpu_pack_y(p, start)) * (uint32_t)row;
  }
}

static int pair_groups(const og_cpu_points *p, const places *at, int first, int end, group *g) {
  const uint32_t span = (uint32_t)p->span;
  const int low = p->bits_low;
  int n = 0;
  for (int i = first; i < end; n++) {
    g[n].point = i;
    g[n].offset = at->offset[i];
    g[n].shift = -1;
    if (i + 1 < end && at->key[i + 1] - at->key[i] <= span && at->key[i + 1] >> low == at->key[i] >> low) {
      g[n].shift = (int32_t)(at->key[i + 1] - at->key[i]);
      i++;
    }
    i++;
  }
  return n;
}

static void ring_job(const og_cpu_points *p, char *work, rows_job *job) {
  const og_cpu_work *w = &p->work;
  *job = (rows_job){.window = (real *)(work + w->window),
                    .y = (real *)(work + w->y),
                    .z = (real *)(work + w->z),
                    .dy = (real *)(work + w->dy),
                    .dz = (real *)(work + w->dz),
                    .v = (real *)(work + w->v),
                    .dv = (real *)(work + w->dv),
                    .sum = (real *)(work + w->sum),
                    .y_stride = w->y_stride,
                    .z_stride = w->z_stride,
                    .v_stride = w->v_stride,
                    .sum_stride = 4 * p->ring.bytes / (int)sizeof(real),
                    .row_reals = p->ring.row * CELL,
                    .plane_reals = p->rows_y * p->ring.row * CELL,
                    .vectors = p->ring.vectors,
                    .width = p->width,
                    .width_z = p->ndim == 3 ? p->width : 1};
}

static void ring_spread(const og_cpu_points *p, const og_cpu_task *task, const real *strengths, real *grid,
                        char *work) {
  stream s = {.p = p,
              .window = (real *)(work + p->work.window),
              .rows = (grid_row *)(work + p->work.rows),
              .x = task->x_begin,
              .dirty = task->x_begin,
              .slot = (int)(task->x_begin % p->ring.cells)};
  stream_rows(&s, task->py, task->pz);
  window_claim(p, work, WINDOW_CLEAN);
  rows_job job;
  ring_job(p, work, &job);
  const int block = 1 << p->ring.log_block, byz = p->bits_y + p->bits_z;
  chunk c;
  places at;
  group groups[OG_CPU_CHUNK];
  for (chunk_begin(p, task, &c); c.m; chunk_next(p, &c)) {
    chunk_load(p, &c);
    chunk_prefetch(&c, strengths);
    chunk_places(p, &c, c.tile_x, &at);
    chunk_weights(p, &c, work, 0);
    RING_CALL(p, rotate, (p, c.m, (real *)(work + p->work.x), at.slot, strengths, c.from, job.v));
    for (int i = 0, end; i < c.m; i = end) {
      const uint32_t xb = at.key[i] >> byz;
      for (end = i + 1; end < c.m && at.key[end] >> byz == xb; end++)
        ;
      int64_t to = c.tile_x + (int64_t)xb * block;
      if (s.x < to)
        stream_advance(&s, grid, to);
      s.dirty = to + block + p->width - 1;
      int n_groups = pair_groups(p, &at, i, end, groups);
      RING_CALL(p, add, (&job, groups, n_groups));
    }
  }
  stream_advance(&s, grid, task->x_end);
  if (task->tail < 0) {
    int64_t last = p->grid.n[0] + p->width - 1;
    last = s.dirty < last ? s.dirty : last;
    if (s.x < last)
      stream_retire(&s, grid, (int)(last - s.x), 1, 1);
  } else {
    size_t bytes = (size_t)p->rows_y * (size_t)p->rows_z * (size_t)p->ring.row * CELL * sizeof(real);
    memcpy(p->tails + (size_t)task->tail * p->tail_bytes, s.window, bytes);
    memset(s.window, 0, bytes);
  }
}

static void ring_interp(const og_cpu_points *p, const og_cpu_task *task, const real *grid, real *const out[4],
                        int outputs, char *work) {
  stream s = {.p = p, .window = (real *)(work + p->work.window), .rows = (grid_row *)(work + p->work.rows), .x = -1};
  const int sparse = task_is_sparse(p, task);
  if (!sparse)
    stream_rows(&s, task->py, task->pz);
  window_claim(p, work, WINDOW_USED);
  rows_job job;
  ring_job(p, work, &job);
  const int block = 1 << p->ring.log_block, byz = p->bits_y + p->bits_z, cells = p->ring.cells;
  const real factor[4] = {1, (real)p->fold[0].scale, (real)p->fold[1].scale, (real)p->fold[2].scale};
  chunk c;
  places at;
  for (chunk_begin(p, task, &c); c.m; chunk_next(p, &c)) {
    chunk_load(p, &c);
    if (out[0])
      chunk_prefetch(&c, out[0]);
    chunk_places(p, &c, c.tile_x, &at);
    chunk_weights(p, &c, work, outputs > 1);
    RING_CALL(p, rotate, (p, c.m, (real *)(work + p->work.x), at.slot, NULL, c.from, job.v));
    if (outputs > 1)
      RING_CALL(p, rotate, (p, c.m, (real *)(work + p->work.dx), at.slot, NULL, c.from, job.dv));
    for (int i = 0, end; i < c.m; i = end) {
      const uint32_t xb = at.key[i] >> byz;
      for (end = i + 1; !sparse && end < c.m && at.key[end] >> byz == xb; end++)
        ;
      int64_t to = c.tile_x + (int64_t)xb * block;
      if (sparse)
        stream_enter_point(&s, task, grid, to, c.start[i]);
      else if (s.x < 0 || to - s.x >= cells)
        stream_enter(&s, grid, to, cells);
      else
        for (; s.x < to; s.x += block)
          stream_enter(&s, grid, s.x + cells, block);
      s.x = to;
      if (outputs > 1)
        RING_CALL(p, slope, (&job, at.offset, i, end - i));
      else
        RING_CALL(p, take, (&job, at.offset, i, end - i));
    }
    RING_CALL(p, give, (&job, c.m, c.from, outputs, out, factor));
  }
}

/* The tails of tasks that end inside a pencil: see og_cpu_kernels. */
static void ring_add_tails(const og_cpu_points *p, int part, int parts, real *grid, grid_row *rows) {
  const int cells = p->ring.cells;
  const int64_t n = p->grid.n[0];
  for (int32_t k = 0; k < p->n_tails; k++) {
    const og_cpu_task *task = p->tail_task[k];
    stream s = {.p = p, .rows = rows};
    stream_rows(&s, task->py, task->pz);
    const real *tail = (const real *)(p->tails + (size_t)k * p->tail_bytes);
    for (int i = 0; i < s.n_rows; i++) {
      if (rows[i].number % (uint32_t)parts != (uint32_t)part)
        continue;
      const real *t = tail + rows[i].window;
      real *g = grid + rows[i].grid;
      for (int64_t x = task->x_end; x < task->x_end + cells && x < 2 * n; x++)
        for (int r = 0; r < CELL; r++)
          g[x % n * CELL + r] += t[x % cells * CELL + r];
    }
  }
}
