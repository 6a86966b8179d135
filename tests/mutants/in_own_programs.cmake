# Mutants that have a program each. The changed source is compiled alone and linked in front of its
# library, so that the linker never takes the archive's own object.

# changed_source(NAME): makes NAME.cpp in the build folder, of the source and the text in arg_. The
# file ${list} has the mutant. All mutants of a list depend on all of it; a file that would come out
# the same is not written again.
function(changed_source name)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  set(apply "${CMAKE_CURRENT_SOURCE_DIR}/apply.cmake")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -DMUTANT=${name} -DLIST=${list} "-DROOT=${PROJECT_SOURCE_DIR}"
            "-DOUTPUT=${output}.new" -P "${apply}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${output}.new" "${output}"
    DEPENDS "${apply}" "${CMAKE_CURRENT_SOURCE_DIR}/${list}" "${PROJECT_SOURCE_DIR}/${arg_IN}"
    COMMENT "Mutant ${name}"
    VERBATIM)
endfunction()

# changed_lua(NAME TARGET): the same of Lua that TARGET embeds. All its scripts are in one source,
# which is made of a changed copy of their folder.
function(changed_lua name target)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  set(apply "${CMAKE_CURRENT_SOURCE_DIR}/apply.cmake")
  get_target_property(folder ${target} INTERLOCK_LUA_FOLDER)
  get_target_property(sources ${target} INTERLOCK_LUA_SOURCES)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
  set(own "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  interlock_lua_command(embed ${target} "${own}/${relative}" "${own}/sent" "${output}.new")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E copy_directory "${folder}" "${own}/${relative}"
    COMMAND "${CMAKE_COMMAND}" -DMUTANT=${name} -DLIST=${list} "-DROOT=${PROJECT_SOURCE_DIR}"
            "-DOUTPUT=${own}/${arg_IN}" -P "${apply}"
    COMMAND ${embed}
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${output}.new" "${output}"
    DEPENDS ${sources} "${folder}/scripts.hpp" "${PROJECT_SOURCE_DIR}/cmake/embed_lua.cmake"
            "${apply}" "${CMAKE_CURRENT_SOURCE_DIR}/${list}"
    COMMENT "Mutant ${name}"
    VERBATIM)
  cmake_path(GET folder PARENT_PATH include)
  set_source_files_properties("${output}" PROPERTIES INCLUDE_DIRECTORIES "${include}")
endfunction()

# --- caught by a test: the program of tests is linked once more, with the changed source ------------

set(library_of_client/src interlock_client)
set(library_of_backends/redis/src interlock_redis)
set(library_of_backends/sqlite/src interlock_sqlite)
set(library_of_core/src interlock_core)
set(library_of_core/src/lua interlock_core)
set(library_of_core/src/lua/parts interlock_core)
set(library_of_cli/src/completion interlock_cli)
set(library_of_cli/src/console interlock_cli)
set(library_of_cli/src/lock interlock_cli)
set(library_of_cli/src/http interlock_cli)
set(library_of_cli/src/lab interlock_cli)
set(library_of_cli/src/manual interlock_cli)
set(library_of_cli/src/metrics interlock_cli)
set(library_of_cli/src/supervision interlock_cli)
set(library_of_cli/src/system interlock_cli)
set(library_of_cli/src/top interlock_cli)
set(library_of_harness/src/server interlock_harness)
set(library_of_render/src interlock_render)
set(library_of_simulator/src/run interlock_simulator)
set(library_of_catalogue/src interlock_catalogue)
function(mutant_for_a_test name)
  if(NOT TARGET ${arg_CAUGHT_BY})
    return()
  endif()
  cmake_path(GET arg_IN PARENT_PATH folder)
  set(library ${library_of_${folder}})
  if(arg_IN MATCHES "[.]lua$")
    changed_lua(${name} ${library})
  else()
    changed_source(${name})
  endif()
  add_executable(mutant_${name} "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp"
                                $<TARGET_OBJECTS:${arg_CAUGHT_BY}>)
  mutant_program(mutant_${name})
  target_compile_definitions(mutant_${name}
                             PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
  target_include_directories(mutant_${name} PRIVATE "${PROJECT_SOURCE_DIR}/${folder}"
                                                    $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
  get_target_property(libraries ${arg_CAUGHT_BY} LINK_LIBRARIES)
  target_link_libraries(mutant_${name} PRIVATE ${libraries})
  mutant_test(mutant.${name} mutant_${name} "${arg_TEST}")
  # A test of several users is skipped where it cannot become another user.
  set_tests_properties(mutant.${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()

# --- caught by a search -----------------------------------------------------------------------------

function(mutant_for_a_search name)
  changed_source(${name})
  add_executable(mutant_${name} "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  mutant_program(mutant_${name} -fno-exceptions)
  target_include_directories(mutant_${name} PRIVATE "${PROJECT_SOURCE_DIR}/core/src")
  target_link_libraries(mutant_${name} PRIVATE mutant_searches)
  add_test(NAME mutant.${name} COMMAND mutant_${name} catch "${arg_SEARCH}" "${arg_BREAKS}"
                                       "${arg_WITHIN}")
  set_tests_properties(mutant.${name} PROPERTIES LABELS mutants TIMEOUT 300)
  set_property(GLOBAL APPEND PROPERTY INTERLOCK_SEARCHES_IN_USE "${arg_SEARCH}")
  # In the scenarios that users explore first, a client is a process of its own, without a local queue.
  if(NOT arg_IN MATCHES "^core/src/(local_queue|local_queue_client|kept_grant)[.]cpp$")
    set_property(GLOBAL APPEND PROPERTY INTERLOCK_MUTANTS_OF_BOTH $<TARGET_FILE:mutant_${name}>)
  endif()
endfunction()

set(lists core client sqlite redis lua program harness)
if(INTERLOCK_SIMULATOR)
  list(APPEND lists leases scripts queue quarantine group local_queue runs)
  add_library(mutant_searches OBJECT main.cpp outage_promises.cpp promises.cpp
                                      quarantine_searches.cpp queue_searches.cpp searches.cpp)
  interlock_warnings(mutant_searches)
  interlock_precompile(mutant_searches)
  target_include_directories(mutant_searches PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(mutant_searches PUBLIC interlock::catalogue)
endif()
foreach(name IN LISTS lists)
  set(list lists/${name}.cmake)
  include(${list})
endforeach()
if(NOT INTERLOCK_SIMULATOR)
  return()
endif()

# The same searches prove the code that ships: nothing is caught by a property that never holds.
get_property(searches_in_use GLOBAL PROPERTY INTERLOCK_SEARCHES_IN_USE)
list(REMOVE_DUPLICATES searches_in_use)
add_executable(unmutated_searches_test)
target_link_libraries(unmutated_searches_test PRIVATE mutant_searches)
set_target_properties(unmutated_searches_test PROPERTIES LINKER_LANGUAGE CXX
                      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
add_test(NAME unmutated_searches_test COMMAND unmutated_searches_test prove ${searches_in_use})
set_tests_properties(unmutated_searches_test PROPERTIES LABELS mutants TIMEOUT 600)

# The searches that users run first must catch most of them.
get_property(mutants_of_both GLOBAL PROPERTY INTERLOCK_MUTANTS_OF_BOTH)
add_test(NAME mutants_caught_by_default COMMAND
         bash "${CMAKE_CURRENT_SOURCE_DIR}/caught_by_default.bash" 54
         $<TARGET_FILE:unmutated_searches_test> ${mutants_of_both})
set_tests_properties(mutants_caught_by_default PROPERTIES LABELS slow TIMEOUT 1800)
