/* Errors: a code returned, a sentence kept per thread. Codes and their texts are in one table in offgrid.h. */
#ifndef OG_BASE_ERROR_H
#define OG_BASE_ERROR_H
#include "offgrid.h"

/* Stores the sentence "<where>: <formatted>" and returns code. */
int og_error_set(int code, const char *where, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define OG_FAIL(code, ...) return og_error_set((code), __func__, __VA_ARGS__)
#define OG_CHECK(condition, code, ...)                                                                                 \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      OG_FAIL(code, __VA_ARGS__);                                                                                      \
  } while (0)
#define OG_TRY(call)                                                                                                   \
  do {                                                                                                                 \
    int og_try_ = (call);                                                                                              \
    if (og_try_)                                                                                                       \
      return og_try_;                                                                                                  \
  } while (0)
#ifdef NDEBUG
#define OG_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define OG_ASSERT(condition) assert(condition)
#endif
#endif
