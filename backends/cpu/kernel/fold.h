/* From the caller's coordinates to cells: fold any finite real into the period, find the stencil start s and the
 * polynomial argument t = 2 (s - g) + width - 1 in double precision, and write records in tile order.
 *
 * The period is subtracted in three parts (Cody and Waite), each product exact for up to 2^20 periods: coordinates of
 * 10^6 keep all digits that they have. Beyond, the C library's remainder does it (exactly for the double nearest to the
 * period), and the rest of 2 pi follows. */
#define ROUND_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding and subtracting it rounds to the nearest integer */
#define FOLD_FAR 1048576.0

#ifdef __SSE4_1__
#define CEIL ceil /* one instruction */
#else
static inline double ceil_magic(double y) {
  double s = (y + ROUND_MAGIC) - ROUND_MAGIC;
  return s < y ? s + 1 : s;
}
#define CEIL ceil_magic
#endif

/* Grid coordinate in [-n/2, 3n/2). */
static inline double fold_coordinate(const og_cpu_fold *f, double x) {
  double k = (x * f->inverse + ROUND_MAGIC) - ROUND_MAGIC;
  double r = ((x - k * f->period[0]) - k * f->period[1]) - k * f->period[2];
  return r * f->scale + f->shift;
}

static double fold_far(const og_cpu_fold *f, double x) {
  if (fabs(x * f->inverse) <= FOLD_FAR)
    return x;
  const double period = f->period[0] + f->period[1], r = remainder(x, period), k = rint((x - r) / period);
  return fabs(k) < 1e15 ? r - k * f->period[2] : r; /* beyond, x has no digit left of its place in the period */
}

typedef struct {
  int32_t start[OG_CPU_BLOCK];
  real t[OG_CPU_BLOCK];
} folded;

/* The stencil starts of a block of coordinates, and t where wanted. Returns whether all of them are finite and near
 * enough for three parts of the period. */
static inline __attribute__((always_inline)) int fold_near(const og_cpu_fold *f, const real *x, folded *out,
                                                           int with_t) {
  const double half = f->half_width, end = 2 * half - 1;
  const uint32_t n = (uint32_t)f->n;
  int64_t outside = 0;
  for (int i = 0; i < OG_CPU_BLOCK; i++) {
    const int near = fabs((double)x[i] * f->inverse) <= FOLD_FAR;
    outside |= !near;
    double g = fold_coordinate(f, near ? (double)x[i] : 0);
    double s = CEIL(g - half);
    if (with_t)
      out->t[i] = (real)(2 * (s - g) + end);
    /* into [0, n): of two unsigned numbers the one that wrapped around is the larger */
    uint32_t a = (uint32_t)(int32_t)s, b = a + n;
    a = a < b ? a : b;
    b = a - n;
    out->start[i] = (int32_t)(a < b ? a : b);
  }
  return !outside;
}

/* The same where some are far. */
static __attribute__((noinline)) void fold_distant(const og_cpu_fold *f, const real *x, int m, folded *out) {
  for (int i = 0; i < m; i++) {
    double g = fold_coordinate(f, fold_far(f, (double)x[i])), s = CEIL(g - f->half_width);
    out->t[i] = (real)(2 * (s - g) + (2 * f->half_width - 1));
    s = s < 0 ? s + f->n : s;
    out->start[i] = (int32_t)(s >= f->n ? s - f->n : s);
  }
}

/* One block of coordinates, m of them. Returns the index of a bad one, or -1. */
static inline __attribute__((always_inline)) int fold_block(const og_cpu_fold *f, const real *x, int m, folded *out,
                                                            int with_t) {
  if (m == OG_CPU_BLOCK && fold_near(f, x, out, with_t))
    return -1;
  real near[OG_CPU_BLOCK];
  for (int i = 0; i < m; i++) {
    if (!isfinite(x[i]))
      return i;
    near[i] = x[i];
  }
  for (int i = m; i < OG_CPU_BLOCK; i++)
    near[i] = 0;
  if (fold_near(f, near, out, with_t))
    return -1;
  fold_distant(f, x, m, out);
  return -1;
}

/* Tile (high half) and packed start (low half) of point i of a block. */
static inline __attribute__((always_inline)) uint64_t fold_key(const og_cpu_points *p, const folded *f, int i,
                                                               int ndim) {
  if (ndim == 1) {
    const uint32_t x = (uint32_t)f[0].start[i], log_tile = (uint32_t)p->log_tile;
    return (uint64_t)(x >> log_tile) << 32 | (x & ((1u << log_tile) - 1));
  }
  uint64_t key = p->cut[0].key[f[0].start[i]] + p->cut[1].key[f[1].start[i]];
  return ndim > 2 ? key + p->cut[2].key[f[2].start[i]] : key;
}

static inline __attribute__((always_inline)) int64_t
count_range(const og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end, int64_t *histogram, int ndim) {
  folded f[3];
  for (int64_t a = begin; a < end; a += OG_CPU_BLOCK) {
    int m = end - a < OG_CPU_BLOCK ? (int)(end - a) : OG_CPU_BLOCK, worst = m;
    for (int d = 0; d < ndim; d++) {
      int bad = fold_block(&p->fold[d], (const real *)x[d] + a, m, &f[d], 0);
      if (bad >= 0 && bad < worst)
        worst = bad;
    }
    if (worst < m)
      return a + worst;
    for (int i = 0; i < m; i++)
      histogram[fold_key(p, f, i, ndim) >> 32]++;
  }
  return -1;
}

