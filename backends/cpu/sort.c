/* The second half of the sort: order the records of each tile by (x block, z, y), in place. A tile that fits a thread's
 * spare room is sorted there and copied back, in one pass by all of the key, or, where there are far more keys than
 * records, in two passes by the lower and the upper half of the key's bits. A larger tile is first split by the highest
 * bits of the key, records changing places in cycles: that moves each record once and needs no room, but keeps no order
 * among equals. What comes out depends on the order of the records and the number of threads alone. */
#include "points.h"

#include <string.h>

#define ROOM_BYTES ((int64_t)8 << 20) /* of one thread: most tiles need far less, and pages not touched cost nothing */
#define HALF_BITS 10                  /* of the key that one pass sorts by, at most */
#define ONCE_BITS 15                  /* of the key that one pass may sort by */
#define ONCE_KEYS 8                   /* per record, at most */
#define SPLIT_BITS 8                  /* of the key at once: the heads of so many parts stay in cache */

typedef struct {
  const og_cpu_points *p;
  int byz, shift; /* key = (start >> shift) << byz | low byz bits */
  int bits;       /* of the key */
  int64_t room;
  char *spare;
} sorter;

static inline uint32_t key_of(sorter s, const char *start_of) {
  uint32_t start;
  memcpy(&start, start_of, 4);
  return (start >> s.shift) << s.byz | (start & ((1u << s.byz) - 1));
}

/* counters -> where each key's records begin */
static inline void sum_up(uint32_t *count, int64_t n) {
  uint32_t sum = 0;
  for (int64_t k = 0; k < n; k++) {
    uint32_t c = count[k];
    count[k] = sum;
    sum += c;
  }
}

/* Below, the records at `a` are `bytes` long with the start 8 bytes before their end; only the lowest `bits` of their
 * keys differ. */

typedef uint16_t counters __attribute__((vector_size(16)));

/* counters -> where each key's records begin; n: a multiple of 8 */
static inline void sum_up_short(counters *count, int64_t n) {
  const counters zero = {0};
  counters before = zero;
  for (int64_t k = 0; k < n / 8; k++) {
    counters c = count[k];
    c += __builtin_shufflevector(zero, c, 0, 8, 9, 10, 11, 12, 13, 14);
    c += __builtin_shufflevector(zero, c, 0, 0, 8, 9, 10, 11, 12, 13);
    c += __builtin_shufflevector(zero, c, 0, 0, 0, 0, 8, 9, 10, 11);
    count[k] = before + __builtin_shufflevector(zero, c, 0, 8, 9, 10, 11, 12, 13, 14);
    before += __builtin_shufflevector(c, c, 7, 7, 7, 7, 7, 7, 7, 7);
  }
}

/* One pass by all of the key: where keys are few for so many records. */
static inline __attribute__((always_inline)) void sort_once(const sorter s, char *a, int64_t n, int bits,
                                                            size_t bytes) {
  const uint32_t mask = (1u << bits) - 1;
  counters vectors[(1 << ONCE_BITS) / 8];
  uint16_t *count = (uint16_t *)vectors;
  memset(vectors, 0, bits < 3 ? sizeof *vectors : (mask + 1) * sizeof *count);
  for (int64_t i = 0; i < n; i++)
    count[key_of(s, a + (size_t)i * bytes + bytes - 8) & mask]++;
  sum_up_short(vectors, bits < 3 ? 8 : mask + 1);
  for (int64_t i = 0; i < n; i++) {
    const char *from = a + (size_t)i * bytes;
    __builtin_prefetch(from + (size_t)n * bytes, 0, 2); /* the next tile, most likely */
    memcpy(s.spare + (size_t)count[key_of(s, from + bytes - 8) & mask]++ * bytes, from, bytes);
  }
  memcpy(a, s.spare, (size_t)n * bytes);
}

/* Two passes, by the lower and the upper half of the key. */
static inline __attribute__((always_inline)) void sort_twice(const sorter s, char *a, int64_t n, int bits,
                                                             size_t bytes) {
  const int half = bits / 2;
  const uint32_t low = (1u << half) - 1, high = (1u << (bits - half)) - 1;
  uint32_t count[2][1 << HALF_BITS];
  memset(count[0], 0, (low + 1) * sizeof **count);
  memset(count[1], 0, (high + 1) * sizeof **count);
  for (int64_t i = 0; i < n; i++) {
    const uint32_t key = key_of(s, a + (size_t)i * bytes + bytes - 8);
    count[0][key & low]++;
    count[1][key >> half & high]++;
  }
  sum_up(count[0], low + 1);
  sum_up(count[1], high + 1);
  for (int64_t i = 0; i < n; i++) {
    const char *from = a + (size_t)i * bytes;
    memcpy(s.spare + (size_t)count[0][key_of(s, from + bytes - 8) & low]++ * bytes, from, bytes);
  }
  for (int64_t i = 0; i < n; i++) {
    const char *from = s.spare + (size_t)i * bytes;
    memcpy(a + (size_t)count[1][key_of(s, from + bytes - 8) >> half & high]++ * bytes, from, bytes);
  }
}

