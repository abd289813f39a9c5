/* The driver that runs kernels on the CPU: the source is compiled with the C compiler into a shared object, with the
 * sanitizers that the library itself was built with, and its groups run one after the other, one work item each.
 *
 * A kernel's parameters are known to the compiler only, so compile() adds, for each kernel, a function that takes the arguments
 * as the launch has them (an array of addresses), checks nothing, and runs all groups. It finds the kernels in the
 * preprocessed source by the mark that dialect/host.h makes of the word KERNEL. */
#define _GNU_SOURCE
#include "base/env.h"
#include "base/memory.h"
#include "base/timer.h"
#include "gpu/drivers/common.h"
#include "gpu/drivers/driver.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef OG_HOST_COMPILER /* the compiler and the sanitizer flags of this build: CMakeLists.txt */
#define OG_HOST_COMPILER "cc"
#endif
#ifndef OG_HOST_FLAGS
#define OG_HOST_FLAGS ""
#endif

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define OG_HOST_ASAN
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined OG_HOST_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

extern char **environ;

enum { MAX_PATH = 4096, MAX_WORDS = 64 };
static const char mark_word[] = "og_kernel_mark_";

typedef struct host_device {
  og_gpu_ranges ranges;
  size_t memory_bytes; /* of the machine: no allocation is larger */
} host_device;

typedef struct host_queue {
  host_device *device;
} host_queue;

typedef struct host_kernel {
  struct host_kernel *next;
  void (*run)(const long long *groups, void *const *arguments);
  int n_arguments;
  unsigned bytes[OG_GPU_MAX_ARGS];
  unsigned long long local_bytes;
  const unsigned long long *(*local_used)(void);
  char name[128];
} host_kernel;

typedef struct host_program {
  void *library;
  host_kernel *kernels;
} host_program;

/* ---- the compiler, as a child process */

static const char *compiler(void) {
  const char *built_with = OG_HOST_COMPILER;
  return !strchr(built_with, '/') || !access(built_with, X_OK) ? built_with : "cc";
}

static int redirect(posix_spawn_file_actions_t *actions, const char *output) {
  return posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
         posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
         posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
}

/* Runs it with both outputs in a file: its exit status, or -1 where it could not be started. */
static int run_program(const char *const *words, const char *output) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions))
    return -1;
  int failed =
      redirect(&actions, output) || posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed)
    return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 0; /* somebody else took the status (SIGCHLD ignored): the output file tells */
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The whole file and a 0 behind it, for og_free. */
static int read_open_file(FILE *file, const char *path, char **data, size_t *bytes) {
  struct stat info;
  OG_CHECK(!fstat(fileno(file), &info), OG_ERR_BACKEND, "cannot read %s", path);
  *bytes = (size_t)info.st_size;
  *data = og_allocate(*bytes + 1);
  OG_CHECK(*data, OG_ERR_MEMORY, "no memory for %zu bytes of %s", *bytes, path);
  (*data)[*bytes] = 0;
  if (fread(*data, 1, *bytes, file) == *bytes)
    return OG_OK;
  og_free(*data);
  OG_FAIL(OG_ERR_BACKEND, "cannot read %s", path);
}

static int read_file(const char *path, char **data, size_t *bytes) {
  FILE *file = fopen(path, "rbe");
  OG_CHECK(file, OG_ERR_BACKEND, "cannot read %s", path);
  int code = read_open_file(file, path, data, bytes);
  fclose(file);
  return code;
}

static int write_file(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wbe");
  if (!file)
    return 1;
  int failed = fwrite(data, 1, bytes, file) != bytes;
  failed |= fclose(file) != 0;
  return failed;
}

/* ---- a folder for the compiler's files */

typedef struct work {
  char folder[MAX_PATH];
  char source[MAX_PATH + 32], preprocessed[MAX_PATH + 32], object[MAX_PATH + 32], log[MAX_PATH + 32];
} work;

static int work_begin(work *w) {
  int n = snprintf(w->folder, sizeof w->folder, "%s/offgrid-XXXXXX", og_env_temporary_folder());
  OG_CHECK(n > 0 && (size_t)n < sizeof w->folder && mkdtemp(w->folder), OG_ERR_BACKEND,
           "cannot make a folder for the compiler's files in %s", og_env_temporary_folder());
  snprintf(w->source, sizeof w->source, "%s/kernel.c", w->folder);
  snprintf(w->preprocessed, sizeof w->preprocessed, "%s/kernel.i", w->folder);
  snprintf(w->object, sizeof w->object, "%s/kernel.so", w->folder);
  snprintf(w->log, sizeof w->log, "%s/log", w->folder);
  return OG_OK;
}

