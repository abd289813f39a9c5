/* The HIP driver for AMD's devices: libamdhip64 for devices and hipRTC for programs (a library of its own, or part of libamdhip64
 * in early versions), both opened at run time and declared here as AMD documents them. Compiled programs were looked at for
 * several architectures; no device was at hand to run them on. In one process with PoCL, Debian 12's hipRTC ends in an abort: both
 * bring a clang, and the two register the same options with one LLVM. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "gpu/drivers/common.h"
#include "gpu/drivers/driver.h"
#include "gpu/drivers/fft.h"
#include "gpu/drivers/hip.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { OUT_OF_MEMORY = 2, NOT_FOUND = 500 };                                         /* hipError_t */
enum { MAX_GROUP = 56, UNITS = 63, LOCAL_LIMIT = 74, DOUBLE_RATIO = 77, WARP = 87 }; /* hipDeviceAttribute_t */
enum { KERNEL_TEAM = 0, STATIC_LOCAL = 1, SCRATCH = 3, REGISTERS = 4 };              /* hipFunction_attribute */
enum { COPY_DEFAULT = 4, VERSION_6 = 60000000, PROPERTIES_ROOM = 16384 };

/* hipPointerAttribute_t. Kinds up to version 5: 0 host, 1 device; from 6 on: 0 unknown, 1 host, 2 device, 3 managed. */
typedef struct pointer_attributes {
  int kind, device;
  void *device_pointer, *host_pointer;
  int managed;
  unsigned flags;
  char later_versions[64];
} pointer_attributes;

static struct {
  int (*init)(unsigned flags), (*version)(int *version), (*device_count)(int *count);
  const char *(*error_text)(int code);
  int (*get_device)(int *device), (*set_device)(int device), (*last_error)(void);
  int (*device_name)(char *name, int room, int device), (*device_memory)(size_t *bytes, int device);
  int (*device_attribute)(int *value, int attribute, int device), (*properties)(void *properties, int device);
  int (*allocate)(void **memory, size_t bytes), (*release)(void *memory), (*memory_info)(size_t *free, size_t *all);
  int (*copy)(void *to, const void *from, size_t bytes, int kind, void *stream);
  int (*copy_now)(void *to, const void *from, size_t bytes, int kind);
  int (*fill)(void *memory, int byte, size_t bytes, void *stream);
  int (*pointer)(pointer_attributes *attributes, const void *memory);
  int (*stream_create)(void **stream), (*stream_destroy)(void *stream), (*stream_finish)(void *stream);
  int (*module_load)(void **module, const void *image), (*module_unload)(void *module);
  int (*module_kernel)(void **kernel, void *module, const char *name);
  int (*module_variable)(void **memory, size_t *bytes, void *module, const char *name);
  int (*kernel_attribute)(int *value, int attribute, void *kernel);
  int (*launch)(void *kernel, unsigned x, unsigned y, unsigned z, unsigned team_x, unsigned team_y, unsigned team_z,
                unsigned local_bytes, void *stream, void **arguments, void **extra);
  int (*event_create)(void **event), (*event_destroy)(void *event), (*event_wait)(void *event);
  int (*event_record)(void *event, void *stream), (*event_elapsed)(float *milliseconds, void *from, void *to);
} hip;

static struct {
  int (*version)(int *major, int *minor);
  const char *(*error_text)(int code);
  int (*create)(void **program, const char *source, const char *name, int n_headers, const char *const *headers,
                const char *const *names);
  int (*destroy)(void **program), (*compile)(void *program, int n_options, const char *const *options);
  int (*log_bytes)(void *program, size_t *bytes), (*log)(void *program, char *log);
  int (*code_bytes)(void *program, size_t *bytes), (*code)(void *program, char *binary);
} rtc;

