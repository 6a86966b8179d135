# Writes Lua scripts as C++ constants.
#
#   cmake "-DFOLDER=dir" "-DSCRIPTS=name name..." "-DNAMESPACE=name" "-DTEXTS=dir" "-DOUTPUT=file.cpp"
#         -P embed_lua.cmake
#
# For each name, FOLDER/name.lua becomes the constant `name`, which FOLDER/scripts.hpp declares. A line
# `--include parts/other.lua` stands for that file, which may include others. Empty lines and lines of comment are for readers
# of the file, and are left out. What is left is also written to TEXTS/name.lua: the line numbers in a
# server's error messages, and in the linter's, are lines of that file.
cmake_path(GET FOLDER FILENAME folder_name)
separate_arguments(SCRIPTS)
set(constants "")
foreach(name IN LISTS SCRIPTS)
  file(READ "${FOLDER}/${name}.lua" text)
  while("\n${text}" MATCHES "\n--include ([^\n]+)")
    set(part "${CMAKE_MATCH_1}")
    file(READ "${FOLDER}/${part}" part_text)
    string(REPLACE "--include ${part}\n" "${part_text}" text "${text}")
  endwhile()
  string(REGEX REPLACE "\n[ \t]*--[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE "\n\n+" "\n" text "${text}")
  string(REGEX REPLACE "^\n" "" text "${text}")
  file(WRITE "${TEXTS}/${name}.lua" "${text}")
  string(APPEND constants "const std::string_view ${name} = R\"lua(${text})lua\";\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by cmake/embed_lua.cmake.\n"
                       "#include \"${folder_name}/scripts.hpp\"\n\n"
                       "namespace ${NAMESPACE} {\n\n${constants}\n}  // namespace ${NAMESPACE}\n")