static void work_end(work *w) {
  unlink(w->source);
  unlink(w->preprocessed);
  unlink(w->object);
  unlink(w->log);
  rmdir(w->folder);
}

/* cc <what> <flags of the build> <further options>; OG_HOST_FLAGS: words with blanks between. */
static int run_compiler(const work *w, const char *name, const char *const *what, const char *const *options) {
  const char *words[MAX_WORDS] = {compiler()};
  char flags[] = OG_HOST_FLAGS, *rest = NULL, *log = NULL;
  int n = 1;
  size_t bytes;
  while (*what && n + 1 < MAX_WORDS)
    words[n++] = *what++;
  for (char *flag = strtok_r(flags, " ", &rest); flag && n + 1 < MAX_WORDS; flag = strtok_r(NULL, " ", &rest))
    words[n++] = flag;
  while (options && *options && n + 1 < MAX_WORDS)
    words[n++] = *options++;
  int status = run_program(words, w->log);
  OG_CHECK(status >= 0 && status != 127, OG_ERR_BACKEND, "the C compiler '%s' cannot be run", words[0]);
  if (status == 0)
    return OG_OK;
  OG_TRY(read_file(w->log, &log, &bytes));
  int code = og_gpu_compile_error("host", name, log);
  og_free(log);
  return code;
}

/* ---- the functions that run the groups */

static int is_word(int c) { return isalnum(c) || c == '_'; }

/* The next parameter, from *at on, up to a comma or the closing parenthesis of the list: its declaration without line marks,
 * in `declaration`; its name's length, and where that starts. */
static int parameter(const char **at, char *declaration, size_t room, const char **name, int *name_length) {
  size_t n = 0;
  int depth = 0;
  for (; **at && !(depth == 0 && (**at == ',' || **at == ')')); (*at)++) {
    if (**at == '\n' && (*at)[1] == '#') {
      const char *newline = strchr(*at + 1, '\n');
      if (!newline)
        return 0;
      *at = newline - 1;
      continue;
    }
    depth += **at == '(';
    depth -= **at == ')';
    if (n + 1 >= room)
      return 0;
    declaration[n++] = isspace((unsigned char)**at) ? ' ' : **at;
  }
  while (n && declaration[n - 1] == ' ')
    n--;
  declaration[n] = 0;
  size_t first = n;
  while (first && is_word((unsigned char)declaration[first - 1]))
    first--;
  *name = declaration + first;
  *name_length = (int)(n - first);
  return **at != 0;
}

/* Writes, for the kernel whose declaration starts at `at`: its arguments' sizes, and the loop over its groups. */
static int write_runner(FILE *out, const char *at) {
  char declaration[1024], call[4096] = "", sizes[4096] = "";
  const char *open = strchr(at, '('), *last = open, *name;
  int n = 0, length;
  if (!open)
    return 1;
  while (last > at && isspace((unsigned char)last[-1]))
    last--;
  const char *first = last;
  while (first > at && is_word((unsigned char)first[-1]))
    first--;
  int kernel_length = (int)(last - first);
  fprintf(out,
          "\n__attribute__((visibility(\"default\"))) void og_run_%.*s(const long long *og_n_, void *const *og_a_) {\n",
          kernel_length, first);
  for (at = open + 1;; at++) {
    if (!parameter(&at, declaration, sizeof declaration, &name, &length))
      return 1;
    if (length && strcmp(declaration, "void") != 0 && strcmp(declaration, " void") != 0) {
      if (n >= OG_GPU_MAX_ARGS)
        return 1;
      fprintf(out, "  %s = *(__typeof__(%.*s) *)og_a_[%d];\n", declaration, length, name, n);
      size_t used = strlen(call), used_sizes = strlen(sizes);
      snprintf(call + used, sizeof call - used, "%s%.*s", n ? ", " : "", length, name);
      snprintf(sizes + used_sizes, sizeof sizes - used_sizes, "  %s; og_b_[%d] = sizeof(%.*s);\n", declaration, n,
               length, name);
      n++;
    }
    if (*at == ')')
      break;
  }
  fprintf(out,
          "  og_group_.local_bytes = 0;\n"
          "  for (int og_d_ = 0; og_d_ < 3; og_d_++) og_group_.count[og_d_] = og_n_[og_d_];\n"
          "  for (og_group_.id[2] = 0; og_group_.id[2] < og_n_[2]; og_group_.id[2]++)\n"
          "    for (og_group_.id[1] = 0; og_group_.id[1] < og_n_[1]; og_group_.id[1]++)\n"
          "      for (og_group_.id[0] = 0; og_group_.id[0] < og_n_[0]; og_group_.id[0]++)\n"
          "        %.*s(%s);\n}\n"
          "#pragma GCC diagnostic ignored \"-Wuninitialized\"\n"
          "__attribute__((visibility(\"default\"))) int og_sizes_%.*s(unsigned *og_b_) {\n%s  return %d;\n}\n",
          kernel_length, first, call, kernel_length, first, sizes, n);
  return 0;
}

