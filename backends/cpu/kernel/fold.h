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

/* x less the nearest multiple of the period; y: x in periods. */
static inline double fold_periods(const og_cpu_fold *f, double x, double y) {
  const double k = (y + ROUND_MAGIC) - ROUND_MAGIC;
  return ((x - k * f->period[0]) - k * f->period[1]) - k * f->period[2];
}

/* Grid coordinate in [-n/2, 3n/2). */
static inline double fold_coordinate(const og_cpu_fold *f, double x) {
  return fold_periods(f, x, x * f->inverse) * f->scale + f->shift;
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

/* Of an integer plus ROUND_MAGIC: the integer modulo 2^32; of anything else no more than some bits. */
static inline uint32_t low_bits(double x) {
  union {
    double value;
    uint64_t bits;
  } u = {x};
  return (uint32_t)u.bits;
}

/* The stencil starts of a block of coordinates, and t where wanted. Returns whether all of them are finite and near
 * enough for three parts of the period. */
static inline __attribute__((always_inline)) int fold_near(const og_cpu_fold *f, const real *x, folded *out,
                                                           int with_t) {
  const double half = f->half_width;
  const uint32_t n = (uint32_t)f->n;
  int64_t outside = 0;
  for (int i = 0; i < OG_CPU_BLOCK; i++) {
    const double y = (double)x[i] * f->inverse;
    outside |= -(int64_t) !(fabs(y) <= FOLD_FAR);
    const double g = fold_periods(f, (double)x[i], y) * f->scale + f->shift; /* rounded before it meets an edge */
    const double h = g - half, s = CEIL(h);
    if (with_t)
      out->t[i] = (real)(2 * (s - h) - 1);
    /* into [0, n): of two unsigned numbers the one that wrapped around is the larger */
    uint32_t a = low_bits(s + ROUND_MAGIC), b = a + n;
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

#ifdef OG_SINGLE
/* The same of coordinates in double precision. */
static __attribute__((noinline)) int fold_wide(const og_cpu_fold *f, const double *x, int m, folded *out) {
  for (int i = 0; i < m; i++) {
    if (!isfinite(x[i]))
      return i;
    double g = fold_coordinate(f, fold_far(f, x[i])), s = CEIL(g - f->half_width);
    out->t[i] = (real)(2 * (s - g) + (2 * f->half_width - 1));
    s = s < 0 ? s + f->n : s;
    out->start[i] = (int32_t)(s >= f->n ? s - f->n : s);
  }
  return -1;
}
#endif

/* One block of dimension d, from point a on. */
static inline __attribute__((always_inline)) int fold_points(const og_cpu_points *p, int d, const void *x, int64_t a,
                                                             int m, folded *out, int with_t) {
#ifdef OG_SINGLE
  if (p->setup.wide)
    return fold_wide(&p->fold[d], (const double *)x + a, m, out);
#endif
  return fold_block(&p->fold[d], (const real *)x + a, m, out, with_t);
}

/* Tile (high half) and packed start (low half) of the points of a block. */
static inline __attribute__((always_inline)) void fold_keys(const og_cpu_points *p, const folded *f, int m, int ndim,
                                                            uint64_t *restrict keys) {
  if (ndim == 1) {
    const uint32_t log_tile = (uint32_t)p->log_tile, mask = (1u << log_tile) - 1;
    for (int i = 0; i < m; i++) {
      const uint32_t x = (uint32_t)f[0].start[i];
      keys[i] = (uint64_t)(x >> log_tile) << 32 | (x & mask);
    }
    return;
  }
  const uint64_t *restrict const key_x = p->cut[0].key, *restrict const key_y = p->cut[1].key;
  const uint64_t *restrict const key_z = ndim > 2 ? p->cut[2].key : key_y;
  for (int i = 0; i < m; i++) {
    uint64_t key = key_x[f[0].start[i]] + key_y[f[1].start[i]];
    if (ndim > 2)
      key += key_z[f[2].start[i]];
    __asm__("" : "+r"(key)); /* one by one: compilers that look up vectors here lose a third */
    keys[i] = key;
  }
}

static inline __attribute__((always_inline)) int64_t
count_range(const og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end, uint32_t *histogram, int ndim) {
  folded f[3];
  uint64_t keys[OG_CPU_BLOCK];
  for (int64_t a = begin; a < end; a += OG_CPU_BLOCK) {
    int m = end - a < OG_CPU_BLOCK ? (int)(end - a) : OG_CPU_BLOCK, worst = m;
    for (int d = 0; d < ndim; d++) {
      int bad = fold_points(p, d, x[d], a, m, &f[d], 0);
      if (bad >= 0 && bad < worst)
        worst = bad;
    }
    if (worst < m)
      return a + worst;
    fold_keys(p, f, m, ndim, keys);
    for (int i = 0; i < m; i++)
      histogram[keys[i] >> 32]++;
  }
  return -1;
}

static int64_t fold_count(const og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end,
                          uint32_t *histogram) {
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
                                                              uint32_t *position, int ndim, placed *at) {
  fold_keys(p, f, m, ndim, at->tail);
  for (int i = 0; i < m; i++)
    at->to[i] = position[at->tail[i] >> 32]++;
  if (p->two_step) {
    memcpy(p->destination + a, at->to, (size_t)m * sizeof *at->to);
    for (int i = 0; i < m; i++)
      at->tail[i] = (at->tail[i] & UINT32_MAX) | (uint64_t)at->to[i] << 32;
  } else
    for (int i = 0; i < m; i++)
      at->tail[i] = (at->tail[i] & UINT32_MAX) | (uint64_t)(a + i) << 32;
}

/* The points first to end of a block have their records written, one by one. Tiles are written as so many streams that
 * the hardware does not see them: each asks for its next line itself. */
static inline __attribute__((always_inline)) void put_records(const og_cpu_points *p, const folded *f, const placed *at,
                                                              int first, int end, int stored) {
  const size_t bytes = (size_t)stored * sizeof(real) + 8;
  for (int i = first; i < end; i++) {
    char *record = p->records + (size_t)at->to[i] * bytes;
    const uint32_t tail[2] = {(uint32_t)at->tail[i], (uint32_t)(at->tail[i] >> 32)};
    for (int d = 0; d < stored; d++)
      memcpy(record + (size_t)d * sizeof(real), &f[d].t[i], sizeof(real));
    memcpy(record + (size_t)stored * sizeof(real), tail, 8);
    __builtin_prefetch(record + 64, 1);
  }
}

#define PUT_POINTS (64 / (int)sizeof(real)) /* a cache line of coordinates */

#if !defined(OG_SINGLE) && OG_SIMD_EVALUATE == 32
/* Three coordinates in double precision: a record is one vector of 32 bytes. */
typedef double quad __attribute__((vector_size(32), may_alias));
typedef double uquad __attribute__((vector_size(32), may_alias, aligned(sizeof(double))));

static inline __attribute__((always_inline)) void put_quad(const og_cpu_points *p, uint32_t to, quad record) {
  uquad *out = (uquad *)(void *)(p->records + (size_t)to * sizeof record);
  *out = record;
  __builtin_prefetch(out + 2, 1);
}

static inline __attribute__((always_inline)) void put_quads(const og_cpu_points *p, const folded *f, const placed *at,
                                                            int first) {
  for (int i = first; i < first + PUT_POINTS; i += 4) {
    const quad x = *(const quad *)&f[0].t[i], y = *(const quad *)&f[1].t[i], z = *(const quad *)&f[2].t[i];
    const quad tail = *(const quad *)&at->tail[i]; /* only moved, whatever it is as a number */
    const quad xy0 = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy1 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const quad zt0 = __builtin_shufflevector(z, tail, 0, 4, 2, 6), zt1 = __builtin_shufflevector(z, tail, 1, 5, 3, 7);
    put_quad(p, at->to[i], __builtin_shufflevector(xy0, zt0, 0, 1, 4, 5));
    put_quad(p, at->to[i + 1], __builtin_shufflevector(xy1, zt1, 0, 1, 4, 5));
    put_quad(p, at->to[i + 2], __builtin_shufflevector(xy0, zt0, 2, 3, 6, 7));
    put_quad(p, at->to[i + 3], __builtin_shufflevector(xy1, zt1, 2, 3, 6, 7));
  }
}
#endif

/* All records of a block. What is to be read and written in order soon is fetched meanwhile, line by line: the hardware
 * loses sight of those streams too. */
#define FOLD_AHEAD (4 * OG_CPU_BLOCK)
static inline __attribute__((always_inline)) void put_block(const og_cpu_points *p, const folded *f, const placed *at,
                                                            const void *const x[3], int64_t a, int m, int ndim,
                                                            int stored) {
  for (int i = 0; i < m; i += PUT_POINTS) {
    for (int d = 0; d < ndim; d++)
      __builtin_prefetch((const char *)x[d] + (size_t)(a + i + FOLD_AHEAD) * sizeof(real));
    if (p->two_step)
      __builtin_prefetch((char *)p->destination + (size_t)(a + i + FOLD_AHEAD) * sizeof(uint32_t), 1);
    const int end = i + PUT_POINTS < m ? i + PUT_POINTS : m;
#if !defined(OG_SINGLE) && OG_SIMD_EVALUATE == 32
    if (stored == 3 && end == i + PUT_POINTS) {
      put_quads(p, f, at, i);
      continue;
    }
#endif
    put_records(p, f, at, i, end, stored);
  }
}

/* stored: coordinates per record. */
static inline __attribute__((always_inline)) void partition_range(og_cpu_points *p, const void *const x[3],
                                                                  int64_t begin, int64_t end, uint32_t *position,
                                                                  int ndim, int stored) {
  folded f[3] __attribute__((aligned(64)));
  placed at __attribute__((aligned(64)));
  for (int64_t a = begin; a < end; a += OG_CPU_BLOCK) {
    const int m = end - a < OG_CPU_BLOCK ? (int)(end - a) : OG_CPU_BLOCK;
    for (int d = 0; d < ndim; d++)
      (void)fold_points(p, d, x[d], a, m, &f[d], 1);
    place_block(p, f, a, m, position, ndim, &at);
    put_block(p, f, &at, x, a, m, ndim, stored);
  }
}

static void fold_partition(og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end, uint32_t *position) {
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
