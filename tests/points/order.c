/* The cpu backend's records: each point once, in its tile, with its stencil start and argument t, ordered by (x block, y,
 * z) inside; whether a tile is sorted in one pass, in two, or has to be split first; strengths' places likewise; and
 * again after bad points, which change nothing. */
#include "cpu/points.h"
#include "base/memory.h"
#include "common/test.h"

typedef struct order_case {
  int ndim, width, precision, threads, index_only;
  int64_t n[3], m;
  double share; /* of the period that the points lie in */
  const char *sorted;
} order_case;

typedef struct held {
  og_grid grid;
  og_window window;
  void *points, *resident, *scratch, *x[3];
  size_t resident_bytes;
  int32_t *cell[3]; /* start of each point */
  double *t[3];
} held;

static void make(const order_case *c, held *h) {
  *h = (held){.grid = {.ndim = c->ndim, .n = {c->n[0], c->n[1], c->n[2]}, .precision = c->precision}};
  CHECK_OK(og_cpu_grid_layout(&h->grid));
  CHECK_OK(og_window_make(&h->window, OG_PSWF, c->width, 2.0, 0, 1e-5));
  og_points_setup setup = {.grid = &h->grid,
                           .window = &h->window,
                           .period = {1, 1, 1},
                           .threads = c->threads,
                           .simd = "auto",
                           .index_only = c->index_only};
  CHECK_OK(og_cpu_points_create(&setup, &h->points));
  size_t scratch;
  CHECK_OK(og_cpu_points_bytes(h->points, c->m, &h->resident_bytes, &scratch));
  h->resident = og_allocate(h->resident_bytes);
  h->scratch = og_allocate(scratch);
  for (int d = 0; d < c->ndim; d++) {
    h->x[d] = malloc((size_t)c->m * og_real_bytes(c->precision));
    h->cell[d] = malloc((size_t)c->m * sizeof(int32_t));
    h->t[d] = malloc((size_t)c->m * sizeof(double));
    for (int64_t i = 0; i < c->m; i++) {
      /* well inside a cell, so that rounding does not choose the start */
      const int64_t k = test_integer(0, (int64_t)(c->share * (double)(c->n[d] - 1)));
      double u = ((double)k + 0.5 + 0.4 * test_uniform()) / (double)c->n[d] + (double)test_integer(-2, 2);
      if (c->precision == OG_F32) {
        ((float *)h->x[d])[i] = (float)u;
        u = (double)((float *)h->x[d])[i];
      } else
        ((double *)h->x[d])[i] = u;
      const double g = (u - floor(u)) * (double)c->n[d], s = ceil(g - c->width / 2.0);
      h->cell[d][i] = (int32_t)(s < 0 ? s + (double)c->n[d] : s);
      h->t[d][i] = 2 * (s - g) + c->width - 1;
    }
  }
}

static void drop(const order_case *c, held *h) {
  og_cpu_points_destroy(h->points);
  og_free(h->resident);
  og_free(h->scratch);
  for (int d = 0; d < c->ndim; d++) {
    free(h->x[d]);
    free(h->cell[d]);
    free(h->t[d]);
  }
}

static uint32_t word(const char *record, const og_cpu_points *p, int which) {
  uint32_t value;
  memcpy(&value, record + p->record_bytes - 8 + 4 * which, 4);
  return value;
}

static int64_t part_of(const og_cpu_cut *cut, int32_t s) {
  int64_t k = 0;
  while (cut->begin[k + 1] <= s)
    k++;
  return k;
}

/* The record of point i at place k is right: tile, start, t. */
static int record_is_right(const held *h, const og_cpu_points *p, int64_t i, int64_t k, int64_t tile) {
  const char *record = p->records + (size_t)k * p->record_bytes;
  const uint32_t start = word(record, p, 0);
  int64_t s[3] = {h->cell[0][i], p->ndim > 1 ? h->cell[1][i] : 0, p->ndim > 2 ? h->cell[2][i] : 0}, part[3];
  for (int d = 0; d < 3; d++) {
    part[d] = d < p->ndim ? part_of(&p->cut[d], (int32_t)s[d]) : 0;
    s[d] -= d < p->ndim ? p->cut[d].begin[part[d]] : 0;
  }
  int right = tile == (part[2] * p->cut[1].parts + part[1]) * p->cut[0].parts + part[0] &&
              start == og_cpu_pack(p, (uint32_t)s[0], (uint32_t)s[1], (uint32_t)s[2]);
  const double eps = p->real_bytes == 4 ? 1e-6 : 1e-9;
  for (int d = 0; d < p->dims_stored; d++) {
    const char *t = record + (size_t)d * p->real_bytes;
    const double got = p->real_bytes == 4 ? (double)*(const float *)(const void *)t : *(const double *)(const void *)t;
    right &= fabs(got - h->t[d][i]) <= eps;
  }
  return right;
}

