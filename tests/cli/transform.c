/* The command transform on small files of every format gives what plain loops over the definition give; a wrong command line
 * or file gives one line, an exit code that is not 0, and no output file. */
#include "common/test.h"

#include "../../apps/cli/array.h"
#include "../../apps/cli/message.h"

#include <complex.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { M = 37, L = 23, VECTORS = 2 };

static char folder[] = "/tmp/offgrid-transform-XXXXXX", output[4000], errors[4000];

static const char *const suffixes[] = {".npy", ".cfl", ".h5:/data"};

static void slurp(const char *name, char *text, size_t bytes) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  size_t n = file ? fread(text, 1, bytes - 1, file) : 0;
  text[n] = 0;
  if (file)
    fclose(file);
}

/* Exit code of the command, run in the folder; its texts are kept. */
static int run(const char *prefix, const char *arguments) {
  char command[3000];
  const char *build = getenv("OFFGRID_BUILD");
  snprintf(command, sizeof command, "cd %s && %s '%s/bin/offgrid' %s >output.txt 2>errors.txt </dev/null", folder,
           prefix, build ? build : "build", arguments);
  int status = system(command);
  slurp("output.txt", output, sizeof output);
  slurp("errors.txt", errors, sizeof errors);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void write_array(const char *name, int ndim, const int64_t *n, int is_complex, int is_single,
                        const double *numbers) {
  char path[300];
  array a = {.ndim = ndim, .is_complex = is_complex};
  memcpy(a.n, n, (size_t)ndim * sizeof *n);
  CHECK(!array_allocate(&a, name), "%s", fail_text());
  memcpy(a.data, numbers, (size_t)array_count(&a) * array_item(&a));
  CHECK(!array_convert(&a, is_complex, is_single, name), "%s", fail_text());
  snprintf(path, sizeof path, "%s/%s", folder, name);
  CHECK(!array_write(&a, path), "%s", fail_text());
  array_free(&a);
}

/* ---- what the definition says ---- */

typedef struct setup {
  int type, ndim, is_real, fft_order, sign, weighted;
  int64_t n[3], held[3];
  double x[3][M], omega[3][L], w[M];
} setup;

static double wave_number(const setup *s, int d, int64_t i) {
  if (s->is_real && d == 0)
    return (double)i;
  return (double)(s->fft_order ? (i < (s->n[d] + 1) / 2 ? i : i - s->n[d]) : i - s->n[d] / 2);
}

static int64_t modes(const setup *s) { return s->held[0] * s->held[1] * s->held[2]; }

/* Phase of mode or target `at` and point j. */
static double phase(const setup *s, int64_t at, int j) {
  double sum = 0;
  for (int d = 0; d < s->ndim; d++) {
    if (s->type == 3) {
      sum += s->omega[d][at] * s->x[d][j];
    } else {
      sum += wave_number(s, d, at % s->held[d]) * s->x[d][j];
      at /= s->held[d];
    }
  }
  return sum;
}

static double mode_weight(const setup *s, int64_t at) {
  double k = wave_number(s, 0, at % s->held[0]);
  return s->is_real && k != 0 && 2 * k != (double)s->n[0] ? 2 : 1;
}

/* One vector; in and out complex. */
static void define(const setup *s, const double complex *in, double complex *out) {
  int64_t n = s->type == 3 ? L : modes(s);
  if (s->type == 2)
    for (int j = 0; j < M; j++) {
      out[j] = 0;
      for (int64_t k = 0; k < n; k++)
        out[j] += mode_weight(s, k) * in[k] * cexp(-I * s->sign * phase(s, k, j));
      out[j] = s->w[j] * (s->is_real ? creal(out[j]) : out[j]);
    }
  else
    for (int64_t k = 0; k < n; k++) {
      out[k] = 0;
      for (int j = 0; j < M; j++)
        out[k] += s->w[j] * in[j] * cexp(I * s->sign * phase(s, k, j));
    }
}

/* ---- one case ---- */

static setup make_setup(int type, int ndim, int is_real) {
  static const int64_t n[3] = {8, 5, 4};
  setup s = {.type = type, .ndim = ndim, .is_real = is_real, .n = {1, 1, 1}, .held = {1, 1, 1}};
  s.sign = test_bits() % 2 ? 1 : -1;
  s.fft_order = type != 3 && test_bits() % 2;
  s.weighted = test_bits() % 2;
  for (int d = 0; d < ndim; d++) {
    s.n[d] = n[d] + (int64_t)(test_bits() % 2);
    s.held[d] = d == 0 && is_real ? s.n[0] / 2 + 1 : s.n[d];
    for (int j = 0; j < M; j++)
      s.x[d][j] = (double)(float)(4 * test_uniform());
    for (int l = 0; l < L; l++)
      s.omega[d][l] = (double)(float)(6 * test_uniform());
  }
  for (int j = 0; j < M; j++)
    s.w[j] = s.weighted ? (double)(float)(1 + 0.5 * test_uniform()) : 1;
  return s;
}

/* Points as [ndim] fastest; for one format the other way round, for another in a file per dimension. */
static void write_points(const setup *s, const char *name, const double *x, int count, int stride, int turned) {
  double numbers[3 * M];
  for (int d = 0; d < s->ndim; d++)
    for (int j = 0; j < count; j++)
      numbers[turned ? d * count + j : j * s->ndim + d] = x[d * stride + j];
  const int64_t straight[2] = {s->ndim, count}, swapped[2] = {count, s->ndim};
  write_array(name, 2, turned ? swapped : straight, 0, 0, numbers);
}

static int64_t size_in(const setup *s) { return s->type == 2 ? modes(s) : M; }
static int64_t size_out(const setup *s) { return s->type == 1 ? modes(s) : s->type == 2 ? M : L; }

static double complex *make_input(const setup *s, const char *name, int is_cfl, int is_single) {
  int64_t n = size_in(s), shape[5] = {n, VECTORS};
  int ndim = 2;
  double *numbers = test_doubles(2 * n * VECTORS);
  for (int64_t i = 0; i < 2 * n * VECTORS; i++)
    numbers[i] = (double)(float)((s->type != 2 && s->is_real && i % 2) ? 0 : test_uniform());
  if (s->type == 2) {
    ndim = is_cfl ? 4 : s->ndim + 1;
    memcpy(shape, s->held, sizeof s->held);
    shape[ndim - 1] = VECTORS;
  } else if (is_cfl) {
    const int64_t bart[4] = {1, n, 1, VECTORS};
    memcpy(shape, bart, sizeof bart);
    ndim = 4;
  }
  write_array(name, ndim, shape, 1, is_single, numbers);
  return (double complex *)(void *)numbers;
}

static void compare(const setup *s, const char *name, const double complex *in, int is_cfl, int is_single) {
  char path[300];
  array a;
  int64_t n = size_out(s);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (!CHECK(!array_read(&a, path), "%s", fail_text()))
    return;
  CHECK(array_count(&a) == n * VECTORS, "%lld numbers, want %lld", (long long)array_count(&a),
        (long long)(n * VECTORS));
  int vectors_at = is_cfl ? 3 : s->type == 1 ? s->ndim : 1;
  CHECK(a.ndim == vectors_at + 1 && a.n[vectors_at] == VECTORS && (is_cfl || a.is_single == is_single),
        "the output has the wrong shape or precision");
  CHECK(a.is_complex == (is_cfl || s->type != 2 || !s->is_real), "real or complex?");
  CHECK(!array_convert(&a, 1, 0, name), "%s", fail_text());
  double complex *want = (double complex *)(void *)test_doubles(2 * n * VECTORS);
  for (int v = 0; v < VECTORS; v++)
    define(s, in + v * size_in(s), want + v * n);
  if (array_count(&a) == n * VECTORS)
    CHECK_AT_MOST(test_error(a.data, (double *)want, 2 * n * VECTORS), 2.5e-5, "relative l2 error");
  array_free(&a);
}

static void one_case(const char *backend, int type, int ndim, int format, int is_single, int is_real) {
  setup s = make_setup(type, ndim, is_real);
  int is_cfl = format == 1, turned = format == 2;
  char points[40], input[40], out[40], targets[60] = "", weights[60] = "", more[200] = "", command[1000];
  snprintf(points, sizeof points, "points%s", suffixes[format]);
  snprintf(input, sizeof input, "in%s", suffixes[format]);
  snprintf(out, sizeof out, "out%s", suffixes[format]);
  write_points(&s, points, s.x[0], M, M, turned);
  double complex *in = make_input(&s, input, is_cfl, is_single);
  const int64_t m = M;
  if (s.weighted) {
    write_array("w.npy", 1, &m, 0, 0, s.w);
    snprintf(weights, sizeof weights, "--weights w.npy");
  }
  if (type == 3) {
    write_points(&s, "targets.npy", s.omega[0], L, L, 0);
    snprintf(targets, sizeof targets, "--targets targets.npy");
  } else {
    snprintf(more, sizeof more, "--modes %lldx%lldx%lld --order %s %s", (long long)s.n[0], (long long)s.n[1],
             (long long)s.n[2], s.fft_order ? "fft" : "ascending", is_real ? "--real" : "");
    char *at = strstr(more, " --order"); /* as many counts as dimensions */
    for (int d = ndim; d < 3; d++)
      memmove(at - 2, at, strlen(at) + 1), at -= 2;
  }
  snprintf(
      command, sizeof command,
      "transform --type %d --points %s --input %s --output %s %s %s %s --sign %d --tol 1e-5 --precision %s --backend "
      "%s --check",
      type, points, input, out, targets, weights, more, s.sign, is_single ? "f32" : "f64", backend);
  test_case("%s", command);
  int code = run("", command);
  if (CHECK(code == 0, "exit code %d: %s", code, errors)) {
    CHECK(!*errors, "'%s' on stderr, and nobody asked for progress", errors);
    CHECK(strstr(output, "relative l2 error on"), "--check printed no error");
    compare(&s, out, in, is_cfl, is_single);
  }
  test_free();
}

/* ---- misuse ---- */

static const struct {
  const char *arguments, *word;
  int code;
} misuse[] = {
    {"", "command is missing", 2},
    {"transfrom", "unknown command", 2},
    {"transform", "--type", 2},
    {"transform --type 1", "--points", 2},
    {"transform --type 4", "--type", 2},
    {"transform --bogus", "--bogus", 2},
    {"transform --modes", "needs a value", 2},
    {"transform --type 3 --points x.npy --input c.npy --output no.npy", "--targets", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy", "--modes", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 0", "--modes", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --tol 0", "tolerance", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --tol nan", "tolerance", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --width 17", "width", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --backend none", "none", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --option spread_only=1", "spread_only",
     2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --period 1,2", "--period has 2", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5x5 --points x.npy,x.npy --period 1,2,3",
     "--period has 3", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --points x.npy,x.npy",
     "2 files of coordinates, but 1 dimension is", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --points x.npy,", "empty name", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --points ''",
     "--points has an empty name", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --output no.txt", "unknown format", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --output no.h5", "which dataset", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --image no.jpg", ".png", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 20001 --image no.png", "too large", 1},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --option nonsense=1", "nonsense", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --weights c.npy,", "c.npy,", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5x5", "x.npy", 1},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 4000000000x4000000000x4000000000",
     "x.npy", 1},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 --real", "imaginary", 1},
    {"transform --type 1 --points x.npy --input short.npy --output no.npy --modes 5", "short.npy", 1},
    {"transform --type 1 --points nan.npy --input c.npy --output no.npy --modes 5", "nan.npy", 1},
    {"transform --type 1 --points none.npy --input c.npy --output no.npy --modes 5", "none.npy", 1},
    {"transform --type 1 --points x.npy --input two.npy --output no.npy --modes 5", "two.npy", 1},
    {"transform --type 2 --points x.npy --input c.npy --output no.npy --modes 5", "c.npy", 1},
    {"transform --type 1 --points x.npy --input c.npy --output no/no.npy --modes 5", "no folder", 1},
    {"transform --type 1 --points x.npy --input c.npy --output /dev/full --modes 5", "/dev/full", 2},
    {"transform --type 1 --points x.npy --input c.npy --output no.npy --modes 5 more", "more", 2},
    {"bench", "problem is missing", 2},
    {"bench 1d/type1/20", "m=1e6", 2},
    {"bench 1d/type1/20/m=3.5", "m=3.5", 2},
    {"bench 2d/type1/20/m=3", "2d", 2},
    {"bench 1d/type1/20/m=10/what", "what", 2},
    {"bench 1d/type1/20/m=10/backend=none", "none", 2},
    {"bench 1d/type1/20/m=10/spread_only=1", "spread_only", 2},
    {"bench 1d/type1/20/m=10 --peer someone", "someone", 2},
    {"bench 1d/type1/20/m=10 --repeat 0", "--repeat", 2},
    {"window --kinds none", "none", 2},
    {"window --sigma 1", "--sigma", 2},
    {"window --width 17", "--width", 2},
    {"window --plot a.jpg", "--plot wants a name that ends in .png", 2},
    {"info more", "more", 2}};

