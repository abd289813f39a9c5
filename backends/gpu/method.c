/* See method.h. The rules and numbers were found on an H200 (docs/performance.md); the constraints are the kernels'. */
#include "gpu/method.h"
#include "offgrid.h"

#include <string.h>

typedef struct problem {
  int dim, width, values, real_bytes, reals, gradient;
  int64_t n[3];
  double density; /* points per cell of the fine grid */
} problem;

static int min_int(int a, int b) { return a < b ? a : b; }
static int max_int(int a, int b) { return a > b ? a : b; }
static int ceil_div(int a, int b) { return (a + b - 1) / b; }

static problem describe(const og_points_setup *setup, int64_t n) {
  const og_grid *g = setup->grid;
  problem p = {.dim = g->ndim,
               .width = setup->window->width,
               .values = g->values,
               .real_bytes = (int)og_real_bytes(g->precision),
               .reals = g->values == OG_REAL ? 1 : 2,
               .n = {g->n[0], g->n[1], g->n[2]}};
  p.density = (double)n / ((double)g->n[0] * (double)g->n[1] * (double)g->n[2]);
  return p;
}

/* A column's starts in x and y for the register window: a footprint that fills whole subgroups, and not many more cells than
 * starts, because each cell of it is added to the grid once per plane. */
static const int column_3d[17][2] = {[2] = {7, 3},  [3] = {6, 2},  [4] = {5, 5},  [5] = {4, 4},  [6] = {7, 3},
                                     [7] = {6, 2},  [8] = {5, 3},  [9] = {4, 2},  [10] = {7, 5}, [11] = {6, 4},
                                     [12] = {5, 5}, [13] = {4, 4}, [14] = {5, 5}, [15] = {5, 5}, [16] = {4, 4}};

static void set_cells(int cells[3], int dim, int x, int y, int stream) {
  cells[0] = dim == 1 ? stream : x;
  cells[1] = dim == 1 ? 1 : dim == 2 ? stream : y;
  cells[2] = dim == 3 ? stream : 1;
}

static int footprint(const problem *p, const int cells[3]) {
  int count = 1;
  for (int d = 0; d < p->dim - 1; d++)
    count *= cells[d] + p->width - 1;
  return count;
}

/* Few points between two planes: a window is added to the grid (or read from it) again for nearly each, and that costs
 * more than the point's own stencil. */
static int is_sparse(const problem *p) {
  if (p->dim == 1)
    return p->density < 1.0 / 32;
  int cells[3], stencil = p->dim == 2 ? p->width * p->width : p->width * p->width * p->width;
  set_cells(cells, p->dim, p->dim == 2 ? 33 - p->width : column_3d[p->width][0], column_3d[p->width][1], 1);
  double planes = 1 / (p->density * cells[0] * (p->dim == 3 ? cells[1] : 1) + 1e-300);
  return (planes < p->width ? planes : p->width) * footprint(p, cells) > 1.5 * stencil;
}

/* ---- methods and what they want */

typedef struct entry {
  const char *name;
  void (*bins)(const problem *p, int cells[3]);
  int (*prepare)(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *method);
} entry;

static int team_of(const og_gpu_info *info, int wanted) { return info->max_team >= wanted ? wanted : 1; }

static void stream_bins(const problem *p, int cells[3]) {
  if (p->dim == 1)
    set_cells(cells, 1, 1, 1, p->width > 9 ? 8 : 4);
  else
    set_cells(cells, p->dim, p->dim == 2 ? 33 - p->width : column_3d[p->width][0], column_3d[p->width][1], 1);
}

/* Registers beside the window's, by what NVRTC takes for sm_90 (docs/kernels.csv). */
static int stream_overhead(const problem *p, int acc_bytes, int window) {
  if (p->dim == 3)
    return acc_bytes == 8 ? 106 : 84;
  return acc_bytes == 8 ? (p->reals == 2 ? 76 : 82) : window <= 48 ? 56 : 84;
}

