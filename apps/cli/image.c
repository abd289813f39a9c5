/* A picture of modes, through libpng into memory and from there to the file: whole or not at all. */
#include "image.h"

#include "message.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

int image_writable(const char *option, const char *path) {
  size_t n = strlen(path);
  if (n < 5 || strcmp(path + n - 4, ".png") != 0)
    return fail_usage("%s wants a name that ends in .png, not '%s'", option, path);
  return output_writable(path);
}

static double square(const array *a, int64_t i) {
  double re = a->is_single ? (double)((float *)a->data)[2 * i] : ((double *)a->data)[2 * i];
  double im = a->is_single ? (double)((float *)a->data)[2 * i + 1] : ((double *)a->data)[2 * i + 1];
  return re * re + im * im;
}

static void draw(const array *a, int64_t nx, int64_t ny, int64_t nz, double *root, unsigned char *grey) {
  int64_t plane = nx * ny, volume = plane * nz, vectors = array_count(a) / volume;
  double largest = 0;
  for (int64_t i = 0; i < plane; i++) {
    double sum = 0;
    for (int64_t v = 0; v < vectors; v++)
      sum += square(a, v * volume + nz / 2 * plane + i);
    root[i] = sqrt(sum);
    if (root[i] > largest && isfinite(root[i]))
      largest = root[i];
  }
  for (int64_t i = 0; i < plane; i++) {
    double level = largest > 0 ? 255 * root[i] / largest : 0;
    grey[i] = (unsigned char)(level >= 0 && level <= 255 ? level + 0.5 : level > 255 ? 255 : 0);
  }
}

static int encode(output *o, const unsigned char *grey, int64_t nx, int64_t ny, const char *path) {
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = (png_uint_32)nx, .height = (png_uint_32)ny, .format = PNG_FORMAT_GRAY};
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  void *file = malloc(bytes);
  if (!file)
    return fail("%s: out of memory", path);
  int code = 0;
  if (!png_image_write_to_memory(&image, file, &bytes, 0, grey, 0, NULL))
    code = fail("%s: the picture cannot be made: %s", path, image.message);
  if (!code)
    code = output_open(o, path);
  if (!code) {
    code = output_write(o, file, bytes);
    if (code)
      output_abandon(o);
  }
  free(file);
  return code;
}

int image_write(output *o, const array *modes, int64_t nx, int64_t ny, int64_t nz, const char *path) {
  if (nx > 20000 || ny > 20000)
    return fail("%s: a picture of %lld x %lld is too large; 20000 x 20000 at most", path, (long long)nx, (long long)ny);
  size_t plane = (size_t)(nx * ny);
  double *root = malloc(plane * sizeof *root);
  unsigned char *grey = malloc(plane);
  int code = root && grey ? 0 : fail("%s: out of memory", path);
  if (!code) {
    draw(modes, nx, ny, nz, root, grey);
    code = encode(o, grey, nx, ny, path);
  }
  free(root);
  free(grey);
  return code;
}
