/* A failing allocation, each in turn, while a device opens, a program is made and a kernel runs: a clean OG_ERR_MEMORY, or no harm
 * where only the cache wanted it; what failed works when tried again; nothing is leaked. */
#include "common/allocator.h"
#include "harness.h"

typedef struct scene {
  const og_gpu_driver *driver;
  og_gpu_device *device;
  void *queue, *memory, *mark, *kernel;
  int32_t out;
} scene;

static int open_device(scene *s) { return og_gpu_device_open(s->driver, 0, &s->device); }
static int make_queue(scene *s) { return s->driver->queue_create(s->device->handle, NULL, &s->queue); }
static int take_memory(scene *s) { return s->driver->allocate(s->device->handle, sizeof s->out, &s->memory); }
static int make_mark(scene *s) { return s->driver->mark_create(s->device->handle, &s->mark); }
static int make_program(scene *s) {
  static const og_gpu_macro macros[] = {{"VALUE", 9}, {NULL, 0}};
  og_gpu_kernel_info info;
  return og_gpu_program(s->device, "small.c", macros, "small", &s->kernel, &info);
}
static int run_kernel(scene *s) {
  const int64_t one[3] = {1, 1, 1};
  og_gpu_arg arg = OG_GPU_ARG(s->memory);
  OG_TRY(s->driver->launch(s->queue, s->kernel, one, 1, 1, &arg));
  OG_TRY(s->driver->copy(s->queue, &s->out, s->memory, sizeof s->out));
  return s->driver->finish(s->queue);
}

static int (*const steps[])(scene *s) = {open_device,  make_queue, take_memory, make_mark,
                                         make_program, run_kernel, NULL};

/* Returns whether the allocation was reached. */
static int run(const og_gpu_driver *driver, long fail, int give_up) {
  scene s = {.driver = driver};
  count = 0;
  fail_at = fail;
  int stopped = 0;
  for (int i = 0; steps[i] && !stopped; i++) {
    int code = steps[i](&s);
    if (!code)
      continue;
    CHECK(code == OG_ERR_MEMORY, "step %d, allocation %ld: code %d (%s)", i, fail, code, og_last_error());
    CHECK(strlen(og_last_error()) > 10, "no sentence");
    stopped = give_up || !CHECK_OK(steps[i](&s)); /* it was that allocation only */
  }
  int reached = count > fail;
  if (!stopped)
    CHECK(s.out == 9, "allocation %ld: the kernel wrote %d", fail, s.out);
  if (s.mark)
    driver->mark_destroy(s.mark);
  if (s.memory)
    driver->release(s.device->handle, s.memory);
  if (s.queue)
    driver->queue_destroy(s.queue);
  if (s.device)
    og_gpu_device_close(s.device);
  CHECK(live == 0, "allocation %ld: %ld blocks are left", fail, live);
  live = 0;
  return reached && fail >= 0;
}

int main(int argc, char **argv) {
  char cache[4096];
  test_begin(argc, argv, "A failing allocation in the gpu room is a clean error, and nothing is leaked");
  test_gpu_folders(cache, sizeof cache);
  for (int d = 0; d < TEST_DRIVERS; d++) {
    if (!test_driver_wanted(test_drivers[d]))
      continue;
    for (int cold = 0; cold < 2; cold++)
      for (long fail = -1; fail < 1000; fail++) {
        test_case("%s, %s cache, allocation %ld", test_drivers[d]->name, cold ? "cold" : "warm", fail);
        if (cold)
          test_gpu_clean(cache);
        if (!run(test_drivers[d], fail, fail % 2) && fail >= 0)
          break;
      }
  }
  test_gpu_clean(cache);
  return test_end();
}
