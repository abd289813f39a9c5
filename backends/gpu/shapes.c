/* See shapes.h. The numbers are measured on an H200 (docs/performance.md); the constraints are the kernels':
 *   planes >= stream starts + width - 1, a multiple of the starts and of the planes in a fragment (of 8 columns: 4
 *   complex, 8 real; of 16: twice that);
 *   footprint >= starts + width - 1; x a multiple of tile_x and of 4, rows of a warp a multiple of 16 / tile_x. */
#include "gpu/shapes.h"
#include "offgrid.h"

typedef struct row {
  int stream, planes; /* starts and depth of the window */
  int sx, sy;
  struct {
    int tile_x, warps, points, groups;
  } spread;
  struct {
    int warps, points, groups, chains;
  } interp;
} row;

/* clang-format off */
static const row complex_3d[17] = {
  [2]  = {2,  4,  8,  8, {4, 1,  32, 16}, {1,  32, 16, 2}},
  [3]  = {2,  4,  8,  8, {4, 1,  32, 16}, {1,  32, 16, 2}},
  [4]  = {4,  8,  8,  8, {4, 1,  32, 12}, {1,  32, 14, 1}},
  [5]  = {4,  8,  8,  8, {8, 1,  32, 12}, {1,  32, 14, 1}},
  [6]  = {2,  8,  8,  8, {4, 1,  32, 12}, {1,  32, 14, 1}},
  [7]  = {2,  8, 12,  8, {4, 1,  32, 12}, {2,  64,  8, 1}},
  [8]  = {4, 12, 12, 12, {4, 3,  64,  4}, {2,  64,  4, 1}},
  [9]  = {4, 12, 12, 12, {4, 3,  64,  4}, {2,  64,  4, 1}},
  [10] = {2, 12, 16, 12, {8, 2,  64,  4}, {6, 192,  2, 1}},
  [11] = {2, 12, 16, 12, {8, 2,  64,  4}, {6, 192,  2, 1}},
  [12] = {4, 16, 16, 16, {4, 4, 128,  2}, {4, 128,  2, 1}},
  [13] = {4, 16, 16, 16, {4, 4, 128,  2}, {4, 128,  2, 1}},
  [14] = {2, 16, 20, 16, {4, 4, 128,  2}, {4, 128,  2, 1}},
  [15] = {2, 16, 24, 16, {4, 4, 128,  2}, {8, 128,  1, 1}},
  [16] = {1, 16, 20, 20, {4, 5, 160,  1}, {10, 160, 1, 1}},
};
static const row real_3d[17] = {
  [2]  = {4,  8,  8,  8, {4, 1,  32, 16}, {1,  32, 16, 2}},
  [3]  = {4,  8,  8,  8, {4, 1,  32, 16}, {1,  32, 16, 2}},
  [4]  = {4,  8,  8,  8, {4, 1,  32, 16}, {1,  32, 16, 2}},
  [5]  = {4,  8,  8,  8, {4, 1,  32, 16}, {1,  32, 16, 2}},
  [6]  = {2,  8,  8,  8, {4, 1,  32, 16}, {1,  32, 16, 2}},
  [7]  = {2,  8, 12,  8, {4, 1,  32, 12}, {1,  32, 16, 1}},
  [8]  = {1,  8, 12, 12, {4, 1,  32, 12}, {1,  32, 12, 2}},
  [9]  = {8, 16, 12, 12, {4, 3,  64,  4}, {3,  64,  5, 1}},
  [10] = {4, 16, 16, 12, {4, 3,  64,  4}, {3,  96,  4, 1}},
  [11] = {4, 16, 16, 12, {4, 3,  64,  4}, {3,  96,  4, 1}},
  [12] = {4, 16, 16, 16, {4, 2,  64,  4}, {4, 128,  2, 1}},
  [13] = {4, 16, 16, 16, {4, 2,  64,  4}, {4, 128,  2, 1}},
  [14] = {2, 16, 20, 16, {4, 2,  64,  4}, {4, 128,  2, 1}},
  [15] = {2, 16, 24, 16, {4, 2,  64,  4}, {4, 128,  2, 1}},
  [16] = {1, 16, 20, 20, {4, 5, 160,  2}, {5, 160,  2, 1}},
};
/* clang-format on */

/* Few points per cell: what reaches the grid, not the products, takes the time, and a wide footprint reaches it less
 * often. */
static const row sparse_3d = {4, 8, 16, 8, {4, 2, 64, 6}, {2, 64, 6, 1}};
#define SPARSE 0.3

/* Two dimensions: x alone is across the stream; a fragment holds 16 cells of it. */
static row flat(const row *solid, int width) {
  row r = *solid;
  r.sx = width <= 9 ? 16 : 32;
  r.sy = 1;
  r.spread.tile_x = 16;
  r.spread.warps = r.interp.warps = 1;
  r.spread.points = r.interp.points = 32;
  r.spread.groups = r.interp.groups = width <= 9 ? 16 : 8;
  r.interp.chains = 2;
  return r;
}

/* One dimension: bins of x, no stream; the other columns of a fragment stay empty. */
static row line(const row *solid, int width, int values) {
  row r = flat(solid, width);
  r.stream = r.sx - width + 1;
  r.planes = values == OG_REAL ? 8 : 4;
  return r;
}

/* Fragments of 16 columns on subgroups of 64, as AMD's matrix units have them: planes in multiples of a fragment's, half the
 * subgroups where there were many, and no more than 64 KB of local memory. Never timed, for want of such a device. */