static int exists(const char *name) {
  char path[200];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return !stat(path, &status);
}

static void test_misuse(void) {
  double x[M], strengths[2 * M];
  const int64_t m = M, two = 2;
  for (int j = 0; j < M; j++)
    x[j] = test_uniform(), strengths[2 * j] = 1, strengths[2 * j + 1] = test_uniform();
  write_array("x.npy", 1, &m, 0, 0, x);
  write_array("c.npy", 1, &m, 1, 0, strengths);
  write_array("two.npy", 1, &two, 1, 0, strengths);
  x[3] = NAN;
  write_array("nan.npy", 1, &m, 0, 0, x);
  char command[200];
  snprintf(command, sizeof command, "cd %s && head -c 200 c.npy >short.npy", folder);
  CHECK(!system(command), "%s", command);
  for (size_t i = 0; i < sizeof misuse / sizeof *misuse; i++) {
    test_case("offgrid %s", misuse[i].arguments);
    int code = run("", misuse[i].arguments);
    char *end = strchr(errors, '\n');
    CHECK(code == misuse[i].code, "exit code %d, want %d: %s", code, misuse[i].code, errors);
    CHECK(end && !end[1] && !strncmp(errors, "offgrid", 7), "not one line: '%s'", errors);
    CHECK(strstr(errors, misuse[i].word), "'%s' does not say '%s'", errors, misuse[i].word);
    CHECK(!exists("no.npy") && !exists("no.png"), "an output file was left behind");
  }
}

