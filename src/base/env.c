/* Environment variables, all of them. */
#include "base/env.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

const char *og_env(const char *name) {
  char upper[64] = "OFFGRID_";
  size_t n = 8;
  for (; *name && n + 1 < sizeof upper; name++)
    upper[n++] = (char)toupper((unsigned char)*name);
  upper[n] = 0;
  const char *value = getenv(upper);
  return value && *value ? value : NULL;
}

int og_env_cache_folder(char *path, size_t bytes) {
  const char *own = og_env("cache"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n;
  if (own)
    n = snprintf(path, bytes, "%s", own);
  else if (xdg && *xdg)
    n = snprintf(path, bytes, "%s/offgrid", xdg);
  else if (home && *home)
    n = snprintf(path, bytes, "%s/.cache/offgrid", home);
  else
    return 1;
  return n < 0 || (size_t)n >= bytes;
}

const char *og_env_temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}
