/* SHA-256 (FIPS 180-4): names of files in a cache that holds machine code, and the check of their content. */
#ifndef OG_BASE_HASH_H
#define OG_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

typedef struct og_hash {
  uint32_t state[8];
  uint64_t bytes;
  unsigned char block[64];
} og_hash;

void og_hash_begin(og_hash *hash);
void og_hash_add(og_hash *hash, const void *data, size_t bytes);
void og_hash_end(og_hash *hash, unsigned char digest[32]);

/* 64 lower-case hexadecimal digits and a 0. */
void og_hash_text(const unsigned char digest[32], char text[65]);
#endif
