/* Each word of the kernels' dialect does what its page says, with each driver that works here, for teams of any size. */
#include "harness.h"

typedef long long i64;
typedef int i32;
#include "kernels/words.h"

#define LAUNCH(gpu, macros, name, groups, team, ...)                                                                   \
  test_gpu_launch(gpu, "words.c", macros, name, groups, team,                                                          \
                  (int)(sizeof((og_gpu_arg[]){__VA_ARGS__}) / sizeof(og_gpu_arg)), (og_gpu_arg[]){__VA_ARGS__})

static double real_at(const void *array, int64_t i, int bytes) {
  return bytes == 4 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void set_real(void *array, int64_t i, int bytes, double value) {
  if (bytes == 4)
    ((float *)array)[i] = (float)value;
  else
    ((double *)array)[i] = value;
}

static void check_sum(test_gpu *gpu, const og_gpu_macro *macros, int team, size_t real) {
  const int64_t n = 3001, groups[3] = {5, 2, 3}, n_groups = 30;
  char *in = test_keep(calloc((size_t)n, real)), *sums = test_keep(calloc((size_t)n_groups, real));
  int64_t *places = test_keep(calloc((size_t)(n_groups * team), sizeof *places));
  double want = 0, got = 0;
  for (int64_t i = 0; i < n; i++) {
    set_real(in, i, (int)real, (double)(i % 7));
    want += (double)(i % 7);
  }
  void *d_in = test_gpu_put(gpu, in, (size_t)n * real), *d_sums = test_gpu_put(gpu, NULL, (size_t)n_groups * real);
  void *d_places = test_gpu_put(gpu, NULL, (size_t)(n_groups * team) * sizeof *places);
  LAUNCH(gpu, macros, "sum", groups, team, OG_GPU_ARG(n), OG_GPU_ARG(d_in), OG_GPU_ARG(d_sums), OG_GPU_ARG(d_places));
  test_gpu_take(gpu, d_sums, sums, (size_t)n_groups * real);
  test_gpu_take(gpu, d_places, places, (size_t)(n_groups * team) * sizeof *places);
  gpu->driver->release(gpu->device->handle, d_in);
  for (int64_t i = 0; i < n_groups; i++)
    got += real_at(sums, i, (int)real);
  CHECK(got == want, "sum of all groups %g, want %g", got, want);
  int64_t wrong = 0;
  for (int64_t i = 0; i < n_groups * team; i++)
    wrong += places[i] != i;
  CHECK(!wrong, "%lld work items did not stand where they should", (long long)wrong);
}

static void check_arithmetic(test_gpu *gpu, const og_gpu_macro *macros, int team, size_t real) {
  const int64_t n = 500, groups[3] = {4, 1, 1};
  words_table table = {.c = {2, -3, 0.5}, .n = {7, 11, 13}};
  float x4 = 0.25f;
  double x8 = 0.25, *out = test_doubles(4 * n);
  char *in = test_keep(calloc(2 * (size_t)n, real));
  for (int64_t i = 0; i < 2 * n; i++)
    set_real(in, i, (int)real, (double)(i % 40) / 4 - 5);
  void *d_in = test_gpu_put(gpu, in, 2 * (size_t)n * real),
       *d_out = test_gpu_put(gpu, NULL, 4 * (size_t)n * sizeof *out);
  void *d_table = gpu->driver->table_by_value ? NULL : test_gpu_put(gpu, &table, sizeof table);
  LAUNCH(gpu, macros, "arithmetic", groups, team, d_table ? OG_GPU_ARG(d_table) : OG_GPU_ARG(table), OG_GPU_ARG(n),
         real == 4 ? OG_GPU_ARG(x4) : OG_GPU_ARG(x8), OG_GPU_ARG(d_in), OG_GPU_ARG(d_out));
  test_gpu_take(gpu, d_out, out, 4 * (size_t)n * sizeof *out);
  gpu->driver->release(gpu->device->handle, d_in);
  gpu->driver->release(gpu->device->handle, d_table);
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; i++) {
    double x = real_at(in, 2 * i, (int)real), y = real_at(in, 2 * i + 1, (int)real);
    wrong += out[4 * i] != (2 * x - 3) * x + 0.5 + 1010101;
    wrong += out[4 * i + 1] != ceil(y) - floor(y) + 2;
    wrong += out[4 * i + 2] != -y + 2 * x;
    wrong += out[4 * i + 3] != 11.25 + (double)real * (1 + 16 + 256) + 4096 * 12;
  }
  CHECK(!wrong, "%lld of %lld results are wrong: %g %g %g %g", (long long)wrong, (long long)(4 * n), out[0], out[1],
        out[2], out[3]);
}

