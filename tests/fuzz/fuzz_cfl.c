/* The .hdr/.cfl reader survives any bytes. Input: the header, a zero byte, the data. */
#include "../../apps/cli/array.h"
#include "../../apps/cli/message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *open_memory(const uint8_t *data, size_t size) {
  return size ? fmemopen((void *)(uintptr_t)data, size, "rb") : fopen("/dev/null", "rb");
}

static int read_pair(array *a, const uint8_t *data, size_t header, size_t rest) {
  FILE *file = open_memory(data, header);
  int code = file ? cfl_read_header(a, file, (int64_t)header, "fuzz.hdr") : 1;
  if (file)
    fclose(file);
  if (code)
    return code;
  file = open_memory(data + header + 1, rest);
  code = file ? cfl_read_data(a, file, (int64_t)rest, "fuzz.cfl") : 1;
  if (file)
    fclose(file);
  return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
  if (!zero)
    return 0;
  array a;
  size_t bytes, header = (size_t)(zero - data), rest = size - header - 1;
  memset(&a, 0, sizeof a);
  if (read_pair(&a, data, header, rest)) {
    if (a.data || strchr(fail_text(), '\n'))
      abort();
    return 0;
  }
  if (array_bytes(&a, "fuzz.cfl", &bytes) || bytes != rest)
    abort();
  if (array_convert(&a, 1, 0, "fuzz.cfl"))
    abort();
  array_free(&a);
  return 0;
}
