/* No instruction set in particular: 16-byte vectors, which every 64-bit processor has (SSE2, NEON). */
#define OG_SIMD generic
#define OG_SIMD_NAME "generic"
#define OG_SIMD_WIDEST 16   /* bytes of the vectors that rows are made of */
#define OG_SIMD_EVALUATE 16 /* bytes of the vectors that evaluate windows */
#define OG_SIMD_ADD 6       /* row vectors that spreading holds in registers, for two points */
#define OG_SIMD_TAKE 4      /* row vectors that interpolation sums in registers, for two planes */
