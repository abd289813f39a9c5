/* The plan: what was asked (fixed when made) and the core (what follows from it once sigma is chosen). */
#ifndef OG_PLAN_H
#define OG_PLAN_H
#include "backend.h"
#include "fft/fft.h"
#include "plan/progress.h"

/* Of what lies behind something else in a device's memory, for FFT libraries and the sort's arrays. */
enum { OG_DEVICE_ALIGNMENT = 512 };

/* sigma, width and the sizes they imply. */
typedef struct og_choice {
  double sigma; /* the grid's own: smallest n / N over the dimensions */
  int width;
  int64_t n[3];
  int64_t n_points; /* the number it was made for, as og_choice_points rounds it */
} og_choice;

/* All that depends on the choice. Built whole, swapped in whole, so that a failure leaves the old one in place. */
typedef struct og_core {
  og_choice choice;
  og_window window;
  og_grid grid;
  og_points_setup points_setup;
  og_points_choice points_choice;
  og_modes_setup modes_setup;
  double *factor[3];
  og_fft *fft;
  void *points;            /* the backend's */
  void *whole;             /* the backend's own FFT of the whole grid, instead of `fft` */
  size_t whole_bytes;      /* its scratch, behind the grid in `memory` */
  double *factor_there[3]; /* factor, in the device's memory */
  int64_t batch;           /* vectors that are done at once: 1 but on devices */
  void *memory; /* a grid for each and behind them the whole FFT's scratch, unless spread_only; or in the workspace */
  int memory_is_ours;
} og_core;

typedef struct og_two_sides og_two_sides; /* type3.c */

/* place.c: what a copy of a caller's array stands for. */
enum { OG_SLOT_VALUES, OG_SLOT_MODES, OG_SLOT_MULTIPLIERS, OG_SLOT_GRADIENT, OG_SLOTS = OG_SLOT_GRADIENT + 3 };

struct og_plan_s {
  int type3_law;     /* 1: part of a type 3, whose two spreadings share the tolerance */
  double type3_lift; /* by how much a type 3's targets lift the inner transform's rounding; 0: not known yet */
  int wide_points;   /* 1: coordinates are f64 in f32 as well (the scaled targets of a type 3) */
  int ndim;
  int64_t n_modes[3]; /* 1 in absent dimensions */
  og_options options; /* resolved; its text fields are dead: see kind, backend and simd */
  og_window_kind kind;
  og_backend backend;
  char simd[16], spread_method[16], interp_method[16], tuning[1024];
  int threads;
  void *device; /* the backend's; NULL: memory is the host's */
  int device_is_ours;
  void *staged[OG_SLOTS];
  size_t staged_bytes[OG_SLOTS];
  double period[3];
  int64_t kept[3], n_kept; /* modes of one vector */

  og_core *core; /* NULL until the choice is made */
  int has_points;
  int64_t n_points;
  void *resident; /* the points' memory */
  size_t resident_bytes;
  int resident_is_ours;
  void *spare; /* memory to sort in where the core has too little; kept where that is none, from the second call on */
  size_t spare_bytes;
  int spare_calls;
  size_t borrowed_bytes; /* copies on the device of coordinates that are borrowed from the host */
  char *workspace;       /* caller's, or NULL */
  size_t workspace_bytes;
  void *filter_modes; /* [n_in][kept] of og_filter */
  int64_t filter_vectors;
  int filter_is_ours;
  size_t peak_bytes;
  int n_marks;
  double *marked[OG_MARKS]; /* what the time between two marks is of */
  double seconds_points, seconds_spread, seconds_fft, seconds_deconvolve, seconds_interp;

  og_progress own_progress, *progress; /* its own, or its owner's where the plan is inside a type 3 */
  double stage_cost[OG_STAGES];
  int broken; /* 1: a stage failed half way */

  og_two_sides *type3; /* NULL for types 1 and 2 */
};

/* tune.c: the cheapest sigma and width that meet the tolerance for n_points, within what the options fix. */
int og_choose(const struct og_plan_s *plan, int64_t n_points, og_choice *choice) OG_MUST_CHECK;
/* n_points (or the option expected_points) to the nearest power of 2: a plan whose points vary a little keeps its grid,
 * and the choice depends on nothing but the options and the number. */
int64_t og_choice_points(const struct og_plan_s *plan, int64_t n_points);
/* The same for the outer grid of a type 3 whose sources and targets span +-x and +-s about their centres. */
int og_choose_type3(const struct og_plan_s *plan, int64_t n_points, const double x[3], const double s[3],
                    og_choice *choice) OG_MUST_CHECK;

