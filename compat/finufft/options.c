/* FINUFFT's options: their defaults, the checks of makeplan, and what they are in offgrid's terms. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plan.h"

/* A sentinel, not a flag of FFTW: so that a caller's explicit FFTW_ESTIMATE can be told from the default. */
const int FINUFFT_FFT_DEFAULT = -1;

enum { FFTW_ESTIMATE_BIT = 64 };
enum { MOST_THREADS = 4096 }; /* of offgrid.h's option threads */
static const double least_sigma = 1.1, most_sigma = 4;

void shim_default_options(finufft_opts *opts) {
  memset(opts, 0, sizeof *opts); /* zero is the default of all others, and of the padding */
  opts->showwarn = 1;
  opts->fftw = FINUFFT_FFT_DEFAULT;
  opts->spread_sort = 2;
  opts->spread_kerevalmeth = 1;
  opts->spread_kerpad = 1;
  opts->spread_nthr_atomic = -1;
}

static int check_kernel(const finufft_opts *o) {
  if (o->upsampfac != 0 && !(o->upsampfac > 1))
    return shim_refuse(FINUFFT_ERR_UPSAMPFAC_TOO_SMALL, "upsampfac = %g, must be > 1, or 0 to have it chosen",
                       o->upsampfac);
  if (isinf(o->upsampfac))
    return shim_refuse(FINUFFT_ERR_INVALID_ARGUMENT, "upsampfac is infinite");
  if (o->spread_kerformula != 0 && (o->spread_kerformula < 7 || o->spread_kerformula > 9))
    return shim_refuse(FINUFFT_ERR_KERFORMULA_NOTVALID, "spread_kerformula = %d, must be 0, 7, 8 or 9",
                       o->spread_kerformula);
  return 0;
}

static int check_tolerance(const shim_job *job, const finufft_opts *o, double *tolerance) {
  const double epsilon = job->precision == OG_F32 ? FLT_EPSILON : DBL_EPSILON;
  if (isnan(job->eps) || job->eps == INFINITY)
    return shim_refuse(FINUFFT_ERR_INVALID_ARGUMENT, "eps = %g, must be a number", job->eps);
  if (job->eps < epsilon && !o->allow_eps_too_small)
    return shim_refuse(FINUFFT_ERR_EPS_TOO_SMALL,
                       "eps = %g is below machine epsilon, %.3g (opts.allow_eps_too_small = 1 raises it)", job->eps,
                       epsilon);
  *tolerance = fmax(job->eps, epsilon);
  return 0;
}

static int check_modes(const shim_job *job) {
  if (job->type == 3)
    return 0;
  if (!job->n_modes)
    return shim_refuse(FINUFFT_ERR_NDATA_NOTVALID, "n_modes is null");
  for (int d = 0; d < job->ndim; d++)
    if (job->n_modes[d] < 0)
      return shim_refuse(FINUFFT_ERR_NDATA_NOTVALID, "n_modes[%d] = %lld, must be >= 0", d, (long long)job->n_modes[d]);
  return 0;
}

static void warn_ignored(const finufft_opts *o) {
  const char *deprecated = "opts.%s is deprecated and ignored";
  if (o->spread_thread != 0)
    shim_warn(o, deprecated, "spread_thread");
  if (o->spread_kerevalmeth != 1)
    shim_warn(o, deprecated, "spread_kerevalmeth");
  if (o->spread_kerpad != 1)
    shim_warn(o, deprecated, "spread_kerpad");
  if (o->upsampfac != 0 && (o->upsampfac < least_sigma || o->upsampfac > most_sigma))
    shim_warn(o, "opts.upsampfac = %g is brought into %g to %g", o->upsampfac, least_sigma, most_sigma);
}

int shim_check(const shim_job *job, const finufft_opts *o, double *tolerance) {
  if (!o->fftw_lock_fun != !o->fftw_unlock_fun)
    return shim_refuse(FINUFFT_ERR_LOCK_FUNS_INVALID, "fftw_lock_fun and fftw_unlock_fun: set both or none");
  if (job->type < 1 || job->type > 3)
    return shim_refuse(FINUFFT_ERR_TYPE_NOTVALID, "type = %d, must be 1, 2 or 3", job->type);
  if (job->ndim < 1 || job->ndim > 3)
    return shim_refuse(FINUFFT_ERR_DIM_NOTVALID, "dim = %d, must be 1, 2 or 3", job->ndim);
  if (job->n_vectors < 1)
    return shim_refuse(FINUFFT_ERR_NTRANS_NOTVALID, "ntrans = %d, must be >= 1", job->n_vectors);
  if (o->nthreads > MOST_THREADS)
    return shim_refuse(FINUFFT_ERR_NTHREADS_NOTVALID, "nthreads = %d, must be at most %d", o->nthreads, MOST_THREADS);
  int code = check_kernel(o);
  if (!code)
    code = check_tolerance(job, o, tolerance);
  if (!code)
    code = check_modes(job);
  if (!code)
    warn_ignored(o);
  return code;
}

static int fft_planning(int flags) {
  if (flags == FINUFFT_FFT_DEFAULT)
    return OG_FFT_AUTO;
  return flags & FFTW_ESTIMATE_BIT ? OG_FFT_ESTIMATE : OG_FFT_MEASURE;
}

og_options shim_options(const shim_plan *p) {
  const finufft_opts *o = &p->opts;
  og_options options = OG_OPTIONS_DEFAULT;
  options.tolerance = p->tolerance;
  options.precision = p->precision;
  options.sign = p->type == 2 ? -p->isign : p->isign; /* og_type2 has -s in its exponent */
  options.threads = o->nthreads > 0 ? o->nthreads : 0;
  options.max_vectors = p->n_vectors;
  options.fft_planning = fft_planning(o->fftw);
  if (o->upsampfac != 0)
    options.sigma = fmin(fmax(o->upsampfac, least_sigma), most_sigma);
  if (p->type != 3) {
    options.mode_order = o->modeord && !o->spreadinterponly ? OG_ORDER_FFT : OG_ORDER_ASCENDING;
    options.spread_only = o->spreadinterponly != 0;
    if (options.spread_only)
      options.window = "pswf"; /* the window itself is what is seen, so a smooth one */
  }
  return options;
}
