# What a search leaves out.

# --- left_out.cpp -------------------------------------------------------------------------------

mutant(named_property_is_left_out
  IN catalogue/src/left_out.cpp
  ORIGINAL [=[if (asks_by_name(options)) return searched;]=]
  MUTATED [=[]=]
  CAUGHT_BY left_out_test TEST LeftOut.NothingIsLeftOutOfWhatWasAskedForByName)
mutant(deadlock_alone_is_searched
  IN catalogue/src/left_out.cpp
  ORIGINAL [=[if (only_deadlock) return searched;]=]
  MUTATED [=[]=]
  CAUGHT_BY left_out_test TEST LeftOut.TheLastOneBesidesDeadlockIsNot)
