/* The second half of the sort: order the records of each tile by (x block, z, y), stably. A counting sort where points
 * are many; where they are few against the number of keys, two passes with few counters each. */
#include "points.h"

#include <string.h>

typedef struct {
  const og_cpu_points *p;
  const char *in; /* unsorted records; without `from` where two_step */
  size_t in_bytes;
  int byz, shift; /* key = (start >> shift) << byz | low byz bits */
  int64_t keys;
} sorter;

static inline uint32_t key_of(const sorter *s, uint32_t start) {
  return (start >> s->shift) << s->byz | (start & ((1u << s->byz) - 1));
}

static inline uint32_t start_at(const sorter *s, size_t skip, int64_t i) {
  uint32_t start;
  memcpy(&start, s->in + (size_t)i * s->in_bytes + skip, 4);
  return start;
}

/* Record i of the input becomes record `to` of the output. */
static inline __attribute__((always_inline)) void move(const sorter *s, int64_t i, int64_t to, size_t t_bytes,
                                                       int from) {
  const char *a = s->in + (size_t)i * (t_bytes + (from ? 8 : 4));
  char *b = s->p->records + (size_t)to * (t_bytes + 8);
  memcpy(b, a, t_bytes + (from ? 8 : 4));
  if (!from) {
    uint32_t source = (uint32_t)i;
    memcpy(b + t_bytes + 4, &source, 4);
  }
}

static inline __attribute__((always_inline)) void sort_dense(const sorter *s, int64_t begin, int64_t end,
                                                             uint32_t *count, size_t t_bytes, int from) {
  memset(count, 0, (size_t)s->keys * sizeof *count);
  for (int64_t i = begin; i < end; i++)
    count[key_of(s, start_at(s, t_bytes, i))]++;
  uint32_t sum = 0;
  for (int64_t k = 0; k < s->keys; k++) {
    uint32_t c = count[k];
    count[k] = sum;
    sum += c;
  }
  for (int64_t i = begin; i < end; i++)
    move(s, i, begin + count[key_of(s, start_at(s, t_bytes, i))]++, t_bytes, from);
}

/* Fewer than keys / 8 points: order[] and the counters share the memory of the counters. */
static inline __attribute__((always_inline)) void sort_sparse(const sorter *s, int64_t begin, int64_t end,
                                                              uint32_t *count, size_t t_bytes, int from) {
  const uint32_t low = 1u << s->byz, high = (uint32_t)(s->keys >> s->byz);
  uint32_t *order = count + low + high;
  memset(count, 0, (low + high) * sizeof *count);
  for (int64_t i = begin; i < end; i++) {
    uint32_t key = key_of(s, start_at(s, t_bytes, i));
    count[key & (low - 1)]++;
    count[low + (key >> s->byz)]++;
  }
  for (uint32_t part = 0, k = 0; part < 2; part++)
    for (uint32_t sum = 0, last = part ? low + high : low; k < last; k++) {
      uint32_t c = count[k];
      count[k] = sum;
      sum += c;
    }
  for (int64_t i = begin; i < end; i++)
    order[count[key_of(s, start_at(s, t_bytes, i)) & (low - 1)]++] = (uint32_t)(i - begin);
  for (int64_t k = 0; k < end - begin; k++) {
    int64_t i = begin + order[k];
    move(s, i, begin + count[low + (key_of(s, start_at(s, t_bytes, i)) >> s->byz)]++, t_bytes, from);
  }
}

static inline __attribute__((always_inline)) void sort_tile_sized(const sorter *s, int64_t begin, int64_t end,
                                                                  uint32_t *count, size_t t_bytes, int from) {
  if ((end - begin) * 8 < s->keys && s->byz > 0)
    sort_sparse(s, begin, end, count, t_bytes, from);
  else
    sort_dense(s, begin, end, count, t_bytes, from);
}

static void sort_tile(const sorter *s, int64_t begin, int64_t end, uint32_t *count) {
  const int from = !s->p->two_step;
  switch ((int)((size_t)s->p->dims_stored * s->p->real_bytes) * 2 + from) {
  case 0 * 2 + 1:
    sort_tile_sized(s, begin, end, count, 0, 1);
    break;
  case 4 * 2:
    sort_tile_sized(s, begin, end, count, 4, 0);
    break;
  case 4 * 2 + 1:
    sort_tile_sized(s, begin, end, count, 4, 1);
    break;
  case 8 * 2: /* one f64 or two f32 */
    sort_tile_sized(s, begin, end, count, 8, 0);
    break;
  case 8 * 2 + 1:
    sort_tile_sized(s, begin, end, count, 8, 1);
    break;
  case 12 * 2:
    sort_tile_sized(s, begin, end, count, 12, 0);
    break;
  case 12 * 2 + 1:
    sort_tile_sized(s, begin, end, count, 12, 1);
    break;
  case 16 * 2:
    sort_tile_sized(s, begin, end, count, 16, 0);
    break;
  case 16 * 2 + 1:
    sort_tile_sized(s, begin, end, count, 16, 1);
    break;
  case 24 * 2:
    sort_tile_sized(s, begin, end, count, 24, 0);
    break;
  default:
    sort_tile_sized(s, begin, end, count, 24, 1);
    break;
  }
}

void og_cpu_sort(og_cpu_points *p, const char *unsorted) {
  sorter s = {
      .p = p, .in = unsorted, .in_bytes = p->record_bytes - (p->two_step ? 4 : 0), .byz = p->bits_y + p->bits_z};
  s.shift = s.byz + p->ring.log_block;
  s.keys = ((int64_t)1 << p->log_tile >> p->ring.log_block) << s.byz;
  const int64_t tiles = (int64_t)p->cut[0].parts * p->cut[1].parts * p->cut[2].parts;
  if (p->team == 1) {
    for (int64_t k = 0; k < tiles; k++)
      if (p->tile_begin[k + 1] > p->tile_begin[k])
        sort_tile(&s, p->tile_begin[k], p->tile_begin[k + 1], p->counts);
    return;
  }
#pragma omp parallel num_threads(p->team)
  {
    uint32_t *count = p->counts + (int64_t)og_cpu_thread() * p->counts_stride;
#pragma omp for schedule(dynamic, 1)
    for (int64_t k = 0; k < tiles; k++)
      if (p->tile_begin[k + 1] > p->tile_begin[k])
        sort_tile(&s, p->tile_begin[k], p->tile_begin[k + 1], count);
  }
}
