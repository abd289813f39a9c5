/* Radial MRI: the sampling density's weights, made with spreading and interpolation alone, and the comparison of two
 * images with the direct sum and with each other. scripts/demo.sh puts `offgrid transform` and BART between the two.
 *
 *   radial_mri weights TRAJECTORY N OUTPUT                       BART's array files in and out
 *   radial_mri compare TRAJECTORY KSPACE WEIGHTS OURS THEIRS     coil images of this library and of another program
 *   radial_mri                                                   checks itself on a disc whose k-space is known
 *
 * trajectory: [spokes][samples][3] in units of 1 / field of view; k-space: [coils][spokes][samples];
 * image[p] = sum_j weight[j] data[j] exp(2 pi i k_j.p / N), p = -N/2 ... N/2 - 1: a type 1 with sign +1 and period N. */
#include "offgrid.h"
#include "cfl.h"
#include "check.h"

static const double tolerance = 1e-5;

typedef struct scan {
  int64_t n; /* pixels per side */
  int64_t n_points, n_coils;
  float *x, *y;         /* [n_points] */
  float complex *data;  /* [n_coils][n_points] */
  float complex *image; /* [n_coils][n][n] */
} scan;

static int failure(void) {
  fprintf(stderr, "radial_mri: %s\n", og_last_error());
  return 1;
}

static int scan_make(scan *s, int64_t n, int64_t n_points, int64_t n_coils) {
  *s = (scan){.n = n, .n_points = n_points, .n_coils = n_coils};
  s->x = malloc((size_t)n_points * sizeof *s->x);
  s->y = malloc((size_t)n_points * sizeof *s->y);
  s->data = malloc((size_t)(n_coils * n_points) * sizeof *s->data);
  s->image = malloc((size_t)(n_coils * n * n) * sizeof *s->image);
  return !s->x || !s->y || !s->data || !s->image;
}

static void scan_free(scan *s) {
  free(s->x);
  free(s->y);
  free(s->data);
  free(s->image);
}

/* Weights that make the sampling density even (Pipe and Menon 1999): w <- w / (w * window) at the points, with the
 * library's own window on a grid of half units. The grid is wider than k-space, so that its ends do not meet. */
static int density_weights(const scan *s, float *weight) {
  og_options options = OG_OPTIONS_DEFAULT;
  options.precision = OG_F32;
  options.values = OG_REAL;
  options.spread_only = 1;
  options.width = 4;
  options.sigma = 2;
  options.period_x = options.period_y = 1.5 * (double)s->n;

  int64_t n_grid[] = {3 * s->n, 3 * s->n};
  float *grid = malloc((size_t)(n_grid[0] * n_grid[1]) * sizeof *grid);
  float *sum = malloc((size_t)s->n_points * sizeof *sum);
  og_plan plan = NULL;
  int code = grid && sum ? og_plan_create(&plan, 2, n_grid, &options) : OG_ERR_MEMORY;
  if (!code)
    code = og_plan_set_points(plan, s->n_points, s->x, s->y, NULL);
  for (int64_t j = 0; j < s->n_points; j++)
    weight[j] = 1;
  for (int iteration = 0; iteration < 20 && !code; iteration++) {
    code = og_spread(plan, 1, weight, grid);
    if (!code)
      code = og_interp(plan, 1, grid, sum);
    for (int64_t j = 0; j < s->n_points && !code; j++)
      weight[j] /= sum[j];
  }
  og_plan_destroy(plan);
  free(grid);
  free(sum);
  return code;
}

static int transform(scan *s) {
  og_options options = OG_OPTIONS_DEFAULT;
  options.tolerance = tolerance;
  options.precision = OG_F32;
  options.sign = +1;
  options.max_vectors = s->n_coils;
  options.period_x = options.period_y = (double)s->n;

  og_plan plan;
  int64_t n_modes[] = {s->n, s->n};
  int code = og_plan_create(&plan, 2, n_modes, &options);
  if (!code)
    code = og_plan_set_points(plan, s->n_points, s->x, s->y, NULL);
  if (!code)
    code = og_type1(plan, s->n_coils, s->data, s->image);
  og_plan_destroy(plan);
  return code;
}

/* Relative l2 error of `image` against the direct sum in a sample of pixels of all coils, after the best complex factor
 * on the image (BART scales by another constant); *factor: NULL for none. Negative on failure. */
