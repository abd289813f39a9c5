/* Uses an installed offgrid as anyone would: one strength at x = 0 has all modes equal to itself. */
#include <offgrid.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  og_plan plan;
  int64_t n_modes[] = {8};
  double x[] = {0}, strength[] = {3, -4}, modes[16] = {0};
  int code = og_plan_create(&plan, 1, n_modes, NULL);
  if (!code)
    code = og_plan_set_points(plan, 1, x, NULL, NULL);
  if (!code)
    code = og_type1(plan, 1, strength, modes);
  og_plan_destroy(plan);
  if (code) {
    fprintf(stderr, "%s\n", og_last_error());
    return 1;
  }
  for (int i = 0; i < 16; i++)
    if (!(fabs(modes[i] - strength[i % 2]) < 1e-4))
      return 1;
  return 0;
}
