/* The shapes of the matrix kernels: bins, footprint, fragments and team for a dimension, width, precision and value
 * type. One plan sorts its points once, so that spreading and interpolation have the same bins. */
#ifndef OG_GPU_SHAPES_H
#define OG_GPU_SHAPES_H
#include "gpu/program.h"

typedef struct og_gpu_shape {
  int cells[3];    /* stencil starts of a bin, per dimension; 1 in absent ones */
  int sx, sy;      /* the padded footprint of a column */
  int planes;      /* of the window along the stream */
  int tile_x;      /* spreading: cells of a fragment along x; 16 / tile_x along y */
  int swap;        /* interpolation: points are the fragment's columns */
  int chains;      /* interpolation: sums that are independent, to hide latency */
  int warps;       /* subgroups that share a footprint's rows */
  int points;      /* of a batch, whose windows are in local memory at once */
  int groups;      /* at once on a unit, to aim at */
  int lanes;       /* of a subgroup: the dialect's MATRIX_LANES on that device */
  int max_vectors; /* that one group can do together; the team is vectors x warps x lanes */
} og_gpu_shape;

/* interp: 0 spreading, 1 interpolation; density: points per cell of the fine grid. Every width and dimension has a
 * shape; whether it is fast is the device's matter (info->matrix). */
int og_gpu_shape_choose(const og_gpu_info *info, int dim, int width, int precision, int values, int interp,
                        double density, og_gpu_shape *shape) OG_MUST_CHECK;

/* Points per item of work (og_k_work): enough items to fill the device, few enough that windows are not flushed too
 * often. */
int64_t og_gpu_shape_work(const og_gpu_info *info, const og_gpu_shape *shape, int dim, int64_t n_points, double density,
                          int64_t vectors);

/* The macros that spread_matrix.c or interp_matrix.c takes for this shape, `vectors` vectors per group; not those of
 * the problem (DIM, WIDTH, ...). Returns how many (at most OG_GPU_SHAPE_MACROS). */
enum { OG_GPU_SHAPE_MACROS = 16 };
int og_gpu_shape_macros(const og_gpu_shape *shape, int dim, int vectors, og_gpu_macro *macros);
#endif
