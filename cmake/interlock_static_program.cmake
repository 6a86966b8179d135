# The program contains its libraries, all but the C library (which looks users and hosts up by modules
# that it loads) and OpenSSL (which it loads when it needs it): the loader took half of the time of an
# uncontended `interlock run`. After a security update of SQLite or hiredis the program must be built
# again; -DINTERLOCK_STATIC=OFF links the shared libraries instead.
option(INTERLOCK_STATIC "Link SQLite, hiredis, fmt and the C++ library into the program"
       ${PROJECT_IS_TOP_LEVEL})

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
