/* Modes are the kept cells of the last stage's lines, times the factors. */
#include "base/real.h"
#include "mpi/modes.h"

void OG_P(og_mpi_modes_run)(const og_mpi_modes *m, const og_view *spectrum, real *modes, int to);

void OG_P(og_mpi_modes_run)(const og_mpi_modes *m, const og_view *v, real *modes, int to) {
  const og_box *b = &m->box;
  const real sign = m->conjugate ? -1 : 1;
  for (int64_t z = b->lower[2]; z < b->upper[2]; z++)
    for (int64_t y = b->lower[1]; y < b->upper[1]; y++) {
      const double outer = m->factor[1][y - b->lower[1]] * m->factor[2][z - b->lower[2]];
      real *row = (real *)(void *)v->memory +
                  2 * (og_axis_at(&v->axis[1], y) * v->stride[1] + og_axis_at(&v->axis[2], z) * v->stride[2]);
      for (int64_t x = b->lower[0]; x < b->upper[0]; x++, modes += 2) {
        real *cell = row + 2 * og_axis_at(&v->axis[0], x);
        const real factor = (real)(outer * m->factor[0][x - b->lower[0]] * (to && x == m->halved ? 0.5 : 1));
        if (to) {
          cell[0] = factor * modes[0];
          cell[1] = sign * factor * modes[1];
        } else {
          modes[0] = factor * cell[0];
          modes[1] = sign * factor * cell[1];
        }
      }
    }
}

void OG_P(og_mpi_multiply_run)(int64_t n_in, int64_t count, const real *times, const real *modes, real *sum);

void OG_P(og_mpi_multiply_run)(int64_t n_in, int64_t count, const real *times, const real *modes, real *sum) {
  for (int64_t k = 0; k < 2 * count; k += 2) {
    real re = 0, im = 0;
    for (int64_t i = k; i < 2 * n_in * count; i += 2 * count) {
      re += times[i] * modes[i] - times[i + 1] * modes[i + 1];
      im += times[i] * modes[i + 1] + times[i + 1] * modes[i];
    }
    sum[k] = re;
    sum[k + 1] = im;
  }
}

void OG_P(og_mpi_scale_run)(real factor, size_t n, real *values);

void OG_P(og_mpi_scale_run)(real factor, size_t n, real *values) {
  for (size_t i = 0; i < n; i++)
    values[i] *= factor;
}

#ifndef OG_SINGLE
void og_mpi_multiply_run_f32(int64_t n_in, int64_t count, const float *times, const float *modes, float *sum);
void og_mpi_scale_run_f32(float factor, size_t n, float *values);

void og_mpi_multiply(int precision, int64_t n_in, int64_t count, const char *times, const char *modes, char *sum) {
  const void *t = times, *m = modes;
  void *s = sum;
  if (precision == OG_F32)
    og_mpi_multiply_run_f32(n_in, count, t, m, s);
  else
    og_mpi_multiply_run_f64(n_in, count, t, m, s);
}

void og_mpi_scale(int precision, double factor, size_t bytes, char *values) {
  void *v = values;
  if (precision == OG_F32)
    og_mpi_scale_run_f32((float)factor, bytes / sizeof(float), v);
  else
    og_mpi_scale_run_f64(factor, bytes / sizeof(double), v);
}

void og_mpi_modes_run_f32(const og_mpi_modes *m, const og_view *spectrum, float *modes, int to);

static void run(const og_mpi_modes *m, const og_view *spectrum, char *modes, int to) {
  if (m->precision == OG_F32)
    og_mpi_modes_run_f32(m, spectrum, (float *)(void *)modes, to);
  else
    og_mpi_modes_run_f64(m, spectrum, (double *)(void *)modes, to);
}

void og_mpi_modes_from(const og_mpi_modes *m, const og_view *spectrum, char *modes) { run(m, spectrum, modes, 0); }

void og_mpi_modes_to(const og_mpi_modes *m, const og_view *spectrum, const char *modes) {
  run(m, spectrum, (char *)modes, 1); /* only read */
}
#endif
