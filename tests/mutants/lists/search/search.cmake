# The search itself: which states are known, in which order they come, and what it says at its end.

# --- state_set.hpp --------------------------------------------------------------------------------

mutant(states_are_known_by_their_tags
  IN simulator/src/search/state_set.hpp
  EXPRESSION [[tag_of(slots_[at]) == tag && is_same(number_in(slots_[at]))]]
  MUTATED [[tag_of(slots_[at]) == tag]]
  TEST StateSet.KnowsWhatWasInsertedAndNothingElse)
mutant(states_are_found_by_their_tags
  IN simulator/src/search/state_set.hpp
  EXPRESSION [[tag_of(slot) == tag_for(mixed) && states_[number_in(slot)] == state]]
  MUTATED [[tag_of(slot) == tag_for(mixed)]]
  TEST StateSet.KnowsWhatWasInsertedAndNothingElse)
mutant(states_are_lost_when_the_table_grows
  IN simulator/src/search/state_set.hpp
  STATEMENT [[slots_[to] = tag_for(hashes[at]) | static_cast<std::uint32_t>(begin + at);]]
  MUTATED [[if (at > 0) slots_[to] = tag_for(hashes[at]) | static_cast<std::uint32_t>(begin + at);]]
  TEST StateSet.KnowsWhatWasInsertedAndNothingElse)

# --- flat_map.hpp ---------------------------------------------------------------------------------

mutant(texts_run_into_each_other
  IN simulator/src/base/flat_map.hpp
  STATEMENT [[number(static_cast<std::int64_t>(value.size()));]]
  MUTATED [[]]
  TEST Encoder.TellsApartWhatIsDifferent)
mutant(numbers_have_four_bytes
  IN simulator/src/base/flat_map.hpp
  EXPRESSION [[shift < 64]]
  MUTATED [[shift < 32]]
  TEST Encoder.TellsApartWhatIsDifferent)

# --- successors.hpp -------------------------------------------------------------------------------

mutant(deadlocks_are_not_noted
  IN simulator/src/search/successors.hpp
  EXPRESSION [[known && all.is_deadlock()]]
  MUTATED [[false]]
  TEST Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
mutant(others_do_not_hear_of_a_step
  IN simulator/src/search/successors.hpp
  EXPRESSION [[step.detail.to_others != ToOthers::nothing]]
  MUTATED [[false]]
  TEST Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)
mutant(broken_step_goes_on
  IN simulator/src/search/successors.hpp
  STATEMENT [[found.violation = detail.violation;]]
  MUTATED [[]])

# --- breadth_first.hpp ----------------------------------------------------------------------------

mutant(violation_in_a_step_is_overlooked
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[violate(share.last->violation, place_of(*share.last));]]
  MUTATED [[]])
mutant(violations_of_steps_are_not_counted
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[if (found.violation != 0) violate(found.violation, place_of(found));]]
  MUTATED [[]]
  TEST Rules.EachWriteBehindTheGreatestTokenIsStale)
mutant(deadlocks_are_not_told
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[deadlock_ != 0 && !over_]]
  MUTATED [[false]]
  TEST Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
mutant(faults_come_early_or_never
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[more || (faults_ > 0 && depth <= levels_[faults_ - 1].size())]]
  MUTATED [[more || (faults_ > 0 && depth <= 1)]])
mutant(limit_of_states_is_no_reason_to_doubt
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[full_ || states_.size() > most_states_]]
  MUTATED [[false]]
  TEST HonestSearch.SaysWhichLimitEndedIt)
mutant(step_is_nearer_than_a_state
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[violation_.step && !where.step && level_of_violation_ == level_]]
  MUTATED [[false]]
  TEST Deadlock.IsAStepNearerThanAStepThatComesFromItsLevel)

# --- explore.cpp, longest.hpp ---------------------------------------------------------------------

mutant(programs_are_not_audited
  IN simulator/src/search/explore.cpp
  EXPRESSION [[audit_programs(engine, limits.repeated_steps, [&] { return proceed(limits, found); })]]
  MUTATED [[true]]
  TEST HonestSearch.ReportsALoopHeadThatLeavesAVariableOut)
mutant(nothing_that_happened_proves_anything
  IN simulator/src/search/explore.cpp
  STATEMENT [[verdict.reason = happenings.why_nothing_is_proved();]]
  MUTATED [[]]
  TEST HonestSearch.DoesNotCallAnEmptySuccessAProof)
mutant(longest_is_the_first_guess
  IN simulator/src/base/longest.hpp
  STATEMENT [[is_new_ = open_ && longer > guess_ && longer <= most_;]]
  MUTATED [[is_new_ = false;]]
  TEST EndlessTime.ALeaseIsAsLongAsItIsIfNothingIsSaid)

# --- team_work.hpp --------------------------------------------------------------------------------

mutant(what_is_learned_late_is_not_put_in_its_place
  IN simulator/src/search/team_work.hpp
  STATEMENT [[if (!work.gaps.empty()) fill_gaps(work);]]
  MUTATED [[]])
mutant(violations_that_are_learned_late_are_overlooked
  IN simulator/src/search/team_work.hpp
  STATEMENT [[work.share.has_violations = work.share.has_violations || work.learned.has_violations;]]
  MUTATED [[]]
  TEST ThreadsSearch.CountsTheSameViolations)
mutant(last_step_that_is_learned_late_is_overlooked
  IN simulator/src/search/team_work.hpp
  STATEMENT [[work.share.last = work.learned.last;]]
  MUTATED [[]])
mutant(threads_find_nothing_new
  IN simulator/src/search/team_work.hpp
  STATEMENT [[one.is_new = true;]]
  MUTATED [[]])
