/* Files that appear whole or not at all. */
#define _GNU_SOURCE
#include "output.h"

#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The named temporary files of the moment (a .cfl, its .hdr, a picture), for the signal handler: only file systems without
 * O_TMPFILE need it for long. */
static char doomed[3][4200];
enum { DOOMED = sizeof doomed / sizeof *doomed };

static void on_signal(int number) {
  for (int i = 0; i < DOOMED; i++)
    if (doomed[i][0])
      unlink(doomed[i]);
  signal(number, SIG_DFL);
  raise(number);
}

static void remember(const char *temporary) {
  for (int i = 0; i < DOOMED; i++)
    if (!doomed[i][0]) {
      snprintf(doomed[i], sizeof doomed[i], "%s", temporary);
      break;
    }
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action = {.sa_handler = on_signal}, old;
    sigemptyset(&action.sa_mask);
    if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN) /* nohup's, and the shell's & */
      sigaction(numbers[i], &action, NULL);
  }
}

static void forget(output *o) {
  for (int i = 0; i < DOOMED; i++)
    if (o->temporary[0] && !strcmp(doomed[i], o->temporary))
      doomed[i][0] = 0;
  o->temporary[0] = 0;
}

static int cannot(const char *target, const char *what) {
  return fail("%s: %s: %s%s", target, what, strerror(errno),
              errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? "; free some space or choose another folder" : "");
}

static int folder_of(const char *target, char *folder, size_t bytes) {
  char copy[4096];
  if ((size_t)snprintf(copy, sizeof copy, "%s", target) >= sizeof copy)
    return fail("%s: the name is too long", target);
  snprintf(folder, bytes, "%s", dirname(copy));
  return 0;
}

/* Where a write to path would end up: through links, because rename would replace the link itself; through one that points
 * to nothing yet, too. NULL: no memory. */
static char *resolve(const char *path) {
  char *target = realpath(path, NULL), to[4096], folder[4096], joined[8200];
  ssize_t n = target ? 0 : readlink(path, to, sizeof to - 1);
  if (n <= 0)
    return target ? target : strdup(path);
  to[n] = 0;
  if (to[0] == '/' || folder_of(path, folder, sizeof folder))
    return strdup(to);
  snprintf(joined, sizeof joined, "%s/%s", folder, to);
  return strdup(joined);
}

int output_writable(const char *path) {
  struct stat status;
  if (!stat(path, &status) && !S_ISREG(status.st_mode))
    return fail("%s: is not a regular file, nothing can be written there", path);
  char folder[4096];
  TRY(folder_of(path, folder, sizeof folder));
  if (stat(folder, &status) || !S_ISDIR(status.st_mode))
    return fail("%s: there is no folder %s", path, folder);
  if (access(folder, W_OK | X_OK))
    return fail("%s: the folder %s takes no new files: %s", path, folder, strerror(errno));
  return 0;
}

static int open_temporary(output *o) {
  char folder[4096];
  TRY(folder_of(o->target, folder, sizeof folder));
#ifdef O_TMPFILE
  o->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (o->fd >= 0)
    return 0;
#endif
  snprintf(o->temporary, sizeof o->temporary, "%s/.offgrid-XXXXXX", folder);
  o->fd = mkstemp(o->temporary);
  if (o->fd < 0) {
    o->temporary[0] = 0;
    return cannot(o->target, "cannot create a file in its folder");
  }
  remember(o->temporary);
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(o->fd, 0666 & ~mask))
    return cannot(o->target, "cannot set the file's mode");
  return 0;
}

int output_open(output *o, const char *path) {
  memset(o, 0, sizeof *o);
  o->fd = -1;
  TRY(output_writable(path));
  o->target = resolve(path);
  if (!o->target)
    return fail("%s: out of memory", path);
  int code = open_temporary(o);
  if (code)
    output_abandon(o);
  return code;
}

int output_write(output *o, const void *data, size_t bytes) {
  const char *p = data;
  while (bytes) {
    /* one call writes at most 2 GiB - 4 KiB on Linux: large arrays take several */
    ssize_t written = write(o->fd, p, bytes < (1u << 30) ? bytes : 1u << 30);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return cannot(o->target, "cannot be written");
    p += written;
    bytes -= (size_t)written;
  }
  return 0;
}

/* A file without a name can be linked only to a name that is free, and rename is what replaces: so two steps. */
static int name_it(output *o) {
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
  for (int i = 0; i < 100; i++) {
    snprintf(o->temporary, sizeof o->temporary, "%s.%ld-%d.tmp", o->target, (long)getpid(), i);
    if (!linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW))
      return remember(o->temporary), 0;
    if (errno != EEXIST)
      break;
  }
  o->temporary[0] = 0;
  return cannot(o->target, "cannot give the new file a name");
}

/* Keeps the permissions of the file that is replaced. */
static void keep_mode(const output *o) {
  struct stat status;
  if (!stat(o->target, &status) && fchmod(o->fd, status.st_mode & 07777))
    return;
}

static int finish(output *o) {
  keep_mode(o);
  if (fsync(o->fd))
    return cannot(o->target, "cannot be written to the disk");
  if (!o->temporary[0])
    TRY(name_it(o));
  if (rename(o->temporary, o->target))
    return cannot(o->target, "cannot be replaced");
  forget(o);
  char folder[4096];
  TRY(folder_of(o->target, folder, sizeof folder));
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    fsync(fd); /* best effort: the data are safe, the name may be lost in a power cut */
    close(fd);
  }
  return 0;
}

int output_commit(output *o) {
  int code = finish(o);
  output_abandon(o);
  return code;
}

void output_abandon(output *o) {
  if (o->fd >= 0)
    close(o->fd);
  o->fd = -1;
  if (o->temporary[0])
    unlink(o->temporary);
  forget(o);
  free(o->target);
  o->target = NULL;
}
