/* Structs that cross from host to kernels: included by both, so only fixed-width scalars and arrays of them. */
#ifndef OG_GPU_ARGS_H
#define OG_GPU_ARGS_H

/* How coordinates become places on the fine grid of n cells per dimension. Folded in double precision, whatever the
 * coordinate's type: g = x scale + shift (mod n), stencil start s = ceil(g - width / 2) (mod n), f = s - g + width / 2
 * in [0, 1), so that the window's argument is t = 2 f - 1.
 *
 * Points are binned by stencil start. A bin has `cells` starts per dimension; bins are counted x fastest in the first
 * ndim - 1 dimensions (a column) and fastest of all along the last (the stream), so that a column's points lie
 * together in the order in which its window moves: bin = column * bins[ndim - 1] + stream bin.
 *
 * A record holds, per dimension, u = (s - first start of the bin) + f as a `real`, then the point's index as u32, and is
 * padded to 16, 24, 32 bytes (double; 1, 2, 3 dimensions) or 8, 16, 16 (single). f is rounded to a multiple of a power of
 * two and stays below 1, so that the integer part of u is s - first start exactly. */
typedef struct og_k_points {
  double scale[3], shift[3], period[3][3]; /* period in parts: exact head, rest, tail */
  double inverse[3], extent[3];            /* 1 / period; n as a number */
  double origin[3], turn[3];               /* shift - width / 2; origin / n - 1 / 2 */
  i64 n[3];
  i64 bins[3]; /* per dimension; 1 in absent ones */
  i64 n_points, n_bins;
  i32 cells[3]; /* of a bin */
  i32 spare;
} og_k_points;

/* How kernels/points.c sorts: by partition (bin >> shift), then by bin inside each. */
typedef struct og_k_sort {
  double cells[3], inverse_cells[3]; /* of a bin, as numbers */
  double middle[3];                  /* (1 / cells - 1) / 2 */
  double big[3], most[3];     /* a power of two that, added to u, rounds it to its last bit; the largest f then */
  i32 shift, parts, log_page; /* points of a page: 1 << log_page */
  u32 far;                    /* upper half of a double: 2^20 of the smallest period */
} og_k_sort;

/* A share of the sorted points, about equally many in each: points [begin, end) of one column, the first of which lies in
 * stream bin `bin`. A column has as many items as its points need, and a crowded bin may be cut: its cells are then added
 * to by several items. There are og_gpu_points.n_work items, in the order of the points; some are empty (begin = end). */
typedef struct og_k_work {
  u32 column, bin, begin, end;
} og_k_work;

/* The fine grid and how a launch cuts it. Group (c, k, v) works on column c, segment k of the stream bins, BATCH vectors
 * from first_vector + v BATCH on. */
typedef struct og_k_grid {
  i64 n[3], stride[3]; /* cells; stride[0] = 1 */
  i64 bins[3];
  i64 segment;                     /* stream bins per segment */
  i64 first_vector, vectors;       /* of the launch: [first_vector, vectors) */
  i64 vector_points, vector_cells; /* distance of vectors, in values */
  i32 cells[3];
  i32 spare;
} og_k_grid;

/* The window in even and odd powers of t, highest first, one row per pair of cells (i, width - 1 - i): value of cell i is
 * E(t^2) + t O(t^2), of its mirror E - t O (minus that for a derivative). Rows of (degree + 1) numbers: E, then O. */
typedef struct og_k_window {
#if ACC_BYTES == 4
  float c[8 * 25];
#else
  double c[8 * 25];
#endif
} og_k_window;

/* Modes and the fine spectrum (modes.c). Cells are complex; a half spectrum (real values) holds cells[0] / 2 + 1 of a row. */
typedef struct og_k_modes {
  i64 modes[3], kept[3]; /* N, and entries per dimension of a modes array */
  i64 cells[3], stride[3];
  i64 row_cells;                  /* complex cells of a row */
  i64 stretch, stretches;         /* entries or cells that one group does, and groups per row */
  i64 all_modes;                  /* kept[0] kept[1] kept[2]: distance of the vectors that are added up */
  i64 vector_cells, vector_modes; /* distance of the vectors of a batch; those of a filter's share their modes (0) */
  i64 halved;                     /* the x entry that counts half (a Nyquist plane), or -1 */
  i32 ascending, half, conjugate, multiplied;
  i32 hermitian; /* planes of a half spectrum that are their own mirror image get their Hermitian part */
} og_k_modes;
#endif
