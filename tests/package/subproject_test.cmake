# A project that adds interlock with add_subdirectory, as FetchContent does, and sets nothing: it gets the
# library, and neither the simulator nor tests, programs, examples or install rules.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK_DIR}")

execute_process(
  COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CMAKE_CURRENT_LIST_DIR}/subproject" -B "${WORK_DIR}"
          -D "INTERLOCK_SOURCE_DIR=${SOURCE_DIR}" -D "CMAKE_CXX_COMPILER=${CXX_COMPILER}"
          -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}" -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS "${WORK_DIR}/targets" targets)
foreach(wanted IN ITEMS interlock_core interlock_client interlock_memory)
  if(NOT wanted IN_LIST targets)
    message(FATAL_ERROR "the subproject has no ${wanted}: ${targets}")
  endif()
endforeach()
list(FILTER targets EXCLUDE REGEX "^interlock_(core|client|posix|asio|memory|redis|sqlite)$")
if(targets)
  message(FATAL_ERROR "the subproject also builds: ${targets}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${WORK_DIR}" --prefix "${WORK_DIR}/installed" OUTPUT_QUIET
                        COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE installed "${WORK_DIR}/installed/*")
if(installed)
  message(FATAL_ERROR "the subproject also installs: ${installed}")
endif()
