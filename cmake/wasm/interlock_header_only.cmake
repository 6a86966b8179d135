# interlock_header_only(TARGET FOLDER): a library of headers in /usr/include/FOLDER. The compiler must
# not see the rest of /usr/include, which is another system's.
function(interlock_header_only target folder)
  if(TARGET ${target})
    return()
  endif()
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/headers/${folder}")
  file(CREATE_LINK "/usr/include/${folder}" "${CMAKE_BINARY_DIR}/headers/${folder}/${folder}" SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${CMAKE_BINARY_DIR}/headers/${folder}")
endfunction()
