# CPack reads this before it packs. If CPACK_INTERLOCK_SHARED_BUILD names a build with BUILD_SHARED_LIBS, its
# libraries are a package of their own, and the development package has the links to them. Not where that build was
# not made: the image in packaging/docker needs the program alone.
if(EXISTS "${CPACK_INTERLOCK_SHARED_BUILD}/cmake_install.cmake")
  # After the other, because both write the files of pkg-config, which shall prefer the shared libraries.
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${CPACK_INTERLOCK_SHARED_BUILD};interlock;ALL;/")
  list(APPEND CPACK_COMPONENTS_ALL library)
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${CPACK_INTERLOCK_library_PACKAGE} \
(= ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), ")
endif()
