# The mutants of the simulator: what is changed in which source of simulator/src, and which test must
# see it. EXPRESSION and STATEMENT say what the original text is; it must stand in the source once.
# Keep it short, so that it survives changes that do not concern it.

# --- a process that runs: live_process.cpp -------------------------------------------------------

prover_mutant(two_branches_of_each_choice
  IN live_process.cpp
  STATEMENT [[step_.choices.push_back(Choice{taken, bound});]]
  BECOMES [[step_.choices.push_back(Choice{taken, std::min<std::uint64_t>(bound, 2)});]])
prover_mutant(loop_head_cuts_other_tasks_off
  IN live_process.cpp
  EXPRESSION [[loop_heads_ == LoopHeads::run_through || others_are_alive]]
  BECOMES [[loop_heads_ == LoopHeads::run_through]])
prover_mutant(section_is_left_as_often_as_one_likes
  IN live_process.cpp
  EXPRESSION [[name == lock && times-- > 0]]
  BECOMES [[name == lock]]
  CAUGHT_BY Mistakes.LeavingWhatWasNotEntered)
prover_mutant(foreign_wait_is_overlooked
  IN live_process.cpp
  EXPRESSION [[waits || done()]]
  BECOMES [[true]]
  CAUGHT_BY Mistakes.WaitingForSomethingThatIsNotTheSimulators)

# --- programs, learned: automaton.cpp ------------------------------------------------------------

prover_mutant(second_branch_is_not_tried
  IN automaton.cpp
  EXPRESSION [[branch-- > 1]]
  BECOMES [[branch-- > 2]])
prover_mutant(past_without_clock_readings
  IN automaton.cpp
  STATEMENT [[identity.number(ticks(input.clock.monotonic)).number(ticks(input.clock.wall));]]
  BECOMES [[identity.number(0).number(0);]])
prover_mutant(past_without_answers
  IN automaton.cpp
  STATEMENT [[identity.number(parent).number(input.slot).number(input.reply);]]
  BECOMES [[identity.number(parent).number(input.slot);]])
prover_mutant(past_without_memory
  IN automaton.cpp
  STATEMENT [[identity.text(state.memory);]]
  BECOMES [[]])
prover_mutant(wall_clock_reading_is_not_kept
  IN automaton.cpp
  EXPRESSION [[!step.read_wall]]
  BECOMES [[true]])
prover_mutant(wall_clock_is_read_unseen
  IN automaton.cpp
  STATEMENT [[ran.reads_clock = step.read_monotonic || step.read_wall;]]
  BECOMES [[ran.reads_clock = step.read_monotonic;]])
prover_mutant(marks_behind_a_loop_head_are_lost
  IN automaton.cpp
  STATEMENT [[marks.insert(marks.end(), more.begin(), more.end());]]
  BECOMES [[]]
  CAUGHT_BY Choices.OfOneStepAreAllTakenTogether)
prover_mutant(marks_before_a_loop_head_are_lost
  IN automaton.cpp
  STATEMENT [[marks.insert(marks.end(), more.begin(), more.end());]]
  BECOMES [[marks = more;]])

# --- a process with what is on its way: process_table.cpp ----------------------------------------

prover_mutant(instant_too_early
  IN process_table.cpp
  STATEMENT [[if (apart_ * instant < since) ++instant;]]
  BECOMES [[]])
prover_mutant(subscriptions_of_the_done_are_kept
  IN process_table.cpp
  STATEMENT [[content.subscriptions.clear();]]
  BECOMES [[]])
prover_mutant(crashed_is_done
  IN process_table.cpp
  EXPRESSION [[content.crashed ? 1 : 0]]
  BECOMES [[0]])
prover_mutant(heard_on_every_server
  IN process_table.cpp
  EXPRESSION [[subscription.server == slot && subscription.channel == reply]]
  BECOMES [[subscription.channel == reply]])
prover_mutant(heard_on_every_channel
  IN process_table.cpp
  EXPRESSION [[subscription.server == slot && subscription.channel == reply]]
  BECOMES [[subscription.server == slot]])
prover_mutant(restart_is_not_heard
  IN process_table.cpp
  STATEMENT [[subscription.pending = subscription.open;]]
  BECOMES [[]])
prover_mutant(subscription_outlives_its_connection
  IN process_table.cpp
  STATEMENT [[move.broken = content.subscriptions[id].broken;]]
  BECOMES [[]])
prover_mutant(steps_do_not_depend_on_the_clock
  IN process_table.cpp
  STATEMENT [[results.reads_clock = step.reads_clock;]]
  BECOMES [[]])
prover_mutant(listeners_are_all_subscribers
  IN process_table.cpp
  EXPRESSION [[subscription.open && subscription.server == server && subscription.channel == channel]]
  BECOMES [[true]])

# --- servers: store_table.cpp --------------------------------------------------------------------

prover_mutant(keys_without_expiry
  IN store_table.cpp
  STATEMENT [[identity.number(stored.entry.expiry ? stored.entry.expiry->count() : -1);]]
  BECOMES [[identity.number(0);]])
prover_mutant(keys_never_expire
  IN store_table.cpp
  EXPRESSION [[is_expired(stored.entry, time)]]
  BECOMES [[false]])
prover_mutant(stored_tokens_are_not_renamed
  IN store_table.cpp
  STATEMENT [[stored.entry.value = renamed(stored.entry.value, names);]]
  BECOMES [[]])
prover_mutant(stored_writers_are_not_seen
  IN store_table.cpp
  EXPRESSION [[named || stored.writer != nobody || who != 0]]
  BECOMES [[false]])
