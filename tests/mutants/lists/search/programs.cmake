# Programs: a process that runs, what is learned of it, and what is on its way to and from it.

# --- live_process.cpp ---------------------------------------------------------------------------

mutant(two_branches_of_each_choice
  IN simulator/src/process/live_process.cpp
  STATEMENT [[step_.choices.push_back(Choice{taken, bound});]]
  MUTATED [[step_.choices.push_back(Choice{taken, std::min<std::uint64_t>(bound, 2)});]]
  FROM_TRIAL 25)
mutant(loop_head_cuts_other_tasks_off
  IN simulator/src/process/live_process.cpp
  EXPRESSION [[loop_heads_ == LoopHeads::run_through || others_are_alive]]
  MUTATED [[loop_heads_ == LoopHeads::run_through]]
  FROM_TRIAL 53)
mutant(section_is_left_as_often_as_one_likes
  IN simulator/src/process/live_process.cpp
  EXPRESSION [[name == lock && times-- > 0]]
  MUTATED [[name == lock]]
  TEST Mistakes.LeavingWhatWasNotEntered)
mutant(nobody_watches_what_waits
  IN simulator/src/process/live_process.cpp
  STATEMENT [[pending.observed_by(this);]]
  MUTATED [[]]
  TEST Mistakes/LostTasks.AreAMistakeWhateverTheyWaitFor/0)
mutant(foreign_wait_is_overlooked
  IN simulator/src/process/live_process.cpp
  EXPRESSION [[waits || done()]]
  MUTATED [[true]]
  TEST Mistakes.WaitingForSomethingThatIsNotTheSimulators)

# --- automaton.cpp ------------------------------------------------------------------------------

mutant(second_branch_is_not_tried
  IN simulator/src/process/automaton.cpp
  EXPRESSION [[branch-- > 1]]
  MUTATED [[branch-- > 2]]
  FROM_TRIAL 12)
mutant(past_without_clock_readings
  IN simulator/src/process/automaton.cpp
  STATEMENT [[identity.number(ticks(input.clock.monotonic)).number(ticks(input.clock.wall));]]
  MUTATED [[identity.number(0).number(0);]]
  FROM_TRIAL 2)
mutant(past_without_answers
  IN simulator/src/process/automaton.cpp
  STATEMENT [[identity.number(parent).number(input.slot).number(input.reply);]]
  MUTATED [[identity.number(parent).number(input.slot);]]
  FROM_TRIAL 6)
mutant(past_without_memory
  IN simulator/src/process/automaton.cpp
  STATEMENT [[identity.number(state.life).text(state.memory);]]
  MUTATED [[identity.number(state.life);]]
  FROM_TRIAL 1)
mutant(wall_clock_reading_is_not_kept
  IN simulator/src/process/automaton.cpp
  EXPRESSION [[!step.read_wall]]
  MUTATED [[true]]
  FROM_TRIAL 10)
mutant(wall_clock_is_read_unseen
  IN simulator/src/process/automaton.cpp
  STATEMENT [[ran.reads_clock = step.read_monotonic || step.read_wall;]]
  MUTATED [[ran.reads_clock = step.read_monotonic;]]
  FROM_TRIAL 10)
mutant(marks_behind_a_loop_head_are_lost
  IN simulator/src/process/automaton.cpp
  STATEMENT [[marks.insert(marks.end(), more.begin(), more.end());]]
  MUTATED [[]]
  TEST Choices.OfOneStepAreAllTakenTogether)
mutant(marks_before_a_loop_head_are_lost
  IN simulator/src/process/automaton.cpp
  STATEMENT [[marks.insert(marks.end(), more.begin(), more.end());]]
  MUTATED [[marks = more;]]
  FROM_TRIAL 8)

# --- process_table.cpp --------------------------------------------------------------------------

mutant(instant_too_early
  IN simulator/src/model/process_table.cpp
  STATEMENT [[if (apart_ * instant < since) ++instant;]]
  MUTATED [[]]
  FROM_TRIAL 2)
mutant(subscriptions_of_the_done_are_kept
  IN simulator/src/model/process_table.cpp
  STATEMENT [[content.subscriptions.clear();]]
  MUTATED [[]]
  FROM_TRIAL 29)
