/* The CUDA driver: the driver API (libcuda) for devices and NVRTC for programs, both opened at run time. Their types and
 * functions are declared here as NVIDIA documents them, so that no toolkit is needed to build. The device's primary context is
 * used, which the CUDA runtime of the caller's own code uses, too: its pointers and streams are ours. */
#define _GNU_SOURCE
#include "gpu/drivers/cuda.h"
#include "base/memory.h"
#include "gpu/drivers/common.h"
#include "gpu/drivers/driver.h"
#include "gpu/drivers/fft.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the interfaces: a result is 0 or a code; handles are pointers, a device address is a 64-bit integer */

typedef unsigned long long address;
enum { OUT_OF_MEMORY = 2, NOT_FOUND = 500 }; /* CUresult */
enum {
  UNITS = 16,
  MAJOR = 75,
  MINOR = 76,
  DOUBLE_RATIO = 87,
  LOCAL_LIMIT = 97,
  TEAM_LIMIT = 1,
  WARP = 10
};                                                                                      /* device attributes */
enum { MAX_TEAM = 0, STATIC_LOCAL = 1, SCRATCH = 3, REGISTERS = 4, DYNAMIC_LIMIT = 8 }; /* kernel attributes */
enum { POINTER_KIND = 2, KIND_HOST = 1 };                                               /* pointer attributes */
enum { DEFAULT_LOCAL = 48 << 10, MAX_ARCHS = 128 };

static struct {
  int (*init)(unsigned flags), (*driver_version)(int *version), (*device_count)(int *count);
  int (*error_name)(int code, const char **name), (*error_text)(int code, const char **text);
  int (*device)(int *device, int number), (*device_name)(char *name, int room, int device);
  int (*device_memory)(size_t *bytes, int device), (*device_attribute)(int *value, int attribute, int device);
  int (*context_retain)(void **context, int device), (*context_release)(int device);
  int (*push)(void *context), (*pop)(void **context);
  int (*allocate)(address *memory, size_t bytes), (*release)(address memory), (*memory_info)(size_t *free, size_t *all);
  int (*copy)(address to, address from, size_t bytes, void *stream);
  int (*copy_to_host)(void *to, address from, size_t bytes);
  int (*fill)(address memory, unsigned char byte, size_t bytes, void *stream);
  int (*pointer)(unsigned n, const int *attributes, void **values, address memory);
  int (*stream_create)(void **stream, unsigned flags), (*stream_destroy)(void *stream), (*stream_finish)(void *stream);
  int (*stream_context)(void *stream, void **context);
  int (*module_load)(void **module, const void *image), (*module_unload)(void *module);
  int (*module_kernel)(void **kernel, void *module, const char *name);
  int (*module_variable)(address *memory, size_t *bytes, void *module, const char *name);
  int (*kernel_attribute)(int *value, int attribute, void *kernel);
  int (*kernel_set)(void *kernel, int attribute, int value);
  int (*launch)(void *kernel, unsigned x, unsigned y, unsigned z, unsigned team_x, unsigned team_y, unsigned team_z,
                unsigned local_bytes, void *stream, void **arguments, void **extra);
  int (*event_create)(void **event, unsigned flags), (*event_destroy)(void *event), (*event_wait)(void *event);
  int (*event_record)(void *event, void *stream), (*event_elapsed)(float *milliseconds, void *from, void *to);
} cu;

static struct {
  int (*version)(int *major, int *minor), (*n_archs)(int *n), (*archs)(int *archs);
  const char *(*error_text)(int code);
  int (*create)(void **program, const char *source, const char *name, int n_headers, const char *const *headers,
                const char *const *names);
  int (*destroy)(void **program), (*compile)(void *program, int n_options, const char *const *options);
  int (*log_bytes)(void *program, size_t *bytes), (*log)(void *program, char *log);
  int (*cubin_bytes)(void *program, size_t *bytes), (*cubin)(void *program, char *binary);
  int (*ptx_bytes)(void *program, size_t *bytes), (*ptx)(void *program, char *text);
} nvrtc;

static struct { int (*push)(const char *name), (*pop)(void); } nvtx;

