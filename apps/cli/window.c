/* offgrid window: a table of spreading windows at one sigma and width, their best shapes, and a picture. */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "image.h"
#include "message.h"
#include "output.h"
#include "parse.h"
#include "window_measure.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static const char help[] =
    "usage: offgrid window [OPTION...]\n"
    "\n"
    "Compares spreading windows. Columns: width in cells; shape parameter; bound: relative l2 error by aliasing, 1-D;\n"
    "measured: error of a 1-D transform of type 1 against the direct sum; degree of the polynomials; ns: time to "
    "spread a\n"
    "point in 1-D, one thread.\n"
    "\n"
    "  --sigma 2            oversampling\n"
    "  --width 7            cells; kinds of one fixed width show theirs\n"
    "  --kinds all|A,B,...  pswf, es, kb, gaussian, linear, cubic, bh\n"
    "  --shape S            shape parameter instead of the best known\n"
    "  --optimise           a second row per kind: the shape that makes the bound smallest, found by search\n"
    "  --plot FILE.png      windows, their Fourier transforms and errors by mode (needs gnuplot)\n"
    "  --json               one JSON array on standard output, nothing else\n"
    "\n"
    "exit codes: 0 done; 1 failed; 2 wrong command line\n";

enum { SIGMA = 256, WIDTH, KINDS, SHAPE, OPTIMISE, PLOT, JSON };

const struct option window_table[] = {{"sigma", 1, 0, SIGMA},       {"width", 1, 0, WIDTH},
                                      {"kinds", 1, 0, KINDS},       {"shape", 1, 0, SHAPE},
                                      {"optimise", 0, 0, OPTIMISE}, {"optimize", 0, 0, OPTIMISE},
                                      {"plot", 1, 0, PLOT},         {"json", 0, 0, JSON},
                                      {"help", 0, 0, 'h'},          {0, 0, 0, 0}};

enum { MAX_ENTRIES = 64 };

typedef struct settings {
  double sigma, shape;
  int width, optimise, json, helped;
  const char *kinds, *plot;
  int n;
  window_entry *entries; /* [MAX_ENTRIES] */
  int optimised[MAX_ENTRIES];
} settings;

static int take(settings *s, int option, const char *value) {
  switch (option) {
  case SIGMA:
    if (!parse_number(value, &s->sigma) || s->sigma < 1.1 || s->sigma > 4)
      return fail_usage("--sigma wants a number from 1.1 to 4, not '%s'", value);
    return 0;
  case WIDTH:
    if (!parse_int(value, &s->width) || s->width < 2 || s->width > 16)
      return fail_usage("--width wants a count from 2 to 16, not '%s'", value);
    return 0;
  case KINDS:
    s->kinds = value;
    return 0;
  case SHAPE:
    if (!parse_number(value, &s->shape) || s->shape <= 0)
      return fail_usage("--shape wants a number > 0, not '%s'", value);
    return 0;
  case OPTIMISE:
    s->optimise = 1;
    return 0;
  case PLOT:
    s->plot = value;
    return image_writable("--plot", value);
  case JSON:
    s->json = 1;
    return 0;
  default:
    s->helped = 1;
    fputs(help, stdout);
    return 0;
  }
}

/* 1 where the comma-separated list holds the name. */
static int listed(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at += n)
    if ((at == list || at[-1] == ',') && (at[n] == ',' || !at[n]))
      return 1;
  return 0;
}

/* Every piece of --kinds must be a kind. */
static int check_kinds(const settings *s) {
  char names[256] = "";
  for (int i = 0; og_window_name(i); i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? "," : "", og_window_name(i));
  for (const char *at = s->kinds; *at; at += *at == ',') {
    char name[32];
    size_t n = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(n < 31 ? n : 31), at);
    if (n == 0 || !listed(names, name))
      return fail_usage("--kinds: '%s' is no window; there are %s", name, names);
    at += n;
  }
  return 0;
}

static int measure_all(settings *s) {
  int all = !strcmp(s->kinds, "all");
  if (!all)
    TRY(check_kinds(s));
  for (int i = 0; og_window_name(i); i++)
    for (int optimised = 0; optimised <= s->optimise; optimised++) {
      if ((!all && !listed(s->kinds, og_window_name(i))) || s->n == MAX_ENTRIES)
        continue;
      progress("measuring %s", og_window_name(i));
      s->optimised[s->n] = optimised;
      TRY(window_measure(&s->entries[s->n], og_window_name(i), s->width, s->sigma, optimised ? 0 : s->shape,
                         optimised));
      s->n++;
    }
  return 0;
}

static void print_table(const settings *s) {
  progress_clear();
  printf("sigma %g\n%-20s %5s %10s %10s %10s %6s %7s\n", s->sigma, "window", "width", "shape", "bound", "measured",
         "degree", "ns");
  for (int i = 0; i < s->n; i++) {
    const window_entry *e = &s->entries[i];
    char name[40];
    snprintf(name, sizeof name, "%s%s", e->name, s->optimised[i] ? ", optimised" : "");
    printf("%-20s %5d %10.5g %10.2e %10.2e %6d %7.2f\n", name, e->width, e->shape, e->bound, e->error, e->degree,
           e->nanoseconds);
  }
}

static int print_json(const settings *s) {
  json_t *all = json_array();
  for (int i = 0; i < s->n; i++) {
    const window_entry *e = &s->entries[i];
    json_array_append_new(all, json_pack("{s:s, s:b, s:f, s:i, s:f, s:f, s:f, s:i, s:f}", "window", e->name,
                                         "optimised", s->optimised[i], "sigma", e->sigma, "width", e->width, "shape",
                                         e->shape, "bound", e->bound, "measured", e->error, "degree", e->degree,
                                         "nanoseconds", e->nanoseconds));
  }
  int bad = json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(8));
  json_decref(all);
  putchar('\n');
  return bad ? fail("standard output cannot be written") : 0;
}

