/* The backend's points object: points on the device (points.c) with the spreading and interpolation that suit them
 * (launch.c). New points that want other methods get a new launcher before the old points are given up. */
#include "base/memory.h"
#include "gpu/gpu.h"
#include "gpu/points.h"
#include "gpu/tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const og_gpu_context *context;
  og_points_setup setup;
  char spread_method[16], interp_method[16]; /* the setup's texts: the giver's may go */
  og_gpu_tuning tuning;
  og_gpu_points *points;
  og_gpu_launcher *launcher; /* NULL before the first points */
  size_t scratch_bytes;      /* that points_bytes asked for last */
  void *borrowed[3];         /* with index_only: copies of coordinates that were the host's */
} object;

static void drop(const object *o, void *copies[3]) {
  for (int d = 0; d < 3; d++)
    if (copies[d])
      o->context->device->driver->release(o->context->device->handle, copies[d]);
}

void og_gpu_stages_destroy(void *handle) {
  object *o = handle;
  if (!o)
    return;
  if (o->launcher)
    og_gpu_launcher_free(o->launcher);
  og_free(o->launcher);
  og_gpu_tuning_free(&o->tuning);
  og_gpu_points_destroy(o->points);
  drop(o, o->borrowed);
  og_free(o);
}

/* By the options, a tuning file where it has a line for these points, and the rules for what those leave open. A line
 * that this device or problem does not admit, or that options contradict, counts for nothing: used[0] = used[1] = NULL. */
static int choose(const object *o, int64_t n, og_gpu_methods *methods, const og_gpu_tuned *used[2]) {
  og_points_setup setup = o->setup;
  const og_gpu_info *info = &o->context->device->info;
  og_gpu_tuning_apply(&o->tuning, n, &setup, used);
  if ((used[0] || used[1]) && !og_gpu_methods_choose(info, &setup, n, methods))
    return OG_OK;
  used[0] = used[1] = NULL;
  return og_gpu_methods_choose(info, &o->setup, n, methods);
}

static void describe_source(const object *o, const og_gpu_tuned *used, const char *option, char *text, size_t bytes) {
  if (used)
    snprintf(text, bytes, "%s line %d", o->tuning.files[used->file], used->line);
  else
    snprintf(text, bytes, "%s", strcmp(option, "auto") != 0 ? "option" : "rules");
}

static void describe(const object *o, const og_gpu_methods *m, const og_gpu_tuned *const used[2]) {
  og_points_choice *c = o->setup.choice;
  char spread[400], interp[400];
  if (!c)
    return;
  describe_source(o, used[0], o->spread_method, spread, sizeof spread);
  describe_source(o, used[1], o->interp_method, interp, sizeof interp);
  snprintf(c->device, sizeof c->device, "%s", o->context->device->info.name);
  snprintf(c->text, sizeof c->text,
           "spread %s, team %d (%s); interp %s, team %d (%s); bins %d x %d x %d, work_points %" PRId64, m->spread.name,
           m->spread.team, spread, m->interp.name, m->interp.team, interp, m->cells[0], m->cells[1], m->cells[2],
           m->work);
}

int og_gpu_stages_create(const og_points_setup *setup, void **handle) {
  const og_gpu_context *context = setup->device;
  object *o = og_allocate_zeroed(sizeof *o);
  OG_CHECK(o, OG_ERR_MEMORY, "no memory for the points' description");
  o->context = context;
  o->setup = *setup;
  snprintf(o->spread_method, sizeof o->spread_method, "%s", setup->spread_method ? setup->spread_method : "auto");
  snprintf(o->interp_method, sizeof o->interp_method, "%s", setup->interp_method ? setup->interp_method : "auto");
  o->setup.spread_method = o->spread_method;
  o->setup.interp_method = o->interp_method;
  og_gpu_methods methods; /* a method that is unknown or does not fit is told now */
  int code = og_gpu_methods_choose(&context->device->info, &o->setup, 0, &methods);
  if (!code)
    code = og_gpu_tuning_read(setup->tuning, context->device->driver->name, context->device->info.name, &o->tuning);
  if (!code)
    code = og_gpu_points_create(context->device, context->queue, &o->setup, &o->points);
  if (code)
    og_gpu_stages_destroy(o);
  else
    *handle = o;
  return code;
}

const char *og_gpu_stages_arch(void *handle) { return ((object *)handle)->context->device->info.arch; }

