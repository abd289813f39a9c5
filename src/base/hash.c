/* SHA-256, as FIPS 180-4 defines it. Its constants are the fractional bits of square and cube roots of the first primes; they are
 * computed once, with integer arithmetic, instead of being a table to trust. */
#include "base/hash.h"

#include <stdatomic.h>
#include <string.h>

/* The first 32 fractional bits of the square (power 2) or cube (power 3) root of p: the largest r with
 * r^power <= p 2^(32 power), without its integer part. r < 2^36, so r^3 < 2^108. */
static uint32_t root_bits(uint32_t p, int power) {
  unsigned __int128 goal = (unsigned __int128)p << (32 * power);
  uint64_t root = 0;
  for (int bit = 36; bit >= 0; bit--) {
    uint64_t trial = root | (uint64_t)1 << bit;
    unsigned __int128 value = (unsigned __int128)trial * trial;
    if (power == 3)
      value = value >> 74 ? ~(unsigned __int128)0 : value * trial;
    if (value <= goal)
      root = trial;
  }
  return (uint32_t)root;
}

static _Atomic uint32_t start[8], constant[64];
static atomic_int ready;

/* Threads that come here at once write the same values. */
static void prepare(void) {
  int n = 0;
  for (uint32_t p = 2; n < 64; p++) {
    int prime = 1;
    for (uint32_t d = 2; d * d <= p; d++)
      prime &= p % d != 0;
    if (!prime)
      continue;
    if (n < 8)
      atomic_store_explicit(&start[n], root_bits(p, 2), memory_order_relaxed);
    atomic_store_explicit(&constant[n++], root_bits(p, 3), memory_order_relaxed);
  }
  atomic_store(&ready, 1);
}

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void absorb(uint32_t state[8], const unsigned char *block) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t e = s[4], a = s[0], k = atomic_load_explicit(&constant[i], memory_order_relaxed);
    uint32_t t = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k + w[i];
    uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t;
    s[0] = t + u;
  }
  for (int i = 0; i < 8; i++)
    state[i] += s[i];
}

void og_hash_begin(og_hash *hash) {
  if (!atomic_load(&ready))
    prepare();
  for (int i = 0; i < 8; i++)
    hash->state[i] = atomic_load_explicit(&start[i], memory_order_relaxed);
  hash->bytes = 0;
}

void og_hash_add(og_hash *hash, const void *data, size_t bytes) {
  const unsigned char *next = data;
  while (bytes) {
    size_t used = (size_t)(hash->bytes % 64), n = bytes < 64 - used ? bytes : 64 - used;
    memcpy(hash->block + used, next, n);
    hash->bytes += n;
    next += n;
    bytes -= n;
    if (used + n == 64)
      absorb(hash->state, hash->block);
  }
}

void og_hash_end(og_hash *hash, unsigned char digest[32]) {
  static const unsigned char pad[64] = {0x80};
  uint64_t bits = hash->bytes * 8;
  unsigned char length[8];
  for (int i = 0; i < 8; i++)
    length[i] = (unsigned char)(bits >> (56 - 8 * i));
  og_hash_add(hash, pad, (size_t)((119 - hash->bytes % 64) % 64) + 1);
  og_hash_add(hash, length, 8);
  for (int i = 0; i < 32; i++)
    digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void og_hash_text(const unsigned char digest[32], char text[65]) {
  for (int i = 0; i < 64; i++)
    text[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
  text[64] = 0;
}
