/* Points in the order of their bins, in two passes over them and without a global counter per point.
 *
 *   points_partition  folds and checks the caller's points, and writes them to pages of their partition: a contiguous range
 *                     of 1 << shift bins. A group takes a chunk of points, orders it by partition in local memory and
 *                     appends its runs to the partitions' last pages.
 *   points_pages      lists the pages, partition after partition.
 *   points_count      counts each page's points by bin and draws their place behind those of other pages.
 *   points_offsets    sums the counts: where each bin begins.
 *   points_scatter    writes each page's points to their final place. Groups at work at the same time write into few
 *                     partitions, so that lines are full before they leave the cache.
 *   points_work       cuts the sorted points into items of about equally many.
 *
 * Where the scratch is too small for all points, they go through it in slabs, ranges of the caller's arrays, one after the
 * other: partition, pages, count, scatter. Before the first slab is scattered, points_later counts the points of the others,
 * because offsets are of all; `totals` runs on from slab to slab, so that each fills the bins where the last one ended.
 *
 * All that old points need is written by points_offsets, points_scatter and points_work, which do nothing where a bad point was
 * found.
 *
 * Macros: DIM, REAL_BYTES, COORD_BYTES, PACKED; STAGE_BITS (of a coordinate between the passes: 52 or 32); TEAM_SIZE and PAGE_TEAM (work items of a group; of one that works on a page), EACH (points
 * per work item of a chunk), PARTITION_GROUPS and PAGE_GROUPS (such groups at
 * once on a unit), PARTS (partitions, at most), FINE (bins of a partition, at most; 0: too many for local memory, they are counted
 * in global memory), PAGE (points of a page, at most; a power of two, and not less than a chunk). */
#include "fold.h"

#define CHUNK (TEAM_SIZE * EACH)
typedef unsigned short u16;
#if FINE
typedef u16 fine_key; /* bin - first bin of its partition */
#else
typedef u32 fine_key;
#endif

/* Words of a record: of the final one, and between the passes. In three dimensions and double precision the latter are tight:
 * 52 bits of a u and 12 of the index (24 bytes), or 32 bits of each u in fixed point and the index (16 bytes). */
#if !PACKED
typedef u32 word;
#define STAGE_WORDS 1
#define WORDS 1
#elif REAL_BYTES == 4
typedef u64 word;
#define STAGE_WORDS (DIM == 1 ? 1 : 2)
#define WORDS STAGE_WORDS
#else
typedef u64 word;
#define STAGE_WORDS (DIM == 1 || (DIM == 3 && STAGE_BITS < 52) ? 2 : 3)
#define WORDS (DIM + 1)
#endif
#define TIGHT (PACKED && REAL_BYTES == 8 && DIM == 3)
#define FIXED (TIGHT && STAGE_BITS < 52)
#define U_BITS 52
#define U_MASK (((u64)1 << U_BITS) - 1)
#if STAGE_WORDS == 2
#if REAL_BYTES == 8
typedef real2 stage_piece;
#else
typedef real4 stage_piece;
#endif
#endif

/* What points_pages finds, after the partitions' first points: pages in use. */
#define N_PAGES(begin, parts) ((begin)[(parts) + 1])

typedef struct page_item {
  u32 page, part, count, spare;
} page_item;

#define TEAM_SUMS (TEAM_SIZE / SUBGROUP + 1)

/* The sum of v over the work items before this one; *total over all. */
DEVICE u32 team_scan(u32 v, LOCAL u32 *sums, u32 *total) {
  u32 sum = v, before = 0, all = 0;
#if SUBGROUP > 1
  UNROLL for (int d = 1; d < SUBGROUP; d *= 2) {
    const u32 other = SUBGROUP_UP(sum, d);
    sum += LANE >= d ? other : 0;
  }
#endif
  BARRIER(); /* the last call's sums were read */
  if (LANE == SUBGROUP - 1)
    sums[LOCAL_ID / SUBGROUP] = sum;
  BARRIER();
#if SUBGROUP > 1 && TEAM_SIZE / SUBGROUP <= SUBGROUP
  all = LANE < TEAM_SIZE / SUBGROUP ? sums[LANE] : 0;
  UNROLL for (int d = 1; d < SUBGROUP; d *= 2) {
    const u32 other = SUBGROUP_UP(all, d);
    all += LANE >= d ? other : 0;
  }
  before = SUBGROUP_GET(all, (LOCAL_ID / SUBGROUP + SUBGROUP - 1) % SUBGROUP);
  before = LOCAL_ID < SUBGROUP ? 0 : before;
  all = SUBGROUP_GET(all, SUBGROUP - 1);
#else
  for (int k = 0; k < TEAM_SIZE / SUBGROUP; k++) {
    before += k < LOCAL_ID / SUBGROUP ? sums[k] : 0;
    all += sums[k];
  }
#endif
  *total = all;
  return before + sum - v;
}

