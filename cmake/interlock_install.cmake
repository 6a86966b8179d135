# An export set per component, so that a user who asks for `memory` needs no hiredis.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(interlock_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/interlock")
get_property(interlock_components GLOBAL PROPERTY INTERLOCK_COMPONENTS)
set(interlock_component_table "")
foreach(name IN LISTS interlock_components)
  get_property(internal GLOBAL PROPERTY INTERLOCK_${name}_INTERNAL)
  set(headers FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  if(internal)
    set(headers "")
  endif()
  install(
    TARGETS interlock_${name}
    EXPORT interlock-${name}
    ${headers})
  install(
    EXPORT interlock-${name}
    NAMESPACE interlock::
    DESTINATION "${interlock_package_dir}")
  get_property(components GLOBAL PROPERTY INTERLOCK_${name}_COMPONENTS)
  get_property(packages GLOBAL PROPERTY INTERLOCK_${name}_PACKAGES)
  string(APPEND interlock_component_table "set(interlock_${name}_COMPONENTS ${components})\n"
                                          "set(interlock_${name}_PACKAGES ${packages})\n")
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
  DESTINATION "${interlock_package_dir}")

if(TARGET interlock)
  install(TARGETS interlock RUNTIME)
endif()
