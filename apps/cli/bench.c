/* offgrid bench: checks and times problems. One run first, whose results are compared with the direct sum; then all
 * contenders in turn, repeat by repeat, so that what else the machine does hits them alike; medians are printed. There is
 * no way to print a time without its error: print_contender is the only place, and a contender without a measured error
 * does not get there. */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "message.h"
#include "parse.h"
#include "peer.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: offgrid bench PROBLEM... [OPTION...]\n"
    "\n"
    "A problem is one string, for example 3d/type1/128x128x128/m=2e6/tol=1e-6/f64/complex/uniform:\n"
    "  type1, type2, type3, gradient (of type 2), filter (type 1, times a diagonal, type 2)\n"
    "  NxNxN                modes; type 3: the width of the box of frequencies\n"
    "  m=POINTS             and targets=TARGETS for type 3\n"
    "  tol=1e-6             f64, f32    complex, real\n"
    "  uniform, clustered (in an eighth of each side), blobs (Gaussian), radial (spokes), line (along x)\n"
    "  vectors=N seed=N     and any option of the library: sigma=, width=, window=, backend=, sign=, threads= ...\n"
    "Each contender is checked against the direct sum, then timed: plan, points, execute; medians.\n"
    "\n"
    "  --peer finufft|ducc  also run that library, in turn with ours; may be given twice\n"
    "  --peer-lib PATH      FINUFFT's shared library (libfinufft.so)\n"
    "  --peer-python PATH   the Python that has ducc0 (python3)\n"
    "  --peer-script PATH   bench/peers/ducc_peer.py, where it is not found near the program\n"
    "  --repeat N           timed runs (at least 5 and about 2 seconds)\n"
    "  --threads N          of every contender\n"
    "  --samples N          results compared with the direct sum\n"
    "  --json               one JSON array on standard output, nothing else\n"
    "  --progress           say on stderr what is being done\n"
    "\n"
    "exit codes: 0 done; 1 failed; 2 wrong command line or problem; 3 our error is more than 2.2 times what was asked\n"
    "for and promised\n";

#define MAX_REPEATS 1000
enum { CONTENDERS = 3 };

typedef struct contender {
  peer peer;
  int opened, failed;
  char failure[512];
  double plan, error, first; /* first: seconds of the run that is checked */
  int n;
  double points[MAX_REPEATS], execute[MAX_REPEATS], total[MAX_REPEATS];
} contender;

