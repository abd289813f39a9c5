/* offgrid tune: the fastest parameters of a device's kernels, as a CSV file that plans look up (option tuning). */
#include "command.h"
#include "message.h"
#include "output.h"
#include "parse.h"
#include "tune_search.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: offgrid tune [OPTION...]\n"
    "\n"
    "Searches the fastest spreading and interpolation on a device by Bayesian optimisation (Gaussian process, "
    "expected\n"
    "improvement) over method, bins, team and points per piece of work, for uniform random points. A configuration "
    "counts\n"
    "only where its results are the default's. Writes a CSV file; plans take the nearest line of it with the option\n"
    "tuning=FILE or OFFGRID_TUNING=FILE (file or folder).\n"
    "\n"
    "  --backend cuda        backend of the device; host runs the kernels on the CPU, for trying out\n"
    "  --device 0            its number\n"
    "  --dims 1,2,3          dimensions\n"
    "  --widths 2,3,...,16   widths of the window in cells, each 2 to 16, or a range 4-9\n"
    "  --precision f64       f64, f32 or both\n"
    "  --values complex      complex, real or both\n"
    "  --density 1           points per cell of the fine grid; a list: 0.1,1,10\n"
    "  --cells 4e6           cells of the fine grid, about\n"
    "  --trials 40           configurations tried for each line, at most 300\n"
    "  --budget SECONDS      stop searching after so long, shared by the lines; each still gets one trial\n"
    "  --seed 1              of the search's random numbers\n"
    "  --output FILE.csv     written whole, anew after each problem; default: standard output, at the end\n"
    "  --lock FILE           several tuners, with one FILE, take turns at the device; kernels compile meanwhile\n"
    "\n"
    "exit codes: 0 done; 1 failed; 2 wrong command line\n";

enum { BACKEND = 256, DEVICE, DIMS, WIDTHS, PRECISION, VALUES, DENSITY, CELLS, TRIALS, BUDGET, SEED, OUTPUT, LOCK };

const struct option tune_table[] = {{"backend", 1, 0, BACKEND},
                                    {"device", 1, 0, DEVICE},
                                    {"dims", 1, 0, DIMS},
                                    {"widths", 1, 0, WIDTHS},
                                    {"precision", 1, 0, PRECISION},
                                    {"values", 1, 0, VALUES},
                                    {"density", 1, 0, DENSITY},
                                    {"cells", 1, 0, CELLS},
                                    {"trials", 1, 0, TRIALS},
                                    {"budget", 1, 0, BUDGET},
                                    {"seed", 1, 0, SEED},
                                    {"output", 1, 0, OUTPUT},
                                    {"lock", 1, 0, LOCK},
                                    {"help", 0, 0, 'h'},
                                    {0, 0, 0, 0}};

enum { MOST_DENSITIES = 16, LINE_BYTES = 512 };

typedef struct settings {
  const char *backend, *output, *lock;
  int device, trials, helped;
  unsigned dims, widths, precisions, values; /* bit sets */
  int n_densities;
  double densities[MOST_DENSITIES], cells, budget;
  int64_t seed;
  char *text; /* the CSV file so far */
  size_t length, room;
  int done, problems;
  double start;
} settings;

/* "3", "2,5" or "4-9" -> bits. */
static int parse_bits(const char *text, int low, int high, unsigned *bits) {
  *bits = 0;
  for (const char *at = text;;) {
    char *end;
    long from = strtol(at, &end, 10), to = from;
    if (end == at)
      return 0;
    if (*end == '-') {
      at = end + 1;
      to = strtol(at, &end, 10);
      if (end == at)
        return 0;
    }
    if (from < low || to > high || from > to || (*end && *end != ','))
      return 0;
    for (long i = from; i <= to; i++)
      *bits |= 1u << i;
    if (!*end)
      return 1;
    at = end + 1;
  }
}

static int parse_densities(settings *s, const char *text) {
  s->n_densities = 0;
  for (const char *at = text;;) {
    char *end;
    double value = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !(value >= 1e-6 && value <= 1e4) || s->n_densities == MOST_DENSITIES)
      return 0;
    s->densities[s->n_densities++] = value;
    if (!*end)
      return 1;
    at = end + 1;
  }
}

