/* Numbers and sizes as people write them. */
#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int parse_number(const char *text, double *value) {
  char *end;
  if (!*text || isspace((unsigned char)*text))
    return 0;
  double number = strtod(text, &end);
  if (*end || !isfinite(number))
    return 0;
  *value = number;
  return 1;
}

int parse_count(const char *text, int64_t *value) {
  double number;
  if (!parse_number(text, &number) || number < 0 || number > 9007199254740992.0 || number != floor(number))
    return 0;
  *value = (int64_t)number;
  return 1;
}

int parse_int(const char *text, int *value) {
  double number;
  if (!parse_number(text, &number) || number < INT_MIN || number > INT_MAX || number != floor(number))
    return 0;
  *value = (int)number;
  return 1;
}

/* Splits a short text at `separator` into at most three pieces; 0 where there are more, or an empty one. */
static int split(const char *text, char separator, char pieces[3][64]) {
  int n = 0;
  for (;;) {
    const char *end = strchr(text, separator);
    size_t length = end ? (size_t)(end - text) : strlen(text);
    if (n == 3 || length == 0 || length >= 64)
      return 0;
    memcpy(pieces[n], text, length);
    pieces[n++][length] = 0;
    if (!end)
      return n;
    text = end + 1;
  }
}

int parse_sizes(const char *text, int64_t n[3], int *ndim) {
  char pieces[3][64];
  int64_t sizes[3] = {1, 1, 1};
  int count = split(text, 'x', pieces);
  for (int d = 0; d < count; d++)
    if (!isdigit((unsigned char)pieces[d][0]) || !parse_count(pieces[d], &sizes[d]) || sizes[d] < 1)
      return 0;
  if (!count)
    return 0;
  memcpy(n, sizes, sizeof sizes);
  *ndim = count;
  return 1;
}

int parse_list(const char *text, double values[3], int *n) {
  char pieces[3][64];
  double numbers[3] = {0, 0, 0};
  int count = split(text, ',', pieces);
  for (int d = 0; d < count; d++)
    if (!parse_number(pieces[d], &numbers[d]))
      return 0;
  if (!count)
    return 0;
  memcpy(values, numbers, sizeof numbers);
  *n = count;
  return 1;
}
