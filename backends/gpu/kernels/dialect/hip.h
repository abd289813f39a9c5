/* The dialect for HIP (hipRTC, hipcc) on AMD's devices. The words are those of README.md. */
#ifndef OG_DIALECT_H
#define OG_DIALECT_H

typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define OG_FLOAT2(a, b) make_float2(a, b)
#define OG_FLOAT4(a, b, c, d) make_float4(a, b, c, d)
#define OG_DOUBLE2(a, b) make_double2(a, b)
#define OG_DOUBLE4(a, b, c, d) make_double4(a, b, c, d)
#include "dialect/precision.h"

#if defined __GFX9__
#define SUBGROUP 64
#else
#define SUBGROUP 32
#endif

#define KERNEL extern "C" __global__
#define DEVICE static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define CONSTANT
#define RESTRICT __restrict__
#define CONSTANT_TABLE static __constant__ const
/* The second number counts subgroups on one of a unit's four SIMDs here. */
#define LAUNCH_BOUNDS(team, groups) __launch_bounds__(team, ((groups) * (team) + 4 * SUBGROUP - 1) / (4 * SUBGROUP))
#define TABLE(type, name) const type name
#define T(name) (name)

#define LOCAL_MEMORY(type, name)                                                                                       \
  extern __shared__ __attribute__((aligned(128))) unsigned char og_local_memory[];                                     \
  type *name = (type *)og_local_memory
#define LOCAL_SIZE_OF(kernel, type)                                                                                    \
  extern "C" {                                                                                                         \
  __device__ __attribute__((used)) u32 og_local_bytes_##kernel = sizeof(type);                                         \
  }

#define LOCAL_ID ((int)threadIdx.x)
#define TEAM ((int)blockDim.x)
#define GROUP_ID(d) ((i64)((d) == 0 ? blockIdx.x : (d) == 1 ? blockIdx.y : blockIdx.z))
#define GROUPS(d) ((i64)((d) == 0 ? gridDim.x : (d) == 1 ? gridDim.y : gridDim.z))
#define BARRIER() __syncthreads()
#define LANE (LOCAL_ID & (SUBGROUP - 1))
#define SUBGROUP_BARRIER()                                                                                             \
  do {                                                                                                                 \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");                                                             \
    __builtin_amdgcn_wave_barrier();                                                                                   \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");                                                             \
  } while (0)
#define SUBGROUP_XOR(v, mask) __shfl_xor(v, mask)
#define SUBGROUP_UP(v, n) __shfl_up(v, n)
#define SUBGROUP_GET(v, lane) __shfl(v, lane)

#define OG_PRAGMA(text) _Pragma(#text)
#define UNROLL OG_PRAGMA(unroll)
#define UNROLL_N(n) OG_PRAGMA(unroll n)
#define OPAQUE(i) asm volatile("" : "+v"(i))
#define LOAD_STREAM(p) (*(p))

DEVICE float og_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE double og_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
DEVICE float og_ceil(float x) { return __builtin_ceilf(x); }
DEVICE double og_ceil(double x) { return __builtin_ceil(x); }
DEVICE float og_floor(float x) { return __builtin_floorf(x); }
DEVICE double og_floor(double x) { return __builtin_floor(x); }
#define FMA(a, b, c) og_fma(a, b, c)
#define CEIL(x) og_ceil(x)
#define FLOOR(x) og_floor(x)

/* With -munsafe-fp-atomics these are native where the device has them; plain atomicAdd is not. */
#define OG_ATOMIC_ADD(p, v) __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define ATOMIC_ADD(p, v) ((void)OG_ATOMIC_ADD(p, v))
#define ATOMIC_ADD_U32(p, v) OG_ATOMIC_ADD((u32 *)(p), (u32)(v))
#define ATOMIC_ADD_LOCAL_U32(p, v)                                                                                     \
  __hip_atomic_fetch_add((u32 *)(p), (u32)(v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)
#define ATOMIC_MIN_U64(p, v)                                                                                           \
  ((void)__hip_atomic_fetch_min((u64 *)(p), (u64)(v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))

DEVICE void og_copy(void *to, const void *from, int bytes) {
  ((u64 *)to)[0] = ((const u64 *)from)[0];
  if (bytes == 16)
    ((u64 *)to)[1] = ((const u64 *)from)[1];
}
#define COPY_ASYNC(to, from, bytes) og_copy(to, from, bytes)
#define COPY_COMMIT() ((void)0)
#define COPY_WAIT(n) ((void)0)

#if ACC_BYTES != 4 && (defined __gfx90a__ || defined __gfx940__ || defined __gfx941__ || defined __gfx942__)
typedef double og_double4_ __attribute__((ext_vector_type(4)));
DEVICE void og_mfma_(double *d, double a, double b) {
  og_double4_ sum = {d[0], d[1], d[2], d[3]};
  sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, sum, 0, 0, 0);
  UNROLL for (int e = 0; e < 4; e++) d[e] = sum[e];
}
#define MFMA_F64_16X16X4(d, a, b) og_mfma_(d, a, b)
#include "dialect/matrix_mfma.h"
#else
#include "dialect/matrix_plain.h"
#endif
#endif
