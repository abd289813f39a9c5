/* Completion for bash, made from the commands' own option tables, so that it cannot lag behind them. */
#include "command.h"
#include "offgrid.h"

#include <stdio.h>
#include <string.h>

/* Values that are words. Other values complete as file names, which is what bash does where nothing is offered. */
static const struct {
  const char *option, *words;
} values[] = {{"type", "1 2 3"},
              {"precision", "f32 f64"},
              {"sign", "-1 1"},
              {"order", "ascending fft"},
              {"peer", "finufft ducc"},
              {"kinds", "all"},
              {"values", "complex real both"}};

static void print_windows(void) {
  for (int i = 0; og_window_name(i); i++)
    printf(" %s", og_window_name(i));
}

static void print_backends(void) {
  printf(" auto");
  for (int i = 0; og_backend_name(i); i++)
    printf(" %s", og_backend_name(i));
}

static void print_name(const char *name, const char *value, const char *doc, void *context) {
  (void)value, (void)doc, (void)context;
  printf(" %s=", name);
}

/* The words that an option's value may be; returns whether there are any. */
static int print_words(const char *command, const char *option) {
  int lists = !strcmp(option, "window") || !strcmp(option, "kinds"), names = !strcmp(option, "option");
  const char *words = "";
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (!strcmp(option, values[i].option))
      words = values[i].words;
  int is_backend = !strcmp(option, "backend");
  if (!*words && !lists && !names && !is_backend)
    return 0;
  printf("  '%s --%s') words='%s", command, option, words);
  if (lists)
    print_windows();
  if (is_backend)
    print_backends();
  if (names)
    og_options_list(print_name, NULL);
  printf("' ;;\n");
  return 1;
}

static void print_command(const char *command, const struct option *options) {
  for (const struct option *o = options; o->name; o++)
    if (o->has_arg == required_argument && !print_words(command, o->name))
      printf("  '%s --%s') return ;;\n", command, o->name);
  printf("  %s\\ *) words='", command);
  for (const struct option *o = options; o->name; o++)
    printf("%s--%s", o == options ? "" : " ", o->name);
  printf("' ;;\n");
}

void completion_print(void) {
  puts("# Completion of offgrid for bash, made by `offgrid info --completion`.\n"
       "_offgrid() {\n"
       "  local current=${COMP_WORDS[COMP_CWORD]} words\n"
       "  COMPREPLY=()\n"
       "  case \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}\" in");
  printf("  *' offgrid' | *'/offgrid') words='");
  for (int i = 0; command_table[i].name; i++)
    printf("%s ", command_table[i].name);
  puts("--help --version' ;;");
  for (int i = 0; command_table[i].name; i++)
    print_command(command_table[i].name, command_table[i].options);
  puts("  *) return ;;\n"
       "  esac\n"
       "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
       "  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
       "}\n"
       "complete -o default -F _offgrid offgrid");
}
