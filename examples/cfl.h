/* BART's array files: NAME.hdr holds the dimensions as text, NAME.cfl single-precision complex numbers, first dimension
 * fastest. Errors are printed, and a NULL or non-zero is returned. */
#ifndef EXAMPLES_CFL_H
#define EXAMPLES_CFL_H
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CFL_DIMENSIONS = 16 };

typedef struct cfl_array {
  int64_t n[CFL_DIMENSIONS]; /* 1 where the file names fewer */
  int64_t count;
  float complex *data; /* [count], freed by the caller */
} cfl_array;

static inline FILE *cfl_open(const char *name, const char *suffix, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%s", name, suffix);
  FILE *file = fopen(path, mode);
  if (!file)
    perror(path);
  return file;
}

static inline int cfl_read_header(const char *name, cfl_array *array) {
  FILE *file = cfl_open(name, "hdr", "r");
  if (!file)
    return 1;
  char line[1024] = "";
  if (fgets(line, sizeof line, file) && line[0] == '#' && !fgets(line, sizeof line, file))
    line[0] = 0;
  fclose(file);
  array->count = 1;
  char *text = line;
  for (int d = 0; d < CFL_DIMENSIONS; d++) {
    char *end;
    long long n = strtoll(text, &end, 10);
    array->n[d] = end == text ? 1 : n;
    text = end;
    if (array->n[d] < 1 || array->n[d] > INT32_MAX || array->count > INT64_C(1) << 31) {
      fprintf(stderr, "%s.hdr: dimension %d is out of range\n", name, d);
      return 1;
    }
    array->count *= array->n[d];
  }
  return 0;
}

/* Non-zero, and data is NULL, where the files are missing, short or malformed. */
static inline int cfl_read(const char *name, cfl_array *array) {
  *array = (cfl_array){0};
  if (cfl_read_header(name, array))
    return 1;
  FILE *file = cfl_open(name, "cfl", "rb");
  if (!file)
    return 1;
  array->data = malloc((size_t)array->count * sizeof *array->data);
  size_t got = array->data ? fread(array->data, sizeof *array->data, (size_t)array->count, file) : 0;
  fclose(file);
  if (got == (size_t)array->count)
    return 0;
  fprintf(stderr, "%s.cfl: %zu of %lld numbers read\n", name, got, (long long)array->count);
  free(array->data);
  array->data = NULL;
  return 1;
}

static inline int cfl_write(const char *name, const int64_t n[CFL_DIMENSIONS], const float complex *data) {
  FILE *file = cfl_open(name, "hdr", "w");
  if (!file)
    return 1;
  size_t count = 1;
  fprintf(file, "# Dimensions\n");
  for (int d = 0; d < CFL_DIMENSIONS; d++) {
    fprintf(file, "%lld ", (long long)n[d]);
    count *= (size_t)n[d];
  }
  fprintf(file, "\n");
  int failed = fclose(file) != 0;
  file = cfl_open(name, "cfl", "wb");
  if (!file)
    return 1;
  failed |= fwrite(data, sizeof *data, count, file) != count;
  failed |= fclose(file) != 0;
  if (failed)
    fprintf(stderr, "%s: writing failed\n", name);
  return failed;
}
#endif
