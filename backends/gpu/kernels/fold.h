/* From any finite coordinate to the fine grid: see og_k_points. In double precision, whatever the coordinate's type.
 *
 * The period is subtracted in three parts (Cody and Waite), each product exact for up to 2^20 periods, so often that the
 * stencil start comes out in [0, n]. Products and sums are fused by name, because every kernel has to find the same
 * start. Coordinates further away are brought into one period first, by long division in
 * steps of 2^20, each of them exact. */
#ifndef OG_FOLD_H
#define OG_FOLD_H
#define FOLD_ROUND 6755399441055744.0 /* 1.5 * 2^52: adding and subtracting it rounds to the nearest integer */
#define FOLD_STEP 1048576.0           /* 2^20 */
#define FOLD_IS_NEAR(points, d, x) ((x) * (points)->inverse[d] <= FOLD_STEP && (x) * (points)->inverse[d] >= -FOLD_STEP)

/* A finite coordinate, by whole periods nearer to 0 where it is far. */
DEVICE double fold_far(CONSTANT const og_k_points *points, int d, double x) {
  double head = points->period[d][0], rest = points->period[d][1], inverse = points->inverse[d], r = x, k;
  int steps = 0;
  if (FOLD_IS_NEAR(points, d, x))
    return x;
  UNROLL_N(1)
  for (; (r < 0 ? -r : r) > (head + rest) * FOLD_STEP; steps++) { /* ends: overflow makes the right side infinite */
    head *= FOLD_STEP;
    rest *= FOLD_STEP;
    inverse *= 1 / FOLD_STEP;
  }
  UNROLL_N(1)
  for (; steps >= 0; steps--) {
    k = (double)(i64)(r * inverse);
    r = (r - k * head) - k * rest;
    head *= 1 / FOLD_STEP;
    rest *= 1 / FOLD_STEP;
    inverse *= FOLD_STEP;
  }
  k = (x - r) * points->inverse[d];
  if (-1e15 < k && k < 1e15) /* beyond, x has no digit left of its place in the period */
    r -= ((k + FOLD_ROUND) - FOLD_ROUND) * points->period[d][2];
  return r;
}

/* The stencil's start, an integer in [0, n), of a coordinate that is near; f in [0, 1]: the start minus g plus half the
 * width. */
DEVICE double fold_near(CONSTANT const og_k_points *points, int d, double x, double *f) {
  const double k = (FMA(x, points->inverse[d], points->turn[d]) + FOLD_ROUND) - FOLD_ROUND;
  const double r = FMA(-k, points->period[d][2], FMA(-k, points->period[d][1], FMA(-k, points->period[d][0], x)));
  const double y = FMA(r, points->scale[d], points->origin[d]);
  double s = (y + FOLD_ROUND) - FOLD_ROUND;
  s = s < y ? s + 1 : s;
  *f = s - y;
  return s >= points->extent[d] ? s - points->extent[d] : s;
}

DEVICE i64 fold_start(CONSTANT const og_k_points *points, int d, double x, double *f) {
  return (i64)fold_near(points, d, fold_far(points, d, x), f);
}
#endif
