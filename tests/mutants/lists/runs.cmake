# Runs side by side, and what a search leaves out.

# --- align.cpp ----------------------------------------------------------------------------------

mutant(another_answer_is_the_same_step
  IN simulator/src/schedule/align.cpp
  ORIGINAL [=[one[at] == other[beside]]=]
  MUTATED [=[true]=]
  CAUGHT_BY align_test TEST Align.AnotherAnswerStandsBesideAndIsNoSameStep)
mutant(steps_with_another_answer_are_no_pair
  IN simulator/src/schedule/align.cpp
  ORIGINAL [=[one.mover == other.mover && one.action == other.action ? other_answer : 0]=]
  MUTATED [=[0]=]
  CAUGHT_BY align_test TEST Align.AnotherAnswerStandsBesideAndIsNoSameStep)
mutant(end_of_the_other_run_is_forgotten
  IN simulator/src/schedule/align.cpp
  ORIGINAL [=[while (beside < other.size()) both]=]
  MUTATED [=[while (false) both]=]
  CAUGHT_BY align_test TEST Align.RunsThatBeginAlike)

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
