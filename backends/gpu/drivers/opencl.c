/* The OpenCL driver: any device with OpenCL 1.2 or newer and double precision, through the ICD loader, which is opened at
 * run time. GPUs come first in the count. */
#define _GNU_SOURCE
#include "gpu/drivers/opencl.h"
#include "base/env.h"
#include "base/memory.h"
#include "gpu/drivers/fft.h"

#include <stdio.h>
#include <string.h>

/* Numbers of the interface. */
enum { KIND = 0x1000, UNITS = 0x1002, MAX_TEAM = 0x1004, LARGEST = 0x1010, ALIGNMENT = 0x1019, MEMORY = 0x101f };
enum {
  LOCAL_BYTES = 0x1023,
  NAME = 0x102b,
  VENDOR = 0x102c,
  DRIVER = 0x102d,
  VERSION = 0x102f,
  EXTENSIONS = 0x1030,
  DOUBLE = 0x1032
};
enum { SVM = 0x1053, NV_MAJOR = 0x4000, NV_MINOR = 0x4001, PLATFORM = 0x1084, LOG = 0x1183, BINARY_BYTES = 0x1165 };
enum { BINARIES = 0x1166, KERNEL_TEAM = 0x11b0, KERNEL_LOCAL = 0x11b2, KERNEL_PRIVATE = 0x11b4 };
enum { PROFILING = 2, END = 0x1283, KIND_CPU = 2, COARSE = 1, MAX_DEVICES = 64, MAX_PLATFORMS = 32 };
static const uint64_t every_kind = 0xffffffff;

og_opencl_api og_cl;

static const og_gpu_function functions[] = {{"clGetPlatformIDs", &og_cl.platforms},
                                            {"clGetDeviceIDs", &og_cl.devices},
                                            {"clGetDeviceInfo", &og_cl.device_info},
                                            {"clCreateContext", &og_cl.context},
                                            {"clReleaseContext", &og_cl.context_release},
                                            {"clCreateCommandQueue", &og_cl.queue},
                                            {"clReleaseCommandQueue", &og_cl.queue_release},
                                            {"clFlush", &og_cl.flush},
                                            {"clFinish", &og_cl.finish},
                                            {"clCreateBuffer", &og_cl.buffer},
                                            {"clCreateSubBuffer", &og_cl.sub_buffer},
                                            {"clReleaseMemObject", &og_cl.buffer_release},
                                            {"clEnqueueReadBuffer", &og_cl.buffer_read},
                                            {"clEnqueueWriteBuffer", &og_cl.buffer_write},
                                            {"clEnqueueCopyBuffer", &og_cl.buffer_copy},
                                            {"clEnqueueFillBuffer", &og_cl.buffer_fill},
                                            {"clCreateProgramWithSource", &og_cl.program},
                                            {"clCreateProgramWithBinary", &og_cl.program_binary},
                                            {"clBuildProgram", &og_cl.build},
                                            {"clGetProgramBuildInfo", &og_cl.build_info},
                                            {"clGetProgramInfo", &og_cl.program_info},
                                            {"clReleaseProgram", &og_cl.program_release},
                                            {"clCreateKernel", &og_cl.kernel},
                                            {"clReleaseKernel", &og_cl.kernel_release},
                                            {"clGetKernelWorkGroupInfo", &og_cl.kernel_info},
                                            {"clSetKernelArg", &og_cl.argument},
                                            {"clEnqueueNDRangeKernel", &og_cl.launch},
                                            {"clEnqueueMarkerWithWaitList", &og_cl.marker},
                                            {"clWaitForEvents", &og_cl.wait},
                                            {"clReleaseEvent", &og_cl.event_release},
                                            {"clGetEventProfilingInfo", &og_cl.event_time},
                                            {NULL, NULL}};
static const og_gpu_function svm_functions[] = {{"clSVMAlloc", &og_cl.svm_allocate},
                                                {"clSVMFree", &og_cl.svm_free},
                                                {"clEnqueueSVMMemcpy", &og_cl.svm_copy},
                                                {"clEnqueueSVMMemFill", &og_cl.svm_fill},
                                                {"clSetKernelArgSVMPointer", &og_cl.argument_svm},
                                                {NULL, NULL}};

