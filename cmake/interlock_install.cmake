# What is installed, in parts, which are packages of their own on Debian (interlock_packages.cmake):
#
#   program      the program; also what names no other part (interlock_options.cmake)
#   development  the library: headers, archives, CMake package, files of pkg-config
#   library      the shared libraries, of a build with BUILD_SHARED_LIBS
#   simulator    the same of the simulator and its catalogue of broken locks, and the headers for those who
#                write a store or a protocol
#
# `cmake --install BUILD --component program` installs one of them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(interlock_pkg_config)

# An export set per component, so that a user who asks for `memory` needs no hiredis; and a file of it for each
# kind of library, so that a build with BUILD_SHARED_LIBS may be installed beside one without.
set(interlock_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/interlock")
get_property(interlock_components GLOBAL PROPERTY INTERLOCK_COMPONENTS)
foreach(name IN LISTS interlock_components)
  set(part development)
  get_property(simulator GLOBAL PROPERTY INTERLOCK_${name}_SIMULATOR)
  if(simulator)
    set(part simulator)
  endif()
  get_property(internal GLOBAL PROPERTY INTERLOCK_${name}_INTERNAL)
  set(headers FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT ${part})
  if(internal)
    set(headers "")
  endif()
  get_property(implementors GLOBAL PROPERTY INTERLOCK_${name}_IMPLEMENTORS)
  if(implementors)
    list(APPEND headers FILE_SET implementors DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT simulator)
  endif()
  install(
    TARGETS interlock_${name}
    EXPORT interlock-${name}
    ARCHIVE COMPONENT ${part}
    LIBRARY COMPONENT library NAMELINK_COMPONENT ${part}
    ${headers})
  get_target_property(type interlock_${name} TYPE)
  set(kind "")
  if(type STREQUAL "STATIC_LIBRARY")
    set(kind -static)
  elseif(type STREQUAL "SHARED_LIBRARY")
    set(kind -shared)
  endif()
  install(
    EXPORT interlock-${name}
    FILE interlock-${name}${kind}.cmake
    NAMESPACE interlock::
    DESTINATION "${interlock_package_dir}"
    COMPONENT ${part})
  interlock_pkg_config(${name} ${part})
  get_property(components GLOBAL PROPERTY INTERLOCK_${name}_COMPONENTS)
  get_property(packages GLOBAL PROPERTY INTERLOCK_${name}_PACKAGES)
  get_property(private_packages GLOBAL PROPERTY INTERLOCK_${name}_PRIVATE_PACKAGES)
  # A file of its own, because the build whose interlock-config.cmake is installed may not have the component.
  set(needs "${PROJECT_BINARY_DIR}/cmake/interlock-${name}-needs.cmake")
  file(CONFIGURE OUTPUT "${needs}" @ONLY
       CONTENT "set(interlock_@name@_COMPONENTS @components@)
set(interlock_@name@_PACKAGES @packages@)
set(interlock_@name@_PRIVATE_PACKAGES @private_packages@)
")
  install(FILES "${needs}" DESTINATION "${interlock_package_dir}" COMPONENT ${part})
endforeach()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/interlock-config.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/interlock-config.cmake"
  INSTALL_DESTINATION "${interlock_package_dir}")
# Before 1.0 every minor version may break.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/interlock-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/cmake/interlock-config.cmake"
        "${PROJECT_BINARY_DIR}/cmake/interlock-config-version.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/Findhiredis.cmake"
  DESTINATION "${interlock_package_dir}"
  COMPONENT development)

if(TARGET interlock)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH libraries "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set_target_properties(interlock PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  endif()
  install(TARGETS interlock RUNTIME COMPONENT program)
endif()

# The licence, and those of the libraries that the program contains: in the folder of each part's package.
file(READ "${PROJECT_SOURCE_DIR}/LICENSE" interlock_licence)
string(REGEX REPLACE "\n(\n+)" "\n.\n" interlock_licence "${interlock_licence}")
string(REGEX REPLACE "\n$" "" interlock_licence "${interlock_licence}")
string(REPLACE "\n" "\n " interlock_licence " ${interlock_licence}")
configure_file("${PROJECT_SOURCE_DIR}/packaging/deb/copyright.in" "${PROJECT_BINARY_DIR}/copyright" @ONLY)
set(interlock_program_package interlock)
set(interlock_development_package libinterlock-dev)
set(interlock_simulator_package libinterlock-simulator-dev)
set(interlock_library_package libinterlock${interlock_soversion})
set(parts program development simulator)
if(BUILD_SHARED_LIBS)
  list(APPEND parts library)
endif()
foreach(part IN LISTS parts)
  install(
    FILES "${PROJECT_BINARY_DIR}/copyright"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${interlock_${part}_package}"
    COMPONENT ${part})
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(
    uninstall
    COMMAND "${CMAKE_COMMAND}" -D "FOLDER=${PROJECT_BINARY_DIR}" -P
            "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake"
    COMMENT "Removing what was installed from here"
    VERBATIM)
  include(interlock_packages)
endif()