static int compare_u32(const void *a, const void *b) {
  return (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

static void check_atomics(test_gpu *gpu, const og_gpu_macro *macros, int team, size_t real) {
  enum { N = 4000 };
  const int64_t n = N, groups[3] = {7, 1, 1};
  static uint32_t in[N], tickets[N];
  uint32_t counts[17], want_counts[16] = {0};
  uint64_t lowest[16], want_lowest[16];
  double want_sums[16] = {0};
  char sums[16 * 8];
  memset(lowest, 0xff, sizeof lowest);
  memset(want_lowest, 0xff, sizeof want_lowest);
  for (int i = 0; i < N; i++) {
    uint32_t v = in[i] = (uint32_t)test_bits(), bin = v % 16;
    want_sums[bin] += v % 64;
    want_counts[bin]++;
    if ((uint64_t)v << 32 < want_lowest[bin])
      want_lowest[bin] = (uint64_t)v << 32;
  }
  void *d_in = test_gpu_put(gpu, in, sizeof in), *d_sums = test_gpu_put(gpu, NULL, 16 * real);
  void *d_counts = test_gpu_put(gpu, NULL, sizeof counts), *d_lowest = test_gpu_put(gpu, lowest, sizeof lowest);
  void *d_tickets = test_gpu_put(gpu, NULL, sizeof tickets);
  LAUNCH(gpu, macros, "atomics", groups, team, OG_GPU_ARG(n), OG_GPU_ARG(d_in), OG_GPU_ARG(d_sums),
         OG_GPU_ARG(d_counts), OG_GPU_ARG(d_lowest), OG_GPU_ARG(d_tickets));
  test_gpu_take(gpu, d_sums, sums, 16 * real);
  test_gpu_take(gpu, d_counts, counts, sizeof counts);
  test_gpu_take(gpu, d_lowest, lowest, sizeof lowest);
  test_gpu_take(gpu, d_tickets, tickets, sizeof tickets);
  gpu->driver->release(gpu->device->handle, d_in);
  for (int i = 0; i < 16; i++) {
    CHECK(real_at(sums, i, (int)real) == want_sums[i], "sum %d: %g, want %g", i, real_at(sums, i, (int)real),
          want_sums[i]);
    CHECK(counts[i] == want_counts[i], "count %d: %u, want %u", i, counts[i], want_counts[i]);
    CHECK(lowest[i] == want_lowest[i], "lowest %d: %llx", i, (unsigned long long)lowest[i]);
  }
  CHECK(counts[16] == N, "%u tickets, want %d", counts[16], N);
  qsort(tickets, N, sizeof *tickets, compare_u32);
  qsort(in, N, sizeof *in, compare_u32);
  CHECK(!memcmp(tickets, in, sizeof in), "a ticket was given twice");
}

static void check_lanes(test_gpu *gpu, const og_gpu_macro *macros, int team, size_t real) {
  const int64_t groups[3] = {3, 1, 1};
  const int n = 3 * team, w = gpu->device->info.subgroup;
  uint32_t *in = test_keep(calloc((size_t)n, 4)), *out = test_keep(calloc((size_t)n, 16));
  char *reals = test_keep(calloc((size_t)n, real));
  if (team % w) { /* exchanges want whole subgroups */
    return;
  }
  for (int i = 0; i < n; i++)
    in[i] = (uint32_t)i * 3 + 5;
  void *d_in = test_gpu_put(gpu, in, (size_t)n * 4), *d_out = test_gpu_put(gpu, NULL, (size_t)n * 16);
  void *d_reals = test_gpu_put(gpu, NULL, (size_t)n * real);
  LAUNCH(gpu, macros, "lanes", groups, team, OG_GPU_ARG(d_in), OG_GPU_ARG(d_out), OG_GPU_ARG(d_reals));
  test_gpu_take(gpu, d_out, out, (size_t)n * 16);
  test_gpu_take(gpu, d_reals, reals, (size_t)n * real);
  gpu->driver->release(gpu->device->handle, d_in);
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    int lane = i % team % w, first = i - lane;
    wrong += out[4 * i] != in[first + (lane ^ (w / 2))];
    wrong += out[4 * i + 1] != in[lane ? i - 1 : i];
    wrong += out[4 * i + 2] != in[first + w - 1];
    wrong += out[4 * i + 3] != (uint32_t)lane;
    wrong += real_at(reals, i, (int)real) != in[first + (lane ^ (w - 1))];
  }
  CHECK(!wrong, "%d of %d exchanges are wrong", wrong, 5 * n);
}

static void check_copies(test_gpu *gpu, const og_gpu_macro *macros, int team) {
  const int64_t groups[3] = {3, 1, 1}, n = 3 * team;
  double *pairs = test_random(2 * n, OG_F64), *singles = test_random(n, OG_F64), *out = test_doubles(n);
  size_t bytes = (size_t)n * sizeof *out;
  void *d_pairs = test_gpu_put(gpu, pairs, 2 * bytes), *d_singles = test_gpu_put(gpu, singles, bytes);
  void *d_out = test_gpu_put(gpu, NULL, bytes);
  LAUNCH(gpu, macros, "copies", groups, team, OG_GPU_ARG(d_pairs), OG_GPU_ARG(d_singles), OG_GPU_ARG(d_out));
  test_gpu_take(gpu, d_out, out, bytes);
  gpu->driver->release(gpu->device->handle, d_pairs);
  gpu->driver->release(gpu->device->handle, d_singles);
  double worst = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t mirror = i / team * team + team - 1 - i % team;
    worst = fmax(worst, fabs(out[i] - (pairs[2 * i] + 2 * pairs[2 * i + 1] + 4 * singles[mirror])));
  }
  CHECK_AT_MOST(worst, 1e-14, "difference of what was copied");
}

