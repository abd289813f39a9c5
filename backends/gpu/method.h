/* Ways to spread and to interpolate on a device: which kernel, with which bins, team and pieces of work. */
#ifndef OG_GPU_METHOD_H
#define OG_GPU_METHOD_H
#include "backend.h"
#include "gpu/program.h"
#include "gpu/shapes.h"

typedef struct og_gpu_method {
  const char *name; /* of the option: "stream" */
  const char *file, *kernel;
  int sorted;              /* takes the points in the bins' order; 0: in the caller's, from the caller's coordinates */
  int clears;              /* spreading: adds to the grid, which has to be zero before */
  int by_bins;             /* a group does a bin; otherwise a piece of work or, unsorted, `chunk` points */
  int acc_bytes;           /* of the arithmetic's type */
  int team, chunk, groups; /* work items, points whose weights are in local memory at once, groups wanted on a unit */
  int batch, most_batch;   /* vectors that a group does together; that it could without spilling */
  int registers;           /* stream: of a work item, about, but for the window; and of a vector's window */
  int vector_registers;
  og_gpu_shape shape; /* of the matrix kernels */
} og_gpu_method;

/* One sort serves both, so they have the same bins. */
typedef struct og_gpu_methods {
  int cells[3]; /* stencil starts of a bin, per dimension; 1 in absent ones */
  int64_t work; /* points per piece of work */
  int sorted;   /* 0: neither wants the points sorted */
  og_gpu_method spread, interp, gradient;
} og_gpu_methods;

/* For n points and the setup's grid, window and options spread_method (auto, atomic, tiled, grid, stream, matrix) and
 * interp_method (auto, direct, sorted, stream, matrix). In one dimension stream and tiled are the same method. A method
 * that the device or the problem does not admit is an error that says why; auto never is. Depends on nothing else. */
int og_gpu_methods_choose(const og_gpu_info *info, const og_points_setup *setup, int64_t n,
                          og_gpu_methods *methods) OG_MUST_CHECK;

/* Lets a group of the method do `vectors` vectors together, or as many as it can. */
void og_gpu_method_share(og_gpu_method *method, int vectors);

/* Would they compile and launch the same? */
int og_gpu_methods_equal(const og_gpu_methods *a, const og_gpu_methods *b);

/* The macros of a method's kernel; packed: points are records. Ends with a NULL name. */
enum { OG_GPU_METHOD_MACROS = 32 };
void og_gpu_method_macros(const og_gpu_methods *methods, const og_gpu_method *method, const og_points_setup *setup,
                          int packed, og_gpu_macro *macros);

/* Groups of a launch over n points in n_work pieces and n_bins bins. */
int64_t og_gpu_method_groups(const og_gpu_method *method, int64_t n, int64_t n_work, int64_t n_bins);
#endif
