/* A device that is none: the host driver with teams of threads in subgroups of 64 that have AMD's matrix instruction
 * (kernels/dialect/lanes.h). Kernels run there with the teams, exchanges and fragments that they have on a CDNA device. */
#ifndef OG_TEST_GPU_LANES
#define OG_TEST_GPU_LANES
#include "harness.h"

#include <pthread.h>

typedef struct test_launch {
  void *queue, *kernel;
  const int64_t *groups;
  int n_args;
  const og_gpu_arg *args;
} test_launch;

static void *test_lane(void *argument) {
  const test_launch *l = argument;
  return og_gpu_host.launch(l->queue, l->kernel, l->groups, 1, l->n_args, l->args) ? argument : NULL;
}

static int test_lanes_launch(void *queue, void *kernel, const int64_t groups[3], int team, int n_args,
                             const og_gpu_arg *args) {
  enum { MOST = 1024 };
  static pthread_t threads[MOST];
  test_launch l = {queue, kernel, groups, n_args, args};
  int failed = 0;
  void *result;
  if (team > MOST)
    return OG_ERR_SIZE;
  for (int i = 0; i < team; i++)
    if (pthread_create(&threads[i], NULL, test_lane, &l)) {
      printf("cannot make %d threads\n", team); /* those that are there wait for the rest for ever */
      exit(2);
    }
  for (int i = 0; i < team; i++) {
    pthread_join(threads[i], &result);
    failed |= result != NULL;
  }
  return failed ? OG_ERR_BACKEND : OG_OK;
}

static int test_lanes_device(int number, og_gpu_info *info, void **device) {
  int code = og_gpu_host.open(number, info, device);
  info->subgroup = 64;
  info->max_team = 1024;
  info->local_bytes = 65536;
  info->f64 = 2;
  info->matrix = 1;
  return code;
}

static int test_lanes_kernel(void *program, const char *name, void **kernel, og_gpu_kernel_info *info) {
  int code = og_gpu_host.kernel(program, name, kernel, info);
  info->max_team = 1024;
  return code;
}

/* For test_gpu_close. Only where it is asked for (--backend lanes): interpolation was seen to wait for ever there. */
static TEST_UNUSED int test_lanes_open(test_gpu *gpu) {
  static og_gpu_driver lanes;
  const char *source = getenv("OFFGRID_SOURCE");
  char kernels[4096];
  if (!test.backend || strcmp(test.backend, "lanes"))
    return 0;
  snprintf(kernels, sizeof kernels, "%s/tests/gpu/kernels", source ? source : ".");
  setenv("OFFGRID_KERNELS", kernels, 1);
  lanes = og_gpu_host;
  lanes.name = "lanes";
  lanes.dialect = "dialect/lanes.h";
  lanes.open = test_lanes_device;
  lanes.kernel = test_lanes_kernel;
  lanes.launch = test_lanes_launch;
  return test_gpu_open(&lanes, gpu);
}
#endif
