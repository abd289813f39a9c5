/* What several drivers share: a table of the allocations made, and the part of a compiler's log that a person needs. */
#ifndef OG_GPU_COMMON_H
#define OG_GPU_COMMON_H
#include <pthread.h>
#include <stddef.h>

/* Allocations of a device, so that an address can be told from the caller's memory. */
typedef struct og_gpu_ranges {
  pthread_mutex_t lock;
  struct og_gpu_range *first;
} og_gpu_ranges;

int og_gpu_ranges_begin(og_gpu_ranges *ranges); /* 0, or not */
void og_gpu_ranges_end(og_gpu_ranges *ranges);
int og_gpu_ranges_add(og_gpu_ranges *ranges, const void *memory, size_t bytes); /* 0, or not: no memory */
/* Its size; 0 where it is not there. */
size_t og_gpu_ranges_remove(og_gpu_ranges *ranges, const void *memory);
/* The bytes from this address to the end of its allocation; 0 where it is in none. */
size_t og_gpu_ranges_from(og_gpu_ranges *ranges, const void *address);

/* 16 hexadecimal digits for texts too long for og_gpu_info (NULL-terminated list). */
void og_gpu_fingerprint(const char *const *texts, char digits[17]);

/* The error that a text does not compile: the compiler's log from its first line that speaks of an error on. */
int og_gpu_compile_error(const char *driver, const char *name, const char *log);

/* A library under the first of these names (NULL-terminated) that the loader has, or NULL. */
void *og_gpu_open_library(const char *const *names);
/* Functions of a library: fills each *to; the name of the first that is missing, or NULL. The last has no name. */
typedef struct og_gpu_function {
  const char *name;
  void *to; /* of a function pointer */
} og_gpu_function;
const char *og_gpu_find_functions(void *library, const og_gpu_function *functions);
#endif
