# Local states that do the same from then on, taken as one.

# --- equal_futures.cpp ---------------------------------------------------------------------------

mutant(futures_may_differ_in_marks
  IN simulator/src/process/equal_futures.cpp
  EXPRESSION [[one.marks == other.marks && one.choices == other.choices]]
  MUTATED [[true]]
  TEST EqualFutures.LeaveVerdictsOfRandomProgramsAsTheyAre)
mutant(futures_may_differ_in_waits
  IN simulator/src/process/equal_futures.cpp
  EXPRESSION [[program_.waits(member) == program_.waits(first)]]
  MUTATED [[true]]
  TEST EqualFutures.LeaveEachVerdictOfTheCatalogueAsItIs)
mutant(futures_of_later_members_are_not_asked
  IN simulator/src/process/equal_futures.cpp
  STATEMENT [[joined_lately_.emplace_back(member, first);]]
  MUTATED [[]]
  TEST EqualFutures.LeaveVerdictsOfRandomProgramsAsTheyAre)
mutant(futures_are_those_of_the_first_member
  IN simulator/src/process/equal_futures.cpp
  EXPRESSION [[refuted_ || !are_alike(answers.front(), answers.back())]]
  MUTATED [[refuted_]]
  TEST EqualFutures.LeaveVerdictsOfRandomProgramsAsTheyAre)
mutant(futures_are_never_guessed_anew
  IN simulator/src/process/equal_futures.cpp
  EXPRESSION [[at == part.end() || is_same(answered.second, at->second)]]
  MUTATED [[true]]
  TEST EqualFutures.MakeLargeSearchesOfTheStampLockAFourthOrLess)

# --- merged_search.cpp ---------------------------------------------------------------------------

mutant(futures_break_what_no_run_breaks
  IN simulator/src/search/merged_search.cpp
  EXPRESSION [[engine.is_merge_refuted() && engine.failure().empty()]]
  MUTATED [[false]]
  TEST EqualFutures.LeaveVerdictsOfRandomProgramsAsTheyAre)