static const og_gpu_function cu_functions[] = {{"cuInit", &cu.init},
                                               {"cuDriverGetVersion", &cu.driver_version},
                                               {"cuDeviceGetCount", &cu.device_count},
                                               {"cuGetErrorName", &cu.error_name},
                                               {"cuGetErrorString", &cu.error_text},
                                               {"cuDeviceGet", &cu.device},
                                               {"cuDeviceGetName", &cu.device_name},
                                               {"cuDeviceTotalMem_v2", &cu.device_memory},
                                               {"cuDeviceGetAttribute", &cu.device_attribute},
                                               {"cuDevicePrimaryCtxRetain", &cu.context_retain},
                                               {"cuDevicePrimaryCtxRelease_v2", &cu.context_release},
                                               {"cuCtxPushCurrent_v2", &cu.push},
                                               {"cuCtxPopCurrent_v2", &cu.pop},
                                               {"cuMemAlloc_v2", &cu.allocate},
                                               {"cuMemFree_v2", &cu.release},
                                               {"cuMemGetInfo_v2", &cu.memory_info},
                                               {"cuMemcpyAsync", &cu.copy},
                                               {"cuMemcpyDtoH_v2", &cu.copy_to_host},
                                               {"cuMemsetD8Async", &cu.fill},
                                               {"cuPointerGetAttributes", &cu.pointer},
                                               {"cuStreamCreate", &cu.stream_create},
                                               {"cuStreamDestroy_v2", &cu.stream_destroy},
                                               {"cuStreamSynchronize", &cu.stream_finish},
                                               {"cuStreamGetCtx", &cu.stream_context},
                                               {"cuModuleLoadData", &cu.module_load},
                                               {"cuModuleUnload", &cu.module_unload},
                                               {"cuModuleGetFunction", &cu.module_kernel},
                                               {"cuModuleGetGlobal_v2", &cu.module_variable},
                                               {"cuFuncGetAttribute", &cu.kernel_attribute},
                                               {"cuFuncSetAttribute", &cu.kernel_set},
                                               {"cuLaunchKernel", &cu.launch},
                                               {"cuEventCreate", &cu.event_create},
                                               {"cuEventDestroy_v2", &cu.event_destroy},
                                               {"cuEventSynchronize", &cu.event_wait},
                                               {"cuEventRecord", &cu.event_record},
                                               {"cuEventElapsedTime", &cu.event_elapsed},
                                               {NULL, NULL}};
static const og_gpu_function nvrtc_functions[] = {{"nvrtcVersion", &nvrtc.version},
                                                  {"nvrtcGetNumSupportedArchs", &nvrtc.n_archs},
                                                  {"nvrtcGetSupportedArchs", &nvrtc.archs},
                                                  {"nvrtcGetErrorString", &nvrtc.error_text},
                                                  {"nvrtcCreateProgram", &nvrtc.create},
                                                  {"nvrtcDestroyProgram", &nvrtc.destroy},
                                                  {"nvrtcCompileProgram", &nvrtc.compile},
                                                  {"nvrtcGetProgramLogSize", &nvrtc.log_bytes},
                                                  {"nvrtcGetProgramLog", &nvrtc.log},
                                                  {"nvrtcGetCUBINSize", &nvrtc.cubin_bytes},
                                                  {"nvrtcGetCUBIN", &nvrtc.cubin},
                                                  {"nvrtcGetPTXSize", &nvrtc.ptx_bytes},
                                                  {"nvrtcGetPTX", &nvrtc.ptx},
                                                  {NULL, NULL}};

typedef struct cuda_device {
  int number; /* CUdevice */
  void *context;
  char arch[32], version[64];
  int local_limit;
} cuda_device;

typedef struct cuda_queue {
  cuda_device *device;
  void *stream;
  int own;
} cuda_queue;

typedef struct cuda_kernel {
  struct cuda_kernel *next;
  void *function;
  unsigned local_bytes; /* dynamic */
  char name[128];
} cuda_kernel;

typedef struct cuda_program {
  cuda_device *device;
  void *module;
  cuda_kernel *kernels;
} cuda_program;

typedef struct cuda_mark {
  cuda_device *device;
  void *event;
} cuda_mark;

