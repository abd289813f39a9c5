/* The readers and the parser survive the fuzzers' seeds, and the seeds cut short and with flipped bits, without libFuzzer
 * too: in every build, under every sanitizer. */
#include "common/test.h"

#include <dirent.h>

#define LLVMFuzzerTestOneInput fuzz_npy
#include "../fuzz/fuzz_npy.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_cfl
#include "../fuzz/fuzz_cfl.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_problem
#include "../fuzz/fuzz_problem.c"

static const struct {
  const char *name;
  int (*run)(const uint8_t *, size_t);
} targets[] = {{"fuzz_npy", fuzz_npy}, {"fuzz_cfl", fuzz_cfl}, {"fuzz_problem", fuzz_problem}};

/* A copy of exactly this size, so that an overrun shows. */
static void try_bytes(int (*run)(const uint8_t *, size_t), const uint8_t *bytes, size_t n) {
  uint8_t *copy = malloc(n ? n : 1);
  if (n)
    memcpy(copy, bytes, n);
  CHECK(run(copy, n) == 0, "a fuzz target returns 0");
  free(copy);
}

static void try_seed(int (*run)(const uint8_t *, size_t), const char *path) {
  static uint8_t bytes[4096];
  FILE *file = fopen(path, "rb");
  if (!CHECK(file, "%s cannot be read", path))
    return;
  size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (size_t cut = 0; cut <= n; cut++)
    try_bytes(run, bytes, cut);
  for (int flip = 0; flip < (test.all ? 100000 : 2000) && n; flip++) {
    size_t at = test_bits() % n;
    uint8_t old = bytes[at];
    bytes[at] ^= (uint8_t)(1u << test_bits() % 8);
    try_bytes(run, bytes, n);
    if (test_bits() % 4)
      bytes[at] = old; /* one flip in four stays */
  }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "readers and parser survive the fuzz seeds, cut short and with flipped bits");
  const char *source = getenv("OFFGRID_SOURCE");
  char path[4096];
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds/%s", source ? source : ".", targets[t].name);
    DIR *folder = opendir(path);
    if (!CHECK(folder, "no folder %s: set OFFGRID_SOURCE", path))
      continue;
    int seeds = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
      if (entry->d_name[0] == '.')
        continue;
      test_case("%s/%s", targets[t].name, entry->d_name);
      snprintf(path, sizeof path, "%s/tests/fuzz/seeds/%s/%.255s", source ? source : ".", targets[t].name,
               entry->d_name);
      try_seed(targets[t].run, path);
      seeds++;
    }
    closedir(folder);
    CHECK(seeds >= 5, "%s has %d seeds", targets[t].name, seeds);
  }
  return test_end();
}
