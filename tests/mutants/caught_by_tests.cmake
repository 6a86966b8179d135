# Wrong copies of sources that no search sees: of the client, SQLite, the connections to Redis,
# the Lua that Redis runs, the program. For each a test must fail.

# test_mutant(NAME IN source, from the project's root ORIGINAL text MUTATED text
#             CAUGHT_BY program of tests TEST one of its tests)
#
# The program of tests is linked once more, with the changed source in front of the source's library.
function(test_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN;ORIGINAL;MUTATED;CAUGHT_BY;TEST" "")
  foreach(field IN ITEMS IN ORIGINAL CAUGHT_BY TEST)
    if("${arg_${field}}" STREQUAL "")
      message(FATAL_ERROR "mutant ${name}: ${field} is missing")
    endif()
  endforeach()
  if(NOT TARGET ${arg_CAUGHT_BY})
    return()
  endif()
  cmake_path(GET arg_IN PARENT_PATH folder)
  set(library ${library_of_${folder}})
  if(arg_IN MATCHES "[.]lua$")
    mutated_lua(${name} "${arg_IN}" ${library})
  else()
    mutated_source(${name} "${arg_IN}")
  endif()
  add_executable(mutant_${name} "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp"
                                $<TARGET_OBJECTS:${arg_CAUGHT_BY}>)
  interlock_warnings(mutant_${name})
  target_compile_options(mutant_${name} PRIVATE -O1 -w)
  interlock_precompile(mutant_${name} OPTIONS -O1)
  target_compile_definitions(mutant_${name}
                             PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
  target_include_directories(mutant_${name} PRIVATE "${PROJECT_SOURCE_DIR}/${folder}"
                                                    $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
  get_target_property(libraries ${arg_CAUGHT_BY} LINK_LIBRARIES)
  target_link_libraries(mutant_${name} PRIVATE ${libraries})
  set_target_properties(mutant_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                  "${PROJECT_BINARY_DIR}/tests/bin")
  add_test(NAME mutant.${name} COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/caught_by_test.bash"
                                       $<TARGET_FILE:mutant_${name}> "${arg_TEST}")
  set_tests_properties(mutant.${name} PROPERTIES LABELS mutants TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()

set(library_of_client/src interlock_client)
set(library_of_backends/redis/src interlock_redis)
set(library_of_backends/sqlite/src interlock_sqlite)
set(library_of_core/src interlock_core)
set(library_of_core/src/lua interlock_core)
set(library_of_core/src/lua/parts interlock_core)
set(library_of_cli/src/console interlock_cli)
set(library_of_cli/src/lock interlock_cli)
set(library_of_cli/src/supervision interlock_cli)
set(library_of_cli/src/system interlock_cli)
foreach(name IN ITEMS client sqlite redis lua program)
  set(list lists/${name}.cmake)
  include(${list})
endforeach()