/* The preprocessed source with the marks blanked and a runner for each kernel behind it. */
static int add_runners(const work *w, const char *name) {
  char *text = NULL;
  size_t bytes;
  OG_TRY(read_file(w->preprocessed, &text, &bytes));
  FILE *out = fopen(w->preprocessed, "wbe");
  int failed = !out;
  if (out) {
    for (char *mark = text; mark && (mark = strstr(mark, mark_word));)
      memset(mark, ' ', sizeof mark_word - 1), *mark = '\1';
    for (char *c = text; c < text + bytes; c++)
      fputc(*c == '\1' ? ' ' : *c, out);
    fprintf(out, "\n# 1 \"runners\"\n__attribute__((visibility(\"default\"))) const unsigned long long *"
                 "og_local_used(void) { return &og_group_.local_bytes; }\n");
    for (char *mark = text; !failed && (mark = memchr(mark, '\1', bytes - (size_t)(mark - text)));)
      failed = write_runner(out, ++mark);
    failed |= fclose(out) != 0;
  }
  og_free(text);
  OG_CHECK(!failed, OG_ERR_BACKEND, "%s: a kernel's parameters cannot be read", name);
  return OG_OK;
}

static int compile_in(const work *w, const char *name, const char *source, const char *const *options, void **binary,
                      size_t *bytes) {
  const char *const preprocess[] = {"-E", "-x", "c", "-std=gnu11", w->source, "-o", w->preprocessed, NULL};
  const char *const build[] = {
      "-x", "cpp-output", "-std=gnu11",    "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-math-errno",
      "-o", w->object,    w->preprocessed, "-lm", NULL};
  OG_CHECK(!write_file(w->source, source, strlen(source)), OG_ERR_BACKEND, "cannot write %s", w->source);
  OG_TRY(run_compiler(w, name, preprocess, options));
  OG_TRY(add_runners(w, name));
  OG_TRY(run_compiler(w, name, build, options));
  return read_file(w->object, (char **)binary, bytes);
}

static int host_compile(void *device, const char *name, const char *source, const char *const *options, void **binary,
                        size_t *bytes) {
  work w;
  (void)device;
  OG_TRY(work_begin(&w));
  int code = compile_in(&w, name, source, options, binary, bytes);
  work_end(&w);
  return code;
}

/* ---- programs: the loader wants a file, under a name that it has not seen */

static int load_library(const work *w, const void *binary, size_t bytes, void **library) {
  OG_CHECK(!write_file(w->object, binary, bytes), OG_ERR_BACKEND, "cannot write %s", w->object);
  *library = dlopen(w->object, RTLD_NOW | RTLD_LOCAL);
  OG_CHECK(*library, OG_ERR_BACKEND, "a compiled kernel does not load: %s", dlerror());
  return OG_OK;
}

static int host_program_load(void *device, const void *binary, size_t bytes, void **program) {
  work w;
  (void)device;
  host_program *p = og_allocate_zeroed(sizeof *p);
  OG_CHECK(p, OG_ERR_MEMORY, "no memory for a program's description");
  int code = work_begin(&w);
  if (!code) {
    code = load_library(&w, binary, bytes, &p->library);
    work_end(&w);
  }
  if (code)
    og_free(p);
  else
    *program = p;
  return code;
}

static void host_program_unload(void *program) {
  host_program *p = program;
  for (host_kernel *k = p->kernels, *next; k; k = next) {
    next = k->next;
    og_free(k);
  }
  dlclose(p->library);
  og_free(p);
}

static void *symbol(const host_program *p, const char *prefix, const char *name) {
  char full[192];
  snprintf(full, sizeof full, "%s%s", prefix, name);
  return dlsym(p->library, full);
}

