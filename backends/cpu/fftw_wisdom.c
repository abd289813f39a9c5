/* Text in the cache folder, behind a first line with its length and a checksum. A file is replaced whole (written under
 * another name, flushed, renamed), so that a reader never sees half of one; a damaged one counts as absent. */
#define _DEFAULT_SOURCE
#include "base/env.h"
#include "cpu/fftw_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_TEXT = 4 << 20 };

/* FNV-1a */
static uint64_t checksum(const char *text, size_t n) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)text[i]) * 1099511628211u;
  return h;
}

static int file_path(const char *name, const char *suffix, char *path) {
  char folder[MAX_PATH];
  if (og_env_cache_folder(folder, sizeof folder))
    return 1;
  int n = snprintf(path, MAX_PATH, "%s/%s%s", folder, name, suffix);
  return n < 0 || n >= MAX_PATH;
}

/* Creates the folders above the file. */
static int make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    int failed = mkdir(path, 0700) && errno != EEXIST;
    *slash = '/';
    if (failed)
      return 1;
  }
  return 0;
}

static char *read_checked(FILE *file) {
  long long n;
  unsigned long long sum;
  if (fscanf(file, "offgrid-fftw-wisdom 1 %lld %llx", &n, &sum) != 2 || fgetc(file) != '\n' || n < 0 || n > MAX_TEXT)
    return NULL;
  char *text = malloc((size_t)n + 1);
  if (!text)
    return NULL;
  size_t got = fread(text, 1, (size_t)n, file);
  text[got] = 0;
  if (got == (size_t)n && fgetc(file) == EOF && checksum(text, got) == sum)
    return text;
  free(text);
  return NULL;
}

char *og_fftw_wisdom_load(const char *name) {
  char path[MAX_PATH];
  struct stat info;
  if (file_path(name, "", path) || stat(path, &info) || !S_ISREG(info.st_mode))
    return NULL;
  FILE *file = fopen(path, "r");
  if (!file)
    return NULL;
  char *text = read_checked(file);
  fclose(file);
  return text;
}

void og_fftw_wisdom_save(const char *name, const char *text) {
  char path[MAX_PATH], temporary[MAX_PATH];
  size_t n = strlen(text);
  if (n > MAX_TEXT || file_path(name, "", path) || file_path(name, ".XXXXXX", temporary) || make_folders(path))
    return;
  int fd = mkstemp(temporary);
  if (fd < 0)
    return;
  FILE *file = fdopen(fd, "w");
  int failed = !file;
  if (file) {
    failed |=
        fprintf(file, "offgrid-fftw-wisdom 1 %lld %llx\n", (long long)n, (unsigned long long)checksum(text, n)) < 0;
    failed |= fwrite(text, 1, n, file) != n;
    failed |= fflush(file) != 0;
    failed |= fsync(fd) != 0;
    failed |= fclose(file) != 0;
  } else {
    close(fd);
  }
  if (failed || rename(temporary, path))
    unlink(temporary);
}