/* ---- errors, contexts */

static int fail(int result, const char *what) {
  const char *name = NULL, *text = NULL;
  cu.error_name(result, &name);
  cu.error_text(result, &text);
  return og_error_set(result == OUT_OF_MEMORY ? OG_ERR_MEMORY : OG_ERR_BACKEND, "cuda", "%s: %s (%s)", what,
                      text ? text : "unknown error", name ? name : "?");
}

#define TRY(call, what)                                                                                                \
  do {                                                                                                                 \
    int result_ = (call);                                                                                              \
    if (result_)                                                                                                       \
      return fail(result_, what);                                                                                      \
  } while (0)

int og_cuda_enter(void *device) {
  TRY(cu.push(((cuda_device *)device)->context), "making the device current");
  return OG_OK;
}

void og_cuda_leave(void) {
  void *ours;
  cu.pop(&ours);
}

void *og_cuda_stream(void *queue) { return ((cuda_queue *)queue)->stream; }

/* result = the call's, with the device current; a failing push is the call's failure. */
#define WITHIN(device, result, call)                                                                                   \
  do {                                                                                                                 \
    (result) = cu.push((device)->context);                                                                             \
    if (!(result)) {                                                                                                   \
      (result) = (call);                                                                                               \
      og_cuda_leave();                                                                                                 \
    }                                                                                                                  \
  } while (0)

/* ---- libraries */

static char why_no_nvrtc[256], why_no_cuda[256];

static void open_nvrtc(void) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", NULL};
  void *library = og_gpu_open_library(names);
  if (!library) {
    snprintf(why_no_nvrtc, sizeof why_no_nvrtc,
             "libnvrtc is not installed or not found by the loader (LD_LIBRARY_PATH)");
    return;
  }
  const char *missing = og_gpu_find_functions(library, nvrtc_functions);
  if (missing)
    snprintf(why_no_nvrtc, sizeof why_no_nvrtc, "libnvrtc has no function %s: want version 11.2 or newer", missing);
}

static int load_nvrtc(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_nvrtc);
  OG_CHECK(!*why_no_nvrtc, OG_ERR_BACKEND, "%s", why_no_nvrtc);
  return OG_OK;
}

static void open_nvtx(void) {
  static const char *const names[] = {"libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1", NULL};
  static const og_gpu_function functions[] = {
      {"nvtxRangePushA", &nvtx.push}, {"nvtxRangePop", &nvtx.pop}, {NULL, NULL}};
  void *library = og_gpu_open_library(names);
  if (library && og_gpu_find_functions(library, functions))
    nvtx.push = NULL;
}

static void open_cuda(void) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  void *library = og_gpu_open_library(names);
  if (!library) {
    snprintf(why_no_cuda, sizeof why_no_cuda,
             "libcuda, of NVIDIA's driver, is not installed or not found by the loader");
    return;
  }
  const char *missing = og_gpu_find_functions(library, cu_functions);
  if (missing) {
    snprintf(why_no_cuda, sizeof why_no_cuda, "libcuda has no function %s: NVIDIA's driver is too old", missing);
    return;
  }
  int result = cu.init(0);
  if (result) {
    const char *text = NULL;
    cu.error_text(result, &text);
    snprintf(why_no_cuda, sizeof why_no_cuda, "NVIDIA's driver does not start: %s", text ? text : "unknown error");
    return;
  }
  open_nvtx();
}

static int cuda_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_cuda);
  OG_CHECK(!*why_no_cuda, OG_ERR_BACKEND, "%s", why_no_cuda);
  return load_nvrtc();
}

/* ---- devices */

static int cuda_count(int *devices) {
  TRY(cu.device_count(devices), "counting devices");
  return OG_OK;
}

/* What NVRTC is asked for: the machine code of this compute capability, or, where this NVRTC is older than the device,
 * the newest virtual one before it, which the driver translates. */
