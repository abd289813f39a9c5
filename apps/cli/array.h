/* Arrays in files: .npy, BART's .cfl/.hdr pairs, HDF5 datasets (file.h5:/path).
 *
 * In memory every array is contiguous, real or complex, float or double, with its dimensions listed fastest first:
 * numpy's shape (8, 64, 128) of a C-ordered file and BART's dimensions 128 64 8 are the same array here. A Fortran-ordered
 * .npy means what it means in numpy, so it is transposed while reading. NaN in the data is the caller's business. */
#ifndef CLI_ARRAY_H
#define CLI_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_MAX_DIMS 32
#define CFL_DIMS 16

typedef enum { ARRAY_UNKNOWN, ARRAY_NPY, ARRAY_CFL, ARRAY_HDF5 } array_format;

typedef struct array {
  int is_complex, is_single;
  int ndim;                  /* 0: one number */
  int64_t n[ARRAY_MAX_DIMS]; /* fastest first */
  void *data;                /* owned; never NULL once allocated, even when empty */
} array;

int64_t array_count(const array *a);
size_t array_item(const array *a); /* bytes of one number, real or complex */
/* Bytes of the data, checked for overflow. what: for the message. */
int array_bytes(const array *a, const char *what, size_t *bytes);
/* Allocates data for the dimensions set, not cleared. */
int array_allocate(array *a, const char *what);
void array_free(array *a);
/* Changes kind and precision. Complex to real is refused where an imaginary part is not zero. */
int array_convert(array *a, int is_complex, int is_single, const char *what);
/* "128 x 64 x 8", in the order in which the format's own users list dimensions. */
const char *array_shape_text(const array *a, array_format format, char *text, size_t bytes);

/* Format by name; for reading also `base` where base.hdr exists. */
array_format array_format_of(const char *path);
/* On error nothing is left allocated. */
int array_read(array *a, const char *path);
/* Whole or not at all: see output.h. */
int array_write(const array *a, const char *path);
/* Tells whether array_write can write there, before the long work: the format is known, the folder exists and lets us
 * create files, the target is no folder or device. */
int array_writable(const char *path);

/* One format each; file: open for reading at 0, bytes: its length. */
int npy_read(array *a, FILE *file, int64_t bytes, const char *name);
int npy_write(const array *a, const char *path);
int cfl_read_header(array *a, FILE *header, int64_t bytes, const char *name);
int cfl_read_data(array *a, FILE *file, int64_t bytes, const char *name);
int cfl_read(array *a, const char *path);
int cfl_write(const array *a, const char *path);
int hdf5_read(array *a, const char *path);
int hdf5_write(const array *a, const char *path);

/* Opens a regular file for reading. */
int array_open(const char *path, FILE **file, int64_t *bytes);
/* Reads exactly `bytes` bytes. */
int array_read_data(FILE *file, void *data, size_t bytes, const char *name);
#endif
