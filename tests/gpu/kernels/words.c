/* Every word of the dialect, for tests/gpu/words.c, which knows what each kernel must write. */
#include "words.h"

/* ---- places: each group sums a stretch of `in` through local memory; one entry per work item says where it stood */

typedef struct sum_local {
  real part[1024];
  real4 last;
} sum_local;

KERNEL void LAUNCH_BOUNDS(256, 1)
    sum(const i64 n, GLOBAL const real *RESTRICT in, GLOBAL real *RESTRICT sums, GLOBAL i64 *RESTRICT places) {
  LOCAL_MEMORY(sum_local, s);
  const i64 group = GROUP_ID(0) + GROUPS(0) * (GROUP_ID(1) + GROUPS(1) * GROUP_ID(2));
  const i64 groups = GROUPS(0) * GROUPS(1) * GROUPS(2);
  real total = 0;
  for (i64 i = group * TEAM + LOCAL_ID; i < n; i += groups * TEAM)
    total += LOAD_STREAM(&in[i]);
  s->part[LOCAL_ID] = total;
  if (LOCAL_ID == 0)
    s->last = MAKE_REAL4((real)TEAM, 0, 0, (real)SUBGROUP);
  BARRIER();
  if (LOCAL_ID == TEAM - 1) {
    for (int i = 0; i < TEAM - 1; i++)
      total += s->part[i];
    sums[group] = total + s->last.w - SUBGROUP + (s->last.x - TEAM);
  }
  places[group * TEAM + LOCAL_ID] = group * TEAM + LOCAL_ID;
}
LOCAL_SIZE_OF(sum, sum_local)

/* ---- tables, types and arithmetic */

CONSTANT_TABLE i32 weights[4] = {1, 10, 100, 1000};

DEVICE acc square(acc x) { return x * x; }

KERNEL void arithmetic(TABLE(words_table, table), const i64 n, const coord x0, GLOBAL const real2 *RESTRICT in,
                       GLOBAL double *RESTRICT out) {
  int chosen = (int)T(table).n[1];
  OPAQUE(chosen);
  for (i64 i = GROUP_ID(0) * TEAM + LOCAL_ID; i < n; i += GROUPS(0) * TEAM) {
    acc a = 0;
    acc2 pair = MAKE_ACC2(in[i].x, in[i].y);
    real2 turned = MAKE_REAL2(-in[i].y, in[i].x);
    UNROLL
    for (int j = 0; j < 3; j++)
      a = FMA(a, pair.x, (acc)T(table).c[j]);
    UNROLL_N(2)
    for (int j = 0; j < 4; j++)
      a += square((acc)weights[j]);
    out[4 * i] = a;
    out[4 * i + 1] = CEIL(pair.y) - FLOOR(pair.y) + CEIL((real)1.5f);
    out[4 * i + 2] = turned.x + 2 * (double)turned.y;
    out[4 * i + 3] = chosen + (double)x0 + (double)sizeof(real) + 16 * (double)sizeof(acc) +
                     256 * (double)sizeof(coord) + 4096 * (double)(sizeof(u32) + sizeof(u64));
  }
}

/* ---- atomics: a histogram of in[] in 16 bins by weight, by number and by the lowest value */

typedef struct atomics_local {
  u32 count[16];
} atomics_local;

KERNEL void atomics(const i64 n, GLOBAL const u32 *RESTRICT in, GLOBAL real *sums, GLOBAL u32 *counts,
                    GLOBAL u64 *lowest, GLOBAL u32 *tickets) {
  LOCAL_MEMORY(atomics_local, s);
  for (int i = LOCAL_ID; i < 16; i += TEAM)
    s->count[i] = 0;
  BARRIER();
  for (i64 i = GROUP_ID(0) * TEAM + LOCAL_ID; i < n; i += GROUPS(0) * TEAM) {
    const u32 value = in[i], bin = value % 16;
    ATOMIC_ADD(&sums[bin], (real)(value % 64));
    ATOMIC_ADD_LOCAL_U32(&s->count[bin], 1);
    ATOMIC_MIN_U64(&lowest[bin], (u64)value << 32);
    tickets[ATOMIC_ADD_U32(&counts[16], 1)] = value;
  }
  BARRIER();
  for (int i = LOCAL_ID; i < 16; i += TEAM)
    ATOMIC_ADD_U32(&counts[i], s->count[i]);
}
LOCAL_SIZE_OF(atomics, atomics_local)

