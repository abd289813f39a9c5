/* Makes the tables of src/window/law.c: for each width and a range of sigma, searches the parameters (q, a) of the
 * optimal window that make its aliasing error least, fits polynomials in 1/sigma to them, and then to the errors that
 * the fitted parameters give; the same for the errors of PSWF, ES and KB, which have their shapes already. Prints C.
 * Run by hand when a window changes: bench_window_law > law_tables.h. */
#include "window/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIGMAS = 15, TERMS = OG_LAW_TERMS, KINDS = 4 };

static og_window window;

static double log_error(int kind, int width, double sigma, const double *p, double *log_gradient) {
  double value, gradient, edge = og_window_stopband(width, sigma);
  window.kind = (og_window_kind)kind;
  window.width = width;
  window.sigma = sigma;
  if (kind == OG_OPTIMAL) {
    og_optimal_solve(&window, edge + p[0], edge + p[1]);
    og_window_quadrature(&window);
  } else if (og_window_make(&window, (og_window_kind)kind, width, sigma, 0, 1e-2))
    exit(1);
  og_window_alias(&window, 0, &value, &gradient);
  if (log_gradient)
    *log_gradient = log(gradient);
  return log(value);
}

/* A weak pull towards the middle settles parameters that hardly matter, so that they vary smoothly with sigma. */
static double objective(int width, double sigma, const double *p) {
  return log_error(OG_OPTIMAL, width, sigma, p, NULL) + 2e-3 * p[1] * p[1];
}

/* Nelder and Mead in the plane, p: start and result. */
static void minimise(int width, double sigma, double *p) {
  double v[3][2] = {{p[0], p[1]}, {p[0] + 0.15, p[1]}, {p[0], p[1] + 0.3}}, f[3];
  for (int i = 0; i < 3; i++)
    f[i] = objective(width, sigma, v[i]);
  for (int step = 0; step < 150; step++) {
    int hi = 0, lo = 0;
    for (int i = 1; i < 3; i++)
      hi = f[i] > f[hi] ? i : hi, lo = f[i] < f[lo] ? i : lo;
    if (f[hi] - f[lo] < 1e-7)
      break;
    double m[2], best[2] = {0, 0}, least = INFINITY;
    static const double factor[4] = {-1, -2, 0.5, -0.5};
    for (int d = 0; d < 2; d++)
      m[d] = (v[0][d] + v[1][d] + v[2][d] - v[hi][d]) / 2;
    for (int t = 0; t < 4; t++) {
      double x[2] = {m[0] + factor[t] * (v[hi][0] - m[0]), m[1] + factor[t] * (v[hi][1] - m[1])};
      double fx = objective(width, sigma, x);
      if (fx < least)
        least = fx, best[0] = x[0], best[1] = x[1];
    }
    if (least < f[hi])
      f[hi] = least, v[hi][0] = best[0], v[hi][1] = best[1];
    else
      for (int i = 0; i < 3; i++)
        if (i != lo) {
          for (int d = 0; d < 2; d++)
            v[i][d] = (v[i][d] + v[lo][d]) / 2;
          f[i] = objective(width, sigma, v[i]);
        }
  }
  int lo = f[0] < f[1] ? (f[0] < f[2] ? 0 : 2) : (f[1] < f[2] ? 1 : 2);
  p[0] = v[lo][0], p[1] = v[lo][1];
}

/* Least squares of y(x) by polynomials in x of degree < TERMS: normal equations, weight per sample. */
static void fit(int n, const double *x, const double *y, const double *weight, double *c) {
  long double a[TERMS][TERMS + 1] = {{0}};
  for (int s = 0; s < n; s++)
    for (int i = 0; i < TERMS; i++) {
      for (int j = 0; j < TERMS; j++)
        a[i][j] += weight[s] * powl(x[s], i + j);
      a[i][TERMS] += weight[s] * powl(x[s], i) * y[s];
    }
  for (int i = 0; i < TERMS; i++)
    for (int k = 0; k < TERMS; k++) {
      if (k == i)
        continue;
      long double m = a[k][i] / a[i][i];
      for (int j = i; j <= TERMS; j++)
        a[k][j] -= m * a[i][j];
    }
  for (int i = 0; i < TERMS; i++)
    c[i] = (double)(a[i][TERMS] / a[i][i]);
}

static void print_row(const double *c) {
  for (int i = 0; i < TERMS; i++)
    printf("%s%.4f%s", i ? " " : "", c[i], i < TERMS - 1 ? "," : "},\n");
}

