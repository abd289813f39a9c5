/* AVX-512 F, VL, DQ, BW: 64-byte vectors, 32 registers; rows that three 32-byte vectors hold better than two of 64
 * bytes use those (Zen 4 stores 32 bytes a cycle: bytes count, not vectors). */
#define OG_SIMD avx512
#define OG_SIMD_NAME "avx512"
#define OG_SIMD_WIDEST 64
#define OG_SIMD_NARROW 32
#define OG_SIMD_EVALUATE 32
#define OG_SIMD_ADD 8
#define OG_SIMD_TAKE 8