typedef struct opencl_kernel {
  struct opencl_kernel *next;
  void *kernel;
  pthread_mutex_t lock; /* arguments are set on the kernel itself: one launch at a time */
  size_t max_team;
  char name[128];
} opencl_kernel;

typedef struct opencl_program {
  og_opencl_device *device;
  void *program;
  opencl_kernel *kernels;
} opencl_program;

typedef struct opencl_mark {
  void *event;
} opencl_mark;

/* Of the process. */
static struct {
  char why_not[256];
  int has_svm; /* the loader knows the functions */
  int n;
  struct {
    void *platform, *device;
  } found[MAX_DEVICES];
} here;

int og_opencl_fail(int code, const char *what) {
  static const struct {
    int code;
    const char *text;
  } texts[] = {{-4, "no memory for an object"},
               {-5, "out of resources"},
               {-6, "out of host memory"},
               {-8, "source and target overlap"},
               {-11, "the program does not build"},
               {-44, "invalid program"},
               {-46, "no kernel of that name"},
               {-50, "invalid argument value"},
               {-51, "invalid argument size"},
               {-52, "an argument is missing"},
               {-54, "invalid team size"},
               {-55, "invalid work item size"},
               {-45, "the program is not executable"}};
  const char *text = "error";
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].code == code)
      text = texts[i].text;
  int out = code == -4 || code == -6;
  return og_error_set(out ? OG_ERR_MEMORY : OG_ERR_BACKEND, "opencl", "%s: %s (%d)", what, text, code);
}

#define TRY(call, what)                                                                                                \
  do {                                                                                                                 \
    int code_ = (call);                                                                                                \
    if (code_)                                                                                                         \
      return og_opencl_fail(code_, what);                                                                              \
  } while (0)

/* ---- devices */

static uint64_t number_of(void *device, unsigned what) {
  uint64_t value = 0; /* answers are 4 or 8 bytes, little end first where it matters */
  return og_cl.device_info(device, what, sizeof value, &value, NULL) ? 0 : value;
}

static void text_of(void *device, unsigned what, char *text, size_t room) {
  char whole[1024] = "";
  if (og_cl.device_info(device, what, sizeof whole, whole, NULL))
    whole[0] = 0;
  snprintf(text, room, "%s", whole);
}

static int has_atomics(void *device) {
  static char extensions[16384];
  extensions[0] = 0; /* one thread lists devices */
  return !og_cl.device_info(device, EXTENSIONS, sizeof extensions, extensions, NULL) &&
         strstr(extensions, "cl_khr_int64_base_atomics");
}

/* Those of one kind: GPUs and accelerators, then CPUs. seen: of the kind; f64: with double precision. */
static void list_devices(unsigned n_platforms, void *const *platforms, int cpus, int *seen, int *f64) {
  void *devices[MAX_DEVICES];
  unsigned n = 0;
  for (unsigned p = 0; p < n_platforms; p++) {
    if (og_cl.devices(platforms[p], every_kind, MAX_DEVICES, devices, &n))
      n = 0;
    for (unsigned d = 0; d < n && d < MAX_DEVICES && here.n < MAX_DEVICES; d++) {
      if (cpus != ((number_of(devices[d], KIND) & KIND_CPU) != 0))
        continue;
      ++*seen;
      if (!number_of(devices[d], DOUBLE))
        continue;
      ++*f64;
      if (!has_atomics(devices[d]))
        continue;
      here.found[here.n].platform = platforms[p];
      here.found[here.n++].device = devices[d];
    }
  }
}