static const og_gpu_function hip_functions[] = {{"hipInit", &hip.init},
                                                {"hipRuntimeGetVersion", &hip.version},
                                                {"hipGetDeviceCount", &hip.device_count},
                                                {"hipGetErrorString", &hip.error_text},
                                                {"hipGetDevice", &hip.get_device},
                                                {"hipSetDevice", &hip.set_device},
                                                {"hipGetLastError", &hip.last_error},
                                                {"hipDeviceGetName", &hip.device_name},
                                                {"hipDeviceTotalMem", &hip.device_memory},
                                                {"hipDeviceGetAttribute", &hip.device_attribute},
                                                {"hipMalloc", &hip.allocate},
                                                {"hipFree", &hip.release},
                                                {"hipMemGetInfo", &hip.memory_info},
                                                {"hipMemcpyAsync", &hip.copy},
                                                {"hipMemcpy", &hip.copy_now},
                                                {"hipMemsetAsync", &hip.fill},
                                                {"hipPointerGetAttributes", &hip.pointer},
                                                {"hipStreamCreate", &hip.stream_create},
                                                {"hipStreamDestroy", &hip.stream_destroy},
                                                {"hipStreamSynchronize", &hip.stream_finish},
                                                {"hipModuleLoadData", &hip.module_load},
                                                {"hipModuleUnload", &hip.module_unload},
                                                {"hipModuleGetFunction", &hip.module_kernel},
                                                {"hipModuleGetGlobal", &hip.module_variable},
                                                {"hipFuncGetAttribute", &hip.kernel_attribute},
                                                {"hipModuleLaunchKernel", &hip.launch},
                                                {"hipEventCreate", &hip.event_create},
                                                {"hipEventDestroy", &hip.event_destroy},
                                                {"hipEventSynchronize", &hip.event_wait},
                                                {"hipEventRecord", &hip.event_record},
                                                {"hipEventElapsedTime", &hip.event_elapsed},
                                                {NULL, NULL}};
/* The later name first: its struct is larger, and the earlier name stays for old programs. */
static const og_gpu_function properties_6[] = {{"hipGetDevicePropertiesR0600", &hip.properties}, {NULL, NULL}};
static const og_gpu_function properties_5[] = {{"hipGetDeviceProperties", &hip.properties}, {NULL, NULL}};
static const og_gpu_function rtc_functions[] = {
    {"hiprtcVersion", &rtc.version},        {"hiprtcGetErrorString", &rtc.error_text},
    {"hiprtcCreateProgram", &rtc.create},   {"hiprtcDestroyProgram", &rtc.destroy},
    {"hiprtcCompileProgram", &rtc.compile}, {"hiprtcGetProgramLogSize", &rtc.log_bytes},
    {"hiprtcGetProgramLog", &rtc.log},      {"hiprtcGetCodeSize", &rtc.code_bytes},
    {"hiprtcGetCode", &rtc.code},           {NULL, NULL}};

typedef struct hip_device {
  int number, local_limit;
  char arch[64]; /* with features: "gfx90a:sramecc+:xnack-" */
} hip_device;

typedef struct hip_queue {
  hip_device *device;
  void *stream;
  int own;
} hip_queue;

typedef struct hip_kernel {
  struct hip_kernel *next;
  void *function;
  unsigned local_bytes;
  char name[128];
} hip_kernel;

typedef struct hip_program {
  hip_device *device;
  void *module;
  hip_kernel *kernels;
} hip_program;

typedef struct hip_mark {
  hip_device *device;
  void *event;
} hip_mark;

/* ---- errors, the current device of the thread */

static int fail(int result, const char *what) {
  hip.last_error(); /* the runtime keeps an error for later; the caller's own code must not find ours */
  return og_error_set(result == OUT_OF_MEMORY ? OG_ERR_MEMORY : OG_ERR_BACKEND, "hip", "%s: %s (%d)", what,
                      hip.error_text(result), result);
}

#define TRY(call, what)                                                                                                \
  do {                                                                                                                 \
    int result_ = (call);                                                                                              \
    if (result_)                                                                                                       \
      return fail(result_, what);                                                                                      \
  } while (0)