static double sample_error(const scan *s, const float complex *image, double complex *factor) {
  enum { SAMPLE = 100 };
  int64_t pixel[SAMPLE];
  double complex *sum = malloc(SAMPLE * sizeof *sum), *one = malloc((size_t)s->n_points * sizeof *one);
  double *k[2] = {malloc((size_t)s->n_points * sizeof(double)), malloc((size_t)s->n_points * sizeof(double))};
  double place[2][SAMPLE], difference = 0, norm = 0, images = 0;
  double complex cross = 0;
  for (int i = 0; i < SAMPLE; i++) {
    pixel[i] = (int64_t)((check_random() + 1) / 2 * (double)(s->n * s->n));
    place[0][i] = (double)(pixel[i] % s->n - s->n / 2);
    place[1][i] = (double)(pixel[i] / s->n - s->n / 2);
  }
  int code = !sum || !one || !k[0] || !k[1];
  double unit = 2 * acos(-1.0) / (double)s->n;
  for (int64_t j = 0; j < s->n_points && !code; j++) {
    k[0][j] = unit * s->x[j];
    k[1][j] = unit * s->y[j];
  }
  /* Two passes over the coils: the factor first. */
  double complex scale = 1;
  for (int pass = factor ? 0 : 1; pass < 2 && !code; pass++) {
    for (int64_t c = 0; c < s->n_coils && !code; c++) {
      for (int64_t j = 0; j < s->n_points; j++)
        one[j] = s->data[c * s->n_points + j];
      const double *const points[] = {k[0], k[1]}, *const pixels[] = {place[0], place[1]};
      code = og_direct_sum(2, +1, s->n_points, points, (double *)one, SAMPLE, pixels, (double *)sum);
      for (int i = 0; i < SAMPLE && !code; i++) {
        double complex got = image[c * s->n * s->n + pixel[i]];
        cross += pass ? 0 : conj(got) * sum[i];
        images += pass ? 0 : creal(conj(got) * got);
        difference += pass ? pow(cabs(scale * got - sum[i]), 2) : 0;
        norm += pass ? pow(cabs(sum[i]), 2) : 0;
      }
    }
    if (pass == 0 && !code)
      *factor = scale = cross / images;
  }
  free(sum);
  free(one);
  free(k[0]);
  free(k[1]);
  return code ? -1 : sqrt(difference / norm);
}

/* combined: [n][n] */
static void root_sum_of_squares(const scan *s, const float complex *image, double *combined) {
  for (int64_t p = 0; p < s->n * s->n; p++) {
    double sum = 0;
    for (int64_t c = 0; c < s->n_coils; c++)
      sum += pow(cabsf(image[c * s->n * s->n + p]), 2);
    combined[p] = sqrt(sum);
  }
}

/* Relative l2 distance of two combined images after the factor on the second that makes it smallest. */
static double combined_distance(const scan *s, const float complex *ours, const float complex *theirs) {
  int64_t n = s->n * s->n;
  double *a = malloc((size_t)n * sizeof *a), *b = malloc((size_t)n * sizeof *b), ab = 0, aa = 0, bb = 0;
  if (a && b) {
    root_sum_of_squares(s, ours, a);
    root_sum_of_squares(s, theirs, b);
    for (int64_t p = 0; p < n; p++) {
      ab += a[p] * b[p];
      aa += a[p] * a[p];
      bb += b[p] * b[p];
    }
  }
  free(a);
  free(b);
  return sqrt(fmax(0, 1 - ab * ab / (aa * bb))); /* NaN without memory, which no limit accepts */
}

static void scan_weigh(scan *s, const float *weight) {
  for (int64_t i = 0; i < s->n_coils * s->n_points; i++)
    s->data[i] *= weight[i % s->n_points];
}

/* n_points from the trajectory; data and image are left to the caller. */
static int read_trajectory(scan *s, const char *name, int64_t n, int64_t n_coils, int64_t size[CFL_DIMENSIONS]) {
  cfl_array k;
  if (cfl_read(name, &k))
    return 1;
  int failed = k.n[0] != 3 || scan_make(s, n, k.count / 3, n_coils);
  if (failed)
    fprintf(stderr, "radial_mri: %s: dimension 0 is %lld, must be 3 (or out of memory)\n", name, (long long)k.n[0]);
  for (int64_t j = 0; j < k.count / 3 && !failed; j++) {
    s->x[j] = crealf(k.data[3 * j]);
    s->y[j] = crealf(k.data[3 * j + 1]);
  }
  memcpy(size, k.n, sizeof k.n);
  free(k.data);
  return failed;
}

static int command_weights(char **argument) {
  scan s;
  int64_t size[CFL_DIMENSIONS], n = atoll(argument[1]);
  if (n < 2 || n > 8192) {
    fprintf(stderr, "radial_mri: N = %s, must be 2 to 8192\n", argument[1]);
    return 1;
  }
  if (read_trajectory(&s, argument[0], n, 1, size))
    return 1;
  float *weight = malloc((size_t)s.n_points * sizeof *weight);
  int failed = !weight || density_weights(&s, weight);
  for (int64_t j = 0; j < s.n_points && !failed; j++)
    s.data[j] = weight[j];
  if (failed)
    failure();
  size[0] = 1;
  failed = failed || cfl_write(argument[2], size, s.data);
  free(weight);
  scan_free(&s);
  return failed;
}