/* ---- the picture: everything through one pipe to gnuplot ---- */

static void plot_names(FILE *g, const settings *s, const char *block, const char *using) {
  fprintf(g, "plot ");
  for (int i = 0; i < s->n; i++)
    fprintf(g, "%s$%s%d using %s with lines lw 2 title '%s%s'", i ? ", " : "", block, i, using, s->entries[i].name,
            s->optimised[i] ? " optimised" : "");
  fprintf(g, "\n");
}

static void send_data(FILE *g, const window_entry *e, int i) {
  double peak = og_window_value(e->handle, 0), whole = og_window_transform(e->handle, 0);
  fprintf(g, "$value%d << EOD\n", i);
  for (int j = -200; j <= 200; j++)
    fprintf(g, "%g %g\n", e->width * j / 400.0, og_window_value(e->handle, e->width * j / 400.0) / peak);
  fprintf(g, "EOD\n$hat%d << EOD\n", i);
  for (int j = 0; j <= 800; j++)
    fprintf(g, "%g %g\n", j / 200.0, fabs(og_window_transform(e->handle, PI * j / 200)) / fabs(whole) + 1e-17);
  fprintf(g, "EOD\n$error%d << EOD\n", i);
  for (int j = 0; j < WINDOW_MODES; j++)
    fprintf(g, "%d %g\n", j - WINDOW_MODES / 2, e->profile[j] + 1e-17);
  fprintf(g, "EOD\n");
}

static void send_plot(FILE *g, const settings *s, const char *file) {
  fprintf(g, "set terminal pngcairo size 1000,1300\nset output '%s'\n", file);
  fprintf(g, "set multiplot layout 3,1 title 'spreading windows, sigma = %g, width = %d'\nset grid\nset key outside\n",
          s->sigma, s->width);
  for (int i = 0; i < s->n; i++)
    send_data(g, &s->entries[i], i);
  fprintf(g, "set xlabel 'cells'\nset ylabel 'window'\n");
  plot_names(g, s, "value", "1:2");
  fprintf(g,
          "set logscale y\nset format y '10^{%%T}'\nset xlabel 'frequency / pi (kept below %.3g, aliased from %.3g)'\n",
          1 / s->sigma, 2 - 1 / s->sigma);
  fprintf(g,
          "set arrow 1 from %g, graph 0 to %g, graph 1 nohead dt 2\nset arrow 2 from %g, graph 0 to %g, graph 1 nohead "
          "dt 2\n",
          1 / s->sigma, 1 / s->sigma, 2 - 1 / s->sigma, 2 - 1 / s->sigma);
  fprintf(g, "set ylabel '|Fourier transform|'\n");
  plot_names(g, s, "hat", "1:2");
  fprintf(g, "unset arrow\nset xlabel 'mode of %d'\nset ylabel 'measured error'\n", WINDOW_MODES);
  plot_names(g, s, "error", "1:2");
  fprintf(g, "unset multiplot\nunset output\n");
}

static int copy_file(const char *from, const char *to) {
  FILE *file = fopen(from, "rb");
  if (!file)
    return fail("gnuplot wrote no picture");
  output o;
  char buffer[1 << 14];
  size_t got, all = 0;
  int code = output_open(&o, to);
  if (!code) {
    while (!code && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
      code = output_write(&o, buffer, got);
      all += got;
    }
    if (!code && !all)
      code = fail("gnuplot wrote no picture");
    if (code)
      output_abandon(&o);
    else
      code = output_commit(&o);
  }
  fclose(file);
  return code;
}

/* gnuplot writes to a temporary file of our own name, so that no name of the user's has to be quoted for it. */
static int plot(const settings *s) {
  char temporary[] = "/tmp/offgrid-plot-XXXXXX";
  int fd = mkstemp(temporary);
  if (fd < 0)
    return fail("%s: %s", temporary, strerror(errno));
  close(fd);
  progress("plotting");
  FILE *g = popen("gnuplot >/dev/null 2>&1", "w");
  int code = 0, status = -1;
  if (g) {
    send_plot(g, s, temporary);
    status = pclose(g);
  }
  if (status)
    code = fail("--plot: gnuplot is missing or failed; install gnuplot-nox, or leave --plot out");
  else
    code = copy_file(temporary, s->plot);
  unlink(temporary);
  return code;
}

static int run(settings *s) {
  TRY(measure_all(s));
  if (s->json)
    TRY(print_json(s));
  else
    print_table(s);
  TRY(flush_output()); /* before there is a picture, so that a failure leaves none */
  return s->plot ? plot(s) : 0;
}

int command_window(int argc, char **argv) {
  settings s = {.sigma = 2, .width = 7, .kinds = "all"};
  int option;
  progress_mode(1);
  optind = 1;
  while ((option = command_option(argc, argv, window_table)) != -1) {
    if (option == '?')
      return EXIT_USAGE;
    TRY(take(&s, option, optarg));
    if (s.helped)
      return 0;
  }
  if (optind < argc)
    return fail_usage("'%s' belongs to no option; see offgrid window --help", argv[optind]);
  s.entries = calloc(MAX_ENTRIES, sizeof *s.entries);
  if (!s.entries)
    return fail("out of memory");
  int code = run(&s);
  for (int i = 0; i < s.n; i++)
    window_entry_free(&s.entries[i]);
  free(s.entries);
  return code;
}
