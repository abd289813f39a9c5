/* A few adjacent columns of the grid to contiguous lines and back, 16 bytes at a time. */
#include "cpu/columns.h"

#include "offgrid.h"

#include <stdint.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias)); /* one cell of f64, two of f32 */

static void gather_f64(const char *grid, size_t stride, char *line, size_t pitch, int columns, og_range r) {
  grid += (size_t)r.begin * stride;
  line += (size_t)r.begin * 16;
  if (columns == 4)
    for (int64_t i = r.begin; i < r.end; i++, grid += stride, line += 16) {
      pair a = *(const pair *)grid, b = *(const pair *)(grid + 16), c = *(const pair *)(grid + 32),
           d = *(const pair *)(grid + 48);
      *(pair *)line = a;
      *(pair *)(line + pitch) = b;
      *(pair *)(line + 2 * pitch) = c;
      *(pair *)(line + 3 * pitch) = d;
    }
  else
    for (int64_t i = r.begin; i < r.end; i++, grid += stride, line += 16)
      for (int j = 0; j < columns; j++)
        *(pair *)(line + (size_t)j * pitch) = *(const pair *)(grid + 16 * j);
}

static void scatter_f64(char *grid, size_t stride, const char *line, size_t pitch, int columns, og_range r) {
  grid += (size_t)r.begin * stride;
  line += (size_t)r.begin * 16;
  if (columns == 4)
    for (int64_t i = r.begin; i < r.end; i++, grid += stride, line += 16) {
      pair a = *(const pair *)line, b = *(const pair *)(line + pitch), c = *(const pair *)(line + 2 * pitch),
           d = *(const pair *)(line + 3 * pitch);
      *(pair *)grid = a;
      *(pair *)(grid + 16) = b;
      *(pair *)(grid + 32) = c;
      *(pair *)(grid + 48) = d;
    }
  else
    for (int64_t i = r.begin; i < r.end; i++, grid += stride, line += 16)
      for (int j = 0; j < columns; j++)
        *(pair *)(grid + 16 * j) = *(const pair *)(line + (size_t)j * pitch);
}

/* Two columns of two points at a time: 16 bytes either way. */
static inline void swap_f32(const char *in, size_t in_stride, char *out, size_t out_stride) {
  pair a = *(const pair *)in, b = *(const pair *)(in + in_stride);
  *(pair *)out = __builtin_shufflevector(a, b, 0, 2);
  *(pair *)(out + out_stride) = __builtin_shufflevector(a, b, 1, 3);
}

static void gather_f32(const char *grid, size_t stride, char *line, size_t pitch, int columns, og_range r) {
  int64_t i = r.begin;
  int j, even = columns & ~1;
  for (; i + 1 < r.end; i += 2) {
    const char *g = grid + (size_t)i * stride;
    char *b = line + (size_t)i * 8;
    if (columns == 8)
      for (j = 0; j < 8; j += 2)
        swap_f32(g + 8 * j, stride, b + (size_t)j * pitch, pitch);
    else
      for (j = 0; j < even; j += 2)
        swap_f32(g + 8 * j, stride, b + (size_t)j * pitch, pitch);
    if (j < columns) {
      memcpy(b + (size_t)j * pitch, g + 8 * j, 8);
      memcpy(b + (size_t)j * pitch + 8, g + stride + 8 * j, 8);
    }
  }
  for (; i < r.end; i++)
    for (j = 0; j < columns; j++)
      memcpy(line + (size_t)j * pitch + (size_t)i * 8, grid + (size_t)i * stride + 8 * j, 8);
}

static void scatter_f32(char *grid, size_t stride, const char *line, size_t pitch, int columns, og_range r) {
  int64_t i = r.begin;
  int j, even = columns & ~1;
  for (; i + 1 < r.end; i += 2) {
    char *g = grid + (size_t)i * stride;
    const char *b = line + (size_t)i * 8;
    if (columns == 8)
      for (j = 0; j < 8; j += 2)
        swap_f32(b + (size_t)j * pitch, pitch, g + 8 * j, stride);
    else
      for (j = 0; j < even; j += 2)
        swap_f32(b + (size_t)j * pitch, pitch, g + 8 * j, stride);
    if (j < columns) {
      memcpy(g + 8 * j, b + (size_t)j * pitch, 8);
      memcpy(g + stride + 8 * j, b + (size_t)j * pitch + 8, 8);
    }
  }
  for (; i < r.end; i++)
    for (j = 0; j < columns; j++)
      memcpy(grid + (size_t)i * stride + 8 * j, line + (size_t)j * pitch + (size_t)i * 8, 8);
}

void og_columns_gather(int precision, const char *grid, size_t stride, char *lines, size_t pitch, int columns,
                       og_range r) {
  (precision == OG_F32 ? gather_f32 : gather_f64)(grid, stride, lines, pitch, columns, r);
}

void og_columns_scatter(int precision, char *grid, size_t stride, const char *lines, size_t pitch, int columns,
                        og_range r) {
  (precision == OG_F32 ? scatter_f32 : scatter_f64)(grid, stride, lines, pitch, columns, r);
}
