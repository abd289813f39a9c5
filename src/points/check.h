/* Looks for coordinates that are NaN or infinite. */
#ifndef OG_POINTS_CHECK_H
#define OG_POINTS_CHECK_H
#include "backend.h"

/* OG_ERR_POINT names the first bad point; smallest and largest (may be NULL) get the range of each dimension. */
int og_points_check(const og_backend *backend, int precision, int threads, int ndim, int64_t n, const void *const x[3],
                    double smallest[3], double largest[3]) OG_MUST_CHECK;
#endif