static int enter(const hip_device *d, int *before) {
  int result = hip.get_device(before);
  return result || *before == d->number ? result : hip.set_device(d->number);
}

static void leave(const hip_device *d, int before) {
  if (before != d->number)
    hip.set_device(before);
}

/* result = the call's, with the device current. */
#define WITHIN(device_, result, call)                                                                                  \
  do {                                                                                                                 \
    int before_ = 0;                                                                                                   \
    (result) = enter(device_, &before_);                                                                               \
    if (!(result)) {                                                                                                   \
      (result) = (call);                                                                                               \
      leave(device_, before_);                                                                                         \
    }                                                                                                                  \
  } while (0)

int og_hip_enter(void *device, int *before) {
  TRY(enter(device, before), "making the device current");
  return OG_OK;
}

void og_hip_leave(void *device, int before) { leave(device, before); }

void *og_hip_stream(void *queue) { return ((const hip_queue *)queue)->stream; }

/* ---- libraries */

static const char *const hip_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
                                        NULL};
static char why_no_rtc[256], why_no_hip[256];
static int hip_version;

static void open_rtc(void) {
  static const char *const names[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so", NULL};
  void *library = og_gpu_open_library(names), *runtime = og_gpu_open_library(hip_names);
  if (!library)
    library = runtime;
  if (!library) {
    snprintf(why_no_rtc, sizeof why_no_rtc, "libhiprtc is not installed or not found by the loader");
    return;
  }
  const og_gpu_function version[] = {{"hipRuntimeGetVersion", &hip.version}, {NULL, NULL}};
  const char *missing = og_gpu_find_functions(library, rtc_functions);
  if (missing)
    snprintf(why_no_rtc, sizeof why_no_rtc, "libhiprtc has no function %s", missing);
  else if (!runtime || og_gpu_find_functions(runtime, version) || hip.version(&hip_version))
    hip_version = 0;
}

static int load_rtc(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_rtc);
  OG_CHECK(!*why_no_rtc, OG_ERR_BACKEND, "%s", why_no_rtc);
  return OG_OK;
}

static void open_hip(void) {
  void *library = og_gpu_open_library(hip_names);
  if (!library) {
    snprintf(why_no_hip, sizeof why_no_hip,
             "libamdhip64, AMD's HIP runtime, is not installed or not found by the loader");
    return;
  }
  const char *missing = og_gpu_find_functions(library, hip_functions);
  if (!missing && og_gpu_find_functions(library, properties_6))
    missing = og_gpu_find_functions(library, properties_5);
  if (missing) {
    snprintf(why_no_hip, sizeof why_no_hip, "libamdhip64 has no function %s: it is too old", missing);
    return;
  }
  int result = hip.init(0);
  if (result)
    snprintf(why_no_hip, sizeof why_no_hip, "AMD's HIP runtime does not start: %s", hip.error_text(result));
}

static int hip_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_hip);
  OG_CHECK(!*why_no_hip, OG_ERR_BACKEND, "%s", why_no_hip);
  return load_rtc();
}

/* ---- devices */

static int hip_count(int *devices) {
  TRY(hip.device_count(devices), "counting devices");
  return OG_OK;
}

/* The name is somewhere in the properties, at places that changed with versions: found by its looks. */
static int find_arch(hip_device *d) {
  char *properties = og_allocate_zeroed(PROPERTIES_ROOM);
  OG_CHECK(properties, OG_ERR_MEMORY, "no memory for a device's properties");
  int result = hip.properties(properties, d->number);
  for (int i = 256; !result && !d->arch[0] && i + 64 < PROPERTIES_ROOM; i++) /* behind the device's name */
    if (!memcmp(properties + i, "gfx", 3) && isalnum((unsigned char)properties[i + 3]))
      snprintf(d->arch, sizeof d->arch, "%.63s", properties + i);
  og_free(properties);
  TRY(result, "a device's properties");
  OG_CHECK(d->arch[0], OG_ERR_BACKEND, "the device does not tell its architecture");
  return OG_OK;
}

