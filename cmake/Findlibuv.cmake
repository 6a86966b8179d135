# uv::uv. Debian's libuv has a pkg-config file and no CMake package.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(libuv_pc QUIET libuv)
endif()
find_path(libuv_INCLUDE_DIR uv.h HINTS ${libuv_pc_INCLUDE_DIRS})
find_library(libuv_LIBRARY uv HINTS ${libuv_pc_LIBRARY_DIRS})
mark_as_advanced(libuv_INCLUDE_DIR libuv_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  libuv
  REQUIRED_VARS libuv_LIBRARY libuv_INCLUDE_DIR
  VERSION_VAR libuv_pc_VERSION
  REASON_FAILURE_MESSAGE "Debian and Ubuntu: apt-get install libuv1-dev")

if(libuv_FOUND AND NOT TARGET uv::uv)
  find_package(Threads REQUIRED)
  add_library(uv::uv UNKNOWN IMPORTED)
  set_target_properties(
    uv::uv
    PROPERTIES IMPORTED_LOCATION "${libuv_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${libuv_INCLUDE_DIR}"
               INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}")
endif()
