/* The window: the function phi(x), even, zero outside [-w/2, w/2] cells, by which a point is spread on the grid.
 *
 * A point at grid coordinate g (cells) touches the w cells s, s+1, ..., s+w-1 with the stencil start s = ceil(g - w/2).
 * With t = 2 (s - g) + w - 1 in [-1, 1) the value at cell s+i is phi(s + i - g) = sum_k coef[k][i] t^k: one polynomial
 * per cell, fitted when the plan is made. Ordering by stencil start makes odd and even widths alike. */
#ifndef OG_WINDOW_H
#define OG_WINDOW_H
#include "base/error.h"

#define OG_MAX_WIDTH 16
#define OG_MAX_DEGREE 24
#define OG_MAX_NODES 192

typedef enum {
  OG_PSWF,
  OG_ES,
  OG_KB,
  OG_GAUSSIAN,
  OG_LINEAR,
  OG_CUBIC,
  OG_BH,
  OG_OPTIMAL,
  OG_WINDOW_KINDS
} og_window_kind;

typedef struct og_window {
  og_window_kind kind;
  int width;        /* 2 ... 16 */
  double sigma;     /* oversampling it was made for */
  double shape;     /* its parameter (beta) */
  int shape_is_law; /* 1: the best known shape, not the caller's */
  int degree;       /* of the polynomials; even and odd powers alike, at most OG_MAX_DEGREE */
  /* [power][cell]; cells >= width are 0; mirrored exactly: coef[k][i] = (-1)^k coef[k][width-1-i] */
  double coef[OG_MAX_DEGREE + 1][OG_MAX_WIDTH];
  /* of d phi / d g (per cell, g moves with the point: -phi'(s + i - g)); same degree; mirrored with the other sign.
   * OG_OPTIMAL: its own best stencil for the gradient, which is close to that but better */
  double derivative[OG_MAX_DEGREE + 1][OG_MAX_WIDTH];
  double node[OG_MAX_NODES], weight[OG_MAX_NODES]; /* Gauss-Legendre on [0, w/2], phi folded into the weights */
  int n_nodes;
  double basis[288]; /* what a kind's evaluation needs; private to the kind's file */
  int n_basis;
} og_window;

/* Name <-> kind: -1 where unknown; NULL past the last. */
int og_window_kind_from_name(const char *name);
const char *og_window_kind_name(int kind);

/* The smallest width whose relative l2 error is expected to meet tolerance at this sigma in ndim dimensions (type3: 1
 * for type 3), 2 ... 16; 16 where none does. For OG_OPTIMAL and OG_PSWF never more than FINUFFT's law. gradient: 1
 * where also the gradient has to meet 2 x tolerance, relative to its own norm. A kind of fixed width returns that; bh,
 * whose error does not fall for ever, its best. */
int og_window_width(og_window_kind kind, double tolerance, double sigma, int ndim, int type3, int gradient);

/* Relative l2 error to expect of this width at the best known shape (aliasing only; rounding is the plan's). gradient:
 * 1 for the larger of that and of half the gradient's error relative to its own norm, which may be twice as large. */
double og_window_expected_error(og_window_kind kind, int width, double sigma, int ndim, int type3, int gradient);

/* Fills *window; shape 0 takes the best known. tolerance bounds the polynomials' fit of the values (0: to rounding). */
int og_window_make(og_window *window, og_window_kind kind, int width, double sigma, double shape,
                   double tolerance) OG_MUST_CHECK;

/* Fits the polynomials of a made window again: gradient = 1 chooses the degree for the derivative's accuracy too. The
 * error allowed to the fit is a share of tolerance, and more where the window leaves room: so give the plan's
 * tolerance, not the error that the window is expected to make. */
void og_window_fit(og_window *window, double tolerance, int gradient);

/* phi(x), exactly; x in cells. OG_OPTIMAL is itself piecewise polynomial, of the highest degree. */
double og_window_phi(const og_window *window, double x);
/* d phi / d x, exactly (OG_OPTIMAL: what its gradient's stencil stands for). */
double og_window_phi_derivative(const og_window *window, double x);
/* The same as a kernel has it, by the stencil's cell and t: phi or, with derivative = 1, d phi / d g. What direct
 * evaluation should use: at a cell's end, where OG_OPTIMAL jumps, x does not say which cell is meant. */
double og_window_cell(const og_window *window, int cell, double t, int derivative);
/* integral of phi(x) cos(xi x) dx, xi in radians per cell, |xi| <= pi (1 + a bit). */
double og_window_hat(const og_window *window, double xi);
/* factor[k] = 1 / hat(k step), k = first ... first + n - 1: many at once, cheaply; to rounding the same. */
void og_window_factors(const og_window *window, double step, int64_t first, int64_t n, double *factor);

/* factor[i] = 1 / (hat(xi[0][i]) ... hat(xi[ndim - 1][i])) at many frequencies that are no multiples of a step, |xi| <= reach
 * <= pi, by a series made once; to rounding the same. The window must outlive the series. */
#define OG_SERIES_TERMS 40
typedef struct og_series {
  const og_window *window;
  double scale, c[OG_SERIES_TERMS];
  int n; /* terms; 0: none, hat itself is evaluated */
} og_series;
void og_series_make(const og_window *window, double reach, og_series *series);
void og_series_factors(const og_series *series, int ndim, int n, const double *const xi[3], double *factor);

/* The relative l2 error of one dimension that aliasing causes, from the definition: *value of type 1 and 2 on random
 * data, *gradient of the gradient relative to its own norm. polynomial = 1: of the fitted polynomials. */
void og_window_alias(const og_window *window, int polynomial, double *value, double *gradient);
#endif
