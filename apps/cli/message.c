/* The last error's sentence and the progress line. */
#define _POSIX_C_SOURCE 200809L
#include "message.h"

#include "offgrid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char sentence[1024];
static int progress_wanted, progress_shown;

/* File names may hold anything, the message stays one line. */
static void clean(void) {
  for (char *c = sentence; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      *c = '?';
}

void fail_store(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  clean();
}

int fail_after(int code, const char *written) {
  size_t used = strlen(sentence);
  snprintf(sentence + used, sizeof sentence - used, "; %s was written", written);
  clean();
  return code;
}

int fail_library(int code, const char *what) {
  if (code == OG_OK)
    return EXIT_OK;
  const char *text = og_last_error();
  fail_store("%s: %s", what, *text ? text : og_error_text(code));
  int asked_wrongly = code == OG_ERR_OPTION || code == OG_ERR_BACKEND || code == OG_ERR_UNSUPPORTED;
  return asked_wrongly ? EXIT_USAGE : EXIT_FAILED;
}

const char *fail_text(void) { return sentence; }

const char *error_text(double error, char text[32]) {
  snprintf(text, 32, isfinite(error) ? "%.2e" : "not finite", error);
  return text;
}

int flush_output(void) {
  /* what a full buffer could not write earlier is known by ferror only */
  return fflush(stdout) || ferror(stdout) ? fail("standard output cannot be written") : 0;
}

void progress_mode(int mode) { progress_wanted = mode == 2 ? 2 : mode == 1 && isatty(STDERR_FILENO); }

int progress_wants(void) { return progress_wanted; }

void progress_clear(void) {
  if (progress_shown && progress_wanted == 1)
    fputs("\r\033[K", stderr);
  progress_shown = 0;
}

void progress(const char *format, ...) {
  if (!progress_wanted)
    return;
  progress_clear();
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (progress_wanted == 2)
    fputc('\n', stderr);
  fflush(stderr);
  progress_shown = 1;
}

double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
