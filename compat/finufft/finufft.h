/* FINUFFT's C interface (versions 2.5 and 2.6) as libfinufft.so of this project offers it, in our own words.
 *
 * Programs compiled with FINUFFT's own headers run with this library unchanged: same names, argument lists, options
 * struct and codes. This header is for programs that have no FINUFFT at hand. docs/finufft.md says what differs.
 * Types 1 and 3 use exp(+i isign k.x) from c to f, type 2 the same from f to c; nothing is normalised; modes as in
 * offgrid.h, x fastest. Every array is of the function's own precision: finufft is double, finufftf float. */
#ifndef FINUFFT_H
#define FINUFFT_H

#include <stdint.h>

#ifdef __cplusplus
#include <complex>
#define FINUFFT_COMPLEX(real) std::complex<real>
extern "C" {
#else
#define FINUFFT_COMPLEX(real) real _Complex
#endif

#if defined(__GNUC__)
#define FINUFFT_API __attribute__((visibility("default")))
#else
#define FINUFFT_API
#endif

/* The order and types are FINUFFT's ABI. Version 2.5 has padding where allow_eps_too_small is. */
typedef struct finufft_opts {
  int modeord;                   /* 0: modes ascending, 1: FFT order; not for type 3 */
  int spreadinterponly;          /* 1: spreading (type 1) or interpolation (type 2) alone, on a grid of n_modes cells */
  int debug;                     /* >= 1: what was chosen and where the time went, on stdout */
  int spread_debug;              /* as debug */
  int showwarn;                  /* 0: no warnings on stderr */
  int nthreads;                  /* 0: as many as OpenMP gives */
  int fftw;                      /* FINUFFT_FFT_DEFAULT, or FFTW's flags: of them only "estimate or more" counts */
  int spread_sort;               /* ignored: points are always sorted */
  int spread_kerevalmeth;        /* ignored (deprecated) */
  int spread_kerpad;             /* ignored (deprecated) */
  double upsampfac;              /* > 1: oversampling of the fine grid, 0: chosen */
  int spread_thread;             /* ignored (deprecated) */
  int maxbatchsize;              /* ignored: a batch needs one grid whatever its length */
  int spread_nthr_atomic;        /* ignored */
  int spread_max_sp_size;        /* ignored */
  int spread_kerformula;         /* 0, 7, 8 or 9; one window serves them all */
  int allow_eps_too_small;       /* 1: a tolerance below machine epsilon is raised to it; 0: it is an error */
  void (*fftw_lock_fun)(void *); /* both or none: called around everything that may plan FFTs */
  void (*fftw_unlock_fun)(void *);
  void *fftw_lock_data;
} finufft_opts;

FINUFFT_API extern const int FINUFFT_FFT_DEFAULT;

/* Return codes; 0 is success. Those marked (never) are not returned by this library. */
enum {
  FINUFFT_WARN_EPS_TOO_SMALL = 1,          /* (never as a warning); finufft_destroy of a null plan returns it */
  FINUFFT_ERR_MAXNALLOC = 2,               /* a size is too large, or overflows */
  FINUFFT_ERR_SPREAD_BOX_SMALL = 3,        /* spreadinterponly: the grid is narrower than the window needs */
  FINUFFT_ERR_SPREAD_PTS_OUT_RANGE = 4,    /* (never) any finite coordinate is folded */
  FINUFFT_ERR_SPREAD_ALLOC = 5,            /* (never) */
  FINUFFT_ERR_SPREAD_DIR = 6,              /* (never) */
  FINUFFT_ERR_UPSAMPFAC_TOO_SMALL = 7,     /* upsampfac is neither 0 nor > 1 */
  FINUFFT_ERR_HORNER_WRONG_BETA = 8,       /* (never) */
  FINUFFT_ERR_NTRANS_NOTVALID = 9,         /* ntrans < 1 */
  FINUFFT_ERR_TYPE_NOTVALID = 10,          /* type is not 1, 2 or 3 */
  FINUFFT_ERR_ALLOC = 11,                  /* out of memory */
  FINUFFT_ERR_DIM_NOTVALID = 12,           /* dim is not 1, 2 or 3 */
  FINUFFT_ERR_SPREAD_THREAD_NOTVALID = 13, /* (never) */
  FINUFFT_ERR_NDATA_NOTVALID = 14,         /* a number of modes is negative */
  FINUFFT_ERR_CUDA_FAILURE = 15,           /* (never) */
  FINUFFT_ERR_PLAN_NOTVALID = 16,          /* the plan is null or was made useless by an earlier failure */
  FINUFFT_ERR_METHOD_NOTVALID = 17,        /* (never) */
  FINUFFT_ERR_BINSIZE_NOTVALID = 18,       /* (never) */
  FINUFFT_ERR_INSUFFICIENT_SHMEM = 19,     /* (never) */
  FINUFFT_ERR_NUM_NU_PTS_INVALID = 20,     /* a number of points is negative or above 1e14 */
  FINUFFT_ERR_INVALID_ARGUMENT = 21,       /* NaN or infinite coordinate or tolerance, null array, no setpts yet */
  FINUFFT_ERR_LOCK_FUNS_INVALID = 22,      /* one lock function without the other */
  FINUFFT_ERR_NTHREADS_NOTVALID = 23,      /* nthreads > 4096 */
  FINUFFT_ERR_KERFORMULA_NOTVALID = 24,    /* spread_kerformula is not 0, 7, 8 or 9 */
  FINUFFT_ERR_UNKNOWN_EXCEPTION = 25,      /* anything else; stderr has the sentence */
  FINUFFT_ERR_EPS_TOO_SMALL = 26,          /* the tolerance is below machine epsilon */
  FINUFFT_ERR_PSWF_SETUP = 27              /* (never) */
};

/* The 24 functions of one precision. n1, n2, n3: modes, x first. opts may be NULL. The functions without "many" do one
 * vector. A plan may be executed by several threads at once (one waits for the other). */
#define FINUFFT_DECLARE(name, real, complex)                                                                           \
  typedef struct name##_plan_s *name##_plan;                                                                           \
  FINUFFT_API void name##_default_opts(finufft_opts *opts);                                                            \
  FINUFFT_API int name##_makeplan(int type, int dim, const int64_t *n_modes, int isign, int ntrans, real eps,          \
                                  name##_plan *plan, const finufft_opts *opts);                                        \
  FINUFFT_API int name##_setpts(name##_plan plan, int64_t nj, const real *x, const real *y, const real *z, int64_t nk, \
                                const real *s, const real *t, const real *u);                                          \
  FINUFFT_API int name##_execute(name##_plan plan, complex *c, complex *f);                                            \
  FINUFFT_API int name##_execute_adjoint(name##_plan plan, complex *c, complex *f);                                    \
  FINUFFT_API int name##_destroy(name##_plan plan);                                                                    \
  FINUFFT_API int name##1d1(int64_t nj, const real *x, const complex *c, int isign, real eps, int64_t n1, complex *f,  \
                            const finufft_opts *opts);                                                                 \
  FINUFFT_API int name##1d1many(int ntrans, int64_t nj, const real *x, const complex *c, int isign, real eps,          \
                                int64_t n1, complex *f, const finufft_opts *opts);                                     \
  FINUFFT_API int name##1d2(int64_t nj, const real *x, complex *c, int isign, real eps, int64_t n1, const complex *f,  \
                            const finufft_opts *opts);                                                                 \
  FINUFFT_API int name##1d2many(int ntrans, int64_t nj, const real *x, complex *c, int isign, real eps, int64_t n1,    \
                                const complex *f, const finufft_opts *opts);                                           \
  FINUFFT_API int name##1d3(int64_t nj, const real *x, const complex *c, int isign, real eps, int64_t nk,              \
                            const real *s, complex *f, const finufft_opts *opts);                                      \
  FINUFFT_API int name##1d3many(int ntrans, int64_t nj, const real *x, const complex *c, int isign, real eps,          \
                                int64_t nk, const real *s, complex *f, const finufft_opts *opts);                      \
  FINUFFT_API int name##2d1(int64_t nj, const real *x, const real *y, const complex *c, int isign, real eps,           \
                            int64_t n1, int64_t n2, complex *f, const finufft_opts *opts);                             \
  FINUFFT_API int name##2d1many(int ntrans, int64_t nj, const real *x, const real *y, const complex *c, int isign,     \
                                real eps, int64_t n1, int64_t n2, complex *f, const finufft_opts *opts);               \
  FINUFFT_API int name##2d2(int64_t nj, const real *x, const real *y, complex *c, int isign, real eps, int64_t n1,     \
                            int64_t n2, const complex *f, const finufft_opts *opts);                                   \
  FINUFFT_API int name##2d2many(int ntrans, int64_t nj, const real *x, const real *y, complex *c, int isign, real eps, \
                                int64_t n1, int64_t n2, const complex *f, const finufft_opts *opts);                   \
  FINUFFT_API int name##2d3(int64_t nj, const real *x, const real *y, const complex *c, int isign, real eps,           \
                            int64_t nk, const real *s, const real *t, complex *f, const finufft_opts *opts);           \
  FINUFFT_API int name##2d3many(int ntrans, int64_t nj, const real *x, const real *y, const complex *c, int isign,     \
                                real eps, int64_t nk, const real *s, const real *t, complex *f,                        \
                                const finufft_opts *opts);                                                             \
  FINUFFT_API int name##3d1(int64_t nj, const real *x, const real *y, const real *z, const complex *c, int isign,      \
                            real eps, int64_t n1, int64_t n2, int64_t n3, complex *f, const finufft_opts *opts);       \
  FINUFFT_API int name##3d1many(int ntrans, int64_t nj, const real *x, const real *y, const real *z, const complex *c, \
                                int isign, real eps, int64_t n1, int64_t n2, int64_t n3, complex *f,                   \
                                const finufft_opts *opts);                                                             \
  FINUFFT_API int name##3d2(int64_t nj, const real *x, const real *y, const real *z, complex *c, int isign, real eps,  \
                            int64_t n1, int64_t n2, int64_t n3, const complex *f, const finufft_opts *opts);           \
  FINUFFT_API int name##3d2many(int ntrans, int64_t nj, const real *x, const real *y, const real *z, complex *c,       \
                                int isign, real eps, int64_t n1, int64_t n2, int64_t n3, const complex *f,             \
                                const finufft_opts *opts);                                                             \
  FINUFFT_API int name##3d3(int64_t nj, const real *x, const real *y, const real *z, const complex *c, int isign,      \
                            real eps, int64_t nk, const real *s, const real *t, const real *u, complex *f,             \
                            const finufft_opts *opts);                                                                 \
  FINUFFT_API int name##3d3many(int ntrans, int64_t nj, const real *x, const real *y, const real *z, const complex *c, \
                                int isign, real eps, int64_t nk, const real *s, const real *t, const real *u,          \
                                complex *f, const finufft_opts *opts);

FINUFFT_DECLARE(finufft, double, FINUFFT_COMPLEX(double))
FINUFFT_DECLARE(finufftf, float, FINUFFT_COMPLEX(float))

#ifdef __cplusplus
}
#endif
#endif