static int choose_arch(int capability, char arch[32]) {
  int n = 0, best = 0, archs[MAX_ARCHS];
  OG_CHECK(!nvrtc.n_archs(&n) && n > 0 && n <= MAX_ARCHS && !nvrtc.archs(archs), OG_ERR_BACKEND,
           "NVRTC does not tell its architectures");
  for (int i = 0; i < n; i++)
    if (archs[i] <= capability && archs[i] > best)
      best = archs[i];
  OG_CHECK(best, OG_ERR_BACKEND, "this NVRTC compiles for sm_%d and newer; the device is sm_%d", archs[0], capability);
  snprintf(arch, 32, "%s_%d", best == capability ? "sm" : "compute", best);
  return OG_OK;
}

static int fill_info(cuda_device *d, og_gpu_info *info) {
  const struct {
    int attribute, *value;
  } wanted[] = {
      {UNITS, &info->units}, {TEAM_LIMIT, &info->max_team}, {WARP, &info->subgroup}, {LOCAL_LIMIT, &d->local_limit}};
  int major = 0, minor = 0, ratio = 0;
  TRY(cu.device_name(info->name, sizeof info->name, d->number), "the device's name");
  TRY(cu.device_memory(&info->memory_bytes, d->number), "the device's memory");
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    TRY(cu.device_attribute(wanted[i].value, wanted[i].attribute, d->number), "a device attribute");
  TRY(cu.device_attribute(&major, MAJOR, d->number), "a device attribute");
  TRY(cu.device_attribute(&minor, MINOR, d->number), "a device attribute");
  TRY(cu.device_attribute(&ratio, DOUBLE_RATIO, d->number), "a device attribute");
  info->local_bytes = (size_t)d->local_limit;
  info->f64 = ratio <= 4 ? 2 : 1;
  info->matrix = major >= 8;
  OG_TRY(choose_arch(10 * major + minor, d->arch));
  OG_CHECK(!nvrtc.version(&major, &minor), OG_ERR_BACKEND, "NVRTC does not tell its version");
  snprintf(d->version, sizeof d->version, "nvrtc %d.%d", major, minor);
  memcpy(info->arch, d->arch, sizeof info->arch);
  memcpy(info->version, d->version, sizeof info->version);
  return OG_OK;
}

static int cuda_open(int number, og_gpu_info *info, void **device) {
  cuda_device *d = og_allocate_zeroed(sizeof *d);
  OG_CHECK(d, OG_ERR_MEMORY, "no memory for a device's description");
  int result = cu.device(&d->number, number);
  int code = result ? fail(result, "opening the device") : fill_info(d, info);
  if (!code) {
    result = cu.context_retain(&d->context, d->number);
    code = result ? fail(result, "opening the device") : OG_OK;
  }
  if (code)
    og_free(d);
  else
    *device = d;
  return code;
}

static void cuda_close(void *device) {
  cuda_device *d = device;
  cu.context_release(d->number);
  og_free(d);
}

/* ---- queues */

/* Our own stream waits for the caller's work on the legacy default stream, and that for ours. */
static int find_stream(cuda_queue *q, void *native) {
  void *context = NULL;
  q->own = !native;
  q->stream = native;
  if (!native) {
    TRY(cu.stream_create(&q->stream, 0), "making a stream");
    return OG_OK;
  }
  TRY(cu.stream_context(native, &context), "the caller's stream");
  OG_CHECK(context == q->device->context, OG_ERR_ARGUMENT,
           "the caller's stream is not of the primary context of device %d", q->device->number);
  return OG_OK;
}

static int cuda_queue_create(void *device, void *native, void **queue) {
  cuda_queue *q = og_allocate_zeroed(sizeof *q);
  OG_CHECK(q, OG_ERR_MEMORY, "no memory for a queue's description");
  q->device = device;
  int code = og_cuda_enter(device);
  if (!code) {
    code = find_stream(q, native);
    og_cuda_leave();
  }
  if (code)
    og_free(q);
  else
    *queue = q;
  return code;
}

static void cuda_queue_destroy(void *queue) {
  cuda_queue *q = queue;
  int ignored;
  if (q->own)
    WITHIN(q->device, ignored, cu.stream_destroy(q->stream));
  (void)ignored;
  og_free(q);
}

static int cuda_finish(void *queue) {
  cuda_queue *q = queue;
  int result;
  WITHIN(q->device, result, cu.stream_finish(q->stream));
  TRY(result, "waiting for the stream");
  return OG_OK;
}