/* Parts by bits [low, bits) of the key; begin: of each part, and their end. */
static inline __attribute__((always_inline)) void split(const sorter s, char *a, int64_t n, int low, int bits,
                                                        uint32_t begin[(1 << SPLIT_BITS) + 1], size_t bytes) {
  const uint32_t parts = 1u << (bits - low);
  uint32_t at[1 << SPLIT_BITS];
  memset(begin, 0, (parts + 1) * sizeof *begin);
  for (int64_t i = 0; i < n; i++)
    begin[key_of(s, a + (size_t)i * bytes + bytes - 8) >> low & (parts - 1)]++;
  sum_up(begin, parts + 1);
  memcpy(at, begin, parts * sizeof *at);
  for (uint32_t k = 0; k < parts; k++)
    while (at[k] < begin[k + 1]) {
      char held[32], other[32], *home = a + (size_t)at[k] * bytes;
      memcpy(held, home, bytes);
      for (;;) {
        uint32_t part = key_of(s, held + bytes - 8) >> low & (parts - 1);
        char *to = a + (size_t)at[part]++ * bytes;
        __builtin_prefetch(to + 256, 1);
        if (to == home)
          break;
        memcpy(other, to, bytes);
        memcpy(to, held, bytes);
        memcpy(held, other, bytes);
      }
      memcpy(home, held, bytes);
    }
}

#define RECORD_SIZES(F, ...)                                                                                           \
  switch (s->p->record_bytes) {                                                                                        \
  case 8: /* borrowed coordinates */                                                                                   \
    F(*s, __VA_ARGS__, 8);                                                                                             \
    break;                                                                                                             \
  case 12:                                                                                                             \
    F(*s, __VA_ARGS__, 12);                                                                                            \
    break;                                                                                                             \
  case 16:                                                                                                             \
    F(*s, __VA_ARGS__, 16);                                                                                            \
    break;                                                                                                             \
  case 20:                                                                                                             \
    F(*s, __VA_ARGS__, 20);                                                                                            \
    break;                                                                                                             \
  case 24:                                                                                                             \
    F(*s, __VA_ARGS__, 24);                                                                                            \
    break;                                                                                                             \
  default:                                                                                                             \
    F(*s, __VA_ARGS__, 32);                                                                                            \
    break;                                                                                                             \
  }

/* n records from a on, whose keys differ in their lowest bits only. */
static void sort_records(const sorter *s, char *a, int64_t n, int bits) {
  if (n < 2 || !bits)
    return;
  if (n <= s->room && n <= UINT16_MAX && bits <= ONCE_BITS && 1 << bits <= ONCE_KEYS * n) {
    RECORD_SIZES(sort_once, a, n, bits)
    return;
  }
  if (n <= s->room && bits <= 2 * HALF_BITS) {
    RECORD_SIZES(sort_twice, a, n, bits)
    return;
  }
  uint32_t begin[(1 << SPLIT_BITS) + 1];
  const int low = bits > SPLIT_BITS ? bits - SPLIT_BITS : 0;
  RECORD_SIZES(split, a, n, low, bits, begin)
  for (int k = 0; k < 1 << (bits - low); k++)
    sort_records(s, a + begin[k] * s->p->record_bytes, (int64_t)begin[k + 1] - begin[k], low);
}

/* Within 7/8 of the records' memory for all threads together. */
int64_t og_cpu_sort_room(const og_cpu_points *p, int64_t n) {
  int64_t share = n / og_cpu_tasks_team(p, n) * 7 / 8, most = ROOM_BYTES / (int64_t)p->record_bytes;
  return share < most ? share : most;
}

void og_cpu_sort(og_cpu_points *p, char *spare, int64_t room) {
  sorter all = {.p = p, .byz = p->bits_y + p->bits_z, .room = room, .spare = spare};
  all.shift = all.byz + p->ring.log_block;
  all.bits = p->log_tile - p->ring.log_block + all.byz;
  const int64_t tiles = (int64_t)p->cut[0].parts * p->cut[1].parts * p->cut[2].parts;
#pragma omp parallel num_threads(p->team) if (p->team > 1)
  {
    sorter s = all;
    s.spare += (size_t)og_cpu_thread() * (size_t)room * p->record_bytes;
#pragma omp for schedule(dynamic, 1)
    for (int64_t k = 0; k < tiles; k++)
      sort_records(&s, p->records + (size_t)p->tile_begin[k] * p->record_bytes, p->tile_begin[k + 1] - p->tile_begin[k],
                   s.bits);
  }
}
