# What the user says must come at last: leads_to.

# --- owing.hpp ----------------------------------------------------------------------------------

mutant(what_has_come_is_still_owed
  IN simulator/src/search/owing.hpp
  EXPRESSION [[has(state) || answers_[state] == Answer::holds]]
  MUTATED [[has(state)]]
  TEST LeadsTo.IsProvedIfWhatIsOwedAlwaysComes)
mutant(all_states_owe
  IN simulator/src/search/owing.hpp
  STATEMENT [[if (answers_[number] == Answer::broken) reach(number, nowhere);]]
  MUTATED [[reach(number, nowhere);]]
  TEST LeadsTo.IsProvedIfWhatIsOwedAlwaysComes)
mutant(nothing_is_owed_after_the_next_step
  IN simulator/src/search/owing.hpp
  STATEMENT [[if (steps > 0) go_on_from(levels_[faults_][steps - 1]);]]
  MUTATED [[]]
  TEST LeadsTo.IsBrokenByTheEndOfTheRun)
mutant(nothing_is_owed_after_a_fault
  IN simulator/src/search/owing.hpp
  STATEMENT [[fail_from(levels_[faults_ - 1][steps - 1]);]]
  MUTATED [[]]
  TEST LeadsTo.MayNeedAFaultBetweenWhatIsOwedAndTheEnd)
mutant(a_run_that_goes_on_owes_nothing
  IN simulator/src/search/owing.hpp
  STATEMENT [[if (at_first && answers_[0] != Answer::holds) answers_[0] = Answer::broken;]]
  MUTATED [[]]
  TEST LeadsTo.AHintKnowsWhatIsOwedAlready)
mutant(every_leads_to_owes_something
  IN simulator/src/search/owing.hpp
  STATEMENT [[if (answers_[state] != Answer::broken) return;]]
  MUTATED [[]]
  TEST LeadsTo.IsVacuousIfNothingIsEverOwed)

# --- liveness.hpp -------------------------------------------------------------------------------

mutant(owed_while_a_connection_is_to_break
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[owing.has(state) && may_go_on(states_[state])]]
  MUTATED [[owing.has(state)]]
  TEST LeadsTo.NothingLastsForEverWhileAConnectionIsToBreak)
mutant(owing_loop_of_the_first_state
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[owing.place(state)]]
  MUTATED [[state]]
  TEST LeadsToCompared.AgreesWithTheSlowestWayOnRandomPrograms)
mutant(steps_that_owe_do_not_count
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[steps + part.size() - 1]]
  MUTATED [[steps]]
  TEST LeadsTo.TheNearestOfSeveralIsTold)
mutant(walks_take_no_memory
  IN simulator/src/search/liveness.hpp
  STATEMENT [[result_.over_limit = states_.bytes() + most_bytes_ > memory_;]]
  MUTATED [[]]
  TEST LeadsTo.CountsItsMemory)

# --- predicates.cpp -----------------------------------------------------------------------------

mutant(what_has_come_is_asked_for_again
  IN simulator/src/model/predicates.cpp
  STATEMENT [[if (ask_user(property, property.to, world)) return PredicateAnswer::holds;]]
  MUTATED [[]]
  TEST LeadsTo.IsAnsweredInTheSameState)

# --- owed.cpp, simulation.cpp -------------------------------------------------------------------

mutant(owed_since_the_first_time
  IN simulator/src/run/owed.cpp
  STATEMENT [[if (answer == Answer::holds) since.reset();]]
  MUTATED [[]]
  TEST LeadsTo.IsOwedAgainAfterEachTime)
mutant(owed_though_it_comes_in_the_loop
  IN simulator/src/run/owed.cpp
  STATEMENT [[if (ask(engine, property, states[at]) == Answer::holds) return std::nullopt;]]
  MUTATED [[]]
  TEST LeadsTo.ALoopThatComesByBreaksNothing)
mutant(loops_that_owe_nothing_break_it
  IN simulator/src/play/simulation.cpp
  STATEMENT [[if (!since) continue;]]
  MUTATED [[]]
  TEST LeadsTo.ALoopThatOwesNothingBreaksNothing)
mutant(loops_by_hand_before_a_break
  IN simulator/src/play/simulation.cpp
  EXPRESSION [[engine->budgets().breaks_are_to_come(state[engine->budget_component()])]]
  MUTATED [[false]]
  TEST LeadsTo.ByHandNothingLastsForEverThenEither)

# --- schedule_replay.cpp, runs.cpp ---------------------------------------------------------------

mutant(loop_is_replayed_as_the_first_property
  IN simulator/src/schedule/schedule_replay.cpp
  EXPRESSION [[simulation_.close_loop(*schedule_.loop, schedule_.violated)]]
  MUTATED [[simulation_.close_loop(*schedule_.loop)]]
  TEST LeadsTo.IsReplayedAsTheOneThatTheScheduleNames)
mutant(beliefs_never_end
  IN simulator/src/model/parts.hpp
  STATEMENT [[if (engine.monitor().awaits_end(state[engine.monitor_component()])) return true;]]
  MUTATED [[]]
  TEST LeadsTo.ABeliefThatEndsLaterIsUndecidedWhereTimeEnds)
mutant(random_runs_miss_what_they_do_not_look_for
  IN simulator/src/sampling/runs.cpp
  STATEMENT [[engine_.happenings().leave_out_liveness();]]
  MUTATED [[]]
  TEST LeadsTo.IsNoQuestionForRandomRuns)
