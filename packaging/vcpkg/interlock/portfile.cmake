# An overlay port of the checkout that it lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features
  FEATURES
    redis INTERLOCK_REDIS
    sqlite INTERLOCK_SQLITE
    simulator INTERLOCK_SIMULATOR)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DINTERLOCK_CLI=OFF -DINTERLOCK_HARNESS=OFF -DINTERLOCK_STATIC=OFF -DINTERLOCK_TESTS=OFF
          -DINTERLOCK_BENCHMARKS=OFF -DINTERLOCK_EXAMPLES=OFF
  # CMake asks for it where there is a simulator alone.
  MAYBE_UNUSED_VARIABLES INTERLOCK_HARNESS)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/interlock)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
     "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