typedef union double_bits {
  double number;
  u64 all;
  u32 half[2];
} double_bits;

/* One dimension of a point: the bin's number, and u; where records are tight, the bits of u + big. */
DEVICE u32 fold_dimension(CONSTANT const og_k_points *points, CONSTANT const og_k_sort *sort, int d, double x,
                          double *u) {
  double f;
  const double s = fold_near(points, d, x, &f);
  double_bits bin;
  bin.number = FMA(s, sort->inverse_cells[d], sort->middle[d]) + FOLD_ROUND; /* never near a half */
#if PACKED
  f = f < sort->most[d] ? f : sort->most[d];
  *u = FMA(FOLD_ROUND - bin.number, sort->cells[d], s) + f + sort->big[d];
#if !TIGHT
  *u -= sort->big[d];
#endif
#else
  (void)u;
#endif
  return bin.half[0];
}

/* A real in the lower bytes of a word. */
DEVICE u64 real_word(double u) {
#if REAL_BYTES == 8
  double_bits bits;
  bits.number = u;
  return bits.all;
#else
  union {
    float number;
    u32 all;
  } bits;
  bits.number = (float)u;
  return bits.all;
#endif
}

DEVICE u64 low_bits(double u) {
  double_bits bits;
  bits.number = u;
  return bits.half[0];
}

DEVICE u32 fold_point(CONSTANT const og_k_points *points, CONSTANT const og_k_sort *sort, const double *x, u32 index,
                      word *w) {
  double u[3];
  u32 bin = 0;
#if DIM == 3
  bin = fold_dimension(points, sort, 1, x[1], &u[1]) * (u32)points->bins[0];
#endif
#if DIM >= 2
  bin = (bin + fold_dimension(points, sort, 0, x[0], &u[0])) * (u32)points->bins[DIM - 1];
#endif
  bin += fold_dimension(points, sort, DIM - 1, x[DIM - 1], &u[DIM - 1]);
#if !PACKED
  (void)u;
  w[0] = index;
#elif FIXED
  w[0] = low_bits(u[0]) | low_bits(u[1]) << 32;
  w[1] = low_bits(u[2]) | (u64)index << 32;
#elif TIGHT
  w[0] = (real_word(u[0]) & U_MASK) | (u64)index << U_BITS;
  w[1] = (real_word(u[1]) & U_MASK) | (u64)(index >> 12) << U_BITS;
  w[2] = (real_word(u[2]) & U_MASK) | (u64)(index >> 24) << U_BITS;
#elif REAL_BYTES == 8
  for (int d = 0; d < DIM; d++)
    w[d] = real_word(u[d]);
  w[DIM] = index;
#elif DIM == 1
  w[0] = real_word(u[0]) | (u64)index << 32;
#elif DIM == 2
  w[0] = real_word(u[0]) | real_word(u[1]) << 32;
  w[1] = index;
#else
  w[0] = real_word(u[0]) | real_word(u[1]) << 32;
  w[1] = real_word(u[2]) | (u64)index << 32;
#endif
  return bin;
}

/* pages: [parts] points that a partition has so far, [1] pages given away, then [table_row][parts] the numbers of the
 * partitions' first, second, ... pages, plus 1; all zero at first. */
#define PAGES_GIVEN(pages, parts) ((pages) + (parts))
#define PAGE_NUMBER(pages, parts, part, k) ((pages) + (parts) + 1 + (i64)(k) * (parts) + (part))

