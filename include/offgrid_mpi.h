/* offgrid over MPI: types 1 and 2, gradient and filter in two and three dimensions, on the CPUs of several ranks. Link
 * liboffgrid_mpi, which needs no liboffgrid beside it (and may have one).
 *
 * All functions but those said to be local are collective: every rank of the communicator calls them, in the same order.
 * They return the same code on every rank, and og_mpi_last_error() says which rank met what. Codes are those of
 * offgrid.h: positive means nothing was changed, negative that only og_mpi_plan_destroy may follow. */
#ifndef OFFGRID_MPI_H
#define OFFGRID_MPI_H

#include <mpi.h>

#include "offgrid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct og_mpi_options {
  size_t size;           /* sizeof(og_mpi_options) */
  int grid[2];           /* P1 and P2, the ranks along y and z: P1 P2 = ranks; 0, 0: chosen. Two dimensions: P2 = 1 */
  int points_on_owners;  /* 1: every rank gives its own points only (og_mpi_plan_owners), which is checked */
  int64_t message_bytes; /* longest message, 1 to 2^31 - 1; longer ones are split */
} og_mpi_options;

#define OG_MPI_OPTIONS_DEFAULT                                                                                         \
  { sizeof(og_mpi_options), {0, 0}, 0, (int64_t)1 << 30 }

typedef struct og_mpi_plan_s *og_mpi_plan;

/* A plan over a duplicate of comm. MPI must be initialised with MPI_THREAD_FUNNELED or more. ndim 2 or 3; n_modes and options as
 * in og_plan_create, the same on every rank (but threads and simd); expected_points: of all ranks together, 0: about
 * as many as modes. Options that do not apply: spread_only, storage = index, backends with a device. mpi_options may be
 * NULL. On error *plan is NULL. */
OG_API int og_mpi_plan_create(og_mpi_plan *plan, MPI_Comm comm, int ndim, const int64_t *n_modes,
                              const og_options *options, const og_mpi_options *mpi_options) OG_MUST_CHECK;

/* Any points on any rank, in any number, 0 included. The arrays are free afterwards. On error the earlier points stay. */
OG_API int og_mpi_plan_set_points(og_mpi_plan plan, int64_t n_points, const void *x, const void *y,
                                  const void *z) OG_MUST_CHECK;

/* strengths: [n_vectors][n_points of this rank]; modes: [n_vectors][this rank's box, x fastest]. */
OG_API int og_mpi_type1(og_mpi_plan plan, int64_t n_vectors, const void *strengths, void *modes) OG_MUST_CHECK;

/* The adjoint; values: [n_vectors][n_points], in the order of this rank's points. */
OG_API int og_mpi_type2(og_mpi_plan plan, int64_t n_vectors, const void *modes, void *values) OG_MUST_CHECK;

/* Type 2 and its gradient, as og_type2_gradient: gradients: [ndim][n_vectors][n_points]; values may be NULL. Needs the option gradient = 1. */
OG_API int og_mpi_type2_gradient(og_mpi_plan plan, int64_t n_vectors, const void *modes, void *values,
                                 void *gradients) OG_MUST_CHECK;

/* values[o] = type2(sum_i multipliers[o][i] * type1(strengths[i])), as og_filter; multipliers: [n_out][n_in][this rank's box]. */
OG_API int og_mpi_filter(og_mpi_plan plan, int64_t n_in, const void *strengths, int64_t n_out, const void *multipliers,
                         void *values) OG_MUST_CHECK;

/* Local: the half-open box of this rank's modes within the array that og_type1 of one process fills, as indices of that
 * array, x first (whatever mode_order says: index 0 is its first entry). May be empty. */
OG_API int og_mpi_plan_modes_box(og_mpi_plan plan, int64_t lower[3], int64_t upper[3]) OG_MUST_CHECK;

/* Local: the rank that owns each point. */
OG_API int og_mpi_plan_owners(og_mpi_plan plan, int64_t n_points, const void *x, const void *y, const void *z,
                              int *ranks) OG_MUST_CHECK;

/* Local: choices, and bytes that this rank sent to others: for its points' coordinates, and in the last type 1 or 2 with values, halos
 * and the transposes of the FFT. */
typedef struct og_mpi_report {
  size_t size; /* sizeof(og_mpi_report), set by the caller */
  int ranks, grid[2], width, threads;
  double sigma, expected_error;
  int64_t n_grid[3], n_points, n_owned; /* points given by and owned by this rank */
  int64_t bytes_points, bytes_values, bytes_halo, bytes_first, bytes_second;
} og_mpi_report;
OG_API int og_mpi_plan_report(og_mpi_plan plan, og_mpi_report *report) OG_MUST_CHECK;

/* NULL is legal. Before MPI_Finalize. */
OG_API void og_mpi_plan_destroy(og_mpi_plan plan);

/* Local: this library's last error in this thread. */
OG_API const char *og_mpi_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