/* As many groups on a unit as there are registers for (see stream_team), in whole groups for each of its four schedulers. */
static int stream_groups(int registers, int team) {
  return max_int(1, min_int(640, 128 * max_int(1, 512 / ((registers + 7) / 8 * 8))) / team);
}

/* The window's cells in registers, as few as a scheduler's worth of groups needs. A multiprocessor has four schedulers with
 * registers for 512 work items each by the number that one takes; the gradient's sums take more. */
static void stream_team(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  int count = footprint(p, cells), depth = cells[p->dim - 1] + p->width - 1, window = 0;
  for (m->team = 32; m->team <= 128; m->team += 32) {
    window = ceil_div(count, m->team) * depth * p->reals * m->acc_bytes / 4;
    if (window <= (p->gradient ? 50 : 110))
      break;
  }
  m->team = team_of(info, min_int(m->team, 128));
  m->vector_registers = window;
  m->registers = stream_overhead(p, m->acc_bytes, window);
  m->groups = m->team == 1 ? 1 : stream_groups(window + m->registers, m->team);
  m->chunk = 32;
}

static int spread_stream(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  m->clears = 1;
  if (p->dim > 1) {
    stream_team(info, p, cells, m);
    return OG_OK;
  }
  m->file = "spread_line.c", m->kernel = "spread_line";
  m->team = team_of(info, 32), m->groups = m->team == 1 ? 1 : p->width <= 7 ? 32 : 16;
  return OG_OK;
}

static int interp_stream(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  OG_CHECK(p->dim > 1, OG_ERR_OPTION, "interp_method stream: in one dimension use direct, sorted or matrix");
  stream_team(info, p, cells, m);
  return OG_OK;
}

/* A tile of about 16 to 32 KB. */
static void tiled_bins(const problem *p, int cells[3]) {
  if (p->dim == 1) {
    stream_bins(p, cells);
    return;
  }
  if (p->dim == 2) {
    set_cells(cells, 2, 33 - p->width, 1, 8);
    return;
  }
  int core = 8;
  while (core > 1 && (core + p->width - 1) * (core + p->width - 1) * p->width * p->reals * p->real_bytes > 32 * 1024)
    core--;
  set_cells(cells, 3, core, core, 1);
}

static int spread_tiled(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  if (p->dim == 1)
    return spread_stream(info, p, cells, m);
  int w = p->width, classes = p->dim == 3 && w <= 3 ? w * w * w : w * w;
  size_t tile = (size_t)footprint(p, cells) * (size_t)((cells[p->dim - 1] + w - 1) * p->reals * m->acc_bytes);
  OG_CHECK(tile + 4096 <= info->local_bytes, OG_ERR_OPTION,
           "spread_method tiled: width %d needs %zu bytes of local memory for a tile; %s has %zu", w, tile, info->name,
           info->local_bytes);
  m->clears = 1;
  m->team = team_of(info, min_int((classes + 31) / 32 * 32, 256));
  m->chunk = tile + 32768 <= info->local_bytes ? 32 : 4;
  m->groups = 1;
  return OG_OK;
}

static void grid_bins(const problem *p, int cells[3]) {
  int core = p->dim == 1 ? 32 : p->dim == 2 ? 8 : 4;
  set_cells(cells, p->dim, core, core, core);
}

static int spread_grid(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  int64_t tile = (int64_t)cells[0] * cells[1] * cells[2];
  (void)p;
  m->by_bins = 1;
  m->team = team_of(info, tile <= 32 ? 32 : tile <= 64 ? 64 : 128);
  m->chunk = 32;
  m->groups = 1;
  return OG_OK;
}

static void any_bins(const problem *p, int cells[3]) { set_cells(cells, p->dim, 8, 8, p->dim == 1 ? 64 : 8); }

