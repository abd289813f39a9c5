/* Windows compared: error of one dimension by width and sigma, degree and cost; and the numbers behind what
 * docs/windows.md says of a widely read article's claims. Prints Markdown. */
#include "window/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static og_window window;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make(og_window_kind kind, int width, double sigma, double shape, double tolerance) {
  if (og_window_make(&window, kind, width, sigma, shape, tolerance)) {
    fprintf(stderr, "%s\n", og_last_error());
    exit(1);
  }
}

static double error(og_window_kind kind, int width, double sigma, double shape, double *gradient) {
  double value, slope;
  make(kind, width, sigma, shape, 1e-3);
  og_window_alias(&window, 0, &value, &slope);
  if (gradient)
    *gradient = slope;
  return value;
}

static void table(double sigma) {
  static const og_window_kind kinds[] = {OG_OPTIMAL, OG_PSWF, OG_KB, OG_ES, OG_GAUSSIAN};
  printf("\nsigma = %g\n\n| w | optimal | pswf | kb | es | gaussian | gradient: optimal | pswf | degree: optimal | "
         "pswf |\n",
         sigma);
  printf("|---|---|---|---|---|---|---|---|---|---|\n");
  for (int w = 2; w <= 14; w += w < 8 ? 1 : 2) {
    double gradient[5], e[5];
    int degree[2];
    printf("| %d |", w);
    for (int k = 0; k < 5; k++)
      printf(" %.1e |", e[k] = error(kinds[k], w, sigma, 0, &gradient[k]));
    for (int k = 0; k < 2; k++) {
      make(kinds[k], w, sigma, 0, e[k]);
      degree[k] = window.degree;
    }
    printf(" %.1e | %.1e | %d | %d |\n", gradient[0], gradient[1], degree[0], degree[1]);
  }
}

/* Nanoseconds of one evaluation: of phi directly, and of the polynomials of a whole stencil divided by its width. */
static void cost(og_window_kind kind, int width) {
  enum { N = 20000 };
  double best = INFINITY, best_polynomial = INFINITY, best_make = INFINITY, sum = 0, shape = 0;
  for (int repeat = 0; repeat < 7; repeat++) {
    double t = now();
    make(kind, width, 2, shape, 1e-6);
    best_make = fmin(best_make, now() - t);
    t = now();
    for (int i = 0; i < N; i++)
      sum += og_window_phi(&window, width * ((double)i / N - 0.5));
    best = fmin(best, (now() - t) / N);
    t = now();
    for (int i = 0; i < N; i++) {
      double v[OG_MAX_WIDTH] = {0}, x = 2.0 * i / N - 1;
      for (int k = window.degree; k >= 0; k--)
        for (int c = 0; c < OG_MAX_WIDTH; c++)
          v[c] = v[c] * x + window.coef[k][c];
      sum += v[i % width];
    }
    best_polynomial = fmin(best_polynomial, (now() - t) / N);
  }
  printf("| %s | %.1f | %.1f (degree %d) | %.0f |%s\n", og_window_kind_name((int)kind), best * 1e9,
         best_polynomial * 1e9 / width, window.degree, best_make * 1e6, sum == 0.1 ? " " : "");
}

/* Error when each stencil is divided by its sum, with the best deconvolution for that: what a point at offset u makes
 * of mode xi is T_u = S_u(xi) / S_u(0); the factor is mean Re T / mean |T|^2. */
static double normalised_error(og_window_kind kind, int width, double sigma, double shape) {
  enum { MODES = 40, OFFSETS = 40 };
  double xi[MODES + 1], weight[MODES + 1], u[OFFSETS], v[OFFSETS], total = 0;
  make(kind, width, sigma, shape, 1e-3);
  int modes = og_kept_modes(MODES, xi, weight);
  og_quadrature(OFFSETS, u, v);
  for (int k = 0; k < modes; k++) {
    double mean = 0, square = 0;
    for (int j = 0; j < OFFSETS; j++) {
      double re = 0, im = 0, whole = 0;
      for (int i = 0; i < width; i++) {
        double x = i - (width - 1) / 2.0 - (u[j] - 0.5), phi = og_window_phi(&window, x);
        whole += phi;
        re += phi * cos(xi[k] * M_PI / sigma * x);
        im += phi * sin(xi[k] * M_PI / sigma * x);
      }
      mean += v[j] * re / whole;
      square += v[j] * (re * re + im * im) / (whole * whole);
    }
    total += weight[k] * (square - mean * mean) / (mean * mean);
  }
  return sqrt(total);
}

int main(void) {
  for (int s = 0; s < 3; s++)
    table((double[]){1.25, 1.5, 2}[s]);
  printf("\n| window, w = 6 | direct, ns | polynomial, ns per cell | making it, us |\n|---|---|---|---|\n");
  for (int k = 0; k < OG_WINDOW_KINDS; k++)
    if (k != OG_LINEAR && k != OG_CUBIC)
      cost((og_window_kind)k, 6);
  printf("\nfour points, sigma = 2: gaussian s = 0.35 %.2e, gaussian s = 0.67 %.2e, gaussian best %.2e, linear %.2e (2 "
         "points), "
         "cubic %.2e, bh %.2e, es %.2e, kb %.2e, pswf %.2e, optimal %.2e\n",
         error(OG_GAUSSIAN, 4, 2, 0.35, NULL), error(OG_GAUSSIAN, 4, 2, 0.67, NULL), error(OG_GAUSSIAN, 4, 2, 0, NULL),
         error(OG_LINEAR, 2, 2, 0, NULL), error(OG_CUBIC, 4, 2, 0, NULL), error(OG_BH, 4, 2, 0, NULL),
         error(OG_ES, 4, 2, 0, NULL), error(OG_KB, 4, 2, 0, NULL), error(OG_PSWF, 4, 2, 0, NULL),
         error(OG_OPTIMAL, 4, 2, 0, NULL));
  printf(
      "weights divided by their sum, as they are -> normalised: gaussian s = 0.35 %.2e -> %.2e, gaussian s = 0.67 %.2e "
      "-> %.2e, kb %.2e -> %.2e, pswf w = 7 %.2e -> %.2e\n",
      error(OG_GAUSSIAN, 4, 2, 0.35, NULL), normalised_error(OG_GAUSSIAN, 4, 2, 0.35),
      error(OG_GAUSSIAN, 4, 2, 0.67, NULL), normalised_error(OG_GAUSSIAN, 4, 2, 0.67), error(OG_KB, 4, 2, 0, NULL),
      normalised_error(OG_KB, 4, 2, 0), error(OG_PSWF, 7, 2, 0, NULL), normalised_error(OG_PSWF, 7, 2, 0));
  return 0;
}
