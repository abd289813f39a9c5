/* The fine spectrum's kept cells <-> the modes, divided by the window's transform, in the order that was asked for. One
 * group does a stretch of one row. */

/* The cell of entry i of a modes array of `modes` modes on `cells` cells; half: the x of a half spectrum. */
DEVICE i64 cell_of(i64 i, i64 modes, i64 cells, i32 ascending, i32 half) {
  i64 k = i;
  if (half)
    return i;
  if (ascending)
    k = i - modes / 2;
  else if (i >= modes - modes / 2)
    k = i - modes;
  return k < 0 ? k + cells : k;
}

/* The entry whose cell is c, or -1. */
DEVICE i64 entry_of(i64 c, i64 modes, i64 cells, i32 ascending, i32 half) {
  if (half)
    return c <= modes / 2 ? c : -1;
  if (c < modes - modes / 2)
    return ascending ? c + modes / 2 : c;
  if (c >= cells - modes / 2)
    return ascending ? c - cells + modes / 2 : c - cells + modes;
  return -1;
}

KERNEL void modes_from_grid(const og_k_modes a, GLOBAL const double *RESTRICT fx, GLOBAL const double *RESTRICT fy,
                            GLOBAL const double *RESTRICT fz, GLOBAL const real2 *RESTRICT grid,
                            GLOBAL real2 *RESTRICT modes) {
  const i64 row = GROUP_ID(0) / a.stretches, first = GROUP_ID(0) % a.stretches * a.stretch;
  const i64 y = row % a.kept[1], z = row / a.kept[1];
  const i64 last = first + a.stretch < a.kept[0] ? first + a.stretch : a.kept[0];
  const i64 from = cell_of(y, a.modes[1], a.cells[1], a.ascending, 0) * a.stride[1] +
                   cell_of(z, a.modes[2], a.cells[2], a.ascending, 0) * a.stride[2] + GROUP_ID(1) * a.vector_cells;
  const i64 to = row * a.kept[0] + GROUP_ID(1) * a.vector_modes;
  const double f = fy[y] * fz[z];
  for (i64 x = first + LOCAL_ID; x < last; x += TEAM) {
    const real2 v = grid[from + cell_of(x, a.modes[0], a.cells[0], a.ascending, a.half)];
    const double g = f * fx[x];
    modes[to + x] = MAKE_REAL2((real)(g * v.x), (real)(a.conjugate ? -g * v.y : g * v.y));
  }
}

/* What cell (cx, cy, cz) gets of one vector's modes: 0 where no mode is kept. */
DEVICE void cell_value(const og_k_modes *a, GLOBAL const double *RESTRICT fx, GLOBAL const double *RESTRICT fy,
                       GLOBAL const double *RESTRICT fz, i64 n, GLOBAL const real2 *RESTRICT multipliers,
                       GLOBAL const real2 *RESTRICT modes, i64 cx, i64 cy, i64 cz, double *re, double *im) {
  const i64 x = entry_of(cx, a->modes[0], a->cells[0], a->ascending, a->half);
  const i64 y = entry_of(cy, a->modes[1], a->cells[1], a->ascending, 0);
  const i64 z = entry_of(cz, a->modes[2], a->cells[2], a->ascending, 0);
  *re = *im = 0;
  if (x < 0 || y < 0 || z < 0)
    return;
  const i64 from = (z * a->kept[1] + y) * a->kept[0] + x;
  for (i64 i = 0; i < n; i++) {
    const real2 m = modes[from + i * a->all_modes];
    if (a->multiplied) {
      const real2 t = multipliers[from + i * a->all_modes];
      *re += (double)m.x * t.x - (double)m.y * t.y;
      *im += (double)m.x * t.y + (double)m.y * t.x;
    } else {
      *re += m.x;
      *im += m.y;
    }
  }
  const double g = fy[y] * fz[z] * fx[x] * (x == a->halved ? 0.5 : 1);
  *re *= g;
  *im *= a->conjugate ? -g : g;
}

/* Every cell is written. n vectors of modes, each times its multipliers where a.multiplied, of which each
 * vector of a batch has its own. a.hermitian: the planes of a half spectrum
 * that are their own mirror image get its Hermitian part, which has the same real values. */
KERNEL void grid_from_modes(const og_k_modes a, GLOBAL const double *RESTRICT fx, GLOBAL const double *RESTRICT fy,
                            GLOBAL const double *RESTRICT fz, const i64 n, GLOBAL const real2 *RESTRICT multipliers,
                            GLOBAL const real2 *RESTRICT modes, GLOBAL real2 *RESTRICT grid) {
  const i64 row = GROUP_ID(0) / a.stretches, first = GROUP_ID(0) % a.stretches * a.stretch;
  const i64 cy = row % a.cells[1], cz = row / a.cells[1];
  const i64 last = first + a.stretch < a.row_cells ? first + a.stretch : a.row_cells;
  const i64 to = cy * a.stride[1] + cz * a.stride[2] + GROUP_ID(1) * a.vector_cells;
  GLOBAL const real2 *of = modes + GROUP_ID(1) * a.vector_modes;
  GLOBAL const real2 *times = multipliers + GROUP_ID(1) * n * a.all_modes;
  for (i64 c = first + LOCAL_ID; c < last; c += TEAM) {
    double re, im;
    cell_value(&a, fx, fy, fz, n, times, of, c, cy, cz, &re, &im);
    if (a.hermitian && (c == 0 || 2 * c == a.cells[0])) {
      double mirror_re, mirror_im;
      cell_value(&a, fx, fy, fz, n, times, of, c, cy ? a.cells[1] - cy : 0, cz ? a.cells[2] - cz : 0, &mirror_re,
                 &mirror_im);
      re = 0.5 * (re + mirror_re);
      im = 0.5 * (im - mirror_im);
    }
    grid[to + c] = MAKE_REAL2((real)re, (real)im);
  }
}

/* out = in * factor, or times its conjugate; n numbers of each vector. */
KERNEL void multiply(const i64 n, const i32 conjugate, GLOBAL const real2 *factor, GLOBAL const real2 *in,
                     GLOBAL real2 *out) {
  for (i64 i = GROUP_ID(0) * TEAM + LOCAL_ID; i < n; i += GROUPS(0) * TEAM) {
    const i64 at = GROUP_ID(1) * n + i;
    const real2 f = factor[i], v = in[at];
    const double fy = conjugate ? -(double)f.y : (double)f.y;
    out[at] = MAKE_REAL2((real)((double)v.x * f.x - (double)v.y * fy), (real)((double)v.x * fy + (double)v.y * f.x));
  }
}
