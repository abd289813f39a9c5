/* The window's values at the cells of a point's stencil, by the even and odd parts that a cell and its mirror share:
 * half the products of one polynomial per cell. See og_k_window. */
#ifndef OG_KERNEL_WINDOW_H
#define OG_KERNEL_WINDOW_H
#if WIDTH && DEGREE
#define WINDOW_EVEN (DEGREE / 2 + 1) /* coefficients of the even part, and of the odd */
#define WINDOW_ODD ((DEGREE + 1) / 2)

/* E(t^2) and O(t^2) of pair i. */
DEVICE void window_parts(CONSTANT const og_k_window *window, int i, acc t2, acc *even, acc *odd) {
  acc e = window->c[i * (DEGREE + 1)], o = window->c[i * (DEGREE + 1) + WINDOW_EVEN];
  UNROLL for (int k = 1; k < WINDOW_EVEN; k++) e = FMA(e, t2, window->c[i * (DEGREE + 1) + k]);
  UNROLL for (int k = 1; k < WINDOW_ODD; k++) o = FMA(o, t2, window->c[i * (DEGREE + 1) + WINDOW_EVEN + k]);
  *even = e;
  *odd = o;
}

/* value[WIDTH] at argument t in [-1, 1]. */
DEVICE void window_values(CONSTANT const og_k_window *window, acc t, acc *value) {
  UNROLL for (int i = 0; i < (WIDTH + 1) / 2; i++) {
    acc even, odd;
    window_parts(window, i, t * t, &even, &odd);
    value[i] = 2 * i + 1 == WIDTH ? even : FMA(t, odd, even);
    if (2 * i + 1 != WIDTH)
      value[WIDTH - 1 - i] = FMA(-t, odd, even);
  }
}

/* The same of a derivative, which is odd where the window is even. */
DEVICE void window_derivatives(CONSTANT const og_k_window *window, acc t, acc *value) {
  UNROLL for (int i = 0; i < (WIDTH + 1) / 2; i++) {
    acc even, odd;
    window_parts(window, i, t * t, &even, &odd);
    value[i] = 2 * i + 1 == WIDTH ? t * odd : FMA(t, odd, even);
    if (2 * i + 1 != WIDTH)
      value[WIDTH - 1 - i] = FMA(t, odd, -even);
  }
}
#endif
#endif
