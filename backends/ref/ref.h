/* The stages of the ref backend, each with the contract of backends/backend.h. */
#ifndef OG_BACKENDS_REF
#define OG_BACKENDS_REF
#include "backend.h"
#include "fft/lines.h"

/* points.c */
int og_ref_points_create(const og_points_setup *setup, void **points);
int og_ref_points_bytes(void *points, int64_t n, size_t *resident, size_t *scratch);
int og_ref_points_set(void *points, int64_t n, const void *const x[3], void *resident, void *scratch);
void og_ref_points_destroy(void *points);
const char *og_ref_points_simd(void *points);
/* spread.c, interp.c */
int og_ref_spread(void *points, int64_t vectors, const void *strengths, void *grid);
int og_ref_interp(void *points, int64_t vectors, const void *grid, void *values, void *const gradients[3]);
/* lines*.c */
int og_ref_lines_create(const og_lines_setup *setup, void **lines);
int og_ref_lines_execute(void *lines, const og_lines_pass *pass, void *grid);
void og_ref_lines_destroy(void *lines);
/* deconvolve.c */
int og_ref_modes_from_grid(const og_modes_setup *setup, int64_t vectors, const void *grid, void *modes);
int og_ref_grid_from_modes(const og_modes_setup *setup, int64_t vectors, int64_t n, const void *multipliers,
                           const void *modes, void *grid);
int og_ref_multiply(void *device, int precision, int threads, int64_t vectors, int64_t n, int conjugate,
                    const void *factor, const void *in, void *out);
/* ref.c */
int og_ref_grid_layout(og_grid *grid);
void og_ref_parallel(int threads, int64_t n, int64_t grain, void (*body)(void *context, int64_t begin, int64_t end),
                     void *context);
extern const og_backend og_backend_ref;
#endif