static void check_matrix(test_gpu *gpu, const og_gpu_macro *macros, int team) {
  const int64_t one[3] = {1, 1, 1};
  double *a = test_random(64, OG_F64), *b = test_random(64, OG_F64), *d = test_random(257, OG_F64),
         *want = test_doubles(256);
  if (team < gpu->device->info.subgroup)
    return;
  void *d_a = test_gpu_put(gpu, a, 64 * 8), *d_b = test_gpu_put(gpu, b, 64 * 8), *d_d = test_gpu_put(gpu, d, 257 * 8);
  double *after = test_doubles(257);
  LAUNCH(gpu, macros, "matrix", one, team, OG_GPU_ARG(d_a), OG_GPU_ARG(d_b), OG_GPU_ARG(d_d));
  test_gpu_take(gpu, d_d, after, 257 * 8);
  CHECK(after[256] == 8 || after[256] == 16, "a fragment has %g columns", after[256]);
  for (int i = 0; i < 256; i++) {
    want[i] = d[i];
    for (int k = 0; k < 4 && i % 16 < after[256]; k++)
      want[i] += a[4 * (i / 16) + k] * b[16 * k + i % 16];
  }
  gpu->driver->release(gpu->device->handle, d_a);
  gpu->driver->release(gpu->device->handle, d_b);
  CHECK_AT_MOST(test_error(after, want, 256), 1e-15, "error of the matrix product");
}

/* 56 KB of local memory: works where the device has it, and is refused with a sentence where it has not. */
static void check_large(test_gpu *gpu) {
  const og_gpu_macro macros[] = {{"REAL_BYTES", 8}, {"ACC_BYTES", 8}, {"COORD_BYTES", 8}, {"LARGE", 1}, {NULL, 0}};
  const int64_t groups[3] = {2, 1, 1};
  uint32_t out[2];
  void *kernel = NULL;
  og_gpu_kernel_info info;
  test_case("%s, large local memory", gpu->driver->name);
  if (gpu->device->info.local_bytes < 56000) {
    CHECK(og_gpu_program(gpu->device, "words.c", macros, "large", &kernel, &info) != OG_OK, "56000 bytes were granted");
    CHECK(strlen(og_last_error()) > 10, "no sentence");
    return;
  }
  void *d_out = test_gpu_put(gpu, NULL, sizeof out);
  if (CHECK_OK(og_gpu_program(gpu->device, "words.c", macros, "large", &kernel, &info)))
    CHECK(info.local_bytes >= 56000 || (info.local_bytes == 0 && gpu->driver == &og_gpu_opencl), /* PoCL 5 says 0 */
          "the kernel says it takes %d bytes", info.local_bytes);
  LAUNCH(gpu, macros, "large", groups, gpu->device->info.max_team < 64 ? 1 : 64, OG_GPU_ARG(d_out));
  test_gpu_take(gpu, d_out, out, sizeof out);
  CHECK(out[0] == 13999u * 7000u && out[1] == out[0], "got %u and %u", out[0], out[1]);
}

