# Mutants of the search: a proof is worth what its tests would have noticed. All of them are in one
# program, each asleep: `interlock_mutant == number ? mutated : shipped`. The sources with mutants, and
# those that see a header with mutants, are compiled once more and linked in front of the library, so
# that the archive's own objects are never pulled in, with the programs of tests that catch them.
include(number_of.cmake)
include(sources_that_see.cmake)

set(catchers
  bitstate_search_test
  broken_connections_test
  checkpoint_test
  choices_test
  client_restart_properties_test
  client_restart_test
  coverage_test
  deadlock_test
  endless_time_test
  equal_futures_test
  fairness_test
  game_test
  ghosts_test
  gone_test
  honest_search_test
  identical_clients_test
  independent_explorer_test
  last_answer_test
  late_writes_test
  leads_to_compared_test
  leads_to_test
  lease_exclusion_test
  linearizable_test
  liveness_test
  messages_test
  mistakes_test
  moments_test
  object_history_test
  predicates_test
  promises_test
  random_threads_test
  reference_search_test
  replica_lag_test
  rules_test
  scenario_test
  script_check_test
  schedule_steps_test
  schedule_test
  servers_test
  shared_memory_test
  step_properties_test
  threads_search_test
  vacuity_test
  waiters_test
  world_test)
# They include sources of the simulator, and so are compiled with the mutants, too.
set(catchers_that_look_inside refused_checkpoint_test fair_graph_compared_test fair_graph_test state_set_test walked_states_test
                            widths_test)
set(random_trials IndependentExplorer.AgreesWithTheSearchOnRandomTrials)

function(mutant_in_one_program name)
  cmake_path(RELATIVE_PATH arg_IN BASE_DIRECTORY simulator/src OUTPUT_VARIABLE file)
  set_property(GLOBAL APPEND PROPERTY INTERLOCK_FILES_WITH_MUTANTS "${file}")
  set(test "${arg_TEST}")
  if("${test}" STREQUAL "")
    set(test ${random_trials})
  endif()
  set_property(GLOBAL APPEND PROPERTY INTERLOCK_TESTS_IN_USE ${test})
  set(first_trial 1)
  if(NOT "${arg_FROM_TRIAL}" STREQUAL "")
    set(first_trial ${arg_FROM_TRIAL})
  endif()
  number_of(${name} number)
  # Tests that draw by chance draw the same each time.
  mutant_test(mutant.prover.${name} prover_mutants ${test}
              INTERLOCK_MUTANT=${number} INTERLOCK_FIRST_TRIAL=${first_trial}
              INTERLOCK_TRIALS=1000 INTERLOCK_AS_FOUND=1 RC_PARAMS=seed=1)
endfunction()

file(GLOB lists CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/lists/search/*.cmake")
foreach(list IN LISTS lists)
  include("${list}")
endforeach()
get_property(files_with_mutants GLOBAL PROPERTY INTERLOCK_FILES_WITH_MUTANTS)
list(REMOVE_DUPLICATES files_with_mutants)

set(shipped_sources "${PROJECT_SOURCE_DIR}/simulator/src")
set(mutated_sources "${CMAKE_CURRENT_BINARY_DIR}/mutated")
file(GLOB_RECURSE shipped CONFIGURE_DEPENDS RELATIVE "${shipped_sources}" "${shipped_sources}/*.hpp"
                                                                          "${shipped_sources}/*.cpp")
# An include that is added or taken away changes what must be compiled.
list(TRANSFORM shipped PREPEND "${shipped_sources}/" OUTPUT_VARIABLE shipped_files)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shipped_files})
list(TRANSFORM shipped PREPEND "${mutated_sources}/" OUTPUT_VARIABLE mutated_files)
add_custom_command(
  OUTPUT ${mutated_files}
  COMMAND "${CMAKE_COMMAND}" "-DALL_OF=simulator/src" "-DROOT=${PROJECT_SOURCE_DIR}"
          "-DOUTPUT=${mutated_sources}" -P "${CMAKE_CURRENT_SOURCE_DIR}/apply.cmake"
  DEPENDS ${shipped_files} ${lists} apply.cmake number_of.cmake
  COMMENT "Mutants of the search"
  VERBATIM)

sources_that_see("${files_with_mutants}" "${shipped_sources}" compiled)
list(TRANSFORM compiled PREPEND "${mutated_sources}/")
add_executable(prover_mutants ${compiled} chosen.cpp)
foreach(catcher IN LISTS catchers)
  target_sources(prover_mutants PRIVATE $<TARGET_OBJECTS:${catcher}>)
endforeach()
foreach(catcher IN LISTS catchers_that_look_inside)
  target_sources(prover_mutants PRIVATE "${PROJECT_SOURCE_DIR}/tests/simulator/${catcher}.cpp")
endforeach()
mutant_program(prover_mutants -fno-exceptions)
# RapidCheck catches exceptions.
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/simulator/fair_graph_compared_test.cpp"
                            PROPERTIES COMPILE_OPTIONS -fexceptions SKIP_PRECOMPILE_HEADERS ON)
target_include_directories(prover_mutants PRIVATE "${mutated_sources}")
get_target_property(libraries independent_explorer_test LINK_LIBRARIES)
target_link_libraries(prover_mutants PRIVATE interlock::catalogue interlock::render ${libraries})

# With all of them asleep nothing is caught.
get_property(tests_in_use GLOBAL PROPERTY INTERLOCK_TESTS_IN_USE)
list(REMOVE_DUPLICATES tests_in_use)
list(JOIN tests_in_use ":" filter)
add_test(NAME prover_without_mutant_test COMMAND prover_mutants "--gtest_filter=${filter}")
set_tests_properties(prover_without_mutant_test PROPERTIES LABELS mutants TIMEOUT 900
                                                             ENVIRONMENT RC_PARAMS=seed=1)
