/* offgrid transform: arrays in, one plan, arrays out.
 *
 * Shapes, in numpy's order: the last dimensions of the strengths whose product is the number of points are the points,
 * whatever their shape; all dimensions before them are vectors of a batch, and stay in the output as they are. The last d
 * dimensions of a modes array are N_z, N_y, N_x. BART lists its dimensions the other way round, so that x is the first:
 * the same memory. In BART's files the first three dimensions always belong to the points ([1, samples, spokes]) or the
 * image ([x, y, z]); coils and all that follow are vectors. */
#include "transform.h"

#include "array.h"
#include "check.h"
#include "command.h"
#include "image.h"
#include "message.h"
#include "points.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One run of the command. What is zeroed is legal to free. */
typedef struct job {
  transform_options options;
  points points, targets;
  array input, output, weights;
  int first_vector; /* input dimensions from here on are vectors */
  int64_t n_vectors;
  int shown_ndim;     /* dimensions of the modes in files */
  int ndim;           /* of the plan: trailing dimensions of one mode hold only k = 0 and are left out */
  int64_t n_modes[3]; /* 1 in absent dimensions */
  og_plan plan;
  og_report report;
  double seconds_read, seconds_plan, seconds_points, seconds_execute, seconds_write;
} job;

static int is_cfl(const char *path) { return array_format_of(path) == ARRAY_CFL; }

static int64_t held(const job *j, int d) {
  return d == 0 && j->options.plan.values == OG_REAL ? j->n_modes[0] / 2 + 1 : j->n_modes[d];
}

static int64_t modes_held(const job *j) { return held(j, 0) * held(j, 1) * held(j, 2); }

/* Numbers of one vector on each side. */
static int64_t size_in(const job *j) { return j->options.type == 2 ? modes_held(j) : j->points.n; }
static int64_t size_out(const job *j) {
  return j->options.type == 1 ? modes_held(j) : j->options.type == 2 ? j->points.n : j->targets.n;
}

/* ---- sizes ---- */

static int check_mode_product(const job *j) {
  int64_t n = 1;
  for (int d = 0; d < 3; d++) {
    if (j->n_modes[d] > INT64_MAX / 32 / n)
      return fail_usage("--modes: %lld x %lld x %lld modes are too many", (long long)j->n_modes[0],
                        (long long)j->n_modes[1], (long long)j->n_modes[2]);
    n *= j->n_modes[d];
  }
  return 0;
}

static int set_modes(job *j) {
  if (j->options.type == 3) {
    j->ndim = j->points.ndim;
    j->n_modes[0] = j->n_modes[1] = j->n_modes[2] = 1;
    return 0;
  }
  j->shown_ndim = j->options.ndim ? j->options.ndim : j->points.ndim;
  for (int d = 0; d < 3; d++)
    j->n_modes[d] = j->options.ndim            ? j->options.n_modes[d]
                    : d >= j->shown_ndim       ? 1
                    : d < j->input.ndim        ? j->input.n[d]
                    : is_cfl(j->options.input) ? 1
                                               : 0;
  for (int d = 0; d < 3; d++)
    if (j->n_modes[d] < 1)
      return fail("%s: has too few dimensions for modes in %d dimensions, or an empty one", j->options.input,
                  j->shown_ndim);
  if (j->options.n_periods > 1 && j->options.n_periods != j->shown_ndim)
    return fail_usage("--period has %d numbers, but there %s %d dimension%s; give one number for all, or one for each",
                      j->options.n_periods, j->shown_ndim == 1 ? "is" : "are", j->shown_ndim,
                      j->shown_ndim == 1 ? "" : "s");
  TRY(check_mode_product(j));
  for (j->ndim = j->shown_ndim; j->ndim > 1 && j->n_modes[j->ndim - 1] == 1;)
    j->ndim--;
  return 0;
}

/* Where the vectors begin: after the dimensions that hold one vector, in BART's files after at least three. */
static int split_input(job *j) {
  const array *a = &j->input;
  char text[512];
  int d = 0;
  if (j->options.type == 2) {
    for (; d < j->shown_ndim; d++)
      if ((d < a->ndim ? a->n[d] : 1) != held(j, d))
        return fail("%s: its shape %s does not end in the modes that are wanted, N_%c = %lld%s", j->options.input,
                    array_shape_text(a, array_format_of(j->options.input), text, sizeof text), "xyz"[d],
                    (long long)held(j, d), j -> options.plan.values == OG_REAL && d == 0 ? " (N_x/2 + 1 of them)" : "");
  } else {
    for (int64_t n = 1; n != j->points.n; n *= a->n[d++])
      if (d == a->ndim || (n > j->points.n && j->points.n))
        return fail("%s: its shape %s does not end in dimensions that multiply to the %lld points of %s",
                    j->options.input, array_shape_text(a, array_format_of(j->options.input), text, sizeof text),
                    (long long)j->points.n, j->options.points);
  }
  if (is_cfl(j->options.input))
    while (d < 3 && d < a->ndim && a->n[d] == 1)
      d++;
  j->first_vector = d < a->ndim ? d : a->ndim;
  j->n_vectors = 1;
  for (d = j->first_vector; d < a->ndim; d++)
    j->n_vectors *= a->n[d];
  return 0;
}