static int host_kernel_get(void *program, const char *name, void **kernel, og_gpu_kernel_info *info) {
  host_program *p = program;
  void *run = symbol(p, "og_run_", name), *sizes = symbol(p, "og_sizes_", name),
       *used = dlsym(p->library, "og_local_used");
  const unsigned long long *local = symbol(p, "og_local_bytes_", name);
  int (*get_sizes)(unsigned *);
  OG_CHECK(run && sizes && used, OG_ERR_BACKEND, "the program has no kernel '%s'", name);
  host_kernel *k = og_allocate_zeroed(sizeof *k);
  OG_CHECK(k, OG_ERR_MEMORY, "no memory for a kernel's description");
  memcpy(&k->run, &run, sizeof run);
  memcpy(&get_sizes, &sizes, sizeof sizes);
  memcpy(&k->local_used, &used, sizeof used);
  k->n_arguments = get_sizes(k->bytes);
  k->local_bytes = local ? *local : 0;
  snprintf(k->name, sizeof k->name, "%s", name);
  k->next = p->kernels;
  p->kernels = k;
  *kernel = k;
  *info = (og_gpu_kernel_info){.registers = -1, .scratch_bytes = -1, .local_bytes = (int)k->local_bytes, .max_team = 1};
  return OG_OK;
}

static int host_launch(void *queue, void *kernel, const int64_t groups[3], int team, int n_args,
                       const og_gpu_arg *args) {
  const host_kernel *k = kernel;
  void *addresses[OG_GPU_MAX_ARGS];
  const long long n[3] = {groups[0], groups[1], groups[2]};
  (void)queue;
  OG_CHECK(team == 1, OG_ERR_SIZE, "kernel %s: team of %d, want 1 on the host", k->name, team);
  OG_CHECK(n_args == k->n_arguments, OG_ERR_ARGUMENT, "kernel %s takes %d arguments, got %d", k->name, k->n_arguments,
           n_args);
  for (int i = 0; i < n_args; i++) {
    OG_CHECK(args[i].bytes == k->bytes[i], OG_ERR_ARGUMENT, "kernel %s, argument %d: %zu bytes, want %u", k->name, i,
             args[i].bytes, k->bytes[i]);
    memcpy(&addresses[i], &args[i].value, sizeof addresses[i]);
  }
  if (n[0] <= 0 || n[1] <= 0 || n[2] <= 0)
    return OG_OK;
  k->run(n, addresses);
  OG_CHECK(*k->local_used() == k->local_bytes, OG_ERR_BACKEND,
           "kernel %s has %llu bytes of local memory, its LOCAL_SIZE_OF says %llu", k->name, *k->local_used(),
           k->local_bytes);
  return OG_OK;
}

/* ---- devices, memory, queues */

static int host_load(void) {
  const char *const words[] = {compiler(), "--version", NULL};
  static int found; /* threads that look at the same time find the same */
  if (__atomic_load_n(&found, __ATOMIC_RELAXED))
    return OG_OK;
  OG_CHECK(run_program(words, "/dev/null") == 0, OG_ERR_BACKEND,
           "the host driver compiles kernels with the C compiler '%s', which does not run here", words[0]);
  __atomic_store_n(&found, 1, __ATOMIC_RELAXED);
  return OG_OK;
}

static int host_count(int *devices) {
  *devices = 1;
  return OG_OK;
}

/* The first line of the compiler's --version, behind a fingerprint of all of it and the flags. */
static int compiler_version(char *version, size_t room) {
  const char *const words[] = {compiler(), "--version", NULL};
  work w;
  char *text = NULL;
  size_t bytes;
  OG_TRY(work_begin(&w));
  int failed = run_program(words, w.log);
  int code = failed ? OG_OK : read_file(w.log, &text, &bytes);
  work_end(&w);
  OG_CHECK(!failed, OG_ERR_BACKEND, "the C compiler '%s' does not tell its version", words[0]);
  OG_TRY(code);
  OG_CHECK(text, OG_ERR_MEMORY, "no memory for what the C compiler says");
  const char *const all[] = {compiler(), OG_HOST_FLAGS, text, NULL};
  char digits[17];
  og_gpu_fingerprint(all, digits);
  snprintf(version, room, "%s %.*s", digits, (int)strcspn(text, "\n"), text);
  og_free(text);
  return OG_OK;
}

