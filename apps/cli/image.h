/* A picture of modes: the root of the sum of squares over the vectors, of the middle plane in z. */
#ifndef CLI_IMAGE_H
#define CLI_IMAGE_H

#include "array.h"
#include "output.h"

/* Draws and writes to a file that has no name yet: output_commit gives it the name, output_abandon drops it. modes: complex,
 * [vectors][nz][ny][nx]. Black is 0, white the largest value; row y = 0 on top. On error there is nothing to abandon. */
int image_write(output *o, const array *modes, int64_t nx, int64_t ny, int64_t nz, const char *path);
int image_writable(const char *option, const char *path);
#endif