/* By how much the error of a type 3 exceeds that of its two spreadings; 1 for types 1 and 2. */
double og_type3_excess(const struct og_plan_s *plan, int width, double sigma);

/* The error to expect of a transform of random data with this window as it was made: aliasing, the cut of its polynomials
 * and rounding; gradient = 1: or half of the gradient's, relative to its own norm, where that is larger. */
double og_expected_error(const struct og_plan_s *plan, const og_window *window, const og_choice *choice);

/* Estimated nanoseconds of spreading or interpolating the plan's points, of the FFT, and of the rest; 0 before the core is
 * there. */
void og_stage_costs(const struct og_plan_s *plan, double *points, double *fft, double *rest);

/* plan.c */
/* device: another plan's, which outlives this one, or NULL: one of its own where the backend has any. */
int og_plan_make(og_plan *plan, int ndim, const int64_t *n_modes, const og_options *resolved,
                 void *device) OG_MUST_CHECK;
/* New points, and a new core where their number wants one; on error the plan keeps what it had. */
int og_plan_replace_points(og_plan plan, int64_t n_points, const void *const x[3]) OG_MUST_CHECK;
/* The window of the choice. The laws by which a width is chosen are a little optimistic for gradients, so there, with
 * may_grow, the definition of the error has the last word, and choice->width may grow. */
int og_plan_make_window(const struct og_plan_s *plan, int may_grow, og_choice *choice, og_window *window) OG_MUST_CHECK;
size_t og_plan_filter_bytes(const struct og_plan_s *plan);
/* The core's memory: the grids and, from og_core_scratch on, what the whole FFT works in. */
size_t og_core_bytes(const og_core *core);
void *og_core_scratch(const og_core *core);
/* Sorts n points into `resident`, in the core's memory where the scratch_bytes of points_bytes fit there; behind: where a
 * workspace has room for them otherwise. */
int og_plan_sort_points(og_plan plan, const og_core *core, int64_t n, const void *const x[3], void *resident,
                        char *behind, size_t scratch_bytes) OG_MUST_CHECK;
/* shift: of the points' grid coordinates, in cells; NULL: none. */
int og_plan_build_core(const struct og_plan_s *plan, const og_choice *choice, const double *shift,
                       og_core **core) OG_MUST_CHECK;
void og_plan_destroy_core(const struct og_plan_s *plan, og_core *core);

/* execute.c: the transforms as lists of stage calls; arguments are checked. */
void og_plan_reset_times(og_plan plan);           /* of execute */
int og_execute_times(og_plan plan) OG_MUST_CHECK; /* of a device: waits for it */
int og_execute_type1(og_plan plan, int64_t n_vectors, const void *strengths, void *modes) OG_MUST_CHECK;
int og_execute_type2(og_plan plan, int64_t n_vectors, const void *modes, void *values, void *gradients) OG_MUST_CHECK;
int og_execute_filter(og_plan plan, int64_t n_in, const void *strengths, int64_t n_out, const void *multipliers,
                      void *values) OG_MUST_CHECK;
int og_execute_spread(og_plan plan, int64_t n_vectors, const void *strengths, void *grid) OG_MUST_CHECK;
int og_execute_interp(og_plan plan, int64_t n_vectors, const void *grid, void *values) OG_MUST_CHECK;

/* type3.c */
int og_type3_create(og_plan plan) OG_MUST_CHECK;
int og_type3_set(og_plan plan, int targets, int64_t n, const void *const x[3]) OG_MUST_CHECK;
int og_type3_execute(og_plan plan, int64_t n_vectors, const void *strengths, void *results) OG_MUST_CHECK;
int og_type3_execute_adjoint(og_plan plan, int64_t n_vectors, const void *results, void *values) OG_MUST_CHECK;
void og_type3_destroy(og_plan plan);
og_plan og_type3_inner(const struct og_plan_s *plan); /* the plan of types 1 and 2 inside, or NULL */

/* Vectors of the n that are done together, from number v on. */
static inline int64_t og_together(const og_core *core, int64_t n, int64_t v) {
  return n - v < core->batch ? n - v : core->batch;
}

static inline const char *og_const_at(const void *base, int64_t count, size_t bytes) {
  return base ? (const char *)base + (size_t)count * bytes : NULL;
}
static inline char *og_at(void *base, int64_t count, size_t bytes) {
  return base ? (char *)base + (size_t)count * bytes : NULL;
}
#endif
