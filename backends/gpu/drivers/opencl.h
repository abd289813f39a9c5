/* What the files of the OpenCL driver share: the interface as Khronos documents it, and how the driver keeps memory. */
#ifndef OG_GPU_OPENCL_H
#define OG_GPU_OPENCL_H
#include "gpu/drivers/common.h"
#include "gpu/drivers/driver.h"

/* Handles are pointers, results int; 0 is success. */
typedef struct og_opencl_api {
  int (*platforms)(unsigned room, void **platforms, unsigned *n);
  int (*devices)(void *platform, uint64_t kind, unsigned room, void **devices, unsigned *n);
  int (*device_info)(void *device, unsigned what, size_t room, void *value, size_t *bytes);
  void *(*context)(const intptr_t *properties, unsigned n, void *const *devices, void *callback, void *data, int *code);
  int (*context_release)(void *context);
  void *(*queue)(void *context, void *device, uint64_t properties, int *code);
  int (*queue_release)(void *queue), (*flush)(void *queue), (*finish)(void *queue);

  void *(*svm_allocate)(void *context, uint64_t flags, size_t bytes, unsigned alignment);
  void (*svm_free)(void *context, void *memory);
  int (*svm_copy)(void *queue, unsigned wait, void *to, const void *from, size_t bytes, unsigned n, void *list,
                  void *event);
  int (*svm_fill)(void *queue, void *memory, const void *pattern, size_t pattern_bytes, size_t bytes, unsigned n,
                  void *list, void *event);
  int (*argument_svm)(void *kernel, unsigned i, const void *address);
  void *(*buffer)(void *context, uint64_t flags, size_t bytes, void *from, int *code);
  void *(*sub_buffer)(void *buffer, uint64_t flags, unsigned kind, const void *region, int *code);
  int (*buffer_release)(void *buffer);
  int (*buffer_read)(void *queue, void *buffer, unsigned wait, size_t offset, size_t bytes, void *to, unsigned n,
                     void *list, void *event);
  int (*buffer_write)(void *queue, void *buffer, unsigned wait, size_t offset, size_t bytes, const void *from,
                      unsigned n, void *list, void *event);
  int (*buffer_copy)(void *queue, void *from, void *to, size_t from_offset, size_t to_offset, size_t bytes, unsigned n,
                     void *list, void *event);
  int (*buffer_fill)(void *queue, void *buffer, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes,
                     unsigned n, void *list, void *event);

  void *(*program)(void *context, unsigned n, const char **texts, const size_t *bytes, int *code);
  void *(*program_binary)(void *context, unsigned n, void *const *devices, const size_t *bytes,
                          const unsigned char **binaries, int *status, int *code);
  int (*build)(void *program, unsigned n, void *const *devices, const char *options, void *callback, void *data);
  int (*build_info)(void *program, void *device, unsigned what, size_t room, void *value, size_t *bytes);
  int (*program_info)(void *program, unsigned what, size_t room, void *value, size_t *bytes);
  int (*program_release)(void *program);
  void *(*kernel)(void *program, const char *name, int *code);
  int (*kernel_release)(void *kernel);
  int (*kernel_info)(void *kernel, void *device, unsigned what, size_t room, void *value, size_t *bytes);
  int (*argument)(void *kernel, unsigned i, size_t bytes, const void *value);
  int (*launch)(void *queue, void *kernel, unsigned dimensions, const size_t *offset, const size_t *items,
                const size_t *team, unsigned n, void *list, void *event);
  int (*marker)(void *queue, unsigned n, void *list, void **event);
  int (*wait)(unsigned n, void *const *events);
  int (*event_release)(void *event);
  int (*event_time)(void *event, unsigned what, size_t room, void *value, size_t *bytes);
} og_opencl_api;
extern og_opencl_api og_cl;

typedef struct og_opencl_device {
  void *id, *context;
  int svm;            /* memory is shared virtual memory; 0: buffers behind reserved addresses */
  size_t largest;     /* allocation */
  size_t offset_step; /* buffers: what an offset in a kernel's argument must be a multiple of */
  size_t local_bytes;
  int keeps; /* PoCL: compiled kernels are kept by OpenCL itself, and asking for a binary compiles each once more */
  char identity[64];    /* of the device and its compiler, for caches */
  char options[256];    /* for its compiler */
  pthread_mutex_t lock; /* of the two lists */
  struct og_opencl_queue *queues;
  struct og_opencl_buffer *buffers;
} og_opencl_device;

typedef struct og_opencl_queue {
  struct og_opencl_queue *next;
  og_opencl_device *device;
  void *queue;
} og_opencl_queue;

/* An error with OpenCL's name of the code. */
int og_opencl_fail(int code, const char *what);

int og_opencl_allocate(void *device, size_t bytes, void **memory);
void og_opencl_release(void *device, void *memory);
int og_opencl_copy(void *queue, void *to, const void *from, size_t bytes);
int og_opencl_fill(void *queue, void *memory, int byte, size_t bytes);
og_gpu_place og_opencl_place(void *device, const void *memory);
/* The cl_mem that the address lies in, and where; it lives as long as the allocation. */
int og_opencl_buffer_of(og_opencl_device *device, const void *address, void **buffer, size_t *offset);
/* Argument i of a kernel is this address. */
int og_opencl_argument(og_opencl_device *device, void *kernel, const char *name, int i, const void *address);
#endif
