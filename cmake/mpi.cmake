# liboffgrid_mpi: the distributed transforms, with the core inside and hidden, so that programs may link it beside
# liboffgrid or alone. Without MPI it is left out.
og_glob(og_mpi_sources src/mpi)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # MPICH's MPI_STATUSES_IGNORE is an address that gcc takes for a small array
  set_source_files_properties(src/mpi/comm.c PROPERTIES COMPILE_OPTIONS -Wno-stringop-overflow)
endif()
set(og_mpi_objects "")
og_add_objects(og_mpi_objects mpi ${og_mpi_sources})
og_link_objects(mpi MPI::MPI_C)
add_library(offgrid_mpi SHARED ${og_mpi_objects})
set_target_properties(offgrid_mpi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C
                                             INSTALL_RPATH "")
target_include_directories(offgrid_mpi PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(offgrid_mpi PRIVATE $<BUILD_INTERFACE:offgrid_flags> $<BUILD_INTERFACE:offgrid_static>
                                          ${OG_FFTW_LIBRARIES} OpenMP::OpenMP_C m ${CMAKE_DL_LIBS})
target_link_libraries(offgrid_mpi PUBLIC MPI::MPI_C)
target_link_options(offgrid_mpi PRIVATE -Wl,--exclude-libs,ALL)
if(NOT OFFGRID_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(offgrid_mpi PRIVATE -Wl,-z,defs -Wl,--as-needed)
endif()
add_library(offgrid::offgrid_mpi ALIAS offgrid_mpi)
