/* The harness of the tests: one claim, its cases, checks that count, a printed seed.
 *
 * Each test is one small main: TEST_BEGIN(claim), loops over cases, test_end(). Everything is held in double: inputs are
 * rounded to the plan's precision first, so that the direct sum sees exactly what the plan sees. Options of every test:
 * --all (every combination instead of a sample; also OFFGRID_TEST_ALL=1), --part I/N (of these, one of N disjoint parts),
 * --seed N, --backend NAME, --verbose.
 * Exit codes: 0 passed, 1 failed, 77 all cases skipped. */
#ifndef OG_TESTS_COMMON_TEST
#define OG_TESTS_COMMON_TEST
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "offgrid.h"

#define TEST_UNUSED __attribute__((unused))

/* ---- state ---- */

static struct {
  const char *claim, *backend;
  uint64_t seed, state, samples;
  unsigned part, parts; /* part 0, ..., parts - 1 of the samples */
  int all, verbose;
  long checks, failures, cases, left_out, skips;
  char context[512];  /* the case that runs: printed with a failure */
  void *memory[4096]; /* of this case, freed by test_free */
  int n_memory;
  double start;
} test;

static TEST_UNUSED double test_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* splitmix64: good enough for data, the same on every machine */
static TEST_UNUSED uint64_t test_bits(void) {
  uint64_t z = (test.state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* in [-1, 1) */
static TEST_UNUSED double test_uniform(void) { return (double)(int64_t)test_bits() * 0x1p-63; }

/* in [low, high] */
static TEST_UNUSED int64_t test_integer(int64_t low, int64_t high) {
  return low + (int64_t)(test_bits() % (uint64_t)(high - low + 1));
}

/* Value of argument --name, or NULL. */
static TEST_UNUSED const char *test_argument(int argc, char **argv, const char *name) {
  for (int i = 1; i + 1 < argc && argv[i]; i++)
    if (!strcmp(argv[i], name))
      return argv[i + 1];
  return NULL;
}

static TEST_UNUSED void test_begin(int argc, char **argv, const char *claim) {
  const char *all = getenv("OFFGRID_TEST_ALL"), *seed = test_argument(argc, argv, "--seed");
  const char *part = test_argument(argc, argv, "--part");
  test.claim = claim;
  test.seed = seed ? strtoull(seed, NULL, 10) : 1;
  test.state = test.seed * 0x2545f4914f6cdd1du;
  test.backend = test_argument(argc, argv, "--backend");
  test.all = all && *all && strcmp(all, "0");
  for (int i = 1; i < argc && argv[i]; i++) {
    test.all |= !strcmp(argv[i], "--all");
    test.verbose |= !strcmp(argv[i], "--verbose");
  }
  if (part && (sscanf(part, "%u/%u", &test.part, &test.parts) != 2 || !test.part || test.part-- > test.parts)) {
    printf("--part %s is not I/N with 1 <= I <= N\n", part);
    exit(2);
  }
  test.start = test_now();
  printf("%s\nseed %llu\n", claim, (unsigned long long)test.seed);
}

static TEST_UNUSED int test_end(void) {
  printf("%ld cases (%ld left out), %ld checks, %ld failed, %ld skipped, %.1f s\n", test.cases, test.left_out,
         test.checks, test.failures, test.skips, test_now() - test.start);
  if (test.failures)
    return 1;
  return test.checks ? 0 : 77;
}

/* ---- checks ---- */

/* Names the case that runs now: a printf-like line, in the words of the bench program's problem string where it can be. */
static TEST_UNUSED __attribute__((format(printf, 1, 2))) void test_case(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(test.context, sizeof test.context, format, arguments);
  va_end(arguments);
  test.cases++;
  if (test.verbose)
    printf("case %s\n", test.context);
}

/* In a sampled run 1 of `among` cases is taken, at random; with --all each is, in one of the parts: scattered over them, so
 * that neighbours, which cost alike, go to different ones. */
static TEST_UNUSED int test_sample(int among) {
  int take = test_bits() % (uint64_t)among == 0 || test.all;
  if (test.parts)
    take &= (test.samples++ * 0x9e3779b97f4a7c15u >> 32) % test.parts == test.part;
  test.left_out += !take;
  return take;
}

static TEST_UNUSED __attribute__((format(printf, 4, 5))) int test_check(int ok, const char *file, int line,
                                                                        const char *format, ...) {
  test.checks++;
  if (ok)
    return 1;
  const char *slash = strrchr(file, '/');
  if (++test.failures <= 40) {
    va_list arguments;
    printf("FAIL %s:%d [%s] ", slash ? slash + 1 : file, line, test.context);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
#define CHECK(condition, ...) test_check(!!(condition), __FILE__, __LINE__, __VA_ARGS__)

/* a <= b, false for NaN. */
#define CHECK_AT_MOST(a, b, what)                                                                                      \
  do {                                                                                                                 \
    double a_ = (a), b_ = (b);                                                                                         \
    CHECK(a_ <= b_, "%s = %.3g, want at most %.3g", what, a_, b_);                                                     \
  } while (0)

static TEST_UNUSED int test_code(int got, int want, const char *file, int line, const char *call) {
  return test_check(got == want, file, line, "%s returned %d (%s: %s), want %d (%s)", call, got, og_error_text(got),
                    got ? og_last_error() : "", want, og_error_text(want));
}
#define CHECK_OK(call) test_code((call), OG_OK, __FILE__, __LINE__, #call)

/* The call returns the code, and its sentence has the word. */
#define CHECK_CODE(call, code, word)                                                                                   \
  do {                                                                                                                 \
    if (test_code((call), code, __FILE__, __LINE__, #call))                                                            \
      CHECK(strstr(og_last_error(), word), "%s: the sentence '%s' does not name '%s'", #call, og_last_error(), word);  \
  } while (0)

static TEST_UNUSED void test_skip(const char *reason) {
  printf("skip [%s] %s\n", test.context, reason);
  test.skips++;
}

/* ---- backends and precisions ---- */

/* Those of devices take seconds to compile a kernel: they run where --backend names them. */
static const char *const test_backends[] = {"ref", "cpu", "host", "cuda", "hip", "opencl", NULL};

static TEST_UNUSED int test_backend_wanted(const char *name) {
  if (test.backend ? strcmp(test.backend, name) != 0 : strcmp(name, "ref") && strcmp(name, "cpu"))
    return 0;
  int i = 0;
  while (og_backend_name(i) && strcmp(og_backend_name(i), name) != 0)
    i++;
  snprintf(test.context, sizeof test.context, "%s", name);
  const char *what = og_backend_name(i) ? og_backend_describe(i) : "no such backend in this build";
  if (og_backend_name(i) && !strstr(what, "no device") && !strstr(what, "; no FFT"))
    return 1;
  test_skip(what);
  return 0;
}

#define FOR_BACKENDS(b)                                                                                                \
  for (int b##_i = 0; test_backends[b##_i]; b##_i++)                                                                   \
    for (const char *b = test_backend_wanted(test_backends[b##_i]) ? test_backends[b##_i] : NULL; b; b = NULL)
#define FOR_PRECISIONS(p) for (int p = OG_F64; p <= OG_F32; p++)
#define FOR_VALUES(v) for (int v = OG_COMPLEX; v <= OG_REAL; v++)

static const char *const test_precision_name[] = {"f64", "f32"};
static const char *const test_values_name[] = {"complex", "real"};

/* Tolerances per precision. */
static const struct {
  double eps;      /* unit in the last place of 1 */
  double rounding; /* two ways to compute the same sum */
  double tight;    /* a tolerance within reach of every case: sigma 2, up to 100 modes */
} test_tolerance[] = {{0x1p-52, 2e-14, 1e-11}, {0x1p-23, 1e-5, 1e-4}};

/* ---- memory ---- */

static TEST_UNUSED void *test_keep(void *memory) {
  if (!memory || test.n_memory == sizeof test.memory / sizeof *test.memory) {
    printf("the test itself ran out of memory\n");
    exit(2);
  }
  return test.memory[test.n_memory++] = memory;
}

static TEST_UNUSED void test_free(void) {
  while (test.n_memory)
    free(test.memory[--test.n_memory]);
}

/* Zeroed doubles, until test_free. Exactly this size, so that the address sanitizer sees an overrun. */
static TEST_UNUSED double *test_doubles(int64_t n) { return test_keep(calloc(n > 0 ? (size_t)n : 1, sizeof(double))); }

static TEST_UNUSED size_t test_real_bytes(int precision) {
  return precision == OG_F32 ? sizeof(float) : sizeof(double);
}

/* An array of the precision with the values of x; without x: NaNs, so that what is not written shows. */
static TEST_UNUSED void *test_pack(const double *x, int64_t n, int precision) {
  void *packed = test_keep(malloc(n > 0 ? (size_t)n * test_real_bytes(precision) : 1));
  for (int64_t i = 0; i < n; i++)
    if (precision == OG_F32)
      ((float *)packed)[i] = x ? (float)x[i] : NAN;
    else
      ((double *)packed)[i] = x ? x[i] : (double)NAN;
  return packed;
}

static TEST_UNUSED double *test_unpack(const void *packed, int64_t n, int precision) {
  double *x = test_doubles(n);
  for (int64_t i = 0; i < n; i++)
    x[i] = precision == OG_F32 ? (double)((const float *)packed)[i] : ((const double *)packed)[i];
  return x;
}

static TEST_UNUSED double test_round(double x, int precision) { return precision == OG_F32 ? (double)(float)x : x; }

/* Random numbers in [-1, 1) that the precision holds exactly. */
static TEST_UNUSED double *test_random(int64_t n, int precision) {
  double *x = test_doubles(n);
  for (int64_t i = 0; i < n; i++)
    x[i] = test_round(test_uniform(), precision);
  return x;
}

/* ---- norms ---- */

static TEST_UNUSED double test_norm(const double *a, int64_t n) {
  long double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += (long double)a[i] * a[i];
  return (double)sqrtl(sum);
}

/* Relative l2 error of a against b; NaN where either holds one. */
static TEST_UNUSED double test_error(const double *a, const double *b, int64_t n) {
  long double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += ((long double)a[i] - b[i]) * ((long double)a[i] - b[i]);
  double norm = test_norm(b, n);
  return norm > 0 ? (double)sqrtl(sum) / norm : (double)sqrtl(sum);
}

static TEST_UNUSED int test_same_bits(const double *a, const double *b, int64_t n) {
  return n == 0 || !memcmp(a, b, (size_t)n * sizeof *a);
}

static TEST_UNUSED int test_compare_doubles(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Sorts x. */
static TEST_UNUSED double test_median(double *x, int64_t n) {
  qsort(x, (size_t)n, sizeof *x, test_compare_doubles);
  return n ? x[n / 2] : 0.0;
}
#endif
