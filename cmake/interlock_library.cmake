# interlock_warnings(TARGET): what every target of the project compiles with.
function(interlock_warnings target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(
    ${target}
    PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
            # GCC 12 reports overlapping copies inside std::string's operator+ that cannot happen
            # (GCC bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            # With sizes of 32 bits, numbers of 64 become sizes in places where they count what lies
            # in memory, of which there are 4 GiB. tests/lab compares all answers with the usual build.
            $<$<STREQUAL:${CMAKE_SYSTEM_NAME},WASI>:-Wno-sign-conversion;-Wno-shorten-64-to-32>
            $<$<BOOL:${INTERLOCK_WERROR}>:-Werror>)
  # In the same inlined code newer versions often report accesses outside of strings, memory that is
  # freed but was never allocated, and the value of an empty std::optional. GCC 12 seldom does, and so
  # keeps these warnings.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                                             -Wno-free-nonheap-object -Wno-maybe-uninitialized)
  endif()
endfunction()

# What a program that was linked with a version may be run with: before 1.0 the same minor version.
set(interlock_soversion "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")

# interlock_shared_library(TARGET): its name, and what it exports.
function(interlock_shared_library target)
  set_target_properties(
    ${target}
    PROPERTIES VERSION "${PROJECT_VERSION}"
               SOVERSION "${interlock_soversion}"
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               # It finds the others beside itself, wherever they are installed.
               INSTALL_RPATH "$ORIGIN")
  # A symbol that is missing is an error here, and not in the program that uses the library.
  if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
endfunction()

# interlock_library(NAME
#                   [NO_EXCEPTIONS]          compile with -fno-exceptions
#                   [INTERNAL]               for other parts of this project alone: its archive is
#                                            installed, which theirs need, and no header of it
#                   [NOT_INSTALLED]          for the program alone
#                   [SIMULATOR]              installed with the simulator, not with the library
#                   INCLUDE dir              root of the public headers, usually `include`
#                   HEADERS file...          every public header, once: they are installed, and
#                                            the gcc preset compiles each of them alone
#                   [IMPLEMENTORS file...]   more of them, which only those need who write a store or a
#                                            protocol: installed with the simulator
#                   [SOURCES file...]        none: a header-only library
#                   [LIBRARIES target...]    seen by users of this library, e.g. interlock::core
#                   [PRIVATE_LIBRARIES target...]
#                   [PACKAGES name...]       what find_package must find before LIBRARIES exist, also
#                                            for our users
#                   [PRIVATE_PACKAGES name...])  the same of PRIVATE_LIBRARIES, e.g. hiredis: who uses
#                                            the shared library does not need them
#
# Makes the target interlock_NAME, known to everyone else as interlock::NAME, and the component
# NAME of the installed package. With BUILD_SHARED_LIBS it is a shared library, except what belongs to the
# simulator, which programs for tests alone use. A shared library exports what its public headers declare
# (`#pragma GCC visibility push(default)` in each of them), and hides the rest. For example:
#
#   interlock_library(core
#     INCLUDE include
#     HEADERS include/interlock/vocabulary.hpp
#             include/interlock/error.hpp
#     SOURCES src/error.cpp
#     LIBRARIES tl::expected
#     PACKAGES tl-expected)
function(interlock_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_EXCEPTIONS;INTERNAL;NOT_INSTALLED;SIMULATOR" "INCLUDE"
                        "HEADERS;IMPLEMENTORS;SOURCES;LIBRARIES;PRIVATE_LIBRARIES;PACKAGES;PRIVATE_PACKAGES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_INCLUDE OR NOT arg_HEADERS)
    message(FATAL_ERROR "interlock_library(${name}): needs INCLUDE and HEADERS; "
                        "not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(package IN LISTS arg_PACKAGES arg_PRIVATE_PACKAGES)
    find_package(${package} REQUIRED)
  endforeach()

  set(target interlock_${name})
  if(arg_SOURCES)
    set(visibility PUBLIC)
    if(BUILD_SHARED_LIBS AND NOT arg_SIMULATOR AND NOT arg_NOT_INSTALLED)
      add_library(${target} SHARED ${arg_SOURCES})
      interlock_shared_library(${target})
    else()
      add_library(${target} STATIC ${arg_SOURCES})
    endif()
    interlock_warnings(${target})
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LIBRARIES})
    if(arg_NO_EXCEPTIONS)
      target_compile_options(${target} PRIVATE -fno-exceptions)
      interlock_precompile(${target} OPTIONS -fno-exceptions)
    else()
      interlock_precompile(${target})
    endif()
  else()
    set(visibility INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(interlock::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${visibility} cxx_std_20)
  if(arg_INTERNAL)
    target_include_directories(
      ${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/${arg_INCLUDE}>")
  else()
    target_sources(${target} ${visibility} FILE_SET HEADERS BASE_DIRS ${arg_INCLUDE}
                   FILES ${arg_HEADERS})
    if(arg_IMPLEMENTORS)
      target_sources(${target} ${visibility} FILE_SET implementors TYPE HEADERS BASE_DIRS ${arg_INCLUDE}
                     FILES ${arg_IMPLEMENTORS})
    endif()
  endif()
  target_link_libraries(${target} ${visibility} ${arg_LIBRARIES})
  if(arg_NOT_INSTALLED)
    return()
  endif()

  # For interlock_install.cmake: which components there are, what each of them requires, and with what
  # it is installed.
  set_property(GLOBAL PROPERTY INTERLOCK_${name}_INTERNAL ${arg_INTERNAL})
  set_property(GLOBAL PROPERTY INTERLOCK_${name}_IMPLEMENTORS ${arg_IMPLEMENTORS})
  set_property(GLOBAL PROPERTY INTERLOCK_${name}_SIMULATOR ${arg_SIMULATOR})
  set(components ${arg_LIBRARIES} ${arg_PRIVATE_LIBRARIES})
  list(FILTER components INCLUDE REGEX "^interlock::")
  list(TRANSFORM components REPLACE "^interlock::" "")
  set_property(GLOBAL APPEND PROPERTY INTERLOCK_COMPONENTS ${name})
  set_property(GLOBAL PROPERTY INTERLOCK_${name}_COMPONENTS ${components})
  foreach(list IN ITEMS LIBRARIES PRIVATE_LIBRARIES PACKAGES PRIVATE_PACKAGES)
    set_property(GLOBAL PROPERTY INTERLOCK_${name}_${list} ${arg_${list}})
  endforeach()
endfunction()
