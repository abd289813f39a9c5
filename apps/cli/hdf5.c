/* HDF5 datasets, file.h5:/path: real numbers of any size, and complex ones as the compound of two floats {r, i} that h5py
 * writes (also named re/im or real/imag). Byte order and size are converted by the HDF5 library. */
#define _GNU_SOURCE
#include "array.h"
#include "message.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* file.h5:/path -> file.h5 and /path. */
static int split(const char *path, char file[4096], const char **dataset) {
  const char *colon = strstr(path, ":/");
  if (!colon || !colon[2])
    return fail_usage("%s: say which dataset: file.h5:/name", path);
  if (colon - path >= 4096)
    return fail("%s: the name is too long", path);
  memcpy(file, path, (size_t)(colon - path));
  file[colon - path] = 0;
  *dataset = colon + 1;
  return 0;
}

/* The innermost sentence of HDF5's error stack. */
static herr_t innermost(unsigned n, const H5E_error2_t *error, void *text) {
  (void)n;
  snprintf(text, 200, "%s", error->desc ? error->desc : "");
  return 0;
}

static const char *reason(void) {
  static char text[200];
  text[0] = 0;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, text);
  return *text ? text : "unknown reason";
}

/* Comes before every other call of HDF5: its exit handler closes what a damaged file left open, and crashes (1.10). */
static void quiet(void) {
  static int begun;
  if (!begun++)
    H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static const char *const part_names[][2] = {{"r", "i"}, {"re", "im"}, {"real", "imag"}};

/* The memory type into which to read a file's type; < 0 where the file's type is none of ours. */
static hid_t memory_type(hid_t type, array *a) {
  H5T_class_t class = H5Tget_class(type);
  if (class == H5T_FLOAT || class == H5T_INTEGER) {
    a->is_single = class == H5T_FLOAT && H5Tget_size(type) <= 4;
    return H5Tcopy(a->is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
  }
  if (class != H5T_COMPOUND || H5Tget_nmembers(type) != 2)
    return -1;
  for (size_t i = 0; i < sizeof part_names / sizeof *part_names; i++) {
    int first = H5Tget_member_index(type, part_names[i][0]), second = H5Tget_member_index(type, part_names[i][1]);
    if (first < 0 || second < 0)
      continue;
    if (H5Tget_member_class(type, (unsigned)first) != H5T_FLOAT ||
        H5Tget_member_class(type, (unsigned)second) != H5T_FLOAT)
      return -1;
    a->is_complex = 1;
    hid_t members[] = {H5Tget_member_type(type, (unsigned)first), H5Tget_member_type(type, (unsigned)second)};
    a->is_single = H5Tget_size(members[0]) <= 4 && H5Tget_size(members[1]) <= 4;
    H5Tclose(members[0]);
    H5Tclose(members[1]);
    size_t size = a->is_single ? 4 : 8;
    hid_t number = a->is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, result = H5Tcreate(H5T_COMPOUND, 2 * size);
    H5Tinsert(result, part_names[i][0], 0, number);
    H5Tinsert(result, part_names[i][1], size, number);
    return result;
  }
  return -1;
}

static int read_shape(hid_t space, array *a, const char *path) {
  int ndim = H5Sget_simple_extent_ndims(space);
  if (ndim < 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
    return fail("%s: has no shape (an empty dataset)", path);
  if (ndim > ARRAY_MAX_DIMS)
    return fail("%s: has more than %d dimensions", path, ARRAY_MAX_DIMS);
  hsize_t n[ARRAY_MAX_DIMS];
  H5Sget_simple_extent_dims(space, n, NULL);
  a->ndim = ndim;
  for (int d = 0; d < ndim; d++) {
    if (n[d] > INT64_MAX)
      return fail("%s: a dimension is larger than 2^63", path);
    a->n[ndim - 1 - d] = (int64_t)n[d];
  }
  return 0;
}

/* A dataset may promise far more than the file holds (fill values): compare before allocating. Compressed data may well
 * be larger in memory, up to about a thousandfold. */
static int plausible(hid_t dataset, const array *a, const char *path) {
  size_t bytes = 0;
  TRY(array_bytes(a, path, &bytes));
  hsize_t stored = H5Dget_storage_size(dataset);
  if (bytes > ((size_t)1 << 30) && bytes / 1100 > stored)
    return fail("%s: promises %zu bytes, but its file holds only %llu of them", path, bytes,
                (unsigned long long)stored);
  return 0;
}

static int read_dataset(hid_t dataset, array *a, const char *path) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset), memory = type < 0 ? -1 : memory_type(type, a);
  int code;
  if (memory < 0)
    code = fail("%s: its numbers are neither real nor complex (a compound of floats r and i); convert them", path);
  else
    code = read_shape(space, a, path);
  if (!code)
    code = plausible(dataset, a, path);
  if (!code)
    code = array_allocate(a, path);
  if (!code && array_count(a) && H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) < 0)
    code = fail("%s: the dataset cannot be read: %s", path, reason());
  if (memory >= 0)
    H5Tclose(memory);
  if (space >= 0)
    H5Sclose(space);
  if (type >= 0)
    H5Tclose(type);
  if (code)
    array_free(a);
  return code;
}

