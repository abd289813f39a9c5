/* The hash is SHA-256: the answers that FIPS 180-4's examples give, in one piece and in every split. */
#include "base/hash.h"
#include "common/test.h"

static void digest_of(const char *data, size_t bytes, size_t split, char text[65]) {
  unsigned char digest[32];
  og_hash hash;
  og_hash_begin(&hash);
  og_hash_add(&hash, data, split);
  og_hash_add(&hash, data + split, bytes - split);
  og_hash_end(&hash, digest);
  og_hash_text(digest, text);
}

int main(int argc, char **argv) {
  static const struct {
    const char *text, *want;
  } cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrst"
       "u",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
  };
  char got[65];
  test_begin(argc, argv, "og_hash is SHA-256");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t split = 0; split <= strlen(cases[i].text); split++) {
      test_case("'%.20s...', split at %zu", cases[i].text, split);
      digest_of(cases[i].text, strlen(cases[i].text), split, got);
      CHECK(!strcmp(got, cases[i].want), "got %s", got);
    }
  char *million = test_keep(malloc(1000000));
  memset(million, 'a', 1000000);
  test_case("a million times a");
  digest_of(million, 1000000, 123457, got);
  CHECK(!strcmp(got, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"), "got %s", got);
  test_free();
  return test_end();
}
