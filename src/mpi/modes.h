/* Deconvolution of one rank's modes. */
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
#endif