/* Room for n more points in a partition, at most a page: from *slot on in *page, and going on in the next of *after. */
DEVICE void reserve(CONSTANT const og_k_sort *sort, GLOBAL u32 *pages, int part, u32 n, u32 *page, u32 *after,
                    u32 *slot) {
  const int parts = sort->parts;
  const u32 at = ATOMIC_ADD_U32(pages + part, n), first = at >> sort->log_page, last = (at + (n - 1)) >> sort->log_page;
  GLOBAL u32 *known = PAGE_NUMBER(pages, parts, part, first);
  u32 number, next = 0;
  *slot = at - (first << sort->log_page);
  if (*slot == 0) { /* who writes a page's first point makes it known */
    number = ATOMIC_ADD_U32(PAGES_GIVEN(pages, parts), 1) + 1;
    ATOMIC_ADD_U32(known, number);
  } else
    number = *known;
  if (last > first) {
    next = ATOMIC_ADD_U32(PAGES_GIVEN(pages, parts), 1) + 1;
    ATOMIC_ADD_U32(known + parts, next);
  }
  while (number == 0) /* its group runs, and waits for nobody before it does so */
    number = ATOMIC_ADD_U32(known, 0);
  *page = number - 1;
  *after = next - 1;
}

typedef struct partition_memory {
  union {
    word words[CHUNK * STAGE_WORDS]; /* in the order of the caller */
#if STAGE_WORDS == 2
    stage_piece pieces[CHUNK];
#endif
  } stage;
  u32 rank[PARTS]; /* points of the chunk; then the first's place in the chunk */
  u32 slot[PARTS]; /* of the chunk's place 0 in the page */
  u32 page[PARTS], after[PARTS];
  u32 sums[TEAM_SUMS];
  u32 place[CHUNK]; /* in all pages, of the chunk's points in the order of partitions */
  u16 from[CHUNK];
  fine_key key[CHUNK];
} partition_memory;

/* A point, checked and folded. Returns its bin. */
DEVICE u32 take_point(CONSTANT const og_k_points *points, CONSTANT const og_k_sort *sort, const coord *x, i64 index,
                      GLOBAL u64 *bad, word *w) {
  double at[3];
  u32 top = 0; /* the upper half of the largest |x| */
  UNROLL for (int d = 0; d < DIM; d++) {
    double_bits bits;
    at[d] = bits.number = (double)x[d];
    bits.half[1] &= 0x7fffffff;
    top = bits.half[1] > top ? bits.half[1] : top;
  }
  if (top >= sort->far) {
    UNROLL for (int d = 0; d < DIM; d++) {
      if (at[d] - at[d] != 0) { /* NaN of what is not finite */
        ATOMIC_MIN_U64(bad, (u64)index);
        at[d] = 0;
      }
      at[d] = fold_far(points, d, at[d]);
    }
  }
  return fold_point(points, sort, at, (u32)index, w);
}

typedef struct later_memory {
  u32 count[PARTS];
} later_memory;

#define LATER_EACH 4
#define LATER_CHUNK (TEAM_SIZE * LATER_EACH)

/* Adds the points from `begin` on to later: [bins], of each bin, and to pages: [parts], of each partition. */
KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, PARTITION_GROUPS)
    points_later(TABLE(og_k_points, points), TABLE(og_k_sort, sort), GLOBAL const coord *RESTRICT x,
                 GLOBAL const coord *RESTRICT y, GLOBAL const coord *RESTRICT z, GLOBAL u32 *pages, GLOBAL u32 *later,
                 GLOBAL u64 *bad, i64 begin) {
  LOCAL_MEMORY(later_memory, m);
  const int parts = T(sort).parts, shift = T(sort).shift;
  const i64 n = T(points).n_points;
  for (int q = LOCAL_ID; q < parts; q += TEAM_SIZE)
    m->count[q] = 0;
  BARRIER();
  UNROLL_N(1)
  for (i64 first = begin + GROUP_ID(0) * LATER_CHUNK + LOCAL_ID; first < n; first += GROUPS(0) * LATER_CHUNK) {
    coord at[LATER_EACH][3];
    UNROLL for (int i = 0; i < LATER_EACH; i++) {
      const i64 k = first + i * TEAM_SIZE;
      if (k < n) {
        at[i][0] = LOAD_STREAM(x + k);
        at[i][1] = DIM > 1 ? LOAD_STREAM(y + k) : (coord)0;
        at[i][2] = DIM > 2 ? LOAD_STREAM(z + k) : (coord)0;
      }
    }
    UNROLL for (int i = 0; i < LATER_EACH; i++) {
      const i64 k = first + i * TEAM_SIZE;
      word w[STAGE_WORDS];
      if (k < n) {
        const u32 bin = take_point(&T(points), &T(sort), at[i], k, bad, w);
        ATOMIC_ADD_U32(later + bin, 1);
        ATOMIC_ADD_LOCAL_U32(&m->count[bin >> shift], 1);
      }
    }
  }
  BARRIER();
  for (int q = LOCAL_ID; q < parts; q += TEAM_SIZE)
    if (m->count[q])
      ATOMIC_ADD_U32(pages + q, m->count[q]);
}
LOCAL_SIZE_OF(points_later, later_memory)

