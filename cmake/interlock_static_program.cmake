# The program contains its libraries, all but the C library (which looks users and hosts up by modules
# that it loads): the loader took half of the time of an uncontended `interlock run`. After a security
# update of SQLite or hiredis the program must be built again; -DINTERLOCK_STATIC=OFF links the shared
# libraries instead.
option(INTERLOCK_STATIC "Link SQLite, hiredis, fmt and the C++ library into the program"
       ${PROJECT_IS_TOP_LEVEL})

set(INTERLOCK_FMT_IN_PROGRAM OFF)
if(INTERLOCK_STATIC)
  # The find modules keep a library that is set. Where there is no archive they find the shared one.
  if(INTERLOCK_SQLITE)
    find_library(SQLite3_LIBRARY NAMES libsqlite3.a)
    find_package(SQLite3 REQUIRED)
    # Its functions of mathematics; a shared library names by itself what it needs.
    set_property(TARGET SQLite::SQLite3 APPEND PROPERTY INTERFACE_LINK_LIBRARIES m)
  endif()
  if(INTERLOCK_REDIS)
    find_library(hiredis_LIBRARY NAMES libhiredis.a)
  endif()
  # Another version may divide itself in another way between headers and library.
  if(INTERLOCK_CLI)
    find_package(fmt REQUIRED)
    if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
      set(INTERLOCK_FMT_IN_PROGRAM ON)
    endif()
  endif()
endif()

# interlock_static_program(TARGET): the C++ library becomes part of this executable, unless it uses a
# shared library that is written in C++, or a sanitizer, whose runtime must see the same one.
function(interlock_static_program target)
  if(INTERLOCK_FMT_IN_PROGRAM AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:--as-needed
                        LINKER:--gc-sections)
  endif()
endfunction()
