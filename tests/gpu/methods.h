/* What the tests of spreading and interpolation go through: every method, with each driver that works here. */
#ifndef OG_TEST_GPU_METHODS
#define OG_TEST_GPU_METHODS
#include "lanes.h"
#include "sorted.h"

typedef struct test_methods {
  const char *const *names;
  int n_names;
  int kinds;        /* 2: values, and values with gradient; 1: the former alone */
  int stream_lines; /* the method stream is there in one dimension */
  void (*run)(test_gpu *gpu, const char *method, const test_problem *p);
} test_methods;

static void test_method(const test_methods *all, test_gpu *gpu, const char *method, const test_problem *p) {
  test_name_case(gpu->driver, method, p);
  all->run(gpu, method, p);
  test_free();
}

static int test_method_exists(const test_methods *all, const char *method, int dim) {
  return all->stream_lines || dim > 1 || strcmp(method, "stream") != 0;
}

static void test_methods_sweep(const test_methods *all, test_gpu *gpu) {
  for (int m = 0; m < all->n_names; m++)
    for (int width = 2; width <= OG_MAX_WIDTH; width++)
      for (int repeat = 0; repeat < 8; repeat++) {
        test_problem p = test_random_problem(width, repeat % all->kinds);
        if (test_method_exists(all, all->names[m], p.dim) && test_driver_sample(gpu->driver, 40))
          test_method(all, gpu, all->names[m], &p);
      }
}

/* Where work items are slow: each method, dimension and precision, few points. Only the matrix method in depth. */
static void test_methods_sweep_small(const test_methods *all, test_gpu *gpu, int matrix_too) {
  for (int m = 0; m < all->n_names; m++)
    for (int dim = 1; dim <= 3; dim++)
      for (int form = 0; form < 2 * all->kinds && test_method_exists(all, all->names[m], dim); form++) {
        int repeats = matrix_too && !strcmp(all->names[m], "matrix") ? 5 : 1;
        for (int repeat = 0; repeat < repeats; repeat++) {
          int width = (int)test_integer(2, repeats > 1 ? OG_MAX_WIDTH : 5);
          test_problem p = test_small_problem(dim, form % 2, width, form / 2);
          if (test_sample(12))
            test_method(all, gpu, all->names[m], &p);
        }
      }
}

static void test_methods_everywhere(const test_methods *all) {
  test_gpu gpu = {0};
  for (int i = 0; i < TEST_DRIVERS; i++)
    if (test_driver_thorough(test_drivers[i]) && test_gpu_open(test_drivers[i], &gpu)) {
      if (strstr(gpu.device->info.name, "Oclgrind"))
        test_methods_sweep_small(all, &gpu, 0);
      else
        test_methods_sweep(all, &gpu);
      test_gpu_close(&gpu);
    }
  if (test_lanes_open(&gpu)) {
    test_methods_sweep_small(all, &gpu, 1);
    test_gpu_close(&gpu);
  }
}
#endif
