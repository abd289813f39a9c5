/* offgrid info: what this build is and what it finds on this machine. */
#include "command.h"
#include "message.h"
#include "offgrid.h"

#include <H5public.h>
#include <jansson.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: offgrid info [--options | --completion]\n"
    "\n"
    "Version, compiler, backends, instruction sets, threads, and the libraries behind the files.\n"
    "\n"
    "  --options      the library's options, their defaults and meanings, as Markdown\n"
    "  --completion   the completion of this command for bash; installed with it\n"
    "\n"
    "exit codes: 0 done; 1 failed; 2 wrong command line\n";

static void print_cell(const char *text) {
  for (; *text; text++)
    printf(*text == '|' ? "\\|" : "%c", *text);
}

static void print_option(const char *name, const char *value, const char *doc, void *context) {
  (void)context;
  printf("| `%s` | `%s` | ", name, value);
  print_cell(doc);
  puts(" |");
}

static void print_options(void) {
  puts("# Options\n\n"
       "Made by `offgrid info --options` from the table in `include/offgrid.h`. Each is a field of `og_options`, a "
       "name for\n"
       "`og_options_set` and for the command's `--option NAME=VALUE`. The environment variables `OFFGRID_BACKEND`, "
       "`OFFGRID_SIMD`,\n"
       "`OFFGRID_THREADS` and `OFFGRID_FFT_PLANNING` change the defaults of these four, which say how to compute; none "
       "changes what is\n"
       "computed.\n\n"
       "| option | default | meaning |\n"
       "|---|---|---|");
  og_options_list(print_option, NULL);
}

/* What the processor has; which of these the library uses is the plan's choice, below. */
static void print_processor(void) {
  printf("processor: ");
#if defined(__x86_64__)
  __builtin_cpu_init();
  printf("x86-64%s%s%s%s\n", __builtin_cpu_supports("avx2") ? " avx2" : "", __builtin_cpu_supports("fma") ? " fma" : "",
         __builtin_cpu_supports("avx512f") ? " avx512f" : "", __builtin_cpu_supports("avx512dq") ? " avx512dq" : "");
#elif defined(__aarch64__)
  puts("aarch64 neon");
#else
  puts("no known vector instructions");
#endif
}

/* The only way to know what a plan will use is to make one. */
static int print_choice(void) {
  og_plan plan;
  og_report report = {.size = sizeof report};
  const int64_t n = 16;
  const double x = 0;
  TRY(fail_library(og_plan_create(&plan, 1, &n, NULL), "plan"));
  int code = fail_library(og_plan_set_points(plan, 1, &x, NULL, NULL), "points");
  if (!code)
    code = fail_library(og_plan_report(plan, &report), "report");
  if (!code)
    printf("by default: backend %s, instruction set %s, %d thread%s\n", report.backend, report.simd, report.threads,
           report.threads == 1 ? "" : "s");
  og_plan_destroy(plan);
  return code;
}

static int print_all(void) {
  unsigned major, minor, release;
  printf("offgrid %s\n", og_version());
  printf("compiler: %s, %s\n", __VERSION__,
#ifdef __OPTIMIZE__
         "optimised"
#else
         "not optimised"
#endif
  );
  print_processor();
  for (int i = 0; og_backend_name(i); i++)
    printf("backend %s: %s\n", og_backend_name(i), og_backend_describe(i));
  printf("windows:");
  for (int i = 0; og_window_name(i); i++)
    printf(" %s", og_window_name(i));
  puts("");
  H5get_libversion(&major, &minor, &release);
  printf("files: HDF5 %u.%u.%u, libpng %s, jansson %s\n", major, minor, release, png_get_libpng_ver(NULL),
         JANSSON_VERSION);
  return print_choice();
}

const struct option info_table[] = {
    {"options", 0, 0, 'o'}, {"completion", 0, 0, 'c'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};

int command_info(int argc, char **argv) {
  int option, asked = 0;
  optind = 1;
  while ((option = command_option(argc, argv, info_table)) != -1) {
    if (option == '?')
      return EXIT_USAGE;
    if (option == 'h') {
      fputs(help, stdout);
      return 0;
    }
    asked = option;
  }
  if (optind < argc)
    return fail_usage("'%s' is no option of info; see offgrid info --help", argv[optind]);
  if (asked == 'o')
    print_options();
  else if (asked == 'c')
    completion_print();
  return asked ? 0 : print_all();
}
