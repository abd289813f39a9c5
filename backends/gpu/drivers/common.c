/* What several drivers share. */
#define _GNU_SOURCE
#include "gpu/drivers/common.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

struct og_gpu_range {
  struct og_gpu_range *next;
  uintptr_t first;
  size_t bytes;
};

int og_gpu_ranges_begin(og_gpu_ranges *ranges) {
  ranges->first = NULL;
  return pthread_mutex_init(&ranges->lock, NULL);
}

void og_gpu_ranges_end(og_gpu_ranges *ranges) {
  for (struct og_gpu_range *r = ranges->first, *next; r; r = next) {
    next = r->next;
    og_free(r);
  }
  pthread_mutex_destroy(&ranges->lock);
}

int og_gpu_ranges_add(og_gpu_ranges *ranges, const void *memory, size_t bytes) {
  struct og_gpu_range *r = og_allocate(sizeof *r);
  if (!r)
    return 1;
  r->first = (uintptr_t)memory;
  r->bytes = bytes;
  pthread_mutex_lock(&ranges->lock);
  r->next = ranges->first;
  ranges->first = r;
  pthread_mutex_unlock(&ranges->lock);
  return 0;
}

size_t og_gpu_ranges_remove(og_gpu_ranges *ranges, const void *memory) {
  pthread_mutex_lock(&ranges->lock);
  struct og_gpu_range **link = &ranges->first;
  while (*link && (*link)->first != (uintptr_t)memory)
    link = &(*link)->next;
  struct og_gpu_range *gone = *link;
  if (gone)
    *link = gone->next;
  pthread_mutex_unlock(&ranges->lock);
  size_t bytes = gone ? gone->bytes : 0;
  og_free(gone);
  return bytes;
}

size_t og_gpu_ranges_from(og_gpu_ranges *ranges, const void *address) {
  uintptr_t at = (uintptr_t)address;
  pthread_mutex_lock(&ranges->lock);
  const struct og_gpu_range *r = ranges->first;
  while (r && at - r->first >= r->bytes)
    r = r->next;
  size_t bytes = r ? r->bytes - (at - r->first) : 0;
  pthread_mutex_unlock(&ranges->lock);
  return bytes;
}

void og_gpu_fingerprint(const char *const *texts, char digits[17]) {
  unsigned char digest[32];
  char text[65];
  og_hash hash;
  og_hash_begin(&hash);
  for (; *texts; texts++)
    og_hash_add(&hash, *texts, strlen(*texts) + 1);
  og_hash_end(&hash, digest);
  og_hash_text(digest, text);
  memcpy(digits, text, 16);
  digits[16] = 0;
}

int og_gpu_compile_error(const char *driver, const char *name, const char *log) {
  const char *word = strcasestr(log, "error"), *first = word ? word : log;
  while (first > log && first[-1] != '\n')
    first--;
  size_t n = strlen(first);
  while (n && isspace((unsigned char)first[n - 1]))
    n--;
  return og_error_set(OG_ERR_BACKEND, driver, "%s does not compile: %.*s", name, (int)n, first);
}

void *og_gpu_open_library(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++)
    library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  return library;
}

const char *og_gpu_find_functions(void *library, const og_gpu_function *functions) {
  for (; functions->name; functions++) {
    void *function = dlsym(library, functions->name);
    if (!function)
      return functions->name;
    memcpy(functions->to, &function, sizeof function);
  }
  return NULL;
}
