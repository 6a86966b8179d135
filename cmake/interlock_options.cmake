# What is built, and the few settings that only a top-level build may make for itself.

option(BUILD_SHARED_LIBS "Shared libraries in place of archives" OFF)
option(INTERLOCK_REDIS "Store on a Redis server (hiredis)" ON)
option(INTERLOCK_SQLITE "Store in a file on one machine (SQLite)" ON)
option(INTERLOCK_SIMULATOR "Simulator: explore every interleaving of a protocol" ${PROJECT_IS_TOP_LEVEL})
option(INTERLOCK_CLI "The program `interlock`" ${PROJECT_IS_TOP_LEVEL})
option(INTERLOCK_EXAMPLES "Examples, each run by ctest" ${PROJECT_IS_TOP_LEVEL})
option(INTERLOCK_INSTALL "Install rules and the CMake package" ${PROJECT_IS_TOP_LEVEL})
option(INTERLOCK_WERROR "Treat warnings as errors" OFF)

# A component finds its packages in its own folder, and is linked from others.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(INTERLOCK_BUILD_EXAMPLES ${INTERLOCK_EXAMPLES})

# ON, OFF or AUTO. AUTO builds the part if its packages are here, so that the program alone can be
# built without a test framework; ON makes a missing package an error, so that a test run cannot
# pass by having lost its tests.
function(interlock_auto_option option result description)
  if(PROJECT_IS_TOP_LEVEL)
    set(default AUTO)
  else()
    set(default OFF)
  endif()
  set(${option} ${default} CACHE STRING "${description}: ON, OFF or AUTO (if ${ARGN} are found)")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  set(enabled ${${option}})
  if(enabled STREQUAL "AUTO")
    set(enabled ON)
    foreach(package IN LISTS ARGN)
      find_package(${package} QUIET)
      if(NOT ${package}_FOUND)
        message(STATUS "${option}: switched off, ${package} was not found")
        set(enabled OFF)
      endif()
    endforeach()
  endif()
  set(${result} ${enabled} PARENT_SCOPE)
endfunction()

# Real programs as clients of the simulator: needs Lua 5.1, which Redis runs scripts with.
if(INTERLOCK_SIMULATOR)
  interlock_auto_option(INTERLOCK_HARNESS INTERLOCK_BUILD_HARNESS "Clients in any language under the search" Lua51)
endif()
# Tests and benchmarks look inside the libraries, at what a shared one hides.
if(BUILD_SHARED_LIBS)
  foreach(part IN ITEMS TESTS BENCHMARKS)
    set(INTERLOCK_BUILD_${part} OFF)
    if("${INTERLOCK_${part}}" STREQUAL "ON")
      message(FATAL_ERROR "INTERLOCK_${part}=ON: BUILD_SHARED_LIBS=ON hides what they look at: switch one of the two off")
    endif()
  endforeach()
else()
  interlock_auto_option(INTERLOCK_TESTS INTERLOCK_BUILD_TESTS "Tests" GTest rapidcheck)
  interlock_auto_option(INTERLOCK_BENCHMARKS INTERLOCK_BUILD_BENCHMARKS "Benchmarks" benchmark)
endif()

if(PROJECT_IS_TOP_LEVEL)
  # The part of an installed file that names none: interlock_install.cmake.
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  # Programs and benchmarks are found in one place: build/<preset>/bin.
  if(NOT DEFINED CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  endif()
  if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(INTERLOCK_CCACHE ccache)
    mark_as_advanced(INTERLOCK_CCACHE)
    if(INTERLOCK_CCACHE)
      # Without these, ccache keeps nothing that was compiled with a precompiled header.
      # Paths below the source folder do not count, so that another checkout of it finds the results.
      set(CMAKE_CXX_COMPILER_LAUNCHER
          env CCACHE_SLOPPINESS=pch_defines,time_macros "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
          CCACHE_NOHASHDIR=1 "${INTERLOCK_CCACHE}")
    endif()
  endif()
endif()
