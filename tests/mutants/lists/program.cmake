# Mutants of the program, each with the test that must fail: see ../CMakeLists.txt.

mutant(signal_only_when_the_lease_has_ended
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[graceful ? last - kill_after_ : last;]]
  MUTATED [[last;]]
  CAUGHT_BY cli_test
  TEST LossRule.SendsTermBeforeTheLeaseCanEndAndKillAMomentBefore)
mutant(kill_comes_as_the_lease_ends
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[on_lost_.ignored() ? certain_until : certain_until - kill_early_;]]
  MUTATED [[certain_until;]]
  CAUGHT_BY cli_test
  TEST LossRule.SendsTermBeforeTheLeaseCanEndAndKillAMomentBefore)
mutant(late_renewal_calls_the_signal_back
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[  if (!lost_since_) {
    if (!store_says_lost) {]]
  MUTATED [[  if (!killed_) {
    if (!store_says_lost) {]]
  CAUGHT_BY cli_test
  TEST LossRule.DoesNotTakeTheSignalBackForALateRenewal)
mutant(command_that_outlived_the_lease_had_the_lock
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[if (store_says_lost || ended >= certain_until) lost_since_ = ended;]]
  MUTATED [[if (store_says_lost) lost_since_ = ended;]]
  CAUGHT_BY cli_test
  TEST LossRule.JudgesACommandThatEndedBeforeAnybodyLooked)
mutant(standstill_kills_before_a_renewal
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[    act_at = postponed_.value_or(act_at);
]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST LossRule.GivesTheRenewalATimeAfterAStandstillWithinTheGrace)
mutant(command_is_killed_and_not_asked_to_end
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[      watcher_.tell_all(*step.signal);
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.SendsTermInTimeByTheLocalClockAlone)
mutant(loss_at_the_end_is_not_told
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[lease_.certain_until(), lease_.store_says_lost());
    note_loss();
]]
  MUTATED [[lease_.certain_until(), lease_.store_says_lost());
]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.SaysThatTheLockIsLostIfItIsSoAtTheEndAlone)
mutant(loss_is_told_again_and_again
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[!std::exchange(loss_noted_, true)]]
  MUTATED [[!loss_noted_]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.SaysOnceThatTheLockIsLostWhileTheCommandStillRuns)
mutant(stopped_command_is_asked_and_not_woken
  IN cli/src/supervision/watch.cpp
  ORIGINAL [[      // A stopped process handles a signal only after it was continued.
      ::kill(each.pid, SIGCONT);
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.WakesAStoppedCommandToEndIt)
mutant(watcher_never_acts_by_itself
  IN cli/src/supervision/watch.cpp
  ORIGINAL [[    alarm_.arm(in);
    watchdog_.arm(std::max(in, Duration::zero()) + late);
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST Watcher.EndsTheCommandWhenTheLeaseIsOverThoughNobodyAsksItTo)
mutant(news_of_the_end_count_for_the_end
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[end_at(TimePoint(Duration(report.at)));]]
  MUTATED [[end_at(lease_.now());]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.TellsWhenTheWatcherEndedTheCommandAndNotWhenItHeardOfThat)
mutant(what_is_left_behind_is_killed_at_once
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[end_left_at_ = now + rules_.grace;]]
  MUTATED [[end_left_at_ = now;]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.GivesWhatIsLeftBehindTimeToEnd)
mutant(started_after_the_lease_has_ended
  IN cli/src/supervision/watch.cpp
  ORIGINAL [[if (kept_until_ && local_now() >= *kept_until_)]]
  MUTATED [[if (false)]]
  CAUGHT_BY cli_supervise_test
  TEST Watcher.StartsNothingAfterTheLeaseHasEnded)
mutant(what_is_left_behind_is_not_asked_to_end
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[      watcher_.tell_all(SIGTERM);
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.AsksWhatIsLeftBehindToEndBeforeItIsKilled)
mutant(process_without_a_main_thread_is_a_zombie
  IN cli/src/system/processes.cpp
  ORIGINAL [[(state == 'Z' || state == 'X') && threads <= 1;]]
  MUTATED [[(state == 'Z' || state == 'X');]]
  CAUGHT_BY cli_supervise_test
  TEST Descendants.HaveAMainThreadOrNone)
mutant(numbers_of_another_namespace_are_taken_for_ours
  IN cli/src/system/processes.cpp
  ORIGINAL [[  if (*ourselves == ::getpid()) return family;
  return with_our_numbers]]
  MUTATED [[  if (*ourselves != 0) return family;
  return with_our_numbers]]
  CAUGHT_BY cli_supervise_test
  TEST Descendants.HaveOurNumbersWhereProcIsOfAnotherNamespace)
mutant(report_replaces_a_device
  IN cli/src/system/report_file.cpp
  ORIGINAL [[if (!error && names_no_files(folder)) {]]
  MUTATED [[if (!error && folder.empty()) {]]
  CAUGHT_BY cli_test
  TEST ReportFileTest.IsRefusedWhereALinkLeadsToAnOpenFile)
mutant(binary_file_is_a_script
  IN cli/src/supervision/command_file.cpp
  ORIGINAL [[begin.substr(0, begin.find('\n')).find('\0') != std::string_view::npos;]]
  MUTATED [[false;]]
  CAUGHT_BY cli_test
  TEST CommandFile.IsBinaryIfANulComesBeforeALineEnds)
mutant(password_in_the_message
  IN cli/src/lock/store.cpp
  ORIGINAL [[url->said(without_password(text))]]
  MUTATED [[url->said(text)]]
  CAUGHT_BY cli_test
  TEST ChooseStore.NeverShowsThePasswordOfAMistypedUrl)
mutant(password_in_the_commands_environment
  IN cli/src/lock/store.cpp
  ORIGINAL [[const std::string rest = without_login(url);]]
  MUTATED [[const std::string rest = url;]]
  CAUGHT_BY cli_test
  TEST ChooseStore.HandsTheStoreOnInTheEnvironmentButNoPassword)
mutant(command_gets_the_default_store
  IN cli/src/lock/store.cpp
  ORIGINAL [[  ::setenv(name, rest.c_str(), 1);
]]
  MUTATED [[  ::unsetenv(name);
]]
  CAUGHT_BY cli_test
  TEST ChooseStore.HandsTheStoreOnInTheEnvironmentButNoPassword)
mutant(refused_and_called_unreachable
  IN cli/src/lock/store.cpp
  ORIGINAL [[if (contains_any(detail, access))]]
  MUTATED [[if (false)]]
  CAUGHT_BY cli_test
  TEST StoreFailure.TellsUnreachableFromRefusedFromUnfit)
mutant(duration_that_overflows
  IN cli/src/console/duration_text.cpp
  ORIGINAL [[if (!count || *count > longest / unit->length)]]
  MUTATED [[if (!count)]]
  CAUGHT_BY cli_test
  TEST ParseDuration.RefusesWhatDoesNotFit)
mutant(environment_before_the_command_line
  IN cli/src/console/flags.cpp
  ORIGINAL [[if (flag.variable.empty() || flag.into->has_value()) continue;]]
  MUTATED [[if (flag.variable.empty()) continue;]]
  CAUGHT_BY cli_test
  TEST FlagsTest.PrefersTheFlagToTheEnvironment)
mutant(overrides_of_direction_reach_the_terminal
  IN core/src/safe_text.cpp
  ORIGINAL [[{0x2028, 0x202e},      // separators, overrides]]
  MUTATED [[{0x2028, 0x2029},]]
  CAUGHT_BY cli_test
  TEST Printable.ReplacesWhatTurnsOrHidesText)
mutant(ready_file_outlives_the_lease_of_a_stopped_program
  IN cli/src/lock/ready_file.cpp
  ORIGINAL [[    if (file.time_has_come()) remove_if_it_says(path, file.content());
]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST ReadyFileTest.IsRemovedAtItsTimeThoughItsProgramDoesNothing)
mutant(ready_file_goes_though_its_lock_was_renewed
  IN cli/src/lock/ready_file.cpp
  ORIGINAL [[      alarm_.arm(TimePoint(Duration(until)) - local_now());
]]
  MUTATED [[      if (content_.empty()) alarm_.arm(TimePoint(Duration(until)) - local_now());
]]
  CAUGHT_BY cli_test
  TEST ReadyFileTest.StaysIfALaterTimeIsNamedInTime)
mutant(link_in_the_place_of_a_folder_is_followed
  IN cli/src/system/report_file.cpp
  ORIGINAL [[      if (is_link_of_another(at)) return true;]]
  MUTATED [[      if (is_link_of_another(at)) return false;]]
  CAUGHT_BY cli_test
  TEST ReportFileTest.FollowsNoLinkOfAnotherUserInThePlaceOfAFolder)

mutant(parameters_are_part_of_a_files_name
  IN cli/src/lock/store.cpp
  ORIGINAL [[path.find('?') != std::string::npos]]
  MUTATED [[false]]
  CAUGHT_BY cli_test
  TEST ChooseStore.TakesNoParametersForAFile)

# --- manual and completion -------------------------------------------------------------------------
mutant(flag_of_another_tool_is_a_row_of_letters
  IN cli/src/console/flags.cpp
  ORIGINAL [[!is_long && whole.size() > 2 && foreign(whole) != nullptr]]
  MUTATED [[false]]
  CAUGHT_BY cli_test
  TEST FlagsTest.AnswersFlagsOfOtherToolsWithTheWordToUse)
mutant(control_characters_are_offered_to_a_terminal
  IN cli/src/completion/completion.cpp
  ORIGINAL [[!is_safe || !each.word.starts_with(begun)]]
  MUTATED [[!each.word.starts_with(begun)]]
  CAUGHT_BY cli_test
  TEST CompletionTest.AsksForOperandsWithTheFlagsThatWereTyped)
mutant(flags_of_the_command_are_completed_as_ours
  IN cli/src/completion/completion.cpp
  ORIGINAL [[command = word == "--" ? at + 1 : at;]]
  MUTATED [[operands.push_back(word);]]
  CAUGHT_BY cli_test
  TEST CompletionTest.LeavesTheCommandToTheShell)
mutant(bash_gets_what_it_has_already
  IN cli/src/completion/typed_line.cpp
  ORIGINAL [[if (breaks_here) kept_ = words_.back().size();]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST TypedLineTest.GivesBashWhatItReplaces)
mutant(line_of_a_page_is_a_request
  IN cli/src/manual/roff.cpp
  ORIGINAL [[return is_request ? "\\&" + line : line;]]
  MUTATED [[return line;]]
  CAUGHT_BY cli_test
  TEST RoffTest.EscapesWhatMeansSomething)

# --- metrics ---------------------------------------------------------------------------------------
mutant(lock_that_was_given_up_is_still_held
  IN cli/src/metrics/metrics_output.cpp
  ORIGINAL [[  if (is_first(ended)) count(ended);
]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST MetricsOutputTest.WritesAnEndThatTheClientHasNotReported)
mutant(end_of_a_hold_is_counted_twice
  IN cli/src/metrics/metrics_output.cpp
  ORIGINAL [[return !found->second.end.exchange(true);]]
  MUTATED [[return true;]]
  CAUGHT_BY cli_test
  TEST MetricsOutputTest.WritesAnEndThatTheClientHasNotReported)
mutant(new_connection_is_turned_away
  IN cli/src/http/http_server.cpp
  ORIGINAL [[if (connections_.size() >= connections_max) connections_.pop_front();]]
  MUTATED [[if (connections_.size() >= connections_max) return;]]
  CAUGHT_BY cli_test
  TEST HttpServerTest.ServesBesideManyThatSayNothing)
mutant(request_without_end
  IN cli/src/http/http_server.cpp
  ORIGINAL [[if (received_.size() < request_bytes_max) return true;]]
  MUTATED [[if (received_.size() < 1000 * request_bytes_max) return true;]]
  CAUGHT_BY cli_test
  TEST HttpServerTest.ReadsNoMoreOfARequestThanItsLimit)
mutant(silence_without_end
  IN cli/src/http/http_server.cpp
  ORIGINAL [[    limit_->arm(time_limit);
]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST HttpServerTest.EndsAConnectionThatSaysNothing)

mutant(page_for_any_name
  IN cli/src/lab/lab_page.cpp
  ORIGINAL [[if (!host || !names_loopback(*host)) {]]
  MUTATED [[if (!host) {]]
  CAUGHT_BY cli_test
  TEST LabPage.IsForRequestsThatNameThisMachineAlone)
# --- what the laboratory shows ------------------------------------------------------------------------
mutant(difference_is_not_aligned
  IN simulator/src/run/alignment.cpp
  ORIGINAL [[together > 0 && best(i, j)]]
  MUTATED [[best(i, j)]]
  CAUGHT_BY alignment_test
  TEST Alignment.GivesAStepThatOnlyOneRunHasARowOfItsOwn)
mutant(reply_is_cut_with_the_word
  IN render/src/text.cpp
  ORIGINAL [[return fit(word, room - width_of(reply)) + reply;]]
  MUTATED [[return whole;]]
  CAUGHT_BY draw_text_test
  TEST DrawText.KeepsEachReplyInFewColumns)

# --- top -------------------------------------------------------------------------------------------
mutant(first_look_is_a_grant
  IN cli/src/top/lock_watch.cpp
  ORIGINAL [[if (is_granted && !is_first)]]
  MUTATED [[if (is_granted)]]
  CAUGHT_BY cli_test
  TEST LockWatchTest.CountsAtMostOneGrantOfALockFromLookToLook)
mutant(grants_are_never_forgotten
  IN cli/src/top/lock_watch.cpp
  ORIGINAL [[now - known.grants.front() >= rate_window]]
  MUTATED [[false]]
  CAUGHT_BY cli_test
  TEST LockWatchTest.ForgetsTheGrantsOfMoreThanTenSecondsAgo)
mutant(top_hides_a_quarantine
  IN cli/src/top/top_text.cpp
  ORIGINAL [[  if (look.quarantine) {]]
  MUTATED [[  if (false) {]]
  CAUGHT_BY cli_test
  TEST LockWatchTest.TextBeginsWithAQuarantineAlsoWhereThereIsLittleRoom)
mutant(all_locks_are_followed
  IN cli/src/top/lock_watch.cpp
  ORIGINAL [[    if (known_.size() >= locks_max) {]]
  MUTATED [[    if (false) {]]
  CAUGHT_BY cli_test
  TEST LockWatchTest.FollowsABoundedNumberOfLocks)
mutant(quarantine_of_a_server_that_has_changed_is_not_shown
  IN cli/src/lock/inspect.cpp
  ORIGINAL [[if (!noted || noted->incarnation != *(*list)[1].text())]]
  MUTATED [[if (!noted)]]
  CAUGHT_BY cli_test
  TEST InspectLockTest.SeesForHowLongTheStoreGrantsNothing)
mutant(run_is_noted_for_another_holder
  IN cli/src/lock/last_run.cpp
  ORIGINAL [[if (!holder || holder->value != arguments[0]) return Value(0);]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST LastRunTest.ARunIsNotNotedWhenAnotherHoldsTheLock)
mutant(run_ended_in_the_future
  IN cli/src/lock/last_run.cpp
  ORIGINAL [=[std::max<std::int64_t>(0, now - numbers[0])]=]
  MUTATED [=[now - numbers[0]]=]
  CAUGHT_BY cli_test
  TEST LastRunTest.AServersClockThatWasSetBackGivesNoTimeBelowZero)
mutant(run_is_noted_without_the_retention
  IN cli/src/lock/last_run.cpp
  ORIGINAL [[retention.with(period).count()]]
  MUTATED [[period.count()]]
  CAUGHT_BY cli_test
  TEST LastRunTest.ANoteEndsAPeriodAndTheRetentionAfterTheRun)
