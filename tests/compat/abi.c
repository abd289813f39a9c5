/* The library's file holds what programs linked with FINUFFT look for: 48 C names, their Fortran twins, the SONAME, and
 * an options struct of FINUFFT's layout (on 64-bit machines). */
#define _GNU_SOURCE /* dladdr1 */
#include "common/test.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "finufft.h"

static void names(const char *prefix) {
  static const char *const stems[] = {"_default_opts", "_makeplan",        "_setpts",
                                      "_execute",      "_execute_adjoint", "_destroy"};
  char name[64];
  for (int fortran = 0; fortran <= 1; fortran++) {
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
      snprintf(name, sizeof name, "%s%s%s", prefix, stems[i], fortran ? "_" : "");
      CHECK(dlsym(RTLD_DEFAULT, name), "no symbol %s", name);
    }
    for (int i = 0; i < 18; i++) {
      snprintf(name, sizeof name, "%s%dd%d%s%s", prefix, 1 + i / 6, 1 + i / 2 % 3, i % 2 ? "many" : "",
               fortran ? "_" : "");
      CHECK(dlsym(RTLD_DEFAULT, name), "no symbol %s", name);
    }
  }
}

/* What the loader knows this library by. */
static void soname(void) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!CHECK(dladdr1((void *)(uintptr_t)finufft_makeplan, &info, (void **)&map, RTLD_DL_LINKMAP) && map, "not loaded"))
    return;
  const ElfW(Dyn) *soname = NULL, *strings = NULL;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    soname = d->d_tag == DT_SONAME ? d : soname;
    strings = d->d_tag == DT_STRTAB ? d : strings;
  }
  if (CHECK(soname && strings, "no SONAME")) {
    const char *name = (const char *)strings->d_un.d_ptr + soname->d_un.d_val;
    CHECK(!strcmp(name, "libfinufft.so"), "the SONAME is %s", name);
  }
}

static void layout(void) {
#define AT(field, offset)                                                                                              \
  CHECK(offsetof(finufft_opts, field) == (offset), #field " is at %zu", offsetof(finufft_opts, field))
  AT(modeord, 0);
  AT(spreadinterponly, 4);
  AT(debug, 8);
  AT(spread_debug, 12);
  AT(showwarn, 16);
  AT(nthreads, 20);
  AT(fftw, 24);
  AT(spread_sort, 28);
  AT(spread_kerevalmeth, 32);
  AT(spread_kerpad, 36);
  AT(upsampfac, 40);
  AT(spread_thread, 48);
  AT(maxbatchsize, 52);
  AT(spread_nthr_atomic, 56);
  AT(spread_max_sp_size, 60);
  AT(spread_kerformula, 64);
  AT(allow_eps_too_small, 68);
  AT(fftw_lock_fun, 72);
  AT(fftw_unlock_fun, 80);
  AT(fftw_lock_data, 88);
  CHECK(sizeof(finufft_opts) == 96, "the struct has %zu bytes", sizeof(finufft_opts));
}

static void defaults(void (*set)(finufft_opts *)) {
  finufft_opts o;
  memset(&o, 0xff, sizeof o);
  set(&o);
  CHECK(!o.modeord && !o.spreadinterponly && !o.debug && !o.spread_debug && o.showwarn == 1 && !o.nthreads, "defaults");
  CHECK(o.fftw == FINUFFT_FFT_DEFAULT && o.spread_sort == 2 && o.spread_kerevalmeth == 1 && o.spread_kerpad == 1,
        "defaults");
  CHECK(o.upsampfac == 0 && !o.spread_thread && !o.maxbatchsize && o.spread_nthr_atomic == -1, "defaults");
  CHECK(!o.spread_max_sp_size && !o.spread_kerformula && !o.allow_eps_too_small, "defaults");
  CHECK(!o.fftw_lock_fun && !o.fftw_unlock_fun && !o.fftw_lock_data, "defaults");
}

int main(int argc, char **argv) {
  test_begin(argc, argv, "The FINUFFT-compatible library has FINUFFT's binary interface.");
  test_case("names");
  names("finufft");
  names("finufftf");
  test_case("SONAME");
  soname();
  test_case("options");
  if (sizeof(void *) == 8)
    layout();
  defaults(finufft_default_opts);
  defaults(finufftf_default_opts);
  return test_end();
}