/* Of the points [begin, end). */
KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, PARTITION_GROUPS)
    points_partition(TABLE(og_k_points, points), TABLE(og_k_sort, sort), GLOBAL const coord *RESTRICT x,
                     GLOBAL const coord *RESTRICT y, GLOBAL const coord *RESTRICT z, GLOBAL word *RESTRICT stage,
                     GLOBAL fine_key *RESTRICT keys, GLOBAL u32 *pages, GLOBAL u64 *bad, i64 begin, i64 end) {
  LOCAL_MEMORY(partition_memory, m);
  const int parts = T(sort).parts, shift = T(sort).shift, log_page = T(sort).log_page;
  const i64 first = begin + GROUP_ID(0) * CHUNK;
  const int here = end - first < CHUNK ? (int)(end - first) : CHUNK;
  coord at[EACH][3];
  u32 bin[EACH], rank[EACH];
  UNROLL for (int i = 0; i < EACH; i++) {
    const int k = i * TEAM_SIZE + LOCAL_ID;
    if (k < here) {
      at[i][0] = LOAD_STREAM(x + first + k);
      at[i][1] = DIM > 1 ? LOAD_STREAM(y + first + k) : (coord)0;
      at[i][2] = DIM > 2 ? LOAD_STREAM(z + first + k) : (coord)0;
    }
  }
  UNROLL_N(1)
  for (int q = LOCAL_ID; q < parts; q += TEAM_SIZE)
    m->rank[q] = 0;
  BARRIER();
  UNROLL for (int i = 0; i < EACH; i++) {
    const int k = i * TEAM_SIZE + LOCAL_ID;
    if (k < here) {
      word w[STAGE_WORDS];
      bin[i] = take_point(&T(points), &T(sort), at[i], first + k, bad, w);
      UNROLL for (int e = 0; e < STAGE_WORDS; e++) m->stage.words[k * STAGE_WORDS + e] = w[e];
      rank[i] = ATOMIC_ADD_LOCAL_U32(&m->rank[bin[i] >> shift], 1);
    }
  }
  BARRIER();
  u32 carry = 0;
  UNROLL_N(1)
  for (int base = 0; base < parts; base += TEAM_SIZE) {
    const int q = base + LOCAL_ID;
    const u32 count = q < parts ? m->rank[q] : 0;
    u32 page = 0, after = 0, slot = 0, total;
    if (count)
      reserve(&T(sort), pages, q, count, &page, &after, &slot);
    const u32 before = carry + team_scan(count, m->sums, &total);
    if (q < parts) {
      m->rank[q] = before;
      m->slot[q] = slot - before;
      m->page[q] = page << log_page; /* the first place */
      m->after[q] = (after << log_page) - (1u << log_page);
    }
    carry += total;
  }
  BARRIER();
  UNROLL for (int i = 0; i < EACH; i++) {
    const int k = i * TEAM_SIZE + LOCAL_ID;
    if (k < here) {
      const u32 part = bin[i] >> shift, to = m->rank[part] + rank[i], slot = m->slot[part] + to;
      m->place[to] = (slot >> log_page == 0 ? m->page[part] : m->after[part]) + slot;
      m->from[to] = (u16)k;
      m->key[to] = (fine_key)(bin[i] - (part << shift));
    }
  }
  BARRIER();
#if STAGE_WORDS == 2
  UNROLL for (int i = 0; i < EACH; i++) {
    const int k = i * TEAM_SIZE + LOCAL_ID;
    if (k < here)
      ((GLOBAL stage_piece *)stage)[m->place[k]] = m->stage.pieces[m->from[k]];
  }
#else
  UNROLL for (int i = 0; i < EACH * STAGE_WORDS; i++) {
    const int k = i * TEAM_SIZE + LOCAL_ID, r = k / STAGE_WORDS, w = k - r * STAGE_WORDS;
    if (r < here)
      stage[(i64)m->place[r] * STAGE_WORDS + w] = m->stage.words[m->from[r] * STAGE_WORDS + w];
  }
#endif
  UNROLL for (int i = 0; i < EACH; i++) {
    const int k = i * TEAM_SIZE + LOCAL_ID;
    if (k < here)
      keys[m->place[k]] = m->key[k];
  }
}
LOCAL_SIZE_OF(points_partition, partition_memory)

