/* Every method has a kernel, or a refusal with a sentence, for each architecture, dimension, width, precision and values; --list
 * prints what they are, one a line, for scripts/matrix.py, which compiles them. No device is needed: what a driver would say
 * of one stands here. */
#include "gpu/gpu.h"
#include "gpu/points.h"
#include "harness.h"

typedef struct arch {
  const char *name, *driver;
  og_gpu_info info;
} arch;

/* Units and local memory as the vendors' data sheets and programming guides have them: A100, H200, B200, MI250X (a half), MI300X,
 * RX 7900 XTX. */
static const arch archs[] = {
    {"sm_80", "cuda", {.subgroup = 32, .units = 108, .max_team = 1024, .local_bytes = 166912, .f64 = 2, .matrix = 1}},
    {"sm_90", "cuda", {.subgroup = 32, .units = 132, .max_team = 1024, .local_bytes = 232448, .f64 = 2, .matrix = 1}},
    {"sm_100", "cuda", {.subgroup = 32, .units = 148, .max_team = 1024, .local_bytes = 232448, .f64 = 2, .matrix = 1}},
    {"gfx90a", "hip", {.subgroup = 64, .units = 104, .max_team = 1024, .local_bytes = 65536, .f64 = 2, .matrix = 1}},
    {"gfx942", "hip", {.subgroup = 64, .units = 304, .max_team = 1024, .local_bytes = 65536, .f64 = 2, .matrix = 1}},
    {"gfx1100", "hip", {.subgroup = 32, .units = 96, .max_team = 1024, .local_bytes = 65536, .f64 = 1, .matrix = 0}},
};
enum { ARCHS = sizeof archs / sizeof *archs };

/* A method with the one that it shares its bins with. */
typedef struct pair {
  const char *spread, *interp;
  int which; /* 0 spread, 1 interp, 2 gradient */
} pair;
static const pair pairs[] = {{"atomic", "sorted", 0}, {"tiled", "sorted", 0},  {"grid", "sorted", 0},
                             {"stream", "sorted", 0}, {"matrix", "matrix", 0}, {"atomic", "direct", 1},
                             {"stream", "sorted", 1}, {"stream", "stream", 1}, {"matrix", "matrix", 1},
                             {"atomic", "direct", 2}, {"stream", "sorted", 2}, {"stream", "stream", 2}};
enum { PAIRS = sizeof pairs / sizeof *pairs };
static const char *const kinds[] = {"spread", "interp", "gradient"};

static int listing;

static void print_row(const arch *a, const char *file, const char *kernel, const char *kind, const char *method,
                      int dim, int width, int precision, const char *values, const char *points, int may_shrink,
                      const og_gpu_macro *macros) {
  printf("%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%zu\t%d\t", a->name, a->driver, file, kernel, kind, method, dim,
         width, test_precision_name[precision], values, points, a->info.local_bytes, may_shrink);
  for (; macros->name; macros++)
    printf(" -D%s=%lld", macros->name, (long long)macros->value);
  printf("\n");
}

typedef struct setting {
  og_grid grid;
  og_window window;
  og_points_setup setup;
} setting;

/* One point per cell of a grid of about 10^7 cells. */
static int64_t make_setting(int dim, int width, int precision, int values, int packed, setting *s) {
  static const int64_t side[4] = {0, 10000000, 3200, 216};
  const int64_t n = side[dim];
  *s = (setting){.grid = {.ndim = dim, .precision = precision, .values = values, .n = {1, 1, 1}}};
  if (!CHECK_OK(og_window_make(&s->window, OG_PSWF, width, 2.0, 0, 0)))
    return 0;
  int64_t cells = 1;
  for (int d = 0; d < dim; d++) {
    s->grid.n[d] = n;
    s->grid.stride[d] = cells;
    s->setup.period[d] = 1;
    cells *= n;
  }
  s->setup.grid = &s->grid;
  s->setup.window = &s->window;
  s->setup.index_only = !packed;
  return cells;
}