static int64_t fold_count(const og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end,
                          int64_t *histogram) {
  return p->ndim == 1   ? count_range(p, x, begin, end, histogram, 1)
         : p->ndim == 2 ? count_range(p, x, begin, end, histogram, 2)
                        : count_range(p, x, begin, end, histogram, 3);
}

/* Where the points of a block go, and the second half of their records. */
typedef struct {
  uint64_t tail[OG_CPU_BLOCK]; /* packed start, from */
  uint32_t to[OG_CPU_BLOCK];
} placed;

static inline __attribute__((always_inline)) void place_block(const og_cpu_points *p, const folded *f, int64_t a, int m,
                                                              int64_t *position, int ndim, placed *at) {
  const int two_step = p->two_step;
  uint32_t *destination = two_step ? p->destination + a : at->to;
  for (int i = 0; i < m; i++) {
    const uint64_t key = fold_key(p, f, i, ndim);
    const uint32_t to = (uint32_t)position[key >> 32]++;
    at->to[i] = to;
    destination[i] = to;
    at->tail[i] = (key & UINT32_MAX) | (two_step ? (uint64_t)to : (uint64_t)(a + i)) << 32;
  }
}

/* The records of a block, one by one. */
static inline __attribute__((always_inline)) void put_records(const og_cpu_points *p, const folded *f, const placed *at,
                                                              int first, int m, int stored) {
  const size_t bytes = (size_t)stored * sizeof(real) + 8;
  for (int i = first; i < m; i++) {
    char *record = p->records + (size_t)at->to[i] * bytes;
    const uint32_t tail[2] = {(uint32_t)at->tail[i], (uint32_t)(at->tail[i] >> 32)};
    for (int d = 0; d < stored; d++)
      memcpy(record + (size_t)d * sizeof(real), &f[d].t[i], sizeof(real));
    memcpy(record + (size_t)stored * sizeof(real), tail, 8);
  }
}

#if !defined(OG_SINGLE) && OG_SIMD_EVALUATE == 32
/* Three coordinates in double precision: a record is one vector of 32 bytes. Tiles are written as so many streams that
 * the hardware does not see them: each asks for its next line itself. */
typedef double quad __attribute__((vector_size(32), may_alias));
typedef double uquad __attribute__((vector_size(32), may_alias, aligned(sizeof(double))));

static inline __attribute__((always_inline)) void put_quad(const og_cpu_points *p, uint32_t to, quad record) {
  uquad *out = (uquad *)(void *)(p->records + (size_t)to * sizeof record);
  *out = record;
  __builtin_prefetch(out + 2, 1);
}

static inline __attribute__((always_inline)) void put_quads(const og_cpu_points *p, const folded *f, const placed *at,
                                                            int m) {
  int i = 0;
  for (; i + 4 <= m; i += 4) {
    const quad x = *(const quad *)&f[0].t[i], y = *(const quad *)&f[1].t[i], z = *(const quad *)&f[2].t[i];
    const quad tail = *(const quad *)&at->tail[i]; /* only moved, whatever it is as a number */
    const quad xy0 = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy1 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const quad zt0 = __builtin_shufflevector(z, tail, 0, 4, 2, 6), zt1 = __builtin_shufflevector(z, tail, 1, 5, 3, 7);
    put_quad(p, at->to[i], __builtin_shufflevector(xy0, zt0, 0, 1, 4, 5));
    put_quad(p, at->to[i + 1], __builtin_shufflevector(xy1, zt1, 0, 1, 4, 5));
    put_quad(p, at->to[i + 2], __builtin_shufflevector(xy0, zt0, 2, 3, 6, 7));
    put_quad(p, at->to[i + 3], __builtin_shufflevector(xy1, zt1, 2, 3, 6, 7));
  }
  put_records(p, f, at, i, m, 3);
}
#endif

/* stored: coordinates per record. */
static inline __attribute__((always_inline)) void partition_range(og_cpu_points *p, const void *const x[3],
                                                                  int64_t begin, int64_t end, int64_t *position,
                                                                  int ndim, int stored) {
  folded f[3] __attribute__((aligned(64)));
  placed at __attribute__((aligned(64)));
  for (int64_t a = begin; a < end; a += OG_CPU_BLOCK) {
    const int m = end - a < OG_CPU_BLOCK ? (int)(end - a) : OG_CPU_BLOCK;
    for (int d = 0; d < ndim; d++)
      (void)fold_block(&p->fold[d], (const real *)x[d] + a, m, &f[d], 1);
    place_block(p, f, a, m, position, ndim, &at);
#if !defined(OG_SINGLE) && OG_SIMD_EVALUATE == 32
    if (stored == 3) {
      put_quads(p, f, &at, m);
      continue;
    }
#endif
    put_records(p, f, &at, 0, m, stored);
  }
}

static void fold_partition(og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end, int64_t *position) {
  switch (p->ndim * 2 + (p->dims_stored > 0)) {
  case 2:
    partition_range(p, x, begin, end, position, 1, 0);
    break;
  case 3:
    partition_range(p, x, begin, end, position, 1, 1);
    break;
  case 4:
    partition_range(p, x, begin, end, position, 2, 0);
    break;
  case 5:
    partition_range(p, x, begin, end, position, 2, 2);
    break;
  case 6:
    partition_range(p, x, begin, end, position, 3, 0);
    break;
  default:
    partition_range(p, x, begin, end, position, 3, 3);
    break;
  }
}
