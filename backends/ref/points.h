/* The ref backend's points: the coordinates as given, folded anew at each use. Plain, slow, and easy to believe. */
#ifndef OG_BACKENDS_REF_POINTS
#define OG_BACKENDS_REF_POINTS
#include "backend.h"

typedef struct og_ref_points {
  og_points_setup setup;
  int64_t n;
  const void *x[3]; /* [n] each, of the grid's precision; copies, or the caller's where index_only */
} og_ref_points;

/* What one point touches along one dimension. Absent dimensions: one cell of weight 1. */
typedef struct og_ref_stencil {
  int width;
  int64_t offset[OG_MAX_WIDTH];    /* cell, folded into the grid, times the grid's stride: in units of one cell */
  double weight[OG_MAX_WIDTH];     /* phi(cell - g) */
  double derivative[OG_MAX_WIDTH]; /* d weight / d (caller's coordinate) */
} og_ref_stencil;

/* Fills stencil[3] for point j. */
void og_ref_stencils(const og_ref_points *points, int64_t j, og_ref_stencil stencil[3]);
#endif
