/* Options from structs, text and the environment; one table (OG_OPTIONS_TABLE) says what there is. */
#include "plan/options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"

/* Words that stand for the values of enumerated options. */
static const struct {
  const char *option, *word;
  int value;
} words[] = {
    {"precision", "f64", OG_F64},
    {"precision", "f32", OG_F32},
    {"values", "complex", OG_COMPLEX},
    {"values", "real", OG_REAL},
    {"mode_order", "ascending", OG_ORDER_ASCENDING},
    {"mode_order", "fft", OG_ORDER_FFT},
    {"evaluation", "polynomial", OG_EVALUATE_POLYNOMIAL},
    {"evaluation", "direct", OG_EVALUATE_DIRECT},
    {"storage", "auto", OG_STORE_AUTO},
    {"storage", "copy", OG_STORE_COPY},
    {"storage", "index", OG_STORE_INDEX},
    {"fft_planning", "auto", OG_FFT_AUTO},
    {"fft_planning", "estimate", OG_FFT_ESTIMATE},
    {"fft_planning", "measure", OG_FFT_MEASURE},
};
enum { N_WORDS = sizeof words / sizeof *words };

static int parse_int64_t(const char *name, const char *text, int64_t *value) {
  char *end;
  errno = 0;
  double d = strtod(text, &end); /* so that 2e6 is a count */
  OG_CHECK(end != text && !*end && d == floor(d) && fabs(d) < 9e15, OG_ERR_OPTION,
           "option %s = '%s': want a whole number", name, text);
  *value = (int64_t)d;
  return OG_OK;
}

static int parse_int(const char *name, const char *text, int *value) {
  int enumerated = 0;
  char allowed[128] = "";
  for (int i = 0; i < N_WORDS; i++)
    if (!strcmp(words[i].option, name)) {
      if (!strcmp(words[i].word, text)) {
        *value = words[i].value;
        return OG_OK;
      }
      enumerated = 1;
      strncat(allowed, " ", sizeof allowed - strlen(allowed) - 1);
      strncat(allowed, words[i].word, sizeof allowed - strlen(allowed) - 1);
    }
  OG_CHECK(!enumerated, OG_ERR_OPTION, "option %s = '%s': want one of%s", name, text, allowed);
  int64_t wide = 0;
  OG_TRY(parse_int64_t(name, text, &wide));
  OG_CHECK(wide >= -2147483647 && wide <= 2147483647, OG_ERR_OPTION, "option %s = '%s': too large", name, text);
  *value = (int)wide;
  return OG_OK;
}

static int parse_double(const char *name, const char *text, double *value) {
  char *end;
  double d = strtod(text, &end);
  OG_CHECK(end != text && !*end, OG_ERR_OPTION, "option %s = '%s': want a number", name, text);
  *value = d;
  return OG_OK;
}

static int parse_text(const char *name, const char *text, const char **value) {
  (void)name;
  *value = text;
  return OG_OK;
}

#define PARSE(name, text, field)                                                                                       \
  _Generic(*(field), double: parse_double, int: parse_int, int64_t: parse_int64_t, const char *: parse_text)(          \
      name, text, (void *)(field))

