/* A library with the interface of AMD's HIP runtime and hipRTC, on the CPU, so that the hip driver's calls and the HIP dialect run
 * where there is no AMD device: memory is the host's, streams do their work at once, and programs are compiled by the C++
 * compiler, with HIP's words defined for groups of one work item. It checks the order of calls that it can check: a
 * device must be current, streams, events and modules must be ones that it gave, memory must be freed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK = 0, BAD_VALUE = 1, OUT_OF_MEMORY = 2, BAD_HANDLE = 400, NOT_FOUND = 500, STREAM = 0x57e1, EVENT = 0xe7e1 };

typedef struct {
  int magic;
} handle;
typedef struct {
  int magic, recorded;
  struct timespec time;
} event;
typedef struct {
  void (*run)(void **arguments, const unsigned *groups);
} kernel;
typedef struct {
  void *library;
  kernel kernels[64];
  int n;
} module;
typedef struct {
  char *source, *code, *log;
  size_t bytes;
} program;

static int streams, allocations; /* that are there */

#define CALL(name, ...) EXPORT int name(__VA_ARGS__)
CALL(hipInit, unsigned flags) { return flags ? BAD_VALUE : OK; }
CALL(hipRuntimeGetVersion, int *version) { return *version = 60000000, OK; }
CALL(hipGetDeviceCount, int *count) {
  return *count = getenv("FAKE_HIP_DEVICES") ? atoi(getenv("FAKE_HIP_DEVICES")) : 1, OK;
}
EXPORT const char *hipGetErrorString(int code) {
  return code == OUT_OF_MEMORY ? "out of memory" : code == BAD_HANDLE ? "no such handle" : "error";
}
CALL(hipGetDevice, int *device) { return *device = 0, OK; }
CALL(hipSetDevice, int device) { return device ? BAD_VALUE : OK; }
CALL(hipGetLastError, void) { return OK; }
CALL(hipDeviceGetName, char *name, int room, int device) {
  snprintf(name, (size_t)room, "the tests' imitation of a device");
  return device ? BAD_VALUE : OK;
}
CALL(hipDeviceTotalMem, size_t *bytes, int device) { return *bytes = (size_t)1 << 32, device ? BAD_VALUE : OK; }
/* Units, largest group, local memory, ratio of f32 to f64, subgroup, by hipDeviceAttribute_t. */
CALL(hipDeviceGetAttribute, int *value, int attribute, int device) {
  *value = attribute == 63 ? 4 : attribute == 74 ? 65536 : attribute == 77 ? 2 : 1;
  return device || (attribute != 63 && attribute != 56 && attribute != 74 && attribute != 77 && attribute != 87)
             ? BAD_VALUE
             : OK;
}
CALL(hipGetDevicePropertiesR0600, char *properties, int device) {
  memcpy(properties + 1160, "gfx90a:sramecc+:xnack-", 23);
  return device ? BAD_VALUE : OK;
}

/* ---- memory: every allocation carries a mark before it */
typedef struct {
  size_t bytes;
  uint64_t mark[7];
} head;
static const uint64_t mark = 0x5eed5eed5eed5eedu;
static struct {
  char *from;
  size_t bytes;
} known[4096];

static int is_device(const void *memory) {
  for (int i = 0; i < 4096; i++)
    if (known[i].from && (const char *)memory >= known[i].from && (const char *)memory < known[i].from + known[i].bytes)
      return 1;
  return 0;
}

CALL(hipMalloc, void **memory, size_t bytes) {
  int i = 0;
  while (i < 4096 && known[i].from)
    i++;
  head *h =
      i < 4096 && bytes <= (size_t)1 << 32 ? aligned_alloc(128, (sizeof *h + bytes + 127) / 128 * 128 + 128) : NULL;
  if (!h)
    return OUT_OF_MEMORY;
  h->bytes = bytes;
  h->mark[0] = mark;
  *memory = known[i].from = (char *)h + sizeof *h;
  memset(*memory, 0xff, bytes);
  known[i].bytes = bytes;
  allocations++;
  return OK;
}
CALL(hipFree, void *memory) {
  head *h = (head *)((char *)memory - sizeof *h);
  if (!is_device(memory) || h->mark[0] != mark)
    return BAD_VALUE;
  for (int i = 0; i < 4096; i++)
    if (known[i].from == memory)
      known[i].from = NULL;
  free(h);
  allocations--;
  return OK;
}
CALL(hipMemGetInfo, size_t *available, size_t *all) { return *all = (size_t)1 << 32, *available = *all / 2, OK; }

