/* The cache of programs: what is compiled once is found again; what is damaged, foreign or unsafe is not used, and never an
 * error. With the host driver, whose programs are made anywhere. */
#include "harness.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/cache.h"

static char cache[4096], folder[4200];

static void set_cache(const char *path) { setenv("OFFGRID_CACHE", path, 1); }

/* Opens the device anew, makes the program, runs it; returns how often a compiler was asked, or -1. */
static long use(int64_t value) {
  const og_gpu_macro macros[] = {{"VALUE", value}, {NULL, 0}};
  const int64_t one[3] = {1, 1, 1};
  long before = og_gpu_programs_compiled();
  int32_t out = 0;
  test_gpu gpu;
  if (!test_gpu_open(&og_gpu_host, &gpu))
    return -1;
  void *d_out = test_gpu_put(&gpu, NULL, sizeof out);
  og_gpu_arg arg = OG_GPU_ARG(d_out);
  test_gpu_launch(&gpu, "small.c", macros, "small", one, 1, 1, &arg);
  test_gpu_take(&gpu, d_out, &out, sizeof out);
  CHECK(out == value, "the kernel wrote %d, want %d", out, (int)value);
  test_gpu_close(&gpu);
  return og_gpu_programs_compiled() - before;
}

/* Files in the folder; the last one's path. */
static int files(char path[8192]) {
  DIR *d = opendir(folder);
  int n = 0;
  for (struct dirent *entry; d && (entry = readdir(d));)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
      snprintf(path, 8192, "%s/%s", folder, entry->d_name);
      n++;
    }
  if (d)
    closedir(d);
  return n;
}

/* Overwrites one byte (at < 0: from the end) or cuts the file there. */
static void damage(const char *path, long at, int cut) {
  FILE *file = fopen(path, "r+b");
  if (!CHECK(file, "cannot open %s", path))
    return;
  fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
  long place = ftell(file);
  if (cut) {
    CHECK(!ftruncate(fileno(file), place), "cannot cut");
  } else {
    int byte = fgetc(file);
    fseek(file, place, SEEK_SET);
    fputc(byte ^ 1, file);
  }
  fclose(file);
}

static void check_found_again(void) {
  char path[8192];
  struct stat info;
  test_case("found again");
  CHECK(use(1) == 1, "a cold cache did not compile once");
  CHECK(files(path) == 1, "%d files", files(path));
  CHECK(!stat(folder, &info) && (info.st_mode & 0777) == 0700, "the folder's mode is %o", info.st_mode & 0777);
  CHECK(!stat(path, &info) && (info.st_mode & 0777) == 0600, "the file's mode is %o", info.st_mode & 0777);
  CHECK(use(1) == 0, "a warm cache compiled");
  CHECK(use(2) == 1, "another value of a macro did not compile");
  CHECK(use(1) == 0 && use(2) == 0, "one of two programs was lost");
}

static void check_damage(void) {
  static const struct {
    const char *name;
    long at;
    int cut;
  } cases[] = {{"magic", 0, 0},      {"length", 16, 0},    {"digest", 24, 0}, {"first byte", 56, 0},
               {"last byte", -1, 0}, {"cut short", -1, 1}, {"empty", 0, 1},   {"half a header", 20, 1}};
  char path[8192];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test_case("damaged: %s", cases[i].name);
    test_gpu_clean(folder);
    use(3);
    CHECK(files(path) == 1, "no file to damage");
    damage(path, cases[i].at, cases[i].cut);
    CHECK(use(3) == 1, "a damaged file was used");
    CHECK(use(3) == 0, "the damaged file was not replaced");
  }
}

/* Intact files that are not what they should be: another program's, and bytes that no loader takes. */
static void check_foreign_content(void) {
  char path[8192], first[8192];
  test_case("the file of another program");
  test_gpu_clean(folder);
  use(4);
  files(first);
  CHECK(!rename(first, strcat(strcpy(path, first), ".kept")), "cannot rename");
  use(5);
  for (DIR *d = opendir(folder); d; closedir(d), d = NULL)
    for (struct dirent *entry; (entry = readdir(d));)
      if (strlen(entry->d_name) == 64) {
        char other[8192];
        snprintf(other, sizeof other, "%s/%s", folder, entry->d_name);
        CHECK(!rename(path, other), "cannot rename");
      }
  CHECK(use(5) == 1, "the file of another program was used");

  test_case("bytes that do not load");
  const char *key = strrchr(first, '/') + 1;
  og_gpu_cache_write(key, "not a program", 13);
  void *data = NULL;
  size_t bytes = 0;
  CHECK(og_gpu_cache_read(key, &data, &bytes) && bytes == 13 && !memcmp(data, "not a program", 13), "write and read");
  free(data);
  CHECK(use(4) == 1, "bytes that do not load were used");
  CHECK(use(4) == 0, "they were not replaced");
}