static int add_dimension(array *a, int64_t n, const char *path) {
  if (a->ndim == ARRAY_MAX_DIMS)
    return fail("%s: would need more than %d dimensions", path, ARRAY_MAX_DIMS);
  a->n[a->ndim++] = n;
  return 0;
}

/* BART: [1, samples, spokes]; what has more dimensions than that is flattened into the last. */
static int shape_points(array *a, const points *p, const char *path) {
  if (!is_cfl(path)) {
    for (int d = 0; d < p->shape_ndim; d++)
      TRY(add_dimension(a, p->shape[d], path));
    return 0;
  }
  int64_t rest = 1;
  TRY(add_dimension(a, 1, path));
  TRY(add_dimension(a, p->shape_ndim ? p->shape[0] : 1, path));
  for (int d = 1; d < p->shape_ndim; d++)
    rest *= p->shape[d];
  return add_dimension(a, rest, path);
}

static int shape_output(job *j) {
  array *a = &j->output;
  const char *path = j->options.output;
  a->is_single = j->options.plan.precision == OG_F32;
  a->is_complex = j->options.type != 2 || j->options.plan.values == OG_COMPLEX;
  if (j->options.type == 1)
    for (int d = 0; d < (is_cfl(path) ? 3 : j->shown_ndim); d++)
      TRY(add_dimension(a, held(j, d), path));
  else
    TRY(shape_points(a, j->options.type == 2 ? &j->points : &j->targets, path));
  for (int d = j->first_vector; d < j->input.ndim; d++)
    TRY(add_dimension(a, j->input.n[d], path));
  return array_allocate(a, path);
}

/* ---- reading ---- */

static void choose_precision(job *j) {
  og_options *o = &j->options.plan;
  if (!j->options.precision_given)
    o->precision = j->input.is_single && o->tolerance >= 1e-6 ? OG_F32 : OG_F64;
}

static int read_weights(job *j) {
  if (!j->options.weights)
    return 0;
  TRY(array_read(&j->weights, j->options.weights));
  if (array_count(&j->weights) != j->points.n)
    return fail("%s: has %lld weights, there are %lld points", j->options.weights, (long long)array_count(&j->weights),
                (long long)j->points.n);
  int is_complex = j->weights.is_complex && j->options.plan.values == OG_COMPLEX;
  return array_convert(&j->weights, is_complex, 0, j->options.weights);
}

static int read_all(job *j) {
  transform_options *o = &j->options;
  progress("reading %s", o->input);
  TRY(array_read(&j->input, o->input));
  choose_precision(j);
  progress("reading %s", o->points);
  TRY(points_read(&j->points, o->points, o->ndim));
  if (o->type == 3)
    TRY(points_read(&j->targets, o->targets, j->points.ndim));
  TRY(set_modes(j));
  TRY(split_input(j));
  TRY(read_weights(j));
  int is_single = o->plan.precision == OG_F32;
  TRY(array_convert(&j->input, o->type == 2 || o->plan.values == OG_COMPLEX, is_single, o->input));
  if (is_single) {
    TRY(points_to_single(&j->points));
    TRY(points_to_single(&j->targets));
  }
  return shape_output(j);
}

/* ---- the work ---- */

static void scale(array *a, int64_t i, double re, double im) {
  double x, y;
  if (a->is_single) {
    float *v = (float *)a->data + (a->is_complex ? 2 * i : i);
    x = v[0], y = a->is_complex ? v[1] : 0;
    v[0] = (float)(x * re - y * im);
    if (a->is_complex)
      v[1] = (float)(x * im + y * re);
  } else {
    double *v = (double *)a->data + (a->is_complex ? 2 * i : i);
    x = v[0], y = a->is_complex ? v[1] : 0;
    v[0] = x * re - y * im;
    if (a->is_complex)
      v[1] = x * im + y * re;
  }
}