static row widen(const row *narrow, int values) {
  row r = *narrow;
  int planes = values == OG_REAL ? 16 : 8;
  r.planes = (r.planes + planes - 1) / planes * planes;
  if (r.interp.warps > 4)
    r.interp.warps /= 2;
  r.spread.points = r.spread.points < 64 ? r.spread.points : 64;
  r.interp.points = r.interp.points < 64 ? r.interp.points : 64;
  r.spread.groups = r.spread.groups < 4 ? r.spread.groups : 4;
  r.interp.groups = r.interp.groups < 4 ? r.interp.groups : 4;
  return r;
}

int og_gpu_shape_choose(const og_gpu_info *info, int dim, int width, int precision, int values, int interp,
                        double density, og_gpu_shape *shape) {
  OG_CHECK(dim >= 1 && dim <= 3 && width >= 2 && width <= 16, OG_ERR_ARGUMENT,
           "no kernel shape for %d dimensions and width %d", dim, width);
  const row *solid = values == OG_REAL ? &real_3d[width] : &complex_3d[width];
  if (dim == 3 && values == OG_COMPLEX && (width == 4 || width == 5) && density < SPARSE)
    solid = &sparse_3d;
  row r = dim == 3 ? *solid : dim == 2 ? flat(solid, width) : line(solid, width, values);
  int wide = info->matrix && info->subgroup == 64;
  if (wide)
    r = widen(&r, values);
  int columns = r.planes * (values == OG_REAL ? 1 : 2);
  (void)precision;
  *shape = (og_gpu_shape){.sx = r.sx, .sy = r.sy, .planes = r.planes, .tile_x = r.spread.tile_x};
  shape->cells[0] = dim == 1 ? r.stream : r.sx - width + 1;
  shape->cells[1] = dim == 3 ? r.sy - width + 1 : dim == 2 ? r.stream : 1;
  shape->cells[2] = dim == 3 ? r.stream : 1;
  shape->swap = interp && columns % 16 == 0 && !wide;
  shape->chains = r.interp.chains;
  shape->warps = interp ? r.interp.warps : r.spread.warps;
  shape->points = interp ? r.interp.points : r.spread.points;
  shape->groups = interp ? r.interp.groups : r.spread.groups;
  shape->lanes = info->matrix && info->subgroup > 1 ? info->subgroup : 1;
  if (shape->lanes == 1) { /* plain C: a work item is a warp */
    shape->warps = shape->groups = 1;
    shape->points = 32;
  }
  int team = shape->warps * shape->lanes, limit = info->max_team < 512 ? info->max_team : 512;
  /* Vectors share the windows' values. That saves little (3 %) where a footprint takes one warp, and costs where it
   * takes several, which then wait for each other. */
  shape->max_vectors = limit / team < 4 ? limit / team : 4;
  if (shape->warps > 1 && team <= limit)
    shape->max_vectors = 1;
  OG_CHECK(shape->max_vectors >= 1, OG_ERR_BACKEND, "width %d needs teams of %d work items; %s has %d", width, team,
           info->name, info->max_team);
  return OG_OK;
}

int64_t og_gpu_shape_work(const og_gpu_info *info, const og_gpu_shape *shape, int dim, int64_t n_points, double density,
                          int64_t vectors) {
  /* The window is flushed, or read, once more per item: six windows of points make that cheap, where as many still fill
   * the device eight times. */
  double bin = density * shape->cells[0] * shape->cells[1] * shape->cells[2];
  double windows = dim == 1 ? 64 : 6.0 * ((shape->planes + shape->cells[dim - 1] - 1) / shape->cells[dim - 1]);
  double wanted = bin * windows, fill = (double)n_points * (double)vectors / (8.0 * info->units * shape->groups);
  double size = wanted < fill ? wanted : fill;
  return size < 256 ? 256 : size > 16384 ? 16384 : (int64_t)size;
}

int og_gpu_shape_macros(const og_gpu_shape *shape, int dim, int vectors, og_gpu_macro *macros) {
  int n = 0;
  macros[n++] = (og_gpu_macro){"STREAM", shape->cells[dim - 1]};
  if (dim > 1)
    macros[n++] = (og_gpu_macro){"CORE_X", shape->cells[0]};
  if (dim > 2)
    macros[n++] = (og_gpu_macro){"CORE_Y", shape->cells[1]};
  macros[n++] = (og_gpu_macro){"SX", shape->sx};
  macros[n++] = (og_gpu_macro){"SY", shape->sy};
  macros[n++] = (og_gpu_macro){"PLANES", shape->planes};
  macros[n++] = (og_gpu_macro){"TILE_X", shape->tile_x};
  macros[n++] = (og_gpu_macro){"SWAP", shape->swap};
  macros[n++] = (og_gpu_macro){"CHAINS", shape->chains};
  macros[n++] = (og_gpu_macro){"WARPS", shape->warps};
  macros[n++] = (og_gpu_macro){"POINTS", shape->points};
  macros[n++] = (og_gpu_macro){"BATCH", vectors};
  macros[n++] = (og_gpu_macro){"TEAM_SIZE", vectors * shape->warps * shape->lanes};
  macros[n++] = (og_gpu_macro){"GROUPS_PER_UNIT", shape->groups > vectors ? shape->groups / vectors : 1};
  return n;
}
