# cmake --install: libraries, headers, package files, the command and its manual.
include(CMakePackageConfigHelpers)

# Files of libraries as words for a linker: -lNAME, after -L where the folder is not one that every linker of this machine looks in.
function(og_linker_words result)
  set(words "")
  foreach(library ${ARGN})
    cmake_path(GET library PARENT_PATH folder)
    cmake_path(GET library STEM name)
    string(REGEX REPLACE "^lib" "" name ${name})
    if(folder AND NOT folder MATCHES "^/(usr/)?lib(64)?(/${CMAKE_LIBRARY_ARCHITECTURE}|/gcc/.*)?$")
      list(APPEND words -L${folder})
    endif()
    list(APPEND words -l${name})
  endforeach()
  list(REMOVE_DUPLICATES words)
  list(JOIN words " " words)
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

if(TARGET offgrid)
  install(TARGETS offgrid offgrid_static EXPORT offgrid-targets)
  install(FILES include/offgrid.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY tuning DESTINATION ${CMAKE_INSTALL_DATADIR}/offgrid FILES_MATCHING PATTERN "*.csv")
  set(og_package ${CMAKE_INSTALL_LIBDIR}/cmake/offgrid)
  install(EXPORT offgrid-targets NAMESPACE offgrid:: DESTINATION ${og_package})
  configure_package_config_file(cmake/offgrid-config.cmake.in ${PROJECT_BINARY_DIR}/cmake/offgrid-config.cmake
                                INSTALL_DESTINATION ${og_package})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/offgrid-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/offgrid-config.cmake ${PROJECT_BINARY_DIR}/cmake/offgrid-config-version.cmake
          DESTINATION ${og_package})
  file(RELATIVE_PATH og_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix) # lib may be lib/x86_64-linux-gnu
  og_linker_words(og_pc_libraries ${OG_FFTW_LIBRARIES} ${OG_OPENMP_LIBRARIES})
  configure_file(cmake/offgrid.pc.in ${PROJECT_BINARY_DIR}/cmake/offgrid.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/offgrid.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET offgrid_mpi)
  install(TARGETS offgrid_mpi EXPORT offgrid-mpi-targets) # apart: only who asks for the component mpi needs MPI
  install(FILES include/offgrid_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT offgrid-mpi-targets NAMESPACE offgrid:: DESTINATION ${og_package})
  configure_file(cmake/offgrid_mpi.pc.in ${PROJECT_BINARY_DIR}/cmake/offgrid_mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/offgrid_mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET offgrid_vkfft)
  install(TARGETS offgrid_vkfft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/offgrid)
endif()
if(TARGET offgrid_finufft)
  install(TARGETS offgrid_finufft DESTINATION ${CMAKE_INSTALL_LIBDIR}/finufft)
  install(FILES compat/finufft/finufft.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/offgrid)
endif()
if(TARGET offgrid_cufinufft)
  install(TARGETS offgrid_cufinufft DESTINATION ${CMAKE_INSTALL_LIBDIR}/finufft)
  install(FILES compat/cufinufft/cufinufft.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/offgrid)
endif()
if(TARGET offgrid_command)
  install(TARGETS offgrid_command)
  install(FILES bench/peers/ducc_peer.py DESTINATION ${CMAKE_INSTALL_DATADIR}/offgrid)
  if(NOT OFFGRID_SANITIZE)
    set(og_completion ${PROJECT_BINARY_DIR}/share/offgrid.bash)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
    add_custom_command(
      OUTPUT ${og_completion}
      COMMAND offgrid_command info --completion > ${og_completion}
      DEPENDS offgrid_command
      VERBATIM)
    add_custom_target(offgrid_completion ALL DEPENDS ${og_completion})
    install(FILES ${og_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME offgrid)
  endif()
  # The manual page is made from --help, so that there is one text; without help2man there is no page.
  find_program(OG_HELP2MAN help2man)
  mark_as_advanced(OG_HELP2MAN)
  if(OG_HELP2MAN AND NOT OFFGRID_SANITIZE)
    set(og_manual ${PROJECT_BINARY_DIR}/share/offgrid.1)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
    add_custom_command(
      OUTPUT ${og_manual}
      COMMAND ${OG_HELP2MAN} --no-info --no-discard-stderr --name "nonuniform fast Fourier transforms"
              --version-string "offgrid ${PROJECT_VERSION}" --output ${og_manual} ./offgrid
      WORKING_DIRECTORY $<TARGET_FILE_DIR:offgrid_command> # help2man splits a path at its spaces
      DEPENDS offgrid_command
      VERBATIM)
    add_custom_target(offgrid_manual ALL DEPENDS ${og_manual})
    install(FILES ${og_manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()
