/* getopt_long with its messages as one line of ours. */
#include "command.h"

#include "message.h"

#include <stddef.h>

const struct command command_table[] = {{"transform", command_transform, transform_table},
                                        {"bench", command_bench, bench_table},
                                        {"window", command_window, window_table},
                                        {"tune", command_tune, tune_table},
                                        {"info", command_info, info_table},
                                        {NULL, NULL, NULL}};

int command_option(int argc, char **argv, const struct option *options) {
  opterr = 0;
  int place = optind ? optind : 1, found = getopt_long(argc, argv, "+:h", options, NULL);
  if (found == '?')
    fail_store("unknown, ambiguous or unwanted option '%s'; offgrid %s --help lists the options",
               argv[place < argc ? place : argc - 1], argv[0]);
  else if (found == ':')
    fail_store("option '%s' needs a value; see offgrid %s --help", argv[place], argv[0]);
  return found == ':' ? '?' : found;
}
