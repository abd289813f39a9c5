/* The plan of a distributed transform: stages' memories, the moves between them, and the points' ways. */
#ifndef OG_MPI_PLAN_H
#define OG_MPI_PLAN_H
#include "mpi/modes.h"
#include "mpi/move.h"
#include "mpi/points.h"
#include "offgrid_mpi.h"
#include "plan/plan.h"

/* Lines of one dimension: an engine for each direction, none where the rank has none. */
typedef struct og_mpi_lines {
  void *lines[2]; /* forward, backward */
  og_lines_pass pass[2];
} og_mpi_lines;

struct og_mpi_plan_s {
  og_comm comm;
  og_plan model; /* options, backend and window kind, of the whole transform; it never gets a core */
  og_mpi_options options;
  og_choice choice;
  og_layout layout;
  og_window window;
  double *factor[3]; /* of this rank's modes */
  og_mpi_modes modes;
  int64_t n_kept; /* modes of this rank */

  og_grid grid; /* this rank's block, with halo */
  og_points_setup points_setup;
  og_travel travel;
  og_mpi_lines lines[3];
  char *memory[3];         /* blocks: grid, middle, last */
  og_view block, spectrum; /* the grid as values, and as kept cells along x */
  og_view middle, middle_kept, last,
      done; /* with cells or kept cells along the line; done: where the modes are taken */
  og_move move[OG_MOVES];
  char *buffer[2];
  char *filter_modes; /* [max_vectors + 1] sets of modes, from the first filter on */
  int64_t sent[OG_MOVES], sent_values;
  int has_points, broken;
};

/* build.c */
int og_mpi_build(og_mpi_plan p) OG_MUST_CHECK;
void og_mpi_unbuild(og_mpi_plan p);

/* execute.c: no communication is left out where a stage fails; returns this rank's code. */
int og_mpi_execute_type1(og_mpi_plan p, const char *strengths, char *modes) OG_MUST_CHECK;
/* gradients: NULL on every rank or none; back: whether values are wanted anywhere. */
int og_mpi_execute_type2(og_mpi_plan p, const char *modes, int back, char *values,
                         char *const gradients[3]) OG_MUST_CHECK;
#endif
