/* The last error's sentence, one per thread. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[512];

int og_error_set(int code, const char *where, const char *format, ...) {
  int n = snprintf(last_error, sizeof last_error, "%s: ", where);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last_error + n, sizeof last_error - (size_t)n, format, arguments);
  va_end(arguments);
  return code;
}

const char *og_last_error(void) { return last_error; }

const char *og_error_text(int code) {
  switch (code) {
#define OG_ERROR_CASE(name, value, text)                                                                               \
  case value:                                                                                                          \
    return text;
    OG_ERROR_TABLE(OG_ERROR_CASE)
#undef OG_ERROR_CASE
  }
  return "unknown error code";
}