typedef struct pages_memory {
  u32 first[PARTS]; /* page in the list */
  u32 sums[TEAM_SUMS];
} pages_memory;

/* begin: [parts + 1] the first point of each partition, then the number of pages. list: pages in the order of partitions,
 * unless listed is 0 (after points_later: of all slabs). Groups share the partitions. */
KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, 1)
    points_pages(TABLE(og_k_sort, sort), GLOBAL const u32 *RESTRICT pages, GLOBAL u32 *RESTRICT begin,
                 GLOBAL page_item *RESTRICT list, i64 listed) {
  LOCAL_MEMORY(pages_memory, m);
  const int parts = T(sort).parts, log_page = T(sort).log_page;
  const u32 size = 1u << log_page;
  u32 points_before = 0, pages_before = 0;
  for (int base = 0; base < parts; base += TEAM_SIZE) {
    const int q = base + LOCAL_ID;
    const u32 count = q < parts ? pages[q] : 0, own = (count >> log_page) + ((count & (size - 1)) != 0);
    u32 n_points, n_pages;
    const u32 point = points_before + team_scan(count, m->sums, &n_points);
    const u32 page = pages_before + team_scan(own, m->sums, &n_pages);
    if (q < parts) {
      m->first[q] = page;
      if (GROUP_ID(0) == 0)
        begin[q] = point;
    }
    points_before += n_points;
    pages_before += n_pages;
  }
  if (GROUP_ID(0) == 0 && LOCAL_ID == 0) {
    begin[parts] = points_before;
    N_PAGES(begin, parts) = pages_before;
  }
  BARRIER();
  for (int q = (int)GROUP_ID(0); listed && q < parts; q += (int)GROUPS(0)) {
    const u32 end = q + 1 < parts ? m->first[q + 1] : pages_before, own = end - m->first[q], count = pages[q];
    for (u32 k = (u32)LOCAL_ID; k < own; k += TEAM_SIZE) {
      page_item item;
      item.page = *PAGE_NUMBER(pages, parts, q, k) - 1;
      item.part = (u32)q;
      item.count = k + 1 < own ? size : count - (k << log_page);
      item.spare = 0;
      list[m->first[q] + k] = item;
    }
  }
}
LOCAL_SIZE_OF(points_pages, pages_memory)