static void find_devices(void) {
  void *platforms[MAX_PLATFORMS];
  unsigned n = 0;
  int seen = 0, f64 = 0;
  if (og_cl.platforms(MAX_PLATFORMS, platforms, &n))
    n = 0;
  n = n < MAX_PLATFORMS ? n : MAX_PLATFORMS;
  for (int cpus = 0; cpus < 2; cpus++)
    list_devices(n, platforms, cpus, &seen, &f64);
  if (here.n)
    return;
  if (!n)
    snprintf(here.why_not, sizeof here.why_not,
             "OpenCL finds no vendor's driver: want an ICD in /etc/OpenCL/vendors, or named in OCL_ICD_FILENAMES");
  else if (!seen)
    snprintf(here.why_not, sizeof here.why_not, "OpenCL finds no device (%u vendor%s)", n, n > 1 ? "s" : "");
  else
    snprintf(here.why_not, sizeof here.why_not, "OpenCL finds no device with %s (of %d)",
             f64 ? "64-bit atomics (cl_khr_int64_base_atomics)" : "double precision", seen);
}

static void open_library(void) {
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
  void *library = og_gpu_open_library(names);
  if (!library) {
    snprintf(here.why_not, sizeof here.why_not,
             "libOpenCL, the ICD loader, is not installed or not found by the loader");
    return;
  }
  const char *missing = og_gpu_find_functions(library, functions);
  if (missing) {
    snprintf(here.why_not, sizeof here.why_not, "libOpenCL has no function %s: want OpenCL 1.2 or newer", missing);
    return;
  }
  here.has_svm = !og_gpu_find_functions(library, svm_functions);
  find_devices();
}

static int opencl_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  OG_CHECK(!*here.why_not, OG_ERR_BACKEND, "%s", here.why_not);
  return OG_OK;
}

static int opencl_count(int *devices) {
  *devices = here.n;
  return OG_OK;
}

/* Double precision at half the speed of single: CPUs, NVIDIA's and AMD's devices for computing. */
static int f64_speed(void *device, const char *name) {
  uint64_t major = number_of(device, NV_MAJOR), minor = number_of(device, NV_MINOR);
  int compute_amd = !strncmp(name, "gfx906", 6) || !strncmp(name, "gfx908", 6) || !strncmp(name, "gfx90a", 6) ||
                    !strncmp(name, "gfx94", 5) || !strncmp(name, "gfx95", 5);
  return (number_of(device, KIND) & KIND_CPU) || (major >= 6 && major <= 10 && minor == 0) || compute_amd ? 2 : 1;
}

/* OFFGRID_OPENCL_OPTIONS: more options for the compiler: -cl-opt-disable, which PoCL compiles quicker with, -g. */
static void fill_options(og_opencl_device *d, const char *ours) {
  const char *more = og_env("opencl_options");
  snprintf(d->options, sizeof d->options, "-cl-std=CL1.2%s%s%s", ours, more ? " " : "", more ? more : "");
}

static void fill_info(og_opencl_device *d, og_gpu_info *info) {
  char version[256], driver[256], vendor[256], digits[17];
  text_of(d->id, NAME, info->name, sizeof info->name);
  text_of(d->id, VERSION, version, sizeof version);
  text_of(d->id, DRIVER, driver, sizeof driver);
  text_of(d->id, VENDOR, vendor, sizeof vendor);
  fill_options(d, strstr(vendor, "NVIDIA")         ? " -DOG_NVIDIA=1"
                  : strstr(info->name, "Oclgrind") ? " -DOG_RACE_CHECK=1"
                                                   : "");
  const char *const all[] = {info->name, version, driver, vendor, d->options, NULL};
  og_gpu_fingerprint(all, digits);
  snprintf(info->arch, sizeof info->arch, "%.31s", info->name);
  snprintf(info->version, sizeof info->version, "%s %.40s", digits, version);
  snprintf(d->identity, sizeof d->identity, "%s", info->version);
  info->subgroup = 1;
  info->units = (int)number_of(d->id, UNITS);
  size_t team = (size_t)number_of(d->id, MAX_TEAM);
  info->max_team = team < 1024 ? (int)team : 1024;
  info->memory_bytes = (size_t)number_of(d->id, MEMORY);
  info->local_bytes = d->local_bytes = (size_t)number_of(d->id, LOCAL_BYTES);
  info->f64 = f64_speed(d->id, info->name);
  info->matrix = 0;
  const char *memory = og_env("opencl_memory"); /* "buffers": as on a device without shared memory, for tests */
  d->svm = here.has_svm && (number_of(d->id, SVM) & COARSE) && (!memory || strcmp(memory, "buffers") != 0);
  d->largest = (size_t)number_of(d->id, LARGEST);
  d->offset_step = (size_t)number_of(d->id, ALIGNMENT) / 8;
  d->offset_step = d->offset_step ? d->offset_step : 1;
  d->keeps = strstr(version, "PoCL") != NULL;
}

