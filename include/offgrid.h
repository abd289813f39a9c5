/* offgrid: nonuniform fast Fourier transforms, types 1, 2 and 3, in one, two and three dimensions.
 *
 *   type 1   modes[k]   = sum_j strengths[j] exp( s i k.x_j)      points -> modes
 *   type 2   values[j]  = sum_k modes[k]     exp(-s i k.x_j)      modes  -> points, the exact adjoint of type 1
 *   type 3   results[l] = sum_j strengths[j] exp( s i omega_l.x_j) points -> points
 *
 * s is the option `sign` (default -1). Nothing is normalised. Coordinates are any finite reals; they are folded by the
 * period of their dimension (2 pi by default). Modes run k_d = -floor(N_d/2) ... ceil(N_d/2) - 1, x fastest; the vectors
 * of a batch are slowest. Complex numbers are pairs (re, im) of the plan's precision.
 *
 * Every function that can fail returns OG_OK (0) or a code: positive means nothing was changed, negative means that only
 * og_plan_destroy may follow. og_last_error() has the sentence. The library never prints and never aborts.
 * A plan is used by one thread at a time; different plans may be used by different threads at once. */
#ifndef OFFGRID_H
#define OFFGRID_H

#include <stddef.h>
#include <stdint.h>

#define OG_VERSION_MAJOR 0
#define OG_VERSION_MINOR 1
#define OG_VERSION_PATCH 0

#if defined(__GNUC__)
#define OG_API __attribute__((visibility("default")))
#define OG_MUST_CHECK __attribute__((warn_unused_result))
#else
#define OG_API
#define OG_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Values that options take. */
enum { OG_F64 = 0, OG_F32 = 1 };                   /* precision: of coordinates, strengths, modes and values */
enum { OG_COMPLEX = 0, OG_REAL = 1 };              /* values: of strengths and values at the points */
enum { OG_ORDER_ASCENDING = 0, OG_ORDER_FFT = 1 }; /* mode_order: -N/2 first, or 0 first */
enum { OG_EVALUATE_POLYNOMIAL = 0, OG_EVALUATE_DIRECT = 1 };
enum { OG_STORE_AUTO = 0, OG_STORE_COPY = 1, OG_STORE_INDEX = 2 };
enum { OG_FFT_AUTO = 0, OG_FFT_ESTIMATE = 1, OG_FFT_MEASURE = 2 };

/* One row per option: X(type, name, default, doc). The struct, the defaults, the parser and docs/options.md all come from
 * this table. backend, simd, threads and fft_planning, left at their default, are taken from the environment variables
 * OFFGRID_BACKEND, OFFGRID_SIMD, OFFGRID_THREADS and OFFGRID_FFT_PLANNING where these are set. */
