/* The command tune: misuse is one sentence; its search: the Gaussian process interpolates, its expected improvement is the
 * integral's, and with it the least of a noisy function is found nearer than by as many random trials. */
#include "common/test.h"

#include "command.h"
#include "message.h"
#include "tune_gp.h"
#include "tune_measure.h"

#include <unistd.h>

enum { DIMS = 2, TRIALS = 24, FIRST = 6, CANDIDATES = 300, RUNS = 40 };

static double unit(void) { return 0.5 + 0.5 * test_uniform(); }

/* Two valleys of different depth; the deeper one is at `at`. */
static double truth(const double *x, const double *at) {
  double a = (x[0] - at[0]) * (x[0] - at[0]) + 2 * (x[1] - at[1]) * (x[1] - at[1]);
  double b = (x[0] - 1 + at[0]) * (x[0] - 1 + at[0]) + (x[1] - 1 + at[1]) * (x[1] - 1 + at[1]);
  return 1 - exp(-8 * a) - 0.6 * exp(-12 * b);
}

static double noisy(const double *x, const double *at) { return truth(x, at) + 0.02 * test_uniform(); }

/* The true value at the place whose measured one is least. */
static double search(int guided, const double *at) {
  double x[TRIALS][DIMS], y[TRIALS], places[CANDIDATES][DIMS], work[TRIALS];
  int best = 0;
  for (int i = 0; i < TRIALS; i++) {
    gp g;
    int chosen = 0;
    for (int c = 0; c < CANDIDATES; c++)
      for (int d = 0; d < DIMS; d++)
        places[c][d] = unit();
    if (guided && i >= FIRST && CHECK(!gp_fit(&g, DIMS, i, x[0], y), "no fit")) {
      chosen = gp_choose(&g, CANDIDATES, places[0], work);
      gp_free(&g);
    }
    memcpy(x[i], places[chosen], sizeof x[i]);
    y[i] = noisy(x[i], at);
    best = y[i] < y[best] ? i : best;
  }
  return truth(x[best], at);
}

static void test_search(void) {
  double guided = 0, blind = 0;
  test_case("search of %d trials, %d runs", TRIALS, RUNS);
  for (int r = 0; r < RUNS; r++) {
    double at[DIMS] = {0.15 + 0.3 * unit(), 0.15 + 0.7 * unit()};
    guided += search(1, at) / RUNS;
    blind += search(0, at) / RUNS;
  }
  printf("mean of the least: %.4f by the Gaussian process, %.4f at random\n", guided, blind);
  CHECK_AT_MOST(guided + 0.02, blind, "mean of the least by the Gaussian process, and 0.02");
}

static void test_process(void) {
  double x[5] = {0.05, 0.3, 0.5, 0.8, 0.95}, y[5], work[5], mean, deviation;
  gp g;
  test_case("five values without noise");
  for (int i = 0; i < 5; i++)
    y[i] = 100 + sin(4 * x[i]);
  if (!CHECK(!gp_fit(&g, 1, 5, x, y), "no fit"))
    return;
  for (int i = 0; i < 5; i++) {
    gp_predict(&g, &x[i], work, &mean, &deviation);
    CHECK_AT_MOST(fabs(mean - y[i]), 0.02, "distance from a value that is known");
  }
  double middle = 0.65, near = 0.81, far_deviation;
  gp_predict(&g, &middle, work, &mean, &far_deviation);
  CHECK_AT_MOST(fabs(mean - 100 - sin(4 * middle)), 0.1, "error between values");
  gp_predict(&g, &near, work, &mean, &deviation);
  CHECK(deviation < far_deviation, "deviation %g near a value, %g far from all", deviation, far_deviation);
  gp_free(&g);
}

static void test_improvement(void) {
  for (int i = 0; i < 20; i++) {
    double mean = test_uniform(), deviation = 0.1 + unit(), best = test_uniform(), sum = 0;
    test_case("mean %g deviation %g best %g", mean, deviation, best);
    for (int k = -4000; k <= 4000; k++) {
      double z = k * 2e-3, f = mean + deviation * z;
      sum += f < best ? (best - f) * exp(-z * z / 2) * 2e-3 / sqrt(2 * 3.14159265358979) : 0;
    }
    CHECK_AT_MOST(fabs(gp_expected_improvement(mean, deviation, best) - sum), 1e-5, "error of the expectation");
  }
  CHECK(gp_expected_improvement(1, 0, 3) == 2 && gp_expected_improvement(3, 0, 1) == 0, "without deviation");
}

