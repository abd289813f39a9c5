/* What is told while a long transform runs: stage, fraction, time; on stderr, from a thread of its own. */
#include "common/test.h"
#include "message.h"
#include "watch.h"

#include <fcntl.h>
#include <unistd.h>

static void check_text(double done, double now, double whole, double fraction, double elapsed, const char *want) {
  char text[100];
  const watch_part part = {"vector 1 of 2", 0, done, now, whole};
  watch_text(text, sizeof text, &part, "fft", fraction, elapsed);
  CHECK(!strcmp(text, want), "'%s', want '%s'", text, want);
  watch_text(text, 20, &part, "fft", fraction, elapsed); /* too little room is no harm */
  CHECK(strlen(text) == 19 && !strncmp(text, want, 19), "'%s'", text);
}

/* Runs a transform again and again for a good two seconds, with stderr in a file; returns what was told. */
static char *tell(int mode, int *calls) {
  static char text[4096];
  char name[] = "/tmp/offgrid-test-XXXXXX";
  int file = mkstemp(name), kept = dup(STDERR_FILENO);
  og_options options = OG_OPTIONS_DEFAULT;
  const int64_t n[2] = {64, 64}, m = 50000;
  double *x = test_random(m, OG_F64), *c = test_random(2 * m, OG_F64), *f = test_doubles(2 * 64 * 64);
  og_plan plan = NULL;
  CHECK_OK(og_plan_create(&plan, 2, n, &options));
  CHECK_OK(og_plan_set_points(plan, m, x, x, NULL));
  if (file < 0 || kept < 0 || dup2(file, STDERR_FILENO) < 0)
    exit(2);
  progress_mode(mode);
  const watch_part part = {"vector 1 of 1", seconds(), 0, 1, 1};
  watch_begin(plan, &part);
  for (*calls = 0; seconds() - part.since < 2.6; ++*calls)
    CHECK_OK(og_type1(plan, 1, c, f));
  watch_end();
  progress_mode(0);
  dup2(kept, STDERR_FILENO);
  ssize_t got = pread(file, text, sizeof text - 1, 0);
  text[got < 0 ? 0 : got] = 0;
  close(file);
  close(kept);
  unlink(name);
  og_plan_destroy(plan);
  test_free();
  return text;
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "progress of a long call is told");
  test_case("text");
  check_text(0, 1, 2, 0.5, 30, "vector 1 of 2: Fourier transform, 25 % done, 30 s, about 90 s left");
  check_text(1, 1, 2, 1, 30, "vector 1 of 2: Fourier transform, 100 % done, 30 s, about 0 s left");
  check_text(0, 1, 2, 0.001, 30, "vector 1 of 2: Fourier transform, 30 s");
  check_text(0, 0, 0, 0, 4, "vector 1 of 2: Fourier transform, 4 s");
  int calls;
  test_case("always");
  char *text = tell(2, &calls);
  CHECK(!strncmp(text, "vector 1 of 1: ", 15) && strchr(text, '\n') && strstr(text, " s"), "told '%s'", text);
  test_case("silent");
  text = tell(0, &calls);
  CHECK(!*text && calls > 0, "told '%s'", text);
  test_case("no terminal");
  text = tell(1, &calls);
  CHECK(!*text && calls > 0, "told '%s'", text);
  return test_end();
}
