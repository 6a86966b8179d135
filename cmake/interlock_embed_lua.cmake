# interlock_embed_lua(TARGET
#                     FOLDER dir           of the scripts, and of scripts.hpp, which declares a
#                                          std::string_view for each of them
#                     NAMESPACE name       of the header's
#                     SCRIPTS name...      without .lua
#                     [PARTS path...])     what the scripts include, from FOLDER: all files of its folder parts
#
# Compiles Lua scripts into TARGET, as constants: see embed_lua.cmake. For example:
#
#   interlock_embed_lua(interlock_core FOLDER src/lua NAMESPACE interlock::lua SCRIPTS claim renew)
function(interlock_embed_lua target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER;NAMESPACE" "SCRIPTS;PARTS")
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}")
  list(TRANSFORM arg_SCRIPTS APPEND ".lua" OUTPUT_VARIABLE files)
  file(GLOB parts RELATIVE "${folder}" CONFIGURE_DEPENDS "${folder}/parts/*.lua")
  list(SORT arg_PARTS)
  if(NOT "${parts}" STREQUAL "${arg_PARTS}")
    message(FATAL_ERROR "${target}: PARTS are not what ${arg_FOLDER}/parts has: ${parts}")
  endif()
  set(sources ${files} ${arg_PARTS})
  list(TRANSFORM sources PREPEND "${folder}/")
  set_target_properties(
    ${target} PROPERTIES INTERLOCK_LUA_FOLDER "${folder}"
                         INTERLOCK_LUA_NAMESPACE "${arg_NAMESPACE}"
                         INTERLOCK_LUA_SCRIPTS "${arg_SCRIPTS}"
                         INTERLOCK_LUA_SOURCES "${sources}")

  set(texts "${CMAKE_CURRENT_BINARY_DIR}/lua")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/lua_scripts.cpp")
  interlock_lua_command(command ${target} "${folder}" "${texts}" "${output}")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${command}
    DEPENDS ${sources} "${PROJECT_SOURCE_DIR}/cmake/embed_lua.cmake"
    COMMENT "Lua of ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  cmake_path(GET folder PARENT_PATH include)
  set_source_files_properties("${output}" PROPERTIES INCLUDE_DIRECTORIES "${include}")
  # For the linter: what is sent.
  list(TRANSFORM files PREPEND "${texts}/")
  set_property(GLOBAL APPEND PROPERTY INTERLOCK_LUA_TEXTS ${files})
endfunction()

# interlock_lua_command(VARIABLE TARGET FOLDER TEXTS OUTPUT): the command that makes OUTPUT from FOLDER,
# which has what TARGET embeds, or a changed copy of it. TEXTS is a folder for what is sent.
function(interlock_lua_command variable target folder texts output)
  get_target_property(namespace ${target} INTERLOCK_LUA_NAMESPACE)
  get_target_property(scripts ${target} INTERLOCK_LUA_SCRIPTS)
  list(JOIN scripts " " scripts)
  set(${variable}
      "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DSCRIPTS=${scripts}" "-DNAMESPACE=${namespace}"
      "-DTEXTS=${texts}" "-DOUTPUT=${output}" -P "${PROJECT_SOURCE_DIR}/cmake/embed_lua.cmake"
      PARENT_SCOPE)
endfunction()
