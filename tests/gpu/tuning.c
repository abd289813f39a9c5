/* Tuning files: what `offgrid tune` writes is read back and used by plans, the nearest line is taken, options win, and a file
 * that is not understood is one error that names its line. */
#include "common/problem.h"

#include <sys/stat.h>
#include <unistd.h>

#include "gpu/tuning.h"

#define HEADER OG_GPU_TUNING_HEADER "\n"
#define DEVICE "host (one work item per group)"

static char folder[] = "/tmp/offgrid-tuning-XXXXXX", path[64];

static void write_file(const char *text, size_t bytes) {
  FILE *file = fopen(path, "w");
  if (CHECK(file, "%s cannot be written", path)) {
    fwrite(text, 1, bytes, file);
    fclose(file);
  }
}

/* ---- reading */

static void test_corrupt(void) {
  static const char good[] = "host,d,spread,2,7,f64,complex,0.5,stream,26,8,0,32,400,1.5,2\n";
  static const struct {
    const char *text, *says;
  } bad[] = {
      {"", "line 1"},
      {"backend,device\n", "line 1"},
      {HEADER "host,d,spread\n", "line 2: has 3 fields"},
      {HEADER "host,d,spread,2,7,f64,complex,0.5,stream,26,8,0,32,400,1.5,2,9\n", "has 17 fields"},
      {HEADER "# comment\n\nhost,d,middle,2,7,f64,complex,0.5,stream,26,8,0,32,400,1.5,2\n", "line 4: kind 'middle'"},
      {HEADER "host,d,spread,4,7,f64,complex,0.5,stream,26,8,0,32,400,1.5,2\n", "dimension '4'"},
      {HEADER "host,d,spread,2,7.5,f64,complex,0.5,stream,26,8,0,32,400,1.5,2\n", "width '7.5'"},
      {HEADER "host,d,spread,2,77,f64,complex,0.5,stream,26,8,0,32,400,1.5,2\n", "width '77'"},
      {HEADER "host,d,spread,2,7,f16,complex,0.5,stream,26,8,0,32,400,1.5,2\n", "precision 'f16'"},
      {HEADER "host,d,spread,2,7,f64,rea,0.5,stream,26,8,0,32,400,1.5,2\n", "values 'rea'"},
      {HEADER "host,d,spread,2,7,f64,complex,nan,stream,26,8,0,32,400,1.5,2\n", "log10_density 'nan'"},
      {HEADER "host,d,spread,2,7,f64,complex,0.5,sorted,26,8,0,32,400,1.5,2\n", "method 'sorted'"},
      {HEADER "host,d,interp,2,7,f64,complex,0.5,tiled,26,8,0,32,400,1.5,2\n", "method 'tiled'"},
      {HEADER "host,d,spread,2,7,f64,complex,0.5,stream,-1,8,0,32,400,1.5,2\n", "bin_x '-1'"},
      {HEADER "host,d,spread,2,7,f64,complex,0.5,stream,26,8,0,,400,1.5,2\n", "team ''"},
      {HEADER "host,d,spread,2,7,f64,complex,0.5,stream,26,8,0,32,4e9,1.5,2\n", "work_points '4e9'"},
      {HEADER "host,d,spread,2,7,f64,complex,0.5,stream,26,8,0,32,400,inf,2\n", "tuned_ns 'inf'"},
  };
  og_gpu_tuning t;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    test_case("corrupt %zu", i);
    write_file(bad[i].text, strlen(bad[i].text));
    CHECK_CODE(og_gpu_tuning_read(path, "host", "d", &t), OG_ERR_OPTION, bad[i].says);
    CHECK(strstr(og_last_error(), path), "'%s' does not name the file", og_last_error());
  }
  /* a good line, cut short anywhere, with any byte another: an error or numbers in range, never a crash */
  for (int i = 0; i < 400; i++) {
    char text[1200] = HEADER;
    size_t head = strlen(text), n = head + sizeof good - 1;
    test_case("damage %d", i);
    strcat(text, good);
    n = i % 2 ? (size_t)test_integer(0, (int64_t)n) : n;
    text[test_integer(0, (int64_t)(i % 3 ? n : head))] = (char)test_integer(0, 255);
    write_file(text, n);
    if (!og_gpu_tuning_read(path, "host", "d", &t)) {
      for (int k = 0; k < t.n; k++)
        CHECK(t.entries[k].width >= 2 && t.entries[k].width <= 16 && t.entries[k].dim >= 1 && t.entries[k].dim <= 3 &&
                  t.entries[k].team >= 0 && t.entries[k].work_points >= 0,
              "a line out of range was taken");
      og_gpu_tuning_free(&t);
    } else
      CHECK(strstr(og_last_error(), "line "), "'%s' names no line", og_last_error());
  }
  test_case("a long line");
  char wide[3000];
  memset(wide, 'a', sizeof wide);
  write_file(wide, sizeof wide);
  CHECK_CODE(og_gpu_tuning_read(path, "host", "d", &t), OG_ERR_OPTION, "line 1");
  CHECK_CODE(og_gpu_tuning_read("/nowhere/at/all.csv", "host", "d", &t), OG_ERR_OPTION, "/nowhere/at/all.csv");
}