/* a: [n_vectors][points] */
static void apply_weights(const job *j, array *a) {
  const double *w = j->weights.data;
  int is_complex = j->weights.is_complex;
  for (int64_t v = 0; w && v < j->n_vectors; v++)
    for (int64_t i = 0; i < j->points.n; i++)
      scale(a, v * j->points.n + i, w[is_complex ? 2 * i : i], is_complex ? w[2 * i + 1] : 0);
}

static const char *at(const array *a, int64_t vector, int64_t size) {
  return (const char *)a->data + (size_t)vector * (size_t)size * array_item(a);
}

static int make_plan(job *j) {
  og_options *o = &j->options.plan;
  if (j->options.scale_points) {
    o->period_x = (double)j->n_modes[0];
    o->period_y = (double)j->n_modes[1];
    o->period_z = (double)j->n_modes[2];
  }
  o->max_vectors = j->n_vectors < 1 ? 1 : j->n_vectors < j->options.batch ? j->n_vectors : j->options.batch;
  if (!o->expected_points)
    o->expected_points = j->points.n;
  double start = seconds();
  progress("planning");
  TRY(fail_library(j->options.type == 3 ? og_plan_create_type3(&j->plan, j->ndim, o)
                                        : og_plan_create(&j->plan, j->ndim, j->n_modes, o),
                   "plan"));
  double made = seconds();
  progress("sorting %lld points", (long long)j->points.n);
  void *const *x = j->points.x, *const *t = j->targets.x;
  const watch_part part = {.what = "points", .since = made};
  watch_begin(j->plan, &part);
  int code = og_plan_set_points(j->plan, j->points.n, x[0], j->ndim > 1 ? x[1] : NULL, j->ndim > 2 ? x[2] : NULL);
  int code_targets = !code && j->options.type == 3 ? og_plan_set_targets(j->plan, j->targets.n, t[0], t[1], t[2]) : 0;
  watch_end();
  TRY(fail_library(code, j->options.points));
  TRY(fail_library(code_targets, j->options.targets));
  j->seconds_plan = made - start;
  j->seconds_points = seconds() - made;
  return 0;
}

static int execute(job *j) {
  double start = seconds();
  int64_t most = j->options.plan.max_vectors;
  for (int64_t v = 0; v < j->n_vectors; v += most) {
    int64_t n = j->n_vectors - v < most ? j->n_vectors - v : most;
    char what[80];
    const long long first = v + 1, last = v + n, all = j->n_vectors;
    if (n > 1)
      snprintf(what, sizeof what, "vectors %lld to %lld of %lld", first, last, all);
    else
      snprintf(what, sizeof what, "vector %lld of %lld", first, all);
    progress("transforming %s", what);
    const void *in = at(&j->input, v, size_in(j));
    void *out = (void *)at(&j->output, v, size_out(j));
    const watch_part part = {what, start, (double)v, (double)n, (double)j->n_vectors};
    watch_begin(j->plan, &part);
    int code = j->options.type == 1   ? og_type1(j->plan, n, in, out)
               : j->options.type == 2 ? og_type2(j->plan, n, in, out)
                                      : og_type3(j->plan, n, in, out);
    watch_end();
    TRY(fail_library(code, "transform"));
  }
  j->seconds_execute = seconds() - start;
  j->report.size = sizeof j->report;
  return fail_library(og_plan_report(j->plan, &j->report), "report");
}

/* At most four vectors share the samples: the first, the last, and between. */
static int measure(job *j, check *c) {
  const og_options *o = &j->options.plan;
  *c = (check){.type = j->options.type,
               .ndim = j->ndim,
               .sign = o->sign,
               .is_single = o->precision == OG_F32,
               .is_real = o->values == OG_REAL,
               .mode_order = o->mode_order,
               .n_modes = {j->n_modes[0], j->n_modes[1], j->n_modes[2]},
               .period = {o->period_x, o->period_y, o->period_z},
               .n_points = j->points.n,
               .n_targets = j->targets.n};
  for (int d = 0; d < 3; d++)
    c->x[d] = j->points.x[d], c->targets[d] = j->targets.x[d];
  int64_t total = j->options.samples ? j->options.samples : check_samples(c);
  int64_t vectors = j->n_vectors < 4 ? j->n_vectors : 4;
  for (int64_t i = 0; i < vectors; i++) {
    int64_t v = vectors > 1 ? i * (j->n_vectors - 1) / (vectors - 1) : 0;
    progress("checking vector %lld against the direct sum", (long long)v + 1);
    TRY(check_vector(c, (total + vectors - 1 - i) / vectors, 1 + (uint64_t)i, at(&j->input, v, size_in(j)),
                     at(&j->output, v, size_out(j))));
  }
  return 0;
}

