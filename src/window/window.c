/* Windows: the table of kinds, making one, and its values, transform and aliasing error. */
#include "window/family.h"

#include <math.h>
#include <string.h>

static const og_window_family *const families[OG_WINDOW_KINDS] = {
    [OG_PSWF] = &og_family_pswf,     [OG_ES] = &og_family_es,
    [OG_KB] = &og_family_kb,         [OG_GAUSSIAN] = &og_family_gaussian,
    [OG_LINEAR] = &og_family_linear, [OG_CUBIC] = &og_family_cubic,
    [OG_BH] = &og_family_bh,         [OG_OPTIMAL] = &og_family_optimal,
};

const og_window_family *og_window_family_of(int kind) { return families[kind]; }

double og_window_stopband(int width, double sigma) { return M_PI * width * (1 - 1 / (2 * sigma)); }

const char *og_window_kind_name(int kind) { return kind >= 0 && kind < OG_WINDOW_KINDS ? families[kind]->name : NULL; }

int og_window_kind_from_name(const char *name) {
  for (int kind = 0; name && kind < OG_WINDOW_KINDS; kind++)
    if (!strcmp(name, families[kind]->name))
      return kind;
  return -1;
}

int og_window_make(og_window *window, og_window_kind kind, int width, double sigma, double shape, double tolerance) {
  OG_CHECK(window, OG_ERR_NULL, "window is NULL");
  OG_CHECK((int)kind >= 0 && kind < OG_WINDOW_KINDS, OG_ERR_OPTION, "window kind %d is unknown", (int)kind);
  const og_window_family *family = families[kind];
  OG_CHECK(width >= 2 && width <= OG_MAX_WIDTH, OG_ERR_OPTION, "width = %d, must be 2 to %d", width, OG_MAX_WIDTH);
  OG_CHECK(!family->width || width == family->width, OG_ERR_OPTION, "width = %d: window %s has width %d only", width,
           family->name, family->width);
  OG_CHECK(sigma >= 1.01 && sigma <= 1e3, OG_ERR_OPTION, "sigma = %g, must be 1.01 to 1000", sigma);
  OG_CHECK(shape >= 0 && (!family->max_shape || shape <= family->max_shape), OG_ERR_OPTION,
           "shape = %g, must be 0 (best known) to %g for window %s", shape, family->max_shape, family->name);
  OG_CHECK(tolerance >= 0, OG_ERR_OPTION, "tolerance = %g, must be >= 0", tolerance);
  memset(window, 0, sizeof *window);
  window->kind = kind;
  window->width = width;
  window->sigma = sigma;
  window->shape_is_law = shape == 0;
  if (family->shape)
    window->shape = shape > 0 ? shape : family->shape(width, sigma);
  if (family->prepare)
    family->prepare(window);
  og_window_quadrature(window);
  og_window_fit(window, tolerance, 0);
  return OG_OK;
}

double og_window_phi(const og_window *window, double x) {
  return fabs(x) <= window->width / 2.0 ? families[window->kind]->value(window, x) : 0;
}

double og_window_phi_derivative(const og_window *window, double x) {
  return fabs(x) <= window->width / 2.0 ? families[window->kind]->slope(window, x) : 0;
}

double og_window_cell(const og_window *window, int cell, double t, int derivative) {
  const og_window_family *family = families[window->kind];
  if (family->cell)
    return family->cell(window, cell, t, derivative);
  double half = window->width / 2.0, x = fmin(fmax(cell - (window->width - 1) / 2.0 + t / 2, -half), half);
  return derivative ? -family->slope(window, x) : family->value(window, x);
}

double og_window_hat(const og_window *window, double xi) {
  double sum = 0;
  for (int i = 0; i < window->n_nodes; i++)
    sum += window->weight[i] * cos(xi * window->node[i]);
  return sum;
}

/* hat is entire and of exponential type w / 2: over a piece of REACH / (w / 2) to both sides of its middle, the Chebyshev
 * coefficients fall like Bessel functions J_k(REACH), so that those from J_16 on are below 1e-17 hat(0). */
enum { PIECE_TERMS = 16, PIECE_LANES = 8 };
#define PIECE_REACH 1.2

static void piece_fit(const og_window *window, double middle, double reach, double c[PIECE_TERMS]) {
  double value[PIECE_TERMS];
  for (int j = 0; j < PIECE_TERMS; j++)
    value[j] = og_window_hat(window, middle + reach * cos(M_PI * (j + 0.5) / PIECE_TERMS));
  for (int k = 0; k < PIECE_TERMS; k++) {
    c[k] = 0;
    for (int j = 0; j < PIECE_TERMS; j++)
      c[k] += (k ? 2.0 : 1.0) / PIECE_TERMS * value[j] * cos(M_PI * k * (j + 0.5) / PIECE_TERMS);
  }
}

/* 1 / the series at t = from, from + step, ...: Clenshaw's recurrence, several sums side by side, since one would wait for
 * itself. */
