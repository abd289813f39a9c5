/* From the caller's coordinates to cells: fold any finite real into the period, find the stencil start s and the
 * polynomial argument t = 2 (s - g) + width - 1 in double precision, and write records in tile order.
 *
 * The period is subtracted in three parts (Cody and Waite), each product exact for up to 2^20 periods: coordinates of
 * 10^6 keep all digits that they have. Beyond, the C library's remainder does it (exactly for the double nearest to the
 * period), and the rest of 2 pi follows. */
#define ROUND_MAGIC 6755399441055744.0 /* 1.5 * 2^52: adding and subtracting it rounds to the nearest integer */
#define FOLD_FAR 1048576.0

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
  int32_t start[OG_CPU_BLOCK], part[OG_CPU_BLOCK];
  real t[OG_CPU_BLOCK];
} folded;

/* One block of coordinates; those past `m` are taken as 0. Returns the index of a bad one, or -1. */
static int fold_block(const og_cpu_fold *f, const og_cpu_cut *cut, const real *x, int m, folded *out) {
  double buffer[OG_CPU_BLOCK];
  int bad = 0, far = 0;
  for (int i = 0; i < m; i++)
    buffer[i] = (double)x[i];
  for (int i = m; i < OG_CPU_BLOCK; i++)
    buffer[i] = 0;
  for (int i = 0; i < OG_CPU_BLOCK; i++) {
    bad |= !(fabs(buffer[i]) <= DBL_MAX);
    far |= fabs(buffer[i] * f->inverse) > FOLD_FAR;
  }
  if (bad)
    for (int i = 0; i < m; i++)
      if (!isfinite(x[i]))
        return i;
  if (far)
    for (int i = 0; i < m; i++)
      buffer[i] = fold_far(f, buffer[i]);
  const double n = f->n, half = f->half_width, end = 2 * half - 1, per_cell = cut->per_cell;
  for (int i = 0; i < OG_CPU_BLOCK; i++) {
    double g = fold_coordinate(f, buffer[i]);
    double y = g - half;
    double s = (y + ROUND_MAGIC) - ROUND_MAGIC;
    s = s < y ? s + 1 : s;
    out->t[i] = (real)(2 * (s - g) + end);
    s = s < 0 ? s + n : s;
    s = s >= n ? s - n : s;
    out->start[i] = (int32_t)s;
    out->part[i] = (int32_t)((s + 0.5) * per_cell);
  }
  return -1;
}

static int64_t fold_count(const og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end,
                          int64_t *histogram) {
  folded f[3];
  const int nx = p->cut[0].parts, ny = p->cut[1].parts;
  for (int64_t a = begin; a < end; a += OG_CPU_BLOCK) {
    int m = end - a < OG_CPU_BLOCK ? (int)(end - a) : OG_CPU_BLOCK, worst = m;
    for (int d = 0; d < p->ndim; d++) {
      int bad = fold_block(&p->fold[d], &p->cut[d], (const real *)x[d] + a, m, &f[d]);
      if (bad >= 0 && bad < worst)
        worst = bad;
    }
    if (worst < m)
      return a + worst;
    if (p->ndim == 1)
      for (int i = 0; i < m; i++)
        histogram[f[0].part[i]]++;
    else if (p->ndim == 2)
      for (int i = 0; i < m; i++)
        histogram[f[1].part[i] * nx + f[0].part[i]]++;
    else
      for (int i = 0; i < m; i++)
        histogram[((int64_t)f[2].part[i] * ny + f[1].part[i]) * nx + f[0].part[i]]++;
  }
  return -1;
}

/* `stored` coordinates per record; `from`: whether the record says where its strength comes from. */
static inline __attribute__((always_inline)) void partition_block(og_cpu_points *p, const folded *f, int64_t a, int m,
                                                                  int64_t *position, char *out, int ndim, int stored,
                                                                  int from) {
  const int nx = p->cut[0].parts, ny = p->cut[1].parts;
  const size_t bytes = (size_t)stored * sizeof(real) + (from ? 8 : 4);
  for (int i = 0; i < m; i++) {
    int64_t tile = f[0].part[i];
    uint32_t start = (uint32_t)(f[0].start[i] - p->cut[0].begin[f[0].part[i]]), y = 0, z = 0;
    if (ndim == 2)
      tile += (int64_t)f[1].part[i] * nx;
    if (ndim == 3)
      tile += ((int64_t)f[2].part[i] * ny + f[1].part[i]) * nx;
    if (ndim >= 2)
      y = (uint32_t)(f[1].start[i] - p->cut[1].begin[f[1].part[i]]);
    if (ndim == 3)
      z = (uint32_t)(f[2].start[i] - p->cut[2].begin[f[2].part[i]]);
    if (ndim >= 2)
      start = og_cpu_pack(p, start, y, z);
    int64_t to = position[tile]++;
    char *record = out + (size_t)to * bytes;
    for (int d = 0; d < stored; d++)
      memcpy(record + (size_t)d * sizeof(real), &f[d].t[i], sizeof(real));
    memcpy(record + (size_t)stored * sizeof(real), &start, 4);
    if (p->two_step)
      p->destination[a + i] = (uint32_t)to;
    if (from) {
      uint32_t source = (uint32_t)(p->two_step ? to : a + i);
      memcpy(record + (size_t)stored * sizeof(real) + 4, &source, 4);
    }
  }
}

static void fold_partition(og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end, int64_t *position,
                           char *out) {
  folded f[3];
  const int from = !p->two_step || !p->sorted;
  for (int64_t a = begin; a < end; a += OG_CPU_BLOCK) {
    int m = end - a < OG_CPU_BLOCK ? (int)(end - a) : OG_CPU_BLOCK;
    for (int d = 0; d < p->ndim; d++)
      (void)fold_block(&p->fold[d], &p->cut[d], (const real *)x[d] + a, m, &f[d]);
    switch (p->ndim * 4 + (p->dims_stored ? 2 : 0) + from) {
    case 4 + 1:
      partition_block(p, f, a, m, position, out, 1, 0, 1);
      break;
    case 4 + 2:
      partition_block(p, f, a, m, position, out, 1, 1, 0);
      break;
    case 4 + 3:
      partition_block(p, f, a, m, position, out, 1, 1, 1);
      break;
    case 8 + 1:
      partition_block(p, f, a, m, position, out, 2, 0, 1);
      break;
    case 8 + 2:
      partition_block(p, f, a, m, position, out, 2, 2, 0);
      break;
    case 8 + 3:
      partition_block(p, f, a, m, position, out, 2, 2, 1);
      break;
    case 12 + 1:
      partition_block(p, f, a, m, position, out, 3, 0, 1);
      break;
    case 12 + 2:
      partition_block(p, f, a, m, position, out, 3, 3, 0);
      break;
    case 12 + 3:
      partition_block(p, f, a, m, position, out, 3, 3, 1);
      break;
    default:
      break;
    }
  }
}
