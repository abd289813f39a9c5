/* Matrix fragments on AMD's CDNA 2 and 3: V_MFMA_F64_16X16X4, D(16 x 16) += A(16 x 4) B(4 x 16) in double precision over 64 lanes,
 * which the dialect gives as MFMA_F64_16X16X4(d, a, b). As AMD documents it ("AMD Instinct MI200 / MI300 Instruction Set
 * Architecture"; register layouts as printed by AMD's Matrix Instruction Calculator 1.3, -a cdna2 and cdna3): lane
 * 16 k + i holds A[i][k], lane 16 k + j holds B[k][j], and lane 16 (i % 4) + j holds D[i][j] as its element i / 4.
 *
 * Our product goes through it transposed: its columns are our rows, its rows our columns, renumbered so that elements
 * 0, 1 and 2, 3 of a lane are neighbouring columns, the real and the imaginary part of a cell. */
#define MATRIX_LANES 64
#define MATRIX_COLUMNS 16
#define MATRIX_A_EACH 1
#define MATRIX_B_EACH 1
#define MATRIX_D_EACH 4
#define OG_MFMA_COLUMN(row) ((((row)&3) + ((row) >> 3 << 2)) * 2 + ((row) >> 2 & 1))
#define MATRIX_A_ROW(lane, e) ((lane)&15)
#define MATRIX_A_COL(lane, e) ((lane) >> 4)
#define MATRIX_B_ROW(lane, e) ((lane) >> 4)
#define MATRIX_B_COL(lane, e) OG_MFMA_COLUMN((lane)&15)
#define MATRIX_D_ROW(lane, e) ((lane)&15)
#define MATRIX_D_COL(lane, e) OG_MFMA_COLUMN(4 * (e) + ((lane) >> 4))
#define MATRIX_FMA(d, a, b) MFMA_F64_16X16X4(d, (b)[0], (a)[0])