static void test_nearest(void) {
  static const char text[] = HEADER "host,d,spread,2,7,f64,complex,0,stream,26,8,0,32,400,1,2\r\n"
                                    "host,d,spread,2,9,f64,complex,0,tiled,0,0,0,0,0,1,2\n"
                                    "host,d,spread,2,7,f64,complex,1.5,grid,8,8,0,0,0,1,2\n"
                                    "host,d,spread,3,7,f64,complex,0,matrix,0,0,0,0,0,1,2\n"
                                    "host,d,interp,2,7,f64,complex,0,sorted,0,0,0,64,0,1,2\n"
                                    "host,other,spread,1,7,f64,complex,0,atomic,0,0,0,0,0,1,2\n"
                                    "host,d,spread,2,7,f32,real,0,atomic,0,0,0,0,0,1,2\n";
  static const struct {
    int interp, dim, width, precision, values;
    double density;
    int line; /* 0: none */
  } asked[] = {
      {0, 2, 7, OG_F64, OG_COMPLEX, 0, 2},    {0, 2, 7, OG_F64, OG_COMPLEX, 0.7, 2},
      {0, 2, 7, OG_F64, OG_COMPLEX, 0.8, 4},  {0, 2, 8, OG_F64, OG_COMPLEX, 0, 2},
      {0, 2, 9, OG_F64, OG_COMPLEX, 0, 3},    {0, 2, 13, OG_F64, OG_COMPLEX, 0, 3},
      {0, 2, 14, OG_F64, OG_COMPLEX, 0, 0},   {0, 2, 7, OG_F64, OG_COMPLEX, -3, 0},
      {0, 3, 6, OG_F64, OG_COMPLEX, 0, 5},    {1, 2, 7, OG_F64, OG_COMPLEX, 0.5, 6},
      {1, 3, 7, OG_F64, OG_COMPLEX, 0, 0},    {0, 1, 7, OG_F64, OG_COMPLEX, 0, 0},
      {0, 2, 7, OG_F32, OG_REAL, 0, 8},       {0, 2, 7, OG_F32, OG_COMPLEX, 0, 0},
      {0, 3, 7, OG_F64, OG_COMPLEX, -0.9, 5}, {0, 3, 7, OG_F64, OG_COMPLEX, -1.1, 0},
  };
  og_gpu_tuning t;
  test_case("nearest line");
  write_file(text, sizeof text - 1);
  if (!CHECK_OK(og_gpu_tuning_read(folder, "host", "d", &t)))
    return;
  CHECK(t.n == 6 && t.n_files == 1, "%d lines of %d files, want 6 of 1", t.n, t.n_files);
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    const og_gpu_tuned *e = og_gpu_tuning_nearest(&t, asked[i].interp, asked[i].dim, asked[i].width, asked[i].precision,
                                                  asked[i].values, asked[i].density);
    CHECK((e ? e->line : 0) == asked[i].line, "question %zu: line %d, want %d", i, e ? e->line : 0, asked[i].line);
  }
  og_gpu_tuning_free(&t);
  test_case("a device's name with commas");
  CHECK_OK(og_gpu_tuning_read(path, "host", "other", &t));
  og_gpu_tuning_free(&t);
  static const char comma[] = HEADER "host,A  B,spread,2,7,f64,complex,0,grid,0,0,0,0,0,1,2\n";
  write_file(comma, sizeof comma - 1);
  if (CHECK_OK(og_gpu_tuning_read(path, "host", "A, B", &t)))
    CHECK(t.n == 1, "%d lines", t.n);
  og_gpu_tuning_free(&t);
}

