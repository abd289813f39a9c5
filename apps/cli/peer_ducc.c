/* ducc0 as a contender: its Python package in a child process (bench/peers/ducc_peer.py). The child gets the same points
 * and data through a pipe, runs when told so, times the call alone, and hands its results back, so that we measure the
 * error. Protocol, child's standard input and output:
 *   ->  one line "type ndim nx ny nz points targets vectors tolerance single sign threads", then the arrays: points,
 *       targets, data
 *   <-  "ready VERSION" or "error SENTENCE"
 *   ->  "run"      <-  "SECONDS" or "error SENTENCE"
 *   ->  "result"   <-  the results' bytes */
#define _GNU_SOURCE
#include "message.h"
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct ducc {
  const bench_case *c;
  pid_t child;
  FILE *to, *from;
  size_t number, n_out; /* bytes of a number; numbers */
  void *in, *out;
} ducc;

/* Next to the sources (build/bin/offgrid) or installed (bin/offgrid). */
static int find_script(char *path, size_t bytes) {
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0)
    return fail("ducc: this program does not know where it is");
  self[n] = 0;
  const char *folder = dirname(self);
  const char *const places[] = {"../../bench/peers", "../../../bench/peers", "../share/offgrid"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if ((size_t)snprintf(path, bytes, "%s/%s/ducc_peer.py", folder, places[i]) < bytes && !access(path, R_OK))
      return 0;
  return fail("ducc: bench/peers/ducc_peer.py is not near this program; give it with --peer-script PATH");
}

static int start(ducc *d, const char *python, const char *script) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC))
    return fail("ducc: no pipe: %s", strerror(errno));
  if (pipe2(from, O_CLOEXEC)) {
    close(to[0]), close(to[1]);
    return fail("ducc: no pipe: %s", strerror(errno));
  }
  d->child = fork();
  if (d->child == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    signal(SIGPIPE, SIG_DFL);
    execlp(python, python, script, (char *)NULL);
    _exit(127);
  }
  close(to[0]), close(from[1]);
  d->to = fdopen(to[1], "wb");
  d->from = fdopen(from[0], "rb");
  if (d->child < 0 || !d->to || !d->from)
    return fail("ducc: cannot start %s: %s", python, strerror(errno));
  return 0;
}

/* One line of answer; "error ..." and silence become ours. */
static int answer(ducc *d, char *line, int bytes, const char *python) {
  fflush(d->to);
  if (!fgets(line, bytes, d->from))
    return fail("ducc: %s did not start or broke off; give a Python that has ducc0 with --peer-python PATH", python);
  line[strcspn(line, "\n")] = 0;
  if (!strncmp(line, "error ", 6))
    return fail("ducc: %s", line + 6);
  return 0;
}

static int can(const problem *p) {
  if (p->op != OP_TYPE1 && p->op != OP_TYPE2 && p->op != OP_TYPE3)
    return fail("ducc: has no %s", p->op == OP_GRADIENT ? "gradient" : "filter");
  if (p->options.period_x != 0 || p->options.period_y != 0 || p->options.period_z != 0)
    return fail("ducc: is compared with period 2 pi only");
  if (p->options.mode_order != OG_ORDER_ASCENDING)
    return fail("ducc: is compared in ascending mode order only");
  return 0;
}

static int send_case(ducc *d, const check *k) {
  const problem *p = d->c->p;
  size_t n_in = 2 * (size_t)(peer_size_in(k) * p->n_vectors);
  d->number = k->is_single ? 4 : 8;
  d->n_out = 2 * (size_t)(peer_size_out(k) * p->n_vectors);
  d->in = malloc(n_in * d->number + 1);
  d->out = malloc(d->n_out * d->number + 1);
  if (!d->in || !d->out)
    return fail_memory("ducc", (n_in + d->n_out) * d->number);
  problem_fill_data(p, 0, (int64_t)n_in, d->in);
  fprintf(d->to, "%d %d %lld %lld %lld %lld %lld %lld %.17g %d %d %d\n", k->type, k->ndim, (long long)k->n_modes[0],
          (long long)k->n_modes[1], (long long)k->n_modes[2], (long long)p->n_points, (long long)p->n_targets,
          (long long)p->n_vectors, p->options.tolerance, k->is_single, k->type == 2 ? -k->sign : k->sign,
          d->c->threads);
  for (int i = 0; i < k->ndim; i++)
    fwrite(d->c->x[i], d->number, (size_t)p->n_points, d->to);
  for (int i = 0; i < k->ndim && k->type == 3; i++)
    fwrite(d->c->omega[i], d->number, (size_t)p->n_targets, d->to);
  fwrite(d->in, d->number, n_in, d->to);
  return 0;
}

static const char *python_of(const peer *me) { return me->python ? me->python : "python3"; }

static int ducc_open(peer *me, const bench_case *c, double *seconds_plan) {
  char script[4200], line[400];
  ducc *d = me->state = calloc(1, sizeof *d);
  if (!d)
    return fail("out of memory");
  d->c = c;
  *seconds_plan = 0;
  TRY(can(c->p));
  if (!me->script)
    TRY(find_script(script, sizeof script));
  TRY(start(d, python_of(me), me->script ? me->script : script));
  check k;
  peer_describe(c, 0, &k);
  TRY(send_case(d, &k));
  TRY(answer(d, line, sizeof line, python_of(me)));
  snprintf(me->detail, sizeof me->detail, "ducc0 %s, points and transform in one call", line + strlen("ready "));
  return 0;
}

static int ducc_run(peer *me, double *points_seconds, double *execute_seconds) {
  ducc *d = me->state;
  char line[400];
  fputs("run\n", d->to);
  TRY(answer(d, line, sizeof line, python_of(me)));
  *points_seconds = 0;
  *execute_seconds = strtod(line, NULL);
  return 0;
}

static int ducc_error(peer *me, int64_t samples, double *error) {
  ducc *d = me->state;
  fputs("result\n", d->to);
  fflush(d->to);
  if (fread(d->out, d->number, d->n_out, d->from) != d->n_out)
    return fail("ducc: its results did not arrive");
  return peer_compare(d->c, 0, samples, d->in, d->out, error);
}

static void ducc_close(peer *me) {
  ducc *d = me->state;
  if (!d)
    return;
  if (d->to)
    fclose(d->to);
  if (d->from)
    fclose(d->from);
  if (d->child > 0)
    waitpid(d->child, NULL, 0); /* the end of its input is its end */
  free(d->in);
  free(d->out);
  free(d);
  me->state = NULL;
}

const peer peer_ducc = {.name = "ducc", .open = ducc_open, .run = ducc_run, .error = ducc_error, .close = ducc_close};