#define OG_OPTIONS_TABLE(X)                                                                                            \
  X(double, tolerance, 1e-6, "relative l2 error asked for, > 0; out of reach is reported, not refused")                \
  X(int, precision, OG_F64, "f64 or f32: type of coordinates, strengths, modes and values")                            \
  X(int, values, OG_COMPLEX, "complex or real strengths and values; real halves the FFT and the modes")                \
  X(int, sign, -1, "sign s of the exponent of types 1 and 3 (type 2 uses -s): -1 or 1")                                \
  X(int, mode_order, OG_ORDER_ASCENDING, "ascending (-N/2 first) or fft (0 first)")                                    \
  X(const char *, backend, "auto", "auto (cpu), cpu, ref, cuda, hip, opencl or host")                                  \
  X(const char *, simd, "auto", "instruction set of the cpu backend: auto, generic, avx2 or avx512")                   \
  X(int, threads, 0, "threads; 0: as many as OpenMP gives")                                                            \
  X(int64_t, max_vectors, 1, "largest n_vectors of an execute call, >= 1")                                             \
  X(int64_t, expected_points, 0, "hint for choosing sigma before the points are known; 0: choose when they are set")   \
  X(const char *, window, "optimal", "optimal, pswf, es, kb, gaussian, linear, cubic or bh")                           \
  X(int, evaluation, OG_EVALUATE_POLYNOMIAL, "polynomial (piecewise, fitted) or direct")                               \
  X(double, sigma, 0.0, "oversampling of the fine grid, 1.1 to 4; 0: chosen by the cost model in 1.15 to 2.5")         \
  X(int, width, 0, "cells under the window, 2 to 16; 0: the smallest that meets the tolerance")                        \
  X(double, shape, 0.0, "window's shape parameter; 0: the best known for this width and sigma")                        \
  X(int, gradient, 0, "1: og_type2_gradient will be called (the window is chosen for its accuracy)")                   \
  X(int, spread_only, 0, "1: n_modes is the fine grid itself; only og_spread and og_interp work")                      \
  X(int, storage, OG_STORE_AUTO, "points: copy (sorted copies, fast) or index (borrows the caller's arrays)")          \
  X(int, deterministic, 0, "1: bitwise the same for the same options and threads (ref and cpu always are)")            \
  X(int, fft_planning, OG_FFT_AUTO, "auto, estimate or measure: FFTW's planning effort")                               \
  X(double, period_x, 0.0, "period of x; 0: 2 pi")                                                                     \
  X(double, period_y, 0.0, "period of y; 0: 2 pi")                                                                     \
  X(double, period_z, 0.0, "period of z; 0: 2 pi")                                                                     \
  X(int, device, 0, "number of the device, for backends that have any")                                                \
  X(int64_t, stream, 0, "the caller's stream on it as an integer (CUstream, cl_command_queue); 0: the plan's own")     \
  X(const char *, spread_method, "auto", "on a device: auto, atomic, tiled, grid, stream or matrix")                   \
  X(const char *, interp_method, "auto", "on a device: auto, direct, sorted, stream or matrix")                        \
  X(int, bin_x, 0, "on a device: cells of a bin of points in x, 1 to 1024; 0: the method's")                           \
  X(int, bin_y, 0, "on a device: cells of a bin in y; 0: the method's")                                                \
  X(int, bin_z, 0, "on a device: cells of a bin in z; 0: the method's")                                                \
  X(int, spread_team, 0, "on a device: work items that spread together, a multiple of 32; 0: the method's")            \
  X(int, interp_team, 0, "on a device: work items that interpolate together, a multiple of 32; 0: the method's")       \
  X(int64_t, work_points, 0, "on a device: points of a piece of work, 1 to 2^20; 0: the method's")                     \
  X(const char *, tuning, "auto", "on a device: file or folder of `offgrid tune`; auto: the installed folder; none")   \
  X(int64_t, batch, 0, "on a device: vectors done at once, each with a fine grid of its own; 0: up to 8 in 2 GiB")

typedef struct og_options {
  size_t size; /* sizeof(og_options) where the caller was compiled: newer libraries fill what follows with defaults */
#define OG_OPTION_FIELD(type, name, value, doc) type name;
  OG_OPTIONS_TABLE(OG_OPTION_FIELD)
#undef OG_OPTION_FIELD
} og_options;

#define OG_OPTION_VALUE(type, name, value, doc) , value
#define OG_OPTIONS_DEFAULT                                                                                             \
  { sizeof(og_options) OG_OPTIONS_TABLE(OG_OPTION_VALUE) }

/* Error codes: X(name, value, text). */
#define OG_ERROR_TABLE(X)                                                                                              \
  X(OG_OK, 0, "success")                                                                                               \
  X(OG_ERR_ARGUMENT, 1, "an argument is out of its range")                                                             \
  X(OG_ERR_NULL, 2, "a required pointer is null")                                                                      \
  X(OG_ERR_OPTION, 3, "an option is unknown or out of its range")                                                      \
  X(OG_ERR_SIZE, 4, "a size is out of range or overflows")                                                             \
  X(OG_ERR_POINT, 5, "a coordinate is NaN or infinite")                                                                \
  X(OG_ERR_MEMORY, 6, "out of memory")                                                                                 \
  X(OG_ERR_WORKSPACE, 7, "the caller's workspace is too small")                                                        \
  X(OG_ERR_ORDER, 8, "a call came before the one it needs")                                                            \
  X(OG_ERR_UNSUPPORTED, 9, "the plan's options do not allow this call")                                                \
  X(OG_ERR_BACKEND, 10, "the backend is unknown or not available on this machine")                                     \
  X(OG_ERR_FFT, 11, "the FFT library could not make a plan")                                                           \
  X(OG_ERR_BROKEN, -1, "the plan is in no usable state: destroy it")

enum {
#define OG_ERROR_ENUM(name, value, text) name = value,
  OG_ERROR_TABLE(OG_ERROR_ENUM)
#undef OG_ERROR_ENUM
};

typedef struct og_plan_s *og_plan;

/* Sets one option by name from text ("tolerance", "1e-9"; "precision", "f32"; "backend", "ref"). Text values are kept
 * by pointer: `value` must outlive `options` for the options of type text. OG_ERR_OPTION names what is allowed. */
OG_API int og_options_set(og_options *options, const char *name, const char *value) OG_MUST_CHECK;

