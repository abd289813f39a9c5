/* The host's dialect with the work items of a team as threads, in subgroups of 64 with the matrix instruction of AMD's CDNA, for
 * tests/gpu/lanes.h: every launch is made by TEAM_SIZE threads at once, each of which is a work item and goes through all
 * groups. The instruction is done as AMD documents it (dialect/matrix_mfma.h has the sources), not as our words see it. */
#include "dialect/host.h"
#include <pthread.h>

#undef LOCAL_MEMORY
#undef LOCAL_ID
#undef TEAM
#undef BARRIER
#undef SUBGROUP
#undef LANE
#undef SUBGROUP_BARRIER
#undef SUBGROUP_XOR
#undef SUBGROUP_UP
#undef SUBGROUP_GET

#define SUBGROUP 64
#define OG_SUBGROUPS ((TEAM_SIZE + SUBGROUP - 1) / SUBGROUP)

static pthread_barrier_t og_team_, og_subgroup_[OG_SUBGROUPS];
static int og_entered_;
static _Thread_local int og_item_ = -1; /* threads live for one launch */

__attribute__((constructor)) static void og_lanes_begin_(void) {
  pthread_barrier_init(&og_team_, 0, TEAM_SIZE);
  for (int i = 0; i < OG_SUBGROUPS; i++)
    pthread_barrier_init(&og_subgroup_[i], 0, i + 1 < OG_SUBGROUPS ? SUBGROUP : TEAM_SIZE - i * SUBGROUP);
}

static int og_lanes_item_(void) {
  if (og_item_ < 0)
    og_item_ = __atomic_fetch_add(&og_entered_, 1, __ATOMIC_RELAXED) % TEAM_SIZE;
  return og_item_;
}

#define LOCAL_ID (og_lanes_item_())
#define TEAM TEAM_SIZE
#define LANE (LOCAL_ID % SUBGROUP)
#define BARRIER() ((void)pthread_barrier_wait(&og_team_))
#define SUBGROUP_BARRIER() ((void)pthread_barrier_wait(&og_subgroup_[LOCAL_ID / SUBGROUP]))

#define LOCAL_MEMORY(type, name)                                                                                       \
  static type og_local_memory_ __attribute__((aligned(128)));                                                          \
  og_group_.local_bytes = sizeof(type);                                                                                \
  BARRIER();                                                                                                           \
  if (LOCAL_ID == 0)                                                                                                   \
    __builtin_memset(&og_local_memory_, 0xff, sizeof(type));                                                           \
  BARRIER();                                                                                                           \
  LOCAL type *name = &og_local_memory_

static u64 og_slots_[OG_SUBGROUPS][SUBGROUP];
static void og_exchange_(void *value, int bytes, int from) {
  u64 *slots = og_slots_[LOCAL_ID / SUBGROUP];
  __builtin_memcpy(&slots[LANE], value, bytes);
  SUBGROUP_BARRIER();
  __builtin_memcpy(value, &slots[from], bytes);
  SUBGROUP_BARRIER();
}
#define OG_FROM_(v, from)                                                                                              \
  ({                                                                                                                   \
    __typeof__(v) og_value_ = (v);                                                                                     \
    og_exchange_(&og_value_, sizeof og_value_, from);                                                                  \
    og_value_;                                                                                                         \
  })
#define SUBGROUP_XOR(v, mask) OG_FROM_(v, LANE ^ (mask))
#define SUBGROUP_UP(v, n) OG_FROM_(v, LANE < (n) ? LANE : LANE - (n))
#define SUBGROUP_GET(v, lane) OG_FROM_(v, lane)

#if ACC_BYTES != 4
#undef MATRIX_LANES
#undef MATRIX_COLUMNS
#undef MATRIX_A_EACH
#undef MATRIX_B_EACH
#undef MATRIX_D_EACH
#undef MATRIX_A_ROW
#undef MATRIX_A_COL
#undef MATRIX_B_ROW
#undef MATRIX_B_COL
#undef MATRIX_D_ROW
#undef MATRIX_D_COL
#undef MATRIX_FMA
static double og_operand_[OG_SUBGROUPS][2][64];
static void og_mfma_(double *d, double a, double b) {
  double(*in)[64] = og_operand_[LOCAL_ID / SUBGROUP];
  in[0][LANE] = a;
  in[1][LANE] = b;
  SUBGROUP_BARRIER();
  for (int e = 0; e < 4; e++)
    for (int k = 0; k < 4; k++) {
      const int i = 4 * e + LANE / 16, j = LANE % 16;
      d[e] += in[0][16 * k + i] * in[1][16 * k + j];
    }
  SUBGROUP_BARRIER();
}
#define MFMA_F64_16X16X4(d, a, b) og_mfma_(d, a, b)
#include "dialect/matrix_mfma.h"
#endif