#if FINE
/* body(r, key) for the keys of a page, four to a load. */
#define FOR_KEYS(keys, item, log_page, r, k, body)                                                                     \
  for (int r##_ = 4 * LOCAL_ID; r##_ < (int)(item).count; r##_ += 4 * PAGE_TEAM) {                                     \
    u64 four = *(GLOBAL const u64 *)((keys) + ((i64)(item).page << (log_page)) + r##_);                                \
    UNROLL for (int e = 0; e < 4; e++) {                                                                               \
      const int r = r##_ + e;                                                                                          \
      const u32 k = (u32)(four >> (16 * e)) & 0xffff;                                                                  \
      if (r < (int)(item).count)                                                                                       \
        body;                                                                                                          \
    }                                                                                                                  \
  }
#else
#define FOR_KEYS(keys, item, log_page, r, k, body)                                                                     \
  for (int r = LOCAL_ID; r < (int)(item).count; r += PAGE_TEAM) {                                                      \
    const u32 k = (keys)[((i64)(item).page << (log_page)) + r];                                                        \
    body;                                                                                                              \
  }
#endif

typedef struct count_memory {
  u32 count[FINE ? FINE : 1];
} count_memory;

/* totals: [bins], zero before the first slab: points of each bin. drawn: [pages][1 << shift] of the points of the same bin those that
 * come from pages that were here earlier. */
KERNEL void LAUNCH_BOUNDS(PAGE_TEAM, PAGE_GROUPS)
    points_count(TABLE(og_k_points, points), TABLE(og_k_sort, sort), GLOBAL const page_item *RESTRICT list,
                 GLOBAL const u32 *RESTRICT begin, GLOBAL const fine_key *RESTRICT keys, GLOBAL u32 *totals,
                 GLOBAL u32 *RESTRICT drawn) {
  LOCAL_MEMORY(count_memory, m);
  const int shift = T(sort).shift, log_page = T(sort).log_page, fine = 1 << shift;
  const i64 n_pages = N_PAGES(begin, T(sort).parts), n_bins = T(points).n_bins;
  for (i64 at = GROUP_ID(0); at < n_pages; at += GROUPS(0)) {
    const page_item item = list[at];
    const i64 bin = (i64)item.part << shift;
#if FINE
    for (int b = LOCAL_ID; b < fine; b += PAGE_TEAM)
      m->count[b] = 0;
    BARRIER();
    FOR_KEYS(keys, item, log_page, r, k, ATOMIC_ADD_LOCAL_U32(&m->count[k], 1))
    BARRIER();
    for (int b = LOCAL_ID; b < fine; b += PAGE_TEAM) {
      const u32 count = m->count[b];
      drawn[at * fine + b] = count && bin + b < n_bins ? ATOMIC_ADD_U32(totals + bin + b, count) : 0;
    }
    BARRIER();
#else
    (void)m, (void)fine, (void)n_bins, (void)drawn;
    FOR_KEYS(keys, item, log_page, r, k, ATOMIC_ADD_U32(totals + bin + k, 1))
#endif
  }
}
LOCAL_SIZE_OF(points_count, count_memory)

typedef struct offsets_memory {
  u32 sums[TEAM_SUMS];
} offsets_memory;

/* offsets: [bins + 1] the first point of each bin. slabs > 1: `later` has the points of the other slabs; where bins are counted in
 * global memory they are added to totals, because those are emptied from the back. A group per partition. */
KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, 1)
    points_offsets(TABLE(og_k_points, points), TABLE(og_k_sort, sort), GLOBAL const u32 *RESTRICT begin,
                   GLOBAL u32 *RESTRICT totals, GLOBAL const u32 *RESTRICT later, GLOBAL u32 *RESTRICT offsets,
                   GLOBAL const u64 *bad, i64 slabs) {
  LOCAL_MEMORY(offsets_memory, m);
  if (*bad != ~(u64)0)
    return;
  const int shift = T(sort).shift;
  const i64 n_bins = T(points).n_bins, first = GROUP_ID(0) << shift;
  const i64 end = first + ((i64)1 << shift) < n_bins ? first + ((i64)1 << shift) : n_bins;
  u32 carry = begin[GROUP_ID(0)];
  for (i64 base = first; base < end; base += TEAM_SIZE) {
    const i64 bin = base + LOCAL_ID;
    const u32 count = bin < end ? totals[bin] + (slabs > 1 ? later[bin] : 0) : 0;
    u32 total;
    const u32 before = team_scan(count, m->sums, &total);
    if (bin < end) {
      offsets[bin] = carry + before;
      if (!FINE && slabs > 1)
        totals[bin] = count;
    }
    carry += total;
  }
  if (end == n_bins && LOCAL_ID == 0)
    offsets[n_bins] = carry;
}
LOCAL_SIZE_OF(points_offsets, offsets_memory)

