/* What a vendor's runtime offers the gpu backend: devices, memory, queues, programs, launches. One file per vendor (cuda.c,
 * hip.c, opencl.c), each opening its libraries with dlopen, and host.c, which runs the kernels as C on the CPU, one work
 * item per group, for tests under sanitizers. Nothing here knows a kernel or a transform.
 *
 * Common to all: functions return OG_OK or an error whose sentence is set (og_error_set), never print, never abort. Memory is a
 * plain address that host arithmetic may offset (OpenCL: shared virtual memory). A call may come from any host thread:
 * each makes its device current and leaves the caller's as it was. Work put on a queue runs in order; only `finish`,
 * and `copy` where an end is pageable host memory, wait for it. */
#ifndef OG_GPU_DRIVER_H
#define OG_GPU_DRIVER_H
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct og_gpu_info {
  char name[128];      /* "NVIDIA H200" */
  char arch[32];       /* what programs are compiled for: "sm_90", "gfx942"; part of the cache's key */
  char version[64];    /* of the compiler: likewise */
  int subgroup;        /* work items that run in lockstep: 32, 64; 1 where subgroup words have no meaning */
  int units;           /* multiprocessors, compute units */
  int max_team;        /* work items of a group, at most */
  size_t local_bytes;  /* of one group, at most */
  size_t memory_bytes; /* of the device */
  int f64;             /* double precision: 0 none, 1 slow (under a quarter of f32), 2 fast */
  int matrix;          /* the dialect's matrix words reach hardware (f64) */
} og_gpu_info;

/* A launch argument: by value, `bytes` at `value`. A device address is a pointer of any type, the start of an allocation
 * or inside of one, or NULL where the kernel reads and writes nothing; `address` marks it, because OpenCL passes addresses by a
 * call of their own. */
typedef struct og_gpu_arg {
  const void *value;
  size_t bytes;
  int address;
} og_gpu_arg;
/* Of a variable; __builtin_classify_type tells pointers (class 5) from the rest, in gcc and in clang. */
#define OG_GPU_ARG(x) ((og_gpu_arg){&(x), sizeof(x), __builtin_classify_type(x) == 5})
enum { OG_GPU_MAX_ARGS = 32 };

/* What a compiled kernel takes, where the driver knows it; -1 where not. */
typedef struct og_gpu_kernel_info {
  int registers, scratch_bytes, local_bytes, max_team;
} og_gpu_kernel_info;

typedef enum { OG_GPU_HOST_MEMORY, OG_GPU_DEVICE_MEMORY } og_gpu_place;

typedef struct og_gpu_driver {
  const char *name;    /* "cuda", "hip", "opencl", "host": also the backend's name for users */
  const char *dialect; /* embedded text that comes before every kernel: "dialect/cuda.h" */
  int table_by_value;  /* the dialect's TABLE parameters: by value, or a device address */

  const struct og_gpu_fft *fft; /* drivers/fft.h; NULL: memory is the host's, whose FFT will do */

  int (*load)(void); /* opens the vendor's libraries once; OG_ERR_BACKEND with the reason where it cannot */
  int (*count)(int *devices);
  /* number: 0 ... devices - 1. *device: a handle, one per open; holds the device until `close`. */
  int (*open)(int number, og_gpu_info *info, void **device);
  void (*close)(void *device);

  /* native: the caller's stream (CUstream, hipStream_t, cl_command_queue), or NULL for one of our own. */
  int (*queue_create)(void *device, void *native, void **queue);
  void (*queue_destroy)(void *queue);
  int (*finish)(void *queue);

  int (*allocate)(void *device, size_t bytes, void **memory); /* OG_ERR_MEMORY says how much was asked for */
  void (*release)(void *device, void *memory);
  int (*copy)(void *queue, void *to, const void *from, size_t bytes); /* host or device at either end */
  int (*fill)(void *queue, void *memory, int byte, size_t bytes);
  og_gpu_place (*place)(void *device, const void *memory);

  /* Source (already complete, dialect included) -> a binary that can be kept on disk, for og_free; the compiler's
   * complaint goes into the error's sentence. options: NULL-terminated list of further options of this vendor's
   * compiler. device NULL (cuda, hip): compiles without a device, `options` name the architecture. */
  int (*compile)(void *device, const char *name, const char *source, const char *const *options, void **binary,
                 size_t *bytes);
  int (*program_load)(void *device, const void *binary, size_t bytes, void **program);
  void (*program_unload)(void *program); /* and its kernels */
  int (*kernel)(void *program, const char *name, void **kernel, og_gpu_kernel_info *info);
  /* groups x team work items; groups 0 in any dimension: nothing to do. A kernel's local memory is its own business
   * (dialect: LOCAL_MEMORY). */
  int (*launch)(void *queue, void *kernel, const int64_t groups[3], int team, int n_args, const og_gpu_arg *args);

  /* Seconds between marks on a queue, for og_plan_report: mark is a handle to be created once and used often. */
  int (*mark_create)(void *device, void **mark);
  void (*mark_destroy)(void *mark);
  int (*mark)(void *queue, void *mark);
  int (*seconds)(void *from, void *to, double *seconds); /* waits for `to` */

  /* Named ranges for the vendor's profiler; may be NULL. */
  void (*range_begin)(const char *name);
  void (*range_end)(void);
} og_gpu_driver;

extern const og_gpu_driver og_gpu_cuda, og_gpu_hip, og_gpu_opencl, og_gpu_host;
#endif