static int bad_stream(const handle *stream) { return stream && stream->magic != STREAM; }

CALL(hipMemcpy, void *to, const void *from, size_t bytes, int kind) {
  return memmove(to, from, bytes), kind == 4 ? OK : BAD_VALUE;
}
CALL(hipMemcpyAsync, void *to, const void *from, size_t bytes, int kind, handle *stream) {
  return bad_stream(stream) ? BAD_HANDLE : hipMemcpy(to, from, bytes, kind);
}
CALL(hipMemsetAsync, void *memory, int byte, size_t bytes, handle *stream) {
  if (!is_device(memory) || bad_stream(stream))
    return BAD_VALUE;
  memset(memory, byte, bytes);
  return OK;
}
/* From version 6 on the kind is 2 for a device's memory, 0 for unknown. */
CALL(hipPointerGetAttributes, int *attributes, const void *memory) {
  return *attributes = is_device(memory) ? 2 : 0, OK;
}

/* ---- streams, events */
CALL(hipStreamCreate, handle **stream) {
  *stream = calloc(1, sizeof **stream);
  (*stream)->magic = STREAM;
  streams++;
  return OK;
}
CALL(hipStreamDestroy, handle *stream) {
  if (!stream || bad_stream(stream))
    return BAD_HANDLE;
  streams--;
  stream->magic = 0;
  free(stream);
  return OK;
}
CALL(hipStreamSynchronize, handle *stream) { return bad_stream(stream) ? BAD_HANDLE : OK; }
CALL(hipEventCreate, event **e) {
  *e = calloc(1, sizeof **e);
  (*e)->magic = EVENT;
  return OK;
}
CALL(hipEventDestroy, event *e) { return free(e), OK; }
CALL(hipEventRecord, event *e, handle *stream) {
  if (e->magic != EVENT || bad_stream(stream))
    return BAD_HANDLE;
  e->recorded = 1;
  clock_gettime(CLOCK_MONOTONIC, &e->time);
  return OK;
}
CALL(hipEventSynchronize, event *e) { return e->magic == EVENT ? OK : BAD_HANDLE; }
CALL(hipEventElapsedTime, float *ms, event *from, event *to) {
  if (from->magic != EVENT || to->magic != EVENT || !from->recorded || !to->recorded)
    return BAD_HANDLE;
  *ms = (float)(1e3 * (double)(to->time.tv_sec - from->time.tv_sec) +
                1e-6 * (double)(to->time.tv_nsec - from->time.tv_nsec));
  return OK;
}

/* ---- programs */
/* HIP's words, for groups of one work item. */
static const char words[] =
    "#include <cstdint>\n#include <cstddef>\n"
    "#define __global__\n#define __device__\n#define __shared__\n#define __constant__\n#define __forceinline__ inline\n"
    "#define __launch_bounds__(...)\n#define __syncthreads() ((void)0)\n"
    "#define __HIP_MEMORY_SCOPE_AGENT 0\n#define __HIP_MEMORY_SCOPE_WORKGROUP 0\n"
    "#define __builtin_amdgcn_fence(...) ((void)0)\n#define __builtin_amdgcn_wave_barrier() ((void)0)\n"
    "#define __shfl_xor(v, mask) ((void)(mask), (v))\n#define __shfl_up(v, n) ((void)(n), (v))\n"
    "#define __shfl(v, lane) ((void)(lane), (v))\n"
    "struct alignas(8) float2 { float x, y; };\nstruct alignas(16) float4 { float x, y, z, w; };\n"
    "struct alignas(16) double2 { double x, y; };\nstruct alignas(16) double4 { double x, y, z, w; };\n"
    "static inline float2 make_float2(float a, float b) { return {a, b}; }\n"
    "static inline float4 make_float4(float a, float b, float c, float d) { return {a, b, c, d}; }\n"
    "static inline double2 make_double2(double a, double b) { return {a, b}; }\n"
    "static inline double4 make_double4(double a, double b, double c, double d) { return {a, b, c, d}; }\n"
    "struct fake_place { unsigned x, y, z; };\n"
    "static fake_place threadIdx{0, 0, 0}, blockDim{1, 1, 1}, blockIdx, gridDim;\n"
    "template <class T, class V> static inline T __hip_atomic_fetch_add(T *p, V v, int, int) { T old = *p; *p = old + "
    "v; "
    "return old; }\n"
    "template <class T, class V> static inline T __hip_atomic_fetch_min(T *p, V v, int, int) { T old = *p; if (v < "
    "old) *p = "
    "v; return old; }\n"
    "#line 1 \"program\"\n";
