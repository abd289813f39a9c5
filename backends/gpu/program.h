/* Kernels as programs: embedded texts, specialised by macros, compiled at run time, cached in memory and on disk. */
#ifndef OG_GPU_PROGRAM_H
#define OG_GPU_PROGRAM_H
#include "gpu/drivers/driver.h"

/* An opened device with everything that plans on it share; counted. */
typedef struct og_gpu_device {
  const og_gpu_driver *driver;
  void *handle;
  int number;
  og_gpu_info info;
  struct og_gpu_programs *programs; /* of program.c */
  int users;                        /* of device.c, as is next */
  struct og_gpu_device *next;
} og_gpu_device;

/* The device of that driver and number, opened once per process and counted. */
int og_gpu_device_open(const og_gpu_driver *driver, int number, og_gpu_device **device) OG_MUST_CHECK;
void og_gpu_device_close(og_gpu_device *device);

/* One macro of a specialisation: -Dname=value. */
typedef struct og_gpu_macro {
  const char *name;
  int64_t value;
} og_gpu_macro;

/* The kernel `kernel` of the embedded text `file` ("spread_matrix.c") with these macros (a list that ends with a NULL name).
 * From memory where this process had it, from the disk cache, or compiled. Tables that a specialisation needs (the
 * window's coefficients) are arguments, not macros, so that programs serve every window of a width.
 * *kernel stays valid as long as the device is open. */
int og_gpu_program(og_gpu_device *device, const char *file, const og_gpu_macro *macros, const char *kernel,
                   void **handle, og_gpu_kernel_info *info) OG_MUST_CHECK;

/* The complete text that a driver's compiler gets, for `make matrix` and tests; for og_free. Needs no device and no vendor
 * library. Texts come from the folder OFFGRID_KERNELS where it has them, else from those embedded in the library. */
int og_gpu_program_source(const og_gpu_driver *driver, const char *file, const og_gpu_macro *macros,
                          char **source) OG_MUST_CHECK;

/* How many times this process asked a compiler, for tests. */
long og_gpu_programs_compiled(void);

/* For device.c: what a device keeps of its programs; NULL where memory is short. */
struct og_gpu_programs *og_gpu_programs_create(void);
void og_gpu_programs_destroy(const og_gpu_driver *driver, struct og_gpu_programs *programs);
#endif
