/* C11's CMPLX for compilers whose C library leaves it out (clang with older versions of glibc): included by force where a
 * check at configure time finds it missing, because it must not pull in a header before a source's feature macros. */
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
#define CMPLXL(x, y) __builtin_complex((long double)(x), (long double)(y))