static int read_compared(scan *s, char **argument, cfl_array array[4], float **weight) {
  for (int i = 0; i < 4; i++)
    if (cfl_read(argument[1 + i], &array[i]))
      return 1;
  int64_t size[CFL_DIMENSIONS], n_coils = array[0].n[3], n = array[2].n[0];
  if (read_trajectory(s, argument[0], n, n_coils, size))
    return 1;
  if (array[0].count != n_coils * s->n_points || array[1].count != s->n_points || array[2].count != n_coils * n * n ||
      array[3].count != array[2].count) {
    fprintf(stderr, "radial_mri: the arrays' sizes do not belong together\n");
    return 1;
  }
  memcpy(s->data, array[0].data, (size_t)array[0].count * sizeof *s->data);
  *weight = malloc((size_t)s->n_points * sizeof **weight);
  for (int64_t j = 0; j < s->n_points && *weight; j++)
    (*weight)[j] = crealf(array[1].data[j]);
  return !*weight;
}

static int command_compare(char **argument) {
  scan s;
  cfl_array array[4];
  float *weight;
  if (read_compared(&s, argument, array, &weight))
    return 1;
  scan_weigh(&s, weight);
  double complex factor;
  double error = sample_error(&s, array[2].data, NULL), their_error = sample_error(&s, array[3].data, &factor);
  double apart = combined_distance(&s, array[2].data, array[3].data);
  printf("error against the direct sum in 100 pixels of each coil: offgrid %.1e, BART %.1e\n", error, their_error);
  printf("  (BART's images times %.6g%+.1gi, one factor for all: it scales by another constant)\n", creal(factor),
         cimag(factor));
  printf("combined images of the two: %.1e apart (relative l2, after one factor)\n", apart);
  free(weight);
  for (int i = 0; i < 4; i++)
    free(array[i].data);
  scan_free(&s);
  return !(error >= 0 && error <= 2 * tolerance && apart < 0.02);
}

/* A disc of radius r pixels has the k-space r N J1(2 pi r |k| / N) / |k|. Its image must be flat and its outside dark. */
static int self_check(void) {
  enum { N = 64, SPOKES = 101, SAMPLES = 128 };
  const double radius = 20, pi = acos(-1.0);
  scan s;
  if (scan_make(&s, N, (int64_t)SPOKES * SAMPLES, 1))
    return 1;
  for (int64_t j = 0; j < s.n_points; j++) {
    double angle = pi * (double)(j / SAMPLES) / SPOKES, k = 0.5 * (double)(j % SAMPLES - SAMPLES / 2);
    s.x[j] = (float)(k * cos(angle));
    s.y[j] = (float)(k * sin(angle));
    double length = hypotf(s.x[j], s.y[j]);
    s.data[j] = (float)(length > 0 ? radius * N * j1(2 * pi * radius * length / N) / length : pi * radius * radius);
  }
  float *weight = malloc((size_t)s.n_points * sizeof *weight);
  if (!weight || density_weights(&s, weight))
    return failure();
  scan_weigh(&s, weight);
  free(weight);
  if (transform(&s))
    return failure();
  double error = sample_error(&s, s.image, NULL), inside = 0, outside = 0;
  int64_t n_inside = 0, n_outside = 0;
  for (int64_t p = 0; p < N * N; p++) {
    double distance = hypot((double)(p % N - N / 2), (double)(p / N - N / 2));
    if (distance < radius - 3) {
      inside += crealf(s.image[p]);
      n_inside++;
    } else if (distance > radius + 3) {
      outside += cabsf(s.image[p]);
      n_outside++;
    }
  }
  double contrast = (outside / (double)n_outside) / (inside / (double)n_inside);
  scan_free(&s);
  printf("outside of the disc / inside: %.3f\n", contrast);
  return check_report("type 1", error, 2 * tolerance) || !(fabs(contrast) < 0.05);
}

int main(int argc, char **argv) {
  if (argc == 1 || (argc == 2 && !strcmp(argv[1], "--all")))
    return self_check();
  if (argc == 5 && !strcmp(argv[1], "weights"))
    return command_weights(argv + 2);
  if (argc == 7 && !strcmp(argv[1], "compare"))
    return command_compare(argv + 2);
  fprintf(stderr, "usage: radial_mri weights TRAJECTORY N OUTPUT\n"
                  "       radial_mri compare TRAJECTORY KSPACE WEIGHTS OURS THEIRS\n");
  return 2;
}
