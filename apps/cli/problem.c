/* Problem strings, and the points and data they stand for. The same string gives the same numbers on every machine. */
#include "problem.h"

#include "check.h"
#include "message.h"
#include "parse.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static const char *const ops[] = {"", "type1", "type2", "type3", "gradient", "filter"};
static const char *const places[] = {"uniform", "clustered", "blobs", "radial", "line"};

static int find(const char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(names[i], name))
      return (int)i;
  return -1;
}

typedef struct seen {
  int modes, m, points, precision, values;
} seen;

static int twice(const problem *p, const char *piece) {
  return fail_usage("problem '%s': '%s' comes after another of its kind", p->text, piece);
}

/* type2/gradient and type1/filter say the same as gradient and filter alone. */
static int take_op(problem *p, problem_op op, const char *piece) {
  problem_op low = op < p->op ? op : p->op, high = op < p->op ? p->op : op;
  int refines = low == OP_NONE || (low == OP_TYPE2 && high == OP_GRADIENT) || (low <= OP_TYPE2 && high == OP_FILTER);
  if (!refines)
    return twice(p, piece);
  p->op = high;
  return 0;
}

static int take_value(problem *p, seen *s, char *piece, char *value) {
  const char *name = piece;
  int64_t seed;
  *value++ = 0;
  if (!strcmp(name, "spread_only"))
    return fail_usage("problem '%s': spread_only is no transform; it cannot be measured here", p->text);
  int good = 1;
  if (!strcmp(name, "m"))
    good = !s->m++ && parse_count(value, &p->n_points);
  else if (!strcmp(name, "vectors"))
    good = parse_count(value, &p->n_vectors) && p->n_vectors >= 1;
  else if (!strcmp(name, "targets"))
    good = parse_count(value, &p->n_targets);
  else if (!strcmp(name, "seed")) {
    good = parse_count(value, &seed);
    if (good)
      p->seed = (uint64_t)seed;
  } else if (og_options_set(&p->options, !strcmp(name, "tol") ? "tolerance" : name, value))
    return fail_usage("problem '%s': %s", p->text, og_last_error());
  return good ? 0
              : fail_usage("problem '%s': %s=%s is no count that makes sense, or comes twice", p->text, name, value);
}

static int take(problem *p, seen *s, char *piece) {
  char *equals = strchr(piece, '=');
  if (equals)
    return take_value(p, s, piece, equals);
  if (strlen(piece) == 2 && piece[0] >= '1' && piece[0] <= '3' && piece[1] == 'd') {
    if (p->ndim)
      return twice(p, piece);
    p->ndim = piece[0] - '0';
    return 0;
  }
  int i = find(ops + 1, sizeof ops / sizeof *ops - 1, piece);
  if (i >= 0)
    return take_op(p, (problem_op)(i + 1), piece);
  if ((i = find(places, sizeof places / sizeof *places, piece)) >= 0) {
    p->points = (problem_points)i;
    return s->points++ ? twice(p, piece) : 0;
  }
  if (!strcmp(piece, "f64") || !strcmp(piece, "f32")) {
    p->options.precision = piece[1] == '3' ? OG_F32 : OG_F64;
    return s->precision++ ? twice(p, piece) : 0;
  }
  if (!strcmp(piece, "complex") || !strcmp(piece, "real")) {
    p->options.values = *piece == 'r' ? OG_REAL : OG_COMPLEX;
    return s->values++ ? twice(p, piece) : 0;
  }
  if (*piece < '1' || *piece > '9' || !parse_sizes(piece, p->n_modes, &i))
    return fail_usage("problem '%s': '%s' is not understood; an example is 3d/type1/64x64x64/m=1e6/tol=1e-6/f64/"
                      "complex/uniform",
                      p->text, piece);
  if (s->modes)
    return twice(p, piece);
  s->modes = i;
  return 0;
}

static int complete(problem *p, const seen *s) {
  if (!p->op || !s->modes || !s->m)
    return fail_usage("problem '%s': %s is missing", p->text,
                      !p->op      ? "type1, type2, type3, gradient or filter"
                      : !s->modes ? "the modes, such as 64x64,"
                                  : "the number of points, m=1e6,");
  if (p->ndim && p->ndim != s->modes)
    return fail_usage("problem '%s': %dd, but the modes have %d dimensions", p->text, p->ndim, s->modes);
  p->ndim = s->modes;
  if (p->op == OP_TYPE3 && p->options.values == OG_REAL)
    return fail_usage("problem '%s': type 3 has no real values", p->text);
  if (p->n_targets < 0)
    p->n_targets = p->n_points;
  double bytes = 16.0 * (double)p->n_vectors;
  for (int d = 0; d < 3; d++)
    bytes *= (double)p->n_modes[d];
  if (bytes > 0x1p60 || 16.0 * (double)p->n_vectors * (double)p->n_points > 0x1p60 ||
      16.0 * (double)p->n_vectors * (double)p->n_targets > 0x1p60)
    return fail_usage("problem '%s': needs more than 2^60 bytes", p->text);
  p->options.gradient = p->op == OP_GRADIENT;
  p->options.max_vectors = p->n_vectors;
  if (!p->options.expected_points)
    p->options.expected_points = p->n_points;
  return 0;
}

