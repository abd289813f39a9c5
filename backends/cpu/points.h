/* The cpu backend's points: how the grid is cut, how the points are stored, and what the kernels (one table per
 * instruction set, precision and kind of values) offer.
 *
 * The grid is cut in y and z into pencils of stencil starts; a pencil runs along all of x and holds about 16 x 16
 * starts. Along x a pencil is cut into sort tiles, only so that sorting stays in cache. Points are partitioned by tile,
 * and in a tile ordered by (x block, z, y). A record per point holds the polynomial argument t of each dimension (exact
 * to the precision whatever the size of the grid), the packed start relative to the tile, and where its strength comes
 * from.
 *
 * Two and three dimensions spread through a ring window: all rows that a pencil's stencils touch, each a ring of `ring`
 * cells, streamed along x (see kernel/ring.h). One dimension adds into a tile-sized buffer (see kernel/line.h). */
#ifndef OG_CPU_POINTS_H
#define OG_CPU_POINTS_H
#include "cpu.h"

#include <stdint.h>

#define OG_CPU_CHUNK 32         /* points whose weights are evaluated together */
#define OG_CPU_BLOCK 256        /* points folded together */
#define OG_CPU_MAX_SPAN 6       /* largest distance in y of two points added together */
#define OG_CPU_LINE_BYTES 16384 /* of a tile in one dimension: its buffer stays in the first-level cache */

/* One dimension cut into parts; part p holds the starts [begin[p], begin[p + 1]). */
typedef struct og_cpu_cut {
  int parts;
  int32_t *begin; /* [parts + 1] */
  /* in two and three dimensions, what each start adds to the number of its tile (high half) and, packed, to its place
   * there (low half) */
  uint64_t *key;
} og_cpu_cut;

/* How a dimension's coordinates become grid coordinates: see kernel/fold.h. */
typedef struct og_cpu_fold {
  double inverse, period[3]; /* the period in three parts, so that k * part is exact */
  double scale, shift, n, half_width;
} og_cpu_fold;

/* A piece of work: points [begin, end) of one pencil, and the grid cells x_begin <= x < x_end of its rows, which it
 * writes. What it adds past x_end stays in tail number `tail`, added later, or wraps around to x = 0 where tail < 0. */
typedef struct og_cpu_task {
  int64_t begin, end;
  int32_t x_begin, x_end;
  int32_t py, pz;
  int32_t tail;
} og_cpu_task;

/* The ring: vectors of `bytes`, `vectors` of them hold `cells` cells; starts in blocks of 1 << log_block cells. */
typedef struct og_cpu_ring {
  int bytes, vectors, cells, log_block;
  int row;        /* cells from one row of the window to the next: a vector more where rows would collide in cache */
  int piece;      /* cells that move between ring and grid at once */
  uint64_t magic; /* x mod cells = x - cells * (x * magic >> 40) for x < 2^24 */
} og_cpu_ring;

/* Where the parts of a thread's work space begin, in bytes; all are zero between calls but for scratch contents. */
typedef struct og_cpu_work {
  size_t window, x, y, z, dx, dy, dz, v, dv, sum, rows, bytes;
  int x_stride, y_stride, z_stride, v_stride; /* reals per point */
} og_cpu_work;

typedef struct og_cpu_points og_cpu_points;

/* The functions of one instruction set, precision and kind of values. */
typedef struct og_cpu_kernels {
  const char *simd;
  int vector_bytes[2]; /* ring vectors available, widest first; 0: none */
  /* Counts the points [begin, end) per tile into histogram (cleared by the caller). Returns the first bad point or -1.
   */
  int64_t (*count)(const og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end, uint32_t *histogram);
  /* Writes their records to where histogram says. */
  void (*partition)(og_cpu_points *p, const void *const x[3], int64_t begin, int64_t end, uint32_t *histogram);
  /* Spreads one task (strengths in the order that records' `from` counts in). */
  void (*spread)(const og_cpu_points *p, const og_cpu_task *task, const void *strengths, void *grid, char *work);
  void (*interp)(const og_cpu_points *p, const og_cpu_task *task, const void *grid, void *values,
                 void *const gradients[3], char *work);
  /* Adds to the grid the tails' rows whose number is `part` modulo `parts`, in the tails' order. */
  void (*add_tails)(const og_cpu_points *p, int part, int parts, void *grid, char *work);
} og_cpu_kernels;

/* [instruction set: generic, avx2, avx512][precision][values] */
enum { OG_CPU_GENERIC, OG_CPU_AVX2, OG_CPU_AVX512, OG_CPU_SIMDS };
const og_cpu_kernels *og_cpu_kernels_find(const char *simd, int precision, int values);
const char *og_cpu_simd_best(void);

