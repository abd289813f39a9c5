/* The only place that reads the environment. */
#ifndef OG_BASE_ENV_H
#define OG_BASE_ENV_H
#include <stddef.h>

/* Value of OFFGRID_<NAME in capitals>, or NULL where unset or empty. */
const char *og_env(const char *name);

/* Folder for files that outlive a process (FFTW wisdom, compiled kernels): $OFFGRID_CACHE, else $XDG_CACHE_HOME/offgrid, else
 * $HOME/.cache/offgrid. Returns 0 and fills path, or non-zero where there is none. Does not create it. */
int og_env_cache_folder(char *path, size_t bytes);

/* Folder for files that a process needs for a moment: $TMPDIR, else /tmp. */
const char *og_env_temporary_folder(void);
#endif
