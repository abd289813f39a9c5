/* Points on a device: folded, checked, and in the order of their bins (kernels/points.c). */
#ifndef OG_GPU_POINTS_H
#define OG_GPU_POINTS_H
#include "gpu/launch.h"

/* One specialisation of kernels/points.c and the layout of its scratch. */
typedef struct og_gpu_sort_plan {
  int team, each, page_team, max_parts, max_fine, max_page;
  int shift, parts, log_page, stage_bits; /* stage_bits: of a coordinate between the passes */
  int64_t slab;                           /* points that go through the scratch at a time */
  int64_t n_pages;                        /* most that there can be */
  size_t record_bytes, stage_bytes, key_bytes;
  /* places in the scratch; what [0, zeros) holds is cleared first */
  size_t totals, later, zeros, bad, begin, all_begin, list, keys, drawn, stage, scratch;
  size_t offsets, work, resident; /* places in the resident memory; records first */
} og_gpu_sort_plan;

enum { OG_GPU_POINTS_KERNELS = 8 };

/* For tests and bench/stages/gpu_sort.c: numbers to try instead of the chosen ones (0: chosen; slabs: at least), and who watches the
 * launches: a kernel's number before it is launched, OG_GPU_POINTS_KERNELS before all, one more after. */
typedef struct og_gpu_sort_trial {
  int stage_bits, slabs;
  void (*watch)(void *context, int kernel);
  void *context;
} og_gpu_sort_trial;

typedef struct og_gpu_points {
  og_gpu_device *device;
  void *queue;
  og_points_setup setup;
  int packed;
  void *tables;              /* device memory for two sets of points, where the driver does not take tables by value */
  int table_set;             /* of the points that are held */
  og_gpu_sort_plan compiled; /* what the kernels are for */
  void *kernel[OG_GPU_POINTS_KERNELS];
  const og_gpu_sort_trial *trial; /* or NULL */

  /* the points that are held */
  og_k_points table;
  og_gpu_sorted sorted;
} og_gpu_points;

/* No points yet. The setup's grid and window stay valid as long as the object. */
int og_gpu_points_create(og_gpu_device *device, void *queue, const og_points_setup *setup,
                         og_gpu_points **points) OG_MUST_CHECK;
void og_gpu_points_destroy(og_gpu_points *points);

/* Device memory for n points in the bins and pieces of work of `methods`: `resident` stays with the points, `scratch` is
 * used by og_gpu_points_set only. Both aligned to 256 bytes. *scratch: as in backend.h, what is at hand before, what is wanted
 * after. */
int og_gpu_points_bytes(const og_gpu_points *points, const og_gpu_methods *methods, int64_t n, size_t *resident,
                        size_t *scratch) OG_MUST_CHECK;

/* The macros of kernels/points.c for n points that get sorted, `make matrix` and tests want them; ends with a NULL name. */
enum { OG_GPU_POINTS_MACROS = 15 };
int og_gpu_points_macros(const og_gpu_points *points, const og_gpu_methods *methods, int64_t n,
                         og_gpu_macro *macros) OG_MUST_CHECK;

/* x: device addresses, of the grid's precision (wide: f64). Waits for the check: OG_ERR_POINT names the first point that
 * is not finite, and then nothing in `resident` was touched and the points that were held stay. x is borrowed with
 * index_only, and read before the return otherwise. */
int og_gpu_points_set(og_gpu_points *points, const og_gpu_methods *methods, int64_t n, const void *const x[3],
                      void *resident, void *scratch, size_t scratch_bytes) OG_MUST_CHECK;
#endif
