/* The complete source of a kernel: macros, dialect, args.h, window.h, the text, with every #include "name" resolved from the
 * embedded texts (or the folder OFFGRID_KERNELS) and #line before each, so that complaints name the file in the repository. */
#include "gpu/source.h"
#include "base/env.h"
#include "base/memory.h"
#include "gpu/program.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 16, MAX_PATH = 4096, MAX_TEXT = 16 << 20 };

/* Text that grows; NULL data after a failed allocation. */
typedef struct text {
  char *data;
  size_t bytes, room;
} text;

static int append(text *out, const char *data, size_t bytes) {
  if (out->bytes + bytes + 1 > out->room) {
    size_t room = 2 * (out->bytes + bytes) + 4096;
    char *larger = og_allocate(room);
    OG_CHECK(larger, OG_ERR_MEMORY, "no memory for a kernel's source (%zu bytes)", room);
    if (out->bytes)
      memcpy(larger, out->data, out->bytes);
    og_free(out->data);
    out->data = larger;
    out->room = room;
  }
  memcpy(out->data + out->bytes, data, bytes);
  out->bytes += bytes;
  out->data[out->bytes] = 0;
  return OG_OK;
}

static int append_line_mark(text *out, long line, const char *path) {
  char mark[MAX_PATH + 64];
  int n = snprintf(mark, sizeof mark, "#line %ld \"%s\"\n", line, path);
  return append(out, mark, (size_t)n < sizeof mark ? (size_t)n : sizeof mark - 1);
}

/* One named text: where it lies, and its path for complaints. `loaded` is to be freed. */
typedef struct piece {
  const char *data;
  size_t bytes;
  char *loaded;
  char path[MAX_PATH];
} piece;

static int read_text(FILE *file, piece *found) {
  long bytes = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  rewind(file);
  OG_CHECK(bytes >= 0 && bytes <= MAX_TEXT, OG_ERR_BACKEND, "kernel text %s is no file, or too long", found->path);
  found->loaded = og_allocate((size_t)bytes + 1);
  OG_CHECK(found->loaded, OG_ERR_MEMORY, "no memory for kernel text %s (%ld bytes)", found->path, bytes);
  found->data = found->loaded;
  found->bytes = fread(found->loaded, 1, (size_t)bytes, file);
  OG_CHECK(found->bytes == (size_t)bytes, OG_ERR_BACKEND, "kernel text %s cannot be read", found->path);
  return OG_OK;
}

/* Leaves found->data NULL where the folder OFFGRID_KERNELS does not have it. */
static int find_in_folder(const char *name, piece *found) {
  const char *folder = og_env("kernels");
  if (!folder)
    return OG_OK;
  int n = snprintf(found->path, sizeof found->path, "%s/%s", folder, name);
  FILE *file = n > 0 && (size_t)n < sizeof found->path ? fopen(found->path, "rbe") : NULL;
  if (!file)
    return OG_OK;
  int code = read_text(file, found);
  fclose(file);
  return code;
}

static int find_text(const char *name, piece *found) {
  OG_TRY(find_in_folder(name, found));
  if (found->data)
    return OG_OK;
  for (const og_gpu_text *t = og_gpu_texts; t->name; t++)
    if (!strcmp(t->name, name)) {
      found->data = (const char *)t->text;
      found->bytes = t->bytes;
      snprintf(found->path, sizeof found->path, "backends/gpu/kernels/%s", name);
      return OG_OK;
    }
  OG_FAIL(OG_ERR_BACKEND, "there is no kernel text '%s'", name);
}

/* The name of a line  #include "name" ; 0 where the line is none. */
static int included(const char *line, size_t n, char name[256]) {
  char copy[320];
  if (n >= sizeof copy)
    return 0;
  memcpy(copy, line, n);
  copy[n] = 0;
  int end = 0;
  return sscanf(copy, " # include \"%255[^\"]\"%n", name, &end) == 1 && end > 0;
}

static int append_text(text *out, const char *name, int depth);

static int append_lines(text *out, const piece *in, int depth) {
  char name[256];
  long number = 1;
  OG_TRY(append_line_mark(out, 1, in->path));
  for (size_t at = 0; at < in->bytes; number++) {
    const char *newline = memchr(in->data + at, '\n', in->bytes - at);
    size_t n = newline ? (size_t)(newline - in->data) - at : in->bytes - at;
    if (included(in->data + at, n, name)) {
      OG_TRY(append_text(out, name, depth + 1));
      OG_TRY(append_line_mark(out, number + 1, in->path));
    } else {
      OG_TRY(append(out, in->data + at, n));
      OG_TRY(append(out, "\n", 1));
    }
    at += n + 1;
  }
  return OG_OK;
}

static int append_text(text *out, const char *name, int depth) {
  piece in = {.data = NULL};
  OG_CHECK(depth < MAX_DEPTH, OG_ERR_BACKEND, "kernel text '%s' includes itself", name);
  int code = find_text(name, &in);
  if (!code)
    code = append_lines(out, &in, depth);
  og_free(in.loaded);
  return code;
}

static int append_all(text *out, const og_gpu_driver *driver, const char *file, const og_gpu_macro *macros) {
  const char *const names[] = {driver->dialect, "args.h", "window.h", file};
  char line[160];
  for (; macros && macros->name; macros++) {
    int n = snprintf(line, sizeof line, "#define %s %lld\n", macros->name, (long long)macros->value);
    OG_CHECK(n > 0 && (size_t)n < sizeof line, OG_ERR_BACKEND, "macro name '%.60s...' is too long", macros->name);
    OG_TRY(append(out, line, (size_t)n));
  }
  for (int i = 0; i < 4; i++)
    OG_TRY(append_text(out, names[i], 0));
  return OG_OK;
}

int og_gpu_program_source(const og_gpu_driver *driver, const char *file, const og_gpu_macro *macros, char **source) {
  text out = {.data = NULL};
  int code = append_all(&out, driver, file, macros);
  if (code)
    og_free(out.data);
  else
    *source = out.data;
  return code;
}
