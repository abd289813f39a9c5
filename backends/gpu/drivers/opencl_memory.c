/* The OpenCL driver's memory. Shared virtual memory is a plain address, as driver.h wants it. Where the device has none
 * (Oclgrind, and drivers of OpenCL 1.2), a buffer stands behind an address range that is reserved and never backed: arithmetic
 * works on it, and a range's table leads back to the buffer and the offset. */
#define _DEFAULT_SOURCE
#include "base/memory.h"
#include "gpu/drivers/opencl.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { READ_WRITE = 1, USE_HOST_PTR = 8, BY_REGION = 0x1220 }; /* CL_MEM_..., CL_BUFFER_CREATE_TYPE_REGION */

typedef struct og_opencl_buffer {
  struct og_opencl_buffer *next;
  char *address;
  size_t bytes;
  void *buffer; /* shared memory: NULL until somebody asks */
} buffer;

/* The allocation that holds the address, or NULL. */
static buffer *find(og_opencl_device *d, const void *address) {
  pthread_mutex_lock(&d->lock);
  buffer *b = d->buffers;
  while (b && (uintptr_t)address - (uintptr_t)b->address >= b->bytes)
    b = b->next;
  pthread_mutex_unlock(&d->lock);
  return b;
}

static size_t offset_in(const buffer *b, const void *address) {
  return (size_t)((uintptr_t)address - (uintptr_t)b->address);
}

static int allocate_shared(og_opencl_device *d, size_t bytes, buffer *b) {
  b->address = og_cl.svm_allocate(d->context, READ_WRITE, bytes, 0);
  OG_CHECK(b->address, OG_ERR_MEMORY, "no device memory for %zu bytes", bytes);
  b->bytes = bytes;
  return OG_OK;
}

static int allocate_buffer(og_opencl_device *d, size_t bytes, buffer *b) {
  int code = 0;
  b->bytes = bytes;
  b->buffer = og_cl.buffer(d->context, READ_WRITE, bytes, NULL, &code);
  OG_CHECK(b->buffer && !code, OG_ERR_MEMORY, "no device memory for %zu bytes (OpenCL error %d)", bytes, code);
  b->address = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b->address == MAP_FAILED)
    b->address = NULL;
  OG_CHECK(b->address, OG_ERR_MEMORY, "no addresses for %zu bytes of device memory", bytes);
  return OG_OK;
}

static void discard(const og_opencl_device *d, buffer *b) {
  if (b->buffer)
    og_cl.buffer_release(b->buffer);
  if (b->address && d->svm)
    og_cl.svm_free(d->context, b->address);
  else if (b->address)
    munmap(b->address, b->bytes);
  og_free(b);
}

int og_opencl_allocate(void *device, size_t bytes, void **memory) {
  og_opencl_device *d = device;
  size_t asked = bytes ? bytes : 1;
  OG_CHECK(bytes <= d->largest, OG_ERR_MEMORY, "no device memory for %zu bytes: this device grants at most %zu at once",
           bytes, d->largest);
  buffer *b = og_allocate_zeroed(sizeof *b);
  OG_CHECK(b, OG_ERR_MEMORY, "no memory for the description of an allocation");
  int code = d->svm ? allocate_shared(d, asked, b) : allocate_buffer(d, asked, b);
  if (code) {
    discard(d, b);
    return code;
  }
  pthread_mutex_lock(&d->lock);
  b->next = d->buffers;
  d->buffers = b;
  pthread_mutex_unlock(&d->lock);
  *memory = b->address;
  return OG_OK;
}

/* OpenCL frees shared memory without regard to work under way, so that all queues are waited for. */
void og_opencl_release(void *device, void *memory) {
  og_opencl_device *d = device;
  if (!memory)
    return;
  pthread_mutex_lock(&d->lock);
  for (og_opencl_queue *q = d->queues; q; q = q->next)
    og_cl.finish(q->queue);
  buffer **link = &d->buffers;
  while (*link && (*link)->address != memory)
    link = &(*link)->next;
  buffer *gone = *link;
  if (gone)
    *link = gone->next;
  pthread_mutex_unlock(&d->lock);
  if (gone)
    discard(d, gone);
}

og_gpu_place og_opencl_place(void *device, const void *memory) {
  return find(device, memory) ? OG_GPU_DEVICE_MEMORY : OG_GPU_HOST_MEMORY;
}

