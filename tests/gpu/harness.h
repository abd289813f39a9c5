/* What the tests of the gpu room share: the drivers that work here, memory with known content, launches. */
#ifndef OG_TEST_GPU_HARNESS
#define OG_TEST_GPU_HARNESS
#include "common/test.h"
#include "gpu/program.h"

static const og_gpu_driver *const test_drivers[] = {
    &og_gpu_host,
    &og_gpu_opencl,
    &og_gpu_cuda,
    &og_gpu_hip,
};
enum { TEST_DRIVERS = sizeof test_drivers / sizeof *test_drivers };

/* The driver works here and was not left out by --backend; a skip with the reason otherwise. */
static TEST_UNUSED int test_driver_wanted(const og_gpu_driver *driver) {
  int devices = 0;
  if (test.backend && strcmp(test.backend, driver->name))
    return 0;
  if (driver->load() == OG_OK && driver->count(&devices) == OG_OK && devices > 0)
    return 1;
  snprintf(test.context, sizeof test.context, "%s", driver->name);
  test_skip(devices ? "no device" : og_last_error());
  return 0;
}

/* The same for tests of many kernels: PoCL takes seconds to compile one, so it runs there with --all or by name. */
static TEST_UNUSED int test_driver_thorough(const og_gpu_driver *driver) {
  return (driver != &og_gpu_opencl || test.all || test.backend) && test_driver_wanted(driver);
}

/* test_sample for cases that each compile kernels: by PoCL only 1 of 10 with --all, every one by name. */
static TEST_UNUSED int test_driver_sample(const og_gpu_driver *driver, int among) {
  int take = test_sample(among), rare = test_bits() % 10 != 0;
  if (!take || driver != &og_gpu_opencl || test.backend || !rare)
    return take;
  test.left_out++;
  return 0;
}

/* PoCL itself loses 16 bytes. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libpocl\n"; }

/* A device with a queue. */
typedef struct test_gpu {
  const og_gpu_driver *driver;
  og_gpu_device *device;
  void *queue;
} test_gpu;

static TEST_UNUSED int test_gpu_open(const og_gpu_driver *driver, test_gpu *gpu) {
  *gpu = (test_gpu){.driver = driver};
  if (!CHECK_OK(og_gpu_device_open(driver, 0, &gpu->device)))
    return 0;
  return CHECK_OK(driver->queue_create(gpu->device->handle, NULL, &gpu->queue));
}

static TEST_UNUSED void test_gpu_close(test_gpu *gpu) {
  if (gpu->queue)
    gpu->driver->queue_destroy(gpu->queue);
  if (gpu->device)
    og_gpu_device_close(gpu->device);
}

/* Device memory with a copy of `from`, or zeros. */
static TEST_UNUSED void *test_gpu_put(test_gpu *gpu, const void *from, size_t bytes) {
  void *memory = NULL;
  if (!CHECK_OK(gpu->driver->allocate(gpu->device->handle, bytes, &memory)))
    return NULL;
  if (from)
    CHECK_OK(gpu->driver->copy(gpu->queue, memory, from, bytes));
  else
    CHECK_OK(gpu->driver->fill(gpu->queue, memory, 0, bytes));
  return memory;
}

/* Copies device memory back, and frees it. */
static TEST_UNUSED void test_gpu_take(test_gpu *gpu, void *memory, void *to, size_t bytes) {
  CHECK_OK(gpu->driver->copy(gpu->queue, to, memory, bytes));
  CHECK_OK(gpu->driver->finish(gpu->queue));
  gpu->driver->release(gpu->device->handle, memory);
}

static TEST_UNUSED int test_gpu_launch(test_gpu *gpu, const char *file, const og_gpu_macro *macros, const char *name,
                                       const int64_t groups[3], int team, int n_args, const og_gpu_arg *args) {
  void *kernel = NULL;
  og_gpu_kernel_info info;
  if (!CHECK_OK(og_gpu_program(gpu->device, file, macros, name, &kernel, &info)))
    return 0;
  return CHECK_OK(gpu->driver->launch(gpu->queue, kernel, groups, team, n_args, args)) &&
         CHECK_OK(gpu->driver->finish(gpu->queue));
}

/* Tells the library to take kernel texts from tests/gpu/kernels, and to keep its cache in a folder of its own. */
static TEST_UNUSED void test_gpu_folders(char *cache, size_t bytes) {
  const char *source = getenv("OFFGRID_SOURCE"), *build = getenv("OFFGRID_BUILD");
  char kernels[4096];
  snprintf(kernels, sizeof kernels, "%s/tests/gpu/kernels", source ? source : ".");
  setenv("OFFGRID_KERNELS", kernels, 1);
  snprintf(cache, bytes, "%s/test-cache-XXXXXX", build ? build : "/tmp");
  if (!mkdtemp(cache)) {
    printf("no folder for a cache\n");
    exit(2);
  }
  setenv("OFFGRID_CACHE", cache, 1);
}

/* Removes the folder and what the cache put into it. */
static TEST_UNUSED void test_gpu_clean(const char *cache) {
  char command[8400];
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  if (system(command))
    printf("%s is left\n", cache);
}
#endif
