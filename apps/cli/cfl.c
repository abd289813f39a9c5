/* BART's arrays: name.hdr, a text with a line of up to 16 dimensions after "# Dimensions", and name.cfl, complex floats,
 * first dimension fastest. Format: BART's documentation (doc/bart.tex, README). */
#include "array.h"
#include "message.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_LIMIT (1 << 20)

/* name.cfl, name.hdr or name -> both names. */
static int pair_of(const char *path, char header[4096], char data[4096]) {
  size_t n = strlen(path);
  if (n > 4 && (!strcmp(path + n - 4, ".cfl") || !strcmp(path + n - 4, ".hdr")))
    n -= 4;
  if (n + 5 > 4096)
    return fail("%s: the name is too long", path);
  snprintf(header, 4096, "%.*s.hdr", (int)n, path);
  snprintf(data, 4096, "%.*s.cfl", (int)n, path);
  return 0;
}

/* The line after "# Dimensions"; NULL where there is none. */
static char *dimensions_line(char *text) {
  static const char mark[] = "# Dimensions";
  for (char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (!strncmp(line, mark, sizeof mark - 1)) {
      line = strchr(line, '\n');
      return line ? line + 1 : NULL;
    }
  }
  return NULL;
}

static int parse_dimensions(array *a, char *line, const char *name) {
  line[strcspn(line, "\r\n")] = 0;
  for (char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
    int64_t n = 0;
    if (a->ndim == CFL_DIMS)
      return fail("%s: has more than %d dimensions", name, CFL_DIMS);
    for (; *at >= '0' && *at <= '9'; at++) {
      if (n > (INT64_MAX - 9) / 10)
        return fail("%s: a dimension has too many digits", name);
      n = 10 * n + (*at - '0');
    }
    if (n < 1 || (*at && *at != ' ' && *at != '\t'))
      return fail("%s: dimension %d is no number >= 1", name, a->ndim);
    a->n[a->ndim++] = n;
  }
  if (!a->ndim)
    return fail("%s: the line of dimensions is empty", name);
  while (a->ndim > 1 && a->n[a->ndim - 1] == 1)
    a->ndim--;
  return 0;
}

int cfl_read_header(array *a, FILE *header, int64_t bytes, const char *name) {
  memset(a, 0, sizeof *a);
  a->is_complex = a->is_single = 1;
  if (bytes > HEADER_LIMIT)
    return fail("%s: is no BART header (%lld bytes)", name, (long long)bytes);
  char *text = malloc((size_t)bytes + 1);
  if (!text)
    return fail("%s: out of memory", name);
  int code = array_read_data(header, text, (size_t)bytes, name);
  if (!code) {
    text[bytes] = 0;
    char *line = dimensions_line(text);
    code = line ? parse_dimensions(a, line, name) : fail("%s: is no BART header: no line '# Dimensions'", name);
  }
  free(text);
  return code;
}

int cfl_read_data(array *a, FILE *file, int64_t bytes, const char *name) {
  size_t wanted;
  TRY(array_bytes(a, name, &wanted));
  if ((uint64_t)wanted != (uint64_t)bytes)
    return fail("%s: is %s: its header promises %zu bytes, %lld are there", name,
                (uint64_t)wanted > (uint64_t)bytes ? "cut short" : "too long", wanted, (long long)bytes);
  TRY(array_allocate(a, name));
  int code = array_read_data(file, a->data, wanted, name);
  if (code)
    array_free(a);
  return code;
}

int cfl_read(array *a, const char *path) {
  char header[4096], data[4096];
  TRY(pair_of(path, header, data));
  FILE *file = NULL;
  int64_t bytes = 0;
  TRY(array_open(header, &file, &bytes));
  int code = cfl_read_header(a, file, bytes, header);
  fclose(file);
  TRY(code);
  TRY(array_open(data, &file, &bytes));
  code = cfl_read_data(a, file, bytes, data);
  fclose(file);
  return code;
}

static int write_header(output *o, const array *a) {
  char text[1024];
  size_t n = (size_t)snprintf(text, sizeof text, "# Dimensions\n");
  for (int d = 0; d < CFL_DIMS; d++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%lld ", d < a->ndim ? (long long)a->n[d] : 1ll);
  n += (size_t)snprintf(text + n, sizeof text - n, "\n# Creator\noffgrid\n");
  return output_write(o, text, n);
}

static int write_data(output *o, const array *a, const char *path) {
  array b = *a;
  size_t bytes = 0;
  TRY(array_bytes(a, path, &bytes));
  if (a->is_complex && a->is_single)
    return output_write(o, a->data, bytes);
  TRY(array_allocate(&b, path));
  memcpy(b.data, a->data, bytes);
  int code = array_convert(&b, 1, 1, path);
  if (!code)
    code = array_bytes(&b, path, &bytes);
  if (!code)
    code = output_write(o, b.data, bytes);
  array_free(&b);
  return code;
}

/* Both files are written before either gets its name: the pair can be torn apart only by a kill between the two
 * renames. */
int cfl_write(const array *a, const char *path) {
  char header[4096], data[4096];
  TRY(pair_of(path, header, data));
  if (a->ndim > CFL_DIMS)
    return fail("%s: BART arrays have at most %d dimensions, this one has %d", path, CFL_DIMS, a->ndim);
  if (!array_count(a))
    return fail("%s: BART arrays cannot be empty; write .npy", path);
  output text, numbers;
  TRY(output_open(&text, header));
  int code = output_open(&numbers, data);
  if (code) {
    output_abandon(&text);
    return code;
  }
  code = write_header(&text, a);
  if (!code)
    code = write_data(&numbers, a, data);
  if (!code)
    code = output_commit(&numbers);
  else
    output_abandon(&numbers);
  if (!code)
    return (code = output_commit(&text)) ? fail_after(code, data) : 0;
  output_abandon(&text);
  return code;
}
