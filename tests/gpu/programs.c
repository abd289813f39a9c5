/* Programs are made from texts as told: macros, includes and lines are right, complaints name file and line. */
#include "harness.h"

#include "base/memory.h"

static const og_gpu_macro with_value[] = {{"VALUE", 41}, {NULL, 0}};

static void check_source(const og_gpu_driver *driver) {
  char *source = NULL;
  test_case("source for %s", driver->name);
  if (!CHECK_OK(og_gpu_program_source(driver, "small.c", with_value, &source)))
    return;
  CHECK(!strncmp(source, "#define VALUE 41\n", 17), "macros do not come first");
  CHECK(strstr(source, driver->dialect) && strstr(source, "kernels/small.c\"\n/* The smallest"), "no line mark");
  CHECK(!strstr(source, "#include \"dialect"), "an include is left");
  og_free(source);
  CHECK_CODE(og_gpu_program_source(driver, "absent.c", NULL, &source), OG_ERR_BACKEND, "'absent.c'");
  CHECK_CODE(og_gpu_program_source(driver, "itself.c", NULL, &source), OG_ERR_BACKEND, "includes itself");
}

/* The lines that a compiler counts are those of the file: a file that is included shifts nothing. */
static void check_use(test_gpu *gpu) {
  const int64_t one[3] = {1, 1, 1}, none[3] = {0, 1, 1};
  int32_t out = 0;
  void *kernel = NULL, *again = NULL;
  og_gpu_kernel_info info;
  test_case("%s, programs", gpu->driver->name);
  CHECK_CODE(og_gpu_program(gpu->device, "broken.c", NULL, "broken", &kernel, &info), OG_ERR_BACKEND, "no_such_name");
  /* NVIDIA's OpenCL compiler does not heed #line and says <kernel>: */
  CHECK(strstr(og_last_error(), "broken.c:4:") || strstr(og_last_error(), "broken.c(4)") ||
            (gpu->driver == &og_gpu_opencl && strstr(og_last_error(), "<kernel>:")),
        "no line: %s", og_last_error());
  CHECK_CODE(og_gpu_program(gpu->device, "small.c", with_value, "absent", &kernel, &info), OG_ERR_BACKEND, "'absent'");
  long before = og_gpu_programs_compiled();
  CHECK_OK(og_gpu_program(gpu->device, "small.c", with_value, "small", &kernel, &info));
  CHECK_OK(og_gpu_program(gpu->device, "small.c", with_value, "small", &again, NULL));
  CHECK(kernel == again && og_gpu_programs_compiled() == before, "the same program was made twice");
  void *d_out = test_gpu_put(gpu, NULL, sizeof out);
  og_gpu_arg arg = OG_GPU_ARG(d_out);
  CHECK(arg.address && arg.bytes == sizeof(void *), "a pointer is not taken for an address");
  CHECK_OK(gpu->driver->launch(gpu->queue, kernel, one, 1, 1, &arg));
  CHECK_OK(gpu->driver->launch(gpu->queue, kernel, none, 1, 1, &arg));
  test_gpu_take(gpu, d_out, &out, sizeof out);
  CHECK(out == 41, "the kernel wrote %d", out);
}

int main(int argc, char **argv) {
  char cache[4096];
  test_begin(argc, argv, "Kernel texts become programs, and complaints name file and line");
  test_gpu_folders(cache, sizeof cache);
  for (int d = 0; d < TEST_DRIVERS; d++)
    check_source(test_drivers[d]);
  for (int d = 0; d < TEST_DRIVERS; d++) {
    test_gpu gpu;
    if (!test_driver_wanted(test_drivers[d]))
      continue;
    if (test_gpu_open(test_drivers[d], &gpu)) {
      og_gpu_device *second = NULL;
      check_use(&gpu);
      CHECK_OK(og_gpu_device_open(test_drivers[d], 0, &second));
      CHECK(second == gpu.device, "a device was opened twice");
      og_gpu_device_close(second);
      CHECK(og_gpu_device_open(test_drivers[d], 1000, &second) == OG_ERR_BACKEND && !second, "device 1000 was opened");
    }
    test_gpu_close(&gpu);
  }
  test_gpu_clean(cache);
  return test_end();
}
