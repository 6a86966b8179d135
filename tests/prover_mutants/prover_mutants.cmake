# The mutants of the simulator: what is changed in which source of simulator/src, and which test must
# see it. EXPRESSION and STATEMENT say what the original text is; it must stand in the source once.
# Keep it short, so that it survives changes that do not concern it.
foreach(list IN ITEMS programs servers properties steps identity fairness schedules world promises
                      search)
  include("${CMAKE_CURRENT_LIST_DIR}/lists/${list}.cmake")
endforeach()