static int fill_info(hip_device *d, og_gpu_info *info) {
  int ratio = 0, major = 0, minor = 0;
  const struct {
    int attribute, *value;
  } wanted[] = {
      {UNITS, &info->units}, {MAX_GROUP, &info->max_team}, {WARP, &info->subgroup}, {LOCAL_LIMIT, &d->local_limit}};
  TRY(hip.device_name(info->name, sizeof info->name, d->number), "the device's name");
  TRY(hip.device_memory(&info->memory_bytes, d->number), "the device's memory");
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    TRY(hip.device_attribute(wanted[i].value, wanted[i].attribute, d->number), "a device attribute");
  if (hip.device_attribute(&ratio, DOUBLE_RATIO, d->number))
    ratio = 0; /* not told */
  OG_TRY(find_arch(d));
  OG_CHECK(!rtc.version(&major, &minor), OG_ERR_BACKEND, "hipRTC does not tell its version");
  int compute = !strncmp(d->arch, "gfx906", 6) || !strncmp(d->arch, "gfx908", 6) || !strncmp(d->arch, "gfx90a", 6) ||
                !strncmp(d->arch, "gfx94", 5) || !strncmp(d->arch, "gfx95", 5);
  info->local_bytes = (size_t)d->local_limit;
  info->f64 = compute || (ratio > 0 && ratio <= 4) ? 2 : 1;
  info->matrix = !strncmp(d->arch, "gfx90a", 6) || !strncmp(d->arch, "gfx94", 5); /* as dialect/hip.h */
  snprintf(info->arch, sizeof info->arch, "%.31s", d->arch);
  snprintf(info->version, sizeof info->version, "hiprtc %d.%d, hip %d", major, minor, hip_version);
  return OG_OK;
}

static int hip_open(int number, og_gpu_info *info, void **device) {
  hip_device *d = og_allocate_zeroed(sizeof *d);
  OG_CHECK(d, OG_ERR_MEMORY, "no memory for a device's description");
  d->number = number;
  int code = fill_info(d, info);
  if (code)
    og_free(d);
  else
    *device = d;
  return code;
}

static void hip_close(void *device) { og_free(device); }

/* ---- queues */

static int hip_queue_create(void *device, void *native, void **queue) {
  hip_queue *q = og_allocate_zeroed(sizeof *q);
  int result = 0;
  OG_CHECK(q, OG_ERR_MEMORY, "no memory for a queue's description");
  q->device = device;
  q->stream = native;
  q->own = !native;
  if (q->own)
    WITHIN(q->device, result, hip.stream_create(&q->stream));
  if (result) {
    og_free(q);
    return fail(result, "making a stream");
  }
  *queue = q;
  return OG_OK;
}

static void hip_queue_destroy(void *queue) {
  hip_queue *q = queue;
  int ignored;
  if (q->own)
    WITHIN(q->device, ignored, hip.stream_destroy(q->stream));
  (void)ignored;
  og_free(q);
}

static int hip_finish(void *queue) {
  hip_queue *q = queue;
  int result;
  WITHIN(q->device, result, hip.stream_finish(q->stream));
  TRY(result, "waiting for the stream");
  return OG_OK;
}

/* ---- memory */

static int hip_allocate(void *device, size_t bytes, void **memory) {
  hip_device *d = device;
  size_t available = 0, all = 0;
  int result, ignored;
  WITHIN(d, result, hip.allocate(memory, bytes ? bytes : 1));
  if (result == OUT_OF_MEMORY) {
    hip.last_error();
    WITHIN(d, ignored, hip.memory_info(&available, &all));
    (void)ignored;
    OG_FAIL(OG_ERR_MEMORY, "no device memory for %zu bytes: %zu of %zu are free", bytes, available, all);
  }
  TRY(result, "allocating device memory");
  return OG_OK;
}