/* Calls a kernel with its arguments from an array of addresses, group by group. */
static const char caller[] =
    "\nalignas(128) unsigned char og_local_memory[65536];\n#include <utility>\n#include <cstring>\n"
    "template <class T> static T fake_argument(void *p) { typename std::remove_const<T>::type v; std::memcpy(&v, p, "
    "sizeof "
    "v); return v; }\n"
    "template <class... A, size_t... I> static void fake_call(void (*f)(A...), void **a, std::index_sequence<I...>) { "
    "f(fake_argument<A>(a[I])...); }\n"
    "template <class... A> static void fake_run(void (*f)(A...), void **a, const unsigned *n) {\n"
    "  gridDim = {n[0], n[1], n[2]};\n"
    "  for (blockIdx.z = 0; blockIdx.z < n[2]; blockIdx.z++)\n    for (blockIdx.y = 0; blockIdx.y < n[1]; "
    "blockIdx.y++)\n"
    "      for (blockIdx.x = 0; blockIdx.x < n[0]; blockIdx.x++) {\n"
    "        std::memset(og_local_memory, 0xff, sizeof og_local_memory);\n"
    "        fake_call(f, a, std::index_sequence_for<A...>());\n      }\n}\n";

/* In place, to the same length. */
static void substitute(char *text, const char *what, const char *with) {
  for (char *at = text; (at = strstr(at, what)); at += strlen(with)) {
    memset(at, ' ', strlen(what));
    memcpy(at, with, strlen(with));
  }
}

CALL(hiprtcVersion, int *major, int *minor) { return *major = 6, *minor = 0, OK; }
EXPORT const char *hiprtcGetErrorString(int code) { return code ? "compilation failed" : "success"; }
CALL(hiprtcCreateProgram, program **made, const char *source, const char *name, int n, const char *const *headers,
     const char *const *names) {
  if (n || headers || names || !name)
    return BAD_VALUE;
  *made = calloc(1, sizeof **made);
  (*made)->source = strdup(source);
  /* its subgroups are one work item wide, and "v" is a register of another kind on x86 */
  substitute((*made)->source, "#define SUBGROUP 32", "#define SUBGROUP 1");
  substitute((*made)->source, "\"+v\"", "\"+r\"");
  return OK;
}
CALL(hiprtcDestroyProgram, program **p) {
  free((*p)->source);
  free((*p)->code);
  free((*p)->log);
  free(*p);
  *p = NULL;
  return OK;
}

static char *read_file(const char *path, size_t *bytes) {
  FILE *f = fopen(path, "rb");
  struct stat info;
  if (!f || fstat(fileno(f), &info)) {
    if (f)
      fclose(f);
    return NULL;
  }
  char *data = calloc(1, (size_t)info.st_size + 1);
  *bytes = fread(data, 1, (size_t)info.st_size, f);
  fclose(f);
  return data;
}

static void write_source(FILE *f, const char *source) {
  fputs(words, f);
  fputs(source, f);
  fputs(caller, f);
  const char kernel_word[] = "KERNEL void ";
  for (const char *at = source; (at = strstr(at, kernel_word));) {
    at += sizeof kernel_word - 1;
    if (!strncmp(at, "LAUNCH_BOUNDS", 13)) { /* (team, groups), with parentheses inside */
      int depth = 0;
      for (at = strchr(at, '('); *at && (*at != ')' || depth > 1); at++)
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
      at += strspn(at, ") \n");
    }
    int n = (int)strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    fprintf(f, "extern \"C\" void fake_%.*s(void **a, const unsigned *n) { fake_run(%.*s, a, n); }\n", n, at, n, at);
  }
}

