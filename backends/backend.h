/* What a backend is: a table of the stages it does. A NULL entry is delegated to the backend named by `delegate`, so that
 * a new backend starts as one table with one function, and all tests pass on the first day.
 *
 * Contracts common to all: no function prints; errors go through og_error_set; sizes are checked by the caller (plan);
 * arrays are host memory, contiguous, of the grid's precision, and never alias; `threads` >= 1 is settled by the plan.
 * Execute-time functions (spread, interp, lines_execute, modes_*, multiply) do not allocate from the heap what grows.
 * `vectors`: of a batch, done at once. Their values lie one after the other, as do their modes, and their grids at
 * multiples of grid->bytes. More than 1 only where the backend has devices. */
#ifndef OG_BACKEND_H
#define OG_BACKEND_H
#define OG_MARKS 8
#include "base/error.h"
#include "base/grid.h"
#include "window/window.h"

/* What a device's points object tells of itself; texts. */
typedef struct og_points_choice {
  char device[128], text[1024];
} og_points_choice;

/* What a points object is made for; it stays valid as long as the object. */
typedef struct og_points_setup {
  const og_grid *grid;
  const og_window *window;
  double period[3];  /* coordinate x sits at grid coordinate x n / period (mod n) */
  double shift[3];   /* added to the grid coordinate, in cells (type 3 centres its sources); 0 otherwise */
  int evaluation;    /* OG_EVALUATE_POLYNOMIAL or OG_EVALUATE_DIRECT */
  int index_only;    /* borrow the caller's coordinates instead of sorted copies */
  int wide;          /* coordinates are f64 whatever the grid's precision; not with index_only */
  uint64_t *counted; /* spread and interp may add, atomically, the points that they have done; NULL: nobody asks */
  int gradient;      /* interp will be asked for gradients */
  int threads;
  const char *simd;                          /* "auto" or the instruction set to use */
  void *device;                              /* of device_open, or NULL */
  const char *spread_method, *interp_method; /* of a device: "auto" or a name */
  int bin[3], spread_team, interp_team;      /* of a device, as is all that follows: the options; 0: chosen */
  int64_t work_points;
  const char *tuning;       /* the option; NULL: none. Read when the object is created */
  int64_t vectors;          /* most that spread and interp are given at once; 0: 1 */
  og_points_choice *choice; /* filled when points are set; NULL: nobody asks */
} og_points_setup;

/* Lines of a 1-D FFT engine: n points, in place, on a grid with the setup's strides. See fft/lines.h. */
typedef struct og_lines_setup og_lines_setup;
typedef struct og_lines_pass og_lines_pass;

/* Divide by the window's transform and put modes in order. Kept cells of the fine spectrum: mode k lives in cell
 * k mod n. For real values the spectrum is the half one: row x holds n[0]/2 + 1 complex cells, at complex strides
 * { 1, stride[1] / 2, stride[2] / 2 }, and modes have k_x = 0 ... N_x/2. */
typedef struct og_modes_setup {
  const og_grid *grid;
  int64_t n_modes[3];      /* N per dimension; 1 in absent dimensions */
  int64_t kept[3];         /* modes held per dimension: N, and N_x / 2 + 1 in x for real values */
  int mode_order;          /* of dimensions that hold N modes */
  int conjugate;           /* 1: the modes are the conjugate of the spectrum (real values with sign +1) */
  const double *factor[3]; /* [kept]: 1 / window transform, in the order of the modes array; in the device's memory */
  int threads;
  void *device;
} og_modes_setup;

