/* See tuning.h. */
#define _GNU_SOURCE /* dladdr */
#include "gpu/tuning.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend.h"
#include "base/memory.h"
#include "offgrid.h"

enum { FIELDS = 16, LINE_BYTES = 1024 };

/* One line being read. */
typedef struct reading {
  const char *path;
  int line;
  char *field[FIELDS];
} reading;

static const char *const names[FIELDS] = {"backend", "device",        "kind",     "dimension", "width", "precision",
                                          "values",  "log10_density", "method",   "bin_x",     "bin_y", "bin_z",
                                          "team",    "work_points",   "tuned_ns", "default_ns"};

#define FAIL_AT(r, ...)                                                                                                \
  do {                                                                                                                 \
    char why_[256];                                                                                                    \
    snprintf(why_, sizeof why_, __VA_ARGS__);                                                                          \
    OG_FAIL(OG_ERR_OPTION, "tuning file %s, line %d: %s", (r)->path, (r)->line, why_);                                 \
  } while (0)

/* ---- one line */

static int split(reading *r, char *text) {
  int n = 0;
  for (char *at = text; at; n++) {
    char *comma = strchr(at, ',');
    if (n < FIELDS)
      r->field[n] = at;
    if (comma)
      *comma++ = 0;
    at = comma;
  }
  if (n != FIELDS)
    FAIL_AT(r, "has %d fields, want %d", n, FIELDS);
  return OG_OK;
}

static int number(const reading *r, int i, double low, double high, double *value) {
  char *end;
  *value = strtod(r->field[i], &end);
  if (end == r->field[i] || *end || !(*value >= low && *value <= high))
    FAIL_AT(r, "%s '%.40s': want a number from %g to %g", names[i], r->field[i], low, high);
  return OG_OK;
}

static int whole(const reading *r, int i, int low, int high, int *value) {
  double wide;
  OG_TRY(number(r, i, low, high, &wide));
  if (wide != floor(wide))
    FAIL_AT(r, "%s '%.40s': want a whole number", names[i], r->field[i]);
  *value = (int)wide;
  return OG_OK;
}

/* *value: which of the words, separated by spaces, it is. */
static int word(const reading *r, int i, const char *words, int *value) {
  size_t n = strlen(r->field[i]);
  *value = 0;
  for (const char *at = words; *at; (*value)++) {
    size_t length = strcspn(at, " ");
    if (length == n && !memcmp(at, r->field[i], n))
      return OG_OK;
    at += length + (at[length] == ' ');
  }
  FAIL_AT(r, "%s '%.40s': want one of: %s", names[i], r->field[i], words);
}

static int take(const reading *r, og_gpu_tuned *e) {
  int method, real, single, work = 0;
  memset(e, 0, sizeof *e);
  OG_TRY(word(r, 2, "spread interp", &e->interp));
  OG_TRY(whole(r, 3, 1, 3, &e->dim));
  OG_TRY(whole(r, 4, 2, OG_MAX_WIDTH, &e->width));
  OG_TRY(word(r, 5, "f64 f32", &single));
  OG_TRY(word(r, 6, "complex real", &real));
  e->precision = single ? OG_F32 : OG_F64;
  e->values = real ? OG_REAL : OG_COMPLEX;
  OG_TRY(number(r, 7, -30, 30, &e->log_density));
  OG_TRY(word(r, 8, e->interp ? "auto sorted stream matrix" : "auto atomic tiled grid stream matrix", &method));
  snprintf(e->method, sizeof e->method, "%s", r->field[8]);
  for (int d = 0; d < 3; d++)
    OG_TRY(whole(r, 9 + d, 0, 1024, &e->bin[d]));
  OG_TRY(whole(r, 12, 0, 1024, &e->team));
  OG_TRY(whole(r, 13, 0, 1 << 20, &work));
  e->work_points = work;
  OG_TRY(number(r, 14, 0, 1e12, &e->tuned_ns));
  return number(r, 15, 0, 1e12, &e->default_ns);
}