CALL(hiprtcCompileProgram, program *p, int n_options, const char *const *options) {
  char folder[] = "/tmp/fake-hip-XXXXXX", path[64], command[512];
  size_t bytes = 0;
  int has_arch = 0;
  for (int i = 0; i < n_options; i++)
    has_arch |= !strcmp(options[i], "--offload-arch=gfx90a:sramecc+:xnack-");
  if (!has_arch || !mkdtemp(folder))
    return BAD_VALUE;
  snprintf(path, sizeof path, "%s/k.cc", folder);
  FILE *f = fopen(path, "w");
  write_source(f, p->source);
  fclose(f);
  snprintf(command, sizeof command, "c++ -std=c++17 -O1 -w -fPIC -shared -o %s/k.so %s/k.cc >%s/log 2>&1", folder,
           folder, folder);
  int failed = system(command) != 0;
  snprintf(path, sizeof path, "%s/%s", folder, failed ? "log" : "k.so");
  char *data = read_file(path, &bytes);
  if (failed)
    p->log = data;
  else
    p->code = data, p->bytes = bytes;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) || failed || !data ? 6 : OK; /* HIPRTC_ERROR_COMPILATION */
}
CALL(hiprtcGetProgramLogSize, program *p, size_t *bytes) { return *bytes = p->log ? strlen(p->log) + 1 : 0, OK; }
CALL(hiprtcGetProgramLog, program *p, char *log) { return strcpy(log, p->log ? p->log : ""), OK; }
/* The code is the object with its length before it: the driver does not say how long it is when it loads it. */
CALL(hiprtcGetCodeSize, program *p, size_t *bytes) { return *bytes = p->bytes + sizeof p->bytes, OK; }
CALL(hiprtcGetCode, program *p, char *code) {
  memcpy(code, &p->bytes, sizeof p->bytes);
  memcpy(code + sizeof p->bytes, p->code, p->bytes);
  return OK;
}

CALL(hipModuleLoadData, module **made, const void *image) {
  char path[] = "/tmp/fake-hip-XXXXXX";
  size_t bytes = 0;
  memcpy(&bytes, image, sizeof bytes);
  int file = mkstemp(path),
      good = file >= 0 && write(file, (const char *)image + sizeof bytes, bytes) == (ssize_t)bytes;
  if (file >= 0)
    close(file);
  void *library = good ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  unlink(path);
  if (!library)
    return BAD_VALUE;
  *made = calloc(1, sizeof **made);
  (*made)->library = library;
  return OK;
}
CALL(hipModuleUnload, module *m) {
  dlclose(m->library);
  free(m);
  return OK;
}
CALL(hipModuleGetFunction, kernel **found, module *m, const char *name) {
  char full[160];
  snprintf(full, sizeof full, "fake_%s", name);
  void *run = dlsym(m->library, full);
  if (!run || m->n == 64)
    return NOT_FOUND;
  *found = &m->kernels[m->n++];
  memcpy(&(*found)->run, &run, sizeof run);
  return OK;
}
CALL(hipModuleGetGlobal, void **memory, size_t *bytes, module *m, const char *name) {
  *memory = dlsym(m->library, name);
  *bytes = sizeof(unsigned);
  return *memory ? OK : NOT_FOUND;
}
CALL(hipFuncGetAttribute, int *value, int attribute, kernel *k) { return *value = attribute == 0, k ? OK : BAD_HANDLE; }
CALL(hipModuleLaunchKernel, kernel *k, unsigned x, unsigned y, unsigned z, unsigned team_x, unsigned team_y,
     unsigned team_z, unsigned local_bytes, handle *stream, void **arguments, void **extra) {
  const unsigned groups[3] = {x, y, z};
  if (bad_stream(stream) || extra || team_x != 1 || team_y != 1 || team_z != 1 || local_bytes > 65536 || !x || !y || !z)
    return BAD_VALUE;
  k->run(arguments, groups);
  return OK;
}

/* What a program forgot. */
static __attribute__((destructor)) void at_end(void) {
  if (streams || allocations) {
    fprintf(stderr, "fake HIP: %d streams and %d allocations are left\n", streams, allocations);
    _exit(3);
  }
}
