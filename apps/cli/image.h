/* A picture of modes: the root of the sum of squares over the vectors, of the middle plane in z. */
#ifndef CLI_IMAGE_H
#define CLI_IMAGE_H

#include "array.h"

/* modes: complex, [vectors][nz][ny][nx]. Black is 0, white the largest value; row y = 0 on top. */
int image_write(const array *modes, int64_t nx, int64_t ny, int64_t nz, const char *path);
int image_writable(const char *path);
#endif
