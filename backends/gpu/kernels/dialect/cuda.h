/* The dialect for CUDA (NVRTC; nvcc as well), compute capability 7.5 and newer. The words are those of README.md. */
#ifndef OG_DIALECT_H
#define OG_DIALECT_H

typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define KERNEL extern "C" __global__
#define DEVICE static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define CONSTANT
#define RESTRICT __restrict__
#define CONSTANT_TABLE static __constant__ const
#define LAUNCH_BOUNDS(team, groups) __launch_bounds__(team, groups)
#define TABLE(type, name) const __grid_constant__ type name
#define T(name) (name)

/* Local memory is dynamic, because static arrays end at 48 KB; the driver reads its size from the variable. */
#define LOCAL_MEMORY(type, name)                                                                                       \
  extern __shared__ __align__(128) unsigned char og_local_memory[];                                                    \
  type *name = (type *)og_local_memory
#define LOCAL_SIZE_OF(kernel, type)                                                                                    \
  extern "C" {                                                                                                         \
  __device__ u32 og_local_bytes_##kernel = sizeof(type);                                                               \
  }

#define LOCAL_ID ((int)threadIdx.x)
#define TEAM ((int)blockDim.x)
#define GROUP_ID(d) ((i64)((d) == 0 ? blockIdx.x : (d) == 1 ? blockIdx.y : blockIdx.z))
#define GROUPS(d) ((i64)((d) == 0 ? gridDim.x : (d) == 1 ? gridDim.y : gridDim.z))
#define BARRIER() __syncthreads()
#define SUBGROUP 32
#define LANE (LOCAL_ID & 31)
#define SUBGROUP_BARRIER() __syncwarp()
#define SUBGROUP_XOR(v, mask) __shfl_xor_sync(0xffffffffu, v, mask)
#define SUBGROUP_UP(v, n) __shfl_up_sync(0xffffffffu, v, n)
#define SUBGROUP_GET(v, lane) __shfl_sync(0xffffffffu, v, lane)

#define UNROLL _Pragma("unroll")
#define OG_PRAGMA(text) _Pragma(#text)
#define UNROLL_N(n) OG_PRAGMA(unroll n)
#define OPAQUE(i) asm volatile("" : "+r"(i))
#define LOAD_STREAM(p) __ldcs(p)

#ifndef REAL_BYTES
#define REAL_BYTES 8
#endif
#ifndef ACC_BYTES
#define ACC_BYTES REAL_BYTES
#endif
#ifndef COORD_BYTES
#define COORD_BYTES REAL_BYTES
#endif
#if REAL_BYTES == 4
typedef float real;
typedef float2 real2;
typedef float4 real4;
#define MAKE_REAL2(a, b) make_float2(a, b)
#define MAKE_REAL4(a, b, c, d) make_float4(a, b, c, d)
#else
typedef double real;
typedef double2 real2;
struct __align__(16) real4 {
  double x, y, z, w;
};
#define MAKE_REAL2(a, b) make_double2(a, b)
#define MAKE_REAL4(a, b, c, d) (real4{a, b, c, d})
#endif
#if ACC_BYTES == 4
typedef float acc;
typedef float2 acc2;
#define MAKE_ACC2(a, b) make_float2(a, b)
#else
typedef double acc;
typedef double2 acc2;
#define MAKE_ACC2(a, b) make_double2(a, b)
#endif
#if COORD_BYTES == 4
typedef float coord;
#else
typedef double coord;
#endif

DEVICE float og_fma(float a, float b, float c) { return fmaf(a, b, c); }
DEVICE double og_fma(double a, double b, double c) { return fma(a, b, c); }
DEVICE float og_ceil(float x) { return ceilf(x); }
DEVICE double og_ceil(double x) { return ceil(x); }
DEVICE float og_floor(float x) { return floorf(x); }
DEVICE double og_floor(double x) { return floor(x); }
#define FMA(a, b, c) og_fma(a, b, c)
#define CEIL(x) og_ceil(x)
#define FLOOR(x) og_floor(x)

