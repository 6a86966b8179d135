# interlock_test(NAME SOURCES file... [LIBRARIES target...] [LABELS label...] [TIMEOUT seconds]
#                [PARTS number])
#
# A GoogleTest program with GoogleMock and RapidCheck at hand, registered as ONE test of ctest.
# One per program, not one per TEST(): what a suite prepares once (a Redis server, an explored
# state space) would otherwise be prepared again for each of its tests, and a sanitized process
# takes longer to start than most tests take to run. A failure prints the names of its tests.
# TIMEOUT ends a test that hangs. It is several times what the test takes on a slow and busy machine:
# no test may fail because it was slow.
# A program of many minutes is registered in PARTS, NAME_1 ..., which run side by side: each runs
# every PARTS-th of its TEST()s, within the same TIMEOUT.
# Labels in use: unit, conformance, redis, faults, threads, package, toolchain, example, slow,
# mutants.
function(interlock_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;PARTS" "SOURCES;LIBRARIES;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  # A search takes up to thirty times as long there.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
    math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  interlock_warnings(${name})
  interlock_precompile_tests(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock rapidcheck rapidcheck_gtest
                                        GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                           "${PROJECT_BINARY_DIR}/tests/bin")
  # The preset asan does not run these.
  if("slow" IN_LIST arg_LABELS AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set(registered ${name})
  if(arg_PARTS)
    set(registered)
    foreach(part RANGE 1 ${arg_PARTS})
      list(APPEND registered ${name}_${part})
    endforeach()
  endif()
  set(index 0)
  foreach(test IN LISTS registered)
    add_test(NAME ${test} COMMAND ${name})
    # GoogleTest calls a program without any test a success; that is how suites get lost.
    set_tests_properties(
      ${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
                         FAIL_REGULAR_EXPRESSION "Running 0 tests from 0 test suites")
    if(arg_PARTS)
      set_tests_properties(
        ${test} PROPERTIES ENVIRONMENT
                           "GTEST_TOTAL_SHARDS=${arg_PARTS};GTEST_SHARD_INDEX=${index}")
    endif()
    math(EXPR index "${index} + 1")
  endforeach()
  # `tests_LABEL` builds the tests of one label alone.
  foreach(label IN LISTS arg_LABELS)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
endfunction()

# interlock_example(NAME [SOURCES file...] [LIBRARIES target...] [ARGUMENTS argument...])
# Built from NAME.cpp unless sources are given, and run by ctest: it must return 0.
function(interlock_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;ARGUMENTS")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${name}.cpp)
  endif()
  # Target and file name differ, because an example may be called like a test or a benchmark.
  set(target example_${name})
  add_executable(${target} ${arg_SOURCES})
  interlock_warnings(${target})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                             "${PROJECT_BINARY_DIR}/examples/bin")
  add_test(NAME ${target} COMMAND ${target} ${arg_ARGUMENTS})
  set_tests_properties(${target} PROPERTIES LABELS example TIMEOUT 300)
endfunction()

# interlock_benchmark(NAME [SOURCES file...] [LIBRARIES target...])
# Built from NAME.cpp unless sources are given; found as build/<preset>/bin/NAME. Not a test: a
# figure taken beside other work says nothing. Link benchmark::benchmark_main if you use it.
function(interlock_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${name}.cpp)
  endif()
  add_executable(${name} ${arg_SOURCES})
  interlock_warnings(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
endfunction()