mutant(crashed_is_done
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[content.crashed ? 1 : 0]]
  MUTATED [[0]]
  FROM_TRIAL 22)
mutant(heard_on_every_server
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[subscription.server == slot && subscription.channel == message.channel]]
  MUTATED [[subscription.channel == message.channel]]
  FROM_TRIAL 66)
mutant(heard_on_every_channel
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[subscription.server == slot && subscription.channel == message.channel]]
  MUTATED [[subscription.server == slot]]
  FROM_TRIAL 19)
mutant(restart_is_not_heard
  IN simulator/src/model/process_table.cpp
  STATEMENT [[subscription.pending = subscription.open;]]
  MUTATED [[]]
  FROM_TRIAL 494)
mutant(subscription_outlives_its_connection
  IN simulator/src/model/process_table.cpp
  STATEMENT [[move.broken = content.subscriptions[id].broken;]]
  MUTATED [[]]
  FROM_TRIAL 494)
mutant(steps_do_not_depend_on_the_clock
  IN simulator/src/model/process_table.cpp
  STATEMENT [[results.reads_clock = step.reads_clock;]]
  MUTATED [[]]
  FROM_TRIAL 2)
mutant(listeners_are_all_subscribers
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[subscription.open && subscription.server == server && subscription.channel == channel]]
  MUTATED [[true]]
  FROM_TRIAL 19)

# --- live_process.cpp ---------------------------------------------------------------------------

mutant(second_token_is_the_first
  IN simulator/src/process/live_process.cpp
  EXPRESSION [[token_text(process_.index_, ++drawn_, process_.life_)]]
  MUTATED [[token_text(process_.index_, 1, process_.life_)]]
  TEST IdenticalClients.NeverDrawATokenTwice)

# --- process_table.cpp --------------------------------------------------------------------------

mutant(restart_of_one_server_loses_requests_to_all
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[wait.server == slot && wait.kind != WaitKind::write]]
  MUTATED [[true]]
  TEST Rules.ARestartLosesTheRequestsToItsServerAlone)
mutant(restart_loses_no_request
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[wait.server == slot && wait.kind != WaitKind::write]]
  MUTATED [[false]]
  TEST Rules.ARestartLosesTheRequestsToItsServerAlone)
mutant(restart_loses_late_writes
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[wait.server == slot && wait.kind != WaitKind::write]]
  MUTATED [[wait.server == slot]]
  TEST WritesOverANetwork.AreNotLostWithTheConnectionsToAServer)
mutant(no_answer_to_a_write_is_a_refusal
  IN simulator/src/process/live_process.cpp
  EXPRESSION [[WriteAnswer::missing]]
  MUTATED [[std::int64_t{0}]]
  TEST WritesOverANetwork.ThatAreNotAnsweredAreNotKnown)
mutant(answers_on_their_way_are_not_renamed
  IN simulator/src/model/process_table.cpp
  STATEMENT [[info.renamable = info.renamable || mentions(vocabulary_.replies[held.reply]) != 0;]]
  MUTATED [[]]
  TEST IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
mutant(late_requests_are_not_renamed
  IN simulator/src/model/process_table.cpp
  STATEMENT [[wait.operation = renamed(wait.operation, permutation);]]
  MUTATED [[]]
  TEST IdenticalClients.KeepTheRequestsThatTheyHaveLeftBehind)
mutant(deaf_wait_that_ends_in_time_is_told
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[move.due > now.monotonic + within]]
  MUTATED [[move.due >= now.monotonic + within]]
  TEST Rules.AWaitThatEndsInTimeIsNotInVain)
mutant(late_requests_in_order
  IN simulator/src/model/process_table.cpp
  STATEMENT [[std::sort(content.late.begin(), content.late.end());]]
  MUTATED [[]]
  TEST Rules.RequestsThatWereLeftBehindHaveNoOrder)
mutant(closed_subscription_hears
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[subscription.open && same]]
  MUTATED [[same]]
  TEST Rules.AMessageChangesNothingWhereNobodyListensAnyMore)