static int host_open(int number, og_gpu_info *info, void **device) {
  (void)number;
  *info = (og_gpu_info){.name = "host (one work item per group)",
                        .arch = "host",
                        .subgroup = 1,
                        .units = 4, /* so that callers cut their work as on a device */
                        .max_team = 1,
                        .local_bytes = 227 << 10, /* the largest that a device here has */
                        .f64 = 2};
  OG_TRY(compiler_version(info->version, sizeof info->version));
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  info->memory_bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 30;
  host_device *d = og_allocate_zeroed(sizeof *d);
  OG_CHECK(d, OG_ERR_MEMORY, "no memory for a device's description");
  if (og_gpu_ranges_begin(&d->ranges)) {
    og_free(d);
    OG_FAIL(OG_ERR_MEMORY, "no memory for a device's table of allocations");
  }
  d->memory_bytes = info->memory_bytes;
  *device = d;
  return OG_OK;
}

static void host_close(void *device) {
  host_device *d = device;
  og_gpu_ranges_end(&d->ranges);
  og_free(d);
}

static int host_queue_create(void *device, void *native, void **queue) {
  OG_CHECK(!native, OG_ERR_UNSUPPORTED, "the host driver has no queues that a caller could have made");
  host_queue *q = og_allocate(sizeof *q);
  OG_CHECK(q, OG_ERR_MEMORY, "no memory for a queue's description");
  q->device = device;
  *queue = q;
  return OG_OK;
}

static void host_queue_destroy(void *queue) { og_free(queue); }

static int host_finish(void *queue) {
  (void)queue;
  return OG_OK;
}

static size_t padded(size_t bytes) { return og_round_up(bytes ? bytes : 1, OG_ALIGNMENT); }

static int host_allocate(void *device, size_t bytes, void **memory) {
  host_device *d = device;
  char *block = bytes <= d->memory_bytes ? og_allocate(bytes) : NULL;
  OG_CHECK(block, OG_ERR_MEMORY, "no memory for %zu bytes", bytes);
  if (og_gpu_ranges_add(&d->ranges, block, bytes ? bytes : 1)) {
    og_free(block);
    OG_FAIL(OG_ERR_MEMORY, "no memory for the description of an allocation");
  }
  ASAN_POISON_MEMORY_REGION(block + bytes, padded(bytes) - bytes); /* what og_allocate rounded up */
  *memory = block;
  return OG_OK;
}

static void host_release(void *device, void *memory) {
  host_device *d = device;
  if (!memory)
    return;
  size_t bytes = og_gpu_ranges_remove(&d->ranges, memory);
  ASAN_UNPOISON_MEMORY_REGION(memory, padded(bytes));
  og_free(memory);
}

static int host_copy(void *queue, void *to, const void *from, size_t bytes) {
  (void)queue;
  if (bytes)
    memmove(to, from, bytes);
  return OG_OK;
}

static int host_fill(void *queue, void *memory, int byte, size_t bytes) {
  (void)queue;
  if (bytes)
    memset(memory, byte, bytes);
  return OG_OK;
}

/* Its own allocations count as the device's, so that tests go the ways that they would on one. */
static og_gpu_place host_place(void *device, const void *memory) {
  host_device *d = device;
  return og_gpu_ranges_from(&d->ranges, memory) ? OG_GPU_DEVICE_MEMORY : OG_GPU_HOST_MEMORY;
}

/* ---- marks */

static int host_mark_create(void *device, void **mark) {
  (void)device;
  *mark = og_allocate_zeroed(sizeof(double));
  OG_CHECK(*mark, OG_ERR_MEMORY, "no memory for a mark");
  return OG_OK;
}

static void host_mark_destroy(void *mark) { og_free(mark); }

static int host_mark(void *queue, void *mark) {
  (void)queue;
  *(double *)mark = og_timer_now();
  return OG_OK;
}

static int host_seconds(void *from, void *to, double *seconds) {
  *seconds = *(double *)to - *(double *)from;
  return OG_OK;
}

const og_gpu_driver og_gpu_host = {
    .name = "host",
    .dialect = "dialect/host.h",
    .table_by_value = 1,
    .load = host_load,
    .count = host_count,
    .open = host_open,
    .close = host_close,
    .queue_create = host_queue_create,
    .queue_destroy = host_queue_destroy,
    .finish = host_finish,
    .allocate = host_allocate,
    .release = host_release,
    .copy = host_copy,
    .fill = host_fill,
    .place = host_place,
    .compile = host_compile,
    .program_load = host_program_load,
    .program_unload = host_program_unload,
    .kernel = host_kernel_get,
    .launch = host_launch,
    .mark_create = host_mark_create,
    .mark_destroy = host_mark_destroy,
    .mark = host_mark,
    .seconds = host_seconds,
};