/* ---- plans */

static og_options options_with(const char *tuning) {
  og_options o = OG_OPTIONS_DEFAULT;
  o.backend = "host";
  o.width = 4;
  o.sigma = 2;
  o.tolerance = 1e-3;
  o.tuning = tuning;
  return o;
}

/* A type 1 and a type 2 are right, and the report tells the choice. */
static void check_plan(og_options o, const char *says) {
  const int64_t n[3] = {24, 20, 1};
  problem p = problem_make(2, n, 900, POINTS_UNIFORM, &o);
  og_plan plan = problem_plan(&p);
  og_report report = {.size = sizeof report};
  if (!plan)
    return;
  double *c = test_random(problem_values_size(&p), o.precision);
  CHECK_AT_MOST(test_error(problem_type1(&p, plan, 1, c), problem_direct_type1(&p, 1, c), problem_modes_size(&p)), 3e-3,
                "error of type 1");
  double *f = test_random(problem_modes_size(&p), o.precision);
  CHECK_AT_MOST(test_error(problem_type2(&p, plan, 1, f), problem_direct_type2(&p, 1, f), problem_values_size(&p)),
                3e-3, "error of type 2");
  if (CHECK_OK(og_plan_report(plan, &report))) {
    CHECK(strstr(report.choice, says), "the report says '%s', want '%s'", report.choice, says);
    CHECK(!strcmp(report.device, DEVICE), "device '%s'", report.device);
  }
  og_plan_destroy(plan);
  test_free();
}

static void test_plans(void) {
  static const char text[] = HEADER "host," DEVICE ",spread,2,4,f64,complex,-0.3,tiled,5,3,0,0,77,1,2\n"
                                    "host," DEVICE ",interp,2,4,f64,complex,-0.3,stream,0,0,0,0,0,1,2\n";
  char says[256];
  write_file(text, sizeof text - 1);
  test_case("by a file");
  snprintf(says, sizeof says,
           "spread tiled, team 1 (%s line 2); interp stream, team 1 (%s line 3); bins 5 x 3 x 1, work_points 77", path,
           path);
  check_plan(options_with(path), says);
  test_case("by the environment");
  setenv("OFFGRID_TUNING", path, 1);
  check_plan(options_with("auto"), says);
  unsetenv("OFFGRID_TUNING");
  test_case("none");
  check_plan(options_with("none"), "(rules); interp");
  test_case("options win");
  og_options o = options_with(path);
  o.spread_method = "grid";
  check_plan(o, "spread grid, team 1 (option); interp stream");
  o.interp_method = "sorted";
  check_plan(o, "interp sorted, team 1 (option)");
  o = options_with(path);
  o.work_points = 99;
  check_plan(o, "work_points 99");
  test_case("of another width the method alone");
  o = options_with(path);
  o.width = 5;
  check_plan(o, "spread tiled, team 1 (");
  o.interp_method = "sorted";
  check_plan(o, "bins 28 x 8 x 1");
  test_case("a line that other options contradict");
  o = options_with(path);
  o.interp_method = "matrix";
  check_plan(o, "(rules); interp matrix");
  test_case("odd bins and pieces");
  static const char *const methods[] = {"atomic", "tiled", "grid", "stream"};
  for (int i = 0; i < 8; i++) {
    o = options_with("none");
    o.spread_method = methods[i % 4];
    o.interp_method = i % 3 ? "stream" : "sorted";
    o.bin_x = (int)test_integer(1, 40);
    o.bin_y = (int)test_integer(1, 40);
    o.work_points = test_integer(1, 2000);
    snprintf(says, sizeof says, "bins %d x %d x 1, work_points %d", o.bin_x, o.bin_y, (int)o.work_points);
    test_case("%s %s %s", o.spread_method, o.interp_method, says);
    check_plan(o, says);
  }
}

