/* Spreading and interpolation of sorted points: what both keep between calls, and the launches themselves. spread.c and
 * interp.c put a points object in front. */
#ifndef OG_GPU_LAUNCH_H
#define OG_GPU_LAUNCH_H
#include "gpu/args.h"
#include "gpu/method.h"

/* Where the points are on the device. */
typedef struct og_gpu_sorted {
  const og_k_points *table;
  const void *table_address; /* the same in device memory; needed where the driver does not take tables by value */
  const void *records;       /* packed: records, else u32 indices; NULL where nothing is sorted */
  const void *begin, *work;  /* u32 [n_bins + 1]; og_k_work [n_work] */
  int64_t n_work;
  const void *x[3]; /* the caller's coordinates, where not packed */
  int packed;
} og_gpu_sorted;

typedef struct og_gpu_kernel {
  const og_gpu_method *method;
  void *handle;
} og_gpu_kernel;

enum { OG_GPU_WINDOW_TERMS = (OG_MAX_WIDTH / 2) * (OG_MAX_DEGREE + 1) };

/* Zero it before the first og_gpu_launcher_make; not to be moved after. */
typedef struct og_gpu_launcher {
  og_gpu_device *device;
  void *queue;
  og_points_setup setup;
  og_window window;              /* the setup's, or for direct evaluation a fit of it to rounding */
  og_gpu_methods asked, methods; /* as given; as fitted to the device */
  og_gpu_method spread_rest;     /* one vector to a group: for those that are left of a batch */
  og_gpu_kernel spread, rest, interp, gradient;
  double terms[2][OG_GPU_WINDOW_TERMS]; /* of og_k_window: values and slopes */
  float single_terms[2][OG_GPU_WINDOW_TERMS];
  void *tables;   /* device memory, where the driver does not take tables by value */
  og_k_grid grid; /* what `tables` holds of it */
} og_gpu_launcher;

/* Compiles the kernels of these methods and sends the window's tables to the device. May be called again, when the
 * methods or `packed` change. The gradient's kernel is made only where the setup wants it. */
int og_gpu_launcher_make(og_gpu_launcher *launcher, og_gpu_device *device, void *queue, const og_points_setup *setup,
                         const og_gpu_methods *methods, int packed) OG_MUST_CHECK;
void og_gpu_launcher_free(og_gpu_launcher *launcher);

/* A batch: its vectors [first, n), and the distances of their strengths or values and of their grids, in values. */
typedef struct og_gpu_vectors {
  int64_t n, points, cells, first;
} og_gpu_vectors;

/* See backend.h for what they do; gradients NULL or [ndim]. Grids are cleared whole, padding included, by methods that
 * need it. Arrays of complex numbers lie on multiples of their size. */
int og_gpu_launch_spread(og_gpu_launcher *launcher, const og_gpu_sorted *points, const og_gpu_vectors *vectors,
                         const void *strengths, void *grid) OG_MUST_CHECK;
int og_gpu_launch_interp(og_gpu_launcher *launcher, const og_gpu_sorted *points, const og_gpu_vectors *vectors,
                         const void *grid, void *values, void *const gradients[3]) OG_MUST_CHECK;

/* For spread.c and interp.c: the arguments of a launch, which all kernels begin with the same ones. */
typedef struct og_gpu_call {
  og_k_grid grid;
  const void *address[4]; /* of the tables in device memory */
  og_gpu_arg args[OG_GPU_MAX_ARGS];
  int n;
} og_gpu_call;

/* slopes: 1 where the kernel takes the table of slopes too. *call stays where it is until it is finished. */
int og_gpu_call_begin(og_gpu_launcher *launcher, const og_gpu_kernel *kernel, const og_gpu_sorted *points, int slopes,
                      const og_gpu_vectors *vectors, og_gpu_call *call) OG_MUST_CHECK;
int og_gpu_call_finish(const og_gpu_launcher *launcher, const og_gpu_kernel *kernel, const og_gpu_sorted *points,
                       og_gpu_call *call) OG_MUST_CHECK;
#endif
