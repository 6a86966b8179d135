# Runs as text, and as one line.

# --- schedule_words.cpp -------------------------------------------------------------------------

mutant(branch_of_a_start_is_not_written
  IN simulator/src/schedule/schedule_words.cpp
  STATEMENT [[if (branch > 0) text += "begin " + number(branch) + " ";]]
  MUTATED [[]]
  TEST Choices.StandInSchedules)
mutant(branch_is_not_written
  IN simulator/src/schedule/schedule_words.cpp
  STATEMENT [[if (step.choice > 0) text += "branch " + number(step.choice) + " ";]]
  MUTATED [[]]
  TEST Choices.StandInSchedules)
mutant(server_is_not_written
  IN simulator/src/schedule/schedule_words.cpp
  STATEMENT [[if (step.server > 0) text += "server " + number(step.server) + " ";]]
  MUTATED [[]]
  TEST ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
mutant(fault_of_a_request_is_not_written
  IN simulator/src/schedule/schedule_words.cpp
  STATEMENT [[text += "fault " + std::string(to_string(*step.fault)) + " ";]]
  MUTATED [[]]
  TEST ScheduleText.AnyRunWithAnyFaultsIsReplayed)
mutant(subscriber_is_not_written
  IN simulator/src/schedule/schedule_words.cpp
  EXPRESSION [[step.fault == Fault::lost_message && subscriber > 0 && subscriber <= run.clients.size()]]
  MUTATED [[false]]
  TEST ScheduleSteps.WithMessagesThatAreLostToOneOfTwo)
mutant(answer_under_way_is_not_written
  IN simulator/src/schedule/schedule_words.cpp
  EXPRESSION [[around + (step.delivered || is_lost(step) ? "" : "sends ") + recorded(step)]]
  MUTATED [[around + recorded(step)]]
  TEST ScheduleText.AnyRunWithAnyFaultsIsReplayed)
mutant(lost_answers_are_written_as_lost_requests
  IN simulator/src/schedule/schedule_words.cpp
  EXPRESSION [["cut after "]]
  MUTATED [["cut before "]]
  TEST BrokenConnectionsInARun.CanBeReadAndReplayed)
mutant(end_of_a_wait_is_always_heard
  IN simulator/src/schedule/schedule_words.cpp
  EXPRESSION [[(step.delivered ? "wakes from " : "sends ")]]
  MUTATED [["wakes from "]]
  TEST ScheduleSteps.WithAnswersThatAreOnTheirWay)
mutant(write_under_way_is_not_written
  IN simulator/src/schedule/schedule_words.cpp
  STATEMENT [[return around + (step.delivered ? "" : "sends ") +
             (step.what.starts_with("write") ? "" : "write ") + step.what;]]
  MUTATED [[return around + (step.what.starts_with("write") ? "" : "write ") + step.what;]]
  TEST ScheduleText.AnyRunWithAnyFaultsIsReplayed)
mutant(late_copies_are_all_one
  IN simulator/src/schedule/schedule_words.cpp
  EXPRESSION [[(copy > 0 ? "copy " + number(copy + 1) + " " : "")]]
  MUTATED [[std::string()]]
  TEST ScheduleText.SaysWhichOfTwoEqualCopiesArrives)
mutant(task_is_not_written
  IN simulator/src/run/move_text.cpp
  STATEMENT [[if (!step.task.empty()) mover += "/" + step.task;]]
  MUTATED [[]]
  TEST ScheduleText.AnyRunWithAnyFaultsIsReplayed)
mutant(arrow_in_a_text_is_an_arrow
  IN simulator/src/base/escaped.cpp
  STATEMENT [[if (byte == '>') return at > 0 && text[at - 1] == '-';]]
  MUTATED [[]]
  TEST ScheduleText.AnyTextRoundTrips)
mutant(text_may_make_a_comment
  IN simulator/src/base/escaped.cpp
  STATEMENT [[if (byte == '#') return at == 0;]]
  MUTATED [[]]
  TEST ScheduleText.AnyTextRoundTrips)

# --- schedule_replay.cpp ------------------------------------------------------------------------

mutant(answers_of_the_text_do_not_matter
  IN simulator/src/schedule/schedule_replay.cpp
  EXPRESSION [[step == wanted]]
  MUTATED [[question_of(step) == question_of(wanted)]]
  TEST ScheduleText.ADamagedLineAnywhereIsFound)
mutant(loop_of_the_text_does_not_matter
  IN simulator/src/schedule/schedule_replay.cpp
  EXPRESSION [[schedule_.loop && !replayed.stopped]]
  MUTATED [[false]]
  TEST Lasso.IsReplayedFromItsSchedule)
mutant(end_of_the_text_does_not_matter
  IN simulator/src/schedule/schedule_replay.cpp
  EXPRESSION [[violates == schedule.violated]]
  MUTATED [[true]]
  TEST Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)

# --- schedule_text.cpp --------------------------------------------------------------------------

mutant(steps_that_are_missing_do_not_matter
  IN simulator/src/schedule/schedule_text.cpp
  EXPRESSION [[count == schedule_.length]]
  MUTATED [[true]]
  TEST Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)
mutant(step_that_violates_may_be_missing
  IN simulator/src/schedule/schedule_text.cpp
  EXPRESSION [[count >= schedule_.length]]
  MUTATED [[true]]
  TEST ScheduleText.MessagesNameTheLineAndWhatWasExpected)
mutant(another_step_may_violate_than_the_file_says
  IN simulator/src/schedule/schedule_replay.cpp
  EXPRESSION [[!step || *step + 1 == schedule.length]]
  MUTATED [[true]]
  TEST ScheduleText.TheFirstStepThatDoesNotFitIsNamed)
mutant(option_may_be_said_twice
  IN simulator/src/schedule/schedule_text.cpp
  EXPRESSION [[seen == name]]
  MUTATED [[false]]
  TEST ScheduleText.MessagesNameTheLineAndWhatWasExpected)
mutant(loop_may_begin_twice
  IN simulator/src/schedule/schedule_text.cpp
  STATEMENT [[if (schedule_.loop) return error("there is a second 'loop' or 'stuck'");]]
  MUTATED [[]]
  TEST Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)
mutant(stuck_may_have_steps_behind_it
  IN simulator/src/schedule/schedule_text.cpp
  EXPRESSION [[stuck_ && !last]]
  MUTATED [[false]]
  TEST ScheduleText.MessagesNameTheLineAndWhatWasExpected)
mutant(loop_is_written_a_step_late
  IN simulator/src/schedule/schedule_text.cpp
  EXPRESSION [[schedule.loop == at]]
  MUTATED [[schedule.loop == at + 1]]
  TEST Lasso.IsReplayedFromItsSchedule)

# --- schedule_short.cpp -------------------------------------------------------------------------

mutant(held_answer_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (action.held()) text += '-';]]
  MUTATED [[]]
  TEST ScheduleText.AnyRunWithAnyFaultsIsReplayed)