/* A record is written in pieces, one per work item: neighbours write a sector at once. */
#if TIGHT
#define PIECES 2
typedef real2 piece;
DEVICE real word_real(CONSTANT const og_k_sort *sort, int d, u64 w) {
  double_bits bits, big;
  big.number = sort->big[d];
  bits.all = (w & U_MASK) | big.all;
  return bits.number - big.number;
}
#if FIXED
DEVICE piece final_piece(CONSTANT const og_k_sort *sort, GLOBAL const word *stage, int r, int p) {
  const u64 w = stage[2 * r + p];
  const double big = p ? sort->big[2] : sort->big[0];
  double_bits first, second, least;
  first.number = big; /* a power of two, so are the lower words 0 */
  first.half[0] = (u32)w;
  least.number = sort->big[1];
  second.half[0] = (u32)(w >> 32);
  second.half[1] = p ? 0 : least.half[1];
  return MAKE_REAL2(first.number - big, p ? second.number : second.number - least.number);
}
#else
DEVICE piece final_piece(CONSTANT const og_k_sort *sort, GLOBAL const word *stage, int r, int p) {
  const u64 a = stage[3 * r], b = stage[3 * r + 1], c = stage[3 * r + 2];
  double_bits index;
  index.all = (u32)((a >> U_BITS) | (b >> U_BITS) << 12 | (c >> U_BITS) << 24);
  return p == 0 ? MAKE_REAL2(word_real(sort, 0, a), word_real(sort, 1, b))
                : MAKE_REAL2(word_real(sort, 2, c), index.number);
}
#endif
#elif WORDS == 2
#define PIECES 1
#if REAL_BYTES == 8
typedef real2 piece;
#else
typedef real4 piece;
#endif
DEVICE piece final_piece(CONSTANT const og_k_sort *sort, GLOBAL const word *stage, int r, int p) {
  union {
    u64 w[2];
    piece all;
  } both;
  (void)sort, (void)p;
  both.w[0] = stage[2 * r];
  both.w[1] = stage[2 * r + 1];
  return both.all;
}
#else
#define PIECES WORDS
typedef word piece;
DEVICE piece final_piece(CONSTANT const og_k_sort *sort, GLOBAL const word *stage, int r, int p) {
  (void)sort;
  return stage[r * WORDS + p];
}
#endif

#if FIXED
#define FINAL_UNROLL 2 /* more would spill */
#else
#define FINAL_UNROLL 4
#endif
#define TO_FINAL(stage)                                                                                                \
  UNROLL_N(FINAL_UNROLL)                                                                                               \
  for (int i = LOCAL_ID; i < (int)item.count * PIECES; i += PAGE_TEAM)                                                 \
    records[(i64)m->to[i / PIECES] * PIECES + i % PIECES] = final_piece(&T(sort), stage, i / PIECES, i % PIECES);

typedef struct scatter_memory {
  u32 next[FINE ? FINE : 1];
  u32 to[PAGE];
} scatter_memory;

KERNEL void LAUNCH_BOUNDS(PAGE_TEAM, PAGE_GROUPS)
    points_scatter(TABLE(og_k_sort, sort), GLOBAL const page_item *RESTRICT list, GLOBAL const u32 *RESTRICT begin,
                   GLOBAL const fine_key *RESTRICT keys, GLOBAL const word *RESTRICT stage,
                   GLOBAL const u32 *RESTRICT drawn, GLOBAL const u32 *RESTRICT offsets, GLOBAL u32 *totals,
                   GLOBAL piece *RESTRICT records, GLOBAL const u64 *bad, i64 n_bins) {
  LOCAL_MEMORY(scatter_memory, m);
  if (*bad != ~(u64)0)
    return;
  const int shift = T(sort).shift, log_page = T(sort).log_page, fine = 1 << shift;
  const i64 n_pages = N_PAGES(begin, T(sort).parts);
  for (i64 at = GROUP_ID(0); at < n_pages; at += GROUPS(0)) {
    const page_item item = list[at];
    const i64 bin = (i64)item.part << shift;
    GLOBAL const word *page = stage + ((i64)item.page << log_page) * STAGE_WORDS;
#if FINE
    (void)totals;
    for (int b = LOCAL_ID; b < fine; b += PAGE_TEAM)
      m->next[b] = bin + b < n_bins ? offsets[bin + b] + drawn[at * fine + b] : 0;
    BARRIER();
    FOR_KEYS(keys, item, log_page, r, k, m->to[r] = ATOMIC_ADD_LOCAL_U32(&m->next[k], 1))
#else
    (void)drawn, (void)n_bins, (void)fine;
    FOR_KEYS(keys, item, log_page, r, k, m->to[r] = offsets[bin + k] + ATOMIC_ADD_U32(totals + bin + k, ~0u) - 1)
#endif
    BARRIER();
    TO_FINAL(page)
    BARRIER();
  }
}