static void opencl_close(void *device) {
  og_opencl_device *d = device;
  if (d->context)
    og_cl.context_release(d->context);
  pthread_mutex_destroy(&d->lock);
  og_free(d);
}

static int opencl_open(int number, og_gpu_info *info, void **device) {
  int code = 0;
  const intptr_t properties[] = {PLATFORM, (intptr_t)here.found[number].platform, 0};
  og_opencl_device *d = og_allocate_zeroed(sizeof *d);
  OG_CHECK(d, OG_ERR_MEMORY, "no memory for a device's description");
  pthread_mutex_init(&d->lock, NULL); /* cannot fail with default attributes here (Linux) */
  d->id = here.found[number].device;
  fill_info(d, info);
  d->context = og_cl.context(properties, 1, &d->id, NULL, NULL, &code);
  if (code) {
    d->context = NULL;
    opencl_close(d);
    return og_opencl_fail(code, "opening the device");
  }
  *device = d;
  return OG_OK;
}

/* ---- queues */

static int opencl_queue_create(void *device, void *native, void **queue) {
  og_opencl_device *d = device;
  int code = 0;
  OG_CHECK(!native, OG_ERR_UNSUPPORTED, "the opencl driver has a context, and so queues, of its own: pass no queue");
  og_opencl_queue *q = og_allocate_zeroed(sizeof *q);
  OG_CHECK(q, OG_ERR_MEMORY, "no memory for a queue's description");
  q->device = d;
  q->queue = og_cl.queue(d->context, d->id, PROFILING, &code);
  if (code) {
    og_free(q);
    return og_opencl_fail(code, "making a queue");
  }
  pthread_mutex_lock(&d->lock);
  q->next = d->queues;
  d->queues = q;
  pthread_mutex_unlock(&d->lock);
  *queue = q;
  return OG_OK;
}

static void opencl_queue_destroy(void *queue) {
  og_opencl_queue *q = queue, **link = &q->device->queues;
  pthread_mutex_lock(&q->device->lock);
  while (*link != q)
    link = &(*link)->next;
  *link = q->next;
  pthread_mutex_unlock(&q->device->lock);
  og_cl.finish(q->queue);
  og_cl.queue_release(q->queue);
  og_free(q);
}

static int opencl_finish(void *queue) {
  TRY(og_cl.finish(((og_opencl_queue *)queue)->queue), "waiting for the queue");
  return OG_OK;
}

/* ---- programs */

static int build_error(const og_opencl_device *d, void *program, const char *name, int result) {
  size_t bytes = 0;
  char *log = og_cl.build_info(program, d->id, LOG, 0, NULL, &bytes) || !bytes ? NULL : og_allocate(bytes + 1);
  int code = og_opencl_fail(result, name);
  if (log && !og_cl.build_info(program, d->id, LOG, bytes, log, NULL)) {
    log[bytes] = 0;
    code = og_gpu_compile_error("opencl", name, log);
  }
  og_free(log);
  return code;
}

/* Where binaries are no gain, the source stands for one. */
static int take_source(const char *source, void **binary, size_t *bytes) {
  *bytes = strlen(source);
  *binary = og_allocate(*bytes);
  OG_CHECK(*binary, OG_ERR_MEMORY, "no memory for a program of %zu bytes", *bytes);
  memcpy(*binary, source, *bytes);
  return OG_OK;
}

static int take_binary(void *program, void **binary, size_t *bytes) {
  TRY(og_cl.program_info(program, BINARY_BYTES, sizeof *bytes, bytes, NULL), "the size of a program");
  *binary = og_allocate(*bytes);
  OG_CHECK(*binary, OG_ERR_MEMORY, "no memory for a program of %zu bytes", *bytes);
  int code = *bytes ? og_cl.program_info(program, BINARIES, sizeof *binary, binary, NULL) : -44;
  if (!code)
    return OG_OK;
  og_free(*binary);
  return og_opencl_fail(code, "taking a program's binary");
}

