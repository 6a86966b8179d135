# Runs as text, and as one line.

# --- schedule_words.cpp -------------------------------------------------------------------------

prover_mutant(branch_of_a_start_is_not_written
  IN schedule/schedule_words.cpp
  STATEMENT [[if (branch > 0) text += "begin " + number(branch) + " ";]]
  BECOMES [[]]
  CAUGHT_BY Choices.StandInSchedules)
prover_mutant(branch_is_not_written
  IN schedule/schedule_words.cpp
  STATEMENT [[if (step.choice > 0) text += "branch " + number(step.choice) + " ";]]
  BECOMES [[]]
  CAUGHT_BY Choices.StandInSchedules)
prover_mutant(server_is_not_written
  IN schedule/schedule_words.cpp
  STATEMENT [[if (step.server > 0) text += "server " + number(step.server) + " ";]]
  BECOMES [[]]
  CAUGHT_BY ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
prover_mutant(fault_of_a_request_is_not_written
  IN schedule/schedule_words.cpp
  STATEMENT [[text += "fault " + std::string(to_string(*step.fault)) + " ";]]
  BECOMES [[]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(subscriber_is_not_written
  IN schedule/schedule_words.cpp
  EXPRESSION [[step.fault == Fault::lost_message && subscriber > 0 && subscriber <= run.clients.size()]]
  BECOMES [[false]]
  CAUGHT_BY ScheduleSteps.WithMessagesThatAreLostToOneOfTwo)
prover_mutant(answer_under_way_is_not_written
  IN schedule/schedule_words.cpp
  EXPRESSION [[around + (step.delivered || is_lost(step) ? "" : "sends ") + step.what]]
  BECOMES [[around + step.what]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(lost_answers_are_written_as_lost_requests
  IN schedule/schedule_words.cpp
  EXPRESSION [["cut after "]]
  BECOMES [["cut before "]]
  CAUGHT_BY BrokenConnectionsInARun.CanBeReadAndReplayed)
prover_mutant(end_of_a_wait_is_always_heard
  IN schedule/schedule_words.cpp
  EXPRESSION [[(step.delivered ? "wakes from " : "sends ")]]
  BECOMES [["wakes from "]]
  CAUGHT_BY ScheduleSteps.WithAnswersThatAreOnTheirWay)
prover_mutant(write_under_way_is_not_written
  IN schedule/schedule_words.cpp
  STATEMENT [[return around + (step.delivered ? "" : "sends ") +
             (step.what.starts_with("write") ? "" : "write ") + step.what;]]
  BECOMES [[return around + (step.what.starts_with("write") ? "" : "write ") + step.what;]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(late_copies_are_all_one
  IN schedule/schedule_words.cpp
  EXPRESSION [[(copy > 0 ? "copy " + number(copy + 1) + " " : "")]]
  BECOMES [[std::string()]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(task_is_not_written
  IN run/move_text.cpp
  STATEMENT [[if (!step.task.empty()) mover += "/" + step.task;]]
  BECOMES [[]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(arrow_in_a_text_is_an_arrow
  IN base/escaped.cpp
  STATEMENT [[if (byte == '>') return at > 0 && text[at - 1] == '-';]]
  BECOMES [[]]
  CAUGHT_BY ScheduleText.AnyTextRoundTrips)
prover_mutant(text_may_make_a_comment
  IN base/escaped.cpp
  STATEMENT [[if (byte == '#') return at == 0;]]
  BECOMES [[]]
  CAUGHT_BY ScheduleText.AnyTextRoundTrips)

# --- schedule_replay.cpp ------------------------------------------------------------------------

prover_mutant(answers_of_the_text_do_not_matter
  IN schedule/schedule_replay.cpp
  EXPRESSION [[choice.words == wanted]]
  BECOMES [[question_of(choice.words) == question_of(wanted)]]
  CAUGHT_BY ScheduleText.ADamagedLineAnywhereIsFound)
prover_mutant(loop_of_the_text_does_not_matter
  IN schedule/schedule_replay.cpp
  EXPRESSION [[schedule_.loop && !replayed.stopped]]
  BECOMES [[false]]
  CAUGHT_BY Lasso.IsReplayedFromItsSchedule)
prover_mutant(end_of_the_text_does_not_matter
  IN schedule/schedule_replay.cpp
  EXPRESSION [[violates == schedule.violated]]
  BECOMES [[true]]
  CAUGHT_BY Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)

# --- schedule_text.cpp --------------------------------------------------------------------------

prover_mutant(steps_that_are_missing_do_not_matter
  IN schedule/schedule_text.cpp
  EXPRESSION [[count == schedule_.length]]
  BECOMES [[true]]
  CAUGHT_BY Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)
prover_mutant(step_that_violates_may_be_missing
  IN schedule/schedule_text.cpp
  EXPRESSION [[count >= schedule_.length]]
  BECOMES [[true]]
  CAUGHT_BY ScheduleText.MessagesNameTheLineAndWhatWasExpected)
prover_mutant(another_step_may_violate_than_the_file_says
  IN schedule/schedule_replay.cpp
  EXPRESSION [[!step || *step + 1 == schedule.length]]
  BECOMES [[true]]
  CAUGHT_BY ScheduleText.TheFirstStepThatDoesNotFitIsNamed)
prover_mutant(option_may_be_said_twice
  IN schedule/schedule_text.cpp
  EXPRESSION [[seen == name]]
  BECOMES [[false]]
  CAUGHT_BY ScheduleText.MessagesNameTheLineAndWhatWasExpected)
prover_mutant(loop_may_begin_twice
  IN schedule/schedule_text.cpp
  STATEMENT [[if (schedule_.loop) return error("there is a second 'loop' or 'stuck'");]]
  BECOMES [[]]
  CAUGHT_BY Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)
prover_mutant(stuck_may_have_steps_behind_it
  IN schedule/schedule_text.cpp
  EXPRESSION [[stuck_ && !last]]
  BECOMES [[false]]
  CAUGHT_BY ScheduleText.MessagesNameTheLineAndWhatWasExpected)
prover_mutant(loop_is_written_a_step_late
  IN schedule/schedule_text.cpp
  EXPRESSION [[schedule.loop == at]]
  BECOMES [[schedule.loop == at + 1]]
  CAUGHT_BY Lasso.IsReplayedFromItsSchedule)

# --- schedule_short.cpp -------------------------------------------------------------------------

prover_mutant(held_answer_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (action.held()) text += '-';]]
  BECOMES [[]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(choice_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (action.choice() > 0) mark(text, '=', action.choice());]]
  BECOMES [[]]
  CAUGHT_BY ScheduleSteps.WithChoicesAndTasksAndRequestsThatAreLate)
prover_mutant(task_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (action.slot() != usual_slot(action)) mark(text, '_', action.slot() + 1);]]
  BECOMES [[]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(subscriber_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (const std::size_t subscriber = action.subscriber()) mark(text, '^', subscriber);]]
  BECOMES [[]]
  CAUGHT_BY ScheduleSteps.WithMessagesThatAreLostToOneOfTwo)
prover_mutant(branch_of_a_start_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (const std::size_t branch = action.start_branch().value_or(0)) mark(text, '%', branch);]]
  BECOMES [[]]
  CAUGHT_BY Choices.StandInSchedules)
prover_mutant(end_of_a_subscription_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (action.subscription_ends()) text += '~';]]
  BECOMES [[]]
  CAUGHT_BY Messages/InARun.TheEndOfASubscriptionIsShownAndReplayed/restart)
prover_mutant(late_request_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (action.late()) text += '+';]]
  BECOMES [[]]
  CAUGHT_BY ScheduleText.AnyRunWithAnyFaultsIsReplayed)
prover_mutant(start_alone_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (action.is(Action::Kind::start)) text += '@';]]
  BECOMES [[]]
  CAUGHT_BY ScheduleSteps.WithChoicesAndTasksAndRequestsThatAreLate)
prover_mutant(clock_of_a_server_is_a_clients
  IN schedule/schedule_short.cpp
  EXPRESSION [[kind.target == FaultTarget::clock ? kind.server_letter : kind.letter]]
  BECOMES [[kind.letter]]
  CAUGHT_BY ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
prover_mutant(clock_of_a_server_goes_forward
  IN schedule/schedule_short.cpp
  EXPRESSION [[kind.target == FaultTarget::clock ? kind.server_letter : kind.letter]]
  BECOMES [[kind.target == FaultTarget::clock ? 'C' : kind.letter]]
  CAUGHT_BY ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
prover_mutant(evicted_key_has_no_mark
  IN schedule/schedule_short.cpp
  STATEMENT [[if (kind.hits_one_key && action.variant() > 0) mark(text, '_', action.variant());]]
  BECOMES [[]]
  CAUGHT_BY ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
prover_mutant(who_has_not_started_does_not_start
  IN schedule/schedule_short.cpp
  EXPRESSION [[!late && !ends && !only_starts && !no_request && not_started(*client)]]
  BECOMES [[false]]
  CAUGHT_BY Lasso.IsReplayedFromOneLine)