static void hip_release(void *device, void *memory) {
  int ignored;
  if (memory)
    WITHIN((hip_device *)device, ignored, hip.release(memory));
  (void)ignored;
}

/* 0 pageable, 1 the host's but known, 2 the device's (managed memory, too). */
static int kind_of(const void *memory) {
  pointer_attributes attributes = {.kind = 0};
  if (hip.pointer(&attributes, memory)) {
    hip.last_error();
    return 0;
  }
  int kind = hip_version < VERSION_6 ? attributes.kind + 1 : attributes.kind;
  return attributes.managed || kind > 1 ? 2 : kind;
}

static int copy(hip_queue *q, void *to, const void *from, size_t bytes) {
  TRY(hip.copy(to, from, bytes, COPY_DEFAULT, q->stream), "copying");
  if (!kind_of(to) || !kind_of(from))
    TRY(hip.stream_finish(q->stream), "copying");
  return OG_OK;
}

static int hip_copy(void *queue, void *to, const void *from, size_t bytes) {
  hip_queue *q = queue;
  int before = 0;
  if (!bytes)
    return OG_OK;
  TRY(enter(q->device, &before), "making the device current");
  int code = copy(q, to, from, bytes);
  leave(q->device, before);
  return code;
}

static int hip_fill(void *queue, void *memory, int byte, size_t bytes) {
  hip_queue *q = queue;
  int result;
  if (!bytes)
    return OG_OK;
  WITHIN(q->device, result, hip.fill(memory, byte, bytes, q->stream));
  TRY(result, "filling device memory");
  return OG_OK;
}

static og_gpu_place hip_place(void *device, const void *memory) {
  (void)device;
  return kind_of(memory) == 2 ? OG_GPU_DEVICE_MEMORY : OG_GPU_HOST_MEMORY;
}

/* ---- programs */

/* Before version 5.5 the compiler inside ends the process when it meets an architecture that it does not know. */
static int check_arch(const char *arch) {
  const char *name = strstr(arch, "gfx");
  int is_new = name && (!strncmp(name, "gfx94", 5) || !strncmp(name, "gfx95", 5) || !strncmp(name, "gfx11", 5) ||
                        !strncmp(name, "gfx12", 5));
  OG_CHECK(!is_new || hip_version >= 50500000, OG_ERR_BACKEND,
           "hipRTC of HIP %d.%d cannot compile for %s: want 5.5 or newer", hip_version / 10000000,
           hip_version / 100000 % 100, name);
  return OG_OK;
}

static int compile_error(void *program, const char *name, int result) {
  size_t bytes = 0;
  char *log = rtc.log_bytes(program, &bytes) || !bytes ? NULL : og_allocate(bytes + 1);
  if (log && !rtc.log(program, log))
    log[bytes] = 0;
  og_gpu_compile_error("hip", name, log ? log : rtc.error_text(result));
  og_free(log);
  return OG_ERR_BACKEND;
}

static int take_binary(void *program, void **binary, size_t *bytes) {
  OG_CHECK(!rtc.code_bytes(program, bytes), OG_ERR_BACKEND, "hipRTC made no program");
  *binary = og_allocate(*bytes);
  OG_CHECK(*binary, OG_ERR_MEMORY, "no memory for a program of %zu bytes", *bytes);
  if (!rtc.code(program, *binary))
    return OG_OK;
  og_free(*binary);
  OG_FAIL(OG_ERR_BACKEND, "hipRTC does not hand out its program");
}