static void check(const order_case *c, const held *h) {
  const og_cpu_points *p = h->points;
  const int64_t tiles = (int64_t)p->cut[0].parts * p->cut[1].parts * p->cut[2].parts;
  const int byz = p->bits_y + p->bits_z;
  int64_t *whose = malloc((size_t)c->m * sizeof *whose), wrong = 0, disordered = 0, lost = 0;
  char *seen = calloc((size_t)c->m + 1, 1);
  for (int64_t i = 0; i < c->m; i++)
    whose[i] = -1;
  for (int64_t i = 0; i < c->m && p->two_step; i++)
    if (p->destination[i] < c->m)
      whose[p->destination[i]] = i;
  CHECK(p->tile_begin[0] == 0 && p->tile_begin[tiles] == c->m, "tiles hold %lld", (long long)p->tile_begin[tiles]);
  for (int64_t tile = 0; tile < tiles; tile++)
    for (int64_t k = p->tile_begin[tile], before = -1; k < p->tile_begin[tile + 1]; k++) {
      const char *record = p->records + (size_t)k * p->record_bytes;
      const uint32_t start = word(record, p, 0), from = word(record, p, 1);
      const int64_t i = from >= c->m ? -1 : p->two_step ? whose[from] : (int64_t)from;
      const int64_t key = (int64_t)(start >> (byz + p->ring.log_block)) << byz | (start & ((1u << byz) - 1));
      lost += i < 0 || seen[i];
      wrong += i >= 0 && !record_is_right(h, p, i, k, tile);
      disordered += p->sorted && key < before;
      seen[i < 0 ? c->m : i] = 1;
      before = key;
    }
  CHECK(!lost, "%lld records of no point or of one that has another", (long long)lost);
  CHECK(!wrong, "%lld wrong records", (long long)wrong);
  CHECK(!disordered, "%lld records come after larger keys", (long long)disordered);
  free(whose);
  free(seen);
}

/* A point that is not finite is refused before anything that the points hold is touched. */
static void check_bad(const order_case *c, const held *h) {
  const void *const x[3] = {h->x[0], h->x[1], h->x[2]};
  const int64_t at = test_integer(0, c->m - 1);
  char *copy = malloc(h->resident_bytes);
  memcpy(copy, h->resident, h->resident_bytes);
  if (c->precision == OG_F32)
    ((float *)h->x[c->ndim - 1])[at] = NAN;
  else
    ((double *)h->x[c->ndim - 1])[at] = INFINITY;
  CHECK_CODE(og_cpu_points_set(h->points, c->m, x, h->resident, h->scratch), OG_ERR_POINT, "must be finite");
  CHECK(!memcmp(copy, h->resident, h->resident_bytes), "bad points changed the points that were held");
  free(copy);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the cpu backend's records are the points, in order");
  static const order_case cases[] = {
      {1, 5, OG_F64, 1, 0, {20000, 1, 1}, 3000, 1, "not at all"},
      {1, 5, OG_F64, 1, 0, {5000000, 1, 1}, 200000, 1, "in one pass"},
      {1, 4, OG_F32, 2, 0, {5000001, 1, 1}, 140000, 0.5, "in one pass"},
      {2, 7, OG_F64, 1, 0, {300, 250, 1}, 150000, 1, "in one pass"},
      {2, 6, OG_F32, 2, 1, {600, 90, 1}, 30000, 1, "in one pass"},
      {3, 7, OG_F64, 1, 0, {64, 60, 50}, 140000, 1, "in one pass"},
      {3, 5, OG_F32, 2, 0, {72, 64, 64}, 300000, 1, "in one pass"},
      {3, 7, OG_F64, 1, 0, {256, 100, 100}, 20000, 1, "in two passes"},
      {3, 6, OG_F32, 1, 1, {200, 80, 70}, 10000, 1, "in two passes"},
      {3, 7, OG_F64, 2, 0, {512, 64, 64}, 400000, 0.02, "split"},
      {2, 6, OG_F32, 1, 0, {400, 300, 1}, 900000, 0.03, "split"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const order_case *c = &cases[k];
    held h;
    test_case("%dd/%lldx%lldx%lld/m=%lld/width=%d/%s/threads=%d/index=%d/share=%g, sorted %s", c->ndim,
              (long long)c->n[0], (long long)c->n[1], (long long)c->n[2], (long long)c->m, c->width,
              c->precision == OG_F32 ? "f32" : "f64", c->threads, c->index_only, c->share, c->sorted);
    make(c, &h);
    const void *const x[3] = {h.x[0], h.x[1], h.x[2]};
    for (int again = 0; again < 2; again++)
      if (CHECK_OK(og_cpu_points_set(h.points, c->m, x, h.resident, h.scratch)))
        check(c, &h);
    check_bad(c, &h);
    check(c, &h);
    drop(c, &h);
  }
  return test_end();
}
