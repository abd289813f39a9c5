/* The subcommands, and what their command lines share. argv[0] is the subcommand's name. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <getopt.h>

int command_transform(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_window(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_info(int argc, char **argv);
extern const struct option transform_table[], bench_table[], window_table[], tune_table[], info_table[];

/* All of them; the last has no name. */
extern const struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const struct option *options;
} command_table[];

/* completion.c: writes the completion for bash to standard output. */
void completion_print(void);

/* getopt_long with its messages as ours: the option's letter or value, -1 at the end, '?' after fail_store(). */
int command_option(int argc, char **argv, const struct option *options);
#endif