static int spread_atomic(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  (void)p, (void)cells;
  m->clears = 1;
  m->team = team_of(info, 128);
  m->chunk = p->width > 12 ? 32 : 64;
  m->groups = 1;
  return OG_OK;
}

static int interp_sorted(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  (void)cells;
  m->team = team_of(info, p->width > 12 ? 64 : 128);
  m->groups = m->team == 1 || p->width > 7 ? 1 : p->dim < 3 ? 8 : p->width == 7 && m->acc_bytes == 8 ? 6 : 7;
  m->chunk = m->team;
  return OG_OK;
}

static int matrix_method(const og_gpu_info *info, const problem *p, int interp, og_gpu_method *m) {
  OG_TRY(og_gpu_shape_choose(info, p->dim, p->width, p->real_bytes == 4 ? OG_F32 : OG_F64, p->values, interp,
                             p->density, &m->shape));
  m->acc_bytes = info->f64 == 2 ? 8 : p->real_bytes;
  m->clears = !interp;
  m->team = m->shape.warps * m->shape.lanes;
  return OG_OK;
}

static int spread_matrix(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  (void)cells;
  return matrix_method(info, p, 0, m);
}

static int interp_matrix(const og_gpu_info *info, const problem *p, const int cells[3], og_gpu_method *m) {
  (void)cells;
  return matrix_method(info, p, 1, m);
}

static const entry spread_entries[] = {{"atomic", any_bins, spread_atomic}, {"tiled", tiled_bins, spread_tiled},
                                       {"grid", grid_bins, spread_grid},    {"stream", stream_bins, spread_stream},
                                       {"matrix", NULL, spread_matrix},     {NULL, NULL, NULL}};
static const entry interp_entries[] = {{"direct", any_bins, interp_sorted},
                                       {"sorted", stream_bins, interp_sorted},
                                       {"stream", stream_bins, interp_stream},
                                       {"matrix", NULL, interp_matrix},
                                       {NULL, NULL, NULL}};
static const char *const files[] = {"spread_atomic.c", "spread_tiled.c",  "spread_grid.c",
                                    "spread_stream.c", "spread_matrix.c", "interp_direct.c",
                                    "interp_sorted.c", "interp_stream.c", "interp_matrix.c"};
static const char *const kernels[] = {"spread_atomic", "spread_tiled",  "spread_grid",
                                      "spread_stream", "spread_matrix", "interp_direct",
                                      "interp_sorted", "interp_stream", "interp_matrix"};

/* ---- the choice */

static int has_matrix_units(const og_gpu_info *info) { return info->matrix && info->f64 == 2; }

static const char *auto_spread(const og_gpu_info *info, const problem *p) {
  if (is_sparse(p))
    return "atomic";
  return p->dim == 3 && has_matrix_units(info) ? "matrix" : "stream";
}

static const char *auto_interp(const og_gpu_info *info, const problem *p, const char *spread) {
  if (p->dim < 3 || is_sparse(p))
    return "sorted";
  if (has_matrix_units(info) && !strcmp(spread, "matrix"))
    return "matrix";
  return p->width <= 3 ? "sorted" : "stream";
}

static int find(const entry *entries, const char *option, const char *name, const entry **found) {
  for (*found = entries; (*found)->name; (*found)++)
    if (!strcmp((*found)->name, name))
      return OG_OK;
  OG_FAIL(OG_ERR_OPTION, "option %s = '%s': want auto, %s, %s, %s%s%s%s", option, name, entries[0].name,
          entries[1].name, entries[2].name, entries[4].name ? ", stream" : "", " or ", "matrix");
}

/* ---- batches: vectors that a group does together share the windows' values and the points' records */

enum { MOST_BATCH = 4 };

static int at_most(int64_t room, int64_t each) {
  return room >= MOST_BATCH * each ? MOST_BATCH : max_int(1, (int)(room / each));
}