/* Calls visit(name, default as text, doc, context) for each option: the source of docs/options.md and of --help. */
OG_API void og_options_list(void (*visit)(const char *name, const char *value, const char *doc, void *context),
                            void *context);

/* Makes a plan for types 1 and 2 (and their combinations) on ndim = 1, 2 or 3 dimensions; n_modes: [ndim], x first, each
 * >= 1. options may be NULL for the defaults. On error *plan is NULL. The fine grid is allocated when the points are
 * first set, or by og_plan_set_workspace. */
OG_API int og_plan_create(og_plan *plan, int ndim, const int64_t *n_modes, const og_options *options) OG_MUST_CHECK;

/* Makes a plan for type 3 and its adjoint. Options values = real, gradient, spread_only, mode_order and periods do not
 * apply (OG_ERR_OPTION where set). */
OG_API int og_plan_create_type3(og_plan *plan, int ndim, const og_options *options) OG_MUST_CHECK;

/* Takes the points: x, y, z: [n_points] of the plan's precision, y and z NULL where ndim does not need them. Replaces
 * earlier points. With storage = copy (default) the arrays are free afterwards; with index they are borrowed until the
 * next call. OG_ERR_POINT names the first NaN or infinite coordinate; the plan then keeps its earlier points. */
OG_API int og_plan_set_points(og_plan plan, int64_t n_points, const void *x, const void *y,
                              const void *z) OG_MUST_CHECK;

/* Type 3: the target frequencies omega: [n_targets] per dimension. Any order with og_plan_set_points. */
OG_API int og_plan_set_targets(og_plan plan, int64_t n_targets, const void *x, const void *y,
                               const void *z) OG_MUST_CHECK;

/* strengths: [n_vectors][n_points] complex or real; modes: [n_vectors][N_z][N_y][N_x] complex, for real values
 * [n_vectors][N_z][N_y][N_x/2 + 1] with k_x = 0 ... floor(N_x/2). Overwrites modes. n_vectors = 0 is legal. */
OG_API int og_type1(og_plan plan, int64_t n_vectors, const void *strengths, void *modes) OG_MUST_CHECK;

/* The adjoint: modes as above, values: [n_vectors][n_points]. Real values: Re sum_k w_k modes[k] exp(-s i k.x_j), w = 1
 * at k_x = 0 and, for even N_x, at k_x = N_x/2, else 2. */
OG_API int og_type2(og_plan plan, int64_t n_vectors, const void *modes, void *values) OG_MUST_CHECK;

/* Type 2 and its gradient with respect to the points, from one FFT. gradients: [ndim][n_vectors][n_points], per unit of
 * the caller's coordinates. values may be NULL. Needs the option gradient = 1. */
OG_API int og_type2_gradient(og_plan plan, int64_t n_vectors, const void *modes, void *values,
                             void *gradients) OG_MUST_CHECK;

/* Type 1, a diagonal, type 2, fused: values[o] = type2(sum_i multipliers[o][i] * type1(strengths[i])).
 * strengths: [n_in][n_points]; multipliers: [n_out][n_in][modes] complex, one set of modes as in og_type1;
 * values: [n_out][n_points]. n_in and n_out at most max_vectors; an empty sum (n_in = 0) is 0. The modes never leave the
 * plan. */
OG_API int og_filter(og_plan plan, int64_t n_in, const void *strengths, int64_t n_out, const void *multipliers,
                     void *values) OG_MUST_CHECK;

/* strengths: [n_vectors][n_points] of source points -> results: [n_vectors][n_targets]. */
OG_API int og_type3(og_plan plan, int64_t n_vectors, const void *strengths, void *results) OG_MUST_CHECK;

/* The exact adjoint: values[j] = sum_l results[l] exp(-s i omega_l.x_j). */
OG_API int og_type3_adjoint(og_plan plan, int64_t n_vectors, const void *results, void *values) OG_MUST_CHECK;

/* Spreading alone: grid: [n_vectors][n_z][n_y][n_x] of the plan's fine grid (og_plan_grid), complex or real as the
 * strengths, overwritten: grid[l] = sum_j strengths[j] prod_d window(l_d - x_jd n_d / period_d). */
OG_API int og_spread(og_plan plan, int64_t n_vectors, const void *strengths, void *grid) OG_MUST_CHECK;

/* Its adjoint: values[j] = sum_l grid[l] prod_d window(l_d - x_jd n_d / period_d). */
OG_API int og_interp(og_plan plan, int64_t n_vectors, const void *grid, void *values) OG_MUST_CHECK;