/* ---- files */

/* Devices' names have neither commas nor quotes in these files. */
static int same_device(const char *field, const char *device) {
  for (; *field && *device; field++, device++)
    if (*field != (strchr(",\"", *device) ? ' ' : *device))
      return 0;
  return *field == *device;
}

static int grow(void **array, int n, size_t each) {
  if (n & (n - 1)) /* room for the next power of 2 is there */
    return OG_OK;
  void *more = og_allocate(og_bytes((size_t)(n ? 2 * n : 1), each));
  OG_CHECK(more, OG_ERR_MEMORY, "no memory for the lines of tuning files");
  if (n)
    memcpy(more, *array, (size_t)n * each);
  og_free(*array);
  *array = more;
  return OG_OK;
}

static int take_line(reading *r, char *text, const char *backend, const char *device, og_gpu_tuning *t) {
  og_gpu_tuned e;
  OG_TRY(split(r, text));
  OG_TRY(take(r, &e));
  if (strcmp(r->field[0], backend) != 0 || !same_device(r->field[1], device))
    return OG_OK;
  e.file = t->n_files - 1;
  e.line = r->line;
  OG_TRY(grow((void **)&t->entries, t->n, sizeof e));
  t->entries[t->n++] = e;
  return OG_OK;
}

static int read_lines(FILE *file, const char *path, const char *backend, const char *device, og_gpu_tuning *t) {
  char text[LINE_BYTES];
  reading r = {.path = path};
  int headed = 0;
  while (fgets(text, sizeof text, file)) {
    r.line++;
    size_t n = strlen(text);
    if (!n || (text[n - 1] != '\n' && !feof(file)))
      FAIL_AT(&r, "is no text, or longer than %d bytes", LINE_BYTES - 2);
    while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
      text[--n] = 0;
    if (!n || *text == '#')
      continue;
    if (headed)
      OG_TRY(take_line(&r, text, backend, device, t));
    else if (strcmp(text, OG_GPU_TUNING_HEADER) != 0)
      FAIL_AT(&r, "is not the header of a tuning file: want %.60s...", OG_GPU_TUNING_HEADER);
    headed = 1;
  }
  OG_CHECK(!ferror(file), OG_ERR_OPTION, "tuning file %s: %s", path, strerror(errno));
  OG_CHECK(headed, OG_ERR_OPTION, "tuning file %s, line %d: the header is missing", path, r.line + 1);
  return OG_OK;
}

static int read_file(const char *path, const char *backend, const char *device, og_gpu_tuning *t) {
  OG_TRY(grow((void **)&t->files, t->n_files, sizeof *t->files));
  char *copy = og_allocate(strlen(path) + 1);
  OG_CHECK(copy, OG_ERR_MEMORY, "no memory for a tuning file's name");
  strcpy(copy, path);
  t->files[t->n_files++] = copy;
  FILE *file = fopen(path, "r");
  OG_CHECK(file, OG_ERR_OPTION, "tuning file %s: %s", path, strerror(errno));
  int code = read_lines(file, path, backend, device, t);
  fclose(file);
  return code;
}

static int is_table(const struct dirent *entry) {
  size_t n = strlen(entry->d_name);
  return n > 4 && *entry->d_name != '.' && !strcmp(entry->d_name + n - 4, ".csv");
}

static int read_folder(const char *path, const char *backend, const char *device, og_gpu_tuning *t) {
  struct dirent **found;
  int n = scandir(path, &found, is_table, alphasort), code = OG_OK;
  OG_CHECK(n >= 0, OG_ERR_OPTION, "tuning folder %s: %s", path, strerror(errno));
  for (int i = 0; i < n; i++) {
    char name[4096 + 300];
    snprintf(name, sizeof name, "%s/%s", path, found[i]->d_name);
    if (!code)
      code = read_file(name, backend, device, t);
    free(found[i]);
  }
  free(found); /* scandir's own */
  return code;
}

