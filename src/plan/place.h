/* Where the plan's memory lies: the host's, or a device's that the backend opened. */
#ifndef OG_PLACE_H
#define OG_PLACE_H
#include "plan/plan.h"

/* NULL where there is none. */
void *og_place_allocate(const struct og_plan_s *plan, size_t bytes);
void og_place_free(const struct og_plan_s *plan, void *memory);
int og_place_zero(const struct og_plan_s *plan, void *memory, size_t bytes) OG_MUST_CHECK;
int og_place_copy(const struct og_plan_s *plan, void *to, const void *from, size_t bytes) OG_MUST_CHECK;

/* The caller's array as the backend can use it: itself, or a copy in the slot's room (OG_SLOT_...) where the array is the
 * host's and the backend's memory is not. in: filled; out: to be filled by a stage and brought back. */
int og_place_in(og_plan plan, int slot, const void *array, size_t bytes, const void **at) OG_MUST_CHECK;
int og_place_out(og_plan plan, int slot, void *array, size_t bytes, void **at) OG_MUST_CHECK;
int og_place_back(og_plan plan, void *array, const void *at, size_t bytes) OG_MUST_CHECK;
/* What the slots hold. */
void og_place_release(og_plan plan);
#endif
