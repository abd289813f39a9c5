/* Points from files. */
#define _DEFAULT_SOURCE
#include "points.h"

#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void points_free(points *p) {
  for (int d = 0; d < 3; d++) {
    free(p->x[d]);
    p->x[d] = NULL;
  }
}

static void set_shape(points *p, const array *a, int skip) {
  p->shape_ndim = 0;
  for (int d = 0; d < a->ndim; d++)
    if (d != skip)
      p->shape[p->shape_ndim++] = a->n[d];
}

/* The dimension of the array that counts x, y, z: the last one of numpy's shape before the first one, an exact match
 * before one with more rows. -1: none, the array holds one coordinate. -2: none fits. */
static int coordinate_dimension(const array *a, int ndim) {
  int fast = 0, slow = a->ndim - 1;
  if (a->ndim < 2)
    return ndim > 1 ? -2 : -1;
  if (ndim) {
    if (a->n[fast] == ndim)
      return fast;
    if (a->n[slow] == ndim)
      return slow;
  }
  if (a->n[fast] >= (ndim ? ndim : 1) && a->n[fast] <= 3)
    return fast;
  if (a->n[slow] >= (ndim ? ndim : 1) && a->n[slow] <= 3)
    return slow;
  return ndim == 1 ? -1 : -2;
}

static int from_array(points *p, array *a, const char *name, int ndim) {
  char text[512];
  int along = coordinate_dimension(a, ndim);
  if (along == -2)
    return fail("%s: its shape %s holds no points in %d dimensions: [points, %d] or [%d, points] is wanted", name,
                array_shape_text(a, array_format_of(name), text, sizeof text), ndim ? ndim : 3, ndim ? ndim : 3,
                ndim ? ndim : 3);
  int rows = along < 0 ? 1 : (int)a->n[along];
  p->ndim = ndim ? ndim : rows;
  p->n = array_count(a) / rows;
  set_shape(p, a, along);
  int64_t point_stride = along == 0 ? rows : 1, row_stride = along == 0 ? 1 : p->n;
  const double *data = a->data;
  for (int d = 0; d < rows; d++) {
    if (d >= p->ndim) {
      for (int64_t j = 0; j < p->n; j++)
        if (data[j * point_stride + d * row_stride] != 0)
          return fail("%s: has %d rows, and row %d is not zero: give %d mode counts", name, rows, d, rows);
      continue;
    }
    double *x = p->x[d] = malloc((size_t)p->n * sizeof(double) + 1);
    if (!x)
      return fail("%s: out of memory, %lld coordinates", name, (long long)p->n);
    for (int64_t j = 0; j < p->n; j++)
      x[j] = data[j * point_stride + d * row_stride];
  }
  return 0;
}

static int read_double(array *a, const char *name) {
  TRY(array_read(a, name));
  int code = array_convert(a, 0, 0, name);
  if (code)
    array_free(a);
  return code;
}

static int read_one(points *p, const char *name, int ndim) {
  array a;
  TRY(read_double(&a, name));
  int code = from_array(p, &a, name, ndim);
  array_free(&a);
  return code;
}

static int read_several(points *p, char *names, const char *files) {
  char *rest = names, *name;
  while ((name = strsep(&rest, ","))) {
    if (p->ndim == 3)
      return fail_usage("%s: a fourth file of coordinates; at most three dimensions", name);
    if (!*name)
      return fail_usage("'%s': there is an empty name between or beside the commas", files);
    array a;
    TRY(read_double(&a, name));
    int64_t n = array_count(&a);
    if (p->ndim && n != p->n) {
      array_free(&a);
      return fail("%s: has %lld coordinates, the first file has %lld", name, (long long)n, (long long)p->n);
    }
    p->n = n;
    if (!p->ndim)
      set_shape(p, &a, -1);
    p->x[p->ndim++] = a.data;
  }
  return 0;
}

int points_read(points *p, const char *files, int ndim) {
  memset(p, 0, sizeof *p);
  struct stat status;
  int code;
  if (!strchr(files, ',') || !stat(files, &status)) {
    code = read_one(p, files, ndim);
  } else {
    char *names = strdup(files);
    code = names ? read_several(p, names, files) : fail("%s: out of memory", files);
    free(names);
    if (!code && ndim && p->ndim != ndim)
      code = fail_usage("%s: %d files of coordinates, but %d dimension%s wanted", files, p->ndim, ndim,
                        ndim == 1 ? " is" : "s are");
  }
  if (code)
    points_free(p);
  return code;
}

int points_to_single(points *p) {
  for (int d = 0; d < p->ndim && !p->is_single; d++) {
    float *single = malloc((size_t)p->n * sizeof(float) + 1);
    if (!single)
      return fail("out of memory, %lld coordinates", (long long)p->n);
    for (int64_t j = 0; j < p->n; j++)
      single[j] = (float)((double *)p->x[d])[j];
    free(p->x[d]);
    p->x[d] = single; /* a failure later leaves floats behind, which only points_free may follow */
  }
  p->is_single = 1;
  return 0;
}
