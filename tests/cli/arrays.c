/* Arrays come back from .npy, .cfl and HDF5 files as they were written; a bad file is one sentence; a full disk leaves the
 * old file as it was and no other. */
#include "common/test.h"

#include "../../apps/cli/array.h"
#include "../../apps/cli/message.h"

#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/offgrid-arrays-XXXXXX";

static const char *in_folder(const char *name) {
  static char paths[4][400];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, 400, "%s/%s", folder, name);
  return path;
}

static int files_in_folder(void) {
  DIR *d = opendir(folder);
  int n = 0;
  while (readdir(d))
    n++;
  closedir(d);
  return n - 2;
}

static array random_array(int ndim, const int64_t *n, int is_complex, int is_single) {
  array a = {.ndim = ndim, .is_complex = is_complex, .is_single = is_single};
  memcpy(a.n, n, (size_t)ndim * sizeof *n);
  CHECK(!array_allocate(&a, "test"), "%s", fail_text());
  for (int64_t i = 0; i < array_count(&a) * (is_complex ? 2 : 1); i++)
    if (is_single)
      ((float *)a.data)[i] = (float)test_uniform();
    else
      ((double *)a.data)[i] = test_uniform();
  return a;
}

static int same(const array *a, const array *b) {
  size_t bytes;
  int trailing = 0; /* BART's files do not know how many ones stand at the end */
  for (int d = b->ndim; d < a->ndim; d++)
    trailing |= a->n[d] != 1;
  for (int d = a->ndim; d < b->ndim; d++)
    trailing |= b->n[d] != 1;
  int common = a->ndim < b->ndim ? a->ndim : b->ndim;
  return !trailing && a->is_complex == b->is_complex && a->is_single == b->is_single &&
         !memcmp(a->n, b->n, (size_t)common * sizeof *a->n) && !array_bytes(a, "a", &bytes) &&
         !memcmp(a->data, b->data, bytes);
}

static void round_trip(const char *name, array *a) {
  array b;
  if (!CHECK(!array_write(a, in_folder(name)), "%s", fail_text()) ||
      !CHECK(!array_read(&b, in_folder(name)), "%s", fail_text()))
    return;
  if (array_format_of(name) == ARRAY_CFL)
    CHECK(!array_convert(a, 1, 1, "test"), "%s", fail_text());
  CHECK(same(a, &b), "%s came back changed", name);
  array_free(&b);
}

static void test_round_trips(void) {
  static const int64_t shapes[][4] = {{7}, {3, 4}, {2, 1, 5}, {4, 3, 2, 1}, {1}, {0, 3}};
  static const int dims[] = {1, 2, 3, 4, 0, 2};
  static const char *const names[] = {"a.npy", "a.cfl", "a.h5:/x", "a.h5:/group/y"};
  for (size_t f = 0; f < 4; f++)
    for (int s = 0; s < 6; s++)
      for (int kind = 0; kind < 4; kind++) {
        test_case("%s, shape %d, %s %s", names[f], s, kind & 1 ? "complex" : "real", kind & 2 ? "f32" : "f64");
        array a = random_array(dims[s], shapes[s], kind & 1, kind >> 1);
        if (f == 1 && !array_count(&a))
          CHECK(array_write(&a, in_folder(names[f])) && strstr(fail_text(), "empty"), "an empty .cfl was written");
        else
          round_trip(names[f], &a);
        array_free(&a);
      }
}

static void write_bytes(const char *path, const void *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, n, file) == n && !fclose(file), "the test cannot write %s", path);
}

/* A .npy file of one's own making. */
static size_t make_npy(char *bytes, int version, const char *dictionary, const void *data, size_t n) {
  size_t length = strlen(dictionary), at = version > 1 ? 12 : 10;
  memcpy(bytes, "\x93NUMPY", 6);
  bytes[6] = (char)version, bytes[7] = 0;
  for (size_t i = 0; i < at - 8; i++)
    bytes[8 + i] = (char)(length >> 8 * i & 255);
  memcpy(bytes + at, dictionary, length);
  memcpy(bytes + at + length, data, n);
  return at + length + n;
}

