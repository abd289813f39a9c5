/* The dialect in OpenCL C 1.2 with double precision and 64-bit atomics. Sub-groups are not counted on: each work item is
 * one of its own, and matrix products are plain C. */
#ifndef OG_DIALECT_H
#define OG_DIALECT_H
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

/* OpenCL reserves these words without underscores, too; kernels may use them as names. */
#define half half_
#define kernel kernel_
#define global global_
#define local local_
#define private private_
#define constant constant_
#define generic generic_
#define pipe pipe_

typedef int i32;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;

#define OG_FLOAT2(a, b) ((float2)((float)(a), (float)(b)))
#define OG_FLOAT4(a, b, c, d) ((float4)((float)(a), (float)(b), (float)(c), (float)(d)))
#define OG_DOUBLE2(a, b) ((double2)((double)(a), (double)(b)))
#define OG_DOUBLE4(a, b, c, d) ((double4)((double)(a), (double)(b), (double)(c), (double)(d)))
#include "dialect/precision.h"

#define KERNEL __kernel
#define DEVICE static inline __attribute__((always_inline))
#define GLOBAL __global
#define LOCAL __local
#define CONSTANT __constant
#define RESTRICT restrict
#define CONSTANT_TABLE __constant
#define LAUNCH_BOUNDS(team, groups)
#define TABLE(type, name) __constant type *name
#define T(name) (*name)

#define LOCAL_MEMORY(type, name)                                                                                       \
  __local type og_local_memory_;                                                                                       \
  LOCAL type *name = &og_local_memory_
#define LOCAL_SIZE_OF(kernel, type)

#define LOCAL_ID ((int)get_local_id(0))
#define TEAM ((int)get_local_size(0))
#define GROUP_ID(d) ((i64)get_group_id(d))
#define GROUPS(d) ((i64)get_num_groups(d))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SUBGROUP 1
#define LANE 0
#define SUBGROUP_BARRIER()
#define SUBGROUP_XOR(v, mask) ((void)(mask), (v))
#define SUBGROUP_UP(v, n) ((void)(n), (v))
#define SUBGROUP_GET(v, lane) ((void)(lane), (v))

#define OG_PRAGMA(text) _Pragma(#text)
#define UNROLL OG_PRAGMA(unroll)
#define UNROLL_N(n) OG_PRAGMA(unroll n)
#define OPAQUE(i) ((void)0)
#define LOAD_STREAM(p) (*(p))

#define FMA(a, b, c) fma(a, b, c)
#define CEIL(x) ceil(x)
#define FLOOR(x) floor(x)

/* A sum is a loop around compare-and-swap; NVIDIA's compiler takes PTX, which has it native. A race detector takes the first, plain
 * read for a race: under it the loop starts from a guess instead. */
#if OG_NVIDIA
#if REAL_BYTES == 4
DEVICE void og_atomic_add_(GLOBAL real *p, real v) {
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory");
}
#else
DEVICE void og_atomic_add_(GLOBAL real *p, real v) {
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(p), "d"(v) : "memory");
}
#endif
#else
#if REAL_BYTES == 4
#define OG_BITS u32
#define OG_AS_BITS as_uint
#define OG_AS_REAL as_float
#define OG_SWAP atomic_cmpxchg
#else
#define OG_BITS u64
#define OG_AS_BITS as_ulong
#define OG_AS_REAL as_double
#define OG_SWAP atom_cmpxchg
#endif
DEVICE void og_atomic_add_(GLOBAL real *p, real v) {
  volatile GLOBAL OG_BITS *bits = (volatile GLOBAL OG_BITS *)p;
#if OG_RACE_CHECK
  OG_BITS now = 0, before;
#else
  OG_BITS now = *bits, before;
#endif
  do {
    before = now;
    now = OG_SWAP(bits, before, OG_AS_BITS(OG_AS_REAL(before) + v));
  } while (now != before);
}
#endif
DEVICE void og_atomic_min_(GLOBAL u64 *p, u64 v) {
  volatile GLOBAL u64 *word = (volatile GLOBAL u64 *)p;
#if OG_RACE_CHECK
  u64 now = ~(u64)0, before;
#else
  u64 now = *word, before;
#endif
  do {
    before = now;
    now = atom_cmpxchg(word, before, v < before ? v : before);
  } while (now != before);
}
#define ATOMIC_ADD(p, v) og_atomic_add_(p, v)
#define ATOMIC_ADD_U32(p, v) atomic_add((volatile GLOBAL u32 *)(p), (u32)(v))
#define ATOMIC_ADD_LOCAL_U32(p, v) atomic_add((volatile LOCAL u32 *)(p), (u32)(v))
#define ATOMIC_MIN_U64(p, v) og_atomic_min_(p, v)

#define COPY_ASYNC(to, from, bytes)                                                                                    \
  do {                                                                                                                 \
    LOCAL u64 *og_to_ = (LOCAL u64 *)(to);                                                                             \
    GLOBAL const u64 *og_from_ = (GLOBAL const u64 *)(from);                                                           \
    og_to_[0] = og_from_[0];                                                                                           \
    if ((bytes) == 16)                                                                                                 \
      og_to_[1] = og_from_[1];                                                                                         \
  } while (0)
#define COPY_COMMIT() ((void)0)
#define COPY_WAIT(n) ((void)0)

#include "dialect/matrix_plain.h"
#endif
