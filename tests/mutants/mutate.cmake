# Writes a source with the change of one mutant.
#
#   cmake -DMUTANT=name -DLIST=list.cmake -DROOT=folder -DOUTPUT=file -P mutate.cmake
#
# The list has it as a mutant() of core/src, or as a test_mutant() of any source under ROOT, the
# project's root. Fails unless the text to change stands in the source exactly once: a mutant that no
# longer applies would test nothing.
# A mutant may replace its text by nothing.
if(POLICY CMP0174)
  cmake_policy(SET CMP0174 NEW)
endif()

function(write_mutant source original mutated)
  file(READ "${ROOT}/${source}" text)
  string(FIND "${text}" "${original}" first)
  string(FIND "${text}" "${original}" last REVERSE)
  if(first EQUAL -1)
    set(fact "its original text is not in ${source}")
  elseif(NOT first EQUAL last)
    set(fact "its original text stands in ${source} more than once")
  elseif("${original}" STREQUAL "${mutated}")
    set(fact "it changes nothing")
  else()
    string(REPLACE "${original}" "${mutated}" text "${text}")
    file(WRITE "${OUTPUT}" "${text}")
    return()
  endif()
  message(FATAL_ERROR "mutant ${MUTANT} no longer applies: ${fact}: "
                      "follow the change in tests/mutants/${LIST}")
endfunction()

function(mutant name)
  if(name STREQUAL MUTANT)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN;ORIGINAL;MUTATED;SEARCH;BREAKS;WITHIN" "")
    write_mutant("core/src/${arg_IN}" "${arg_ORIGINAL}" "${arg_MUTATED}")
  endif()
endfunction()

function(test_mutant name)
  if(name STREQUAL MUTANT)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN;ORIGINAL;MUTATED;CAUGHT_BY;TEST" "")
    write_mutant("${arg_IN}" "${arg_ORIGINAL}" "${arg_MUTATED}")
  endif()
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/${LIST}")