mutant(choice_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (action.choice() > 0) mark(text, '=', action.choice());]]
  MUTATED [[]]
  TEST ScheduleSteps.WithChoicesAndTasksAndRequestsThatAreLate)
mutant(task_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (action.slot() != usual_slot(action)) mark(text, '_', action.slot() + 1);]]
  MUTATED [[]]
  TEST ScheduleText.AnyRunWithAnyFaultsIsReplayed)
mutant(subscriber_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (const std::size_t subscriber = action.subscriber()) mark(text, '^', subscriber);]]
  MUTATED [[]]
  TEST ScheduleSteps.WithMessagesThatAreLostToOneOfTwo)
mutant(branch_of_a_start_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (const std::size_t branch = action.start_branch().value_or(0)) mark(text, '%', branch);]]
  MUTATED [[]]
  TEST Choices.StandInSchedules)
mutant(end_of_a_subscription_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (action.subscription_ends()) text += '~';]]
  MUTATED [[]]
  TEST Messages/InARun.TheEndOfASubscriptionIsShownAndReplayed/restart)
mutant(late_request_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (action.late()) text += '+';]]
  MUTATED [[]]
  TEST ScheduleText.AnyRunWithAnyFaultsIsReplayed)
mutant(start_alone_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (action.is(ActionKind::start)) text += '@';]]
  MUTATED [[]]
  TEST ScheduleSteps.WithChoicesAndTasksAndRequestsThatAreLate)
mutant(clock_of_a_server_is_a_clients
  IN simulator/src/schedule/schedule_short.cpp
  EXPRESSION [[kind.target == FaultTarget::clock ? kind.server_letter : kind.letter]]
  MUTATED [[kind.letter]]
  TEST ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
mutant(clock_of_a_server_goes_forward
  IN simulator/src/schedule/schedule_short.cpp
  EXPRESSION [[kind.target == FaultTarget::clock ? kind.server_letter : kind.letter]]
  MUTATED [[kind.target == FaultTarget::clock ? 'C' : kind.letter]]
  TEST ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
mutant(evicted_key_has_no_mark
  IN simulator/src/schedule/schedule_short.cpp
  STATEMENT [[if (kind.hits_one_key && action.variant() > 0) mark(text, '_', action.variant());]]
  MUTATED [[]]
  TEST ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
mutant(who_has_not_started_does_not_start
  IN simulator/src/schedule/schedule_short.cpp
  EXPRESSION [[!late && !ends && !only_starts && !no_request && not_started(*client)]]
  MUTATED [[false]]
  TEST Lasso.IsReplayedFromOneLine)
mutant(missed_writes_are_not_written_down
  IN simulator/src/schedule/schedule_words.cpp
  EXPRESSION [[kind.misses_writes && missed > 1]]
  MUTATED [[false]]
  TEST ReplicaLag.CanBeWrittenDownAndReplayed)
mutant(missed_writes_are_misread
  IN simulator/src/schedule/schedule_short.cpp
  EXPRESSION [[std::max<std::size_t>(marked('_', Action::variants), 1) - 1]]
  MUTATED [[marked('_', Action::variants)]]
  TEST ReplicaLag.CanBeWrittenDownAndReplayed)