static void test_npy_variants(void) {
  static const struct {
    int version;
    const char *dictionary;
  } good[] = {{1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n"},
              {2, "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f8\"}"},
              {3, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3,)}   \n"}};
  const double data[6] = {1, 2, 3, 4, 5, 6}, transposed[6] = {1, 3, 5, 2, 4, 6};
  char bytes[500], swapped[48];
  array a;
  for (size_t i = 0; i < 48; i++)
    swapped[i] = ((const char *)data)[i / 8 * 8 + 7 - i % 8];
  for (int i = 0; i < 3; i++) {
    test_case("npy version %d", good[i].version);
    write_bytes(in_folder("v.npy"), bytes, make_npy(bytes, good[i].version, good[i].dictionary, data, sizeof data));
    if (!CHECK(!array_read(&a, in_folder("v.npy")), "%s", fail_text()))
      continue;
    CHECK(a.ndim == 2 && a.n[0] == 3 && a.n[1] == 2 && !memcmp(a.data, data, sizeof data), "read wrongly");
    array_free(&a);
  }
  test_case("npy, Fortran order and big-endian");
  write_bytes(
      in_folder("v.npy"), bytes,
      make_npy(bytes, 1, "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }", swapped, sizeof swapped));
  if (CHECK(!array_read(&a, in_folder("v.npy")), "%s", fail_text())) {
    CHECK(a.n[0] == 3 && a.n[1] == 2 && !memcmp(a.data, transposed, sizeof data), "read wrongly");
    array_free(&a);
  }
}

static void expect_code(const char *path, const char *word, int want) {
  array a;
  int code = array_read(&a, path);
  CHECK(code == want, "%s: code %d, want %d", path, code, want);
  CHECK(strstr(fail_text(), word) && !strchr(fail_text(), '\n'), "'%s' does not say '%s'", fail_text(), word);
  if (!code)
    array_free(&a);
}

static void expect_bad(const char *path, const char *word) { expect_code(path, word, EXIT_FAILED); }

static void test_bad_npy(void) {
  static const struct {
    int version;
    const char *dictionary, *word;
  } bad[] = {
      {4, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,3)}", "version 4"},
      {1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2,3)}", "<i8"},
      {1, "{'descr': '|f8', 'fortran_order': False, 'shape': (2,3)}", "|f8"},
      {1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,3)}", "no plain type"},
      {1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (2,3)}", "fortran_order"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,-3)}", "no number"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,2)}", "too long"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,4)}", "cut short"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296,4294967296,2)}", "2^62"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,4611686018427387904,4611686018427387904)}", "2^62"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "digits"},
      {1, "{'descr': '<f8', 'fortran_order': False, }", "missing"},
      {1, "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (6,)}", "twice"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,)} x", "after"},
      {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,)", "cut short"},
      {1, "", "no dictionary"},
      {1,
       "{'descr': '<f8', 'fortran_order': False, 'shape': "
       "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)}",
       "32 dimensions"}};
  const double data[6] = {0};
  char bytes[800];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    test_case("npy %s", bad[i].dictionary);
    write_bytes(in_folder("b.npy"), bytes, make_npy(bytes, bad[i].version, bad[i].dictionary, data, sizeof data));
    expect_bad(in_folder("b.npy"), bad[i].word);
  }
  size_t n = make_npy(bytes, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", data, sizeof data);
  for (size_t cut = 0; cut < n; cut++) {
    test_case("npy cut to %zu bytes", cut);
    write_bytes(in_folder("b.npy"), bytes, cut);
    expect_bad(in_folder("b.npy"), cut < 10 ? "no .npy" : "cut short");
  }
}

static void test_bad_others(void) {
  static const struct {
    const char *header, *word;
  } bad[] = {{"", "# Dimensions"},
             {"# Dimensions\n", "empty"},
             {"# Dimensions\n2 x\n", "dimension 1"},
             {"# Dimensions\n2 -3\n", "dimension 1"},
             {"# Dimensions\n0 3\n", "dimension 0"},
             {"# Dimensions\n2 2\n", "cut short"},
             {"# Dimensions\n2\n", "too long"},
             {"# Dimensions\n4294967296 4294967296 4294967296\n", "2^62"},
             {"# Dimensions\n99999999999999999999\n", "digits"},
             {"# Dimensions\n1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3\n", "16 dimensions"}};
  const float data[6] = {0};
  write_bytes(in_folder("c.cfl"), data, sizeof data);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    test_case("hdr %s", bad[i].header);
    write_bytes(in_folder("c.hdr"), bad[i].header, strlen(bad[i].header));
    expect_bad(in_folder("c.cfl"), bad[i].word);
  }
  test_case("names");
  write_bytes(in_folder("no.h5"), "nothing", 7);
  expect_bad(in_folder("no.h5:/x"), "no HDF5 file");
  expect_bad(in_folder("a.h5:/nothing"), "/nothing");
  expect_bad(in_folder("a.h5:/group"), "no dataset");
  expect_code(in_folder("a.h5"), "dataset", EXIT_USAGE);
  expect_bad(in_folder("none.npy"), "No such file");
  expect_bad(in_folder("none.cfl"), "No such file");
  expect_bad(in_folder("none.h5:/x"), "No such file");
  expect_code(in_folder("a.text"), "unknown format", EXIT_USAGE);
  expect_bad("/dev/null:/x", "regular");
}

