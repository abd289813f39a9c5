/* A Gaussian process over the unit cube, and the expected improvement of a place in it over the least value so far: what
 * `offgrid tune` searches with. Matern 5/2 covariance; its length and the noise are those of largest likelihood. */
#ifndef CLI_TUNE_GP_H
#define CLI_TUNE_GP_H

typedef struct gp {
  int dims, n;
  const double *x; /* [n][dims], the caller's */
  double length, noise;
  double mean, scale;      /* of the values */
  double *factor, *weight; /* [n][n] lower Cholesky factor, [n] covariance^-1 values */
  double likelihood;
} gp;

/* n >= 1 values y at x, in [0, 1] each. 0, or fail(). */
int gp_fit(gp *g, int dims, int n, const double *x, const double *y);
void gp_free(gp *g);
/* Of the function without its noise; work: [n]. */
void gp_predict(const gp *g, const double *x, double *work, double *mean, double *deviation);
/* E max(best - f, 0) for f normal. */
double gp_expected_improvement(double mean, double deviation, double best);
/* The place of largest expected improvement below the least mean at the places known, among `count`; work: [n]. */
int gp_choose(const gp *g, int count, const double *places, double *work);
#endif