LOCAL_SIZE_OF(points_scatter, scatter_memory)

/* The last of [low, high) for which first[step * it] <= p holds, where it does for low. */
DEVICE i64 last_not_past(GLOBAL const u32 *first, i64 step, i64 low, i64 high, i64 p) {
  while (high - low > 1) {
    const i64 middle = low + (high - low) / 2;
    if ((i64)first[step * middle] <= p)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Column c of points [a, b) has the items [c + a / size, c + b / size], of which it uses ceil((b - a) / size). */
DEVICE i64 work_column(GLOBAL const u32 *offsets, i64 stream, i64 columns, i64 size, i64 item) {
  i64 low = 0, high = columns;
  while (high - low > 1) {
    const i64 middle = low + (high - low) / 2;
    if (middle + (i64)offsets[stream * middle] / size <= item)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Where share k of `shares` of a column begins: at a bin's first point, unless the bin is crowded. *bin: of that point. */
DEVICE u32 work_cut(GLOBAL const u32 *offsets, i64 bin0, i64 stream, i64 size, i64 k, i64 shares, i64 *bin) {
  const i64 a = offsets[bin0], b = offsets[bin0 + stream];
  const i64 p = a + (b - a) * k / shares;
  if (k == shares) {
    *bin = bin0 + stream;
    return (u32)b;
  }
  *bin = last_not_past(offsets, 1, bin0, bin0 + stream, p);
  const i64 from = offsets[*bin], to = offsets[*bin + 1];
  if (p == from || 4 * (to - from) > size)
    return (u32)p;
  return (u32)from;
}

/* work: [columns + n_points / size]. */
KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, 1) points_work(TABLE(og_k_points, points), GLOBAL const u32 *RESTRICT offsets,
                                                    GLOBAL og_k_work *RESTRICT work, i64 size, GLOBAL const u64 *bad) {
  const i64 stream = T(points).bins[DIM - 1], columns = T(points).n_bins / stream;
  const i64 n_items = columns + T(points).n_points / size;
  if (*bad != ~(u64)0)
    return;
  for (i64 item = GROUP_ID(0) * TEAM_SIZE + LOCAL_ID; item < n_items; item += GROUPS(0) * TEAM_SIZE) {
    const i64 column = work_column(offsets, stream, columns, size, item), bin0 = column * stream;
    const i64 a = offsets[bin0], b = offsets[bin0 + stream], k = item - (column + a / size);
    i64 shares = (b - a + size - 1) / size, bin = bin0, next;
    og_k_work w;
    w.column = (u32)column;
    w.begin = w.end = (u32)b;
    if (k < shares) {
      w.begin = work_cut(offsets, bin0, stream, size, k, shares, &bin);
      w.end = work_cut(offsets, bin0, stream, size, k + 1, shares, &next);
    }
    w.bin = (u32)(bin - bin0);
    work[item] = w;
  }
}

/* Points that are not sorted: only looked at. */
KERNEL void LAUNCH_BOUNDS(TEAM_SIZE, 1)
    points_check(i64 n, GLOBAL const coord *RESTRICT x, GLOBAL const coord *RESTRICT y, GLOBAL const coord *RESTRICT z,
                 GLOBAL u64 *bad) {
  for (i64 i = GROUP_ID(0) * TEAM_SIZE + LOCAL_ID; i < n; i += GROUPS(0) * TEAM_SIZE) {
    coord zero = x[i] - x[i]; /* NaN of what is not finite */
    if (DIM > 1)
      zero += y[i] - y[i];
    if (DIM > 2)
      zero += z[i] - z[i];
    if (zero != 0)
      ATOMIC_MIN_U64(bad, (u64)i);
  }
}
