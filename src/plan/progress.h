/* How far a call has come, for another thread to read. */
#ifndef OG_PLAN_PROGRESS_H
#define OG_PLAN_PROGRESS_H
#include <stdint.h>

typedef enum {
  OG_STAGE_NONE,
  OG_STAGE_POINTS,
  OG_STAGE_SPREAD,
  OG_STAGE_FFT,
  OG_STAGE_DECONVOLVE,
  OG_STAGE_INTERP,
  OG_STAGES
} og_stage;

/* Lives as long as the plan, as nothing else does that a call touches; the plan inside a type 3 uses its owner's. */
typedef struct og_progress {
  double total, done, stage; /* estimated costs: of the call, of what lies before the stage, of the stage */
  uint64_t call;             /* counts calls */
  _Atomic uint64_t now;      /* call, stage, done / total, stage / total: one number, so that they belong together */
  _Atomic uint64_t best;     /* call and its largest fraction told */
  _Atomic int64_t to_count;  /* points of the stage */
  uint64_t counted;          /* those that the backend has done */
} og_progress;

struct og_plan_s;
/* A call begins that runs so often from points to modes, from modes to points, and spreads and interpolates alone. */
void og_progress_begin(struct og_plan_s *plan, int64_t to_modes, int64_t to_points, int64_t spreads, int64_t interps);
/* vectors: of a batch, that the stage does. */
void og_progress_enter(struct og_plan_s *plan, og_stage stage, int64_t vectors);
/* Returns code; OG_ERR_BROKEN where a stage of an execute call failed: its results are half written, and what a device that
 * failed holds nobody knows. The sentence stays the stage's own. */
int og_progress_end(struct og_plan_s *plan, int code);
#endif
