/* Errors, progress and exit codes of the command.
 *
 * A function that can fail returns 0 or the exit code, and has stored one sentence by then: what, where, what to do. The
 * one place that prints it is main.c. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

enum {
  EXIT_OK = 0,
  EXIT_FAILED = 1,    /* a file, the library or the machine: no output was written, or the sentence says which was */
  EXIT_USAGE = 2,     /* the command line is wrong */
  EXIT_INACCURATE = 3 /* done and written, but the measured error is above what was asked for and promised */
};

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    int try_ = (call);                                                                                                 \
    if (try_)                                                                                                          \
      return try_;                                                                                                     \
  } while (0)

/* Store the sentence; their values are the exit codes. Macros, so that compilers and analysers see that they are not 0. */
#define fail(...) (fail_store(__VA_ARGS__), EXIT_FAILED)
#define fail_usage(...) (fail_store(__VA_ARGS__), EXIT_USAGE)
void fail_store(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Wraps a code of the library: 0, or fail with what and og_last_error(). */
int fail_library(int code, const char *what);
/* fail() for numbers in memory; what: a file or a problem. */
#define fail_memory(what, bytes) fail("%s: out of memory, %.3g GB wanted", what, 1e-9 * (double)(bytes))
/* Adds to the last sentence that a file had been written before; returns code. */
int fail_after(int code, const char *written);
const char *fail_text(void);
/* "1.23e-07", or "not finite" */
const char *error_text(double error, char text[32]);

/* Flushes standard output; fails where not all of it was taken. */
int flush_output(void);

/* Progress on stderr: one line, rewritten in place on a terminal. Silent unless stderr is a terminal or it was asked
 * for; mode: 0 silent, 1 if it is a terminal, 2 always. */
void progress_mode(int mode);
int progress_wants(void); /* the mode, 0 where mode 1 found no terminal */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

/* Seconds of a monotonic clock. */
double seconds(void);
#endif
