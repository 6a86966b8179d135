# Mutants of the program, each with the test that must fail: see ../CMakeLists.txt.

mutant(signal_only_when_the_lease_has_ended
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[graceful ? certain_until - kill_after_ : certain_until;]]
  MUTATED [[certain_until;]]
  CAUGHT_BY cli_test
  TEST LossRule.SendsTermBeforeTheLeaseCanEndAndKillWhenItCan)
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
  ORIGINAL [[if (too_many || count > longest / unit->length)]]
  MUTATED [[if (too_many)]]
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
