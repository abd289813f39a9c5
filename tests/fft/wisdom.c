/* Measured plans are remembered in the cache folder, which is made for the owner alone; a damaged, foreign or
 * unwritable file is as good as none, and no transform fails because of it. What is remembered does not change
 * estimated plans, whose results are the same bits in every process. */
#include "grids.h"

#include <fftw3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[160];

/* A transform of n by a measured plan; its error against ref. */
static double transform(int64_t n, int planning) {
  int64_t n_modes[3] = {n, 1, 1};
  og_grid g = grid_make(1, &n, OG_F64, OG_COMPLEX, 0);
  double *result[2];
  for (int e = 0; e < 2; e++) {
    og_fft *fft = NULL;
    void *memory = grid_memory(&g);
    if (!CHECK_OK(og_fft_create(&fft, &engines[e], &g, n_modes, 1, planning, 1, memory)))
      return NAN;
    for (int64_t i = 0; i < 2 * n; i++)
      grid_put(&g, memory, i, (double)(i * i % 101));
    CHECK_OK(og_fft_forward(fft, memory));
    og_fft_destroy(fft);
    result[e] = grid_values(&g, memory);
  }
  return test_error(result[1], result[0], 2 * n);
}

static void check(int64_t n, const char *what) {
  test_case("%s, n=%lld", what, (long long)n);
  CHECK_AT_MOST(transform(n, OG_FFT_MEASURE), 1e-14, "error");
  test_free();
}

static long size_of_file(void) {
  struct stat info;
  return stat(path, &info) ? -1 : (long)info.st_size;
}

static void write_file(const char *text, long n) {
  FILE *file = fopen(path, "w");
  if (file) {
    fwrite(text, 1, (size_t)n, file);
    fclose(file);
  }
}

/* What work says in a child process, that knows of earlier planning from the file alone. */
static double in_child(double (*work)(int64_t n), int64_t n) {
  int ends[2];
  double answer = -1;
  if (pipe(ends))
    return -1;
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    answer = work(n);
    _exit(write(ends[1], &answer, sizeof answer) != sizeof answer);
  }
  if (child < 0 || read(ends[0], &answer, sizeof answer) != sizeof answer)
    answer = -1;
  close(ends[0]);
  close(ends[1]);
  waitpid(child, NULL, 0);
  return answer;
}

/* Seconds that planning takes; -1 where it fails. */
static double plan_seconds(int64_t n) {
  int64_t n_modes[3] = {n, 1, 1};
  og_grid g = grid_make(1, &n, OG_F64, OG_COMPLEX, 0);
  og_fft *fft = NULL;
  void *memory = grid_memory(&g);
  double start = test_now();
  return og_fft_create(&fft, &engines[1], &g, n_modes, 1, OG_FFT_MEASURE, 1, memory) ? -1 : test_now() - start;
}

static double seconds_in_child(int64_t n) { return in_child(plan_seconds, n); }

/* A number that depends on each bit of an estimated plan's result. */
static double bits_of_estimate(int64_t n) {
  int64_t n_modes[3] = {n, 1, 1};
  og_grid g = grid_make(1, &n, OG_F64, OG_COMPLEX, 0);
  og_fft *fft = NULL;
  double *x = grid_memory(&g);
  uint64_t hash = 1;
  if (og_fft_create(&fft, &engines[1], &g, n_modes, 1, OG_FFT_ESTIMATE, 1, x))
    return -1;
  for (int64_t i = 0; i < 2 * n; i++)
    x[i] = sin((double)(i * i));
  if (og_fft_forward(fft, x))
    return -1;
  for (int64_t i = 0; i < 2 * n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return (double)(hash >> 12);
}

static double bits_of_estimate_after_measure(int64_t n) {
  fftw_complex *in = fftw_alloc_complex((size_t)n), *out = fftw_alloc_complex((size_t)n);
  fftw_plan own =
      fftw_plan_dft_1d((int)n, in, out, FFTW_BACKWARD, FFTW_MEASURE | FFTW_DESTROY_INPUT); /* the caller's */
  return !own || plan_seconds(n) < 0 ? -1 : bits_of_estimate(n);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "FFTW's measured plans are remembered; a damaged or unwritable file does no harm.");
  struct stat info;
  snprintf(folder, sizeof folder, "/tmp/offgrid-test-%ld", (long)getpid());
  snprintf(path, sizeof path, "%s/a/b/fftw.wisdom", folder);
  char inner[160];
  snprintf(inner, sizeof inner, "%s/a/b", folder);
  setenv("OFFGRID_CACHE", inner, 1);

  test_case("file is there");
  double first = seconds_in_child(240), second = seconds_in_child(240);
  long size = size_of_file();
  CHECK(size > 100, "the file has %ld bytes", size);
  CHECK(first > 0 && second > 0, "planning failed in the child");
  if (first > 0.005) /* else there is nothing to see */
    CHECK(second < 0.5 * first, "planning took %g s with the file, %g without", second, first);
  CHECK(!stat(inner, &info) && (info.st_mode & 0777) == 0700, "the folder's mode is %o", info.st_mode & 0777);
  CHECK(!stat(path, &info) && (info.st_mode & 0077) == 0, "the file's mode is %o", info.st_mode & 0777);
  seconds_in_child(250);
  CHECK(size_of_file() > size, "a second size did not make the file grow");

  static const int64_t estimated[] = {96, 192, 216, 288, 360};
  for (int i = 0; i < 5; i++) {
    test_case("estimate after measure, n=%lld", (long long)estimated[i]);
    double fresh = in_child(bits_of_estimate, estimated[i]);
    CHECK(fresh >= 0 && fresh == in_child(bits_of_estimate_after_measure, estimated[i]),
          "an estimated plan depends on what was measured before");
  }

  test_case("damage");
  char *text = test_keep(calloc(1, 1 << 16));
  FILE *file = fopen(path, "r");
  long n = file ? (long)fread(text, 1, 1 << 16, file) : 0;
  if (file)
    fclose(file);
  char *copy = test_keep(malloc(1 << 16));
  for (int i = 0; i < 40; i++) { /* cut, and changed anywhere */
    memcpy(copy, text, 1 << 16);
    long cut = i % 2 ? (long)test_integer(0, n - 1) : n;
    if (cut == n)
      copy[test_integer(0, n - 1)] ^= (char)test_integer(1, 127);
    write_file(copy, cut);
    CHECK(seconds_in_child(i % 2 ? 240 : 250) > 0, "planning fails with damaged file %d", i);
  }
  write_file("offgrid-fftw-wisdom 1 999999999999999 0\n", 40);
  CHECK(seconds_in_child(240) > 0, "planning fails with a wrong length");
  check(260, "after damage");

  test_free();
  unlink(path);
  if (!mkdir(path, 0700)) { /* a folder where the file should be */
    check(270, "a folder in place of the file");
    rmdir(path);
  }
  setenv("OFFGRID_CACHE", "/dev/null/nowhere", 1);
  check(280, "no folder can be made");
  unsetenv("OFFGRID_CACHE");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  check(300, "no folder at all");

  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) ? 2 : test_end();
}