/* ---- lanes: in[] of a team goes through each exchange */

KERNEL void lanes(GLOBAL const u32 *RESTRICT in, GLOBAL u32 *RESTRICT out, GLOBAL acc *RESTRICT reals) {
  const i64 me = GROUP_ID(0) * TEAM + LOCAL_ID;
  const u32 v = in[me];
  out[4 * me] = SUBGROUP_XOR(v, SUBGROUP / 2);
  out[4 * me + 1] = SUBGROUP_UP(v, 1);
  out[4 * me + 2] = SUBGROUP_GET(v, SUBGROUP - 1);
  out[4 * me + 3] = LANE;
  SUBGROUP_BARRIER();
  reals[me] = SUBGROUP_XOR((acc)v, SUBGROUP - 1);
}

/* ---- copies to local memory, in two commits, each work item its own slots */

typedef struct copies_local {
  double2 pair[256];
  double single[256];
} copies_local;

KERNEL void copies(GLOBAL const double2 *RESTRICT pairs, GLOBAL const double *RESTRICT singles, GLOBAL double *out) {
  LOCAL_MEMORY(copies_local, s);
  const i64 me = GROUP_ID(0) * TEAM + LOCAL_ID;
  COPY_ASYNC(&s->pair[LOCAL_ID], &pairs[me], 16);
  COPY_COMMIT();
  COPY_ASYNC(&s->single[LOCAL_ID], &singles[me], 8);
  COPY_COMMIT();
  COPY_WAIT(1);
  const double first = s->pair[LOCAL_ID].x + 2 * s->pair[LOCAL_ID].y;
  COPY_WAIT(0);
  BARRIER();
  out[me] = first + 4 * s->single[TEAM - 1 - LOCAL_ID];
}
LOCAL_SIZE_OF(copies, copies_local)

/* ---- matrix: D += A B, one subgroup; B and D have room for 16 columns, and behind D stands how many there are */

#if ACC_BYTES != 4
KERNEL void matrix(GLOBAL const double *RESTRICT a, GLOBAL const double *RESTRICT b, GLOBAL double *RESTRICT d) {
  double ma[MATRIX_A_EACH], mb[MATRIX_B_EACH], md[MATRIX_D_EACH];
  const int lane = LOCAL_ID % MATRIX_LANES;
  for (int e = 0; e < MATRIX_A_EACH; e++)
    ma[e] = a[4 * MATRIX_A_ROW(lane, e) + MATRIX_A_COL(lane, e)];
  for (int e = 0; e < MATRIX_B_EACH; e++)
    mb[e] = b[16 * MATRIX_B_ROW(lane, e) + MATRIX_B_COL(lane, e)];
  for (int e = 0; e < MATRIX_D_EACH; e++)
    md[e] = d[16 * MATRIX_D_ROW(lane, e) + MATRIX_D_COL(lane, e)];
  BARRIER();
  MATRIX_FMA(md, ma, mb);
  if (LOCAL_ID < MATRIX_LANES)
    for (int e = 0; e < MATRIX_D_EACH; e++)
      d[16 * MATRIX_D_ROW(lane, e) + MATRIX_D_COL(lane, e)] = md[e];
  if (LOCAL_ID == 0)
    d[256] = MATRIX_COLUMNS;
}
#endif

/* ---- a planted race, for test_races.sh: a barrier is missing */

#if PLANT
KERNEL void race(GLOBAL u32 *out) {
  LOCAL_MEMORY(atomics_local, s);
  s->count[LOCAL_ID % 16] = (u32)LOCAL_ID;
  out[GROUP_ID(0) * TEAM + LOCAL_ID] = s->count[(LOCAL_ID + 1) % 16];
}
LOCAL_SIZE_OF(race, atomics_local)
#endif

/* ---- local memory past 48 KB */

typedef struct large_local {
  u32 slot[14000];
} large_local;

#if LARGE
KERNEL void large(GLOBAL u32 *out) {
  LOCAL_MEMORY(large_local, s);
  for (int i = LOCAL_ID; i < 14000; i += TEAM)
    s->slot[i] = (u32)i;
  BARRIER();
  if (LOCAL_ID == 0)
    for (int i = 0; i < 14000; i++)
      out[GROUP_ID(0)] += s->slot[13999 - i];
}
LOCAL_SIZE_OF(large, large_local)
#endif