static void test_hdf5_keeps_others(void) {
  const int64_t n = 5;
  array a = random_array(1, &n, 1, 0), b = random_array(1, &n, 0, 1), c;
  test_case("HDF5: a second dataset leaves the first, a third replaces it");
  CHECK(!array_write(&a, in_folder("k.h5:/a")) && !array_write(&b, in_folder("k.h5:/b")), "%s", fail_text());
  if (CHECK(!array_read(&c, in_folder("k.h5:/a")), "%s", fail_text())) {
    CHECK(same(&a, &c), "the first dataset changed");
    array_free(&c);
  }
  CHECK(!array_write(&b, in_folder("k.h5:/a")), "%s", fail_text());
  if (CHECK(!array_read(&c, in_folder("k.h5:/a")), "%s", fail_text())) {
    CHECK(same(&b, &c), "the dataset was not replaced");
    array_free(&c);
  }
  CHECK(array_write(&a, in_folder("a.h5:/group")) == EXIT_FAILED, "a group was overwritten by a dataset");
  CHECK(array_write(&a, in_folder("k.h5:/a/b")) == EXIT_FAILED && strstr(fail_text(), "/a is a dataset"), "'%s'",
        fail_text());
  CHECK(array_write(&a, in_folder("no.h5:/x")) == EXIT_FAILED, "a file that is not HDF5 was overwritten");
  array_free(&a);
  array_free(&b);
}

/* A file's pair of numbers: parts in any order, of any size and byte order, with gaps; nothing of the larger one is lost. */
static void hdf5_pairs(hid_t file, const char *name, hid_t real, hid_t imaginary, size_t at_real, size_t at_imaginary,
                       int is_single) {
  enum { N = 6 };
  struct pair {
    double r, i;
  } in[N];
  const hsize_t n = N;
  array a;
  hid_t memory = H5Tcreate(H5T_COMPOUND, sizeof *in), type = H5Tcreate(H5T_COMPOUND, 40);
  H5Tinsert(memory, "r", offsetof(struct pair, r), H5T_NATIVE_DOUBLE);
  H5Tinsert(memory, "i", offsetof(struct pair, i), H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "r", at_real, real);
  H5Tinsert(type, "i", at_imaginary, imaginary);
  for (int j = 0; j < N; j++) {
    in[j].r = H5Tget_size(real) == 4 ? (double)(float)test_uniform() : test_uniform();
    in[j].i = H5Tget_size(imaginary) == 4 ? (double)(float)test_uniform() : test_uniform();
  }
  hid_t space = H5Screate_simple(1, &n, NULL);
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, in) >= 0, "HDF5 does not write");
  H5Dclose(dataset);
  H5Sclose(space);
  H5Tclose(type);
  H5Tclose(memory);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  char path[100];
  snprintf(path, sizeof path, "p.h5:/%s", name);
  test_case("HDF5: %s", path);
  if (!CHECK(!array_read(&a, in_folder(path)), "%s", fail_text()))
    return;
  CHECK(a.is_complex && a.is_single == is_single, "complex %d, single %d", a.is_complex, a.is_single);
  for (int j = 0; j < 2 * N && a.is_single == is_single; j++) {
    double got = is_single ? (double)((float *)a.data)[j] : ((double *)a.data)[j],
           want = j % 2 ? in[j / 2].i : in[j / 2].r;
    CHECK(got == want, "number %d: %.17g became %.17g", j, want, got);
  }
  array_free(&a);
}

