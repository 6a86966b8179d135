# Lines of `interlock play` that can be edited, by libedit. Only a program with the simulator has it: the
# program of the stores alone, preset `operator`, neither contains nor needs the library.
# Adds the editor's source to interlock_cli, and the library if it is found.
interlock_auto_option(INTERLOCK_LINE_EDITING INTERLOCK_BUILD_LINE_EDITING "Line editing in interlock play"
                      libedit)
if(INTERLOCK_BUILD_LINE_EDITING)
  find_package(libedit REQUIRED)
  target_sources(interlock_cli PRIVATE src/interactive/line_editor.cpp)
  target_link_libraries(interlock_cli PUBLIC libedit::libedit)
else()
  target_sources(interlock_cli PRIVATE src/interactive/no_line_editor.cpp)
endif()

# libedit in the program, with what it is made of; a shared library names by itself what it needs.
if(INTERLOCK_BUILD_LINE_EDITING AND INTERLOCK_STATIC)
  set(parts)
  foreach(part IN ITEMS edit tinfo bsd md)
    find_library(INTERLOCK_lib${part}_ARCHIVE lib${part}.a)
    mark_as_advanced(INTERLOCK_lib${part}_ARCHIVE)
    list(APPEND parts "${INTERLOCK_lib${part}_ARCHIVE}")
  endforeach()
  if(NOT parts MATCHES "NOTFOUND")
    list(POP_FRONT parts archive)
    set_target_properties(libedit::libedit PROPERTIES IMPORTED_LOCATION "${archive}"
                                                      INTERFACE_LINK_LIBRARIES "${parts}")
  endif()
endif()