int og_options_set(og_options *options, const char *name, const char *value) {
  OG_CHECK(options && name && value, OG_ERR_NULL, "options, name and value must not be null");
#define OG_OPTION_SET(type, field, initial, doc)                                                                       \
  if (!strcmp(name, #field))                                                                                           \
    return PARSE(name, value, &options->field);
  OG_OPTIONS_TABLE(OG_OPTION_SET)
#undef OG_OPTION_SET
  OG_FAIL(OG_ERR_OPTION, "no option is called '%s'; `offgrid info --options` lists them", name);
}

static void print_double(char *text, size_t bytes, const char *name, double value) {
  (void)name;
  snprintf(text, bytes, "%g", value);
}
static void print_int64_t(char *text, size_t bytes, const char *name, int64_t value) {
  (void)name;
  snprintf(text, bytes, "%" PRId64, value);
}
static void print_int(char *text, size_t bytes, const char *name, int value) {
  for (int i = 0; i < N_WORDS; i++)
    if (!strcmp(words[i].option, name) && words[i].value == value) {
      snprintf(text, bytes, "%s", words[i].word);
      return;
    }
  snprintf(text, bytes, "%d", value);
}
static void print_text(char *text, size_t bytes, const char *name, const char *value) {
  (void)name;
  snprintf(text, bytes, "%s", value);
}
#define PRINT(text, bytes, name, value)                                                                                \
  _Generic((value), double: print_double, int: print_int, int64_t: print_int64_t, const char *: print_text)(           \
      text, bytes, name, value)

void og_options_list(void (*visit)(const char *name, const char *value, const char *doc, void *context),
                     void *context) {
  if (!visit)
    return;
  og_options defaults = OG_OPTIONS_DEFAULT;
  char text[64];
#define OG_OPTION_VISIT(type, name, value, doc)                                                                        \
  PRINT(text, sizeof text, #name, defaults.name);                                                                      \
  visit(#name, text, doc, context);
  OG_OPTIONS_TABLE(OG_OPTION_VISIT)
#undef OG_OPTION_VISIT
}

static int same_double(double a, double b) { return a == b; }
static int same_int(int a, int b) { return a == b; }
static int same_int64_t(int64_t a, int64_t b) { return a == b; }
static int same_text(const char *a, const char *b) { return !strcmp(a, b); }
#define SAME(a, b)                                                                                                     \
  _Generic((a), double : same_double, int : same_int, int64_t : same_int64_t, const char * : same_text)(a, b)

static int never_double(double a) { return (void)a, 0; }
static int never_int(int a) { return (void)a, 0; }
static int never_int64_t(int64_t a) { return (void)a, 0; }
static int null_text(const char *a) { return !a; }
#define IS_NULL(a)                                                                                                     \
  _Generic((a), double : never_double, int : never_int, int64_t : never_int64_t, const char * : null_text)(a)

static int check_flag(const char *name, int value, int low, int high) {
  OG_CHECK(value >= low && value <= high, OG_ERR_OPTION, "option %s = %d: want %d to %d", name, value, low, high);
  return OG_OK;
}

static int check_team(const char *name, int value) {
  OG_CHECK(value == 1 || (value >= 0 && value <= 1024 && value % 32 == 0), OG_ERR_OPTION,
           "option %s = %d: want a multiple of 32 up to 1024, 1, or 0 for the method's", name, value);
  return OG_OK;
}

static int check_period(const char *name, double value) {
  OG_CHECK(value == 0 || (value >= 1e-100 && value <= 1e100), OG_ERR_OPTION,
           "option %s = %g: want a length in 1e-100 to 1e100, or 0 for 2 pi", name, value);
  return OG_OK;
}

static int check(const og_options *o) {
  OG_CHECK(o->tolerance > 0 && isfinite(o->tolerance), OG_ERR_OPTION, "option tolerance = %g: want a finite number > 0",
           o->tolerance);
  OG_TRY(check_flag("precision", o->precision, OG_F64, OG_F32));
  OG_TRY(check_flag("values", o->values, OG_COMPLEX, OG_REAL));
  OG_CHECK(o->sign == 1 || o->sign == -1, OG_ERR_OPTION, "option sign = %d: want -1 or 1", o->sign);
  OG_TRY(check_flag("mode_order", o->mode_order, OG_ORDER_ASCENDING, OG_ORDER_FFT));
  OG_TRY(check_flag("threads", o->threads, 0, 4096));
  OG_CHECK(o->max_vectors >= 1, OG_ERR_OPTION, "option max_vectors = %lld: want >= 1", (long long)o->max_vectors);
  OG_CHECK(o->expected_points >= 0 && o->expected_points <= INT64_MAX / 1024, OG_ERR_OPTION,
           "option expected_points = %lld: want 0 to 2^53", (long long)o->expected_points);
  OG_TRY(check_flag("evaluation", o->evaluation, OG_EVALUATE_POLYNOMIAL, OG_EVALUATE_DIRECT));
  OG_CHECK(o->sigma == 0 || (o->sigma >= 1.1 && o->sigma <= 4), OG_ERR_OPTION,
           "option sigma = %g: want 1.1 to 4, or 0 to have it chosen", o->sigma);
  OG_CHECK(o->width == 0 || (o->width >= 2 && o->width <= 16), OG_ERR_OPTION,
           "option width = %d: want 2 to 16, or 0 to have it chosen", o->width);
  OG_CHECK(o->shape >= 0 && isfinite(o->shape), OG_ERR_OPTION, "option shape = %g: want > 0, or 0 for the best known",
           o->shape);
  OG_TRY(check_flag("gradient", o->gradient, 0, 1));
  OG_TRY(check_flag("spread_only", o->spread_only, 0, 1));
  OG_TRY(check_flag("storage", o->storage, OG_STORE_AUTO, OG_STORE_INDEX));
  OG_TRY(check_flag("deterministic", o->deterministic, 0, 1));
  OG_TRY(check_flag("fft_planning", o->fft_planning, OG_FFT_AUTO, OG_FFT_MEASURE));
  OG_TRY(check_flag("bin_x", o->bin_x, 0, 1024));
  OG_TRY(check_flag("bin_y", o->bin_y, 0, 1024));
  OG_TRY(check_flag("bin_z", o->bin_z, 0, 1024));
  OG_TRY(check_team("spread_team", o->spread_team));
  OG_TRY(check_team("interp_team", o->interp_team));
  OG_CHECK(o->work_points >= 0 && o->work_points <= 1 << 20, OG_ERR_OPTION, "option work_points = %lld: want 0 to 2^20",
           (long long)o->work_points);
  OG_CHECK(o->batch >= 0 && o->batch <= 4096, OG_ERR_OPTION, "option batch = %lld: want 0 to 4096",
           (long long)o->batch);
  OG_TRY(check_period("period_x", o->period_x));
  OG_TRY(check_period("period_y", o->period_y));
  OG_TRY(check_period("period_z", o->period_z));
  return OG_OK;
}

/* The environment may say how to compute, never what: a program that relies on its precision or sign must get it. */
static int from_environment(const char *name) {
  static const char *const how[] = {"backend", "simd", "threads", "fft_planning", "tuning"};
  for (size_t i = 0; i < sizeof how / sizeof *how; i++)
    if (!strcmp(name, how[i]))
      return 1;
  return 0;
}

int og_options_resolve(const og_options *options, og_options *full) {
  const og_options defaults = OG_OPTIONS_DEFAULT;
  *full = defaults;
  if (options) {
    OG_CHECK(options->size >= offsetof(og_options, tolerance) + sizeof(double) && options->size <= sizeof *full,
             OG_ERR_OPTION, "options.size = %zu: start from OG_OPTIONS_DEFAULT of a header not newer than the library",
             options->size);
    memcpy(full, options, options->size);
    full->size = sizeof *full;
  }
#define OG_OPTION_RESOLVE(type, name, value, doc)                                                                      \
  {                                                                                                                    \
    OG_CHECK(!IS_NULL(full->name), OG_ERR_OPTION, "option %s is null", #name);                                         \
    const char *text = from_environment(#name) && SAME(full->name, defaults.name) ? og_env(#name) : NULL;              \
    if (text)                                                                                                          \
      OG_TRY(PARSE(#name, text, &full->name));                                                                         \
  }
  OG_OPTIONS_TABLE(OG_OPTION_RESOLVE)
#undef OG_OPTION_RESOLVE
  return check(full);
}
