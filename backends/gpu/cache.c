/* The folder gpu/ in the cache folder: one file per program, named by the hash of all that it was made from.
 *
 * What lies there is executed, so the folder counts only when it belongs to this user and nobody else may enter it; it is
 * opened once and all files are reached through that handle. A file is written under another name, flushed and renamed, so that
 * no reader sees half of one, and carries its length and the hash of its content, so that a damaged one counts as absent and
 * is replaced. */
#define _DEFAULT_SOURCE
#include "gpu/cache.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };
static const size_t max_bytes = (size_t)1 << 30;

typedef struct header {
  char magic[16];
  uint64_t bytes;
  unsigned char digest[32]; /* of the key and the content */
} header;
static const char magic[16] = "offgrid program";

static void digest_of(const char key[65], const void *data, size_t bytes, unsigned char digest[32]) {
  og_hash hash;
  og_hash_begin(&hash);
  og_hash_add(&hash, key, 64);
  og_hash_add(&hash, data, bytes);
  og_hash_end(&hash, digest);
}

/* Creates the folder and those above it. */
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700); /* where that fails, opening the folder fails, too */
    *slash = '/';
  }
  mkdir(path, 0700);
}

/* A handle of the folder, or -1. */
static int open_folder(int create) {
  char cache[MAX_PATH], path[MAX_PATH + 8];
  struct stat info;
  if (og_env_cache_folder(cache, sizeof cache))
    return -1;
  snprintf(path, sizeof path, "%s/gpu", cache);
  if (create)
    make_folders(path);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && (fstat(folder, &info) || info.st_uid != geteuid() || (info.st_mode & 077))) {
    close(folder);
    return -1;
  }
  return folder;
}

static int read_all(int file, void *data, size_t bytes) {
  for (char *next = data; bytes;) {
    ssize_t n = read(file, next, bytes);
    if (n <= 0 && !(n < 0 && errno == EINTR))
      return 0;
    next += n > 0 ? n : 0;
    bytes -= n > 0 ? (size_t)n : 0;
  }
  return 1;
}

static int write_all(int file, const void *data, size_t bytes) {
  for (const char *next = data; bytes;) {
    ssize_t n = write(file, next, bytes);
    if (n < 0 && errno != EINTR)
      return 0;
    next += n > 0 ? n : 0;
    bytes -= n > 0 ? (size_t)n : 0;
  }
  return 1;
}

static int read_checked(int file, const char key[65], void **data, size_t *bytes) {
  struct stat info;
  header head;
  unsigned char digest[32];
  if (fstat(file, &info) || !S_ISREG(info.st_mode) || info.st_uid != geteuid() || !read_all(file, &head, sizeof head))
    return 0;
  if (memcmp(head.magic, magic, sizeof magic) != 0 || head.bytes > max_bytes ||
      (uint64_t)info.st_size != sizeof head + head.bytes)
    return 0;
  *bytes = (size_t)head.bytes;
  *data = og_allocate(*bytes);
  if (!*data)
    return 0;
  if (read_all(file, *data, *bytes)) {
    digest_of(key, *data, *bytes, digest);
    if (!memcmp(digest, head.digest, sizeof digest))
      return 1;
  }
  og_free(*data);
  return 0;
}

int og_gpu_cache_read(const char key[65], void **data, size_t *bytes) {
  int folder = open_folder(0), found = 0;
  if (folder < 0)
    return 0;
  int file = openat(folder, key, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) {
    found = read_checked(file, key, data, bytes);
    close(file);
  }
  close(folder);
  return found;
}

static int write_file(int file, const char key[65], const void *data, size_t bytes) {
  header head = {.bytes = bytes};
  memcpy(head.magic, magic, sizeof magic);
  digest_of(key, data, bytes, head.digest);
  return write_all(file, &head, sizeof head) && write_all(file, data, bytes) && !fsync(file);
}

void og_gpu_cache_write(const char key[65], const void *data, size_t bytes) {
  static atomic_uint count;
  char temporary[128];
  int folder = bytes <= max_bytes ? open_folder(1) : -1;
  if (folder < 0)
    return;
  snprintf(temporary, sizeof temporary, ".%.64s.%ld.%u", key, (long)getpid(), atomic_fetch_add(&count, 1));
  int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) {
    int good = write_file(file, key, data, bytes);
    good &= !close(file);
    if (!good || renameat(folder, temporary, folder, key))
      unlinkat(folder, temporary, 0);
  }
  close(folder);
}