static void test_misuse(void) {
  static const char *const bad[][2] = {
      {"--dims", "0"},      {"--dims", "1,4"},    {"--dims", "2,"},       {"--widths", "1-5"}, {"--widths", "9-5"},
      {"--widths", "x"},    {"--widths", "3-17"}, {"--precision", "f16"}, {"--values", ""},    {"--density", "0"},
      {"--density", "1,,"}, {"--density", "nan"}, {"--cells", "10"},      {"--trials", "0"},   {"--trials", "301"},
      {"--budget", "-1"},   {"--device", "-1"},   {"--seed", "-3"},       {"--nothing", "1"},  {"word", "1"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char name[] = "tune", option[32], value[32], *arguments[] = {name, option, value, NULL};
    strcpy(option, bad[i][0]);
    strcpy(value, bad[i][1]);
    test_case("tune %s '%s'", option, value);
    int code = command_tune(3, arguments);
    CHECK(code == EXIT_USAGE && strstr(fail_text(), option), "code %d: '%s'", code, fail_text());
  }
  char name[] = "tune", option[] = "--backend", *arguments[] = {name, option, NULL, NULL}, cpu[] = "cpu", no[] = "no";
  char lock[] = "--lock", nowhere[] = "/nowhere/lock", *locked[] = {name, lock, nowhere, NULL};
  test_case("a lock that cannot be made");
  CHECK(command_tune(3, locked) == EXIT_FAILED && strstr(fail_text(), "/nowhere/lock"), "'%s'", fail_text());
  test_case("a backend without devices, and one that there is not");
  arguments[2] = cpu;
  CHECK(command_tune(3, arguments) == EXIT_FAILED && strstr(fail_text(), "nothing to tune"), "'%s'", fail_text());
  arguments[2] = no;
  CHECK(command_tune(3, arguments) == EXIT_USAGE && strstr(fail_text(), "'no'"), "'%s'", fail_text());
}

/* Spreading by bins, where the first `what` of the kernel's text is written `as`, which is as long. */
static double measure_with(const char *folder, const char *what, const char *as) {
  char from[600], to[600], text[1 << 16] = "", *at;
  const char *source = getenv("OFFGRID_SOURCE");
  snprintf(from, sizeof from, "%s/backends/gpu/kernels/spread_grid.c", source ? source : ".");
  snprintf(to, sizeof to, "%s/spread_grid.c", folder);
  FILE *in = fopen(from, "r"), *out = fopen(to, "w");
  tune_problem p = {
      .backend = "host", .lock = to, .ndim = 2, .width = 4, .precision = OG_F64, .values = OG_COMPLEX, .density = 0.5};
  const tune_parameters grid = {.method = "grid"};
  double standard = INFINITY, nanoseconds = NAN;
  CHECK(in && out, "'%s' or '%s' does not open", from, to);
  if (in && out) {
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    at = strstr(text, what);
    CHECK(at, "no '%s' in %s", what, from);
    if (at)
      memcpy(at, as, strlen(as));
    fputs(text, out);
  }
  if (in)
    fclose(in);
  if (out)
    fclose(out);
  if (CHECK(!tune_problem_open(&p, 1000), "%s", fail_text())) {
    CHECK(!tune_measure(&p, 0, NULL, NULL, &standard) && standard > 0 && isfinite(standard), "%s", fail_text());
    CHECK(!tune_measure(&p, 0, NULL, &grid, &nanoseconds), "%s", fail_text());
    tune_problem_close(&p);
  }
  unlink(to);
  return nanoseconds;
}

/* A configuration counts only where it works and its results are the default's. */
static void test_verified(void) {
  char folder[] = "/tmp/offgrid-tune-XXXXXX";
  int has_host = 0;
  for (int i = 0; og_backend_name(i); i++)
    has_host |= !strcmp(og_backend_name(i), "host");
  test_case("kernels that are right, wrong and none");
  if (!has_host) {
    test_skip("no backend host");
    return;
  }
  if (!CHECK(mkdtemp(folder), "no folder in /tmp"))
    return;
  setenv("OFFGRID_KERNELS", folder, 1);
  double right = measure_with(folder, "w *= ", "w *= "), none = measure_with(folder, "w *= ", "w no ");
  double wrong = measure_with(folder, "w *= ", "w += ");
  unsetenv("OFFGRID_KERNELS");
  rmdir(folder);
  CHECK(right > 0 && isfinite(right), "the right kernel takes %g ns", right);
  CHECK(none == INFINITY, "a kernel that does not compile takes %g ns", none);
  CHECK(wrong == INFINITY, "a kernel with wrong results takes %g ns", wrong);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "the tuner's Gaussian process finds the least of a noisy function, and misuse is told");
  test_process();
  test_improvement();
  test_search();
  test_misuse();
  test_verified();
  return test_end();
}
