/* Window values of a chunk of points in one dimension.
 *
 * The window is even: with p_i(t) = E_i(t^2) + t O_i(t^2) the polynomial of cell i, that of cell w - 1 - i is E_i - t
 * O_i (and minus that for the derivative). So one vector of E and one of O give a vector of cells from the left end and
 * one from the right end; where they overlap they agree. Included per size of vector: EVB bytes, EVN of them hold the
 * p->lanes cells of one side. */
#define EV_JOIN(name, b, n) name##_##b##_##n
#define EV_NAME(name, b, n) EV_JOIN(name, b, n)
#define EV(name) EV_NAME(name, EVB, EVN)
#define EVL (EVB / OG_REAL_BYTES)

typedef real EV(ev) __attribute__((vector_size(EVB), may_alias, aligned(sizeof(real))));

static inline EV(ev) EV(backwards)(EV(ev) a) {
#if EVL == 2
  return __builtin_shufflevector(a, a, 1, 0);
#elif EVL == 4
  return __builtin_shufflevector(a, a, 3, 2, 1, 0);
#else
  return __builtin_shufflevector(a, a, 7, 6, 5, 4, 3, 2, 1, 0);
#endif
}

/* t: `stride_t` bytes apart; out: [m][stride], cells 0 ... width - 1, and again at `copy` where not 0. Reads t and
 * writes out past m up to a multiple of 4. sign: 1, or -1 for the derivative. */
static void EV(evaluate)(const char *t, size_t stride_t, int m, const real *coef, int half, int width, real sign,
                         real *out, int stride, int copy) {
  enum { G = 4 / EVN };
  typedef EV(ev) ev;
  const int lanes = EVN * EVL;
  for (int i = 0; i < m; i += G) {
    ev e[G][EVN], o[G][EVN];
    real tt[G], t2[G];
    for (int g = 0; g < G; g++) {
      tt[g] = *(const real *)(const void *)(t + (size_t)(i + g) * stride_t);
      t2[g] = tt[g] * tt[g];
    }
    const real *c = coef + half * 16;
    for (int g = 0; g < G; g++)
      for (int j = 0; j < EVN; j++) {
        e[g][j] = ((const ev *)c)[j];
        o[g][j] = ((const ev *)(c + 8))[j];
      }
    for (int k = half; k-- > 0;) {
      c -= 16;
      for (int j = 0; j < EVN; j++) {
        const ev ce = ((const ev *)c)[j], co = ((const ev *)(c + 8))[j];
        for (int g = 0; g < G; g++) {
          e[g][j] = e[g][j] * t2[g] + ce;
          o[g][j] = o[g][j] * t2[g] + co;
        }
      }
    }
    for (int g = 0; g < G; g++) {
      real *w = out + (i + g) * stride;
      ev left[EVN], right[EVN];
      for (int j = 0; j < EVN; j++) {
        ev to = o[g][j] * tt[g];
        left[j] = e[g][j] + to;
        right[EVN - 1 - j] = EV(backwards)((e[g][j] - to) * sign);
      }
      for (int again = 0; again < 2; again++, w += copy) {
        for (int j = 0; j < EVN; j++)
          *(ev *)(w + width - lanes + j * EVL) = right[j];
        for (int j = 0; j < EVN; j++)
          *(ev *)(w + j * EVL) = left[j];
        if (!copy)
          break;
      }
    }
  }
}
#undef EVL
