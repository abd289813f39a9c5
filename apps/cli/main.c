/* The `offgrid` command: finds the subcommand, prints its error as one line, ends with its exit code. */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "message.h"
#include "offgrid.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: offgrid COMMAND [OPTION...]\n"
    "\n"
    "Nonuniform fast Fourier transforms of arrays in files.\n"
    "\n"
    "commands:\n"
    "  transform  type 1, 2 or 3 of .npy, .cfl/.hdr or HDF5 arrays\n"
    "  bench      check and time problems given as strings, next to other libraries\n"
    "  window     compare spreading windows, and optimise their shape\n"
    "  tune       find the fastest kernels' parameters on a GPU\n"
    "  info       version, build, backends, instruction sets, options\n"
    "\n"
    "options:\n"
    "  --help     this text; offgrid COMMAND --help tells a command's options\n"
    "  --version  the version\n"
    "\n"
    "exit codes: 0 done; 1 a file, the library or the machine failed: no output file was written, or the message says\n"
    "which was; 2 the command line is wrong; 3 done, but a measured error is above what was asked for, or not finite\n";

static int print(const char *text) {
  fputs(text, stdout);
  return EXIT_OK;
}

static int run(int argc, char **argv, const char **name) {
  if (argc < 2)
    return fail_usage("a command is missing: transform, bench, window, tune or info; see offgrid --help");
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
    return print(help);
  if (!strcmp(argv[1], "--version"))
    return printf("offgrid %s\n", og_version()), EXIT_OK;
  for (int i = 0; command_table[i].name; i++)
    if (!strcmp(argv[1], command_table[i].name)) {
      *name = command_table[i].name;
      return command_table[i].run(argc - 1, argv + 1);
    }
  return fail_usage("unknown command '%s'; there are transform, bench, window, tune and info", argv[1]);
}

int main(int argc, char **argv) {
  /* a limit on file sizes and a plot program that went away become errors of write() */
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  const char *name = "";
  int code = run(argc, argv, &name);
  progress_clear();
  if (!code)
    code = flush_output();
  if (code)
    fprintf(stderr, "offgrid%s%s: %s\n", *name ? " " : "", name, fail_text());
  return code;
}