/* What a group holds of each vector: cells in registers (its limits are those of stream_team), or in local memory, of which
 * other groups want some as well. */
static int most_batch(const og_gpu_info *info, const problem *p, const int cells[3], int gradient,
                      const og_gpu_method *m) {
  const int64_t value = (int64_t)p->reals * m->acc_bytes, local = (int64_t)info->local_bytes;
  const int line = cells[p->dim - 1] + p->width - 1;
  if (!strcmp(m->name, "matrix"))
    return m->shape.max_vectors;
  if (!strcmp(m->kernel, "spread_line"))
    return at_most(local / 4, line * m->team * value);
  if (!strcmp(m->name, "tiled"))
    return at_most(local - 32768, footprint(p, cells) * line * value);
  if (strcmp(m->name, "stream") != 0 || m->team == 1)
    return MOST_BATCH;
  const int met = m->team <= info->subgroup && m->acc_bytes == 8 ? 8 : m->chunk, sums = gradient ? 1 + p->dim : 1;
  const int by_sums = m->clears ? MOST_BATCH : at_most(local / 4, met * sums * (m->team + 4) * value);
  return min_int(by_sums, at_most(gradient ? 50 : 110, ceil_div(footprint(p, cells), m->team) * line * value / 4));
}

/* Of a batch's kernel. */
static int groups_of(const og_gpu_method *m) {
  if (m->batch == 1 || !m->registers)
    return m->groups;
  return min_int(m->groups, stream_groups(m->registers + m->batch * (m->vector_registers + 8), m->team));
}

void og_gpu_method_share(og_gpu_method *m, int vectors) {
  m->batch = max_int(1, min_int(vectors, m->most_batch));
  if (!strcmp(m->name, "matrix")) /* a team for each vector */
    m->team = m->batch * m->shape.warps * m->shape.lanes;
}

/* Where it was faster on an H200 (docs/gpu.md): spreading by matrix in 3-D, and by stream in 2-D as long as the windows
 * leave registers for other groups. Not interpolation, whose reads of several grids cost more than the windows. */
static int gaining_batch(const og_gpu_info *info, const problem *p, const og_gpu_method *m) {
  if (!m->clears)
    return 1;
  if (!strcmp(m->name, "matrix"))
    return p->dim == 3 ? MOST_BATCH : 1;
  if (p->dim != 2 || strcmp(m->name, "stream") != 0)
    return 1;
  return info->max_team < 32 ? MOST_BATCH : at_most(72, m->vector_registers);
}

/* The option's team instead of the method's; as many work items on a unit as before. */
static int set_team(const og_gpu_info *info, const char *option, int team, og_gpu_method *m) {
  if (!team)
    return OG_OK;
  OG_CHECK(strcmp(m->name, "matrix") != 0, OG_ERR_OPTION, "option %s = %d: method matrix has a team of its own", option,
           team);
  OG_CHECK(team <= info->max_team && (team > 1 || info->max_team < 32), OG_ERR_OPTION,
           "option %s = %d: a team on %s is %s%d work items", option, team, info->name,
           info->max_team < 32 ? "" : "32 to ", info->max_team);
  m->groups = max_int(1, m->groups * m->team / team);
  if (!strcmp(m->name, "direct") || !strcmp(m->name, "sorted"))
    m->chunk = team; /* a point for each work item */
  m->team = team;
  return OG_OK;
}

static int prepare(const og_gpu_info *info, const problem *p, const entry *e, int first, const int cells[3],
                   og_gpu_method *m) {
  const entry *entries = first ? interp_entries : spread_entries;
  int i = first + (int)(e - entries);
  *m = (og_gpu_method){.name = e->name,
                       .file = files[i],
                       .kernel = kernels[i],
                       .sorted = strcmp(e->name, "direct") != 0,
                       .acc_bytes = p->real_bytes,
                       .batch = 1};
  return e->prepare(info, p, cells, m);
}

