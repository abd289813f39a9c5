/* What `offgrid tune` found: CSV files with a line per device and kind of problem, and the nearest line to a plan's. */
#ifndef OG_GPU_TUNING_H
#define OG_GPU_TUNING_H
#include "backend.h"
#include "gpu/program.h"

/* The first line of each file; empty lines and those that begin with # are comments. */
#define OG_GPU_TUNING_HEADER                                                                                           \
  "backend,device,kind,dimension,width,precision,values,log10_density,method,bin_x,bin_y,bin_z,team,work_points,"      \
  "tuned_ns,default_ns"

/* Farther ones say nothing about a plan. */
#define OG_GPU_TUNING_FAR 4

typedef struct og_gpu_tuned {
  int interp; /* kind: 0 spread, 1 interp */
  int dim, width, precision, values;
  double log_density; /* log10 of points per cell of the fine grid */
  char method[16];
  int bin[3], team; /* 0: the method's, as is work_points */
  int64_t work_points;
  double tuned_ns, default_ns; /* per point */
  int file, line;              /* where it stands */
} og_gpu_tuned;

typedef struct og_gpu_tuning {
  int n, n_files;
  og_gpu_tuned *entries;
  char **files;
} og_gpu_tuning;

/* The option tuning: "auto" (the installed folder, where it exists), "none", a file, or a folder, of which all *.csv. Keeps
 * the lines of that backend and device. OG_ERR_OPTION names the file and the line that is not understood. */
int og_gpu_tuning_read(const char *option, const char *backend, const char *device,
                       og_gpu_tuning *tuning) OG_MUST_CHECK;
void og_gpu_tuning_free(og_gpu_tuning *tuning);

/* |difference of widths| + 4 |difference of log10 densities|: a cell more counts as a quarter of a decade. */
double og_gpu_tuning_distance(const og_gpu_tuned *entry, int width, double log_density);

/* The nearest line of that kind, dimension, precision and values, the first of equals; NULL where all are far. */
const og_gpu_tuned *og_gpu_tuning_nearest(const og_gpu_tuning *tuning, int interp, int dim, int width, int precision,
                                          int values, double log_density);

/* Sets what the options leave open for n points; used[0], used[1]: the lines for spreading and interpolation, or NULL.
 * Points are sorted once, so bins and pieces of work are those of spreading. Bins and teams suit one width: from a line of
 * another one the method alone is taken. */
void og_gpu_tuning_apply(const og_gpu_tuning *tuning, int64_t n, og_points_setup *setup, const og_gpu_tuned *used[2]);
#endif
