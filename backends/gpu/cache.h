/* Compiled programs on disk. */
#ifndef OG_GPU_CACHE_H
#define OG_GPU_CACHE_H
#include <stddef.h>

/* 1: found, intact, and in a folder that only this user can write; *data is for og_free. 0 otherwise. */
int og_gpu_cache_read(const char key[65], void **data, size_t *bytes);
/* Keeps it where that can be done safely; silent where not, since a cache is a convenience. */
void og_gpu_cache_write(const char key[65], const void *data, size_t bytes);
#endif
