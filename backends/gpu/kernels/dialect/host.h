/* The dialect in GNU C for the host: a group is one work item, groups run one after the other. What a GPU would forgive
 * or hide is made to show: local memory starts as NaNs, and its size is compared with what LOCAL_SIZE_OF said. */
#ifndef OG_DIALECT_H
#define OG_DIALECT_H

typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

typedef struct {
  float x, y;
} __attribute__((aligned(8))) float2;
typedef struct {
  float x, y, z, w;
} __attribute__((aligned(16))) float4;
typedef struct {
  double x, y;
} __attribute__((aligned(16))) double2;
typedef struct {
  double x, y, z, w;
} __attribute__((aligned(16))) double4;
#define OG_FLOAT2(a, b) ((float2){(a), (b)})
#define OG_FLOAT4(a, b, c, d) ((float4){(a), (b), (c), (d)})
#define OG_DOUBLE2(a, b) ((double2){(a), (b)})
#define OG_DOUBLE4(a, b, c, d) ((double4){(a), (b), (c), (d)})
#include "dialect/precision.h"

/* The driver finds kernels by this mark, takes it out, and adds a function that runs the groups (see drivers/host.c). */
#define KERNEL og_kernel_mark_
#define DEVICE static inline __attribute__((always_inline, unused))
#define GLOBAL
#define LOCAL
#define CONSTANT
#define RESTRICT __restrict__
#define CONSTANT_TABLE static const __attribute__((unused))
#define LAUNCH_BOUNDS(team, groups)
#define TABLE(type, name) const type name
#define T(name) (name)

/* Of the group that this thread runs; written by the driver's function. */
static _Thread_local struct {
  i64 id[3], count[3];
  u64 local_bytes;
} og_group_;

#define LOCAL_MEMORY(type, name)                                                                                       \
  type og_local_memory_ __attribute__((aligned(128)));                                                                 \
  og_group_.local_bytes = sizeof(type);                                                                                \
  LOCAL type *name = (type *)__builtin_memset(&og_local_memory_, 0xff, sizeof(type))
#define LOCAL_SIZE_OF(kernel, type)                                                                                    \
  __attribute__((visibility("default"))) const u64 og_local_bytes_##kernel = sizeof(type);

#define LOCAL_ID 0
#define TEAM 1
#define GROUP_ID(d) (og_group_.id[d])
#define GROUPS(d) (og_group_.count[d])
#define BARRIER() ((void)0)
#define SUBGROUP 1
#define LANE 0
#define SUBGROUP_BARRIER() ((void)0)
#define SUBGROUP_XOR(v, mask) ((void)(mask), (v))
#define SUBGROUP_UP(v, n) ((void)(n), (v))
#define SUBGROUP_GET(v, lane) ((void)(lane), (v))

#define UNROLL
#define UNROLL_N(n)
#define OPAQUE(i) __asm__ volatile("" : "+r"(i))
#define LOAD_STREAM(p) (*(p))

#define FMA(a, b, c) ((a) * (b) + (c))
#define CEIL(x) _Generic((x), float : __builtin_ceilf(x), default : __builtin_ceil(x))
#define FLOOR(x) _Generic((x), float : __builtin_floorf(x), default : __builtin_floor(x))

/* Atomics are true ones: several queues may run kernels at the same time. */
DEVICE void og_atomic_add_(real *p, real v) {
  real before, after;
  __atomic_load(p, &before, __ATOMIC_RELAXED);
  do
    after = before + v;
  while (!__atomic_compare_exchange(p, &before, &after, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
DEVICE void og_atomic_min_(u64 *p, u64 v) {
  u64 before = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (v < before && !__atomic_compare_exchange_n(p, &before, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}
#define ATOMIC_ADD(p, v) og_atomic_add_(p, v)
#define ATOMIC_ADD_U32(p, v) __atomic_fetch_add((u32 *)(p), (u32)(v), __ATOMIC_RELAXED)
#define ATOMIC_ADD_LOCAL_U32(p, v) __atomic_fetch_add((u32 *)(p), (u32)(v), __ATOMIC_RELAXED)
#define ATOMIC_MIN_U64(p, v) og_atomic_min_(p, v)

/* A constant number of bytes, 8 or 16; both ends aligned to it, as a GPU wants it. */
#define COPY_ASYNC(to, from, bytes)                                                                                    \
  ((void)__builtin_memcpy(__builtin_assume_aligned(to, bytes), __builtin_assume_aligned(from, bytes), bytes))
#define COPY_COMMIT() ((void)0)
#define COPY_WAIT(n) ((void)0)

#include "dialect/matrix_plain.h"
#endif
