# Programs: a process that runs, what is learned of it, and what is on its way to and from it.

# --- live_process.cpp ---------------------------------------------------------------------------

prover_mutant(two_branches_of_each_choice
  IN process/live_process.cpp
  STATEMENT [[step_.choices.push_back(Choice{taken, bound});]]
  BECOMES [[step_.choices.push_back(Choice{taken, std::min<std::uint64_t>(bound, 2)});]]
  FROM_TRIAL 25)
prover_mutant(loop_head_cuts_other_tasks_off
  IN process/live_process.cpp
  EXPRESSION [[loop_heads_ == LoopHeads::run_through || others_are_alive]]
  BECOMES [[loop_heads_ == LoopHeads::run_through]]
  FROM_TRIAL 53)
prover_mutant(section_is_left_as_often_as_one_likes
  IN process/live_process.cpp
  EXPRESSION [[name == lock && times-- > 0]]
  BECOMES [[name == lock]]
  CAUGHT_BY Mistakes.LeavingWhatWasNotEntered)
prover_mutant(nobody_watches_what_waits
  IN process/live_process.cpp
  STATEMENT [[pending.watched_by(this);]]
  BECOMES [[]]
  CAUGHT_BY Mistakes/LostTasks.AreAMistakeWhateverTheyWaitFor/0)
prover_mutant(foreign_wait_is_overlooked
  IN process/live_process.cpp
  EXPRESSION [[waits || done()]]
  BECOMES [[true]]
  CAUGHT_BY Mistakes.WaitingForSomethingThatIsNotTheSimulators)

# --- automaton.cpp ------------------------------------------------------------------------------

prover_mutant(second_branch_is_not_tried
  IN process/automaton.cpp
  EXPRESSION [[branch-- > 1]]
  BECOMES [[branch-- > 2]]
  FROM_TRIAL 12)
prover_mutant(past_without_clock_readings
  IN process/automaton.cpp
  STATEMENT [[identity.number(ticks(input.clock.monotonic)).number(ticks(input.clock.wall));]]
  BECOMES [[identity.number(0).number(0);]]
  FROM_TRIAL 2)
prover_mutant(past_without_answers
  IN process/automaton.cpp
  STATEMENT [[identity.number(parent).number(input.slot).number(input.reply);]]
  BECOMES [[identity.number(parent).number(input.slot);]]
  FROM_TRIAL 6)
prover_mutant(past_without_memory
  IN process/automaton.cpp
  STATEMENT [[identity.text(state.memory);]]
  BECOMES [[]]
  FROM_TRIAL 1)
prover_mutant(wall_clock_reading_is_not_kept
  IN process/automaton.cpp
  EXPRESSION [[!step.read_wall]]
  BECOMES [[true]]
  FROM_TRIAL 10)
prover_mutant(wall_clock_is_read_unseen
  IN process/automaton.cpp
  STATEMENT [[ran.reads_clock = step.read_monotonic || step.read_wall;]]
  BECOMES [[ran.reads_clock = step.read_monotonic;]]
  FROM_TRIAL 10)
prover_mutant(marks_behind_a_loop_head_are_lost
  IN process/automaton.cpp
  STATEMENT [[marks.insert(marks.end(), more.begin(), more.end());]]
  BECOMES [[]]
  CAUGHT_BY Choices.OfOneStepAreAllTakenTogether)
prover_mutant(marks_before_a_loop_head_are_lost
  IN process/automaton.cpp
  STATEMENT [[marks.insert(marks.end(), more.begin(), more.end());]]
  BECOMES [[marks = more;]]
  FROM_TRIAL 8)

# --- process_table.cpp --------------------------------------------------------------------------

prover_mutant(instant_too_early
  IN model/process_table.cpp
  STATEMENT [[if (apart_ * instant < since) ++instant;]]
  BECOMES [[]]
  FROM_TRIAL 2)