typedef struct bench {
  int repeat, threads, json;
  int64_t samples;
  const char *library, *python, *script;
  int n_contenders;
  contender contenders[CONTENDERS];
  json_t *report;
  int inaccurate;
} bench;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *values, int n) {
  double sorted[MAX_REPEATS];
  memcpy(sorted, values, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, by_value);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double smallest(const double *values, int n) {
  double least = values[0];
  for (int i = 1; i < n; i++)
    least = values[i] < least ? values[i] : least;
  return least;
}

/* ---- one problem ---- */

static int allocate_points(bench_case *c) {
  const problem *p = c->p;
  size_t number = p->options.precision == OG_F32 ? 4 : 8, targets = p->op == OP_TYPE3 ? (size_t)p->n_targets : 0;
  int lacking = 0;
  for (int d = 0; d < p->ndim; d++) {
    c->x[d] = malloc((size_t)p->n_points * number + 1);
    c->omega[d] = p->op == OP_TYPE3 ? malloc((size_t)p->n_targets * number + 1) : NULL;
    lacking |= !c->x[d] || (p->op == OP_TYPE3 && !c->omega[d]);
  }
  if (lacking)
    return fail_memory(p->text, number * (size_t)p->ndim * ((size_t)p->n_points + targets));
  problem_fill_points(p, c->x);
  if (p->op == OP_TYPE3)
    problem_fill_targets(p, c->omega);
  return 0;
}

/* A peer that fails is told about and left out; if we fail, the problem fails. */
static int first_run(contender *k, const bench_case *c, int64_t samples) {
  double points, execute;
  TRY(k->peer.open(&k->peer, c, &k->plan));
  TRY(k->peer.run(&k->peer, &points, &execute));
  k->first = points + execute;
  progress("%s: checking %s against the direct sum", c->p->text, k->peer.name);
  return k->peer.error(&k->peer, samples, &k->error);
}

/* OpenMP's threads spin for a moment after their work: let them fall asleep before the next one is timed. */
static void settle(void) {
  const struct timespec pause = {0, 3000000};
  nanosleep(&pause, NULL);
}

/* A problem of microseconds is run for a millisecond, the first time apart, and the mean is taken: after the pause the
 * first one finds everything cold. */
static int timed_run(contender *k) {
  settle();
  int inner = k->first < 5e-4 ? (int)(1e-3 / (k->first + 1e-6)) : 1;
  double points, execute, all_points = 0, all_execute = 0;
  if (inner > 1)
    TRY(k->peer.run(&k->peer, &points, &execute));
  for (int r = 0; r < inner; r++) {
    TRY(k->peer.run(&k->peer, &points, &execute));
    all_points += points;
    all_execute += execute;
  }
  k->points[k->n] = all_points / inner;
  k->execute[k->n] = all_execute / inner;
  k->total[k->n] = (all_points + all_execute) / inner;
  k->n++;
  return 0;
}

static int repeats(const bench *b) {
  if (b->repeat)
    return b->repeat;
  double one = 0;
  for (int i = 0; i < b->n_contenders; i++)
    one += b->contenders[i].failed ? 0 : b->contenders[i].first;
  double n = 2 / (one + 0.003);
  return n < 5 ? 5 : n > 100 ? 100 : (int)n;
}

static int64_t samples_for(const bench *b, const bench_case *c) {
  check k;
  peer_describe(c, 0, &k);
  return b->samples ? b->samples : check_samples(&k);
}

static void set_aside(contender *k) {
  k->failed = 1;
  snprintf(k->failure, sizeof k->failure, "%s", fail_text());
}

static int measure(bench *b, bench_case *c) {
  for (int i = 0; i < b->n_contenders; i++) {
    contender *k = &b->contenders[i];
    progress("%s: first run of %s", c->p->text, k->peer.name);
    int code = first_run(k, c, samples_for(b, c));
    if (code && i == 0)
      return code;
    if (code)
      set_aside(k);
    if (i == 0)
      c->threads = peer_offgrid_report(&k->peer)->threads;
  }
  int n = repeats(b);
  for (int r = 0; r < n; r++)
    for (int i = 0; i < b->n_contenders; i++) {
      progress("%s: repeat %d of %d, %s", c->p->text, r + 1, n, b->contenders[i].peer.name);
      int code = b->contenders[i].failed ? 0 : timed_run(&b->contenders[i]);
      if (code && i == 0)
        return code;
      if (code)
        set_aside(&b->contenders[i]);
    }
  return 0;
}

/* ---- report ---- */

static double promised(const bench *b, const problem *p) {
  double expected = peer_offgrid_report(&b->contenders[0].peer)->expected_error;
  double asked = p->options.tolerance * (p->op == OP_GRADIENT || p->op == OP_FILTER ? 2 : 1);
  return expected > asked ? expected : asked;
}

static void print_contender(const bench *b, const contender *k, const problem *p) {
  if (k->failed) {
    printf("  %-8s left out: %s\n", k->peer.name, k->failure);
    return;
  }
  char error[32];
  double total = median(k->total, k->n), ours = median(b->contenders[0].total, b->contenders[0].n);
  printf("  %-8s error %s  plan %.3e  points %.3e  execute %.3e  total %.3e s  %8.2f Mpts/s", k->peer.name,
         error_text(k->error, error), k->plan, median(k->points, k->n), median(k->execute, k->n), total,
         (double)p->n_points * (double)p->n_vectors / total / 1e6);
  if (k != b->contenders)
    printf("  %.2f x our time", total / ours);
  printf("\n           %s\n", k->peer.detail);
}

static void print_text(const bench *b, const problem *p) {
  progress_clear();
  printf("%s  (medians of %d)\n", p->text, b->contenders[0].n);
  for (int i = 0; i < b->n_contenders; i++)
    print_contender(b, &b->contenders[i], p);
  const og_report *r = peer_offgrid_report(&b->contenders[0].peer);
  if (*r->choice)
    printf("  %s\n", r->choice);
  if (!r->reached)
    printf("  the tolerance is out of reach; expected error %.1e\n", r->expected_error);
  if (!(b->contenders[0].error <= 2.2 * promised(b, p)))
    printf("  OUR ERROR IS TOO LARGE: at most 2.2 x %.2e was promised\n", promised(b, p));
  fflush(stdout);
}

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *list(const double *values, int n) {
  json_t *array = json_array();
  for (int i = 0; i < n; i++)
    json_array_append_new(array, number(values[i]));
  return array;
}

static json_t *describe(const contender *k, const problem *p) {
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(k->peer.name));
  if (k->failed) {
    json_object_set_new(o, "left_out", json_string(k->failure));
    return o;
  }
  double total = median(k->total, k->n);
  json_object_set_new(o, "detail", json_string(k->peer.detail));
  json_object_set_new(o, "error", number(k->error));
  json_object_set_new(o, "plan", number(k->plan));
  json_object_set_new(o, "points", number(median(k->points, k->n)));
  json_object_set_new(o, "execute", number(median(k->execute, k->n)));
  json_object_set_new(o, "total", number(total));
  json_object_set_new(o, "least_total", number(smallest(k->total, k->n)));
  json_object_set_new(o, "mpts", number((double)p->n_points * (double)p->n_vectors / total / 1e6));
  json_object_set_new(o, "totals", list(k->total, k->n));
  return o;
}

