/* Points from files: one file per dimension, or one array [points, dimension] or [dimension, points]. */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include "array.h"

typedef struct points {
  int ndim;
  int is_single;
  int64_t n;
  void *x[3];     /* [n] each, owned; NULL in absent dimensions */
  int shape_ndim; /* the shape in which the files list the points, dimension aside, fastest first */
  int64_t shape[ARRAY_MAX_DIMS];
} points;

/* files: "x.npy,y.npy" or one name. ndim 0: as the files say; else that many rows are wanted, and an array may have more
 * rows (BART's trajectories always have three) if those are zero. Coordinates are read in double precision. */
int points_read(points *p, const char *files, int ndim);
/* Rounds the coordinates to float. */
int points_to_single(points *p);
void points_free(points *p);
#endif