/* Counts the kernels that there are. */
static int try_pair(const arch *a, const pair *p, int dim, int width, int precision, int values, int packed) {
  setting s;
  og_gpu_methods chosen;
  og_gpu_macro macros[OG_GPU_METHOD_MACROS];
  int64_t n = make_setting(dim, width, precision, values, packed, &s);
  s.setup.spread_method = p->spread;
  s.setup.interp_method = p->interp;
  s.setup.gradient = p->which == 2;
  test_case("%s %s %s+%s %dd w=%d %s %s %s", a->name, kinds[p->which], p->spread, p->interp, dim, width,
            test_precision_name[precision], test_values_name[values], packed ? "records" : "indices");
  int code = og_gpu_methods_choose(&a->info, &s.setup, n, &chosen);
  if (code) { /* the device or the problem does not admit it */
    CHECK(code == OG_ERR_OPTION && strlen(og_last_error()) > 20, "code %d, '%s'", code, og_last_error());
    return 0;
  }
  const og_gpu_method *m = p->which == 0 ? &chosen.spread : p->which == 1 ? &chosen.interp : &chosen.gradient;
  if (packed && !m->sorted) /* has no records */
    return 0;
  CHECK(m->team % (a->info.matrix && m->name[0] == 'm' ? a->info.subgroup : 1) == 0 && m->team <= a->info.max_team,
        "team of %d", m->team);
  og_gpu_method_macros(&chosen, m, &s.setup, packed, macros);
  int shrinks = strcmp(m->name, "direct") != 0 && strcmp(m->name, "sorted") != 0 && m->chunk > 4;
  if (listing)
    print_row(a, m->file, m->kernel, kinds[p->which], m->name, dim, width, precision, test_values_name[values],
              packed ? "records" : "indices", shrinks, macros);
  return 1;
}

/* auto is never refused. */
static void try_auto(const arch *a, int dim, int width, int precision, int values) {
  static const int64_t thinner[] = {1, 10, 1000, 1000000};
  setting s;
  int64_t n = make_setting(dim, width, precision, values, 1, &s);
  s.setup.spread_method = s.setup.interp_method = "auto";
  test_case("%s auto %dd w=%d %s %s", a->name, dim, width, test_precision_name[precision], test_values_name[values]);
  for (int i = 0; i < 4; i++) {
    og_gpu_methods chosen;
    CHECK_OK(og_gpu_methods_choose(&a->info, &s.setup, n / thinner[i], &chosen));
  }
}

/* shown: the width in the table, where the form between the passes depends on it; 0: the usual one. */
static void list_points(const arch *a, const og_gpu_driver *driver, int dim, int precision, int packed, int shown) {
  static const char *const names[] = {"points_partition", "points_pages", "points_count", "points_offsets",
                                      "points_scatter",   "points_work",  "points_check", "points_later"};
  setting s;
  og_gpu_macro macros[OG_GPU_POINTS_MACROS];
  og_gpu_methods methods = {.cells = {4, dim > 1 ? 4 : 1, dim > 2 ? 4 : 1}, .work = 1000, .sorted = 1};
  og_gpu_device device = {.driver = driver, .info = a->info};
  og_gpu_points *points = NULL;
  int64_t n = make_setting(dim, shown ? shown : 7, precision, OG_COMPLEX, packed, &s);
  test_case("%s points %dd %s", a->name, dim, test_precision_name[precision]);
  if (!CHECK_OK(og_gpu_points_create(&device, NULL, &s.setup, &points)))
    return;
  if (CHECK_OK(og_gpu_points_macros(points, &methods, n, macros)) && listing)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      print_row(a, "points.c", names[i], "points", "-", dim, shown, precision, "-", packed ? "records" : "indices", 0,
                macros);
  og_gpu_points_destroy(points);
}

static void list_modes(const arch *a, int precision) {
  static const char *const names[] = {"modes_from_grid", "grid_from_modes", "multiply"};
  int bytes = (int)test_real_bytes(precision);
  const og_gpu_macro macros[] = {{"REAL_BYTES", bytes}, {"ACC_BYTES", 8}, {"COORD_BYTES", bytes}, {NULL, 0}};
  for (int i = 0; i < 3 && listing; i++)
    print_row(a, "modes.c", names[i], "modes", "-", 0, 0, precision, "-", "-", 0, macros);
}

static void run(const arch *a, const og_gpu_driver *driver) {
  for (int precision = 0; precision < 2; precision++) {
    list_modes(a, precision);
    for (int dim = 1; dim <= 3; dim++)
      for (int packed = 0; packed < 2; packed++)
        list_points(a, driver, dim, precision, packed, 0);
    if (precision == OG_F64)
      list_points(a, driver, 3, precision, 1, 16);
  }
  for (int dim = 1; dim <= 3; dim++)
    for (int width = 2; width <= OG_MAX_WIDTH; width++)
      for (int form = 0; form < 4; form++) {
        int kernels = 0;
        try_auto(a, dim, width, form / 2, form % 2);
        for (int i = 0; i < PAIRS; i++)
          for (int packed = 0; packed < 2; packed++)
            kernels += try_pair(a, &pairs[i], dim, width, form / 2, form % 2, packed);
        CHECK(kernels >= 10, "only %d kernels", kernels);
      }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    listing |= !strcmp(argv[i], "--list");
  if (!listing)
    test_begin(argc, argv,
               "Every method has a kernel or a refusal for each architecture, dimension, width and precision");
  for (int i = 0; i < ARCHS; i++)
    run(&archs[i], strcmp(archs[i].driver, "hip") ? &og_gpu_cuda : &og_gpu_hip);
  return listing ? 0 : test_end();
}
