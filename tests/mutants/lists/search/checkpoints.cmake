# Searches that are interrupted and go on later.

# --- successors.hpp, lessons.hpp -----------------------------------------------------------------

mutant(lessons_are_not_noted
  IN simulator/src/search/successors.hpp
  STATEMENT [[if (!lessons_.add(number, which)) no_memory_for_lessons_ = true;]]
  MUTATED [[]]
  TEST CheckpointTest.GoesOnFromEachNumberOfStates)
mutant(lessons_have_no_faults
  IN simulator/src/search/lessons.hpp
  EXPRESSION [[which == Steps::faulty ? state | faulty : state]]
  MUTATED [[state]]
  TEST CheckpointTest.GoesOnInEachScenarioOfTheCatalogue)

# --- breadth_first.hpp ---------------------------------------------------------------------------

mutant(place_is_behind_what_a_limit_cut_off
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[if (!over_) keeper_.mark(place(at, depth, which));]]
  MUTATED [[keeper_.mark(place(at, depth, which));]]
  TEST CheckpointTest.GoesOnWithAnotherNumberOfThreads)
mutant(level_begins_where_the_search_goes_on
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[if (resumed_) level_begin_ = resumed_->level_begin;]]
  MUTATED [[]]
  TEST CheckpointTest.GoesOnWithAnotherNumberOfThreads)
mutant(ordinary_steps_are_taken_again
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[!resumed_ || resumed_->faulty == 0]]
  MUTATED [[true]]
  TEST CheckpointTest.GoesOnInRandomScenarios)
mutant(level_is_expanded_again_from_its_beginning
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[if (resumed_) at = resumed_->at;]]
  MUTATED [[]]
  TEST CheckpointTest.GoesOnWithAnotherNumberOfThreads)
mutant(violations_of_earlier_parts_are_forgotten
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[result_.violations = place.violations;]]
  MUTATED [[]]
  TEST CheckpointTest.CountsTheViolationsOfAllParts)
mutant(first_violation_is_forgotten
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[result_.violated = static_cast<std::uint16_t>(place.violated);]]
  MUTATED [[]]
  TEST CheckpointTest.CountsTheViolationsOfAllParts)
mutant(end_is_not_kept
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[if (is_limited_ && sound) keeper_.write_last(states_, levels_, successors_.lessons());]]
  MUTATED [[]]
  TEST CheckpointTest.IsWrittenWhenTheCallerEndsTheSearch)

# --- state_loader.hpp ----------------------------------------------------------------------------

mutant(what_has_happened_is_forgotten
  IN simulator/src/search/state_loader.hpp
  STATEMENT [[engine_.happenings().note(static_cast<HappeningKind>(kind), subject);]]
  MUTATED [[static_cast<void>(kind);]]
  TEST CheckpointTest.GoesOnWithPredicatesOfTheUsersOwn)

# --- checkpointer.hpp, checkpointer.cpp, resumable_search.cpp ------------------------------------

mutant(checkpoint_is_written_before_there_is_a_place
  IN simulator/src/search/checkpointer.hpp
  EXPRESSION [[how_.file.empty() || !has_place_]]
  MUTATED [[how_.file.empty()]]
  TEST CheckpointTest.TheLimitsOfMemoryWriteOne)

mutant(other_scenario_is_resumed
  IN simulator/src/search/checkpointer.cpp
  EXPRESSION [[source_->text() != what_]]
  MUTATED [[source_->text().empty()]]
  TEST RefusedCheckpointTest.IsRefusedForAnotherSearch)
mutant(other_program_is_resumed
  IN simulator/src/search/checkpointer.cpp
  EXPRESSION [[identity != how_.identity]]
  MUTATED [[false]]
  TEST RefusedCheckpointTest.IsRefusedForAnotherSearch)
mutant(longest_time_is_guessed_anew
  IN simulator/src/search/resumable_search.cpp
  STATEMENT [[if (keeper.resumed_longest()) guess.begin_with(*keeper.resumed_longest());]]
  MUTATED [[]]
  TEST CheckpointTest.GoesOnWhereTimeHasNoEnd)
mutant(wide_states_are_taken_for_narrow_ones
  IN simulator/src/search/resumable_search.cpp
  EXPRESSION [[!keeper_.resumes_wide()]]
  MUTATED [[true]]
  TEST CheckpointTest.GoesOnWithNumbersOf16And32Bits)

# --- checkpoint_file.cpp -------------------------------------------------------------------------

mutant(damage_is_not_seen
  IN simulator/src/search/checkpoint_file.cpp
  EXPRESSION [[!whole || std::memcmp(last, &expected, sizeof last) != 0]]
  MUTATED [[!whole]]
  TEST RefusedCheckpointTest.IsRefusedIfOneByteDiffersOrIsMissing)
mutant(others_may_write_the_checkpoint
  IN simulator/src/search/checkpoint_file.cpp
  EXPRESSION [[(found.st_mode & (S_IWGRP | S_IWOTH)) != 0]]
  MUTATED [[false]]
  TEST RefusedCheckpointTest.BelongsToItsOwnerAlone)
mutant(checkpoint_replaces_any_file
  IN simulator/src/search/checkpoint_file.cpp
  EXPRESSION [[there && found.st_size > 0]]
  MUTATED [[false]]
  TEST RefusedCheckpointTest.WhatIsNoCheckpointIsLeftAlone)