/* The matrix kernels have bins of their own, which the other method shares; otherwise spreading is the choosier. */
static int choose_bins(const og_gpu_info *info, const problem *p, const entry *spread, const entry *interp,
                       const int wanted[3], int cells[3]) {
  int any = 0;
  for (int d = 0; d < p->dim; d++)
    any |= wanted[d];
  if (spread->bins && interp->bins) {
    double tile = 16;
    spread->bins(p, cells);
    for (int d = 0; d < p->dim; d++) {
      cells[d] = wanted[d] ? wanted[d] : cells[d];
      tile *= cells[d] + p->width - 1;
    }
    OG_CHECK(!any || tile <= 512 << 10, OG_ERR_OPTION, "bins of %d x %d x %d cells are too large at width %d", cells[0],
             cells[1], cells[2], p->width);
    return OG_OK;
  }
  OG_CHECK(!any, OG_ERR_OPTION, "options bin_x, bin_y, bin_z: method matrix has bins of its own");
  og_gpu_shape shape;
  OG_TRY(og_gpu_shape_choose(info, p->dim, p->width, p->real_bytes == 4 ? OG_F32 : OG_F64, p->values, !!spread->bins,
                             p->density, &shape));
  memcpy(cells, shape.cells, sizeof shape.cells);
  return OG_OK;
}

/* Bins are counted in 32 bits: longer ones along the stream where the grid is huge. */
static void limit_bins(const problem *p, int cells[3]) {
  double bins = 1;
  for (int d = 0; d < p->dim; d++)
    bins *= (double)((p->n[d] + cells[d] - 1) / cells[d]);
  while (bins > 2e9) {
    cells[p->dim - 1] *= 2;
    bins /= 2;
  }
}

static int64_t choose_work(const og_gpu_info *info, const problem *p, const og_gpu_methods *m, int64_t n) {
  if (!strcmp(m->spread.name, "matrix"))
    return og_gpu_shape_work(info, &m->spread.shape, p->dim, n, p->density, 1);
  int64_t most = p->dim == 3 ? 1000 : p->dim == 2 ? 400 : 300, fill = n / ((int64_t)info->units * 64);
  return fill < 128 ? 128 : fill < most ? fill : most;
}

int og_gpu_methods_choose(const og_gpu_info *info, const og_points_setup *setup, int64_t n, og_gpu_methods *methods) {
  problem p = describe(setup, n);
  const char *spread_name = setup->spread_method, *interp_name = setup->interp_method;
  const entry *spread, *interp;
  memset(methods, 0, sizeof *methods);
  int direct = interp_name && !strcmp(interp_name, "direct");
  if (!spread_name || !strcmp(spread_name, "auto"))
    spread_name = direct && !setup->index_only ? "atomic" : auto_spread(info, &p);
  if (!interp_name || !strcmp(interp_name, "auto"))
    interp_name = auto_interp(info, &p, spread_name);
  OG_TRY(find(spread_entries, "spread_method", spread_name, &spread));
  OG_TRY(find(interp_entries, "interp_method", interp_name, &interp));
  OG_CHECK(!direct || setup->index_only || !strcmp(spread_name, "atomic"), OG_ERR_OPTION,
           "interp_method direct keeps the points in the caller's order, spread_method %s sorts them: want atomic, or "
           "index_only",
           spread_name);
  OG_TRY(choose_bins(info, &p, spread, interp, setup->bin, methods->cells));
  limit_bins(&p, methods->cells);
  OG_TRY(prepare(info, &p, spread, 0, methods->cells, &methods->spread));
  OG_TRY(prepare(info, &p, interp, 5, methods->cells, &methods->interp));
  if (direct && !strcmp(spread_name, "atomic"))
    methods->spread.sorted = 0;
  /* the matrix kernels have no gradient */
  const entry *gradient = strcmp(interp_name, "matrix") ? interp : &interp_entries[1];
  p.gradient = 1;
  OG_TRY(prepare(info, &p, gradient, 5, methods->cells, &methods->gradient));
  methods->gradient.groups = 1; /* it needs twice the registers */
  OG_TRY(set_team(info, "spread_team", setup->spread_team, &methods->spread));
  OG_TRY(set_team(info, "interp_team", setup->interp_team, &methods->interp));
  methods->work = setup->work_points ? setup->work_points : choose_work(info, &p, methods, n);
  for (int i = 0; i < 3; i++) {
    og_gpu_method *m = i == 0 ? &methods->spread : i == 1 ? &methods->interp : &methods->gradient;
    m->most_batch = most_batch(info, &p, methods->cells, i == 2, m);
    og_gpu_method_share(m, min_int(gaining_batch(info, &p, m), (int)setup->vectors));
  }
  methods->sorted = methods->spread.sorted || methods->interp.sorted;
  return OG_OK;
}

