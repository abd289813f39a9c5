# build/lib/finufft/libfinufft.so: FINUFFT's C interface on top of offgrid.h, under FINUFFT's own file name and SONAME, in
# a folder of its own so that nobody links it by accident. It holds all of offgrid, so that this one file can take the place
# of FINUFFT's in a Python package.
og_glob(og_finufft compat/finufft)
if(og_finufft AND TARGET offgrid_static)
  add_library(offgrid_finufft SHARED ${og_finufft})
  target_include_directories(offgrid_finufft PUBLIC ${PROJECT_SOURCE_DIR}/compat/finufft)
  target_link_libraries(offgrid_finufft PRIVATE offgrid_flags offgrid_static m)
  target_link_options(offgrid_finufft PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(
    offgrid_finufft
    PROPERTIES OUTPUT_NAME finufft LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/finufft INSTALL_RPATH "")
endif()

# build/lib/finufft/libcufinufft.so: the same for cuFINUFFT, on the cuda backend.
og_glob(og_cufinufft compat/cufinufft)
if(og_cufinufft AND TARGET offgrid_static)
  add_library(offgrid_cufinufft SHARED ${og_cufinufft})
  target_include_directories(offgrid_cufinufft PUBLIC ${PROJECT_SOURCE_DIR}/compat/cufinufft)
  target_link_libraries(offgrid_cufinufft PRIVATE offgrid_flags offgrid_static m)
  target_link_options(offgrid_cufinufft PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(
    offgrid_cufinufft
    PROPERTIES OUTPUT_NAME cufinufft LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/finufft INSTALL_RPATH "")
endif()
