/* The .npy reader survives any bytes: an array that fits the file, or one sentence; nothing leaked, nothing overrun. */
#include "../../apps/cli/array.h"
#include "../../apps/cli/message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
  if (!file)
    return 0;
  array a;
  size_t bytes;
  if (npy_read(&a, file, (int64_t)size, "fuzz.npy")) {
    if (a.data || !*fail_text() || strchr(fail_text(), '\n'))
      abort();
  } else {
    if (array_bytes(&a, "fuzz.npy", &bytes) || bytes > size)
      abort();
    /* reads every number, so that the sanitizers see them */
    if (array_convert(&a, 1, !a.is_single, "fuzz.npy"))
      abort();
    array_free(&a);
  }
  fclose(file);
  return 0;
}