static int hip_compile(void *device, const char *name, const char *source, const char *const *options, void **binary,
                       size_t *bytes) {
  const hip_device *d = device;
  const char *words[64] = {"-std=c++17", "-O3", "-munsafe-fp-atomics"};
  char arch[96];
  int n = 3;
  void *program = NULL;
  OG_TRY(load_rtc());
  if (d) {
    snprintf(arch, sizeof arch, "--offload-arch=%s", d->arch);
    words[n++] = arch;
  }
  for (; options && *options && n < 64; options++)
    words[n++] = *options;
  for (int i = 0; i < n; i++)
    OG_TRY(check_arch(words[i]));
  int result = rtc.create(&program, source, name, 0, NULL, NULL);
  OG_CHECK(!result, OG_ERR_BACKEND, "%s: %s", name, rtc.error_text(result));
  result = rtc.compile(program, n, words);
  int code = result ? compile_error(program, name, result) : take_binary(program, binary, bytes);
  rtc.destroy(&program);
  return code;
}

static int hip_program_load(void *device, const void *binary, size_t bytes, void **program) {
  hip_program *p = og_allocate_zeroed(sizeof *p);
  int result;
  (void)bytes;
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for a program's description");
  p->device = device;
  WITHIN(p->device, result, hip.module_load(&p->module, binary));
  if (result) {
    og_free(p);
    return fail(result, "loading a program");
  }
  *program = p;
  return OG_OK;
}

static void hip_program_unload(void *program) {
  hip_program *p = program;
  int ignored;
  for (hip_kernel *k = p->kernels, *next; k; k = next) {
    next = k->next;
    og_free(k);
  }
  WITHIN(p->device, ignored, hip.module_unload(p->module));
  (void)ignored;
  og_free(p);
}

/* What the dialect's LOCAL_SIZE_OF left in the program; 0 where the kernel has no local memory. */
static int read_local_bytes(void *module, const char *name, unsigned *local_bytes) {
  char variable[192];
  void *memory = NULL;
  size_t bytes = 0;
  snprintf(variable, sizeof variable, "og_local_bytes_%s", name);
  *local_bytes = 0;
  if (hip.module_variable(&memory, &bytes, module, variable)) {
    hip.last_error();
    return OG_OK;
  }
  OG_CHECK(bytes == sizeof *local_bytes, OG_ERR_BACKEND, "%s has %zu bytes", variable, bytes);
  TRY(hip.copy_now(local_bytes, memory, bytes, COPY_DEFAULT), "a kernel's local memory");
  return OG_OK;
}

static int fill_kernel(const hip_program *p, const char *name, hip_kernel *k, og_gpu_kernel_info *info) {
  int fixed = 0;
  int result = hip.module_kernel(&k->function, p->module, name);
  OG_CHECK(result != NOT_FOUND, OG_ERR_BACKEND, "the program has no kernel '%s'", name);
  TRY(result, "finding a kernel");
  TRY(hip.kernel_attribute(&info->registers, REGISTERS, k->function), "a kernel's registers");
  TRY(hip.kernel_attribute(&info->scratch_bytes, SCRATCH, k->function), "a kernel's scratch memory");
  TRY(hip.kernel_attribute(&fixed, STATIC_LOCAL, k->function), "a kernel's local memory");
  TRY(hip.kernel_attribute(&info->max_team, KERNEL_TEAM, k->function), "a kernel's largest team");
  OG_TRY(read_local_bytes(p->module, name, &k->local_bytes));
  info->local_bytes = fixed + (int)k->local_bytes;
  OG_CHECK(info->local_bytes <= p->device->local_limit, OG_ERR_BACKEND,
           "kernel %s takes %d bytes of local memory; the device has %d", name, info->local_bytes,
           p->device->local_limit);
  snprintf(k->name, sizeof k->name, "%s", name);
  return OG_OK;
}

static int hip_kernel_get(void *program, const char *name, void **kernel, og_gpu_kernel_info *info) {
  hip_program *p = program;
  int before = 0;
  hip_kernel *k = og_allocate_zeroed(sizeof *k);
  OG_CHECK(k, OG_ERR_MEMORY, "no memory for a kernel's description");
  int result = enter(p->device, &before);
  int code = result ? fail(result, "making the device current") : fill_kernel(p, name, k, info);
  if (!result)
    leave(p->device, before);
  if (code) {
    og_free(k);
    return code;
  }
  k->next = p->kernels;
  p->kernels = k;
  *kernel = k;
  return OG_OK;
}

