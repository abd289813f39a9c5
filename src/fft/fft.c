/* The pruned FFT as passes: one 1-D engine of the backend per dimension and direction, and the lines it is given. */
#include "fft/fft.h"

#include "base/memory.h"
#include "fft/prune.h"

typedef struct step {
  void *lines;
  og_lines_pass pass;
} step;

struct og_fft {
  int (*execute)(void *lines, const og_lines_pass *pass, void *grid);
  int (*execute_pair)(void *first, const og_lines_pass *first_pass, void *second, const og_lines_pass *second_pass,
                      void *grid);
  void (*destroy)(void *lines);
  int ndim;
  step forward[3], backward[3]; /* by dimension */
};

typedef struct plan_for {
  const og_backend *backend;
  const og_grid *grid;
  const int64_t *n_modes;
  int sign, planning, threads;
  void *memory;
} plan_for;

static og_lines_kind kind_of(const og_grid *grid, int dim, int backward) {
  if (grid->values == OG_COMPLEX || dim)
    return OG_LINES_C2C;
  return backward ? OG_LINES_C2R : OG_LINES_R2C;
}

static int make_step(const plan_for *p, int dim, int backward, step *s) {
  const og_grid *grid = p->grid;
  int real = grid->values != OG_COMPLEX, forward_sign = real ? -1 : p->sign;
  og_range kept[2];
  int n_kept = og_prune_kept(grid->n[0], p->n_modes[0], real, kept);
  og_prune_pass(grid, p->n_modes, dim, backward, &s->pass);
  og_lines_setup setup = {.kind = kind_of(grid, dim, backward),
                          .sign = backward ? -forward_sign : forward_sign,
                          .precision = grid->precision,
                          .n = grid->n[dim],
                          .stride = dim ? grid->stride[dim] / (real ? 2 : 1) : 1,
                          .lines = og_prune_pass_lines(&s->pass),
                          .planning = p->planning,
                          .threads = p->threads,
                          .memory = p->memory,
                          .bytes = grid->bytes};
  for (int i = 0; i < n_kept; i++)
    setup.columns += kept[i].end - kept[i].begin;
  return p->backend->lines_create(&setup, &s->lines);
}

static int fill(og_fft *fft, const plan_for *p) {
  for (int d = 0; d < fft->ndim; d++) {
    OG_TRY(make_step(p, d, 0, &fft->forward[d]));
    OG_TRY(make_step(p, d, 1, &fft->backward[d]));
  }
  return OG_OK;
}

int og_fft_create(og_fft **fft, const og_backend *backend, const og_grid *grid, const int64_t n_modes[3], int sign,
                  int planning, int threads, void *memory) {
  *fft = NULL;
  for (int d = 0; d < 3; d++)
    OG_CHECK(n_modes[d] >= 1 && n_modes[d] <= grid->n[d], OG_ERR_SIZE, "%lld modes on %lld cells in dimension %d",
             (long long)n_modes[d], (long long)grid->n[d], d);
  og_fft *new = og_allocate_zeroed(sizeof *new);
  OG_CHECK(new, OG_ERR_MEMORY, "no memory for the FFT's plan");
  new->execute = backend->lines_execute;
  new->execute_pair = backend->lines_execute_pair;
  new->destroy = backend->lines_destroy;
  new->ndim = grid->ndim;
  int code = fill(new, &(plan_for){backend, grid, n_modes, sign, planning, threads, memory});
  if (code)
    og_fft_destroy(new);
  else
    *fft = new;
  return code;
}

/* x and y of each plane belong together: the plane is still in cache. */
static int run_pair(const og_fft *fft, const step *first, const step *second, void *grid) {
  if (fft->execute_pair)
    return fft->execute_pair(first->lines, &first->pass, second->lines, &second->pass, grid);
  OG_TRY(fft->execute(first->lines, &first->pass, grid));
  return fft->execute(second->lines, &second->pass, grid);
}

int og_fft_forward(const og_fft *fft, void *grid) {
  const step *s = fft->forward;
  if (fft->ndim == 1)
    return fft->execute(s[0].lines, &s[0].pass, grid);
  OG_TRY(run_pair(fft, &s[0], &s[1], grid));
  return fft->ndim == 2 ? OG_OK : fft->execute(s[2].lines, &s[2].pass, grid);
}

int og_fft_backward(const og_fft *fft, void *grid) {
  const step *s = fft->backward;
  if (fft->ndim == 1)
    return fft->execute(s[0].lines, &s[0].pass, grid);
  if (fft->ndim == 3)
    OG_TRY(fft->execute(s[2].lines, &s[2].pass, grid));
  return run_pair(fft, &s[1], &s[0], grid);
}

void og_fft_destroy(og_fft *fft) {
  if (!fft)
    return;
  for (int d = 0; d < 3; d++) {
    if (fft->forward[d].lines)
      fft->destroy(fft->forward[d].lines);
    if (fft->backward[d].lines)
      fft->destroy(fft->backward[d].lines);
  }
  og_free(fft);
}
