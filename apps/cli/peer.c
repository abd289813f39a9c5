/* What all contenders share. */
#include "peer.h"

#include "message.h"

void peer_describe(const bench_case *c, int is_real, check *k) {
  const problem *p = c->p;
  *k = (check){.type = p->op == OP_TYPE1 || p->op == OP_FILTER ? 1
                       : p->op == OP_TYPE3                     ? 3
                                                               : 2,
               .ndim = p->ndim,
               .sign = p->options.sign,
               .is_single = p->options.precision == OG_F32,
               .is_real = is_real,
               .mode_order = p->options.mode_order,
               .n_modes = {p->n_modes[0], p->n_modes[1], p->n_modes[2]},
               .period = {p->options.period_x, p->options.period_y, p->options.period_z},
               .n_points = p->n_points,
               .n_targets = p->n_targets};
  for (int d = 0; d < 3; d++)
    k->x[d] = c->x[d], k->targets[d] = c->omega[d];
}

int64_t peer_size_in(const check *k) { return k->type == 2 ? check_modes(k) : k->n_points; }

int64_t peer_size_out(const check *k) {
  return k->type == 1 ? check_modes(k) : k->type == 2 ? k->n_points : k->n_targets;
}

int peer_compare(const bench_case *c, int is_real, int64_t samples, const void *in, const void *out, double *error) {
  check k;
  peer_describe(c, is_real, &k);
  size_t number = k.is_single ? 4 : 8;
  size_t item_in = number * (is_real && k.type != 2 ? 1 : 2), item_out = number * (is_real && k.type == 2 ? 1 : 2);
  int64_t last = c->p->n_vectors - 1;
  for (int64_t v = 0; v <= last; v += last ? last : 1)
    TRY(check_vector(&k, samples, 17 + (uint64_t)v, (const char *)in + (size_t)(v * peer_size_in(&k)) * item_in,
                     (const char *)out + (size_t)(v * peer_size_out(&k)) * item_out));
  *error = check_error(&k);
  return 0;
}