int hdf5_read(array *a, const char *path) {
  char name[4096];
  const char *where = NULL;
  FILE *probe = NULL;
  int64_t bytes;
  memset(a, 0, sizeof *a);
  TRY(split(path, name, &where));
  TRY(array_open(name, &probe, &bytes)); /* for its plain messages: missing, no permission, a folder */
  fclose(probe);
  quiet();
  hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0)
    return fail("%s: is no HDF5 file that can be read: %s", name, reason());
  hid_t dataset = H5Dopen2(file, where, H5P_DEFAULT);
  int code = dataset < 0 ? fail("%s: has no dataset %s; h5ls -r lists what it has", name, where)
                         : read_dataset(dataset, a, path);
  if (dataset >= 0)
    H5Dclose(dataset);
  H5Fclose(file);
  return code;
}

static hid_t file_type(const array *a) {
  hid_t number = a->is_single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  if (!a->is_complex)
    return H5Tcopy(number);
  size_t size = a->is_single ? 4 : 8;
  hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
  H5Tinsert(type, "r", 0, number);
  H5Tinsert(type, "i", size, number);
  return type;
}

/* Everything above the dataset must be a group, or not there yet. */
static int check_groups(hid_t file, const char *where, const char *path) {
  char above[4096];
  H5O_info_t info;
  for (const char *end = strchr(where + 1, '/'); end; end = strchr(end + 1, '/')) {
    if ((size_t)snprintf(above, sizeof above, "%.*s", (int)(end - where), where) >= sizeof above)
      return fail("%s: the name is too long", path);
    if (H5Lexists(file, above, H5P_DEFAULT) <= 0)
      return 0;
    if (H5Oget_info_by_name(file, above, &info, H5P_DEFAULT) >= 0 && info.type != H5O_TYPE_GROUP)
      return fail("%s: %s is a dataset in that file, nothing can stand below it; choose another name", path, above);
  }
  return 0;
}

/* What stands under the name now may be replaced if it is a dataset, not if it is a group with more below it. */
static int make_room(hid_t file, const char *where, const char *path) {
  H5O_info_t info;
  if (H5Lexists(file, where, H5P_DEFAULT) <= 0)
    return 0;
  if (H5Oget_info_by_name(file, where, &info, H5P_DEFAULT) >= 0 && info.type != H5O_TYPE_DATASET)
    return fail("%s: is a group, not a dataset; choose another name", path);
  return H5Ldelete(file, where, H5P_DEFAULT) < 0 ? fail("%s: cannot be replaced: %s", path, reason()) : 0;
}

/* Creates the dataset and the groups above it. Little-endian files from little-endian memory: file type and memory type
 * are the same. */