typedef struct og_backend {
  const char *name, *delegate;
  const char *(*describe)(void); /* one line: "OpenMP, avx2" */
  int (*available)(void);
  int (*threads)(int asked); /* threads to use when the option says `asked` (0: the backend's choice) */

  /* Fills grid->stride and grid->bytes from the rest. Checks for overflow: OG_ERR_SIZE. */
  int (*grid_layout)(og_grid *grid);

  /* Points. create: a handle, no points yet. bytes: memory that n points need: *resident stays with the points,
   * *scratch only during points_set. *scratch is, before, what the caller has at hand (the grid's and the FFT's memory; 0:
   * nothing), and after what is wanted: not more than that where it is enough to be quick. points_set, right after it for
   * as many points, is given that much scratch. It folds, checks (OG_ERR_POINT names the first bad point, and then nothing
   * in resident was touched), sorts; x: [3] arrays of the grid's precision (wide: f64), NULL for absent
   * dimensions. */
  int (*points_create)(const og_points_setup *setup, void **points);
  int (*points_bytes)(void *points, int64_t n, size_t *resident, size_t *scratch);
  int (*points_set)(void *points, int64_t n, const void *const x[3], void *resident, void *scratch);
  void (*points_destroy)(void *points);
  const char *(*points_simd)(void *points);

  /* grid[l] = sum_j strengths[j] prod_d phi(l_d - g_jd): every cell of the grid is written (padding is not).
   * Any strides do: those of grid_layout are fast, a caller's compact array is legal. */
  int (*spread)(void *points, int64_t vectors, const void *strengths, void *grid);
  /* values[j] = sum_l grid[l] prod_d phi(...); values may be NULL when gradients is not.
   * gradients: NULL or [ndim] arrays like values: the derivative with respect to the caller's coordinate d. */
  int (*interp)(void *points, int64_t vectors, const void *grid, void *values, void *const gradients[3]);

  /* 1-D FFT lines, see fft/lines.h. */
  int (*lines_create)(const og_lines_setup *setup, void **lines);
  int (*lines_execute)(void *lines, const og_lines_pass *pass, void *grid);
  void (*lines_destroy)(void *lines);
  /* Optional (NULL: two calls of lines_execute): two passes of the same outer ranges one after the other, each outer index
   * of the second right after that of the first, while it is in cache. */
  int (*lines_execute_pair)(void *first, const og_lines_pass *first_pass, void *second,
                            const og_lines_pass *second_pass, void *grid);

  /* modes = factor * kept cells of the spectrum, every mode written. */
  int (*modes_from_grid)(const og_modes_setup *setup, int64_t vectors, const void *grid, void *modes);
  /* kept cells of the spectrum of vector v = factor * sum_i multipliers[v][i] * modes[i], i < n; multipliers NULL:
   * factor * modes[v] (n = 1). multipliers: [vectors][n][modes] complex. Other cells are not touched. For real values
   * and even N_x the plane k_x = N_x / 2 is halved, because the complex-to-real transform counts it twice. */
  int (*grid_from_modes)(const og_modes_setup *setup, int64_t vectors, int64_t n, const void *multipliers,
                         const void *modes, void *grid);

  /* out[i] = in[i] * factor[i] (conjugated factor where conjugate): n complex numbers of a precision for each vector;
   * in may be out. */
  int (*multiply)(void *device, int precision, int threads, int64_t vectors, int64_t n, int conjugate,
                  const void *factor, const void *in, void *out);

  /* A device of its own, and its memory. All NULL where memory is the host's: then `device` is NULL in every setup.
   * open: device `number`, with the caller's stream (an integer: CUstream, hipStream_t, cl_command_queue) or, 0, one of its
   * own; one per plan. Work runs in the stream's order; copy waits where an end is pageable host memory; finish waits
   * for all. on_host: where a caller's array lies. */
  int (*device_open)(int number, int64_t stream, void **device);
  void (*device_close)(void *device);
  int (*allocate)(void *device, size_t bytes, void **memory);
  void (*release)(void *device, void *memory);
  int (*copy)(void *device, void *to, const void *from, size_t bytes);
  int (*zero)(void *device, void *memory, size_t bytes);
  int (*finish)(void *device);
  int (*on_host)(void *device, const void *memory);
  /* Marks on the stream, i = 0 ... OG_MARKS - 1, and the seconds from one to another (waits for the later). */
  int (*mark)(void *device, int i);
  int (*seconds)(void *device, int from, int to, double *seconds);

  /* Optional: the whole transform between grid and spectrum instead of lines; og_fft_forward and og_fft_backward say
   * what it does. With it grid_from_modes writes every cell, 0 where no mode is kept. *scratch: bytes of device memory
   * that each execute is given. vectors: the most that an execute has. */
  int (*fft_create)(void *device, const og_grid *grid, int64_t vectors, int sign, void **fft, size_t *scratch);
  int (*fft_execute)(void *fft, int backward, int64_t vectors, void *grid, void *scratch);
  void (*fft_destroy)(void *fft);

  /* body(context, begin, end) over [0, n) in at most `threads` pieces of at least `grain`: for host loops of the plan. */
  void (*parallel)(int threads, int64_t n, int64_t grain, void (*body)(void *context, int64_t begin, int64_t end),
                   void *context);
} og_backend;

/* The backend of that name ("auto": the available one of highest priority) with its NULL entries filled from its
 * delegates, copied to *backend. OG_ERR_BACKEND otherwise. */
int og_backend_find(const char *name, og_backend *backend) OG_MUST_CHECK;
#endif
