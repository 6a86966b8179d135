# interlock_embed_texts(TARGET
#                       HEADER file          declares a std::string_view for each text, and is
#                                            included as it is written here
#                       NAMESPACE name       of the header's
#                       TEXTS name file...)  the constant's name and its file, one after the other
#
# Compiles files into TARGET, as constants. For example:
#
#   interlock_embed_texts(interlock_render HEADER assets.hpp NAMESPACE interlock::sim::draw
#                         TEXTS page_style assets/page.css)
function(interlock_embed_texts target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;NAMESPACE" "TEXTS")
  set(constants "")
  while(arg_TEXTS)
    list(POP_FRONT arg_TEXTS name file)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    # Read when CMake is run, which a changed file starts anew.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(APPEND constants "const std::string_view ${name} = R\"text(${text})text\";\n")
  endwhile()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_texts_of_${target}.cpp")
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT "// Written by cmake/interlock_embed_texts.cmake.
#include \"${arg_HEADER}\"

namespace ${arg_NAMESPACE} {

@constants@
}  // namespace ${arg_NAMESPACE}
")
  target_sources(${target} PRIVATE "${output}")
endfunction()
