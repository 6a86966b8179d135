# Writes the sources of the simulator with all mutants in them, each asleep until it is asked for.
#
#   cmake -DSOURCES=simulator/src -DOUTPUT=folder -P write_mutated.cmake
#
# All headers and sources come along, so that none includes a header that has no mutants. Fails unless
# the text to change stands in its source exactly once: a mutant that no longer applies would be a test
# of nothing. What comes out the same is not written again.
cmake_minimum_required(VERSION 3.25)
# A mutant may replace its text by nothing.
if(POLICY CMP0174)
  cmake_policy(SET CMP0174 NEW)
endif()

include("${CMAKE_CURRENT_LIST_DIR}/number_of.cmake")

function(prover_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN;EXPRESSION;STATEMENT;BECOMES;CAUGHT_BY;FROM_TRIAL"
                        "")
  if(DEFINED text_of_${arg_IN})
    set(text "${text_of_${arg_IN}}")
  else()
    file(READ "${SOURCES}/${arg_IN}" text)
  endif()
  file(READ "${SOURCES}/${arg_IN}" shipped)
  set(original "${arg_EXPRESSION}${arg_STATEMENT}")
  string(FIND "${shipped}" "${original}" first)
  string(FIND "${shipped}" "${original}" last REVERSE)
  set(fact "")
  if(first EQUAL -1)
    set(fact "its original text is not in simulator/src/${arg_IN}")
  elseif(NOT first EQUAL last)
    set(fact "its original text stands in simulator/src/${arg_IN} more than once")
  elseif("${original}" STREQUAL "${arg_BECOMES}")
    set(fact "it changes nothing")
  endif()
  if(NOT "${fact}" STREQUAL "")
    message(FATAL_ERROR "mutant ${name} no longer applies: ${fact}: "
                        "follow the change in tests/prover_mutants/lists")
  endif()
  number_of(${name} number)
  # If several mutants change one text, each goes to where the one before it has the shipped text.
  set(is_awake "interlock_mutant == ${number} && interlock_mutant_ran()")
  if("${arg_STATEMENT}" STREQUAL "")
    set(mutated "(${is_awake} ? (${arg_BECOMES}) : (${original}))")
  else()
    set(mutated "if (${is_awake}) { ${arg_BECOMES} } else { ${original} }")
  endif()
  string(FIND "${text}" "${original}" at REVERSE)
  string(LENGTH "${original}" length)
  math(EXPR behind "${at} + ${length}")
  string(SUBSTRING "${text}" 0 ${at} before)
  string(SUBSTRING "${text}" ${behind} -1 after)
  set(text_of_${arg_IN} "${before}${mutated}${after}" PARENT_SCOPE)
endfunction()
include("${CMAKE_CURRENT_LIST_DIR}/prover_mutants.cmake")

function(write file text)
  if(EXISTS "${OUTPUT}/${file}")
    file(READ "${OUTPUT}/${file}" known)
    if("${known}" STREQUAL "${text}")
      return()
    endif()
  endif()
  file(WRITE "${OUTPUT}/${file}" "${text}")
endfunction()

file(GLOB_RECURSE others RELATIVE "${SOURCES}" "${SOURCES}/*.hpp" "${SOURCES}/*.cpp")
get_cmake_property(variables VARIABLES)
foreach(variable IN LISTS variables)
  if("${variable}" MATCHES "^text_of_(.*)$")
    set(file "${CMAKE_MATCH_1}")
    write("${file}"
          "extern unsigned interlock_mutant;\nbool interlock_mutant_ran();\n${${variable}}")
    list(REMOVE_ITEM others "${file}")
  endif()
endforeach()
foreach(file IN LISTS others)
  file(READ "${SOURCES}/${file}" text)
  write("${file}" "${text}")
endforeach()
