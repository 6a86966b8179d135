# Writes sources with the changes of mutants. All fail unless the text to change stands in its source
# exactly once: a mutant that no longer applies would be a test of nothing.
#
#   cmake -DROOT=folder -DMUTANT=name -DLIST=list.cmake -DOUTPUT=file -P apply.cmake
#
# writes one source with one change. ROOT is the project's root.
#
#   cmake -DROOT=folder -DALL_OF=simulator/src -DOUTPUT=folder -P apply.cmake
#
# writes all sources of a folder with all mutants of lists/search in them, each asleep until it is
# asked for. Headers without mutants come along, so that none includes a header that has none. What
# comes out the same is not written again.
#
#   cmake -DROOT=folder -P apply.cmake
#
# writes nothing, and looks whether all mutants of lists/ apply, also those that are not in the build.
cmake_minimum_required(VERSION 3.25)
# A mutant may replace its text by nothing.
if(POLICY CMP0174)
  cmake_policy(SET CMP0174 NEW)
endif()

include("${CMAKE_CURRENT_LIST_DIR}/number_of.cmake")

# The text to change must stand in `shipped` once.
function(must_apply name file shipped original mutated)
  string(FIND "${shipped}" "${original}" first)
  string(FIND "${shipped}" "${original}" last REVERSE)
  if(first EQUAL -1)
    set(fact "its original text is not in ${file}")
  elseif(NOT first EQUAL last)
    set(fact "its original text stands in ${file} more than once")
  elseif("${original}" STREQUAL "${mutated}")
    set(fact "it changes nothing")
  else()
    return()
  endif()
  message(FATAL_ERROR "mutant ${name} no longer applies: ${fact}: "
                      "follow the change in ${CMAKE_CURRENT_LIST_FILE}")
endfunction()

# One source with one change.
function(write_one name)
  file(READ "${ROOT}/${arg_IN}" text)
  must_apply(${name} "${arg_IN}" "${text}" "${arg_ORIGINAL}" "${arg_MUTATED}")
  string(REPLACE "${arg_ORIGINAL}" "${arg_MUTATED}" text "${text}")
  file(WRITE "${OUTPUT}" "${text}")
endfunction()

# Adds a mutant that is asleep to the text of its source. If several mutants change one text, each goes
# to where the one before it has the shipped text.
function(add_asleep name)
  file(READ "${ROOT}/${arg_IN}" shipped)
  set(text "${shipped}")
  if(DEFINED text_of_${arg_IN})
    set(text "${text_of_${arg_IN}}")
  endif()
  set(original "${arg_EXPRESSION}${arg_STATEMENT}")
  must_apply(${name} "${arg_IN}" "${shipped}" "${original}" "${arg_MUTATED}")
  number_of(${name} number)
  set(is_awake "interlock_mutant == ${number} && interlock_mutant_ran()")
  if("${arg_STATEMENT}" STREQUAL "")
    set(mutated "(${is_awake} ? (${arg_MUTATED}) : (${original}))")
  else()
    set(mutated "if (${is_awake}) { ${arg_MUTATED} } else { ${original} }")
  endif()
  string(FIND "${text}" "${original}" at REVERSE)
  if(at EQUAL -1)
    message(FATAL_ERROR "mutant ${name} changes a text of which an earlier mutant changes a part: "
                        "put it in front of that one")
  endif()
  string(LENGTH "${original}" length)
  math(EXPR behind "${at} + ${length}")
  string(SUBSTRING "${text}" 0 ${at} before)
  string(SUBSTRING "${text}" ${behind} -1 after)
  set(text_of_${arg_IN} "${before}${mutated}${after}" PARENT_SCOPE)
  set(changed "${arg_IN}" PARENT_SCOPE)
endfunction()

function(mutant name)
  if(DEFINED MUTANT AND NOT name STREQUAL MUTANT)
    return()
  endif()
  cmake_parse_arguments(
    PARSE_ARGV 1 arg ""
    "IN;ORIGINAL;EXPRESSION;STATEMENT;MUTATED;SEARCH;BREAKS;WITHIN;CAUGHT_BY;TEST;FROM_TRIAL" "")
  if(DEFINED ALL_OF)
    add_asleep(${name})
    set(text_of_${changed} "${text_of_${changed}}" PARENT_SCOPE)
  elseif(DEFINED MUTANT)
    write_one(${name})
  else()
    file(READ "${ROOT}/${arg_IN}" shipped)
    must_apply(${name} "${arg_IN}" "${shipped}" "${arg_ORIGINAL}" "${arg_MUTATED}")
  endif()
endfunction()

function(write_if_new file text)
  if(EXISTS "${OUTPUT}/${file}")
    file(READ "${OUTPUT}/${file}" known)
    if("${known}" STREQUAL "${text}")
      return()
    endif()
  endif()
  file(WRITE "${OUTPUT}/${file}" "${text}")
endfunction()

if(DEFINED MUTANT)
  include("${CMAKE_CURRENT_LIST_DIR}/${LIST}")
  return()
endif()
set(folder lists)
if(DEFINED ALL_OF)
  set(folder lists/search)
endif()
file(GLOB lists "${CMAKE_CURRENT_LIST_DIR}/${folder}/*.cmake")
foreach(list IN LISTS lists)
  include("${list}")
endforeach()
if(NOT DEFINED ALL_OF)
  return()
endif()
set(sources "${ROOT}/${ALL_OF}")
file(GLOB_RECURSE files RELATIVE "${sources}" "${sources}/*.hpp" "${sources}/*.cpp")
foreach(file IN LISTS files)
  if(DEFINED text_of_${ALL_OF}/${file})
    string(CONCAT text "extern unsigned interlock_mutant;\nbool interlock_mutant_ran();\n"
                       "${text_of_${ALL_OF}/${file}}")
    write_if_new("${file}" "${text}")
  else()
    file(READ "${sources}/${file}" text)
    write_if_new("${file}" "${text}")
  endif()
endforeach()