static json_t *describe_report(const og_report *r) {
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:i, s:i, s:b, s:f, s:[I,I,I], s:I, s:I, s:I, s:f, s:f, s:f, "
                   "s:f, s:f}",
                   "backend", r->backend, "device", r->device, "choice", r->choice, "simd", r->simd, "window",
                   r->window, "width", r->width, "sigma", r->sigma, "degree", r->degree, "threads", r->threads,
                   "reached", r->reached, "expected_error", r->expected_error, "grid", (json_int_t)r->n_grid[0],
                   (json_int_t)r->n_grid[1], (json_int_t)r->n_grid[2], "bytes_grid", (json_int_t)r->bytes_grid,
                   "bytes_points", (json_int_t)r->bytes_points, "bytes_peak", (json_int_t)r->bytes_peak,
                   "seconds_points", r->seconds_points, "seconds_spread", r->seconds_spread, "seconds_fft",
                   r->seconds_fft, "seconds_deconvolve", r->seconds_deconvolve, "seconds_interp", r->seconds_interp);
}

static void add_json(bench *b, const problem *p) {
  json_t *o = json_object(), *all = json_array();
  const contender *ours = b->contenders;
  json_object_set_new(o, "problem", json_string(p->text));
  json_object_set_new(o, "repeats", json_integer(ours->n));
  json_object_set_new(o, "plan_report", describe_report(peer_offgrid_report(&ours->peer)));
  for (int i = 0; i < b->n_contenders; i++)
    json_array_append_new(all, describe(&b->contenders[i], p));
  json_object_set_new(o, "contenders", all);
  json_array_append_new(b->report, o);
}

static int run_problem(bench *b, const char *text) {
  problem p;
  TRY(problem_parse(&p, text));
  if (b->threads)
    p.options.threads = b->threads;
  bench_case c = {.p = &p};
  int code = allocate_points(&c);
  if (!code)
    code = measure(b, &c);
  if (!code) {
    b->inaccurate |= !(b->contenders[0].error <= 2.2 * promised(b, &p));
    if (b->json)
      add_json(b, &p);
    else
      print_text(b, &p);
  }
  for (int i = 0; i < b->n_contenders; i++) {
    contender *k = &b->contenders[i];
    k->peer.close(&k->peer);
    k->n = k->failed = 0;
  }
  for (int d = 0; d < 3; d++) {
    free(c.x[d]);
    free(c.omega[d]);
  }
  return code;
}

/* ---- command line ---- */

enum { PEER = 256, LIBRARY, PYTHON, SCRIPT, REPEAT, THREADS, SAMPLES, JSON, PROGRESS };