static int parse_pair(const char *text, const char *first, const char *second, unsigned *bits) {
  *bits = !strcmp(text, first) ? 1u : !strcmp(text, second) ? 2u : !strcmp(text, "both") ? 3u : 0u;
  return *bits != 0;
}

static int take(settings *s, int option, const char *value) {
  switch (option) {
  case BACKEND:
    s->backend = value;
    return 0;
  case DEVICE:
    if (!parse_int(value, &s->device) || s->device < 0)
      return fail_usage("--device wants a number >= 0, not '%s'", value);
    return 0;
  case DIMS:
    if (!parse_bits(value, 1, 3, &s->dims))
      return fail_usage("--dims wants a list of 1, 2, 3, not '%s'", value);
    return 0;
  case WIDTHS:
    if (!parse_bits(value, 2, 16, &s->widths))
      return fail_usage("--widths wants a list of 2 to 16 or a range such as 4-9, not '%s'", value);
    return 0;
  case PRECISION:
    if (!parse_pair(value, "f64", "f32", &s->precisions))
      return fail_usage("--precision wants f64, f32 or both, not '%s'", value);
    return 0;
  case VALUES:
    if (!parse_pair(value, "complex", "real", &s->values))
      return fail_usage("--values wants complex, real or both, not '%s'", value);
    return 0;
  case DENSITY:
    if (!parse_densities(s, value))
      return fail_usage("--density wants up to %d numbers from 1e-6 to 1e4, not '%s'", MOST_DENSITIES, value);
    return 0;
  case CELLS:
    if (!parse_number(value, &s->cells) || s->cells < 1e3 || s->cells > 1e10)
      return fail_usage("--cells wants a number from 1e3 to 1e10, not '%s'", value);
    return 0;
  case TRIALS:
    if (!parse_int(value, &s->trials) || s->trials < 1 || s->trials > TUNE_MOST_TRIALS)
      return fail_usage("--trials wants a count from 1 to %d, not '%s'", TUNE_MOST_TRIALS, value);
    return 0;
  case BUDGET:
    if (!parse_number(value, &s->budget) || s->budget <= 0)
      return fail_usage("--budget wants seconds > 0, not '%s'", value);
    return 0;
  case SEED:
    if (!parse_count(value, &s->seed))
      return fail_usage("--seed wants a count, not '%s'", value);
    return 0;
  case OUTPUT:
    s->output = value;
    return output_writable(value);
  case LOCK: {
    int file = open(value, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
      return fail("--lock %s: %s", value, strerror(errno));
    close(file);
    s->lock = value;
    return 0;
  }
  default:
    s->helped = 1;
    fputs(help, stdout);
    return 0;
  }
}

static int append(settings *s, const char *line) {
  size_t n = strlen(line);
  if (s->length + n + 1 > s->room) {
    size_t room = 2 * (s->length + n + 1);
    char *more = realloc(s->text, room);
    if (!more)
      return fail_memory("the results", room);
    s->text = more;
    s->room = room;
  }
  memcpy(s->text + s->length, line, n + 1);
  s->length += n;
  return 0;
}

static int write_all(const settings *s) {
  output o;
  TRY(output_open(&o, s->output));
  int code = output_write(&o, s->text, s->length);
  if (!code)
    return output_commit(&o);
  output_abandon(&o);
  return code;
}

static int add_line(settings *s, const tune_problem *p, int interp, const tune_result *r) {
  char line[LINE_BYTES], device[sizeof p->device];
  strcpy(device, p->device);
  for (char *c = device; *c; c++)
    if (*c == ',' || *c == '"')
      *c = ' ';
  snprintf(line, sizeof line, "%s,%s,%s,%d,%d,%s,%s,%.4f,%s,%d,%d,%d,%d,%" PRId64 ",%.4g,%.4g\n", p->backend, device,
           interp ? "interp" : "spread", p->ndim, p->width, p->precision == OG_F32 ? "f32" : "f64",
           p->values == OG_REAL ? "real" : "complex",
           log10((double)p->n_points / ((double)p->n[0] * (double)p->n[1] * (double)p->n[2])), r->best.method,
           r->best.bin[0], r->best.bin[1], r->best.bin[2], r->best.team, r->best.work_points, r->tuned_ns,
           r->default_ns);
  return append(s, line);
}

/* Both kinds use one sorting, so lines that lose together what either wins are worth nothing; nor is what is within the
 * spread of such timings and may be a loss in a larger problem. */
static void weigh(tune_result r[2]) {
  static const tune_parameters standard = {.method = "auto"};
  if (r[0].tuned_ns + r[1].tuned_ns < 0.97 * (r[0].default_ns + r[1].default_ns))
    return;
  for (int i = 0; i < 2; i++) {
    r[i].best = standard;
    r[i].tuned_ns = r[i].default_ns;
  }
}

/* The end of this line's share of the budget. */
static double share(const settings *s) {
  double now = seconds(), end = s->start + s->budget;
  return s->budget > 0 ? now + (end - now) / (2 * s->problems - s->done) : INFINITY;
}

static int tune_both(settings *s, tune_problem *p) {
  tune_result results[2];
  for (int interp = 0; interp < 2; interp++) {
    char name[128];
    snprintf(name, sizeof name, "line %d of %d: %s %dd width %d %s %s density %g", s->done + 1, 2 * s->problems,
             interp ? "interp" : "spread", p->ndim, p->width, p->precision == OG_F32 ? "f32" : "f64",
             p->values == OG_REAL ? "real" : "complex", p->density);
    TRY(tune_search(p, interp, &results[0].best, s->trials, share(s), (uint64_t)(s->seed + s->done), name,
                    &results[interp]));
    s->done++;
  }
  weigh(results);
  for (int interp = 0; interp < 2; interp++)
    TRY(add_line(s, p, interp, &results[interp]));
  return s->output ? write_all(s) : 0;
}

static int tune_one(settings *s, int ndim, int width, int single, int real, double density) {
  tune_problem p = {.backend = s->backend,
                    .lock = s->lock,
                    .number = s->device,
                    .ndim = ndim,
                    .width = width,
                    .precision = single ? OG_F32 : OG_F64,
                    .values = real ? OG_REAL : OG_COMPLEX,
                    .density = density};
  TRY(tune_problem_open(&p, s->cells));
  int code = tune_both(s, &p);
  tune_problem_close(&p);
  return code;
}

/* i counts through all problems. */
static int tune_number(settings *s, int i) {
  for (int dim = 1; dim <= 3; dim++)
    for (int width = 2; width <= 16; width++)
      for (int kind = 0; kind < 4; kind++)
        for (int d = 0; d < s->n_densities; d++)
          if (s->dims >> dim & s->widths >> width & s->precisions >> kind / 2 & s->values >> kind % 2 & 1 && !i--)
            return tune_one(s, dim, width, kind / 2, kind % 2, s->densities[d]);
  return 0;
}

static int run(settings *s) {
  s->problems = __builtin_popcount(s->dims) * __builtin_popcount(s->widths) * __builtin_popcount(s->precisions) *
                __builtin_popcount(s->values) * s->n_densities;
  s->start = seconds();
  TRY(append(s, "backend,device,kind,dimension,width,precision,values,log10_density,method,bin_x,bin_y,bin_z,team,"
                "work_points,tuned_ns,default_ns\n"));
  for (int i = 0; i < s->problems; i++)
    TRY(tune_number(s, i));
  progress_clear();
  if (!s->output)
    fputs(s->text, stdout);
  return 0;
}

int command_tune(int argc, char **argv) {
  settings s = {.backend = "cuda",
                .dims = 0xe,
                .widths = 0x1fffc,
                .precisions = 1,
                .values = 1,
                .n_densities = 1,
                .densities = {1},
                .cells = 4e6,
                .trials = 40,
                .seed = 1};
  int option;
  progress_mode(1);
  optind = 1;
  while ((option = command_option(argc, argv, tune_table)) != -1) {
    if (option == '?')
      return EXIT_USAGE;
    TRY(take(&s, option, optarg));
    if (s.helped)
      return 0;
  }
  if (optind < argc)
    return fail_usage("'%s' belongs to no option; see offgrid tune --help", argv[optind]);
  int code = run(&s);
  if (code && s.output && s.done > 1)
    code = fail_after(code, s.output);
  free(s.text);
  return code;
}
