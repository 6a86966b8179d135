file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")

function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}" --config "${CONFIG}")

# One component alone first: it must not ask for the packages of another.
foreach(components IN ITEMS "core" "${COMPONENTS}")
  string(REPLACE ";" "_" name "${components}")
  step("${CMAKE_COMMAND}" -G "${GENERATOR}"
       -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${WORK_DIR}/${name}"
       -D "CMAKE_PREFIX_PATH=${prefix}"
       -D "CMAKE_CXX_COMPILER=${CXX_COMPILER}"
       -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}"
       -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
       -D "CMAKE_BUILD_TYPE=${CONFIG}"
       "-DCONSUMER_COMPONENTS=${components}")
  step("${CMAKE_COMMAND}" --build "${WORK_DIR}/${name}" --config "${CONFIG}")
  step("${WORK_DIR}/${name}/consumer")
endforeach()
