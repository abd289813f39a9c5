/* How the grid is cut into pencils and tiles, which ring a width takes, and where things lie in a thread's work space.
 */
#include "points.h"
#include "base/memory.h"

#include <string.h>

#define MOST_TILES 1024  /* streams that a partition writes at once without leaving the second-level cache */
#define TILE_POINTS 4096 /* points whose sort stays there */
#define MOST_KEYS 65536  /* of a sort inside a tile */
#define LOW_BITS 3       /* of y that the sort orders points by last, in three dimensions: see og_cpu_pack */

static int ceil_log2(int64_t n) {
  int k = 0;
  while ((int64_t)1 << k < n)
    k++;
  return k;
}

/* Cells of a tile in one dimension: as kernel/line.h has it. */
static int64_t line_tile(const og_cpu_points *p) { return OG_CPU_LINE_BYTES / (int64_t)p->value_bytes; }

static int tile_least(const og_cpu_points *p) { return p->ndim == 1 ? ceil_log2(line_tile(p)) : p->ring.log_block + 3; }

/* Parts of equal size, to within one. */
static int cut_make(og_cpu_cut *cut, int64_t n, int64_t parts) {
  cut->begin = og_allocate(og_bytes((size_t)parts + 1, sizeof *cut->begin));
  cut->key = og_allocate(og_bytes((size_t)n, sizeof *cut->key));
  OG_CHECK(cut->begin && cut->key, OG_ERR_MEMORY, "no memory for %lld parts of the grid", (long long)parts);
  cut->parts = (int)parts;
  for (int64_t k = 0; k <= parts; k++)
    cut->begin[k] = (int32_t)(k * n / parts);
  return OG_OK;
}

static int64_t cut_tallest(const og_cpu_cut *cut) {
  int64_t most = 0;
  for (int k = 0; k < cut->parts; k++)
    most = cut->begin[k + 1] - cut->begin[k] > most ? cut->begin[k + 1] - cut->begin[k] : most;
  return most;
}

/* Pencils along one dimension: of at least width - 1 cells, so that stencils reach no further than the next pencil, and
 * an even number where threads work on every second one at once. */
static int64_t pencils(int64_t n, int64_t size, int width, int threads) {
  int64_t most = n / (width > 1 ? width - 1 : 1), parts = (n + size - 1) / size;
  while (parts > 1 && n / parts < width - 1)
    parts--;
  if (threads > 1 && parts > 1 && parts % 2)
    parts += parts + 1 <= most && n / (parts + 1) >= width - 1 ? 1 : -1;
  return parts < 1 ? 1 : parts;
}

/* The ring: enough cells for a stencil and a block of starts. */
static void ring_choose(og_cpu_points *p) {
  og_cpu_ring *ring = &p->ring;
  const int cell = (int)p->value_bytes, w = p->width;
  int best_cost = 0;
  for (int k = 0; k < 2; k++) {
    int bytes = p->kernels->vector_bytes[k];
    if (!bytes)
      continue;
    int per_vector = bytes / cell > 0 ? bytes / cell : 1;
    int least = w > p->lanes ? w : p->lanes; /* evaluation writes so many at once */
    for (int vectors = (least + per_vector - 1) / per_vector, more = 0; more < 3; vectors++, more++) {
      int cells = vectors * per_vector, log_block = 0, piece = 1;
      while (2 << log_block <= cells - w + 1)
        log_block++;
      while (2 * piece <= 1 << log_block && cells % (2 * piece) == 0 && 2 * piece * cell <= 64)
        piece *= 2;
      /* the shortest rows, but not a move at every cell for narrow stencils, whose rows are the smaller part */
      int cost = vectors * bytes + (log_block == 0 && w <= 4 ? 2 * bytes : 0);
      if (!best_cost || cost < best_cost) {
        best_cost = cost;
        int row = cells + (vectors * bytes % 256 ? 0 : per_vector);
        uint64_t magic = ((1ull << 40) + (unsigned)cells - 1) / (unsigned)cells;
        *ring = (og_cpu_ring){bytes, vectors, cells, log_block, row, piece, magic};
      }
    }
  }
}

static size_t place(size_t *end, size_t bytes) {
  size_t at = *end;
  *end = og_round_up(at + bytes, 64);
  return at;
}

