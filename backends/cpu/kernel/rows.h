/* The innermost loops: rows of the ring window, in vectors of RVB bytes. Included once per size of vector.
 *
 * A row is an aligned ring of `vectors` vectors; the x weights of a point are rotated into place beforehand, so that no
 * access is unaligned. Real and complex rows look alike here: x weights of complex rows hold each weight twice.
 *
 * Spreading one point costs a load, an FMA and a store per vector, and the store is the narrowest port. So two points
 * that start in the same x block and z plane, `shift` rows apart in y, are added together, over all width + shift rows:
 * the y weights are padded with zeros for that. Two FMAs per store is what the ports are balanced for. */
#define RV_JOIN(name, b) name##_##b
#define RV_NAME(name, b) RV_JOIN(name, b)
#define RV(name) RV_NAME(name, RVB)
#define RVL (RVB / OG_REAL_BYTES)

typedef real RV(vec) __attribute__((vector_size(RVB), may_alias));
typedef real RV(uvec) __attribute__((vector_size(RVB), may_alias, aligned(sizeof(real))));
#if !(defined(OG_REAL_VALUES)) && RVL > 2
typedef real RV(half) __attribute__((vector_size(RVB / 2), may_alias, aligned(sizeof(real))));
#endif

/* Weights of the cells under one vector, each for all reals of its cell. */
static inline RV(vec) RV(weights)(const real *w) {
#ifdef OG_REAL_VALUES
  return *(const RV(uvec) *)w;
#elif RVL == 2
  return (RV(vec)){w[0], w[0]};
#else
  RV(half) h = *(const RV(half) *)w;
#if RVL == 4
  return __builtin_shufflevector(h, h, 0, 0, 1, 1);
#elif RVL == 8
  return __builtin_shufflevector(h, h, 0, 0, 1, 1, 2, 2, 3, 3);
#else
  return __builtin_shufflevector(h, h, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
#endif
#endif
}

/* One value of the caller in every cell of a vector. */
static inline RV(vec) RV(repeat)(const real *value) {
#ifdef OG_REAL_VALUES
  return value[0] - (RV(vec)){0};
#elif OG_REAL_BYTES == 4 /* a pair is 64 bits, which compilers broadcast as an integer only */
  typedef int64_t bits __attribute__((vector_size(RVB)));
  int64_t c;
  memcpy(&c, value, 8);
  return (RV(vec))(c + (bits){0});
#else
  pair c = *(const pair *)value;
#if RVL == 2
  return c;
#elif RVL == 4
  return __builtin_shufflevector(c, c, 0, 1, 0, 1);
#else
  return __builtin_shufflevector(c, c, 0, 1, 0, 1, 0, 1, 0, 1);
#endif
#endif
}

/* The sum over the cells of a vector. */
static inline void RV(reduce)(RV(vec) v, real *value) {
#if RVB == 64
  typedef real v32 __attribute__((vector_size(32)));
  union {
    RV(vec) whole;
    v32 part[2];
  } a = {v};
  v32 b = a.part[0] + a.part[1];
#elif RVB == 32
  typedef real v32 __attribute__((vector_size(32)));
  v32 b = v;
#endif
  typedef real v16 __attribute__((vector_size(16)));
#if RVB >= 32
  union {
    v32 whole;
    v16 part[2];
  } c = {b};
  v16 s = c.part[0] + c.part[1];
#else
  v16 s = v;
#endif
#if OG_REAL_BYTES == 4
  s += __builtin_shufflevector(s, s, 2, 3, 0, 1);
#endif
#ifdef OG_REAL_VALUES
  value[0] = s[0] + s[1];
#else
  value[0] = s[0];
  value[1] = s[1];
#endif
}

/* x weights rotated to ring slots, times the strengths where there are any: v: [m][v_stride]. */
static void RV(rotate)(const og_cpu_points *p, int m, const real *x, const int32_t *slot, const real *strengths,
                       const uint32_t *from, real *v) {
  const int nv = p->ring.vectors, cells = p->ring.cells, xs = p->work.x_stride, vs = p->work.v_stride;
  for (int i = 0; i < m; i++) {
    const real *w = x + i * xs + cells - slot[i];
    RV(vec) *out = (RV(vec) *)(v + i * vs);
    if (strengths) {
      RV(vec) c = RV(repeat)(strengths + (size_t)from[i] * CELL);
      for (int j = 0; j < nv; j++)
        out[j] = RV(weights)(w + j * (RVL / CELL)) * c;
    } else
      for (int j = 0; j < nv; j++)
        out[j] = RV(weights)(w + j * (RVL / CELL));
  }
}

/* a * b, not to be fused with the addition that follows where OG_SIMD_APART says so. */
static inline RV(vec) RV(product)(RV(vec) a, real b) {
  RV(vec) c = a * b;
#ifdef OG_SIMD_APART
  __asm__("" : "+x"(c));
#endif
  return c;
}

static inline __attribute__((always_inline)) void RV(add_some)(const rows_job *job, const group *g, int n_groups,
                                                               int j0, const int C) {
  typedef RV(vec) vec;
  const int stride = job->row_reals, plane = job->plane_reals, width = job->width, nz = job->width_z;
  for (; n_groups-- > 0; g++) {
    real *base = job->window + g->offset + j0 * RVL;
    const real *ya = job->y + g->point * job->y_stride, *za = job->z + g->point * job->z_stride;
    const vec *va = (const vec *)(job->v + g->point * job->v_stride) + j0;
    if (g->shift < 0) {
      for (int z = 0; z < nz; z++, base += plane) {
        vec u[OG_SIMD_ADD];
        for (int j = 0; j < C; j++)
          u[j] = va[j] * za[z];
        real *row = base;
        for (int y = 0; y < width; y++, row += stride) {
          const real q = ya[y];
          for (int j = 0; j < C; j++)
            ((vec *)row)[j] += RV(product)(u[j], q);
        }
      }
    } else {
      const real *yb = ya + job->y_stride - g->shift, *zb = za + job->z_stride;
      const vec *vb = (const vec *)(job->v + (g->point + 1) * job->v_stride) + j0;
      const int rows = width + g->shift;
      for (int z = 0; z < nz; z++, base += plane) {
        vec u[OG_SIMD_ADD], t[OG_SIMD_ADD];
        for (int j = 0; j < C; j++) {
          u[j] = va[j] * za[z];
          t[j] = vb[j] * zb[z];
        }
        real *row = base;
        for (int y = 0; y < rows; y++, row += stride) {
          const real q = ya[y], r = yb[y];
          for (int j = 0; j < C; j++)
            ((vec *)row)[j] += u[j] * q + t[j] * r;
        }
      }
    }
  }
}

/* All vectors of the rows, at most OG_SIMD_ADD at a time. */
static void RV(add)(const rows_job *job, const group *g, int n_groups) {
  const int nv = job->vectors, parts = (nv + OG_SIMD_ADD - 1) / OG_SIMD_ADD;
  for (int k = 0, j = 0; k < parts; k++) {
    int c = (nv - j + parts - k - 1) / (parts - k);
    switch (c) {
    case 1:
      RV(add_some)(job, g, n_groups, j, 1);
      break;
    case 2:
      RV(add_some)(job, g, n_groups, j, 2);
      break;
    case 3:
      RV(add_some)(job, g, n_groups, j, 3);
      break;
    case 4:
      RV(add_some)(job, g, n_groups, j, 4);
      break;
    case 5:
      RV(add_some)(job, g, n_groups, j, 5);
      break;
#if OG_SIMD_ADD > 6
    case 7:
      RV(add_some)(job, g, n_groups, j, 7);
      break;
    case 8:
      RV(add_some)(job, g, n_groups, j, 8);
      break;
#endif
    default:
      RV(add_some)(job, g, n_groups, j, 6);
      break;
    }
    j += c;
  }
}

/* One point: P planes at a time share the y weights. The sum over planes of the rows, times v, is added to sum. */
static inline __attribute__((always_inline)) void RV(take_planes)(const real *base, int plane, int stride, int width,
                                                                  const real *y, const real *z, RV(vec) * acc,
                                                                  const int C, const int P) {
  typedef RV(vec) vec;
  vec t[4][OG_SIMD_TAKE];
  for (int k = 0; k < P; k++)
    for (int j = 0; j < C; j++)
      t[k][j] = ((const vec *)(base + k * plane))[j] * y[0];
  for (int i = 1; i < width; i++) {
    base += stride;
    const real q = y[i];
    for (int k = 0; k < P; k++)
      for (int j = 0; j < C; j++)
        t[k][j] += ((const vec *)(base + k * plane))[j] * q;
  }
  for (int k = 0; k < P; k++)
    for (int j = 0; j < C; j++)
      acc[j] += t[k][j] * z[k];
}

static inline __attribute__((always_inline)) void RV(take_some)(const rows_job *job, const uint32_t *offset, int first,
                                                                int n, int j0, const int C) {
  typedef RV(vec) vec;
  const int stride = job->row_reals, plane = job->plane_reals, width = job->width, nz = job->width_z;
  for (int i = first; i < first + n; i++) {
    const real *base = job->window + offset[i] + j0 * RVL;
    const real *y = job->y + i * job->y_stride, *z = job->z + i * job->z_stride;
    const vec *v = (const vec *)(job->v + i * job->v_stride) + j0;
    vec acc[OG_SIMD_TAKE];
    for (int j = 0; j < C; j++)
      acc[j] = (vec){0};
    int k = 0;
    if (C <= 2)
      for (; k + 4 <= nz; k += 4, base += 4 * plane)
        RV(take_planes)(base, plane, stride, width, y, z + k, acc, C, 4);
    if (C == 3)
      for (; k + 3 <= nz; k += 3, base += 3 * plane)
        RV(take_planes)(base, plane, stride, width, y, z + k, acc, C, 3);
    for (; k + 2 <= nz; k += 2, base += 2 * plane)
      RV(take_planes)(base, plane, stride, width, y, z + k, acc, C, 2);
    if (k < nz)
      RV(take_planes)(base, plane, stride, width, y, z + k, acc, C, 1);
    vec s = j0 ? *(const vec *)(job->sum + i * job->sum_stride) : (vec){0};
    for (int j = 0; j < C; j++)
      s += acc[j] * v[j];
    *(vec *)(job->sum + i * job->sum_stride) = s;
  }
}

/* Sums for the points first ... first + n - 1 of the chunk, whose stencils begin at offset[i] in the window. */
static void RV(take)(const rows_job *job, const uint32_t *offset, int first, int n) {
  const int nv = job->vectors, parts = (nv + OG_SIMD_TAKE - 1) / OG_SIMD_TAKE;
  for (int k = 0, j = 0; k < parts; k++) {
    int c = (nv - j + parts - k - 1) / (parts - k);
    switch (c) {
    case 1:
      RV(take_some)(job, offset, first, n, j, 1);
      break;
    case 2:
      RV(take_some)(job, offset, first, n, j, 2);
      break;
    case 3:
      RV(take_some)(job, offset, first, n, j, 3);
      break;
#if OG_SIMD_TAKE > 4
    case 5:
      RV(take_some)(job, offset, first, n, j, 5);
      break;
    case 6:
      RV(take_some)(job, offset, first, n, j, 6);
      break;
    case 7:
      RV(take_some)(job, offset, first, n, j, 7);
      break;
    case 8:
      RV(take_some)(job, offset, first, n, j, 8);
      break;
#endif
    default:
      RV(take_some)(job, offset, first, n, j, 4);
      break;
    }
    j += c;
  }
}

/* The same with derivatives: sum: value, d/dx, d/dy, d/dz (as many as there are dimensions), a vector each. */
static inline __attribute__((always_inline)) void RV(slope_some)(const rows_job *job, const uint32_t *offset, int first,
                                                                 int n, int j0, const int C) {
  typedef RV(vec) vec;
  const int stride = job->row_reals, plane = job->plane_reals, width = job->width, nz = job->width_z;
  for (int i = first; i < first + n; i++) {
    const real *base = job->window + offset[i] + j0 * RVL;
    const real *y = job->y + i * job->y_stride, *z = job->z + i * job->z_stride;
    const real *dy = job->dy + i * job->y_stride, *dz = job->dz + i * job->z_stride;
    const vec *v = (const vec *)(job->v + i * job->v_stride) + j0;
    const vec *dv = (const vec *)(job->dv + i * job->v_stride) + j0;
    vec acc[2], acc_y[2], acc_z[2];
    for (int j = 0; j < C; j++)
      acc[j] = acc_y[j] = acc_z[j] = (vec){0};
    for (int k = 0; k < nz; k++, base += plane) {
      vec t[2], t_y[2];
      for (int j = 0; j < C; j++)
        t[j] = t_y[j] = (vec){0};
      const real *row = base;
      for (int r = 0; r < width; r++, row += stride) {
        const real q = y[r], dq = dy[r];
        for (int j = 0; j < C; j++) {
          vec a = ((const vec *)row)[j];
          t[j] += a * q;
          t_y[j] += a * dq;
        }
      }
      const real q = z[k], dq = dz[k];
      for (int j = 0; j < C; j++) {
        acc[j] += t[j] * q;
        acc_y[j] += t_y[j] * q;
        acc_z[j] += t[j] * dq;
      }
    }
    vec *sum = (vec *)(job->sum + i * job->sum_stride);
    if (!j0)
      sum[0] = sum[1] = sum[2] = sum[3] = (vec){0};
    for (int j = 0; j < C; j++) {
      sum[0] += acc[j] * v[j];
      sum[1] += acc[j] * dv[j];
      sum[2] += acc_y[j] * v[j];
      sum[3] += acc_z[j] * v[j];
    }
  }
}

static void RV(slope)(const rows_job *job, const uint32_t *offset, int first, int n) {
  int j = 0;
  for (; j + 2 <= job->vectors; j += 2)
    RV(slope_some)(job, offset, first, n, j, 2);
  if (j < job->vectors)
    RV(slope_some)(job, offset, first, n, j, 1);
}

/* sums of the chunk -> the caller's arrays: out[k], k < outputs, at from[i]; factor per output. */
static void RV(give)(const rows_job *job, int m, const uint32_t *from, int outputs, real *const out[4],
                     const real factor[4]) {
  for (int i = 0; i < m; i++) {
    const RV(vec) *sum = (const RV(vec) *)(job->sum + i * job->sum_stride);
    for (int k = 0; k < outputs; k++)
      if (out[k])
        RV(reduce)(sum[k] * factor[k], out[k] + (size_t)from[i] * CELL);
  }
}
#undef RVL
