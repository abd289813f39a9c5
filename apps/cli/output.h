/* Files that appear whole or not at all: data go to a file without a name (or, where the file system has none, with a
 * temporary one in the same folder), which gets its name when everything is on the disk. A full disk or a kill leaves
 * what was there before. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>

typedef struct output {
  int fd;               /* -1 when closed */
  char *target;         /* the final name, links resolved */
  char temporary[4200]; /* "" while the file has no name */
} output;

/* Begins the file that will replace path. On error there is nothing to abandon. */
int output_open(output *o, const char *path);
int output_write(output *o, const void *data, size_t bytes);
/* Flushes to the disk and gives the file its name; closes in any case. */
int output_commit(output *o);
void output_abandon(output *o);
/* The checks that can be done before the work: no folder, no device, and its folder takes new files. */
int output_writable(const char *path);
#endif