static int at_least(int a, int b) { return a > b ? a : b; }

static void work_layout(og_cpu_points *p) {
  og_cpu_work *w = &p->work;
  const size_t r = p->real_bytes, chunk = OG_CPU_CHUNK + 4;
  const int pad = 8; /* cells that evaluation may write before the first weight, all zeros */
  size_t end = 64;
  w->x_stride = (int)og_round_up((size_t)(p->ndim == 1 ? 16 : 2 * p->ring.cells) + 8, 4);
  w->y_stride = (int)og_round_up((size_t)at_least(p->width + p->span, 8), 4);
  w->z_stride = (int)og_round_up((size_t)at_least(p->width, 8), 4);
  w->v_stride = p->ring.vectors * p->ring.bytes / (int)r;
  const size_t x = (chunk * (size_t)w->x_stride + 2 * pad + 16) * r,
               y = (chunk * (size_t)w->y_stride + 2 * pad + 16) * r;
  const size_t z = (chunk * (size_t)w->z_stride + 2 * pad + 16) * r, v = chunk * (size_t)w->v_stride * r;
  w->x = place(&end, x) + pad * r;
  w->y = place(&end, p->ndim > 1 ? y : 0) + pad * r;
  w->z = place(&end, p->ndim > 1 ? z : 0) + pad * r;
  w->v = place(&end, p->ndim > 1 ? v : 0);
  w->sum = place(&end, p->ndim > 1 ? chunk * 4 * (size_t)p->ring.bytes : 0);
  int slopes = p->setup.gradient;
  w->dx = place(&end, slopes ? x : 0) + pad * r;
  w->dy = place(&end, slopes && p->ndim > 1 ? y : 0) + pad * r;
  w->dz = place(&end, slopes && p->ndim > 1 ? z : 0) + pad * r;
  w->dv = place(&end, slopes && p->ndim > 1 ? v : 0);
  size_t cells = p->ndim == 1 ? (size_t)line_tile(p) + 64 : (size_t)p->rows_y * (size_t)p->rows_z * (size_t)p->ring.row;
  w->window = place(&end, cells * p->value_bytes);
  w->rows = place(&end, p->ndim == 1 ? 0 : (size_t)p->rows_y * (size_t)p->rows_z * 16);
  w->bytes = og_round_up(end, 4096) + 64 * 5; /* threads' work does not share a page, nor cache sets */
  p->tail_bytes = p->ndim == 1 ? (size_t)(line_tile(p) + p->width - 1) * p->value_bytes : cells * p->value_bytes;
}

/* log2 of the cells of a sort tile that suits n points. */
int og_cpu_tiling_log(const og_cpu_points *p, int64_t n) {
  const int64_t nx = p->grid.n[0], pencils = (int64_t)p->cut[1].parts * p->cut[2].parts;
  int least = tile_least(p), log_tile = ceil_log2(nx);
  int most = p->ndim == 1 ? 24 : ceil_log2(MOST_KEYS) - p->bits_y - p->bits_z + p->ring.log_block;
  log_tile = log_tile < least ? least : log_tile;
  if (p->ndim == 1)
    while (log_tile > least && (nx >> (log_tile - 1)) < MOST_TILES)
      log_tile--;
  else
    while (log_tile > least && n > TILE_POINTS * pencils * ((nx >> log_tile) + 1) &&
           pencils * ((nx >> (log_tile - 1)) + 1) <= MOST_TILES)
      log_tile--;
  while (log_tile > most && log_tile > least)
    log_tile--;
  return log_tile;
}

/* What each start of dimension d adds to a point's key. */
static void cut_keys(og_cpu_points *p, int d) {
  const og_cpu_cut *cut = &p->cut[d];
  const uint64_t step = d == 0 ? 1 : (uint64_t)p->cut[0].parts * (d == 1 ? 1 : (uint64_t)p->cut[1].parts);
  for (int k = 0; k < cut->parts; k++)
    for (int32_t s = cut->begin[k]; s < cut->begin[k + 1]; s++) {
      const uint32_t at = (uint32_t)(s - cut->begin[k]);
      cut->key[s] = step * (uint64_t)k << 32 | og_cpu_pack(p, d == 0 ? at : 0, d == 1 ? at : 0, d == 2 ? at : 0);
    }
}

