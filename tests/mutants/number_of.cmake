# The number by which a mutant is asked for: of its name, so that another one changes no other.
function(number_of name result)
  string(MD5 digest "${name}")
  string(SUBSTRING "${digest}" 0 7 digits)
  set(${result} "0x${digits}" PARENT_SCOPE)
endfunction()