/* Cells of the fine grid, x first; 1 in absent dimensions: the size of og_spread's and og_interp's grids. Known once the
 * points are set, or from the start where the option sigma, expected_points or spread_only is given. */
OG_API int og_plan_grid(og_plan plan, int64_t n_grid[3]) OG_MUST_CHECK;

/* The half-open box of mode indices that this plan's modes arrays hold, x first. */
OG_API int og_plan_modes_box(og_plan plan, int64_t lower[3], int64_t upper[3]) OG_MUST_CHECK;

/* Bytes of memory the plan needs for max_points points and every execute call, and a way to supply it (64-byte aligned;
 * owned by the caller, who frees it after og_plan_destroy). With a workspace nothing large is allocated any more:
 * more points than it was asked for are OG_ERR_WORKSPACE. To be set once, before the points. Not for type 3. */
OG_API int og_plan_workspace(og_plan plan, int64_t max_points, size_t *bytes) OG_MUST_CHECK;
OG_API int og_plan_set_workspace(og_plan plan, void *memory, size_t bytes) OG_MUST_CHECK;

/* What the plan chose, what error to expect, where the time went (seconds of the last call) and its large arrays' bytes
 * (FFT tables and some 100 kB of each thread's work space come on top). */
typedef struct og_report {
  size_t size; /* sizeof(og_report), set by the caller */
  const char *backend, *simd, *window;
  double sigma, shape;
  int width, degree, threads;
  int reached; /* 1: the tolerance is met; 0: expected_error says what to expect instead */
  double expected_error;
  int64_t n_points, n_grid[3];
  size_t bytes_grid, bytes_points, bytes_peak;
  double seconds_points, seconds_spread, seconds_fft, seconds_deconvolve, seconds_interp;
  const char *device; /* its name; "" where the backend has none, as is next */
  const char *choice; /* methods, bins, teams and work, and whether options, a tuning file's line or rules chose them */
} og_report;
OG_API int og_plan_report(og_plan plan, og_report *report) OG_MUST_CHECK;

/* How far the call has come that another thread runs on this plan: the stage ("points", "spread", "fft", "deconvolve" or
 * "interp"; "" where no call runs) and the fraction of the call's estimated time, from 0 to 1, which does not fall during
 * a call (of og_plan_set_points and og_plan_set_targets nothing is estimated). The one function that may be called while
 * another thread uses the plan, though not while that thread destroys it. */
OG_API int og_plan_progress(og_plan plan, const char **stage, double *fraction) OG_MUST_CHECK;

/* NULL is legal. */
OG_API void og_plan_destroy(og_plan plan);

/* The direct sum results[l] = sum_j strengths[j] exp(s i omega_l.x_j) with long-double phases, for checks: all
 * arrays double; strengths and results complex; sources and targets: [ndim] pointers. All threads. */
OG_API int og_direct_sum(int ndim, int sign, int64_t n_sources, const double *const *sources, const double *strengths,
                         int64_t n_targets, const double *const *targets, double *results) OG_MUST_CHECK;

/* A window: the function that spreads a point over `width` cells. x in cells; xi in radians per cell. */
typedef struct og_window *og_window_handle;
OG_API int og_window_create(og_window_handle *window, const char *name, int width, double sigma,
                            double shape) OG_MUST_CHECK;
OG_API double og_window_value(og_window_handle window, double x);      /* 0 outside [-width/2, width/2] */
OG_API double og_window_polynomial(og_window_handle window, double x); /* the fitted piecewise polynomial */
OG_API double og_window_transform(og_window_handle window, double xi); /* integral of value(x) cos(xi x) dx */
OG_API double og_window_aliasing(og_window_handle window);             /* bound on the relative l2 error, 1-D */
OG_API double og_window_shape(og_window_handle window);
OG_API int og_window_degree(og_window_handle window);
OG_API void og_window_destroy(og_window_handle window);
/* The shape that makes og_window_aliasing smallest, found by search. */
OG_API int og_window_optimise(const char *name, int width, double sigma, double *shape) OG_MUST_CHECK;
/* Name of the window i = 0, 1, ..., NULL past the last. */
OG_API const char *og_window_name(int i);

OG_API const char *og_error_text(int code);
OG_API const char *og_last_error(void); /* the last error's sentence in this thread; "" when there was none */
OG_API const char *og_version(void);
/* Backends i = 0, 1, ... by falling priority: name, and one line of description; NULL past the last. */
OG_API const char *og_backend_name(int i);
OG_API const char *og_backend_describe(int i);

#ifdef __cplusplus
}
#endif
#endif
