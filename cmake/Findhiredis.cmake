# hiredis::hiredis, from any hiredis. Debian's 0.14.1 has no usable CMake package (its config only
# sets variables, and under the name Hiredis); from 1.0 on there is one, but without a version
# check against the headers that are really found. So look for header and library themselves.
find_path(hiredis_INCLUDE_DIR hiredis/hiredis.h)
find_library(hiredis_LIBRARY hiredis)
mark_as_advanced(hiredis_INCLUDE_DIR hiredis_LIBRARY)

if(hiredis_INCLUDE_DIR)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${hiredis_INCLUDE_DIR}/hiredis/hiredis.h" line
         REGEX "^#define HIREDIS_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" hiredis_${part} "${line}")
  endforeach()
  set(hiredis_VERSION "${hiredis_MAJOR}.${hiredis_MINOR}.${hiredis_PATCH}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  hiredis
  REQUIRED_VARS hiredis_LIBRARY hiredis_INCLUDE_DIR
  VERSION_VAR hiredis_VERSION
  REASON_FAILURE_MESSAGE "Debian and Ubuntu: apt-get install libhiredis-dev. \
Without a Redis store: -DINTERLOCK_REDIS=OFF")

if(hiredis_FOUND AND NOT TARGET hiredis::hiredis)
  add_library(hiredis::hiredis UNKNOWN IMPORTED)
  set_target_properties(hiredis::hiredis PROPERTIES IMPORTED_LOCATION "${hiredis_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES
                                                    "${hiredis_INCLUDE_DIR}")
endif()
