/* See tune_gp.h. Values are few (a measurement takes far longer than a Cholesky factor), so everything is dense. */
#include "tune_gp.h"

#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double covariance(const gp *g, const double *a, const double *b) {
  double square = 0;
  for (int d = 0; d < g->dims; d++)
    square += (a[d] - b[d]) * (a[d] - b[d]);
  double r = sqrt(5 * square) / g->length;
  return (1 + r + r * r / 3) * exp(-r);
}

/* Returns 1 where the matrix is not positive definite. */
static int factorise(double *a, int n) {
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++)
        sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0))
        return 1;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  }
  return 0;
}

static void solve_lower(const double *a, int n, double *b) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
}

static void solve_upper(const double *a, int n, double *b) {
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

/* Factor, weights and log likelihood for the length and noise in g; y is standardised. Returns 1 where there is none. */
static int condition(gp *g, const double *y) {
  int n = g->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      g->factor[i * n + j] = covariance(g, g->x + i * g->dims, g->x + j * g->dims) + (i == j ? g->noise : 0);
  if (factorise(g->factor, n))
    return 1;
  memcpy(g->weight, y, (size_t)n * sizeof *y);
  solve_lower(g->factor, n, g->weight);
  g->likelihood = 0;
  for (int i = 0; i < n; i++)
    g->likelihood -= g->weight[i] * g->weight[i] / 2 + log(g->factor[i * n + i]);
  solve_upper(g->factor, n, g->weight);
  return 0;
}

/* Zero mean, deviation one. */
static void standardise(gp *g, const double *y, double *to) {
  double square = 0;
  g->mean = 0;
  for (int i = 0; i < g->n; i++)
    g->mean += y[i] / g->n;
  for (int i = 0; i < g->n; i++)
    square += (y[i] - g->mean) * (y[i] - g->mean) / g->n;
  g->scale = square > 1e-24 ? sqrt(square) : 1;
  for (int i = 0; i < g->n; i++)
    to[i] = (y[i] - g->mean) / g->scale;
}

int gp_fit(gp *g, int dims, int n, const double *x, const double *y) {
  static const double lengths[] = {0.15, 0.25, 0.4, 0.7, 1.2, 2.0}, noises[] = {1e-5, 1e-3, 1e-2, 0.1, 0.3};
  *g = (gp){.dims = dims, .n = n, .x = x};
  size_t count = (size_t)n;
  g->factor = malloc(count * count * sizeof *g->factor);
  g->weight = malloc(2 * count * sizeof *g->weight);
  if (!g->factor || !g->weight) {
    gp_free(g);
    return fail_memory("the Gaussian process", count * count * sizeof(double));
  }
  double *values = g->weight + n, best = -INFINITY, length = 0.7, noise = 0.1;
  standardise(g, y, values);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (size_t j = 0; j < sizeof noises / sizeof *noises; j++) {
      g->length = lengths[i], g->noise = noises[j];
      if (!condition(g, values) && g->likelihood > best)
        best = g->likelihood, length = lengths[i], noise = noises[j];
    }
  g->length = length, g->noise = noise;
  if (!condition(g, values))
    return 0;
  gp_free(g);
  return fail("the Gaussian process: no covariance fits the measurements");
}

void gp_free(gp *g) {
  free(g->factor);
  free(g->weight);
  g->factor = g->weight = NULL;
}

void gp_predict(const gp *g, const double *x, double *work, double *mean, double *deviation) {
  double sum = 0, known = 0;
  for (int i = 0; i < g->n; i++) {
    work[i] = covariance(g, g->x + i * g->dims, x);
    sum += work[i] * g->weight[i];
  }
  solve_lower(g->factor, g->n, work);
  for (int i = 0; i < g->n; i++)
    known += work[i] * work[i];
  *mean = g->mean + g->scale * sum;
  *deviation = g->scale * sqrt(known < 1 ? 1 - known : 0);
}

double gp_expected_improvement(double mean, double deviation, double best) {
  double gain = best - mean;
  if (!(deviation > 0))
    return gain > 0 ? gain : 0;
  double z = gain / deviation;
  return gain * erfc(-z * 0.70710678118654752) / 2 + deviation * 0.39894228040143268 * exp(-z * z / 2);
}

int gp_choose(const gp *g, int count, const double *places, double *work) {
  double mean, deviation, best = INFINITY, most = -1;
  int chosen = 0;
  for (int i = 0; i < g->n; i++) {
    gp_predict(g, g->x + i * g->dims, work, &mean, &deviation);
    best = mean < best ? mean : best;
  }
  for (int i = 0; i < count; i++) {
    gp_predict(g, places + i * g->dims, work, &mean, &deviation);
    double gain = gp_expected_improvement(mean, deviation, best);
    if (gain > most)
      most = gain, chosen = i;
  }
  return chosen;
}