/* ---- memory */

static int cuda_allocate(void *device, size_t bytes, void **memory) {
  cuda_device *d = device;
  address block = 0;
  size_t available = 0, all = 0;
  int result;
  WITHIN(d, result, cu.allocate(&block, bytes ? bytes : 1));
  if (result == OUT_OF_MEMORY) {
    WITHIN(d, result, cu.memory_info(&available, &all));
    OG_FAIL(OG_ERR_MEMORY, "no device memory for %zu bytes: %zu of %zu are free", bytes, available, all);
  }
  TRY(result, "allocating device memory");
  *memory = (void *)(uintptr_t)block;
  return OG_OK;
}

static void cuda_release(void *device, void *memory) {
  int ignored;
  if (memory)
    WITHIN((cuda_device *)device, ignored, cu.release((address)(uintptr_t)memory));
  (void)ignored;
}

/* Of memory that the driver knows, KIND_HOST or another; 0 where it knows it not, so that it is pageable: stack, malloc. */
static unsigned kind_of(const void *memory) {
  const int attribute = POINTER_KIND;
  unsigned kind = 0;
  void *values[] = {&kind};
  return cu.pointer(1, &attribute, values, (address)(uintptr_t)memory) ? 0 : kind;
}

static int copy(cuda_queue *q, void *to, const void *from, size_t bytes) {
  TRY(cu.copy((address)(uintptr_t)to, (address)(uintptr_t)from, bytes, q->stream), "copying");
  if (!kind_of(to) || !kind_of(from))
    TRY(cu.stream_finish(q->stream), "copying");
  return OG_OK;
}

static int cuda_copy(void *queue, void *to, const void *from, size_t bytes) {
  cuda_queue *q = queue;
  if (!bytes)
    return OG_OK;
  OG_TRY(og_cuda_enter(q->device));
  int code = copy(q, to, from, bytes);
  og_cuda_leave();
  return code;
}

static int cuda_fill(void *queue, void *memory, int byte, size_t bytes) {
  cuda_queue *q = queue;
  int result;
  if (!bytes)
    return OG_OK;
  WITHIN(q->device, result, cu.fill((address)(uintptr_t)memory, (unsigned char)byte, bytes, q->stream));
  TRY(result, "filling device memory");
  return OG_OK;
}

/* Managed memory counts as the device's. */
static og_gpu_place cuda_place(void *device, const void *memory) {
  if (og_cuda_enter(device))
    return OG_GPU_HOST_MEMORY;
  unsigned kind = kind_of(memory);
  og_cuda_leave();
  return kind && kind != KIND_HOST ? OG_GPU_DEVICE_MEMORY : OG_GPU_HOST_MEMORY;
}

/* ---- programs */

static int compile_error(void *program, const char *name, int result) {
  size_t bytes = 0;
  char *log = nvrtc.log_bytes(program, &bytes) || !bytes ? NULL : og_allocate(bytes + 1);
  if (log && !nvrtc.log(program, log)) {
    log[bytes] = 0;
    og_gpu_compile_error("cuda", name, log);
  } else {
    og_gpu_compile_error("cuda", name, nvrtc.error_text(result));
  }
  og_free(log);
  return OG_ERR_BACKEND;
}

/* Machine code, or PTX (with its final 0) where only a virtual architecture was asked for. */
static int take_binary(void *program, void **binary, size_t *bytes) {
  int is_cubin = !nvrtc.cubin_bytes(program, bytes) && *bytes;
  OG_CHECK(is_cubin || !nvrtc.ptx_bytes(program, bytes), OG_ERR_BACKEND, "NVRTC made no program");
  *binary = og_allocate(*bytes);
  OG_CHECK(*binary, OG_ERR_MEMORY, "no memory for a program of %zu bytes", *bytes);
  if (is_cubin ? nvrtc.cubin(program, *binary) : nvrtc.ptx(program, *binary)) {
    og_free(*binary);
    OG_FAIL(OG_ERR_BACKEND, "NVRTC does not hand out its program");
  }
  return OG_OK;
}

