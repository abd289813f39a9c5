/* Numbers and sizes as people write them on the command line and in problem strings. All return 1 where the whole text
 * was understood, else 0; nothing is stored then. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <stdint.h>

int parse_number(const char *text, double *value);          /* finite */
int parse_count(const char *text, int64_t *value);          /* whole, >= 0, below 2^53: 2000000 or 2e6 */
int parse_int(const char *text, int *value);                /* in int's range, negative too */
int parse_sizes(const char *text, int64_t n[3], int *ndim); /* 128x64x1: one to three counts >= 1 */
int parse_list(const char *text, double values[3], int *n); /* 1.5,2,3: one to three numbers */
#endif
