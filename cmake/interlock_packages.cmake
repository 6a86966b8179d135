# Debian's packages by CPack, from the parts of interlock_install.cmake: scripts/package builds them.
set(INTERLOCK_MAINTAINER "The interlock authors"
    CACHE STRING "Who is named as maintainer of the packages: Name <address>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME interlock)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CONTACT "${INTERLOCK_MAINTAINER}")
set(CPACK_PACKAGE_FILE_NAME interlock)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL OFF)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL development)
if(TARGET interlock)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
if(TARGET interlock::simulator)
  list(APPEND CPACK_COMPONENTS_ALL simulator)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${INTERLOCK_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)

# interlock_debian_package(PART SECTION DESCRIPTION)
function(interlock_debian_package part section description)
  string(TOUPPER "${part}" upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${interlock_${part}_package}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
endfunction()
interlock_debian_package(program admin "lock a command, on one machine or across many
Runs a command under a lock, so that it runs once at a time: on one machine
by a file, across machines by Redis. If the lock is lost, the command is
ended before anybody else can have it. It also has a model checker, which
finds the shortest run in which a lock breaks.")
interlock_debian_package(development libdevel "locks across processes and machines (development files)
The C++20 library of interlock: leases that are renewed while they are held,
fencing tokens, queues, readers and writers, permits and elections, with
stores in Redis and in SQLite.

This package has the headers, the archives, the links to the shared libraries,
the CMake package and the files of pkg-config.")
interlock_debian_package(simulator libdevel "model checker for locks (development files)
The simulator of interlock explores all interleavings of a lock that is
written as a coroutine, under the faults that you choose, and draws the
shortest run that breaks a promise.

This package also has the catalogue of locks that are broken on purpose, and
the headers for those who write a store or a protocol for interlock.")

# Only in the packages of a build that names one with shared libraries: packaging/deb/with_shared_build.cmake.
interlock_debian_package(library libs "locks across processes and machines (shared library)
The C++20 library of interlock: leases that are renewed while they are held,
fencing tokens, queues, readers and writers, permits and elections, with
stores in Redis and in SQLite.

This package has the shared libraries, for programs that use them.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)

# The Debian packages that the CMake packages of a part's components are in.
set(interlock_debian_name_of_hiredis libhiredis-dev)
set(interlock_debian_name_of_OpenSSL libssl-dev)
set(interlock_debian_name_of_SQLite3 libsqlite3-dev)
set(interlock_debian_name_of_tl-expected libexpected-dev)
set(development_depends "")
set(interlock_shlibs "")
set(simulator_depends "libinterlock-dev (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
foreach(name IN LISTS interlock_components)
  set(part development)
  get_property(simulator GLOBAL PROPERTY INTERLOCK_${name}_SIMULATOR)
  if(simulator)
    set(part simulator)
  endif()
  get_target_property(type interlock_${name} TYPE)
  if(part STREQUAL "development" AND NOT type STREQUAL "INTERFACE_LIBRARY")
    string(APPEND interlock_shlibs "libinterlock_${name} ${interlock_soversion} ${interlock_library_package} "
                                   "(>= ${PROJECT_VERSION})\n")
  endif()
  get_property(packages GLOBAL PROPERTY INTERLOCK_${name}_PACKAGES)
  get_property(private_packages GLOBAL PROPERTY INTERLOCK_${name}_PRIVATE_PACKAGES)
  list(APPEND packages ${private_packages})
  list(REMOVE_ITEM packages Threads)
  foreach(package IN LISTS packages)
    if(NOT DEFINED interlock_debian_name_of_${package})
      message(FATAL_ERROR "interlock_packages.cmake: the package ${package} of ${name} has no line here")
    endif()
    list(APPEND ${part}_depends "${interlock_debian_name_of_${package}}")
    # The archive was compiled for the layout of its structures, which every minor version may change.
    if(package STREQUAL "hiredis")
      string(REGEX MATCH "^([0-9]+)[.]([0-9]+)" minor "${hiredis_VERSION}")
      math(EXPR next "${CMAKE_MATCH_2} + 1")
      list(APPEND ${part}_depends "libhiredis-dev (>= ${minor})"
           "libhiredis-dev (<< ${CMAKE_MATCH_1}.${next}~)")
      list(REMOVE_ITEM ${part}_depends libhiredis-dev)
    endif()
  endforeach()
endforeach()
foreach(part IN ITEMS development simulator)
  string(TOUPPER "${part}" upper)
  list(REMOVE_DUPLICATES ${part}_depends)
  list(JOIN ${part}_depends ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
endforeach()
# What other packages that use the libraries depend on, and that the loader looks for them anew. CPack writes scripts
# for the second, which Debian does without.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/deb/shlibs" CONTENT "${interlock_shlibs}")
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/deb/triggers" CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/deb/shlibs" "${PROJECT_BINARY_DIR}/deb/triggers")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libasio-dev | libboost-dev")
set(CPACK_DEBIAN_SIMULATOR_PACKAGE_SUGGESTS "libgtest-dev, librapidcheck-dev")
# Loaded when a store asks for TLS: cli/src/system/openssl_on_demand.cpp.
if(INTERLOCK_STATIC AND TARGET interlock::redis)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libssl3t64 | libssl3")
endif()

# What a package has beside the installed files: the changelog, compressed manual pages, overrides.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/deb/finish_packages.cmake")
set(CPACK_INTERLOCK_PACKAGING_DIR "${PROJECT_SOURCE_DIR}/packaging/deb")
foreach(part IN ITEMS program development simulator library)
  set(CPACK_INTERLOCK_${part}_PACKAGE "${interlock_${part}_package}")
endforeach()
# A build with BUILD_SHARED_LIBS, whose libraries become a package beside those of this one.
set(INTERLOCK_SHARED_BUILD "" CACHE PATH "Build folder with BUILD_SHARED_LIBS=ON, for the packages")
set(CPACK_INTERLOCK_SHARED_BUILD "${INTERLOCK_SHARED_BUILD}")
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/packaging/deb/with_shared_build.cmake")
include(CPack)
