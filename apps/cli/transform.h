/* What the options of `offgrid transform` say. */
#ifndef CLI_TRANSFORM_H
#define CLI_TRANSFORM_H

#include "offgrid.h"

typedef struct transform_options {
  int type;
  const char *points, *targets, *input, *output, *weights, *image;
  int ndim; /* of --modes; 0: not given */
  int64_t n_modes[3];
  int n_periods; /* that --period was given */
  int scale_points;
  int precision_given;
  int64_t batch;
  int check;
  int64_t samples; /* 0: as many as a second or two allow */
  int quiet;
  int help; /* the help was asked for and printed */
  og_options plan;
} transform_options;

int transform_options_read(transform_options *t, int argc, char **argv);
#endif