static void test_full_disk(void) {
  char command[300];
  int code;
  test_case("the old output survives a full disk");
  code = run("", "transform --type 1 --points x.npy --input c.npy --output old.npy --modes 5 --quiet");
  CHECK(code == 0 && !*output && !*errors, "exit code %d, '%s' '%s'", code, output, errors);
  snprintf(command, sizeof command, "cp %s/old.npy %s/kept.npy", folder, folder);
  CHECK(!system(command), "%s", command);
  code = run("ulimit -f 20;", "transform --type 1 --points x.npy --input c.npy --output old.npy --modes 50000 --quiet");
  CHECK(code == 1 && strstr(errors, "old.npy"), "exit code %d: %s", code, errors);
  snprintf(command, sizeof command, "cd %s && cmp -s old.npy kept.npy && test -z \"$(ls -A | grep -i tmp)\"", folder);
  CHECK(!system(command), "the old output changed, or a temporary file stands in the folder");
}

/* One message, and the code; arguments may send standard output elsewhere and end in #. */
static void expect(const char *arguments, int want, const char *word) {
  test_case("offgrid %s", arguments);
  int code = run("", arguments);
  char *end = strchr(errors, '\n');
  CHECK(code == want, "exit code %d, want %d: %s", code, want, errors);
  CHECK(end && !end[1] && strstr(errors, word), "not one line that says '%s': '%s'", word, errors);
}

