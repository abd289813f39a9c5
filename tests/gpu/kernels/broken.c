/* Does not compile: line 4 names what is not there. tests/gpu/programs.c wants the sentence to say so. */
KERNEL void broken(GLOBAL i32 *out) {
  if (LOCAL_ID == 0)
    out[GROUP_ID(0)] = no_such_name;
}
