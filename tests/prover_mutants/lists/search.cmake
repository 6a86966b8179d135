# The search itself: which states are known, in which order they come, and what it says at its end.

# --- state_set.hpp --------------------------------------------------------------------------------

prover_mutant(states_are_known_by_their_tags
  IN search/state_set.hpp
  EXPRESSION [[tag_of(slots_[at]) == tag && is_same(number_in(slots_[at]))]]
  BECOMES [[tag_of(slots_[at]) == tag]]
  CAUGHT_BY StateSet.KnowsWhatWasInsertedAndNothingElse)
prover_mutant(states_are_found_by_their_tags
  IN search/state_set.hpp
  EXPRESSION [[tag_of(slot) == tag_for(mixed) && states_[number_in(slot)] == state]]
  BECOMES [[tag_of(slot) == tag_for(mixed)]]
  CAUGHT_BY StateSet.KnowsWhatWasInsertedAndNothingElse)
prover_mutant(states_are_lost_when_the_table_grows
  IN search/state_set.hpp
  STATEMENT [[slots_[to] = tag_for(hashes[at]) | static_cast<std::uint32_t>(begin + at);]]
  BECOMES [[if (at > 0) slots_[to] = tag_for(hashes[at]) | static_cast<std::uint32_t>(begin + at);]]
  CAUGHT_BY StateSet.KnowsWhatWasInsertedAndNothingElse)

# --- flat_map.hpp ---------------------------------------------------------------------------------

prover_mutant(texts_run_into_each_other
  IN base/flat_map.hpp
  STATEMENT [[number(static_cast<std::int64_t>(value.size()));]]
  BECOMES [[]]
  CAUGHT_BY Encoder.TellsApartWhatIsDifferent)
prover_mutant(numbers_have_four_bytes
  IN base/flat_map.hpp
  EXPRESSION [[shift < 64]]
  BECOMES [[shift < 32]]
  CAUGHT_BY Encoder.TellsApartWhatIsDifferent)

# --- successors.hpp -------------------------------------------------------------------------------

prover_mutant(deadlocks_are_not_noted
  IN search/successors.hpp
  EXPRESSION [[known && all.is_deadlock()]]
  BECOMES [[false]]
  CAUGHT_BY Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
prover_mutant(others_do_not_hear_of_a_step
  IN search/successors.hpp
  EXPRESSION [[step.detail.to_others != ToOthers::nothing]]
  BECOMES [[false]]
  CAUGHT_BY Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)
prover_mutant(broken_step_goes_on
  IN search/successors.hpp
  STATEMENT [[found.violation = detail.violation;]]
  BECOMES [[]])

# --- search.cpp -----------------------------------------------------------------------------------

prover_mutant(violation_in_a_step_is_overlooked
  IN search/search.cpp
  STATEMENT [[violate(share.last->violation, place_of(*share.last));]]
  BECOMES [[]])
prover_mutant(violations_of_steps_are_not_counted
  IN search/search.cpp
  STATEMENT [[if (found.violation != 0) violate(found.violation, place_of(found));]]
  BECOMES [[]]
  CAUGHT_BY Rules.EachWriteBehindTheGreatestTokenIsStale)
prover_mutant(deadlocks_are_not_told
  IN search/search.cpp
  EXPRESSION [[deadlock_ != 0 && !over_]]
  BECOMES [[false]]
  CAUGHT_BY Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
prover_mutant(faults_come_early_or_never
  IN search/search.cpp
  EXPRESSION [[more || (faults_ > 0 && depth <= levels_[faults_ - 1].size())]]
  BECOMES [[more || (faults_ > 0 && depth <= 1)]])
prover_mutant(limit_of_states_is_no_reason_to_doubt
  IN search/search.cpp
  EXPRESSION [[full_ || states_.size() > most_states_]]
  BECOMES [[false]]
  CAUGHT_BY HonestSearch.SaysWhichLimitEndedIt)
prover_mutant(step_is_nearer_than_a_state
  IN search/search.cpp
  EXPRESSION [[violation_.step && !where.step && level_of_violation_ == level_]]
  BECOMES [[false]]
  CAUGHT_BY Deadlock.IsAStepNearerThanAStepThatComesFromItsLevel)

# --- explore.cpp, longest.hpp ---------------------------------------------------------------------

prover_mutant(programs_are_not_audited
  IN search/explore.cpp
  EXPRESSION [[audit_programs(engine, limits.repeated_steps, [&] { return proceed(limits, found); })]]
  BECOMES [[true]]
  CAUGHT_BY HonestSearch.ReportsALoopHeadThatLeavesAVariableOut)
prover_mutant(nothing_that_happened_proves_anything
  IN search/explore.cpp
  STATEMENT [[verdict.reason = happenings.why_nothing_is_proved();]]
  BECOMES [[]]
  CAUGHT_BY HonestSearch.DoesNotCallAnEmptySuccessAProof)
prover_mutant(longest_is_the_first_guess
  IN base/longest.hpp
  STATEMENT [[is_new_ = open_ && longer > guess_ && longer <= most_;]]
  BECOMES [[is_new_ = false;]]
  CAUGHT_BY EndlessTime.ALeaseIsAsLongAsItIsIfNothingIsSaid)

# --- team_work.hpp --------------------------------------------------------------------------------

prover_mutant(what_is_learned_late_is_not_put_in_its_place
  IN search/team_work.hpp
  STATEMENT [[if (!work.gaps.empty()) fill_gaps(work);]]
  BECOMES [[]])
prover_mutant(violations_that_are_learned_late_are_overlooked
  IN search/team_work.hpp
  STATEMENT [[work.share.has_violations = work.share.has_violations || work.learned.has_violations;]]
  BECOMES [[]]
  CAUGHT_BY ThreadsSearch.CountsTheSameViolations)
prover_mutant(last_step_that_is_learned_late_is_overlooked
  IN search/team_work.hpp
  STATEMENT [[work.share.last = work.learned.last;]]
  BECOMES [[]])
prover_mutant(threads_find_nothing_new
  IN search/team_work.hpp
  STATEMENT [[one.is_new = true;]]
  BECOMES [[]])