prover_mutant(subscriptions_of_the_done_are_kept
  IN model/process_table.cpp
  STATEMENT [[content.subscriptions.clear();]]
  BECOMES [[]]
  FROM_TRIAL 29)
prover_mutant(crashed_is_done
  IN model/process_table.cpp
  EXPRESSION [[content.crashed ? 1 : 0]]
  BECOMES [[0]]
  FROM_TRIAL 22)
prover_mutant(heard_on_every_server
  IN model/process_table.cpp
  EXPRESSION [[subscription.server == slot && subscription.channel == reply]]
  BECOMES [[subscription.channel == reply]]
  FROM_TRIAL 66)
prover_mutant(heard_on_every_channel
  IN model/process_table.cpp
  EXPRESSION [[subscription.server == slot && subscription.channel == reply]]
  BECOMES [[subscription.server == slot]]
  FROM_TRIAL 19)
prover_mutant(restart_is_not_heard
  IN model/process_table.cpp
  STATEMENT [[subscription.pending = subscription.open;]]
  BECOMES [[]]
  FROM_TRIAL 494)
prover_mutant(subscription_outlives_its_connection
  IN model/process_table.cpp
  STATEMENT [[move.broken = content.subscriptions[id].broken;]]
  BECOMES [[]]
  FROM_TRIAL 494)
prover_mutant(steps_do_not_depend_on_the_clock
  IN model/process_table.cpp
  STATEMENT [[results.reads_clock = step.reads_clock;]]
  BECOMES [[]]
  FROM_TRIAL 2)
prover_mutant(listeners_are_all_subscribers
  IN model/process_table.cpp
  EXPRESSION [[subscription.open && subscription.server == server && subscription.channel == channel]]
  BECOMES [[true]]
  FROM_TRIAL 19)

# --- live_process.cpp ---------------------------------------------------------------------------

prover_mutant(second_token_is_the_first
  IN process/live_process.cpp
  EXPRESSION [[token_text(process_.index_, ++drawn_)]]
  BECOMES [[token_text(process_.index_, 1)]]
  CAUGHT_BY IdenticalClients.NeverDrawATokenTwice)

# --- process_table.cpp --------------------------------------------------------------------------

prover_mutant(restart_of_one_server_loses_requests_to_all
  IN model/process_table.cpp
  EXPRESSION [[automaton_.wait(wait).server == slot]]
  BECOMES [[true]]
  CAUGHT_BY Rules.ARestartLosesTheRequestsToItsServerAlone)
prover_mutant(restart_loses_no_request
  IN model/process_table.cpp
  EXPRESSION [[automaton_.wait(wait).server == slot]]
  BECOMES [[false]]
  CAUGHT_BY Rules.ARestartLosesTheRequestsToItsServerAlone)
prover_mutant(answers_on_their_way_are_not_renamed
  IN model/process_table.cpp
  STATEMENT [[info.renamable = info.renamable || mentions(vocabulary_.replies[held.reply]) != 0;]]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
prover_mutant(late_requests_are_not_renamed
  IN model/process_table.cpp
  STATEMENT [[wait.operation = renamed(wait.operation, permutation);]]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.KeepTheRequestsThatTheyHaveLeftBehind)
prover_mutant(deaf_wait_that_ends_in_time_is_told
  IN model/process_table.cpp
  EXPRESSION [[move.due > now.monotonic + within]]
  BECOMES [[move.due >= now.monotonic + within]]
  CAUGHT_BY Rules.AWaitThatEndsInTimeIsNotInVain)
prover_mutant(late_requests_in_order
  IN model/process_table.cpp
  STATEMENT [[std::sort(content.late.begin(), content.late.end());]]
  BECOMES [[]]
  CAUGHT_BY Rules.RequestsThatWereLeftBehindHaveNoOrder)
prover_mutant(closed_subscription_hears
  IN model/process_table.cpp
  EXPRESSION [[subscription.open && same]]
  BECOMES [[same]]
  CAUGHT_BY Rules.AMessageChangesNothingWhereNobodyListensAnyMore)
