/* The last error's sentence, one per thread. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[2048]; /* room for a compiler's complaint */

int og_error_set(int code, const char *where, const char *format, ...) {
  char sentence[sizeof last_error]; /* the arguments may hold the last one */
  int n = snprintf(sentence, sizeof sentence, "%s: ", where);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence + n, sizeof sentence - (size_t)n, format, arguments);
  va_end(arguments);
  strcpy(last_error, sentence);
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