static int cuda_compile(void *device, const char *name, const char *source, const char *const *options, void **binary,
                        size_t *bytes) {
  const cuda_device *d = device;
  const char *words[64] = {"--std=c++17", "-default-device", "-lineinfo"};
  char arch[64];
  int n = 3;
  void *program = NULL;
  OG_TRY(load_nvrtc());
  if (d) {
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", d->arch);
    words[n++] = arch;
  }
  for (; options && *options && n < 64; options++)
    words[n++] = *options;
  int result = nvrtc.create(&program, source, name, 0, NULL, NULL);
  OG_CHECK(!result, OG_ERR_BACKEND, "%s: %s", name, nvrtc.error_text(result));
  result = nvrtc.compile(program, n, words);
  int code = result ? compile_error(program, name, result) : take_binary(program, binary, bytes);
  nvrtc.destroy(&program);
  return code;
}

static int cuda_program_load(void *device, const void *binary, size_t bytes, void **program) {
  cuda_program *p = og_allocate_zeroed(sizeof *p);
  int result;
  (void)bytes;
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for a program's description");
  p->device = device;
  WITHIN(p->device, result, cu.module_load(&p->module, binary));
  if (result) {
    og_free(p);
    return fail(result, "loading a program");
  }
  *program = p;
  return OG_OK;
}

static void cuda_program_unload(void *program) {
  cuda_program *p = program;
  int ignored;
  for (cuda_kernel *k = p->kernels, *next; k; k = next) {
    next = k->next;
    og_free(k);
  }
  WITHIN(p->device, ignored, cu.module_unload(p->module));
  (void)ignored;
  og_free(p);
}

/* What the dialect's LOCAL_SIZE_OF left in the program; 0 where the kernel has no local memory. */
static int read_local_bytes(void *module, const char *name, unsigned *local_bytes) {
  char variable[192];
  address memory = 0;
  size_t bytes = 0;
  snprintf(variable, sizeof variable, "og_local_bytes_%s", name);
  *local_bytes = 0;
  int result = cu.module_variable(&memory, &bytes, module, variable);
  if (result == NOT_FOUND)
    return OG_OK;
  TRY(result, "a kernel's local memory");
  OG_CHECK(bytes == sizeof *local_bytes, OG_ERR_BACKEND, "%s has %zu bytes", variable, bytes);
  TRY(cu.copy_to_host(local_bytes, memory, bytes), "a kernel's local memory");
  return OG_OK;
}

static int fill_kernel(const cuda_program *p, const char *name, cuda_kernel *k, og_gpu_kernel_info *info) {
  int fixed = 0;
  int result = cu.module_kernel(&k->function, p->module, name);
  OG_CHECK(result != NOT_FOUND, OG_ERR_BACKEND, "the program has no kernel '%s'", name);
  TRY(result, "finding a kernel");
  TRY(cu.kernel_attribute(&info->registers, REGISTERS, k->function), "a kernel's registers");
  TRY(cu.kernel_attribute(&info->scratch_bytes, SCRATCH, k->function), "a kernel's scratch memory");
  TRY(cu.kernel_attribute(&fixed, STATIC_LOCAL, k->function), "a kernel's local memory");
  TRY(cu.kernel_attribute(&info->max_team, MAX_TEAM, k->function), "a kernel's largest team");
  OG_TRY(read_local_bytes(p->module, name, &k->local_bytes));
  info->local_bytes = fixed + (int)k->local_bytes;
  OG_CHECK(info->local_bytes <= p->device->local_limit, OG_ERR_BACKEND,
           "kernel %s takes %d bytes of local memory; the device has %d", name, info->local_bytes,
           p->device->local_limit);
  if (info->local_bytes > DEFAULT_LOCAL)
    TRY(cu.kernel_set(k->function, DYNAMIC_LIMIT, (int)k->local_bytes), "setting a kernel's local memory");
  snprintf(k->name, sizeof k->name, "%s", name);
  return OG_OK;
}