struct og_cpu_points {
  og_points_setup setup;
  og_grid grid;
  const og_cpu_kernels *kernels;
  int ndim, width, degree, threads;
  int reals; /* per cell: 2 complex, 1 real */
  size_t real_bytes, value_bytes;
  og_cpu_fold fold[3];
  og_cpu_cut cut[3];            /* cut[0]: sort tiles, remade for each set of points */
  int log_tile;                 /* cut[0] has parts of 1 << log_tile cells */
  int bits_y, bits_z, bits_low; /* see og_cpu_pack */
  int rows_y, rows_z;           /* rows of the window: tallest pencil + width - 1 */
  int span;                     /* largest distance in y of two points that are added together */
  og_cpu_ring ring;
  og_cpu_work work;
  char *memory;        /* threads * work.bytes */
  uint32_t *histogram; /* [threads][histogram_stride] */
  int64_t histogram_stride;
  int64_t *tile_begin; /* [tiles + 1] */
  /* even and odd parts' coefficients: [(degree / 2 + 1)][2][8], of the plan's precision */
  void *coef, *derivative;
  int half_degree, lanes; /* lanes evaluated: 4 for width <= 8, else 8 */

  /* the points */
  int64_t n;
  int dims_stored;     /* coordinates in a record: ndim, or 0 where the caller's arrays are borrowed */
  int two_step;        /* strengths go through `values` in tile order */
  int sorted;          /* tiles are sorted inside (else records are in the order of the caller in each tile) */
  size_t record_bytes; /* t[dims_stored], uint32 start, uint32 from */
  char *records;
  uint32_t *destination; /* two_step: place of the caller's point in tile order */
  void *values;          /* two_step: strengths or results in tile order */
  const void *borrowed[3];

  /* the work */
  int team; /* threads worth using for these points */
  og_cpu_task *spread_tasks, *interp_tasks;
  int64_t spread_from[5]; /* colour c: tasks [spread_from[c], spread_from[c + 1]) */
  int colours;
  int64_t n_interp_tasks, task_room;
  int32_t n_tails, tail_room;
  char *tails;                   /* [tail_room][tail_bytes] */
  const og_cpu_task **tail_task; /* [tail_room] */
  size_t tail_bytes;
};

/* tiling.c. log: of the cells of a sort tile that suits n points; set: cuts x into such tiles. */
int og_cpu_tiling_make(og_cpu_points *p) OG_MUST_CHECK;
int og_cpu_tiling_log(const og_cpu_points *p, int64_t n);
void og_cpu_tiling_set(og_cpu_points *p, int log_tile);
/* tasks.c. room: most tasks that there can be; team: threads worth using for n points; make: after the sort. */
int64_t og_cpu_tasks_room(const og_cpu_points *p);
int og_cpu_tasks_team(const og_cpu_points *p, int64_t n);
void og_cpu_tasks_make(og_cpu_points *p);
/* sort.c: orders each tile in place, with room for so many records per thread; room: how many that should be. */
void og_cpu_sort(og_cpu_points *p, char *spare, int64_t room);
int64_t og_cpu_sort_room(const og_cpu_points *p, int64_t n);

#ifdef _OPENMP
#include <omp.h>
static inline int og_cpu_thread(void) { return omp_get_thread_num(); }
static inline int og_cpu_team(void) { return omp_get_num_threads(); }
#else
static inline int og_cpu_thread(void) { return 0; }
static inline int og_cpu_team(void) { return 1; }
#endif

/* Tells whoever watches that a task is done. */
static inline void og_cpu_count(const og_cpu_points *p, const og_cpu_task *task) {
  if (p->setup.counted)
    __atomic_fetch_add(p->setup.counted, (uint64_t)(task->end - task->begin), __ATOMIC_RELAXED);
}

/* A start relative to its tile in 32 bits, in the order of the sort: x, high bits of y, z, low bits of y. So the points
 * of an x block sweep z for eight rows of starts at a time, whose window (width planes of 8 + width - 1 rows) stays in
 * the first-level cache. */
static inline uint32_t og_cpu_pack(const og_cpu_points *p, uint32_t x, uint32_t y, uint32_t z) {
  const int low = p->bits_low;
  return x << (p->bits_y + p->bits_z) | (y >> low) << (p->bits_z + low) | z << low | (y & ((1u << low) - 1));
}
static inline uint32_t og_cpu_pack_y(const og_cpu_points *p, uint32_t start) {
  const int low = p->bits_low;
  return (start >> (p->bits_z + low) & ((1u << (p->bits_y - low)) - 1)) << low | (start & ((1u << low) - 1));
}
static inline uint32_t og_cpu_pack_z(const og_cpu_points *p, uint32_t start) {
  return start >> p->bits_low & ((1u << p->bits_z) - 1);
}

/* Pencils that may be worked on at once have one colour. */
static inline int og_cpu_colour(const og_cpu_points *p, int py, int pz) {
  return p->threads > 1 ? (py & 1) + 2 * (pz & 1) : 0;
}
/* Pencils are worked on in the order of their rank; ranks of one colour at once. */
static inline int64_t og_cpu_rank(const og_cpu_points *p, int py, int pz) {
  int64_t ny = p->cut[1].parts, nz = p->cut[2].parts;
  return og_cpu_colour(p, py, pz) * ny * nz + pz * ny + py;
}
#endif
