/* Memory where the plan's backend wants it, and the caller's arrays brought there. Where memory is the host's, everything
 * here is the C library's, and arrays are used where they lie. */
#include "plan/place.h"

#include <string.h>

#include "base/memory.h"

void *og_place_allocate(const struct og_plan_s *p, size_t bytes) {
  void *memory = NULL;
  if (!p->device)
    return og_allocate(bytes);
  return p->backend.allocate(p->device, bytes, &memory) ? NULL : memory;
}

void og_place_free(const struct og_plan_s *p, void *memory) {
  if (!p->device)
    og_free(memory);
  else if (memory)
    p->backend.release(p->device, memory);
}

int og_place_zero(const struct og_plan_s *p, void *memory, size_t bytes) {
  if (p->device)
    return p->backend.zero(p->device, memory, bytes);
  memset(memory, 0, bytes);
  return OG_OK;
}

int og_place_copy(const struct og_plan_s *p, void *to, const void *from, size_t bytes) {
  if (p->device)
    return p->backend.copy(p->device, to, from, bytes);
  memcpy(to, from, bytes);
  return OG_OK;
}

/* An empty array has no address on a device: what the caller gave may be the host's, which a device must not be told of. */
static void *unless_empty(const struct og_plan_s *p, const void *array, size_t bytes) {
  return p->device && !bytes ? NULL : (void *)array;
}

static int elsewhere(const struct og_plan_s *p, const void *array) {
  return p->device && array && p->backend.on_host(p->device, array);
}

/* Room for an array of the host's; kept for the next call. */
static int room(og_plan p, int slot, size_t bytes, void **at) {
  if (p->staged_bytes[slot] < bytes) {
    og_place_free(p, p->staged[slot]);
    p->staged_bytes[slot] = 0;
    p->staged[slot] = og_place_allocate(p, bytes);
    OG_CHECK(p->staged[slot], OG_ERR_MEMORY, "no device memory for an array of the host's (%zu bytes)", bytes);
    p->staged_bytes[slot] = bytes;
  }
  *at = p->staged[slot];
  return OG_OK;
}

int og_place_in(og_plan p, int slot, const void *array, size_t bytes, const void **at) {
  void *to = NULL;
  *at = unless_empty(p, array, bytes);
  if (!elsewhere(p, *at))
    return OG_OK;
  OG_TRY(room(p, slot, bytes, &to));
  *at = to;
  return p->backend.copy(p->device, to, array, bytes);
}

int og_place_out(og_plan p, int slot, void *array, size_t bytes, void **at) {
  *at = unless_empty(p, array, bytes);
  return elsewhere(p, *at) ? room(p, slot, bytes, at) : OG_OK;
}

int og_place_back(og_plan p, void *array, const void *at, size_t bytes) {
  return array == at || !bytes ? OG_OK : p->backend.copy(p->device, array, at, bytes);
}

void og_place_release(og_plan p) {
  for (int slot = 0; slot < OG_SLOTS; slot++)
    og_place_free(p, p->staged[slot]);
}