static void test_output_full(void) {
  expect("transform --type 1 --points x.npy --input c.npy --output told.npy --modes 5 >/dev/full 2>errors.txt #", 1,
         "told.npy was written");
  CHECK(exists("told.npy"), "the message is not true");
  expect("window --kinds pswf --plot no.png >/dev/full 2>errors.txt #", 1, "standard output");
  CHECK(!exists("no.png"), "a picture was left behind");
  expect("--version >/dev/full 2>errors.txt #", 1, "standard output");
}

static void test_not_finite(void) {
  double strengths[2 * M] = {NAN};
  const int64_t m = M;
  write_array("nans.npy", 1, &m, 1, 0, strengths);
  expect("transform --type 1 --points x.npy --input nans.npy --output nans_out.npy --modes 5 --check", 3, "not finite");
  CHECK(strstr(output, "not finite") && !strstr(output, "nan "), "'%s'", output);
}

/* A byte that sends HDF5 outside of the file is found only when something is added. */
static void test_damaged_hdf5(void) {
  const int64_t m = M;
  double numbers[M] = {0};
  char command[300];
  write_array("d.h5:/x", 1, &m, 0, 0, numbers);
  snprintf(command, sizeof command,
           "cd %s && printf '\\177' | dd of=d.h5 bs=1 seek=53 conv=notrunc 2>/dev/null && cp d.h5 kept.h5", folder);
  CHECK(!system(command), "%s", command);
  expect("transform --type 1 --points x.npy --input c.npy --output d.h5:/new --modes 5", 1, "HDF5 file");
  snprintf(command, sizeof command, "cd %s && cmp -s d.h5 kept.h5", folder);
  CHECK(!system(command), "the damaged file was changed");
}

