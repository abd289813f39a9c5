/* The last error's sentence may be part of the next one. */
#include "base/error.h"
#include "common/test.h"

int main(int argc, char **argv) {
  test_begin(argc, argv, "an error keeps the sentence that it passes on");
  test_case("passed on");
  og_error_set(OG_ERR_MEMORY, "inner", "no memory for %d bytes", 17);
  CHECK(og_error_set(OG_ERR_BACKEND, "outer", "cannot: %s", og_last_error()) == OG_ERR_BACKEND, "the code");
  CHECK(!strcmp(og_last_error(), "outer: cannot: inner: no memory for 17 bytes"), "the sentence is '%s'",
        og_last_error());
  return test_end();
}