/* Shared memory becomes a buffer object by being named as its host memory: the standard says that it is the same storage then. */
int og_opencl_buffer_of(og_opencl_device *d, const void *address, void **memory, size_t *offset) {
  buffer *b = find(d, address);
  int code = 0;
  OG_CHECK(b, OG_ERR_ARGUMENT, "the address is not device memory");
  pthread_mutex_lock(&d->lock);
  if (!b->buffer)
    b->buffer = og_cl.buffer(d->context, READ_WRITE | USE_HOST_PTR, b->bytes, b->address, &code);
  pthread_mutex_unlock(&d->lock);
  if (code)
    return og_opencl_fail(code, "making a buffer of shared memory");
  *memory = b->buffer;
  *offset = offset_in(b, address);
  return OG_OK;
}

static int copy_by_buffer(const og_opencl_queue *q, void *to, const void *from, size_t bytes) {
  const buffer *a = find(q->device, to), *b = find(q->device, from);
  if (a && b)
    return og_cl.buffer_copy(q->queue, b->buffer, a->buffer, offset_in(b, from), offset_in(a, to), bytes, 0, NULL,
                             NULL);
  if (a)
    return og_cl.buffer_write(q->queue, a->buffer, 1, offset_in(a, to), bytes, from, 0, NULL, NULL);
  if (b)
    return og_cl.buffer_read(q->queue, b->buffer, 1, offset_in(b, from), bytes, to, 0, NULL, NULL);
  memmove(to, from, bytes);
  return 0;
}

int og_opencl_copy(void *queue, void *to, const void *from, size_t bytes) {
  const og_opencl_queue *q = queue;
  og_opencl_device *d = q->device;
  int code;
  if (!bytes)
    return OG_OK;
  if (d->svm) {
    int wait = !find(d, to) || !find(d, from);
    code = og_cl.svm_copy(q->queue, (unsigned)wait, to, from, bytes, 0, NULL, NULL);
  } else {
    code = copy_by_buffer(q, to, from, bytes);
  }
  return code ? og_opencl_fail(code, "copying") : OG_OK;
}

int og_opencl_fill(void *queue, void *memory, int byte, size_t bytes) {
  const og_opencl_queue *q = queue;
  unsigned char pattern[16]; /* as many as divide the memory: devices fill by patterns, single bytes slowly */
  size_t wide = ((uintptr_t)memory | bytes) % sizeof pattern ? 1 : sizeof pattern;
  int code;
  memset(pattern, byte, sizeof pattern);
  if (!bytes)
    return OG_OK;
  if (q->device->svm) {
    code = og_cl.svm_fill(q->queue, memory, pattern, wide, bytes, 0, NULL, NULL);
  } else {
    const buffer *b = find(q->device, memory);
    OG_CHECK(b, OG_ERR_ARGUMENT, "filling memory that is not the device's");
    code = og_cl.buffer_fill(q->queue, b->buffer, pattern, wide, offset_in(b, memory), bytes, 0, NULL, NULL);
  }
  return code ? og_opencl_fail(code, "filling memory") : OG_OK;
}

/* A buffer from an offset on is a buffer of its own; the launch keeps it alive as long as it runs. */
static int argument_by_buffer(og_opencl_device *d, void *kernel, const char *name, int i, const void *address) {
  const buffer *b = find(d, address);
  int code = 0;
  OG_CHECK(b, OG_ERR_ARGUMENT, "kernel %s, argument %d: the address is not device memory", name, i);
  size_t region[2] = {offset_in(b, address), b->bytes - offset_in(b, address)};
  if (region[0] == 0)
    return (code = og_cl.argument(kernel, (unsigned)i, sizeof b->buffer, &b->buffer)) ? og_opencl_fail(code, name)
                                                                                      : OG_OK;
  OG_CHECK(region[0] % d->offset_step == 0, OG_ERR_ARGUMENT,
           "kernel %s, argument %d: offset %zu in its memory, want a multiple of %zu on a device without shared memory",
           name, i, region[0], d->offset_step);
  void *part = og_cl.sub_buffer(b->buffer, READ_WRITE, BY_REGION, region, &code);
  if (!code) {
    code = og_cl.argument(kernel, (unsigned)i, sizeof part, &part);
    og_cl.buffer_release(part);
  }
  return code ? og_opencl_fail(code, name) : OG_OK;
}

int og_opencl_argument(og_opencl_device *d, void *kernel, const char *name, int i, const void *address) {
  int code;
  if (!address) {
    code = og_cl.argument(kernel, (unsigned)i, sizeof(void *), NULL);
  } else if (d->svm) {
    OG_CHECK(find(d, address), OG_ERR_ARGUMENT, "kernel %s, argument %d: the address is not device memory", name, i);
    code = og_cl.argument_svm(kernel, (unsigned)i, address);
  } else {
    return argument_by_buffer(d, kernel, name, i, address);
  }
  return code ? og_opencl_fail(code, name) : OG_OK;
}
