/* The command line of `offgrid transform`. */
#include "command.h"
#include "message.h"
#include "parse.h"
#include "transform.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: offgrid transform --type 1|2|3 --points FILES --input FILE --output FILE [OPTION...]\n"
    "\n"
    "  type 1  modes[k]   = sum_j strengths[j] exp( s i k.x_j)       points -> modes\n"
    "  type 2  values[j]  = sum_k modes[k] exp(-s i k.x_j)           modes -> points, the adjoint of type 1\n"
    "  type 3  results[l] = sum_j strengths[j] exp( s i omega_l.x_j) points -> targets\n"
    "\n"
    "files: NAME.npy; NAME.cfl with NAME.hdr (BART); FILE.h5:/DATASET (HDF5). Output appears whole or not at all.\n"
    "  --points FILES       one file per dimension, x.npy,y.npy,z.npy, or one array [points, d] or [d, points]\n"
    "  --targets FILES      type 3: the frequencies omega, in the same forms\n"
    "  --input FILE         types 1, 3: strengths [vectors..., points]; type 2: modes [vectors..., N_z, N_y, N_x]\n"
    "  --output FILE        type 1: modes [vectors..., N_z, N_y, N_x]; types 2, 3: [vectors..., points]\n"
    "  --weights FILE       one factor per point: on the strengths, for type 2 on the values\n"
    "  --image FILE.png     also the root of the sum of squares over the vectors, as a grey picture (type 1)\n"
    "transform:\n"
    "  --modes 128x128x64   mode counts N_x x N_y x N_z; wanted for type 1, and for type 2 with --real\n"
    "  --tol 1e-6           relative l2 error asked for\n"
    "  --precision f32|f64  of the arithmetic and the output; f32 where the input is and tol >= 1e-6, else f64\n"
    "  --sign -1|1          s; -1 is the default\n"
    "  --real               real strengths and values; modes k_x = 0 ... N_x/2 only\n"
    "  --order ascending|fft  of the modes: -N/2 first, or 0 first\n"
    "  --period P[,P,P]     of the coordinates; 2 pi is the default\n"
    "  --scale-points       coordinates in units of 1/FOV, as BART's: the same as the period N in each dimension\n"
    "how:\n"
    "  --backend NAME  --threads N  --sigma S  --width W  --window NAME  --batch N (vectors at once; 8)\n"
    "  --option NAME=VALUE  any option of the library; offgrid info --options lists them\n"
    "report:\n"
    "  --check[=SAMPLES]    relative l2 error on a sample of the results, against the direct sum\n"
    "  --progress           say on stderr what is being done, also where that is no terminal\n"
    "  --quiet              print nothing but errors\n"
    "\n"
    "exit codes: 0 done; 1 failed: no output was written, or the message says which was; 2 wrong command line;\n"
    "3 written, but --check measured an error above 2.2 times what was asked for and promised, or not finite\n";

enum {
  TYPE = 256,
  POINTS,
  TARGETS,
  INPUT,
  OUTPUT,
  WEIGHTS,
  IMAGE,
  MODES,
  TOL,
  PRECISION,
  REAL,
  PERIOD,
  SCALE,
  BATCH,
  OPTION,
  CHECK,
  PROGRESS,
  QUIET,
  PLAIN
};

/* Options that are the library's own under another or the same name. */
static const char *const plain[][2] = {{"sign", "sign"},       {"order", "mode_order"}, {"backend", "backend"},
                                       {"threads", "threads"}, {"sigma", "sigma"},      {"width", "width"},
                                       {"window", "window"}};

const struct option transform_table[] = {
    {"type", 1, 0, TYPE},           {"points", 1, 0, POINTS},     {"targets", 1, 0, TARGETS},
    {"input", 1, 0, INPUT},         {"output", 1, 0, OUTPUT},     {"weights", 1, 0, WEIGHTS},
    {"image", 1, 0, IMAGE},         {"modes", 1, 0, MODES},       {"tol", 1, 0, TOL},
    {"precision", 1, 0, PRECISION}, {"real", 0, 0, REAL},         {"period", 1, 0, PERIOD},
    {"scale-points", 0, 0, SCALE},  {"batch", 1, 0, BATCH},       {"option", 1, 0, OPTION},
    {"check", 2, 0, CHECK},         {"progress", 0, 0, PROGRESS}, {"quiet", 0, 0, QUIET},
    {"sign", 1, 0, PLAIN},          {"order", 1, 0, PLAIN + 1},   {"backend", 1, 0, PLAIN + 2},
    {"threads", 1, 0, PLAIN + 3},   {"sigma", 1, 0, PLAIN + 4},   {"width", 1, 0, PLAIN + 5},
    {"window", 1, 0, PLAIN + 6},    {"help", 0, 0, 'h'},          {0, 0, 0, 0}};

static int set(transform_options *t, const char *name, const char *value) {
  return fail_library(og_options_set(&t->plan, name, value), "options");
}