static int build(const og_opencl_device *d, void *program, const char *name, const char *const *options) {
  char line[1024];
  size_t n = (size_t)snprintf(line, sizeof line, "%s", d->options);
  for (; options && *options && n < sizeof line; options++)
    n += (size_t)snprintf(line + n, sizeof line - n, " %s", *options);
  int code = og_cl.build(program, 1, &d->id, line, NULL, NULL);
  return code ? build_error(d, program, name, code) : OG_OK;
}

static int opencl_compile(void *device, const char *name, const char *source, const char *const *options, void **binary,
                          size_t *bytes) {
  og_opencl_device *d = device;
  int code = 0;
  void *program = og_cl.program(d->context, 1, &source, NULL, &code);
  TRY(code, name);
  code = build(d, program, name, options);
  if (!code)
    code = d->keeps ? take_source(source, binary, bytes) : take_binary(program, binary, bytes);
  og_cl.program_release(program);
  return code;
}

static int opencl_program_load(void *device, const void *binary, size_t bytes, void **program) {
  const unsigned char *image = binary;
  const char *source = binary;
  int status = 0, code = 0;
  opencl_program *p = og_allocate_zeroed(sizeof *p);
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for a program's description");
  p->device = device;
  p->program = p->device->keeps
                   ? og_cl.program(p->device->context, 1, &source, &bytes, &code)
                   : og_cl.program_binary(p->device->context, 1, &p->device->id, &bytes, &image, &status, &code);
  if (!code && !status)
    code = og_cl.build(p->program, 1, &p->device->id, p->device->options, NULL, NULL);
  if (!code && !status) {
    *program = p;
    return OG_OK;
  }
  if (p->program)
    og_cl.program_release(p->program);
  og_free(p);
  return og_opencl_fail(code ? code : status, "loading a program");
}

static void opencl_program_unload(void *program) {
  opencl_program *p = program;
  for (opencl_kernel *k = p->kernels, *next; k; k = next) {
    next = k->next;
    og_cl.kernel_release(k->kernel);
    pthread_mutex_destroy(&k->lock);
    og_free(k);
  }
  og_cl.program_release(p->program);
  og_free(p);
}

static int fill_kernel(const og_opencl_device *d, opencl_kernel *k, og_gpu_kernel_info *info) {
  uint64_t local = 0, private = 0;
  TRY(og_cl.kernel_info(k->kernel, d->id, KERNEL_TEAM, sizeof k->max_team, &k->max_team, NULL),
      "a kernel's largest team");
  TRY(og_cl.kernel_info(k->kernel, d->id, KERNEL_LOCAL, sizeof local, &local, NULL), "a kernel's local memory");
  int known = !og_cl.kernel_info(k->kernel, d->id, KERNEL_PRIVATE, sizeof private, &private, NULL);
  OG_CHECK(local <= d->local_bytes, OG_ERR_OPTION, "kernel %s takes %llu bytes of local memory; the device has %zu",
           k->name, (unsigned long long)local, d->local_bytes);
  *info = (og_gpu_kernel_info){.registers = -1,
                               .scratch_bytes = known ? (int)private : -1,
                               .local_bytes = (int)local,
                               .max_team = k->max_team < 1024 ? (int)k->max_team : 1024};
  return OG_OK;
}

static int opencl_kernel_get(void *program, const char *name, void **kernel, og_gpu_kernel_info *info) {
  opencl_program *p = program;
  int code = 0;
  opencl_kernel *k = og_allocate_zeroed(sizeof *k);
  OG_CHECK(k, OG_ERR_MEMORY, "no memory for a kernel's description");
  snprintf(k->name, sizeof k->name, "%s", name);
  k->kernel = og_cl.kernel(p->program, name, &code);
  if (code) {
    og_free(k);
    OG_CHECK(code != -46, OG_ERR_BACKEND, "the program has no kernel '%s'", name);
    return og_opencl_fail(code, name);
  }
  pthread_mutex_init(&k->lock, NULL);
  k->next = p->kernels;
  p->kernels = k; /* from here on the program frees it */
  OG_TRY(fill_kernel(p->device, k, info));
  *kernel = k;
  return OG_OK;
}

