/* Options: the table of offgrid.h as functions. */
#ifndef OG_PLAN_OPTIONS_H
#define OG_PLAN_OPTIONS_H
#include "base/error.h"

/* *full = the caller's options (NULL: none), later fields from the defaults; backend, simd, threads and fft_planning that are
 * left at their default are taken from the environment (OFFGRID_<NAME>) where it has them. Every field is checked:
 * OG_ERR_OPTION names the option and what is allowed. */
int og_options_resolve(const og_options *options, og_options *full) OG_MUST_CHECK;
#endif
