# The gpu room: the drivers open the vendors' libraries at run time, so it builds everywhere. Kernels are no C files of the build but
# texts, embedded by cmake/embed.cmake; a new file in backends/gpu/kernels needs no line here.
function(og_add_gpu list)
  set(folder ${PROJECT_SOURCE_DIR}/backends/gpu/kernels)
  file(GLOB_RECURSE texts CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.h)
  set(names "")
  foreach(text ${texts})
    cmake_path(RELATIVE_PATH text BASE_DIRECTORY ${folder})
    list(APPEND names ${text})
  endforeach()
  set(embedded ${PROJECT_BINARY_DIR}/gpu/texts.c)
  add_custom_command(
    OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded} -DFOLDER=${folder} "-DNAMES=${names}" -P
            ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${texts} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding the kernel texts"
    VERBATIM)

  og_glob(sources backends/gpu)
  list(FILTER sources EXCLUDE REGEX "/backends/gpu/(kernels|drivers/vkfft)/")
  set(all ${${list}})
  og_add_objects(all gpu ${sources})
  target_sources(offgrid_objects_gpu PRIVATE ${embedded})

  # The host driver compiles kernels at run time as this build compiles.
  set(flags "")
  if(OFFGRID_SANITIZE)
    set(flags "-fsanitize=${OFFGRID_SANITIZE} -fno-omit-frame-pointer")
    if(OFFGRID_SANITIZE MATCHES "undefined")
      string(APPEND flags " -fno-sanitize-recover=undefined")
    endif()
    string(APPEND flags " ")
  endif()
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/backends/gpu/drivers/host.c
    PROPERTIES COMPILE_DEFINITIONS "OG_HOST_COMPILER=\"${CMAKE_C_COMPILER}\";OG_HOST_FLAGS=\"${flags}\"")
  file(RELATIVE_PATH from_library ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_DATADIR}/offgrid/tuning)
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/backends/gpu/tuning.c
    PROPERTIES COMPILE_DEFINITIONS
               "OG_TUNING_FOLDER=\"${CMAKE_INSTALL_FULL_DATADIR}/offgrid/tuning\";OG_TUNING_FROM_LIBRARY=\"${from_library}\"")
  file(GLOB tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tuning/*.csv)
  foreach(table ${tables}) # the library in the build folder finds them as an installed one does, where that is in lib/
    cmake_path(GET table FILENAME file)
    configure_file(${table} ${PROJECT_BINARY_DIR}/share/offgrid/tuning/${file} COPYONLY)
  endforeach()
  set_source_files_properties(${PROJECT_SOURCE_DIR}/backends/gpu/drivers/opencl_fft.c
                              PROPERTIES COMPILE_DEFINITIONS "OG_PLUGIN_FOLDER=\"${CMAKE_INSTALL_LIBDIR}/offgrid\"")
  og_add_vkfft()
  set(${list} ${all} PARENT_SCOPE)
endfunction()

# The OpenCL driver's FFT, a plugin, where VkFFT (a header), OpenCL's headers and the ICD loader are there.
function(og_add_vkfft)
  find_path(OG_VKFFT_INCLUDE vkFFT.h PATH_SUFFIXES vkFFT)
  find_path(OG_OPENCL_INCLUDE CL/cl.h)
  find_library(OG_OPENCL_LIBRARY NAMES OpenCL libOpenCL.so.1)
  mark_as_advanced(OG_VKFFT_INCLUDE OG_OPENCL_INCLUDE OG_OPENCL_LIBRARY)
  if(NOT OG_VKFFT_INCLUDE OR NOT OG_OPENCL_INCLUDE OR NOT OG_OPENCL_LIBRARY)
    message(STATUS "VkFFT or OpenCL is missing: backend opencl gets no FFT (Debian: libvkfft-dev, opencl-c-headers, "
                   "ocl-icd-libopencl1)")
    return()
  endif()
  add_library(offgrid_vkfft MODULE ${PROJECT_SOURCE_DIR}/backends/gpu/drivers/vkfft/vkfft.c)
  set_target_properties(offgrid_vkfft PROPERTIES OUTPUT_NAME offgrid_vkfft_opencl LIBRARY_OUTPUT_DIRECTORY
                                                                                    ${PROJECT_BINARY_DIR}/lib/offgrid)
  target_include_directories(offgrid_vkfft SYSTEM PRIVATE ${OG_VKFFT_INCLUDE} ${OG_OPENCL_INCLUDE})
  target_compile_options(offgrid_vkfft PRIVATE -Wall -Wextra -Wshadow) # no sanitizers: its faults are not ours
  target_link_libraries(offgrid_vkfft PRIVATE ${OG_OPENCL_LIBRARY} m)
endfunction()
