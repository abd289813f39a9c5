/* The smallest kernel, for tests of programs and their cache: writes VALUE. */
KERNEL void small(GLOBAL i32 *out) {
  if (LOCAL_ID == 0)
    out[GROUP_ID(0)] = VALUE;
}
KERNEL void twice(GLOBAL i32 *out) {
  if (LOCAL_ID == 0)
    out[GROUP_ID(0)] = 2 * VALUE;
}
