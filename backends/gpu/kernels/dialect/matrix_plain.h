/* Matrix fragments in plain C: one work item holds whole matrices, row after row. Right everywhere, fast nowhere. */
#define MATRIX_LANES 1
#define MATRIX_COLUMNS 8
#define MATRIX_A_EACH 64
#define MATRIX_B_EACH 32
#define MATRIX_D_EACH 128
#define MATRIX_A_ROW(lane, e) ((e) >> 2)
#define MATRIX_A_COL(lane, e) ((e)&3)
#define MATRIX_B_ROW(lane, e) ((e) >> 3)
#define MATRIX_B_COL(lane, e) ((e)&7)
#define MATRIX_D_ROW(lane, e) ((e) >> 3)
#define MATRIX_D_COL(lane, e) ((e)&7)
DEVICE void og_matrix_fma(acc *d, const acc *a, const acc *b) {
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < 8; j++)
        d[8 * i + j] = FMA(a[4 * i + k], b[8 * k + j], d[8 * i + j]);
}
#define MATRIX_FMA(d, a, b) og_matrix_fma(d, a, b)
