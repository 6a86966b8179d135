# Writes one source of core with one mutant's change in it.
#
#   cmake -DMUTANT=name -DSOURCES=core/src -DOUTPUT=file.cpp -P mutate.cmake
#
# Fails unless the text to change stands in the source exactly once: a mutant that no longer applies
# would be a test of nothing.
function(mutant name)
  if(NOT name STREQUAL MUTANT)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN;ORIGINAL;MUTATED;SEARCH;BREAKS;WITHIN" "")
  file(READ "${SOURCES}/${arg_IN}" text)
  string(FIND "${text}" "${arg_ORIGINAL}" first)
  string(FIND "${text}" "${arg_ORIGINAL}" last REVERSE)
  if(first EQUAL -1)
    set(fact "its original text is not in core/src/${arg_IN}")
  elseif(NOT first EQUAL last)
    set(fact "its original text stands in core/src/${arg_IN} more than once")
  elseif("${arg_ORIGINAL}" STREQUAL "${arg_MUTATED}")
    set(fact "it changes nothing")
  else()
    string(REPLACE "${arg_ORIGINAL}" "${arg_MUTATED}" text "${text}")
    file(WRITE "${OUTPUT}" "${text}")
    return()
  endif()
  message(FATAL_ERROR "mutant ${name} no longer applies: ${fact}: "
                      "follow the change in tests/mutants/mutants.cmake")
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/mutants.cmake")