const struct option bench_table[] = {{"peer", 1, 0, PEER},
                                     {"peer-lib", 1, 0, LIBRARY},
                                     {"peer-python", 1, 0, PYTHON},
                                     {"peer-script", 1, 0, SCRIPT},
                                     {"repeat", 1, 0, REPEAT},
                                     {"threads", 1, 0, THREADS},
                                     {"samples", 1, 0, SAMPLES},
                                     {"json", 0, 0, JSON},
                                     {"progress", 0, 0, PROGRESS},
                                     {"help", 0, 0, 'h'},
                                     {0, 0, 0, 0}};

static int add_peer(bench *b, const char *name) {
  const peer *found = !strcmp(name, "finufft") ? &peer_finufft : !strcmp(name, "ducc") ? &peer_ducc : NULL;
  if (!found)
    return fail_usage("--peer is finufft or ducc, not '%s'", name);
  for (int i = 0; i < b->n_contenders; i++)
    if (!strcmp(b->contenders[i].peer.name, name))
      return 0;
  b->contenders[b->n_contenders++].peer = *found;
  return 0;
}

static int take(bench *b, int option, const char *value) {
  int64_t count;
  switch (option) {
  case PEER:
    return add_peer(b, value);
  case LIBRARY:
    b->library = value;
    return 0;
  case PYTHON:
    b->python = value;
    return 0;
  case SCRIPT:
    b->script = value;
    return 0;
  case REPEAT:
    if (!parse_int(value, &b->repeat) || b->repeat < 1 || b->repeat > MAX_REPEATS)
      return fail_usage("--repeat wants a count from 1 to %d, not '%s'", MAX_REPEATS, value);
    return 0;
  case THREADS:
    if (!parse_int(value, &b->threads) || b->threads < 1)
      return fail_usage("--threads wants a count >= 1, not '%s'", value);
    return 0;
  case SAMPLES:
    if (!parse_count(value, &count) || count < 1)
      return fail_usage("--samples wants a count >= 1, not '%s'", value);
    b->samples = count;
    return 0;
  case JSON:
    b->json = 1;
    return 0;
  default:
    progress_mode(2);
    return 0;
  }
}

static int print_json(bench *b) {
  if (json_dumpf(b->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)))
    return fail("standard output cannot be written");
  putchar('\n');
  return 0;
}

static int run_all(bench *b, int n, char **problems) {
  for (int i = 0; i < b->n_contenders; i++) {
    b->contenders[i].peer.library = b->library;
    b->contenders[i].peer.python = b->python;
    b->contenders[i].peer.script = b->script;
  }
  for (int i = 0; i < n; i++)
    TRY(run_problem(b, problems[i]));
  if (b->json)
    TRY(print_json(b));
  if (!b->inaccurate)
    return 0;
  fail_store("a measured error is more than 2.2 times what was asked for and promised");
  return EXIT_INACCURATE;
}

/* Options and problems in any order: getopt_long stops at a problem, which is kept, and goes on behind it. */
static int read_command_line(bench *b, int argc, char **argv, char **problems, int *n, int *helped) {
  optind = 1;
  while (optind < argc) {
    int option = command_option(argc, argv, bench_table);
    if (option == '?')
      return EXIT_USAGE;
    if (option == 'h') {
      fputs(help, stdout);
      *helped = 1;
      return 0;
    }
    if (option == -1 && optind < argc)
      problems[(*n)++] = argv[optind++];
    else if (option != -1)
      TRY(take(b, option, optarg));
  }
  return *n ? 0
            : fail_usage("a problem is missing, such as 3d/type1/64x64x64/m=1e6/tol=1e-6; see offgrid bench --help");
}

int command_bench(int argc, char **argv) {
  bench *b = calloc(1, sizeof *b);
  char **problems = calloc((size_t)argc + 1, sizeof *problems);
  int n = 0, helped = 0, code;
  progress_mode(1);
  if (!b || !problems) {
    code = fail("out of memory");
  } else {
    b->n_contenders = 1;
    b->contenders[0].peer = peer_offgrid;
    b->report = json_array();
    code = read_command_line(b, argc, argv, problems, &n, &helped);
    if (!code && !helped)
      code = run_all(b, n, problems);
    json_decref(b->report);
  }
  free(problems);
  free(b);
  return code;
}
