/* numpy's .npy format, versions 1 to 3: magic, version, length of the header, a Python dictionary as text
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, padding, data.
 * Format: numpy.lib.format in numpy's documentation. */
#include "array.h"
#include "message.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_LIMIT (1 << 20) /* a real header has about a hundred bytes */

typedef struct header {
  const char *at, *end; /* cursor in the text */
  int swap, fortran;
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim;
  int has_descr, has_order, has_shape;
} header;

static void skip_spaces(header *h) {
  while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
    h->at++;
}

/* Consumes c if it is next. */
static int take(header *h, char c) {
  skip_spaces(h);
  if (h->at < h->end && *h->at == c)
    return h->at++, 1;
  return 0;
}

static int take_word(header *h, const char *word) {
  skip_spaces(h);
  size_t n = strlen(word);
  if ((size_t)(h->end - h->at) >= n && !memcmp(h->at, word, n))
    return h->at += n, 1;
  return 0;
}

/* A quoted text without escapes, as numpy writes keys and types. */
static int take_string(header *h, char *text, size_t bytes) {
  char quote = take(h, '\'') ? '\'' : take(h, '"') ? '"' : 0;
  if (!quote)
    return 0;
  size_t n = 0;
  while (h->at < h->end && *h->at != quote) {
    if (n + 1 >= bytes)
      return 0;
    text[n++] = *h->at++;
  }
  text[n] = 0;
  return take(h, quote);
}

static int read_type(header *h, array *a, const char *name) {
  char type[16];
  if (!take_string(h, type, sizeof type))
    return fail("%s: its numbers are no plain type (a record or an object?); save float or complex numbers", name);
  static const struct {
    const char *code;
    int is_complex, is_single;
  } known[] = {{"f4", 0, 1}, {"f8", 0, 0}, {"c8", 1, 1}, {"c16", 1, 0}};
  if (type[0] == '<' || type[0] == '>')
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      if (!strcmp(type + 1, known[i].code)) {
        a->is_complex = known[i].is_complex;
        a->is_single = known[i].is_single;
        h->swap = type[0] == '>';
        return 0;
      }
  return fail("%s: its numbers are of type '%s'; float32, float64, complex64 and complex128 can be read: convert with "
              "astype",
              name, type);
}

static int read_shape(header *h, const char *name) {
  if (!take(h, '('))
    return fail("%s: corrupt header: the shape is no tuple", name);
  while (!take(h, ')')) {
    if (h->ndim == ARRAY_MAX_DIMS)
      return fail("%s: has more than %d dimensions", name, ARRAY_MAX_DIMS);
    skip_spaces(h);
    int64_t n = 0;
    const char *first = h->at;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
      if (n > (INT64_MAX - 9) / 10)
        return fail("%s: corrupt header: a dimension has too many digits", name);
      n = 10 * n + (*h->at - '0');
    }
    if (h->at == first)
      return fail("%s: corrupt header: a dimension is no number", name);
    h->shape[h->ndim++] = n;
    if (!take(h, ',') && !(h->at < h->end && *h->at == ')'))
      return fail("%s: corrupt header: the shape is cut short", name);
  }
  return 0;
}

static int read_entry(header *h, array *a, const char *name) {
  char key[32];
  if (!take_string(h, key, sizeof key) || !take(h, ':'))
    return fail("%s: corrupt header: a key is missing", name);
  int *seen = !strcmp(key, "descr")           ? &h->has_descr
              : !strcmp(key, "fortran_order") ? &h->has_order
              : !strcmp(key, "shape")         ? &h->has_shape
                                              : NULL;
  if (!seen)
    return fail("%s: corrupt header: unknown key '%s'", name, key);
  if ((*seen)++)
    return fail("%s: corrupt header: key '%s' comes twice", name, key);
  if (seen == &h->has_descr)
    return read_type(h, a, name);
  if (seen == &h->has_shape)
    return read_shape(h, name);
  h->fortran = take_word(h, "True");
  if (!h->fortran && !take_word(h, "False"))
    return fail("%s: corrupt header: fortran_order is neither True nor False", name);
  return 0;
}

static int read_dictionary(header *h, array *a, const char *name) {
  if (!take(h, '{'))
    return fail("%s: corrupt header: no dictionary", name);
  while (!take(h, '}')) {
    TRY(read_entry(h, a, name));
    skip_spaces(h);
    if (!take(h, ',') && !(h->at < h->end && *h->at == '}'))
      return fail("%s: corrupt header: the dictionary is cut short", name);
  }
  skip_spaces(h);
  if (h->at != h->end)
    return fail("%s: corrupt header: text after the dictionary", name);
  if (!h->has_descr || !h->has_order || !h->has_shape)
    return fail("%s: corrupt header: descr, fortran_order or shape is missing", name);
  return 0;
}