static void test_hdf5_at_once(void) {
  char command[600], path[200];
  const char *build = getenv("OFFGRID_BUILD");
  test_case("eight commands add to one HDF5 file at once");
  snprintf(command, sizeof command,
           "cd %s && for i in 1 2 3 4 5 6 7 8; do '%s/bin/offgrid' transform --type 1 --points x.npy --input c.npy "
           "--output at.h5:/set$i --modes 5 --threads 1 --quiet & done; wait",
           folder, build ? build : "build");
  CHECK(!system(command), "%s", command);
  for (int i = 1; i <= 8; i++) {
    array a;
    snprintf(path, sizeof path, "%s/at.h5:/set%d", folder, i);
    if (CHECK(!array_read(&a, path), "%s", fail_text()))
      array_free(&a);
  }
}

static void test_help(void) {
  static const char *const commands[] = {"--help",        "transform --help", "bench --help",
                                         "window --help", "tune --help",      "info --help"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    test_case("offgrid %s", commands[i]);
    int code = run("", commands[i]);
    CHECK(code == 0 && !*errors && strstr(output, "usage: offgrid"), "exit code %d, '%s'", code, errors);
    CHECK(strstr(output, "exit codes"), "the exit codes are not told");
  }
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "offgrid transform gives what the definition gives, on all formats; misuse is one line");
  if (!CHECK(mkdtemp(folder), "no temporary folder"))
    return test_end();
  FOR_BACKENDS(backend)
  for (int type = 1; type <= 3; type++)
    for (int ndim = 1; ndim <= 3; ndim++)
      for (int format = 0; format < 3; format++)
        FOR_PRECISIONS(precision)
  FOR_VALUES(values)
  if ((type != 3 || values == OG_COMPLEX) && test_sample(4))
    one_case(backend, type, ndim, format, precision == OG_F32, values == OG_REAL);
  test_misuse();
  test_full_disk();
  test_output_full();
  test_not_finite();
  test_damaged_hdf5();
  test_hdf5_at_once();
  test_help();
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  CHECK(!system(command), "%s", command);
  return test_end();
}