static int hip_launch(void *queue, void *kernel, const int64_t groups[3], int team, int n_args,
                      const og_gpu_arg *args) {
  const hip_queue *q = queue;
  const hip_kernel *k = kernel;
  void *arguments[OG_GPU_MAX_ARGS];
  int result;
  if (groups[0] <= 0 || groups[1] <= 0 || groups[2] <= 0)
    return OG_OK;
  /* the runtime counts work items, not groups, in 32 bits */
  OG_CHECK(groups[0] <= UINT32_MAX / (team > 0 ? team : 1) && groups[1] <= 65535 && groups[2] <= 65535, OG_ERR_SIZE,
           "kernel %s: %lld x %lld x %lld groups of %d are more than the runtime takes", k->name, (long long)groups[0],
           (long long)groups[1], (long long)groups[2], team);
  OG_CHECK(n_args <= OG_GPU_MAX_ARGS, OG_ERR_ARGUMENT, "kernel %s: %d arguments", k->name, n_args);
  for (int i = 0; i < n_args; i++)
    memcpy(&arguments[i], &args[i].value, sizeof arguments[i]);
  WITHIN(q->device, result,
         hip.launch(k->function, (unsigned)groups[0], (unsigned)groups[1], (unsigned)groups[2], (unsigned)team, 1, 1,
                    k->local_bytes, q->stream, arguments, NULL));
  TRY(result, k->name);
  return OG_OK;
}

/* ---- marks */

static int hip_mark_create(void *device, void **mark) {
  hip_mark *m = og_allocate_zeroed(sizeof *m);
  int result;
  OG_CHECK(m, OG_ERR_MEMORY, "no memory for a mark");
  m->device = device;
  WITHIN(m->device, result, hip.event_create(&m->event));
  if (result) {
    og_free(m);
    return fail(result, "making an event");
  }
  *mark = m;
  return OG_OK;
}

static void hip_mark_destroy(void *mark) {
  hip_mark *m = mark;
  int ignored;
  WITHIN(m->device, ignored, hip.event_destroy(m->event));
  (void)ignored;
  og_free(m);
}

static int hip_mark_now(void *queue, void *mark) {
  const hip_mark *m = mark;
  int result;
  WITHIN(m->device, result, hip.event_record(m->event, ((hip_queue *)queue)->stream));
  TRY(result, "recording an event");
  return OG_OK;
}

static int hip_seconds(void *from, void *to, double *seconds) {
  const hip_mark *a = from, *b = to;
  float milliseconds = 0;
  int result;
  WITHIN(a->device, result, hip.event_wait(b->event));
  if (!result)
    WITHIN(a->device, result, hip.event_elapsed(&milliseconds, a->event, b->event));
  TRY(result, "the time between events");
  *seconds = 1e-3 * (double)milliseconds;
  return OG_OK;
}

const og_gpu_driver og_gpu_hip = {
    .name = "hip",
    .dialect = "dialect/hip.h",
    .table_by_value = 1,
    .fft = &og_gpu_rocfft,
    .load = hip_load,
    .count = hip_count,
    .open = hip_open,
    .close = hip_close,
    .queue_create = hip_queue_create,
    .queue_destroy = hip_queue_destroy,
    .finish = hip_finish,
    .allocate = hip_allocate,
    .release = hip_release,
    .copy = hip_copy,
    .fill = hip_fill,
    .place = hip_place,
    .compile = hip_compile,
    .program_load = hip_program_load,
    .program_unload = hip_program_unload,
    .kernel = hip_kernel_get,
    .launch = hip_launch,
    .mark_create = hip_mark_create,
    .mark_destroy = hip_mark_destroy,
    .mark = hip_mark_now,
    .seconds = hip_seconds,
};
