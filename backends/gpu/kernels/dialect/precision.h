/* The types that the precision macros choose, in dialects whose vectors are called double2 and float4 (host, OpenCL).
 * ACC_BYTES and COORD_BYTES default to REAL_BYTES, that to 8. */
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
#define MAKE_REAL2(a, b) OG_FLOAT2(a, b)
#define MAKE_REAL4(a, b, c, d) OG_FLOAT4(a, b, c, d)
#else
typedef double real;
typedef double2 real2;
typedef double4 real4;
#define MAKE_REAL2(a, b) OG_DOUBLE2(a, b)
#define MAKE_REAL4(a, b, c, d) OG_DOUBLE4(a, b, c, d)
#endif
#if ACC_BYTES == 4
typedef float acc;
typedef float2 acc2;
#define MAKE_ACC2(a, b) OG_FLOAT2(a, b)
#else
typedef double acc;
typedef double2 acc2;
#define MAKE_ACC2(a, b) OG_DOUBLE2(a, b)
#endif
#if COORD_BYTES == 4
typedef float coord;
#else
typedef double coord;
#endif
