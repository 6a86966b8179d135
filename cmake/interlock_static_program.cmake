# The program contains its libraries, all but the C library (which looks users and hosts up by modules
# that it loads) and OpenSSL (which it loads when it needs it): the loader took half of the time of an
# uncontended `interlock run`. After a security update of SQLite or hiredis the program must be built
# again; -DINTERLOCK_STATIC=OFF links the shared libraries instead, as a build with BUILD_SHARED_LIBS does.
set(static ${PROJECT_IS_TOP_LEVEL})
if(BUILD_SHARED_LIBS)
  set(static OFF)
endif()
option(INTERLOCK_STATIC "Link SQLite, hiredis, fmt and the C++ library into the program" ${static})
if(INTERLOCK_STATIC AND BUILD_SHARED_LIBS)
  message(FATAL_ERROR "INTERLOCK_STATIC=ON: BUILD_SHARED_LIBS=ON builds libraries that contain no others: "
                      "switch one of the two off")
endif()

# The archive beside the shared library that was found, if there is one.
function(interlock_link_archive target library)
  string(REGEX REPLACE "[.](so|dylib)[.0-9]*$" ".a" archive "${library}")
  if(EXISTS "${archive}")
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${archive}")
  endif()
endfunction()

set(INTERLOCK_FMT_IN_PROGRAM OFF)
if(INTERLOCK_STATIC)
  if(INTERLOCK_SQLITE)
    find_package(SQLite3 REQUIRED)
    interlock_link_archive(SQLite::SQLite3 "${SQLite3_LIBRARY}")
    # Its functions of mathematics; a shared library names by itself what it needs.
    set_property(TARGET SQLite::SQLite3 APPEND PROPERTY INTERFACE_LINK_LIBRARIES m)
  endif()
  if(INTERLOCK_REDIS)
    find_package(hiredis REQUIRED)
    interlock_link_archive(hiredis::hiredis "${hiredis_LIBRARY}")
  endif()
  # Another version may divide itself in another way between headers and library, and another compiler
  # may need other functions of the library.
  if(INTERLOCK_CLI AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    find_package(fmt REQUIRED)
    if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
      set(INTERLOCK_FMT_IN_PROGRAM ON)
    endif()
  endif()
endif()

# Addresses to relocate as a bitmap: 0.2 MB less to read. Where it links, the C library may be too old.
if(INTERLOCK_STATIC)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_LINK_OPTIONS LINKER:-z,pack-relative-relocs)
  check_cxx_source_runs("int main() { return 0; }" INTERLOCK_PACKS_RELOCATIONS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()

# interlock_static_program(TARGET): the C++ library becomes part of this executable, unless it uses a
# shared library that is written in C++, or a sanitizer, whose runtime must see the same one.
function(interlock_static_program target)
  if(INTERLOCK_FMT_IN_PROGRAM AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:--as-needed
                        LINKER:--gc-sections)
  endif()
  if(INTERLOCK_STATIC AND INTERLOCK_PACKS_RELOCATIONS)
    target_link_options(${target} PRIVATE LINKER:-z,pack-relative-relocs)
  endif()
endfunction()

# interlock_program_for_every_linux(TARGET PROGRAM): the target TARGET is the executable PROGRAM once more,
# with the C library and OpenSSL in it, so that it needs nothing of the system that it runs on. Not built by
# default. Made of the same objects: what differs is in cli/src/system/static_program.cpp. The file TARGET.map
# beside it names the archives that it contains; a test asks packaging/deb/copyright.in for each of them.
function(interlock_program_for_every_linux target program)
  foreach(archive IN ITEMS c ssl crypto hiredis sqlite3)
    find_library(INTERLOCK_lib${archive}_ARCHIVE lib${archive}.a)
    mark_as_advanced(INTERLOCK_lib${archive}_ARCHIVE)
    if(NOT INTERLOCK_lib${archive}_ARCHIVE)
      message(STATUS "${target}: cannot be built, lib${archive}.a was not found")
      return()
    endif()
  endforeach()
  add_executable(${target} EXCLUDE_FROM_ALL
    "$<FILTER:$<TARGET_OBJECTS:${program}>,EXCLUDE,openssl_on_demand>" src/system/static_program.cpp)
  interlock_warnings(${target})
  target_compile_features(${target} PRIVATE cxx_std_20)
  get_property(names GLOBAL PROPERTY INTERLOCK_COMPONENTS)
  set(archives $<TARGET_FILE:interlock_cli>)
  foreach(name IN LISTS names ITEMS harness)
    if(TARGET interlock_${name})
      get_target_property(type interlock_${name} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND archives $<TARGET_FILE:interlock_${name}>)
        add_dependencies(${target} interlock_${name})
      endif()
    endif()
  endforeach()
  add_dependencies(${target} interlock_cli)
  # Not the targets of the other libraries, which are the shared ones.
  set(others -lsqlite3 -lhiredis -lssl -lcrypto -lm)
  if(TARGET interlock::harness)
    list(APPEND others -llua5.1)
  endif()
  if(INTERLOCK_BUILD_LINE_EDITING)
    list(APPEND others -ledit -ltinfo -lbsd -lmd)
  endif()
  target_link_libraries(${target} PRIVATE -Wl,--start-group ${archives} ${others} -Wl,--end-group)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${archives}")
  # The linker warns of getaddrinfo and others; static_program.cpp makes them safe.
  target_link_options(${target} PRIVATE -static-pie LINKER:--gc-sections "LINKER:-Map=$<TARGET_FILE:${target}>.map")
endfunction()