static void test_misuse(void) {
  const int64_t n[2] = {20, 20};
  og_plan plan;
  og_options o = options_with("/nowhere.csv");
  test_case("misuse");
  CHECK_CODE(og_plan_create(&plan, 2, n, &o), OG_ERR_OPTION, "/nowhere.csv");
  o = options_with("none");
  o.spread_team = 33;
  CHECK_CODE(og_plan_create(&plan, 2, n, &o), OG_ERR_OPTION, "spread_team");
  o.spread_team = 64;
  CHECK_CODE(og_plan_create(&plan, 2, n, &o), OG_ERR_OPTION, "spread_team");
  o = options_with("none");
  o.bin_x = 5;
  o.spread_method = "matrix";
  CHECK_CODE(og_plan_create(&plan, 2, n, &o), OG_ERR_OPTION, "matrix has bins of its own");
  o.spread_method = "stream";
  o.bin_x = o.bin_y = 1000;
  CHECK_CODE(og_plan_create(&plan, 2, n, &o), OG_ERR_OPTION, "too large");
  o.bin_x = 1025;
  CHECK_CODE(og_plan_create(&plan, 2, n, &o), OG_ERR_OPTION, "bin_x");
}

/* ---- the files that are part of the project, and where an installed library finds its own */

static void test_installed(void) {
  const char *source = getenv("OFFGRID_SOURCE");
  char own[600];
  og_gpu_tuning t;
  test_case("the project's files");
  snprintf(own, sizeof own, "%s/tuning", source ? source : ".");
  if (!CHECK_OK(og_gpu_tuning_read(own, "cuda", "NVIDIA H200", &t)))
    return;
  CHECK(t.n > 0, "no line for an H200 in %s", own);
  for (int i = 0; i < t.n; i++)
    for (int k = 0; k < i; k++) {
      const og_gpu_tuned *a = &t.entries[i], *b = &t.entries[k];
      CHECK(a->interp != b->interp || a->dim != b->dim || a->width != b->width || a->precision != b->precision ||
                a->values != b->values || fabs(a->log_density - b->log_density) > 0.05,
            "lines %d and %d of %s are for the same problem", b->line, a->line, t.files[a->file]);
    }
  og_gpu_tuning_free(&t);
}

/* ---- the command */

static void test_command(void) {
  const char *build = getenv("OFFGRID_BUILD");
  char command[600], says[200];
  test_case("offgrid tune");
  snprintf(command, sizeof command, "%s/bin/offgrid", build ? build : "build");
  if (access(command, X_OK)) {
    test_skip("the command is not built");
    return;
  }
  snprintf(command, sizeof command,
           "'%s/bin/offgrid' tune --backend host --dims 2 --widths 4 --cells 2e3 --density 0.5 --trials 8 --output %s "
           "</dev/null",
           build ? build : "build", path);
  if (!CHECK(system(command) == 0, "'%s' failed", command))
    return;
  og_gpu_tuning t;
  if (!CHECK_OK(og_gpu_tuning_read(path, "host", DEVICE, &t)))
    return;
  if (CHECK(t.n == 2, "%d lines, want 2", t.n))
    for (int i = 0; i < 2; i++) {
      const og_gpu_tuned *e = &t.entries[i];
      CHECK(e->interp == i && e->dim == 2 && e->width == 4 && e->precision == OG_F64 && e->values == OG_COMPLEX,
            "line %d is of another problem", e->line);
      CHECK_AT_MOST(fabs(e->log_density - log10(0.5)), 0.01, "distance of the density");
      CHECK(e->tuned_ns > 0 && e->default_ns > 0, "line %d: not measured", e->line);
      CHECK(i || e->tuned_ns <= e->default_ns, "line %d: tuned is slower than the default", e->line);
    }
  og_gpu_tuning_free(&t);
  snprintf(says, sizeof says, "%s line 2); interp", path);
  check_plan(options_with(path), says);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "tuning files are written, read and looked up");
  if (!CHECK(mkdtemp(folder), "no folder in /tmp"))
    return test_end();
  snprintf(path, sizeof path, "%s/host.csv", folder);
  test_corrupt();
  test_nearest();
  test_plans();
  test_misuse();
  test_installed();
  test_command();
  unlink(path);
  rmdir(folder);
  return test_end();
}
