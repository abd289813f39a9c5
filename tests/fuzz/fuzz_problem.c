/* The parser of problem strings survives any text, and what it accepts is a problem: sizes in range, points that are
 * finite and lie in [-pi, pi]. */
#include "../../apps/cli/problem.h"
#include "../../apps/cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FEW = 64 };

static void check_points(problem *p) {
  double x[3][FEW];
  void *at[3] = {x[0], x[1], x[2]};
  if (p->n_points > FEW)
    p->n_points = FEW;
  p->options.precision = OG_F64;
  problem_fill_points(p, at);
  for (int d = 0; d < p->ndim; d++)
    for (int64_t j = 0; j < p->n_points; j++)
      if (!(fabs(x[d][j]) <= 3.1415926535897936))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[600];
  if (size >= sizeof text)
    return 0;
  memcpy(text, data, size);
  text[size] = 0;
  problem p;
  if (problem_parse(&p, text)) {
    if (!*fail_text() || strchr(fail_text(), '\n'))
      abort();
    return 0;
  }
  if (p.ndim < 1 || p.ndim > 3 || !p.op || p.n_points < 0 || p.n_targets < 0 || p.n_vectors < 1)
    abort();
  for (int d = 0; d < 3; d++)
    if (p.n_modes[d] < 1 || (d >= p.ndim && p.n_modes[d] != 1))
      abort();
  check_points(&p);
  return 0;
}
