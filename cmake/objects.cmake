# Object libraries of the rooms. A file that includes base/real.h is a leaf that depends on the precision: it is compiled
# twice, for double and, with OG_SINGLE defined, for float. The include line itself is the only list.

# All C sources below a folder.
function(og_glob result folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  list(SORT files)
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# og_add_objects(list name sources...): object libraries offgrid_objects_<name> and offgrid_objects_<name>_f32; appends their objects to
# list. Editing an include line makes CMake look again.
function(og_add_objects list name)
  set(twice "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} line REGEX "^#include \"base/real.h\"")
    if(line)
      list(APPEND twice ${file})
    endif()
  endforeach()
  set(all ${${list}})
  if(ARGN)
    add_library(offgrid_objects_${name} OBJECT ${ARGN})
    target_compile_definitions(offgrid_objects_${name} PRIVATE $<$<CONFIG:Release>:NDEBUG>)
    target_link_libraries(offgrid_objects_${name} PRIVATE offgrid_inside)
    list(APPEND all $<TARGET_OBJECTS:offgrid_objects_${name}>)
  endif()
  if(twice)
    add_library(offgrid_objects_${name}_f32 OBJECT ${twice})
    target_compile_definitions(offgrid_objects_${name}_f32 PRIVATE OG_SINGLE $<$<CONFIG:Release>:NDEBUG>)
    target_link_libraries(offgrid_objects_${name}_f32 PRIVATE offgrid_inside)
    list(APPEND all $<TARGET_OBJECTS:offgrid_objects_${name}_f32>)
  endif()
  set(${list} ${all} PARENT_SCOPE)
endfunction()

# Links both object libraries of a room with something (here: the OpenMP flags).
function(og_link_objects name)
  foreach(target offgrid_objects_${name} offgrid_objects_${name}_f32)
    if(TARGET ${target})
      target_link_libraries(${target} PRIVATE ${ARGN})
    endif()
  endforeach()
endfunction()