/* NAME=VALUE; the text stays in argv, where the options keep pointing. */
static int set_any(transform_options *t, char *text) {
  char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return fail_usage("--option wants NAME=VALUE, not '%s'; offgrid info --options lists the names", text);
  *equals = 0;
  if (!strcmp(text, "spread_only") && strcmp(equals + 1, "0") != 0)
    return fail_usage(
        "--option spread_only: this command transforms; spreading alone is for the library's own callers");
  if (!strcmp(text, "precision"))
    t->precision_given = 1;
  return set(t, text, equals + 1);
}

static int set_period(transform_options *t, const char *text) {
  double period[3];
  int n;
  if (!parse_list(text, period, &n) || period[0] <= 0 || (n > 1 && period[1] <= 0) || (n > 2 && period[2] <= 0))
    return fail_usage("--period wants one to three numbers > 0 such as 1 or 1,1,2, not '%s'", text);
  t->n_periods = n;
  t->plan.period_x = period[0];
  t->plan.period_y = n > 1 ? period[1] : period[0];
  t->plan.period_z = n > 2 ? period[2] : period[n - 1];
  return 0;
}

static int take(transform_options *t, int option, char *value) {
  switch (option) {
  case TYPE:
    if (strlen(value) != 1 || *value < '1' || *value > '3')
      return fail_usage("--type is 1, 2 or 3, not '%s'", value);
    t->type = *value - '0';
    return 0;
  case POINTS:
    t->points = value;
    return 0;
  case TARGETS:
    t->targets = value;
    return 0;
  case INPUT:
    t->input = value;
    return 0;
  case OUTPUT:
    t->output = value;
    return 0;
  case WEIGHTS:
    t->weights = value;
    return 0;
  case IMAGE:
    t->image = value;
    return 0;
  case MODES:
    if (!parse_sizes(value, t->n_modes, &t->ndim))
      return fail_usage("--modes wants one to three counts >= 1 such as 128x128x64, not '%s'", value);
    return 0;
  case TOL:
    return set(t, "tolerance", value);
  case PRECISION:
    t->precision_given = 1;
    return set(t, "precision", value);
  case REAL:
    t->plan.values = OG_REAL;
    return 0;
  case PERIOD:
    return set_period(t, value);
  case SCALE:
    t->scale_points = 1;
    return 0;
  case BATCH:
    if (!parse_count(value, &t->batch) || t->batch < 1)
      return fail_usage("--batch wants a count >= 1, not '%s'", value);
    return 0;
  case OPTION:
    return set_any(t, value);
  case CHECK:
    t->check = 1;
    if (value && (!parse_count(value, &t->samples) || t->samples < 1))
      return fail_usage("--check wants a number of samples >= 1, not '%s'", value);
    return 0;
  case PROGRESS:
    progress_mode(2);
    return 0;
  case QUIET:
    t->quiet = 1;
    progress_mode(0);
    return 0;
  case 'h':
    t->help = 1;
    fputs(help, stdout);
    return 0;
  default:
    return option >= PLAIN ? set(t, plain[option - PLAIN][1], value) : EXIT_USAGE;
  }
}

static int complete(const transform_options *t) {
  const char *const names[][2] = {{"--points", t->points}, {"--targets", t->targets}, {"--input", t->input},
                                  {"--output", t->output}, {"--weights", t->weights}, {"--image", t->image}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i][1] && !*names[i][1])
      return fail_usage("%s has an empty name", names[i][0]);
  if (!t->type)
    return fail_usage("--type 1, 2 or 3 is missing; see offgrid transform --help");
  if (!t->points || !t->input || !t->output)
    return fail_usage("%s is missing; see offgrid transform --help", !t->points  ? "--points"
                                                                     : !t->input ? "--input"
                                                                                 : "--output");
  if (t->type == 3 && !t->targets)
    return fail_usage("type 3 needs --targets: the frequencies at which the sum is wanted");
  if (t->type != 3 && t->targets)
    return fail_usage("--targets is for type 3 only");
  if (t->type == 3 && (t->ndim || t->plan.values == OG_REAL || t->scale_points))
    return fail_usage("type 3 takes no --modes, --real or --scale-points");
  if (t->type == 1 && !t->ndim)
    return fail_usage("type 1 needs --modes, for example --modes 128x128");
  if (t->type == 2 && !t->ndim && t->plan.values == OG_REAL)
    return fail_usage("type 2 of real values needs --modes, because N_x/2 + 1 does not tell whether N_x is even");
  if (t->scale_points && (t->plan.period_x != 0 || t->plan.period_y != 0 || t->plan.period_z != 0))
    return fail_usage("--scale-points sets the periods: give it or --period");
  if (t->image && t->type != 1)
    return fail_usage("--image is for type 1 only");
  return 0;
}

int transform_options_read(transform_options *t, int argc, char **argv) {
  const og_options defaults = OG_OPTIONS_DEFAULT;
  *t = (transform_options){.plan = defaults, .batch = 8};
  progress_mode(1);
  optind = 1;
  int option;
  while ((option = command_option(argc, argv, transform_table)) != -1) {
    if (option == '?')
      return EXIT_USAGE;
    TRY(take(t, option, optarg));
    if (t->help)
      return 0;
  }
  if (optind < argc)
    return fail_usage("'%s' belongs to no option; see offgrid transform --help", argv[optind]);
  return complete(t);
}