static void check_unsafe(void) {
  static const mode_t modes[] = {0755, 0770, 0777, 0701};
  char path[8192], elsewhere[8300];
  for (int i = 0; i < 4; i++) {
    test_case("folder of mode %o", modes[i]);
    test_gpu_clean(folder);
    CHECK(!mkdir(folder, 0700) && !chmod(folder, modes[i]), "cannot make the folder");
    CHECK(use(6) == 1 && use(6) == 1, "an open folder was used");
    CHECK(files(path) == 0, "a program was left in an open folder");
  }
  test_case("folder that is a link");
  test_gpu_clean(folder);
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", cache);
  CHECK(!mkdir(elsewhere, 0700) && !symlink(elsewhere, folder), "cannot make the link");
  CHECK(use(6) == 1 && use(6) == 1, "a link was followed");
  test_gpu_clean(folder);
  if (geteuid() == 0) {
    test_case("folder of another user");
    CHECK(!mkdir(folder, 0700) && !chown(folder, 1, 1), "cannot give the folder away");
    CHECK(use(6) == 1 && use(6) == 1, "another user's folder was used");
    test_gpu_clean(folder);
  } else {
    test_case("folder that cannot be written");
    CHECK(!mkdir(folder, 0500), "cannot make the folder");
    CHECK(use(6) == 1 && use(6) == 1, "no file can have been found");
    test_gpu_clean(folder);
  }
  test_case("no folder can be made");
  set_cache("/dev/null/offgrid");
  CHECK(use(6) == 1 && use(6) == 1, "no file can have been found");
  set_cache(cache);
}

static void *ask(void *gpu) {
  const og_gpu_macro macros[] = {{"VALUE", 7}, {NULL, 0}};
  void *kernel = NULL;
  og_gpu_kernel_info info;
  int code = og_gpu_program(((test_gpu *)gpu)->device, "small.c", macros, "twice", &kernel, &info);
  return code ? NULL : kernel;
}

static void check_threads(void) {
  pthread_t threads[8];
  void *kernels[8];
  test_gpu gpu;
  test_case("eight threads at once");
  long before = og_gpu_programs_compiled();
  if (test_gpu_open(&og_gpu_host, &gpu)) {
    for (int i = 0; i < 8; i++)
      CHECK(!pthread_create(&threads[i], NULL, ask, &gpu), "no thread");
    for (int i = 0; i < 8; i++)
      pthread_join(threads[i], &kernels[i]);
    for (int i = 0; i < 8; i++)
      CHECK(kernels[i] && kernels[i] == kernels[0], "thread %d got another kernel", i);
    CHECK(og_gpu_programs_compiled() == before + 1, "compiled %ld times", og_gpu_programs_compiled() - before);
  }
  test_gpu_close(&gpu);
}

static void check_processes(void) {
  char path[8192];
  pid_t children[4];
  test_case("four processes at once");
  test_gpu_clean(folder);
  fflush(stdout);
  for (int i = 0; i < 4; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      long failures = test.failures;
      int wrong = use(8) < 0;
      fflush(stdout);
      _exit(wrong || test.failures != failures);
    }
  }
  for (int i = 0; i < 4; i++) {
    int status = 1;
    CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0, "process %d failed", i);
  }
  CHECK(files(path) == 1, "%d files are left", files(path));
  CHECK(use(8) == 0, "what they left is not usable");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "The cache of programs serves what is intact and safe, and nothing else");
  test_gpu_folders(cache, sizeof cache);
  snprintf(folder, sizeof folder, "%s/gpu", cache);
  if (test_driver_wanted(&og_gpu_host)) {
    check_found_again();
    check_damage();
    check_foreign_content();
    check_unsafe();
    check_processes();
    check_threads();
  }
  test_gpu_clean(cache);
  return test_end();
}
