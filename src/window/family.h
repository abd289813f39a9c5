/* What one kind of window offers: the few functions that es.c, pswf.c, kb.c ... each fill in one table. */
#ifndef OG_WINDOW_FAMILY_H
#define OG_WINDOW_FAMILY_H
#include "window/window.h"

typedef enum {
  OG_SMOOTH,     /* analytic on [-w/2, w/2] */
  OG_ROOT_EDGES, /* a function of sqrt(1 - (2x/w)^2) */
  OG_CELLWISE    /* analytic between the cells' edges, which lie at whole cells from w/2 */
} og_window_smoothness;

typedef struct og_window_family {
  const char *name;
  int width;                                    /* its only width, or 0 for any */
  og_window_smoothness smoothness;              /* what the quadrature must respect */
  double max_shape;                             /* 0: it has no shape parameter */
  double (*shape)(int width, double sigma);     /* the best known; NULL without a parameter */
  double (*bandwidth)(int width, double shape); /* of phi as a function of 2x/w, roughly, for the number of nodes */
  void (*prepare)(og_window *window);           /* fills basis; NULL where nothing is to fill */
  void (*fit)(og_window *window, double tolerance, int gradient); /* as og_window_fit; NULL: by interpolation */
  double (*value)(const og_window *window, double x);             /* |x| <= w/2 */
  double (*slope)(const og_window *window, double x);             /* d/dx, |x| <= w/2 */
  double (*cell)(const og_window *window, int cell, double t, int derivative); /* as og_window_cell; NULL: by x */
} og_window_family;

extern const og_window_family og_family_pswf, og_family_es, og_family_kb, og_family_gaussian, og_family_linear,
    og_family_cubic, og_family_bh, og_family_optimal;

const og_window_family *og_window_family_of(int kind);

/* The edge of the frequencies that alias onto the kept modes, times w/2: the shape law of PSWF and KB. */
double og_window_stopband(int width, double sigma);

/* Share of the tolerance that cutting the polynomials may always use; it adds in squares to the error of aliasing. */
#define OG_FIT_FRACTION 0.15
/* What it may really use: all that aliasing leaves of the tolerance, where that is more. The errors of up to six
 * windows add up in a transform (type 3 in three dimensions). */
double og_window_fit_target(const og_window *window, double tolerance, int gradient);

/* Fills coef, derivative and degree from Chebyshev or Legendre series, one per cell of the left half of the stencil;
 * value and slope: [(width + 1) / 2] pointers to at least degree + 1 coefficients. */
void og_window_store(og_window *window, int degree, int legendre, const double *const *value,
                     const double *const *slope);

/* optimal.c: highest degree, and where basis holds the second parameter. */
#define OG_OPTIMAL_DEGREE 16
#define OG_OPTIMAL_SECOND (OG_MAX_WIDTH * (OG_OPTIMAL_DEGREE + 1))
/* Makes its stencils for given parameters q and a. */
void og_optimal_solve(og_window *window, double q, double second);

/* law.c: parameters and errors as fitted functions of width and sigma: for each width a polynomial of OG_LAW_TERMS
 * terms in og_law_variable(sigma). */
#define OG_LAW_TERMS 6
double og_law_variable(double sigma);
/* Relative l2 error of one dimension; gradient: of the gradient. From the definition for kinds without a table. */
double og_law_error(og_window_kind kind, int width, double sigma, int gradient);
double og_law_optimal_shape(int width, double sigma);
double og_law_optimal_second(int width, double sigma);

/* n Gauss-Legendre nodes and weights on [0, 1], n <= OG_MAX_NODES. */
void og_quadrature(int n, double *node, double *weight);

/* Nodes t in [0, 1] and weights that stand for the mean over the kept modes xi = t pi/sigma: n Gauss-Legendre nodes,
 * and the edge t = 1, which has 1/N of N modes. The error rises steeply there, so that a window made for N = infinity
 * would be poor for small N; OG_EDGE_WEIGHT is 1/N for N = 32. Returns n + 1. */
#define OG_EDGE_WEIGHT (1.0 / 32)
int og_kept_modes(int n, double *node, double *weight);

/* Fills node, weight and n_nodes, for frequencies up to pi. */
void og_window_quadrature(og_window *window);
#endif
