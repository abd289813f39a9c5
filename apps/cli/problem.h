/* A problem as one line of text, so that a failing one is a whole bug report:
 *
 *   3d/type1/128x128x128/m=2e6/tol=1e-6/f64/complex/uniform
 *
 * Pieces, in any order: the dimensions (1d, 2d, 3d; may be left to the modes); type1, type2, type3, gradient (type 2 with
 * gradient), filter (type 1, times a diagonal, type 2); the modes (type 3: the box of frequencies, as wide as that many
 * modes); m=POINTS; tol=; f64 or f32; complex or real; where the points are: uniform, clustered, blobs, radial, line;
 * vectors=, targets= (type 3; as many as points), seed=; and NAME=VALUE of any option of the library. */
#ifndef CLI_PROBLEM_H
#define CLI_PROBLEM_H

#include "offgrid.h"

typedef enum { OP_NONE, OP_TYPE1, OP_TYPE2, OP_TYPE3, OP_GRADIENT, OP_FILTER } problem_op;
typedef enum { POINTS_UNIFORM, POINTS_CLUSTERED, POINTS_BLOBS, POINTS_RADIAL, POINTS_LINE } problem_points;

typedef struct problem {
  char text[512];   /* as given */
  char pieces[512]; /* cut up; the options' texts point in here, so a problem must not be copied */
  int ndim;
  problem_op op;
  int64_t n_modes[3]; /* 1 in absent dimensions */
  int64_t n_points, n_targets, n_vectors;
  problem_points points;
  uint64_t seed;
  og_options options;
} problem;

int problem_parse(problem *p, const char *text);

/* Fills x[d][n_points] (float or double as the problem says) with coordinates in [-pi, pi]. */
void problem_fill_points(const problem *p, void *const x[3]);
/* Type 3: frequencies, uniform in [-N_d / 2, N_d / 2]. */
void problem_fill_targets(const problem *p, void *const omega[3]);
/* n uniform numbers in [-1, 1]. */
void problem_fill_data(const problem *p, uint64_t stream, int64_t n, void *data);
#endif