static int method_equal(const og_gpu_method *a, const og_gpu_method *b) {
  /* names are of the tables here; a shape is integers alone */
  return a->name == b->name && a->file == b->file && a->kernel == b->kernel && a->acc_bytes == b->acc_bytes &&
         a->team == b->team && a->chunk == b->chunk && a->groups == b->groups && a->batch == b->batch &&
         !memcmp(&a->shape, &b->shape, sizeof a->shape);
}

int og_gpu_methods_equal(const og_gpu_methods *a, const og_gpu_methods *b) {
  return !memcmp(a->cells, b->cells, sizeof a->cells) && a->work == b->work && a->sorted == b->sorted &&
         method_equal(&a->spread, &b->spread) && method_equal(&a->interp, &b->interp) &&
         method_equal(&a->gradient, &b->gradient);
}

void og_gpu_method_macros(const og_gpu_methods *methods, const og_gpu_method *method, const og_points_setup *setup,
                          int packed, og_gpu_macro *macros) {
  problem p = describe(setup, 0);
  const og_gpu_macro common[] = {{"DIM", p.dim},
                                 {"WIDTH", p.width},
                                 {"DEGREE", setup->window->degree},
                                 {"REAL_BYTES", p.real_bytes},
                                 {"ACC_BYTES", method->acc_bytes},
                                 {"COORD_BYTES", setup->wide ? 8 : p.real_bytes},
                                 {"COMPLEX", p.values != OG_REAL},
                                 {"PACKED", packed && method->sorted},
                                 {"SORTED", method->sorted}};
  int n = sizeof common / sizeof *common;
  memcpy(macros, common, sizeof common);
  if (!strcmp(method->name, "matrix"))
    n += og_gpu_shape_macros(&method->shape, p.dim, method->batch, macros + n);
  else {
    macros[n++] = (og_gpu_macro){"STREAM", methods->cells[p.dim - 1]};
    if (p.dim > 1)
      macros[n++] = (og_gpu_macro){"CORE_X", methods->cells[0]};
    if (p.dim > 2)
      macros[n++] = (og_gpu_macro){"CORE_Y", methods->cells[1]};
    macros[n++] = (og_gpu_macro){"BATCH", method->batch};
    macros[n++] = (og_gpu_macro){"TEAM_SIZE", method->team};
    macros[n++] = (og_gpu_macro){"GROUPS_PER_UNIT", groups_of(method)};
    macros[n++] = (og_gpu_macro){"CHUNK", method->chunk};
    macros[n++] = (og_gpu_macro){"GRADIENT", method == &methods->gradient};
  }
  macros[n] = (og_gpu_macro){NULL, 0};
}

int64_t og_gpu_method_groups(const og_gpu_method *method, int64_t n, int64_t n_work, int64_t n_bins) {
  if (method->by_bins)
    return n_bins;
  return method->sorted ? n_work : (n + method->chunk - 1) / method->chunk;
}