static void test_hdf5_pairs(void) {
  array a = {.ndim = 0};
  array_allocate(&a, "test");
  memset(a.data, 0, array_item(&a));
  CHECK(!array_write(&a, in_folder("p.h5:/a")), "%s", fail_text()); /* HDF5 is set up as the command does it */
  array_free(&a);
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  hid_t file = H5Fopen(in_folder("p.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
  if (!CHECK(file >= 0, "HDF5 does not open its file"))
    return;
  hdf5_pairs(file, "double", H5T_IEEE_F64LE, H5T_IEEE_F64LE, 0, 8, 0);
  hdf5_pairs(file, "single", H5T_IEEE_F32LE, H5T_IEEE_F32LE, 0, 4, 1);
  hdf5_pairs(file, "big-endian", H5T_IEEE_F64BE, H5T_IEEE_F64BE, 0, 8, 0);
  hdf5_pairs(file, "turned", H5T_IEEE_F64LE, H5T_IEEE_F64LE, 8, 0, 0);
  hdf5_pairs(file, "gaps", H5T_IEEE_F32BE, H5T_IEEE_F32LE, 3, 21, 1);
  hdf5_pairs(file, "single_double", H5T_IEEE_F32LE, H5T_IEEE_F64LE, 0, 4, 0);
  hdf5_pairs(file, "double_single", H5T_IEEE_F64LE, H5T_IEEE_F32BE, 9, 4, 0);
  H5Fclose(file);
}

/* A limit on the size of files stands for a full disk: write fails in the same way, with EFBIG for ENOSPC. */
static void test_full_disk(void) {
  static const char *const names[] = {"f.npy", "f.cfl", "f.h5:/x", "f.h5:/y"};
  const int64_t small = 10, large = 200000;
  array a = random_array(1, &small, 1, 1), b = random_array(1, &large, 1, 1), c;
  struct rlimit old, limit;
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < 4; i++) {
    test_case("full disk, %s", names[i]);
    const char *written = i == 3 ? names[2] : names[i];
    CHECK(!array_write(&a, in_folder(written)), "%s", fail_text());
    int before = files_in_folder();
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &limit);
    int code = array_write(&b, in_folder(names[i]));
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(code == EXIT_FAILED && strstr(fail_text(), "free some space"), "code %d, '%s'", code, fail_text());
    CHECK(files_in_folder() == before, "%d files, %d before", files_in_folder(), before);
    if (CHECK(!array_read(&c, in_folder(written)), "%s", fail_text())) {
      CHECK(same(&a, &c), "the old file changed");
      array_free(&c);
    }
  }
  array_free(&a);
  array_free(&b);
}

static void test_unwritable(void) {
  const int64_t n = 3;
  array a = random_array(1, &n, 0, 0);
  test_case("places that cannot be written");
  CHECK(array_writable(in_folder("nowhere/a.npy")) && strstr(fail_text(), "no folder"), "'%s'", fail_text());
  CHECK(array_writable("/dev/full:/x") && strstr(fail_text(), "regular"), "'%s'", fail_text());
  CHECK(array_write(&a, in_folder("nowhere/a.npy")) == EXIT_FAILED, "wrote into a folder that is not there");
  CHECK(array_write(&a, in_folder("a.text")) == EXIT_USAGE, "wrote an unknown format");
  test_case("a link is written through");
  CHECK(!symlink("target.npy", in_folder("link.npy")), "no link");
  CHECK(!array_write(&a, in_folder("link.npy")) && !access(in_folder("target.npy"), R_OK), "%s", fail_text());
  CHECK(!array_write(&a, in_folder("target.npy")) && !array_write(&a, in_folder("link.npy")), "%s", fail_text());
  char text[20];
  CHECK(readlink(in_folder("link.npy"), text, sizeof text) == 10, "the link was replaced by a file");
  array_free(&a);
}

/* nohup has SIGHUP ignored, the shell's & SIGINT: a handler that removes temporary files must not undo that. */
static void test_ignored_signals(void) {
  test_case("signals that the caller ignores");
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    const int64_t n = 3;
    array a = random_array(1, &n, 0, 0);
    signal(SIGHUP, SIG_IGN);
    int code = array_write(&a, in_folder("hup.npy"));
    raise(SIGHUP);
    _exit(code);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0, "status %d after an ignored signal", status);
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "arrays come back from files as they were written; bad files and full disks are clear errors");
  if (!CHECK(mkdtemp(folder), "no temporary folder"))
    return test_end();
  test_round_trips();
  test_npy_variants();
  test_bad_npy();
  test_bad_others();
  test_hdf5_keeps_others();
  test_hdf5_pairs();
  test_full_disk();
  test_unwritable();
  test_ignored_signals();
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  CHECK(!system(command), "%s", command);
  return test_end();
}