int og_gpu_stages_bytes(void *handle, int64_t n, size_t *resident, size_t *scratch) {
  object *o = handle;
  og_gpu_methods methods;
  const og_gpu_tuned *used[2];
  OG_TRY(choose(o, n, &methods, used));
  OG_TRY(og_gpu_points_bytes(o->points, &methods, n, resident, scratch));
  o->scratch_bytes = *scratch;
  return OG_OK;
}

static void launcher_drop(og_gpu_launcher *launcher) {
  if (!launcher)
    return;
  og_gpu_launcher_free(launcher);
  og_free(launcher);
}

/* *fresh: a launcher for these methods, or NULL where the object's own is one. */
static int launcher_for(const object *o, const og_gpu_methods *methods, og_gpu_launcher **fresh) {
  const og_gpu_context *c = o->context;
  *fresh = NULL;
  if (o->launcher && og_gpu_methods_equal(&o->launcher->asked, methods))
    return OG_OK;
  og_gpu_launcher *l = og_allocate_zeroed(sizeof *l);
  OG_CHECK(l, OG_ERR_MEMORY, "no memory for the points' kernels");
  int code = og_gpu_launcher_make(l, c->device, c->queue, &o->setup, methods, !o->setup.index_only);
  if (code)
    launcher_drop(l);
  else
    *fresh = l;
  return code;
}

/* Coordinates of the host's, on the device: for the time of set_points or, with index_only, of the points. */
static int bring(const object *o, int64_t n, const void *const x[3], const void *there[3], void *copies[3]) {
  const og_gpu_context *c = o->context;
  const og_gpu_driver *driver = c->device->driver;
  const size_t bytes = (size_t)n * (o->setup.wide ? sizeof(double) : og_real_bytes(o->setup.grid->precision));
  for (int d = 0; d < o->setup.grid->ndim; d++) {
    there[d] = n ? x[d] : NULL;
    if (!n || driver->place(c->device->handle, x[d]) != OG_GPU_HOST_MEMORY)
      continue;
    OG_TRY(driver->allocate(c->device->handle, bytes, &copies[d]));
    OG_TRY(driver->copy(c->queue, copies[d], x[d], bytes));
    there[d] = copies[d];
  }
  return OG_OK;
}

static int take(object *o, int64_t n, const void *const x[3], void *resident, void *scratch, void *copies[3]) {
  og_gpu_methods methods;
  og_gpu_launcher *fresh;
  const void *there[3] = {NULL, NULL, NULL};
  const og_gpu_tuned *used[2];
  OG_TRY(choose(o, n, &methods, used));
  OG_TRY(bring(o, n, x, there, copies));
  OG_TRY(launcher_for(o, &methods, &fresh));
  int code = og_gpu_points_set(o->points, &methods, n, there, resident, scratch, o->scratch_bytes);
  if (code) {
    launcher_drop(fresh);
    return code;
  }
  if (fresh) {
    launcher_drop(o->launcher);
    o->launcher = fresh;
  }
  describe(o, &o->launcher->methods, used);
  return OG_OK;
}

int og_gpu_stages_set(void *handle, int64_t n, const void *const x[3], void *resident, void *scratch) {
  object *o = handle;
  const og_gpu_driver *driver = o->context->device->driver;
  void *copies[3] = {NULL, NULL, NULL};
  int code = take(o, n, x, resident, scratch, copies);
  int late = copies[0] || copies[1] || copies[2] ? driver->finish(o->context->queue) : OG_OK; /* before they go */
  if (o->setup.index_only && !code) {
    drop(o, o->borrowed);
    memcpy(o->borrowed, copies, sizeof o->borrowed);
  } else
    drop(o, copies);
  return code ? code : late;
}

static og_gpu_vectors batch(const object *o, int64_t vectors) {
  const og_grid *g = o->setup.grid;
  return (og_gpu_vectors){.n = vectors,
                          .points = o->points->sorted.table->n_points,
                          .cells = (int64_t)(g->bytes / og_value_bytes(g->precision, g->values))};
}

int og_gpu_stages_spread(void *handle, int64_t vectors, const void *strengths, void *grid) {
  const object *o = handle;
  const og_gpu_vectors all = batch(o, vectors);
  return og_gpu_launch_spread(o->launcher, &o->points->sorted, &all, strengths, grid);
}

int og_gpu_stages_interp(void *handle, int64_t vectors, const void *grid, void *values, void *const gradients[3]) {
  const object *o = handle;
  const og_gpu_vectors all = batch(o, vectors);
  return og_gpu_launch_interp(o->launcher, &o->points->sorted, &all, grid, values, gradients);
}
