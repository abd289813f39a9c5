/* NVRTC and hipRTC take the dialect for every architecture, without a GPU, and complain with file and line. A program of its own:
 * the LLVM inside of Debian's hipRTC does not bear that inside of PoCL in one process. */
#include "harness.h"

#include "base/memory.h"

static const og_gpu_macro in_double[] = {
    {"REAL_BYTES", 8}, {"ACC_BYTES", 8}, {"COORD_BYTES", 8}, {"LARGE", 1}, {NULL, 0}};
static const og_gpu_macro in_single[] = {
    {"REAL_BYTES", 4}, {"ACC_BYTES", 4}, {"COORD_BYTES", 4}, {"LARGE", 1}, {NULL, 0}};

/* A run-time compiler without a device. Code is an ELF file, or a bundle of such. */
static void check_compiler(const og_gpu_driver *driver, const char *const *archs) {
  const char *options[] = {NULL, NULL};
  char *source = NULL;
  void *binary = NULL;
  size_t bytes = 0;
  for (; *archs; archs++)
    for (int single = 0; single < 2; single++) {
      options[0] = *archs;
      test_case("%s %s, %s", driver->name, *archs, test_precision_name[single]);
      if (!CHECK_OK(og_gpu_program_source(driver, "words.c", single ? in_single : in_double, &source)))
        continue;
      int code = driver->compile(NULL, "words.c", source, options, &binary, &bytes);
      og_free(source);
      if (code && (strstr(og_last_error(), "is not installed") || strstr(og_last_error(), "cannot compile for"))) {
        test_skip(og_last_error());
        continue;
      }
      if (CHECK(!code, "%s", og_last_error())) {
        CHECK(bytes > 1000 && (!memcmp(binary, "\177ELF", 4) || !memcmp(binary, "__CLANG_OFFLOAD_BUNDLE__", 24)),
              "%zu bytes that are no machine code", bytes);
        og_free(binary);
        test_case("%s, a broken text", driver->name);
        if (CHECK_OK(og_gpu_program_source(driver, "broken.c", NULL, &source))) {
          CHECK_CODE(driver->compile(NULL, "broken.c", source, options, &binary, &bytes), OG_ERR_BACKEND,
                     "no_such_name");
          CHECK(strstr(og_last_error(), "broken.c(4)") || strstr(og_last_error(), "broken.c:4:"), "no line: %s",
                og_last_error());
          og_free(source);
        }
      }
    }
}

int main(int argc, char **argv) {
  static const char *const nvidia[] = {"--gpu-architecture=sm_75", "--gpu-architecture=sm_80",
                                       "--gpu-architecture=sm_90", "--gpu-architecture=sm_100", NULL};
  static const char *const amd[] = {"--offload-arch=gfx90a", "--offload-arch=gfx1030", "--offload-arch=gfx942",
                                    "--offload-arch=gfx1100", NULL};
  char cache[4096];
  test_begin(argc, argv, "Run-time compilers take the dialect without a device");
  test_gpu_folders(cache, sizeof cache);
  check_compiler(&og_gpu_cuda, nvidia);
  check_compiler(&og_gpu_hip, amd);
  test_gpu_clean(cache);
  return test_end();
}
