/* What is said: errors and warnings on stderr, what opts.debug asks for on stdout. This library prints, unlike
 * liboffgrid: its callers expect FINUFFT's habits. */
#include <stdarg.h>
#include <stdio.h>

#include "plan.h"

static void say(const char *kind, const char *format, va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  fprintf(stderr, "finufft (offgrid) %s: %s\n", kind, text);
}

int shim_refuse(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("error", format, arguments);
  va_end(arguments);
  return code;
}

void shim_warn(const finufft_opts *opts, const char *format, ...) {
  if (!opts->showwarn)
    return;
  va_list arguments;
  va_start(arguments, format);
  say("warning", format, arguments);
  va_end(arguments);
}

static int code_for(const shim_plan *p, int code) {
  switch (code) {
  case OG_OK:
    return 0;
  case OG_ERR_SIZE:
    return p->opts.spreadinterponly && p->type != 3 ? FINUFFT_ERR_SPREAD_BOX_SMALL : FINUFFT_ERR_MAXNALLOC;
  case OG_ERR_MEMORY:
  case OG_ERR_WORKSPACE:
    return FINUFFT_ERR_ALLOC;
  case OG_ERR_ARGUMENT:
  case OG_ERR_NULL:
  case OG_ERR_OPTION:
  case OG_ERR_POINT:
  case OG_ERR_ORDER:
    return FINUFFT_ERR_INVALID_ARGUMENT;
  case OG_ERR_BROKEN:
    return FINUFFT_ERR_PLAN_NOTVALID;
  default:
    return FINUFFT_ERR_UNKNOWN_EXCEPTION;
  }
}

int shim_failed(const shim_plan *p, const char *where, int code) {
  return code ? shim_refuse(code_for(p, code), "%s: %s", where, og_last_error()) : 0;
}

static int talks(const shim_plan *p) { return p->opts.debug > 0 || p->opts.spread_debug > 0; }

void shim_debug_made(const shim_plan *p) {
  if (talks(p))
    printf("[makeplan] offgrid %s: %dd%d%s, ntrans %d, modes %lld x %lld x %lld, eps %.3g\n", og_version(), p->ndim,
           p->type, p->precision == OG_F32 ? " float" : "", p->n_vectors, (long long)p->n_modes[0],
           (long long)p->n_modes[1], (long long)p->n_modes[2], p->tolerance);
}

/* 0 where there is nothing to tell: an empty transform, or a plan that keeps no report. */
static int report(const shim_plan *p, og_report *r) {
  *r = (og_report){.size = sizeof *r};
  return p->plan && og_plan_report(p->plan, r) == OG_OK;
}

void shim_debug_points(const shim_plan *p) {
  og_report r;
  if (!talks(p) || !report(p, &r))
    return;
  printf("[setpts] %lld points", (long long)p->n_points);
  if (p->type == 3)
    printf(", %lld targets", (long long)p->n_targets);
  printf(": %s %s, %d threads, %s window, sigma %.3g, width %d, grid %lld x %lld x %lld (%.3g MB), %.3g s\n", r.backend,
         r.simd, r.threads, r.window, r.sigma, r.width, (long long)r.n_grid[0], (long long)r.n_grid[1],
         (long long)r.n_grid[2], 1e-6 * (double)r.bytes_grid, r.seconds_points);
}

void shim_debug_executed(const shim_plan *p, int adjoint) {
  og_report r;
  if (talks(p) && report(p, &r))
    printf("[execute%s] spread %.3g s, FFT %.3g s, deconvolve %.3g s, interpolate %.3g s\n", adjoint ? "_adjoint" : "",
           r.seconds_spread, r.seconds_fft, r.seconds_deconvolve, r.seconds_interp);
}

/* The factor is what offgrid promises of its worst error in units of the tolerance: no warning is for nothing. */
void shim_warn_unreached(shim_plan *p) {
  const double worst = 1.75;
  og_report r;
  if (p->warned || p->opts.spreadinterponly || !report(p, &r) || r.reached || r.expected_error <= worst * p->tolerance)
    return;
  p->warned = 1;
  shim_warn(&p->opts, "eps = %.3g is out of reach here (sigma %.3g, width %d): expect an error of about %.2g",
            p->tolerance, r.sigma, r.width, r.expected_error);
}