prover_mutant(replica_misses_two_writes
  IN store_table.cpp
  EXPRESSION [[intern(std::move(unchanged)) == was ? before.before : was]]
  BECOMES [[before.before]])
prover_mutant(replica_misses_nothing
  IN store_table.cpp
  EXPRESSION [[before == unknown ? store : before]]
  BECOMES [[store]])
prover_mutant(operations_do_not_depend_on_the_clock
  IN store_table.cpp
  STATEMENT [[step.reads_clock = space.read_clock();]]
  BECOMES [[step.reads_clock = false;]])

# --- properties: monitor.cpp, beliefs.cpp --------------------------------------------------------

prover_mutant(third_inside_is_one_too_many
  IN monitor.cpp
  EXPRESSION [[(lock.inside & ~me) != 0]]
  BECOMES [[((lock.inside & ~me) & ((lock.inside & ~me) - 1)) != 0]])
prover_mutant(stored_again_is_still_released
  IN monitor.cpp
  STATEMENT [[fact_named(content.locks, event.subject).released = false;]]
  BECOMES [[]])
prover_mutant(those_inside_are_not_renamed
  IN monitor.cpp
  STATEMENT [[lock.inside = renamed(lock.inside, names);]]
  BECOMES [[]])
prover_mutant(those_who_wait_are_not_kept
  IN monitor.cpp
  EXPRESSION [[lock.inside == 0 && lock.waiting == 0]]
  BECOMES [[lock.inside == 0]])
prover_mutant(belief_that_may_begin_again_is_over
  IN beliefs.cpp
  EXPRESSION [[ends_[client] <= shows - back]]
  BECOMES [[ends_[client] <= shows]]
  CAUGHT_BY LeaseExclusion.LeaseThatWasOverLastsAgainWhenItsClockIsSetBack)
prover_mutant(belief_lasts_through_its_last_instant
  IN beliefs.cpp
  STATEMENT [[if (ends_[client] <= shows) continue;]]
  BECOMES [[if (ends_[client] < shows) continue;]]
  CAUGHT_BY LeaseExclusion.ClientWhoseClockFallsBehindBelievesForLonger)
prover_mutant(belief_beside_another_is_none
  IN beliefs.cpp
  EXPRESSION [[(now & ~now_) != 0 && std::popcount(now) > 1]]
  BECOMES [[(now & ~now_) != 0 && now_ != 0 && std::popcount(now) > 2]])

# --- faults and clocks: budget_table.hpp, expand_faults.hpp --------------------------------------

prover_mutant(more_faults_than_allowed
  IN budget_table.hpp
  EXPRESSION [[content.total < limits_.total()]]
  BECOMES [[true]])

# --- steps: expand.hpp, step_table.hpp, successors.hpp -------------------------------------------

prover_mutant(time_ends_an_instant_early
  IN expand.hpp
  EXPRESSION [[all.over || time >= engine.last_instant]]
  BECOMES [[all.over || time + 1 >= engine.last_instant]])
prover_mutant(answers_arrive_at_once
  IN expand.hpp
  EXPRESSION [[alone && !engine_.looks_between && !(reads && clocks_may_change())]]
  BECOMES [[true]])
prover_mutant(answers_are_held_for_nothing
  IN expand.hpp
  EXPRESSION [[alone && !engine_.looks_between && !(reads && clocks_may_change())]]
  BECOMES [[false]])

# --- packing: action.hpp, process_table.hpp, widths.hpp ------------------------------------------

prover_mutant(everything_fits
  IN widths.hpp
  EXPRESSION [[count <= most]]
  BECOMES [[true]]
  CAUGHT_BY Widths.MoreOfAnythingThanFitsGivesNoVerdict)

# --- identical clients: symmetry.hpp, engine.cpp, world.cpp --------------------------------------

prover_mutant(clients_told_apart_share_a_program
  IN engine.cpp
  EXPRESSION [[scenario.symmetry() ? process.same_as : client]]
  BECOMES [[process.same_as]]
  CAUGHT_BY Promises/Tokens.AreEachClientsOwnWithoutSymmetry/0)

# --- promises: audit.cpp, companion.cpp, automaton_again.cpp -------------------------------------

prover_mutant(pasts_are_not_compared
  IN audit.cpp
  EXPRESSION [[!is_over() && automaton_.takes_pasts_as_one()]]
  BECOMES [[false]]
  CAUGHT_BY Promises/Refusals.ThatAreCountedInSecretAreFoundOut/0)
prover_mutant(twins_are_not_run
  IN audit.cpp
  EXPRESSION [[!is_over() && twins_.size() > 1]]
  BECOMES [[false]]
  CAUGHT_BY Promises/Tokens.TellIdenticalClientsApart/1)
prover_mutant(other_times_are_not_tried
  IN audit.cpp
  EXPRESSION [[!is_over() && automaton_.ageing()]]
  BECOMES [[false]]
  CAUGHT_BY Promises.WithoutAnEndTheTimeItselfIsNeitherProofNorViolation)
prover_mutant(everything_is_run_twice_and_no_more
  IN audit.cpp
  EXPRESSION [[times > 0 && steps_ >= repeated_at_least]]
  BECOMES [[times > 0]]
  CAUGHT_BY Promises.WhoIsNotDeterministicIsFoundOutHoweverRarely)
prover_mutant(three_rounds_are_compared
  IN audit.cpp
  EXPRESSION [[round < depth.rounds]]
  BECOMES [[round < std::min<std::uint32_t>(depth.rounds, 3)]]
  CAUGHT_BY Promises/Refusals.ThatAreCountedInSecretAreFoundOut/0)
