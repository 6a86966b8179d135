# sources_that_see(FILES FOLDER result): the sources of FOLDER that are among FILES, or include one of
# them, however indirectly.
#
# All of them must be compiled with the mutants. The linker keeps one copy of a function that a header
# defines, and takes it from the object that comes first: a source compiled without the mutants may
# bring the copy that ships, and a source that is not linked in front is taken from the library, with
# the copy that it was compiled with. Either way the mutant would be in the program and never run.
function(sources_that_see files folder result)
  file(GLOB_RECURSE all RELATIVE "${folder}" "${folder}/*.hpp" "${folder}/*.cpp")
  foreach(file IN LISTS all)
    file(STRINGS "${folder}/${file}" includes REGEX "^#include \"[^\"]+\"$")
    list(TRANSFORM includes REPLACE "^#include \"(.+)\"$" "\\1" OUTPUT_VARIABLE of_${file})
  endforeach()
  set(seen "${files}")
  set(count 0)
  list(LENGTH seen now)
  while(NOT count EQUAL now)
    set(count ${now})
    foreach(file IN LISTS all)
      foreach(include IN LISTS of_${file})
        if(include IN_LIST seen)
          list(APPEND seen "${file}")
        endif()
      endforeach()
    endforeach()
    list(REMOVE_DUPLICATES seen)
    list(LENGTH seen now)
  endwhile()
  list(FILTER seen INCLUDE REGEX "\\.cpp$")
  set(${result} "${seen}" PARENT_SCOPE)
endfunction()