static int set_arguments(og_opencl_device *d, opencl_kernel *k, int n_args, const og_gpu_arg *args) {
  for (int i = 0; i < n_args; i++)
    if (args[i].address)
      OG_TRY(og_opencl_argument(d, k->kernel, k->name, i, *(void *const *)args[i].value));
    else
      TRY(og_cl.argument(k->kernel, (unsigned)i, args[i].bytes, args[i].value), k->name);
  return OG_OK;
}

static int opencl_launch(void *queue, void *kernel, const int64_t groups[3], int team, int n_args,
                         const og_gpu_arg *args) {
  const og_opencl_queue *q = queue;
  opencl_kernel *k = kernel;
  const size_t sizes[3] = {(size_t)team, 1, 1};
  size_t items[3];
  if (groups[0] <= 0 || groups[1] <= 0 || groups[2] <= 0)
    return OG_OK;
  OG_CHECK(team > 0 && (size_t)team <= k->max_team, OG_ERR_SIZE, "kernel %s: team of %d, want at most %zu", k->name,
           team, k->max_team);
  for (int d = 0; d < 3; d++)
    items[d] = (size_t)groups[d] * sizes[d];
  pthread_mutex_lock(&k->lock);
  int code = set_arguments(q->device, k, n_args, args);
  int result = code ? 0 : og_cl.launch(q->queue, k->kernel, 3, NULL, items, sizes, 0, NULL, NULL);
  pthread_mutex_unlock(&k->lock);
  OG_TRY(code);
  TRY(result, k->name);
  return OG_OK;
}

/* ---- marks */

static int opencl_mark_create(void *device, void **mark) {
  (void)device;
  *mark = og_allocate_zeroed(sizeof(opencl_mark));
  OG_CHECK(*mark, OG_ERR_MEMORY, "no memory for a mark");
  return OG_OK;
}

static void forget_event(opencl_mark *m) {
  if (m->event)
    og_cl.event_release(m->event);
  m->event = NULL;
}

static void opencl_mark_destroy(void *mark) {
  forget_event(mark);
  og_free(mark);
}

static int opencl_mark_now(void *queue, void *mark) {
  opencl_mark *m = mark;
  forget_event(m);
  TRY(og_cl.marker(((og_opencl_queue *)queue)->queue, 0, NULL, &m->event), "setting a mark");
  return OG_OK;
}

static int opencl_seconds(void *from, void *to, double *seconds) {
  const opencl_mark *a = from, *b = to;
  uint64_t start = 0, end = 0; /* nanoseconds */
  OG_CHECK(a->event && b->event, OG_ERR_ORDER, "a mark was not set");
  TRY(og_cl.wait(1, &b->event), "waiting for a mark");
  TRY(og_cl.event_time(a->event, END, sizeof start, &start, NULL), "the time of a mark");
  TRY(og_cl.event_time(b->event, END, sizeof end, &end, NULL), "the time of a mark");
  *seconds = 1e-9 * (double)(end - start);
  return OG_OK;
}

const og_gpu_driver og_gpu_opencl = {
    .name = "opencl",
    .dialect = "dialect/opencl.h",
    .table_by_value = 0,
    .fft = &og_gpu_vkfft,
    .load = opencl_load,
    .count = opencl_count,
    .open = opencl_open,
    .close = opencl_close,
    .queue_create = opencl_queue_create,
    .queue_destroy = opencl_queue_destroy,
    .finish = opencl_finish,
    .allocate = og_opencl_allocate,
    .release = og_opencl_release,
    .copy = og_opencl_copy,
    .fill = og_opencl_fill,
    .place = og_opencl_place,
    .compile = opencl_compile,
    .program_load = opencl_program_load,
    .program_unload = opencl_program_unload,
    .kernel = opencl_kernel_get,
    .launch = opencl_launch,
    .mark_create = opencl_mark_create,
    .mark_destroy = opencl_mark_destroy,
    .mark = opencl_mark_now,
    .seconds = opencl_seconds,
};