static void swap_bytes(void *data, size_t bytes, size_t size) {
  for (unsigned char *p = data, *end = p + bytes; p < end; p += size)
    for (size_t i = 0; i < size / 2; i++) {
      unsigned char t = p[i];
      p[i] = p[size - 1 - i];
      p[size - 1 - i] = t;
    }
}

/* From first index fastest to last index fastest, the shape staying what it is. */
static int transpose(array *a, const header *h, const char *name) {
  array b = *a;
  TRY(array_allocate(&b, name));
  size_t item = array_item(a);
  int64_t stride[ARRAY_MAX_DIMS], index[ARRAY_MAX_DIMS] = {0}, count = array_count(a), from = 0;
  for (int d = 0; d < h->ndim; d++)
    stride[d] = d ? stride[d - 1] * h->shape[d - 1] : 1;
  for (int64_t to = 0; to < count; to++) {
    memcpy((char *)b.data + (size_t)to * item, (char *)a->data + (size_t)from * item, item);
    for (int d = h->ndim - 1; d >= 0; d--) {
      from += stride[d];
      if (++index[d] < h->shape[d])
        break;
      from -= index[d] * stride[d];
      index[d] = 0;
    }
  }
  array_free(a);
  *a = b;
  return 0;
}

static int read_header(header *h, array *a, FILE *file, int64_t bytes, const char *name, char **text, int64_t *used) {
  unsigned char start[12];
  if (bytes < 10 || fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0)
    return fail("%s: is no .npy file (its first bytes are not numpy's)", name);
  if (start[6] < 1 || start[6] > 3)
    return fail("%s: .npy version %d is unknown; versions 1, 2 and 3 can be read", name, start[6]);
  int64_t length = start[8] | start[9] << 8;
  *used = 10;
  if (start[6] > 1) {
    if (fread(start + 10, 1, 2, file) != 2)
      return fail("%s: is cut short in its header", name);
    length |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
    *used = 12;
  }
  if (length > HEADER_LIMIT || length > bytes - *used)
    return fail("%s: is cut short in its header (%lld bytes of header, %lld of file)", name, (long long)length,
                (long long)bytes);
  *used += length;
  *text = malloc((size_t)length + 1);
  if (!*text)
    return fail("%s: out of memory", name);
  TRY(array_read_data(file, *text, (size_t)length, name));
  h->at = *text;
  h->end = *text + length;
  return read_dictionary(h, a, name);
}

int npy_read(array *a, FILE *file, int64_t bytes, const char *name) {
  memset(a, 0, sizeof *a);
  header h = {0};
  char *text = NULL;
  int64_t used = 0;
  int code = read_header(&h, a, file, bytes, name, &text, &used);
  free(text);
  if (code)
    return code;
  a->ndim = h.ndim;
  for (int d = 0; d < h.ndim; d++)
    a->n[d] = h.shape[h.ndim - 1 - d];
  size_t wanted;
  TRY(array_bytes(a, name, &wanted));
  if ((uint64_t)wanted != (uint64_t)(bytes - used))
    return fail("%s: is %s: its header promises %zu bytes of data, %lld are there", name,
                (uint64_t)wanted > (uint64_t)(bytes - used) ? "cut short" : "too long", wanted,
                (long long)(bytes - used));
  TRY(array_allocate(a, name));
  code = array_read_data(file, a->data, wanted, name);
  if (!code && h.swap)
    swap_bytes(a->data, wanted, a->is_single ? 4 : 8);
  if (!code && h.fortran && h.ndim > 1)
    code = transpose(a, &h, name);
  if (code)
    array_free(a);
  return code;
}

static int write_all(output *o, const array *a, const char *path) {
  char text[1024];
  size_t bytes, n = (size_t)snprintf(text, sizeof text, "{'descr': '<%s', 'fortran_order': False, 'shape': (",
                                     a->is_complex ? (a->is_single ? "c8" : "c16") : (a->is_single ? "f4" : "f8"));
  for (int d = a->ndim - 1; d >= 0; d--)
    n += (size_t)snprintf(text + n, sizeof text - n, "%lld,%s", (long long)a->n[d], d ? " " : "");
  n += (size_t)snprintf(text + n, sizeof text - n, "), }");
  while ((10 + n + 1) % 64)
    text[n++] = ' ';
  text[n++] = '\n';
  unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(n & 255), (unsigned char)(n >> 8)};
  TRY(array_bytes(a, path, &bytes));
  TRY(output_write(o, start, sizeof start));
  TRY(output_write(o, text, n));
  return output_write(o, a->data, bytes);
}

int npy_write(const array *a, const char *path) {
  output o;
  TRY(output_open(&o, path));
  int code = write_all(&o, a, path);
  if (code)
    output_abandon(&o);
  return code ? code : output_commit(&o);
}
