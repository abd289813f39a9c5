/* AVX2 and FMA: 32-byte vectors, 16 registers. Ports: two loads, two FMAs, one store a cycle. */
#define OG_SIMD avx2
#define OG_SIMD_NAME "avx2"
#define OG_SIMD_WIDEST 32
#define OG_SIMD_EVALUATE 32
#define OG_SIMD_ADD 6
#define OG_SIMD_TAKE 4
#define OG_SIMD_APART /* a store and the FMA before it get in each other's way (AMD): multiply, then add */
