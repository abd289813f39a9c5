/* The commands bench and window print measured errors that keep what the library promises: every operation, type of
 * points and dimension; as text and as JSON; with peers that are not there. */
#include "common/test.h"

#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[1 << 16], errors[4000];

static void slurp(FILE *file, char *text, size_t bytes) {
  rewind(file);
  text[fread(text, 1, bytes - 1, file)] = 0;
  fclose(file);
}

static int run(const char *arguments) {
  char command[3000], out[] = "/tmp/offgrid-bench-XXXXXX", err[] = "/tmp/offgrid-bench-XXXXXX";
  const char *build = getenv("OFFGRID_BUILD");
  FILE *o = fdopen(mkstemp(out), "r+"), *e = fdopen(mkstemp(err), "r+");
  snprintf(command, sizeof command, "'%s/bin/offgrid' %s >%s 2>%s </dev/null", build ? build : "build", arguments, out,
           err);
  int status = system(command);
  slurp(o, output, sizeof output);
  slurp(e, errors, sizeof errors);
  unlink(out);
  unlink(err);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static double number(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  CHECK(json_is_number(value), "no number '%s' in the JSON", name);
  return json_number_value(value);
}

static void check_problem(const json_t *entry, const char *problem, double tolerance) {
  const json_t *all = json_object_get(entry, "contenders"), *ours = json_array_get(all, 0);
  CHECK(!strcmp(json_string_value(json_object_get(entry, "problem")), problem), "another problem");
  CHECK_AT_MOST(number(ours, "error"), tolerance, "measured error");
  CHECK(number(ours, "error") > 0, "an error of zero was not measured");
  CHECK_AT_MOST(number(ours, "points") + number(ours, "execute"), 2 * number(ours, "total") + 1e-3, "points + execute");
  CHECK(json_array_size(json_object_get(ours, "totals")) == 2, "not two repeats");
  const json_t *peer = json_array_get(all, 1);
  CHECK(json_is_string(json_object_get(peer, "left_out")) && !json_object_get(peer, "total"),
        "a peer that is not there has a time");
}

static void one_bench(const char *problem, double tolerance) {
  char arguments[600];
  test_case("%s", problem);
  snprintf(arguments, sizeof arguments, "bench %s --repeat 2 --json --peer finufft --peer-lib /nowhere.so", problem);
  int code = run(arguments);
  if (!CHECK(code == 0 && !*errors, "exit code %d: %s", code, errors))
    return;
  json_t *all = json_loads(output, 0, NULL);
  if (CHECK(json_array_size(all) == 1, "no JSON array of one problem: %s", output))
    check_problem(json_array_get(all, 0), problem, tolerance);
  json_decref(all);
}

static void test_bench(void) {
  static const char *const ops[] = {"type1", "type2", "type3", "gradient", "filter"};
  static const char *const sizes[] = {"60", "20x21", "9x10x11"};
  static const char *const points[] = {"uniform", "clustered", "blobs", "radial", "line"};
  FOR_BACKENDS(backend)
  for (int op = 0; op < 5; op++)
    for (int d = 0; d < 3; d++)
      for (int p = 0; p < 5; p++)
        FOR_PRECISIONS(precision)
  FOR_VALUES(values) {
    if ((op == 2 && values == OG_REAL) || !test_sample(10))
      continue;
    char problem[300];
    double tolerance = precision == OG_F32 ? 1e-4 : 1e-7;
    snprintf(problem, sizeof problem, "%dd/%s/%s/m=300/tol=%g/%s/%s/%s/backend=%s/vectors=%d/sign=%d", d + 1, ops[op],
             sizes[d], tolerance, test_precision_name[precision], test_values_name[values], points[p], backend,
             1 + (int)(test_bits() % 2), test_bits() % 2 ? 1 : -1);
    one_bench(problem, 2.2 * tolerance * (op >= 3 ? 2 : 1));
  }
}

static void test_text(void) {
  test_case("text, and peers that are not there");
  int code = run("bench 1d/type1/20/m=50 2d/type2/8x8/m=0 --repeat 1 --peer ducc --peer-python /nowhere/python3 "
                 "--peer-script /nowhere/script.py");
  CHECK(code == 0 && !*errors, "exit code %d: %s", code, errors);
  CHECK(strstr(output, "left out: ducc: /nowhere/python3"), "the missing peer is not told: %s", output);
  for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"))
    CHECK(!strstr(line, " total ") || strstr(line, "error "), "a time without an error: %s", line);
}

/* Terabytes may be promised by a machine that has none to give: a limit on the address space is what fails surely. */
static void test_memory(void) {
  test_case("out of memory");
  int code = run("info >/dev/null; ulimit -v 8000000; \"${OFFGRID_BUILD:-build}/bin/offgrid\" bench 1d/type1/20/m=2e9");
  CHECK(code == 1 && strstr(errors, "out of memory, 16 GB"), "exit code %d: %s", code, errors);
}

static void test_window(const char *arguments) {
  char command[200];
  test_case("window %s", arguments);
  snprintf(command, sizeof command, "window --json --optimise %s", arguments);
  int code = run(command);
  CHECK(code == 0 && !*errors, "exit code %d: %s", code, errors);
  json_t *all = json_loads(output, 0, NULL);
  size_t kinds = 0;
  while (og_window_name((int)kinds))
    kinds++;
  CHECK(json_array_size(all) == 2 * kinds, "%zu rows for %zu kinds", json_array_size(all), kinds);
  for (size_t i = 0; i + 1 < json_array_size(all); i += 2) {
    const json_t *known = json_array_get(all, i), *best = json_array_get(all, i + 1);
    const char *name = json_string_value(json_object_get(known, "window"));
    CHECK(number(best, "bound") <= number(known, "bound") * 1.0001, "%s: optimised to a worse bound", name);
    /* the bound is on the mean over points: one set of points may lie above it a little */
    CHECK(number(known, "measured") <= 1.5 * number(known, "bound") + 1e-13, "%s: measured %.2e, bound %.2e", name,
          number(known, "measured"), number(known, "bound"));
    CHECK(number(known, "nanoseconds") > 0, "%s: no cost", name);
  }
  json_decref(all);
}

static void test_plot(void) {
  char path[] = "/tmp/offgrid-plot-test-XXXXXX.png", arguments[100];
  test_case("window --plot");
  int fd = mkstemps(path, 4);
  close(fd);
  unlink(path);
  snprintf(arguments, sizeof arguments, "window --kinds pswf,linear --width 4 --plot %s", path);
  int code = run(arguments);
  if (system("command -v gnuplot >/dev/null")) {
    CHECK(code == 1 && strstr(errors, "gnuplot-nox") && access(path, F_OK), "without gnuplot: code %d, %s", code,
          errors);
    return;
  }
  unsigned char start[8] = {0};
  FILE *file = fopen(path, "rb");
  CHECK(code == 0 && file && fread(start, 1, 8, file) == 8 && !memcmp(start, "\x89PNG", 4), "no picture: code %d, %s",
        code, errors);
  if (file)
    fclose(file);
  unlink(path);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "offgrid bench and window: measured errors keep what is promised");
  test_bench();
  test_text();
  if (!strstr(getenv("OFFGRID_SANITIZE") ? getenv("OFFGRID_SANITIZE") : "", "address")) /* it needs the addresses */
    test_memory();
  test_window("--sigma 2 --width 7");
  test_window("--sigma 1.25 --width 8");
  test_plot();
  return test_end();
}
