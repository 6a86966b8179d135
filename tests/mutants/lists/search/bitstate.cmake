# The search that keeps bits of states.

# --- bitstate_search.cpp -------------------------------------------------------------------------

mutant(bits_see_no_faults
  IN simulator/src/search/bitstate_search.cpp
  EXPRESSION [[Steps::faulty]]
  MUTATED [[Steps::ordinary]]
  TEST Catalogue/Compared.SeesWhatTheExhaustiveSearchSees/lost_reply_retry_del)
mutant(bits_see_no_deadlock
  IN simulator/src/search/bitstate_search.cpp
  EXPRESSION [[!share_.deadlocks.empty()]]
  MUTATED [[false]]
  TEST BitstateSearch.SeesAClientThatWaitsForWhatCannotCome)
mutant(bits_do_not_look_at_states
  IN simulator/src/search/bitstate_search.cpp
  EXPRESSION [[breach.property != 0]]
  MUTATED [[false]]
  TEST BitstateSearch.LooksAtStates)
mutant(bits_do_not_look_at_steps
  IN simulator/src/search/bitstate_search.cpp
  EXPRESSION [[step_check_.look(found.origin.parent, state, found.origin.action)]]
  MUTATED [[std::uint16_t{0}]]
  TEST BitstateSearch.LooksAtSteps)
mutant(bits_trust_programs
  IN simulator/src/search/bitstate_search.cpp
  STATEMENT [[take_back(verdict, engine);
  verdict.reason = engine.why_no_verdict();]]
  MUTATED [[]]
  TEST BitstateSearch.AProgramThatTakesTurnsIsNoProgramToSearch)
mutant(bits_end_at_no_limit
  IN simulator/src/search/bitstate_search.cpp
  EXPRESSION [[end_.figures.states >= how_.states]]
  MUTATED [[false]]
  TEST BitstateSearch.EndsAtALimitOfStates)
mutant(bits_take_steps_in_one_order
  IN simulator/src/search/bitstate_search.cpp
  EXPRESSION [[chance_.below(left)]]
  MUTATED [[left - 1]]
  TEST BitstateSearch.SeesOtherStatesWithAnotherSeed)

# --- seen_bits.hpp -------------------------------------------------------------------------------

mutant(bits_of_two_states_are_alike
  IN simulator/src/search/seen_bits.hpp
  STATEMENT [[one += other;]]
  MUTATED [[]]
  TEST BitstateSearch.ItsHashIsAsGoodAsRandom)
mutant(bits_that_are_partly_new_are_old
  IN simulator/src/search/seen_bits.hpp
  STATEMENT [[is_new = true;]]
  MUTATED [[is_new = !is_new;]]
  TEST BitstateSearch.ItsHashIsAsGoodAsRandom)