static void piece_factors(const double c[PIECE_TERMS], double from, double step, int64_t n, double *factor) {
  for (int64_t i = 0; i < n; i += PIECE_LANES) {
    double t[PIECE_LANES], a[PIECE_LANES] = {0}, b[PIECE_LANES] = {0};
    for (int lane = 0; lane < PIECE_LANES; lane++)
      t[lane] = from + (double)(i + lane) * step;
    for (int k = PIECE_TERMS - 1; k > 0; k--)
      for (int lane = 0; lane < PIECE_LANES; lane++) {
        const double next = 2 * t[lane] * a[lane] + (c[k] - b[lane]);
        b[lane] = a[lane];
        a[lane] = next;
      }
    for (int lane = 0; lane < PIECE_LANES; lane++)
      t[lane] = 1 / (t[lane] * a[lane] + (c[0] - b[lane]));
    memcpy(factor + i, t, sizeof *t * (size_t)(n - i < PIECE_LANES ? n - i : PIECE_LANES));
  }
}

void og_window_factors(const og_window *window, double step, int64_t first, int64_t n, double *factor) {
  const double reach = PIECE_REACH / (window->width / 2.0);
  const int64_t room = (int64_t)fmin(2 * reach / step, (double)n); /* modes that a piece holds */
  if (room <= PIECE_TERMS) {
    for (int64_t k = 0; k < n; k++)
      factor[k] = 1 / og_window_hat(window, (double)(first + k) * step);
    return;
  }
  for (int64_t k = 0; k < n; k += room) {
    const double middle = ((double)(first + k) + 0.5 * (double)room) * step;
    double c[PIECE_TERMS];
    piece_fit(window, middle, reach, c);
    piece_factors(c, ((double)(first + k) * step - middle) / reach, step / reach, n - k < room ? n - k : room,
                  factor + k);
  }
}

/* Value (or derivative) that the stencil's cell gives to a point at offset u from the stencil's middle. */
static double stencil(const og_window *window, int polynomial, int derivative, int cell, double u) {
  double t = -2 * u, sum = 0;
  if (!polynomial)
    return og_window_cell(window, cell, t, derivative);
  for (int k = window->degree; k >= 0; k--)
    sum = sum * t + (derivative ? window->derivative[k][cell] : window->coef[k][cell]);
  return sum;
}

/* polynomial: 1 for the fitted ones. A point at offset u sees mode xi as S_u(xi) = sum_i phi(l_i - u) exp(i xi (l_i -
 * u)) instead of hat(xi), the mean of S over u; the difference is all the aliases, sum_{m != 0} hat(xi + 2 pi m) exp(2
 * pi i m u), the discontinuities' slow tail included. The gradient sees S with -phi' instead of i xi hat(xi). Means
 * over u by Gauss-Legendre, over xi as og_kept_modes. */
void og_window_alias(const og_window *window, int polynomial, double *value, double *gradient) {
  enum { MODES = 41, OFFSETS = 24 };
  double xi[MODES], xi_weight[MODES], u[OFFSETS], u_weight[OFFSETS], phi[2][OG_MAX_WIDTH];
  double error[MODES] = {0}, slope_error[MODES] = {0}, hat[MODES], sum = 0, slope_sum = 0, norm = 0;
  int w = window->width;
  og_kept_modes(MODES - 1, xi, xi_weight);
  og_quadrature(OFFSETS, u, u_weight);
  for (int k = 0; k < MODES; k++)
    hat[k] = og_window_hat(window, xi[k] *= M_PI / window->sigma);
  for (int j = 0; j < OFFSETS; j++) {
    for (int i = 0; i < w; i++)
      for (int d = 0; d < 2; d++)
        phi[d][i] = stencil(window, polynomial, d, i, u[j] - 0.5);
    for (int k = 0; k < MODES; k++) {
      double angle = xi[k] * (-(w - 1) / 2.0 - (u[j] - 0.5)), s[4] = {-hat[k], 0, 0, -xi[k] * hat[k]};
      double re = cos(angle), im = sin(angle), turn_re = cos(xi[k]), turn_im = sin(xi[k]);
      for (int i = 0; i < w; i++) {
        s[0] += phi[0][i] * re, s[1] += phi[0][i] * im;
        s[2] += phi[1][i] * re, s[3] += phi[1][i] * im;
        double next = re * turn_re - im * turn_im;
        im = re * turn_im + im * turn_re;
        re = next;
      }
      error[k] += u_weight[j] * (s[0] * s[0] + s[1] * s[1]);
      slope_error[k] += u_weight[j] * (s[2] * s[2] + s[3] * s[3]);
    }
  }
  for (int k = 0; k < MODES; k++) {
    sum += xi_weight[k] * error[k] / (hat[k] * hat[k]);
    slope_sum += xi_weight[k] * slope_error[k] / (hat[k] * hat[k]);
    norm += xi_weight[k] * xi[k] * xi[k];
  }
  *value = sqrt(sum);
  *gradient = sqrt(slope_sum / norm);
}
