/* Opened devices: one per driver and number in a process, shared by all plans and closed with the last. */
#include "base/memory.h"
#include "gpu/program.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static og_gpu_device *devices;

static og_gpu_device *find(const og_gpu_driver *driver, int number) {
  for (og_gpu_device *device = devices; device; device = device->next)
    if (device->driver == driver && device->number == number)
      return device;
  return NULL;
}

/* Fills a zeroed device; what it holds after an error, discard() gives back. */
static int fill(og_gpu_device *device) {
  const og_gpu_driver *driver = device->driver;
  int count = 0;
  OG_TRY(driver->load());
  OG_TRY(driver->count(&count));
  OG_CHECK(count > 0, OG_ERR_BACKEND, "%s finds no device on this machine", driver->name);
  OG_CHECK(device->number >= 0 && device->number < count, OG_ERR_BACKEND, "%s device %d: want 0 to %d", driver->name,
           device->number, count - 1);
  OG_TRY(driver->open(device->number, &device->info, &device->handle));
  device->programs = og_gpu_programs_create();
  OG_CHECK(device->programs, OG_ERR_MEMORY, "no memory for the programs of %s device %d", driver->name, device->number);
  return OG_OK;
}

static void discard(og_gpu_device *device) {
  if (device->programs)
    og_gpu_programs_destroy(device->driver, device->programs);
  if (device->handle)
    device->driver->close(device->handle);
  og_free(device);
}

static int open_new(const og_gpu_driver *driver, int number, og_gpu_device **device) {
  og_gpu_device *fresh = og_allocate_zeroed(sizeof *fresh);
  OG_CHECK(fresh, OG_ERR_MEMORY, "no memory for a device's description");
  fresh->driver = driver;
  fresh->number = number;
  int code = fill(fresh);
  if (code) {
    discard(fresh);
    return code;
  }
  fresh->users = 1;
  fresh->next = devices;
  *device = devices = fresh;
  return OG_OK;
}

/* The lock is held while a device opens, so that a second caller waits for it instead of opening it again. */
int og_gpu_device_open(const og_gpu_driver *driver, int number, og_gpu_device **device) {
  int code = OG_OK;
  pthread_mutex_lock(&lock);
  *device = find(driver, number);
  if (*device)
    (*device)->users++;
  else
    code = open_new(driver, number, device);
  pthread_mutex_unlock(&lock);
  return code;
}

void og_gpu_device_close(og_gpu_device *device) {
  if (!device)
    return;
  pthread_mutex_lock(&lock);
  if (--device->users == 0) {
    og_gpu_device **link = &devices;
    while (*link != device)
      link = &(*link)->next;
    *link = device->next;
    discard(device);
  }
  pthread_mutex_unlock(&lock);
}