static int cuda_kernel_get(void *program, const char *name, void **kernel, og_gpu_kernel_info *info) {
  cuda_program *p = program;
  cuda_kernel *k = og_allocate_zeroed(sizeof *k);
  OG_CHECK(k, OG_ERR_MEMORY, "no memory for a kernel's description");
  int code = og_cuda_enter(p->device);
  if (!code) {
    code = fill_kernel(p, name, k, info);
    og_cuda_leave();
  }
  if (code) {
    og_free(k);
    return code;
  }
  k->next = p->kernels;
  p->kernels = k;
  *kernel = k;
  return OG_OK;
}

static int cuda_launch(void *queue, void *kernel, const int64_t groups[3], int team, int n_args,
                       const og_gpu_arg *args) {
  const cuda_queue *q = queue;
  const cuda_kernel *k = kernel;
  void *arguments[OG_GPU_MAX_ARGS];
  int result;
  if (groups[0] <= 0 || groups[1] <= 0 || groups[2] <= 0)
    return OG_OK;
  OG_CHECK(groups[0] <= INT32_MAX && groups[1] <= 65535 && groups[2] <= 65535, OG_ERR_SIZE,
           "kernel %s: %lld x %lld x %lld groups, want at most 2147483647 x 65535 x 65535", k->name,
           (long long)groups[0], (long long)groups[1], (long long)groups[2]);
  OG_CHECK(n_args <= OG_GPU_MAX_ARGS, OG_ERR_ARGUMENT, "kernel %s: %d arguments", k->name, n_args);
  for (int i = 0; i < n_args; i++)
    memcpy(&arguments[i], &args[i].value, sizeof arguments[i]);
  WITHIN(q->device, result,
         cu.launch(k->function, (unsigned)groups[0], (unsigned)groups[1], (unsigned)groups[2], (unsigned)team, 1, 1,
                   k->local_bytes, q->stream, arguments, NULL));
  TRY(result, k->name);
  return OG_OK;
}

/* ---- marks and ranges */

static int cuda_mark_create(void *device, void **mark) {
  cuda_mark *m = og_allocate_zeroed(sizeof *m);
  int result;
  OG_CHECK(m, OG_ERR_MEMORY, "no memory for a mark");
  m->device = device;
  WITHIN(m->device, result, cu.event_create(&m->event, 0));
  if (result) {
    og_free(m);
    return fail(result, "making an event");
  }
  *mark = m;
  return OG_OK;
}

static void cuda_mark_destroy(void *mark) {
  cuda_mark *m = mark;
  int ignored;
  WITHIN(m->device, ignored, cu.event_destroy(m->event));
  (void)ignored;
  og_free(m);
}

static int cuda_mark_now(void *queue, void *mark) {
  const cuda_mark *m = mark;
  int result;
  WITHIN(m->device, result, cu.event_record(m->event, ((cuda_queue *)queue)->stream));
  TRY(result, "recording an event");
  return OG_OK;
}

static int cuda_seconds(void *from, void *to, double *seconds) {
  const cuda_mark *a = from, *b = to;
  float milliseconds = 0;
  int result;
  WITHIN(a->device, result, cu.event_wait(b->event));
  if (!result)
    WITHIN(a->device, result, cu.event_elapsed(&milliseconds, a->event, b->event));
  TRY(result, "the time between events");
  *seconds = 1e-3 * (double)milliseconds;
  return OG_OK;
}

static void cuda_range_begin(const char *name) {
  if (nvtx.push)
    nvtx.push(name);
}

static void cuda_range_end(void) {
  if (nvtx.push)
    nvtx.pop();
}

const og_gpu_driver og_gpu_cuda = {
    .name = "cuda",
    .dialect = "dialect/cuda.h",
    .table_by_value = 1,
    .fft = &og_gpu_cufft,
    .load = cuda_load,
    .count = cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .queue_create = cuda_queue_create,
    .queue_destroy = cuda_queue_destroy,
    .finish = cuda_finish,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .place = cuda_place,
    .compile = cuda_compile,
    .program_load = cuda_program_load,
    .program_unload = cuda_program_unload,
    .kernel = cuda_kernel_get,
    .launch = cuda_launch,
    .mark_create = cuda_mark_create,
    .mark_destroy = cuda_mark_destroy,
    .mark = cuda_mark_now,
    .seconds = cuda_seconds,
    .range_begin = cuda_range_begin,
    .range_end = cuda_range_end,
};