DEVICE void og_atomic_add(double *p, double v) {
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(p), "d"(v) : "memory");
}
DEVICE void og_atomic_add(float *p, float v) {
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory");
}
#define ATOMIC_ADD(p, v) og_atomic_add(p, v)
#define ATOMIC_ADD_U32(p, v) atomicAdd((u32 *)(p), (u32)(v))
#define ATOMIC_ADD_LOCAL_U32(p, v) atomicAdd((u32 *)(p), (u32)(v))
#define ATOMIC_MIN_U64(p, v) atomicMin((u64 *)(p), (u64)(v))

/* Copies of 8 or 16 bytes (a constant) from global to local memory that the asking thread can wait for. */
#if __CUDA_ARCH__ >= 800
DEVICE void og_copy_async(void *to, const void *from, int bytes) {
  u32 local = (u32)__cvta_generic_to_shared(to);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(local), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(local), "l"(from) : "memory");
}
#define COPY_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#else
DEVICE void og_copy_async(void *to, const void *from, int bytes) {
  if (bytes == 16)
    *(uint4 *)to = *(const uint4 *)from;
  else
    *(uint2 *)to = *(const uint2 *)from;
}
#define COPY_COMMIT() ((void)0)
#define COPY_WAIT(n) ((void)0)
#endif
#define COPY_ASYNC(to, from, bytes) og_copy_async(to, from, bytes)

/* Additions of many reals at once, optional words: see README.md. */
#if __CUDA_ARCH__ >= 900
#define ROW_ADD_GRANULE 16
DEVICE void og_row_add(double *to, const double *from, int n) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;" ::"l"(to),
               "r"((u32)__cvta_generic_to_shared(from)), "r"(n * 8)
               : "memory");
}
DEVICE void og_row_add(float *to, const float *from, int n) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
               "r"((u32)__cvta_generic_to_shared(from)), "r"(n * 4)
               : "memory");
}
#define ROW_ADD(to, from, n) og_row_add(to, from, n)
#define ROW_ADD_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define ROW_ADD_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define ROW_ADD_WAIT() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define ROW_ADD_FINISH() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#if REAL_BYTES == 4
#define ATOMIC_ADD_PAIR(p, a, b)                                                                                       \
  asm volatile("red.global.v2.f32.add [%0], {%1, %2};" ::"l"(p), "f"(a), "f"(b) : "memory")
#endif
#endif

/* Matrix fragments: the double-precision matrix units, where the arithmetic is double. Hopper has the 16 x 8 x 4
 * product at twice the rate of two of 8 x 8 x 4; the fragments lie the same way in both. */
#if ACC_BYTES != 4 && __CUDA_ARCH__ >= 800
#define MATRIX_LANES 32
#define MATRIX_COLUMNS 8
#define MATRIX_A_EACH 2
#define MATRIX_B_EACH 1
#define MATRIX_D_EACH 4
#define MATRIX_A_ROW(lane, e) (((lane) >> 2) + 8 * (e))
#define MATRIX_A_COL(lane, e) ((lane)&3)
#define MATRIX_B_ROW(lane, e) ((lane)&3)
#define MATRIX_B_COL(lane, e) ((lane) >> 2)
#define MATRIX_D_ROW(lane, e) (((lane) >> 2) + 8 * ((e) >> 1))
#define MATRIX_D_COL(lane, e) (2 * ((lane)&3) + ((e)&1))
DEVICE void og_matrix_fma(double *d, const double *a, const double *b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#else
  for (int h = 0; h < 2; h++)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[2 * h]), "+d"(d[2 * h + 1])
                 : "d"(a[h]), "d"(b[0]));
#endif
}
#define MATRIX_FMA(d, a, b) og_matrix_fma(d, a, b)
#else
#define OG_MATRIX_PLAIN 1
#endif
#if OG_MATRIX_PLAIN
#include "dialect/matrix_plain.h"
#endif
#endif