void og_cpu_tiling_set(og_cpu_points *p, int log_tile) {
  const int64_t nx = p->grid.n[0], parts = ((nx - 1) >> log_tile) + 1;
  p->log_tile = log_tile;
  p->cut[0].parts = (int)parts;
  for (int64_t k = 0; k <= parts; k++)
    p->cut[0].begin[k] = (int32_t)(k << log_tile < nx ? k << log_tile : nx);
  if (p->ndim > 1)
    for (int d = 0; d < p->ndim; d++)
      cut_keys(p, d);
}

int og_cpu_tiling_make(og_cpu_points *p) {
  const int64_t *n = p->grid.n;
  const int64_t size_y = p->ndim == 2 ? 32 : 16, size_z = 16; /* stencil starts: measured, the optimum is flat */
  OG_TRY(cut_make(&p->cut[1], n[1], p->ndim > 1 ? pencils(n[1], size_y, p->width, p->threads) : 1));
  OG_TRY(cut_make(&p->cut[2], n[2], p->ndim > 2 ? pencils(n[2], size_z, p->width, p->threads) : 1));
  const int64_t tall_y = cut_tallest(&p->cut[1]), tall_z = cut_tallest(&p->cut[2]);
  p->bits_y = p->ndim > 1 ? ceil_log2(tall_y) : 0;
  p->bits_z = p->ndim > 2 ? ceil_log2(tall_z) : 0;
  p->bits_low = p->ndim > 2 && p->bits_y > LOW_BITS ? LOW_BITS : p->bits_y;
  p->rows_y = (int)tall_y + p->width - 1;
  p->rows_z = p->ndim > 2 ? (int)tall_z + p->width - 1 : 1;
  p->span = p->ndim > 1 ? (p->width < OG_CPU_MAX_SPAN ? p->width - 1 : OG_CPU_MAX_SPAN) : 0;
  if (p->ndim > 1)
    ring_choose(p);
  else
    p->ring = (og_cpu_ring){.cells = 16, .log_block = ceil_log2(line_tile(p))};
  work_layout(p);
  /* the most tiles that any number of points is cut into */
  int64_t most = (n[0] >> tile_least(p)) + 2;
  p->cut[0].begin = og_allocate(og_bytes((size_t)most + 1, sizeof *p->cut[0].begin));
  p->cut[0].key = og_allocate(og_bytes(p->ndim > 1 ? (size_t)n[0] : 0, sizeof *p->cut[0].key));
  OG_CHECK(p->cut[0].begin && p->cut[0].key, OG_ERR_MEMORY, "no memory for %lld tiles", (long long)most);
  og_cpu_tiling_set(p, og_cpu_tiling_log(p, (int64_t)1 << 40)); /* as fine as it gets */
  int64_t tiles = (int64_t)p->cut[0].parts * p->cut[1].parts * p->cut[2].parts;
  p->histogram_stride = tiles + 16;
  p->histogram = og_allocate(og_bytes((size_t)p->threads * (size_t)p->histogram_stride, sizeof *p->histogram));
  p->tile_begin = og_allocate_zeroed(og_bytes((size_t)tiles + 1, sizeof *p->tile_begin));
  p->memory = og_allocate_zeroed(og_bytes((size_t)p->threads, p->work.bytes));
  OG_CHECK(p->histogram && p->tile_begin && p->memory, OG_ERR_MEMORY,
           "no memory for the work space of %d threads (%zu bytes each)", p->threads, p->work.bytes);
  for (int t = 0; t < p->threads; t++) {
    char *work = p->memory + (size_t)t * p->work.bytes;
    *(int *)(void *)work = 1;                                    /* its window is clean */
    for (int i = 0; i < OG_CPU_CHUNK + 4 && p->ndim == 2; i++) { /* the one plane of two dimensions counts once */
      if (p->grid.precision == OG_F32)
        ((float *)(void *)(work + p->work.z))[i * p->work.z_stride] = 1;
      else
        ((double *)(void *)(work + p->work.z))[i * p->work.z_stride] = 1;
    }
  }
  return OG_OK;
}