int problem_parse(problem *p, const char *text) {
  const og_options defaults = OG_OPTIONS_DEFAULT;
  seen s = {0};
  *p = (problem){.options = defaults, .n_vectors = 1, .n_targets = -1, .seed = 1, .n_modes = {1, 1, 1}};
  if (strlen(text) >= sizeof p->text)
    return fail_usage("a problem has at most %zu letters", sizeof p->text - 1);
  memcpy(p->text, text, strlen(text) + 1);
  memcpy(p->pieces, text, strlen(text) + 1);
  for (char *piece = p->pieces, *next; piece; piece = next) {
    next = strchr(piece, '/');
    if (next)
      *next++ = 0;
    TRY(take(p, &s, piece));
  }
  return complete(p, &s);
}

static double normal(uint64_t *state) {
  double u = random_uniform(state), v = random_uniform(state);
  return sqrt(-2 * log(1 - u)) * cos(2 * PI * v);
}

static void store(const problem *p, void *to, int64_t i, double value) {
  if (p->options.precision == OG_F32)
    ((float *)to)[i] = (float)value;
  else
    ((double *)to)[i] = value;
}

/* Sixteen Gaussian blobs of equal weight, pi/16 wide, anywhere. */
static void blob_point(const problem *p, uint64_t *state, double x[3]) {
  uint64_t centre = p->seed * 1000 + random_next(state) % 16;
  for (int d = 0; d < p->ndim; d++)
    x[d] = remainder(PI * (2 * random_uniform(&centre) - 1) + PI / 16 * normal(state), 2 * PI);
}

/* Spokes through the centre, 2 N_max equidistant samples each, directions uniform: k-space of a radial scan. */
static void radial_point(const problem *p, int64_t j, double x[3]) {
  int64_t samples = 2;
  for (int d = 0; d < p->ndim; d++)
    samples = p->n_modes[d] > samples / 2 ? 2 * p->n_modes[d] : samples;
  uint64_t spoke = p->seed * 1000003 + (uint64_t)(j / samples);
  double r = PI * (2 * ((double)(j % samples) + 0.5) / (double)samples - 1), norm = 0;
  for (int d = 0; d < p->ndim; d++) {
    x[d] = normal(&spoke);
    norm += x[d] * x[d];
  }
  for (int d = 0; d < p->ndim; d++)
    x[d] *= r / sqrt(norm);
}

/* Clustered: all points in a box of an eighth of each side. Line: x uniform, y and z the same for all. */
void problem_fill_points(const problem *p, void *const x[3]) {
  uint64_t state = p->seed;
  for (int64_t j = 0; j < p->n_points; j++) {
    double at[3] = {0, 0, 0};
    if (p->points == POINTS_BLOBS)
      blob_point(p, &state, at);
    else if (p->points == POINTS_RADIAL)
      radial_point(p, j, at);
    else
      for (int d = 0; d < p->ndim; d++)
        at[d] = p->points == POINTS_LINE && d ? 0.7 - d : PI * (2 * random_uniform(&state) - 1);
    for (int d = 0; d < p->ndim; d++)
      store(p, x[d], j, p->points == POINTS_CLUSTERED ? at[d] / 8 + 0.4 : at[d]);
  }
}

void problem_fill_targets(const problem *p, void *const omega[3]) {
  uint64_t state = p->seed + 0x5851f42d4c957f2du;
  for (int64_t l = 0; l < p->n_targets; l++)
    for (int d = 0; d < p->ndim; d++)
      store(p, omega[d], l, (double)p->n_modes[d] * (random_uniform(&state) - 0.5));
}

void problem_fill_data(const problem *p, uint64_t stream, int64_t n, void *data) {
  uint64_t state = p->seed + 0x2545f4914f6cdd1du * (stream + 1);
  for (int64_t i = 0; i < n; i++)
    store(p, data, i, 2 * random_uniform(&state) - 1);
}
