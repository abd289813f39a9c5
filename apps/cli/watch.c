/* The thread that watches a plan. */
#define _POSIX_C_SOURCE 200809L
#include "watch.h"

#include "message.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  int running, stop;
  og_plan plan;
  watch_part part;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *words(const char *stage) {
  static const char *const of[][2] = {{"points", "sorting points"},
                                      {"spread", "spreading"},
                                      {"fft", "Fourier transform"},
                                      {"deconvolve", "weighing modes"},
                                      {"interp", "interpolating"}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    if (!strcmp(stage, of[i][0]))
      return of[i][1];
  return stage;
}

void watch_text(char *text, int bytes, const watch_part *part, const char *stage, double fraction, double elapsed) {
  double all = part->whole > 0 ? (part->done + part->now * fraction) / part->whole : 0;
  int n = snprintf(text, (size_t)bytes, "%s: %s, ", part->what, words(stage));
  n = n < bytes ? n : bytes - 1;
  if (all < 0.02 || elapsed < 0.5) /* too early to guess */
    snprintf(text + n, (size_t)(bytes - n), "%.0f s", elapsed);
  else
    snprintf(text + n, (size_t)(bytes - n), "%.0f %% done, %.0f s, about %.0f s left", 100 * all, elapsed,
             elapsed * (1 - all) / all);
}

static void tell(void) {
  const char *stage;
  double fraction;
  char text[300];
  if (og_plan_progress(watch.plan, &stage, &fraction) || !*stage)
    return;
  watch_text(text, sizeof text, &watch.part, stage, fraction, seconds() - watch.part.since);
  progress("%s", text);
}

static void *look(void *unused) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  pthread_mutex_lock(&watch.lock);
  while (!watch.stop) {
    int64_t next = at.tv_nsec + (progress_wants() == 2 ? 1000000000 : 250000000);
    at.tv_sec += next / 1000000000;
    at.tv_nsec = next % 1000000000;
    while (!watch.stop && !pthread_cond_timedwait(&watch.ended, &watch.lock, &at))
      ;
    if (!watch.stop)
      tell();
  }
  pthread_mutex_unlock(&watch.lock);
  return unused;
}

void watch_begin(og_plan plan, const watch_part *part) {
  pthread_condattr_t clock;
  if (!progress_wants())
    return;
  watch.plan = plan;
  watch.part = *part;
  watch.stop = 0;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&watch.ended, &clock);
  pthread_condattr_destroy(&clock);
  watch.running = !pthread_create(&watch.thread, NULL, look, NULL); /* without a thread the work goes on unwatched */
}

void watch_end(void) {
  if (!watch.running)
    return;
  pthread_mutex_lock(&watch.lock);
  watch.stop = 1;
  pthread_cond_signal(&watch.ended);
  pthread_mutex_unlock(&watch.lock);
  pthread_join(watch.thread, NULL);
  pthread_cond_destroy(&watch.ended);
  watch.running = 0;
}
