/* Includes itself, for tests/gpu/programs.c. */
#include "itself.c"
