/* Tells on stderr how far a long call of the library has come, from a thread of its own, four times a second on a terminal
 * and once a second elsewhere. Silent where progress is. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "offgrid.h"

/* A job of several calls: the call watched is the part from `done` to `done + now` of `whole`. */
typedef struct watch_part {
  const char *what; /* "vector 1 of 8" */
  double since;     /* seconds() when the whole began */
  double done, now, whole;
} watch_part;

/* Until watch_end, no progress() of the caller's own. */
void watch_begin(og_plan plan, const watch_part *part);
void watch_end(void);
/* The line's text: stage and fraction are of the call, elapsed is since the whole began. */
void watch_text(char *text, int bytes, const watch_part *part, const char *stage, double fraction, double elapsed);
#endif
