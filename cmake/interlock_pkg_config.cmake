# Files of pkg-config, from the lists that the CMake package is made of. The component redis is the module
# interlock-redis; simulator_testing is interlock-simulator-testing. The module interlock is what a program
# begins with: the client, and the store in memory.

# The modules that other people's targets are known as, and what a target is for the linker that has none.
set(interlock_module_of_hiredis::hiredis hiredis)
set(interlock_module_of_OpenSSL::SSL "libssl, libcrypto")
set(interlock_module_of_SQLite::SQLite3 sqlite3)
set(interlock_flags_of_Threads::Threads -pthread)
set(interlock_flags_of_tl::expected "")

# interlock_write_module(NAME PART DESCRIPTION REQUIRES FLAGS [PRIVATE-REQUIRES PRIVATE-FLAGS]): the last four as
# a file of pkg-config has them. The private ones are for who links archives: pkg-config --static.
function(interlock_write_module module part description requires libraries)
  list(POP_FRONT ARGN private_requires private_libraries)
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
Requires.private: @private_requires@
Cflags: -I${includedir}
Libs: @libraries@
Libs.private: @private_libraries@
]])
  install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${part})
endfunction()

# interlock_module_needs(NAME REQUIRES FLAGS LIBRARY...): what these libraries of the component NAME are in a file
# of pkg-config, as lists of these two names.
function(interlock_module_needs name requires_name flags_name)
  set(requires "")
  set(flags "")
  foreach(library IN LISTS ARGN)
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
  set(${requires_name} "${requires}" PARENT_SCOPE)
  set(${flags_name} "${flags}" PARENT_SCOPE)
endfunction()

# interlock_pkg_config(NAME PART): the module of a component.
function(interlock_pkg_config name part)
  get_property(libraries GLOBAL PROPERTY INTERLOCK_${name}_LIBRARIES)
  get_property(private_libraries GLOBAL PROPERTY INTERLOCK_${name}_PRIVATE_LIBRARIES)
  get_target_property(type interlock_${name} TYPE)
  # An archive names no library that it needs.
  if(NOT type STREQUAL "SHARED_LIBRARY")
    list(APPEND libraries ${private_libraries})
    set(private_libraries "")
  endif()
  interlock_module_needs(${name} requires flags ${libraries})
  interlock_module_needs(${name} private_requires private_flags ${private_libraries})
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    list(PREPEND flags "-L\${libdir}" -linterlock_${name})
  endif()
  foreach(list IN ITEMS requires private_requires)
    list(JOIN ${list} ", " ${list})
  endforeach()
  foreach(list IN ITEMS flags private_flags)
    list(JOIN ${list} " " ${list})
  endforeach()
  string(REPLACE "_" "-" module "interlock-${name}")
  interlock_write_module("${module}" ${part} "Component ${name} of interlock" "${requires}" "${flags}"
                         "${private_requires}" "${private_flags}")
endfunction()

interlock_write_module(
  interlock development "${PROJECT_DESCRIPTION}"
  "interlock-client = ${PROJECT_VERSION}, interlock-memory = ${PROJECT_VERSION}" "")
