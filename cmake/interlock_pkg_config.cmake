# Files of pkg-config, from the lists that the CMake package is made of. The component redis is the module
# interlock-redis; simulator_testing is interlock-simulator-testing. The module interlock is what a program
# begins with: the client, and the store in memory.

# The modules that other people's targets are known as, and what a target is for the linker that has none.
set(interlock_module_of_hiredis::hiredis hiredis)
set(interlock_module_of_OpenSSL::SSL "libssl, libcrypto")
set(interlock_module_of_SQLite::SQLite3 sqlite3)
set(interlock_flags_of_Threads::Threads -pthread)
set(interlock_flags_of_tl::expected "")

# interlock_write_module(NAME PART DESCRIPTION REQUIRES FLAGS): the last two as a file of pkg-config has them.
function(interlock_write_module module part description requires libraries)
  # From the file itself, so that the folder may be moved.
  set(from "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${from}" OUTPUT_VARIABLE prefix)
  set(file "${PROJECT_BINARY_DIR}/pkgconfig/${module}.pc")
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT [[
prefix=${pcfiledir}/@prefix@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@

Name: @module@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -I${includedir}
Libs: @libraries@
]])
  install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${part})
endfunction()

# interlock_pkg_config(NAME PART): the module of a component.
function(interlock_pkg_config name part)
  set(requires "")
  set(flags "")
  get_target_property(type interlock_${name} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    set(flags "-L\${libdir}" -linterlock_${name})
  endif()
  get_property(libraries GLOBAL PROPERTY INTERLOCK_${name}_LIBRARIES)
  foreach(library IN LISTS libraries)
    if(library MATCHES "^interlock::(.*)$")
      string(REPLACE "_" "-" component "${CMAKE_MATCH_1}")
      list(APPEND requires "interlock-${component} = ${PROJECT_VERSION}")
    elseif(DEFINED interlock_module_of_${library})
      list(APPEND requires "${interlock_module_of_${library}}")
    elseif(DEFINED interlock_flags_of_${library})
      list(APPEND flags ${interlock_flags_of_${library}})
    # What only the project's own build needs.
    elseif(NOT library MATCHES "^\\$<BUILD_INTERFACE:")
      message(FATAL_ERROR "interlock_pkg_config.cmake: the library ${library} of ${name} has no line here")
    endif()
  endforeach()
  list(JOIN requires ", " requires)
  list(JOIN flags " " flags)
  string(REPLACE "_" "-" module "interlock-${name}")
  interlock_write_module("${module}" ${part} "Component ${name} of interlock" "${requires}" "${flags}")
endfunction()

interlock_write_module(
  interlock development "${PROJECT_DESCRIPTION}"
  "interlock-client = ${PROJECT_VERSION}, interlock-memory = ${PROJECT_VERSION}" "")
