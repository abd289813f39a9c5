/* What the array formats share: sizes, conversion, and the choice of the format by name. */
#define _POSIX_C_SOURCE 200809L
#include "array.h"

#include "message.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int64_t array_count(const array *a) {
  int64_t count = 1;
  for (int d = 0; d < a->ndim; d++)
    count *= a->n[d];
  return count;
}

size_t array_item(const array *a) { return (a->is_single ? 4u : 8u) * (a->is_complex ? 2u : 1u); }

/* A zero dimension makes the array empty, but the others must still multiply: array_count is used freely afterwards. */
int array_bytes(const array *a, const char *what, size_t *bytes) {
  int64_t total = (int64_t)array_item(a);
  int empty = 0;
  for (int d = 0; d < a->ndim; d++) {
    if (a->n[d] < 0)
      return fail("%s: a dimension is negative (%lld)", what, (long long)a->n[d]);
    if (a->n[d] == 0)
      empty = 1;
    else if (total > INT64_MAX / 2 / a->n[d])
      return fail("%s: its dimensions multiply to more than 2^62 bytes", what);
    else
      total *= a->n[d];
  }
  *bytes = empty ? 0 : (size_t)total;
  return 0;
}

int array_allocate(array *a, const char *what) {
  size_t bytes = 0;
  TRY(array_bytes(a, what, &bytes));
  a->data = malloc(bytes ? bytes : 1);
  if (!a->data)
    return fail("%s: out of memory, %zu bytes wanted", what, bytes);
  return 0;
}

void array_free(array *a) {
  free(a->data);
  a->data = NULL;
}

static double get(const void *data, int is_single, int64_t i) {
  return is_single ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void set(void *data, int is_single, int64_t i, double value) {
  if (is_single)
    ((float *)data)[i] = (float)value;
  else
    ((double *)data)[i] = value;
}

int array_convert(array *a, int is_complex, int is_single, const char *what) {
  is_complex = !!is_complex, is_single = !!is_single;
  if (a->is_complex == is_complex && a->is_single == is_single)
    return 0;
  int64_t count = array_count(a);
  if (a->is_complex && !is_complex)
    for (int64_t i = 0; i < count; i++)
      if (get(a->data, a->is_single, 2 * i + 1) != 0)
        return fail("%s: real numbers are wanted, but number %lld has an imaginary part of %g", what, (long long)i,
                    get(a->data, a->is_single, 2 * i + 1));
  array b = *a;
  b.is_complex = is_complex;
  b.is_single = is_single;
  TRY(array_allocate(&b, what));
  int from = a->is_complex ? 2 : 1, to = is_complex ? 2 : 1;
  for (int64_t i = 0; i < count; i++) {
    set(b.data, is_single, to * i, get(a->data, a->is_single, from * i));
    if (is_complex)
      set(b.data, is_single, 2 * i + 1, a->is_complex ? get(a->data, a->is_single, 2 * i + 1) : 0);
  }
  array_free(a);
  *a = b;
  return 0;
}

const char *array_shape_text(const array *a, array_format format, char *text, size_t bytes) {
  size_t used = 0;
  snprintf(text, bytes, "1 number");
  for (int i = 0; i < a->ndim && used < bytes; i++) {
    int d = format == ARRAY_CFL ? i : a->ndim - 1 - i;
    used += (size_t)snprintf(text + used, bytes - used, "%s%lld", i ? " x " : "", (long long)a->n[d]);
  }
  return text;
}

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

array_format array_format_of(const char *path) {
  if (strstr(path, ":/") || ends_with(path, ".h5") || ends_with(path, ".hdf5"))
    return ARRAY_HDF5;
  if (ends_with(path, ".npy"))
    return ARRAY_NPY;
  if (ends_with(path, ".cfl") || ends_with(path, ".hdr"))
    return ARRAY_CFL;
  char header[4096];
  struct stat status;
  if ((size_t)snprintf(header, sizeof header, "%s.hdr", path) < sizeof header && !stat(header, &status))
    return ARRAY_CFL;
  return ARRAY_UNKNOWN;
}

static int unknown_format(const char *path) {
  return fail_usage("%s: unknown format; a name ends in .npy or .cfl, or is file.h5:/dataset", path);
}

int array_open(const char *path, FILE **file, int64_t *bytes) {
  *file = NULL;
  *bytes = 0;
  struct stat status;
  if (stat(path, &status))
    return fail("%s: cannot be read: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fail("%s: is not a regular file", path);
  *file = fopen(path, "rb");
  if (!*file)
    return fail("%s: cannot be read: %s", path, strerror(errno));
  *bytes = (int64_t)status.st_size;
  return 0;
}

int array_read_data(FILE *file, void *data, size_t bytes, const char *name) {
  size_t got = bytes ? fread(data, 1, bytes, file) : 0;
  if (got == bytes)
    return 0;
  if (ferror(file))
    return fail("%s: read error after %zu of %zu bytes of data: %s", name, got, bytes, strerror(errno));
  return fail("%s: is cut short: %zu of %zu bytes of data are there", name, got, bytes);
}

static int read_npy_file(array *a, const char *path) {
  FILE *file = NULL;
  int64_t bytes = 0;
  TRY(array_open(path, &file, &bytes));
  int code = npy_read(a, file, bytes, path);
  fclose(file);
  return code;
}

int array_read(array *a, const char *path) {
  memset(a, 0, sizeof *a);
  int code;
  switch (array_format_of(path)) {
  case ARRAY_NPY:
    code = read_npy_file(a, path);
    break;
  case ARRAY_CFL:
    code = cfl_read(a, path);
    break;
  case ARRAY_HDF5:
    code = hdf5_read(a, path);
    break;
  default:
    return unknown_format(path);
  }
  if (code)
    array_free(a);
  return code;
}

int array_write(const array *a, const char *path) {
  switch (array_format_of(path)) {
  case ARRAY_NPY:
    return npy_write(a, path);
  case ARRAY_CFL:
    return cfl_write(a, path);
  case ARRAY_HDF5:
    return hdf5_write(a, path);
  default:
    return unknown_format(path);
  }
}

int array_writable(const char *path) {
  array_format format = array_format_of(path);
  if (format == ARRAY_UNKNOWN)
    return unknown_format(path);
  const char *colon = strstr(path, ":/");
  if (format == ARRAY_HDF5 && (!colon || !colon[2]))
    return fail_usage("%s: say which dataset to write: file.h5:/name", path);
  char file[4096];
  if ((size_t)snprintf(file, sizeof file, "%s", path) >= sizeof file)
    return fail("%s: the name is too long", path);
  if (format == ARRAY_HDF5)
    *strstr(file, ":/") = 0;
  return output_writable(file);
}
