cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")

function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# configure(COMMAND-VARIABLE SOURCE-DIR NAME [OPTION...])
function(configure variable source name)
  set(${variable}
      "${CMAKE_COMMAND}" -G "${GENERATOR}"
      -S "${source}" -B "${WORK_DIR}/${name}"
      -D "CMAKE_PREFIX_PATH=${prefix}"
      -D "CMAKE_CXX_COMPILER=${CXX_COMPILER}"
      -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}"
      -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
      -D "CMAKE_BUILD_TYPE=${CONFIG}"
      ${ARGN}
      PARENT_SCOPE)
endfunction()

# build_and_run(SOURCE-DIR PROGRAM NAME [OPTION...])
function(build_and_run source program name)
  configure(command "${source}" "${name}" ${ARGN})
  step(${command})
  step("${CMAKE_COMMAND}" --build "${WORK_DIR}/${name}" --config "${CONFIG}")
  step("${WORK_DIR}/${name}/${program}")
endfunction()

# refused(NAME COMPONENT TEXT...): what CMake says about that component has each of the texts.
function(refused name component)
  configure(command "${CMAKE_CURRENT_LIST_DIR}/consumer" "${name}" "-DCONSUMER_COMPONENTS=core,${component}"
            "-DCONSUMER_VERSION=${VERSION}")
  execute_process(COMMAND ${command} RESULT_VARIABLE code ERROR_VARIABLE said OUTPUT_QUIET)
  if(code EQUAL 0)
    message(FATAL_ERROR "the component ${component} was found")
  endif()
  # CMake breaks the lines of a message where it likes.
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  foreach(text IN LISTS ARGN)
    string(FIND "${said}" "${text}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "not told about ${component}: ${text}\n${said}")
    endif()
  endforeach()
endfunction()

step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}" --config "${CONFIG}")

# The program brings its manual and its completion, where each shell looks for them.
if(EXISTS "${prefix}/bin/interlock")
  foreach(file IN ITEMS man/man1/interlock.1 man/man1/interlock-run.1 man/man5/interlock-schedule.5
                        man/man7/interlock-stores.7 bash-completion/completions/interlock
                        zsh/site-functions/_interlock fish/vendor_completions.d/interlock.fish)
    file(SIZE "${prefix}/share/${file}" size)
    if(size EQUAL 0)
      message(FATAL_ERROR "${file} is empty")
    endif()
  endforeach()
endif()

# One component alone first: it must not ask for the packages of another.
foreach(components IN ITEMS "core" "${COMPONENTS}")
  string(REPLACE ";" "_" name "${components}")
  # With commas: a list would arrive as many arguments, and all but the first be ignored.
  list(JOIN components "," listed)
  build_and_run("${CMAKE_CURRENT_LIST_DIR}/consumer" consumer "${name}"
                "-DCONSUMER_COMPONENTS=${listed}" "-DCONSUMER_VERSION=${VERSION}")
endforeach()

list(GET COMPONENTS 0 first)
refused(unknown nonsense "no component 'nonsense'" "it has ${first}")

# What a tester of locks begins with.
if("simulator_testing" IN_LIST COMPONENTS)
  build_and_run("${EXAMPLES_DIR}/your_own_lock" your_own_lock your_own_lock)
endif()

# What a program with an event loop begins with.
if("memory" IN_LIST COMPONENTS)
  foreach(example IN LISTS EVENT_LOOPS)
    build_and_run("${EXAMPLES_DIR}/${example}" ${example} ${example})
  endforeach()
endif()

# A run that breaks a lock becomes a test in one command: it fails, and passes with the repaired lock.
if(EXISTS "${prefix}/bin/interlock" AND "catalogue" IN_LIST COMPONENTS)
  set(generated "${WORK_DIR}/generated")
  file(MAKE_DIRECTORY "${generated}")
  execute_process(COMMAND "${prefix}/bin/interlock" explore del-setnx-lock --format gtest
                          --output "${generated}/broken.cpp"
                  RESULT_VARIABLE code)
  if(NOT code EQUAL 1)
    message(FATAL_ERROR "interlock explore gave ${code}")
  endif()
  file(READ "${generated}/broken.cpp" text)
  # A semicolon would begin the next element of a list.
  string(REGEX MATCH "// Repaired: ([^\n;]*)" found "${text}")
  string(REGEX REPLACE "return [*][^\n]*\\)" "return ${CMAKE_MATCH_1}" text "${text}")
  file(WRITE "${generated}/repaired.cpp" "${text}")
  build_and_run("${CMAKE_CURRENT_LIST_DIR}/regression" repaired regression "-DGENERATED=${generated}")
  execute_process(COMMAND "${WORK_DIR}/regression/broken" RESULT_VARIABLE code OUTPUT_VARIABLE said)
  if(code EQUAL 0 OR NOT said MATCHES "2 FAILED TESTS" OR NOT said MATCHES "mutual exclusion of lock.foo")
    message(FATAL_ERROR "the test of the broken lock gave ${code}:\n${said}")
  endif()
endif()

# The package without the simulator's part.
if("catalogue" IN_LIST COMPONENTS)
  file(REMOVE_RECURSE "${prefix}")
  step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}" --config "${CONFIG}"
       --component development)
  refused(not_installed catalogue "no component 'catalogue'" "client")
  build_and_run("${CMAKE_CURRENT_LIST_DIR}/consumer" consumer development
                "-DCONSUMER_COMPONENTS=client,memory" "-DCONSUMER_VERSION=${VERSION}")
  file(REMOVE "${BUILD_DIR}/install_manifest_development.txt")
endif()

step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}" --config "${CONFIG}")
step("${CMAKE_COMMAND}" -D "FOLDER=${BUILD_DIR}" -P "${CMAKE_CURRENT_LIST_DIR}/../../cmake/uninstall.cmake")
file(GLOB_RECURSE left "${prefix}/*")
if(left)
  message(FATAL_ERROR "uninstalled, and still there: ${left}")
endif()