/* ---- report ---- */

static void print_report(const job *j, const check *c) {
  const transform_options *o = &j->options;
  const og_report *r = &j->report;
  char text[512], error[32];
  printf("type %d, %d-D, ", o->type, j->ndim);
  if (o->type == 3)
    printf("%lld targets", (long long)j->targets.n);
  else
    printf("%lld x %lld x %lld modes", (long long)j->n_modes[0], (long long)j->n_modes[1], (long long)j->n_modes[2]);
  printf(", %lld points, %lld vector%s, %s %s, tolerance %g\n", (long long)j->points.n, (long long)j->n_vectors,
         j->n_vectors == 1 ? "" : "s", o->plan.precision == OG_F32 ? "f32" : "f64",
         o->plan.values == OG_REAL ? "real" : "complex", o->plan.tolerance);
  printf("%s, %s, %d thread%s; window %s, width %d, sigma %.3g, grid %lld x %lld x %lld\n", r->backend, r->simd,
         r->threads, r->threads == 1 ? "" : "s", r->window, r->width, r->sigma, (long long)r->n_grid[0],
         (long long)r->n_grid[1], (long long)r->n_grid[2]);
  if (!r->reached)
    printf("the tolerance %g is out of reach: expect an error of %.2e\n", o->plan.tolerance, r->expected_error);
  printf("seconds: read %.3f, plan %.3f, points %.3f, transform %.3f, write %.3f\n", j->seconds_read, j->seconds_plan,
         j->seconds_points, j->seconds_execute, j->seconds_write);
  if (o->check)
    printf("relative l2 error on %lld samples: %s\n", (long long)c->samples_done, error_text(check_error(c), error));
  printf("wrote %s: %s, %s %s\n", o->output,
         array_shape_text(&j->output, array_format_of(o->output), text, sizeof text),
         is_cfl(o->output) || j->output.is_complex ? "complex" : "real",
         is_cfl(o->output) || j->output.is_single ? "f32" : "f64");
}

static int judge(const job *j, const check *c) {
  double promised =
      j->report.expected_error > j->options.plan.tolerance ? j->report.expected_error : j->options.plan.tolerance;
  double error = check_error(c);
  if (!j->options.check || error <= 2.2 * promised)
    return 0;
  if (!isfinite(error)) {
    fail_store(
        "%s was written, but the error measured is not finite: NaN, infinite or huge numbers in the input or result",
        j->options.output);
    return EXIT_INACCURATE;
  }
  fail_store("%s was written, but its measured error %.2e is above the %.2e asked for or promised", j->options.output,
             error, promised);
  return EXIT_INACCURATE;
}

/* The picture gets its name after the output, and only if that was written. */
static int write_all(job *j) {
  const transform_options *o = &j->options;
  output picture;
  if (!o->image)
    return array_write(&j->output, o->output);
  TRY(image_write(&picture, &j->output, held(j, 0), held(j, 1), held(j, 2), o->image));
  int code = array_write(&j->output, o->output);
  if (code) {
    output_abandon(&picture);
    return code;
  }
  code = output_commit(&picture);
  return code ? fail_after(code, o->output) : 0;
}

static int report(const job *j, const check *c) {
  progress_clear();
  if (j->options.quiet)
    return 0;
  print_report(j, c);
  int code = flush_output();
  return code ? fail_after(code, j->options.output) : 0;
}

static int run(job *j) {
  check c = {0};
  TRY(array_writable(j->options.output));
  if (j->options.image)
    TRY(image_writable("--image", j->options.image));
  double start = seconds();
  TRY(read_all(j));
  if (j->options.type != 2)
    apply_weights(j, &j->input);
  j->seconds_read = seconds() - start;
  TRY(make_plan(j));
  TRY(execute(j));
  if (j->options.check)
    TRY(measure(j, &c));
  if (j->options.type == 2)
    apply_weights(j, &j->output);
  progress("writing %s", j->options.output);
  start = seconds();
  TRY(write_all(j));
  j->seconds_write = seconds() - start;
  int code = judge(j, &c), unreported = report(j, &c);
  return unreported ? unreported : code;
}

int command_transform(int argc, char **argv) {
  job j = {0};
  TRY(transform_options_read(&j.options, argc, argv));
  if (j.options.help)
    return 0;
  int code = run(&j);
  og_plan_destroy(j.plan);
  points_free(&j.points);
  points_free(&j.targets);
  array_free(&j.input);
  array_free(&j.output);
  array_free(&j.weights);
  return code;
}