/* Memory, places, marks. */
static void check_memory(test_gpu *gpu) {
  void *device = gpu->device->handle, *memory = NULL, *huge = NULL, *from = NULL, *to = NULL;
  char bytes[1000], back[1000];
  double seconds = -1;
  test_case("%s, memory", gpu->driver->name);
  if (!CHECK_OK(gpu->driver->allocate(device, 1000, &memory)))
    return;
  CHECK(gpu->driver->place(device, memory) == OG_GPU_DEVICE_MEMORY, "device memory is not known as such");
  CHECK(gpu->driver->place(device, (char *)memory + 999) == OG_GPU_DEVICE_MEMORY, "its last byte is not known");
  CHECK(gpu->driver->place(device, bytes) == OG_GPU_HOST_MEMORY, "the stack is taken for device memory");
  CHECK_OK(gpu->driver->mark_create(device, &from));
  CHECK_OK(gpu->driver->mark_create(device, &to));
  CHECK_OK(gpu->driver->mark(gpu->queue, from));
  memset(bytes, 1, sizeof bytes);
  CHECK_OK(gpu->driver->copy(gpu->queue, memory, bytes, 1000));
  CHECK_OK(gpu->driver->fill(gpu->queue, (char *)memory + 10, 7, 480));
  CHECK_OK(gpu->driver->copy(gpu->queue, (char *)memory + 500, (char *)memory + 10, 400));
  CHECK_OK(gpu->driver->copy(gpu->queue, back, memory, 1000));
  CHECK_OK(gpu->driver->mark(gpu->queue, to));
  CHECK_OK(gpu->driver->seconds(from, to, &seconds));
  CHECK(seconds >= 0 && seconds < 60, "%g seconds between marks", seconds);
  gpu->driver->mark_destroy(from);
  gpu->driver->mark_destroy(to);
  int wrong = 0;
  for (int i = 0; i < 1000; i++)
    wrong += back[i] != ((i >= 10 && i < 490) || (i >= 500 && i < 900) ? 7 : 1);
  CHECK(!wrong, "%d of 1000 bytes are wrong", wrong);
  CHECK_CODE(gpu->driver->allocate(device, (size_t)1 << 60, &huge), OG_ERR_MEMORY, "1152921504606846976");
  gpu->driver->release(device, memory);
  gpu->driver->release(device, NULL);
}

/* Runs the kernel with the planted race; what finds it is outside (test_races.sh). */
static void run_planted(test_gpu *gpu) {
  const og_gpu_macro macros[] = {{"REAL_BYTES", 8}, {"ACC_BYTES", 8}, {"COORD_BYTES", 8}, {"PLANT", 1}, {NULL, 0}};
  const int64_t one[3] = {1, 1, 1};
  uint32_t out[16];
  void *d_out = test_gpu_put(gpu, NULL, sizeof out);
  test_case("%s, the planted race", gpu->driver->name);
  LAUNCH(gpu, macros, "race", one, 16, OG_GPU_ARG(d_out));
  test_gpu_take(gpu, d_out, out, sizeof out);
}

int main(int argc, char **argv) {
  char cache[4096];
  int planted = 0;
  for (int i = 1; i < argc; i++)
    planted |= !strcmp(argv[i], "--plant");
  test_begin(argc, argv, "Each word of the kernels' dialect does what its page says, for each driver and team size");
  test_gpu_folders(cache, sizeof cache);
  for (int d = 0; d < TEST_DRIVERS; d++) {
    test_gpu gpu;
    if (!test_driver_wanted(test_drivers[d]))
      continue;
    if (test_gpu_open(test_drivers[d], &gpu) && planted) {
      run_planted(&gpu);
    } else if (gpu.queue) {
      static const int teams[] = {1, 32, 96, 256};
      printf("%s: %s, %s, compiler %s, local memory %zu, subgroup %d\n", gpu.driver->name, gpu.device->info.name,
             gpu.device->info.arch, gpu.device->info.version, gpu.device->info.local_bytes, gpu.device->info.subgroup);
      check_memory(&gpu);
      check_large(&gpu);
      for (int real = 4; real <= 8; real += 4)
        for (int t = 0; t < 4 && teams[t] <= gpu.device->info.max_team; t++) {
          const og_gpu_macro macros[] = {{"REAL_BYTES", real}, {"ACC_BYTES", real}, {"COORD_BYTES", real}, {NULL, 0}};
          test_case("%s, real of %d bytes, team of %d", gpu.driver->name, real, teams[t]);
          check_sum(&gpu, macros, teams[t], (size_t)real);
          check_arithmetic(&gpu, macros, teams[t], (size_t)real);
          check_atomics(&gpu, macros, teams[t], (size_t)real);
          check_lanes(&gpu, macros, teams[t], (size_t)real);
          check_copies(&gpu, macros, teams[t]);
          if (real == 8)
            check_matrix(&gpu, macros, teams[t]);
          test_free();
        }
    }
    test_gpu_close(&gpu);
  }
  test_gpu_clean(cache);
  return test_end();
}
