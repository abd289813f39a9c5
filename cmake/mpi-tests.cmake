# Tests over MPI. layout.c starts no ranks; ranks.c runs on more ranks than there are cores, with the MPI of the build and,
# where that is another one and Debian's MPICH is installed, with MPICH as well: the same sources, compiled once more. MPICH's
# ranks spin while they wait, so they are few.
function(og_add_mpi_test name room launcher ranks target)
  og_add_test(${name} ${room} bash ${PROJECT_SOURCE_DIR}/tests/mpi/run.sh ${launcher} ${ranks} $<TARGET_FILE:${target}> ${ARGN})
endfunction()

function(og_add_mpi_program target file)
  add_executable(${target} tests/mpi/${file}.c)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_sources(${target} PRIVATE ${ARGN})
  target_link_libraries(${target} PRIVATE offgrid_test)
endfunction()

execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE og_mpi_version ERROR_QUIET)
if(og_mpi_version MATCHES "Open MPI|OpenRTE")
  set(og_mpi_ranks 1 2 3 4 5 6 7 8 12 16)
else()
  set(og_mpi_ranks 1 2 3 4)
endif()

og_add_mpi_program(test_mpi_layout layout ${og_mpi_objects})
target_link_libraries(test_mpi_layout PRIVATE MPI::MPI_C)
og_add_test(mpi/layout mpi test_mpi_layout)

og_add_mpi_program(test_mpi_ranks ranks ${og_mpi_objects})
target_link_libraries(test_mpi_ranks PRIVATE MPI::MPI_C)
foreach(ranks ${og_mpi_ranks})
  math(EXPR among "(${ranks} + 3) / 4") # more ranks, fewer cases
  og_add_mpi_test(mpi/ranks/${ranks} mpi ${MPIEXEC_EXECUTABLE} ${ranks} test_mpi_ranks --seed ${ranks} --among ${among})
endforeach()

# The example is an outside user: public header, shared library.
add_executable(example_mpi examples/mpi.c)
target_link_libraries(example_mpi PRIVATE offgrid_flags offgrid_mpi m)
og_add_mpi_test(examples/mpi examples ${MPIEXEC_EXECUTABLE} 3 example_mpi)

find_program(OG_MPICH_EXEC mpiexec.mpich)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(OG_MPICH QUIET IMPORTED_TARGET mpich)
endif()
mark_as_advanced(OG_MPICH_EXEC)
if(OG_MPICH_EXEC AND OG_MPICH_FOUND AND og_mpi_version MATCHES "Open MPI|OpenRTE")
  set(og_mpich_objects "")
  og_add_objects(og_mpich_objects mpich ${og_mpi_sources})
  og_link_objects(mpich PkgConfig::OG_MPICH)
  og_add_mpi_program(test_mpich_ranks ranks ${og_mpich_objects})
  target_link_libraries(test_mpich_ranks PRIVATE PkgConfig::OG_MPICH)
  foreach(ranks 1 2 3 4)
    og_add_mpi_test(mpi/mpich/${ranks} mpi ${OG_MPICH_EXEC} ${ranks} test_mpich_ranks --seed ${ranks} --among 12)
  endforeach()
endif()