/* Of the installation that this code runs from, wherever that was moved to; else where it was meant to be. */
static int installed_folder(char *path, size_t bytes) {
  static const int here;
  Dl_info info;
  struct stat status;
  if (dladdr(&here, &info) && info.dli_fname) {
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, bytes, "%.*s/%s", slash ? (int)(slash - info.dli_fname) : 1, slash ? info.dli_fname : ".",
             OG_TUNING_FROM_LIBRARY);
    if (!stat(path, &status))
      return 1;
  }
  snprintf(path, bytes, "%s", OG_TUNING_FOLDER);
  return !stat(path, &status);
}

int og_gpu_tuning_read(const char *option, const char *backend, const char *device, og_gpu_tuning *t) {
  memset(t, 0, sizeof *t);
  struct stat status;
  char installed[4096];
  if (!option || !*option || !strcmp(option, "none"))
    return OG_OK;
  const char *path = option;
  if (!strcmp(option, "auto")) {
    if (!installed_folder(installed, sizeof installed))
      return OG_OK;
    path = installed;
  }
  OG_CHECK(!stat(path, &status), OG_ERR_OPTION, "option tuning = '%s': %s", option, strerror(errno));
  int code = S_ISDIR(status.st_mode) ? read_folder(path, backend, device, t) : read_file(path, backend, device, t);
  if (code)
    og_gpu_tuning_free(t);
  return code;
}

void og_gpu_tuning_free(og_gpu_tuning *t) {
  for (int i = 0; i < t->n_files; i++)
    og_free(t->files[i]);
  og_free(t->files);
  og_free(t->entries);
  memset(t, 0, sizeof *t);
}

/* ---- the nearest line */

double og_gpu_tuning_distance(const og_gpu_tuned *e, int width, double log_density) {
  return abs(e->width - width) + 4 * fabs(e->log_density - log_density);
}

const og_gpu_tuned *og_gpu_tuning_nearest(const og_gpu_tuning *t, int interp, int dim, int width, int precision,
                                          int values, double log_density) {
  const og_gpu_tuned *best = NULL;
  double least = OG_GPU_TUNING_FAR;
  for (int i = 0; i < t->n; i++) {
    const og_gpu_tuned *e = &t->entries[i];
    double distance = og_gpu_tuning_distance(e, width, log_density);
    if (e->interp != interp || e->dim != dim || e->precision != precision || e->values != values)
      continue;
    if (best ? distance < least : distance <= least) {
      best = e;
      least = distance;
    }
  }
  return best;
}

static int is_open(const char *method) { return !method || !strcmp(method, "auto"); }

void og_gpu_tuning_apply(const og_gpu_tuning *t, int64_t n, og_points_setup *s, const og_gpu_tuned *used[2]) {
  const og_grid *g = s->grid;
  used[0] = used[1] = NULL;
  if (!t->n || n <= 0)
    return;
  double density = log10((double)n / ((double)g->n[0] * (double)g->n[1] * (double)g->n[2]));
  int width = s->window->width, direct = s->interp_method && !strcmp(s->interp_method, "direct");
  if (!direct && is_open(s->spread_method) && !s->spread_team && !s->work_points && !s->bin[0] && !s->bin[1] &&
      !s->bin[2])
    used[0] = og_gpu_tuning_nearest(t, 0, g->ndim, width, g->precision, g->values, density);
  if (is_open(s->interp_method) && !s->interp_team)
    used[1] = og_gpu_tuning_nearest(t, 1, g->ndim, width, g->precision, g->values, density);
  if (used[0]) {
    s->spread_method = used[0]->method;
    if (used[0]->width == width) {
      memcpy(s->bin, used[0]->bin, sizeof s->bin);
      s->spread_team = used[0]->team;
      s->work_points = used[0]->work_points;
    }
  }
  if (used[1]) {
    s->interp_method = used[1]->method;
    s->interp_team = used[1]->width == width ? used[1]->team : 0;
  }
}