int main(void) {
  /* 1/sigma from 0.25 to 0.92, in the variable of law.c */
  double sigma[SIGMAS], x[SIGMAS], p[2][OG_MAX_WIDTH + 1][SIGMAS], c[2][OG_MAX_WIDTH + 1][TERMS], weight[SIGMAS];
  static double best[OG_MAX_WIDTH + 1][SIGMAS];
  for (int s = 0; s < SIGMAS; s++) {
    sigma[s] = 1 / (0.25 + (0.92 - 0.25) * s / (SIGMAS - 1));
    x[s] = og_law_variable(sigma[s]);
    weight[s] = sigma[s] > 2.6 ? 0.1 : 1;
  }
  for (int s = 0; s < SIGMAS; s++) {
    double start[2] = {-0.4, 0};
    for (int w = 2; w <= OG_MAX_WIDTH; w++) {
      int reachable = -(w - 1) * M_PI * sqrt(1 - 1 / sigma[s]) > log(1e-12);
      if (reachable)
        minimise(w, sigma[s], start);
      for (int i = 0; i < 2; i++) /* beyond rounding: go on in a straight line; odd and even widths differ */
        p[i][w][s] = reachable ? start[i] : 2 * p[i][w - 2][s] - p[i][w - 4][s];
      if (reachable)
        best[w][s] = log_error(OG_OPTIMAL, w, sigma[s], start, NULL);
    }
  }
  printf("/* Made by bench/window/window_law.c; see law.c. */\n/* clang-format off */\n");
  static const char *const names[2] = {"optimal_shape", "optimal_second"};
  for (int i = 0; i < 2; i++) {
    printf("static const double %s[OG_MAX_WIDTH - 1][OG_LAW_TERMS] = {\n", names[i]);
    for (int w = 2; w <= OG_MAX_WIDTH; w++) {
      fit(SIGMAS, x, p[i][w], weight, c[i][w]);
      printf("    {");
      print_row(c[i][w]);
    }
    printf("};\n");
  }
  static const int kinds[KINDS] = {OG_OPTIMAL, OG_PSWF, OG_ES, OG_KB}; /* the order law.c knows */
  printf("static const double log_error[%d][2][OG_MAX_WIDTH - 1][OG_LAW_TERMS] = {\n", KINDS);
  for (int k = 0; k < KINDS; k++)
    for (int g = 0; g < 2; g++) {
      printf("  {%s /* %s: %s */\n", g ? "" : "{", og_window_kind_name(kinds[k]), g ? "gradient" : "value");
      for (int w = 2; w <= OG_MAX_WIDTH; w++) {
        double y[SIGMAS], coefficient[TERMS];
        int n = 0;
        double at[SIGMAS], wt[SIGMAS];
        for (int s = 0; s < SIGMAS; s++) {
          double q[2] = {0, 0}, gradient, rate = M_PI * sqrt(1 - 1 / sigma[s]);
          for (int i = 0; i < 2; i++)
            for (int j = TERMS - 1; j >= 0; j--)
              q[i] = q[i] * x[s] + c[i][w][j];
          double value = log_error(kinds[k], w, sigma[s], q, &gradient);
          if (value < log(1e-13)) /* rounding */
            continue;
          if (kinds[k] == OG_OPTIMAL && best[w][s] < 0 && !g && value > best[w][s] + 0.1)
            fprintf(stderr, "w = %d sigma = %.3f: fitted parameters give %.2f times the least error\n", w, sigma[s],
                    exp(value - best[w][s]));
          y[n] = (g ? gradient : value) + (w - 1) * rate;
          at[n] = x[s], wt[n++] = weight[s];
        }
        fit(n, at, y, wt, coefficient);
        for (int s = 0; s < n; s++) {
          double law = 0;
          for (int j = TERMS - 1; j >= 0; j--)
            law = law * at[s] + coefficient[j];
          if (fabs(law - y[s]) > 0.1)
            fprintf(stderr, "%s%s w = %d 1/sigma = %.3f: law / error = %.2f\n", og_window_kind_name(kinds[k]),
                    g ? " gradient" : "", w, 0.25 + (at[s] + 1) * 0.67 / 2, exp(law - y[s]));
        }
        printf("    {");
        print_row(coefficient);
      }
      printf("  }%s,\n", g ? "}" : "");
    }
  printf("};\n");
  return 0;
}
