/* One rank's modes: deconvolution, and the products of a filter. */
#ifndef OG_MPI_MODES_H
#define OG_MPI_MODES_H
#include <stdint.h>

#include "mpi/move.h"

typedef struct og_mpi_modes {
  og_box box;
  const double *factor[3]; /* from the box's lower index on */
  int precision, conjugate;
  int64_t halved; /* index of the x plane that a complex-to-real transform counts twice, or -1 */
} og_mpi_modes;

/* modes = factor * spectrum; and spectrum = factor * modes. */
void og_mpi_modes_from(const og_mpi_modes *m, const og_view *spectrum, char *modes);
void og_mpi_modes_to(const og_mpi_modes *m, const og_view *spectrum, const char *modes);
/* sum = sum_i times[i] * modes[i] of n_in sets of `count` complex modes each. */
void og_mpi_multiply(int precision, int64_t n_in, int64_t count, const char *times, const char *modes, char *sum);
void og_mpi_scale(int precision, double factor, size_t bytes, char *values);
#endif
