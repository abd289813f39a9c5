/* Which kernels: the best instruction set that this processor has, or the one asked for. */
#include "points.h"

#include <string.h>

#define TABLES(isa)                                                                                                    \
  extern const og_cpu_kernels og_cpu_kernels_##isa##_f64_complex, og_cpu_kernels_##isa##_f64_real,                     \
      og_cpu_kernels_##isa##_f32_complex, og_cpu_kernels_##isa##_f32_real;
#define ROW(isa)                                                                                                       \
  {                                                                                                                    \
    {&og_cpu_kernels_##isa##_f64_complex, &og_cpu_kernels_##isa##_f64_real}, {                                         \
      &og_cpu_kernels_##isa##_f32_complex, &og_cpu_kernels_##isa##_f32_real                                            \
    }                                                                                                                  \
  }

TABLES(generic)
#ifdef OG_CPU_X86
TABLES(avx2)
TABLES(avx512)
static const og_cpu_kernels *const tables[][2][2] = {ROW(generic), ROW(avx2), ROW(avx512)};
#else
static const og_cpu_kernels *const tables[][2][2] = {ROW(generic)};
#endif
static const char *const names[] = {"generic", "avx2", "avx512"};

static int supported(int simd) {
#ifdef OG_CPU_X86
  __builtin_cpu_init();
  if (simd == OG_CPU_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (simd == OG_CPU_AVX512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma");
#endif
  return simd == OG_CPU_GENERIC;
}

static int best(void) {
  int simd = (int)(sizeof tables / sizeof *tables) - 1;
  while (simd > 0 && !supported(simd))
    simd--;
  return simd;
}

const char *og_cpu_simd_best(void) { return names[best()]; }

const og_cpu_kernels *og_cpu_kernels_find(const char *simd, int precision, int values) {
  if (!simd || !strcmp(simd, "auto"))
    return tables[best()][precision][values];
  for (int i = 0; i < (int)(sizeof tables / sizeof *tables); i++)
    if (!strcmp(simd, names[i]) && supported(i))
      return tables[i][precision][values];
  return NULL;
}