static int write_dataset(hid_t file, const array *a, const char *where, const char *path) {
  hsize_t n[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++)
    n[d] = (hsize_t)a->n[a->ndim - 1 - d];
  TRY(check_groups(file, where, path));
  TRY(make_room(file, where, path));
  hid_t type = file_type(a), links = H5Pcreate(H5P_LINK_CREATE);
  hid_t space = a->ndim ? H5Screate_simple(a->ndim, n, NULL) : H5Screate(H5S_SCALAR);
  H5Pset_create_intermediate_group(links, 1);
  hid_t dataset = H5Dcreate2(file, where, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  int code = dataset < 0 ? fail("%s: cannot be created in the file: %s", path, reason()) : 0;
  if (!code && array_count(a) && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) < 0)
    code = fail("%s: cannot be written: %s", path, reason());
  if (dataset >= 0)
    H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(links);
  H5Tclose(type);
  return code;
}

/* The old file's bytes; *bytes = 0 where there is none. */
static int read_old(const char *name, void **old, int64_t *bytes) {
  FILE *file;
  *old = NULL;
  *bytes = 0;
  file = fopen(name, "rb");
  if (!file)
    return 0;
  fclose(file);
  TRY(array_open(name, &file, bytes));
  *old = malloc((size_t)*bytes + 1);
  int code = *old ? array_read_data(file, *old, (size_t)*bytes, name) : fail("%s: out of memory", name);
  fclose(file);
  return code;
}

static int write_image(hid_t file, int existed, const char *name) {
  ssize_t bytes = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
  void *image = bytes < 0 ? NULL : malloc((size_t)bytes);
  output o;
  int code = 0;
  if (bytes >= 0 && !image)
    code = fail("%s: out of memory, %zd bytes wanted for the whole file", name, bytes);
  else if (bytes < 0 || H5Fget_file_image(file, image, (size_t)bytes) < 0)
    code = fail("%s: %s: %s", name,
                existed ? "nothing can be added, the HDF5 file that stands there is damaged"
                        : "the HDF5 file cannot be put together",
                reason());
  if (!code)
    code = output_open(&o, name);
  if (!code) {
    code = output_write(&o, image, (size_t)bytes);
    if (code)
      output_abandon(&o);
    else
      code = output_commit(&o);
  }
  free(image);
  return code;
}

/* Two commands that add to one file would each put together what it held before: the second one waits for the first. The
 * folder is what is locked, because the file may not be there yet and is replaced. A file system without locks: no wait. */
static int lock_folder(const char *name) {
  char *target = realpath(name, NULL), copy[4096];
  snprintf(copy, sizeof copy, "%s", target ? target : name); /* through links, as output.c writes */
  free(target);
  int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR)
    ;
  return fd;
}

/* HDF5 1.10 crashes at exit after a write that failed on a full disk. So the file, with what it held before, is put
 * together in memory (the core driver) and written by output.c, whole or not at all. */
static int write_locked(const array *a, const char *path, const char *name, const char *where) {
  quiet();
  size_t bytes = 0;
  int64_t old_bytes = 0;
  void *old = NULL;
  int code = array_bytes(a, path, &bytes);
  if (!code)
    code = read_old(name, &old, &old_bytes);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
  H5Pset_fapl_core(access, bytes + 65536, 0);
  if (!code && old_bytes && H5Pset_file_image(access, old, (size_t)old_bytes) < 0)
    code = fail("%s: out of memory", name);
  free(old);
  if (!code) {
    /* the image is what is opened; HDF5 refuses the name of a file that exists */
    const char *no_file = "/offgrid/in/memory";
    file = old_bytes ? H5Fopen(no_file, H5F_ACC_RDWR, access) : H5Fcreate(no_file, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    code = file < 0 ? fail("%s: stands there and is no HDF5 file: %s", name, reason())
                    : write_dataset(file, a, where, path);
  }
  if (!code)
    code = write_image(file, old_bytes > 0, name);
  if (file >= 0)
    H5Fclose(file);
  H5Pclose(access);
  return code;
}

int hdf5_write(const array *a, const char *path) {
  char name[4096];
  const char *where = NULL;
  TRY(split(path, name, &where));
  TRY(output_writable(name));
  int lock = lock_folder(name), code = write_locked(a, path, name, where);
  if (lock >= 0)
    close(lock);
  return code;
}
