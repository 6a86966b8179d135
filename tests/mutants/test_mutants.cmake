# The mutants that a test must catch; see caught_by_tests.cmake.

# --- the client ----------------------------------------------------------------------------------

test_mutant(lost_and_still_certain
  IN client/src/active_lease.cpp
  ORIGINAL [[    certain_until_.store(now, std::memory_order_release);
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.ALockThatIsLostBeforeItsLeaseEndsIsCertainNoLonger)
test_mutant(loss_told_by_the_loop_alone
  IN client/src/client.cpp
  ORIGINAL [[if (!result.loss && !result.released_early && held->state() == LeaseState::lost)]]
  MUTATED [[if (false)]]
  CAUGHT_BY client_test
  TEST WithLock.SeesALossBeforeTheLoopReportsIt)
test_mutant(second_lock_is_never_rechecked
  IN client/src/queued_waiters.cpp
  ORIGINAL [[  if (next != TimePoint::max()) arm(next);
]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST BehindAFrozenWaiter.AtTwoLocksEachWaitsForTheEndOfItsOwnLocksOffer)
test_mutant(offer_to_the_frozen_is_waited_for_in_vain
  IN client/src/store_access.cpp
  ORIGINAL [[if (protocol(kind).has_queue()) queued_.recheck_after_offer(name, local_now());]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST BehindAFrozenWaiter.AtTwoLocksEachWaitsForTheEndOfItsOwnLocksOffer)
test_mutant(not_begun_and_called_unknown
  IN client/src/offloaded_store.cpp
  ORIGINAL [[Error(Errc::unavailable, "the client is being closed")]]
  MUTATED [[Error(Errc::indeterminate, "the client is being closed")]]
  CAUGHT_BY client_offloaded_store_test
  TEST OffloadedStore.ItsEndEndsAWaitAndMakesWhatHasNotBegunUnavailable)
test_mutant(renewed_on_while_it_is_released
  IN client/src/client_core_locks.cpp
  ORIGINAL [[    // Renewal ends before the release is sent, so that none can follow it.
    of->stop();
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.NoRenewalFollowsARelease)
test_mutant(first_renewal_never_falls_due
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[if (is_first) loop_.post([this, due] { arm(due); });]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.KeepsALockFarBeyondItsTtl)
test_mutant(second_renewal_never_falls_due
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[  if (next != TimePoint::max()) arm(next);
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.KeepsEachOfTwoLocks)
test_mutant(released_twice_with_success
  IN client/src/client_core_locks.cpp
  ORIGINAL [[    case Stage::ended:
      return ReleaseOutcome::not_holder;]]
  MUTATED [[    case Stage::ended:
      return ReleaseOutcome::released;]]
  CAUGHT_BY client_test
  TEST Client.AReleaseWakesTheThreadThatWaits)
test_mutant(handed_the_rest_of_a_lease_that_is_not_renewed
  IN client/src/cohort.cpp
  ORIGINAL [[shares_grants(kind_of(options)) && options.renew &&]]
  MUTATED [[shares_grants(kind_of(options)) &&]]
  CAUGHT_BY client_hand_over_test
  TEST HandOver.ALeaseThatIsNotRenewedIsNeverMadeOfAnothersRest)
test_mutant(renewed_on_by_its_keeper_after_the_release
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[  if (stage != Stage::ended) entries_.erase(entry.place_);
  return stage;]]
  MUTATED [[  if (stage != Stage::ended) entries_.erase(entry.place_);
  return stage == Stage::kept_alive ? Stage::scheduled : stage;]]
  CAUGHT_BY client_test
  TEST Client.NoRenewalFollowsARelease)
test_mutant(tokens_of_a_block_that_the_store_has_not_reserved
  IN client/src/lock_kinds.cpp
  ORIGINAL [[policy.fencing_block = std::max(policy.fencing_block, options.hand_over.sections);]]
  MUTATED [[policy.fencing_block = 1;]]
  CAUGHT_BY client_hand_over_test
  TEST HandOver.TheStoreReservesATokenForEachSection)
test_mutant(closing_leaves_waiters_asleep
  IN client/src/store_access.cpp
  ORIGINAL [[  const std::stop_callback on_close(calls_.close_token(), give_up);
]]
  MUTATED [[]]
  CAUGHT_BY client_closing_test
  TEST ClosingEachForItself.GivesUpTheirPlacesInTheQueue)
test_mutant(guard_that_is_replaced_keeps_its_lock
  IN client/src/guard.cpp
  ORIGINAL [[    let_go();
    held_ = std::move(other.held_);]]
  MUTATED [[    held_ = std::move(other.held_);]]
  CAUGHT_BY client_test
  TEST Client.AGuardReleasesWhatItHeldBeforeItHoldsAnotherLock)
test_mutant(as_many_connections_as_threads
  IN client/src/session_pool.cpp
  ORIGINAL [[if (open_ >= options_.connections_max) return {*this, nullptr};]]
  MUTATED [[]]
  CAUGHT_BY redis_client_connections_test
  TEST ClientConnections.AreNoMoreThanTheOptionsAllowHoweverManyThreadsThereAre)
test_mutant(idle_connections_stay
  IN client/src/session_pool.cpp
  ORIGINAL [[return session->looks < idle_looks_until_closed;]]
  MUTATED [[return true;]]
  CAUGHT_BY redis_client_connections_test
  TEST ClientConnections.ThatAreIdleAreClosedAndMadeAgainWhenNeeded)
test_mutant(random_numbers_of_the_parent
  IN client/src/system_token_source.cpp
  ORIGINAL [[if (left_ < size || drawn_in_ != now) refill(now);]]
  MUTATED [[if (left_ < size) refill(now);]]
  CAUGHT_BY client_tokens_test
  TEST SystemTokens.DifferBetweenParentAndChildAfterAFork)
test_mutant(threads_of_waiters_that_have_gone_stay
  IN client/src/offloaded_store.cpp
  ORIGINAL [[return listener->idle_looks < idle_looks_until_closed;]]
  MUTATED [[return true;]]
  CAUGHT_BY sqlite_descriptors_test
  TEST SqliteDescriptors.AndThreadsOfABurstAreGivenBackWhenTheyAreIdle)

# --- SQLite --------------------------------------------------------------------------------------

test_mutant(journal_beside_a_file_is_played_back
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[flags, guarded_vfs())]]
  MUTATED [[flags, nullptr)]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.CannotMakeOthersDeleteAFileByAJournalBesideTheStore)
test_mutant(log_that_is_planted_meanwhile_is_believed
  IN backends/sqlite/src/guarded_vfs.cpp
  ORIGINAL [[if ((flags & SQLITE_OPEN_WAL) != 0 && !may_open_log(name)) {]]
  MUTATED [[if ((flags & SQLITE_OPEN_WAL) != 0 && name == nullptr) {]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.BelieveNoLogThatAnotherOnePutsBesideAPrivateFileMeanwhile)
test_mutant(tables_of_others_are_compiled
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[is_pinned_ ? SQLITE_DENY : SQLITE_OK;]]
  MUTATED [[is_pinned_ ? SQLITE_OK : SQLITE_OK;]]
  CAUGHT_BY sqlite_backend_test
  TEST SqliteRefusals.TablesThatAnotherProgramChangesMeanwhileAreNotUsed)
test_mutant(tables_of_others_are_taken_for_ours
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[return ours ? Contents::ours : Contents::altered;]]
  MUTATED [[return ours ? Contents::ours : Contents::ours;]]
  CAUGHT_BY sqlite_backend_test
  TEST SqliteRefusals.TablesThatAnotherProgramHasChangedAreNotUsed)
test_mutant(mode_is_changed_by_name
  IN backends/sqlite/src/file_access.cpp
  ORIGINAL [[  if (fchmod(made.get(), mode) != 0) {]]
  MUTATED [[  if (chmod(draft.c_str(), mode) != 0) {]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.DoNotChangeTheModeOfAFileToWhichAnotherOneLeadsThem)
test_mutant(root_uses_files_of_others_with_all_its_rights
  IN backends/sqlite/src/file_rights.cpp
  ORIGINAL [[if (const auto identity = lesser_identity(file)) {]]
  MUTATED [[if (const auto identity = lesser_identity(file); identity && false) {]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.LeadRootToNoFileOfItsInTheLogsPlace)
test_mutant(log_of_another_user_is_believed
  IN backends/sqlite/src/file_access.cpp
  ORIGINAL [[return (folder.st_mode & S_IWOTH) != 0 && (file.st_mode & S_IWOTH) == 0;]]
  MUTATED [[return false;]]
  CAUGHT_BY sqlite_processes_test
  TEST SeveralUsers.CannotPutALogBesideAnothersPrivateFile)
test_mutant(removed_log_is_written_on
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  if (log_files() != *log_) file_->lost_log = true;
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AHolderWhoseLogWasRemovedRenewsNothing)
test_mutant(removed_index_of_the_log_is_used_on
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  return {id_of(log_path_), id_of(index_path_)};]]
  MUTATED [[  return {id_of(log_path_), std::nullopt};]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AHolderWhoseIndexOfTheLogWasRemovedOrReplacedRenewsNothing)
test_mutant(new_connection_hides_that_the_index_was_removed
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  if (file_) file_->compare(log_files());
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.ANewStoreDoesNotShareAnIndexOfTheLogThatWasRemoved)
test_mutant(idle_connection_keeps_the_lost_log
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[database.close_with_others();]]
  MUTATED [[database.close();]]
  CAUGHT_BY sqlite_processes_test
  TEST SqliteProcesses.AHolderWhoseLogWasRemovedRenewsNothing)
test_mutant(locks_of_the_parent_for_a_child_that_has_none
  IN backends/sqlite/src/schema.cpp
  ORIGINAL [[if (has_files_of_parent()) {]]
  MUTATED [[if (false) {]]
  CAUGHT_BY fork_test
  TEST Stores/UntoldFork.WhatTheParentsBackendOpensInTheChildAnswersThatAndABackendOfItsOwnServes/sqlite)
test_mutant(descriptors_of_closed_connections_stay
  IN backends/sqlite/src/database.cpp
  ORIGINAL [[  if (file->keeps_many_descriptors()) file->close_unused();
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_descriptors_test
  TEST SqliteDescriptors.OfABurstAreGivenBackBesideALockThatIsHeld)

# --- the connections to Redis --------------------------------------------------------------------

test_mutant(room_is_made_for_any_list
  IN backends/redis/src/resp.cpp
  ORIGINAL [[  reader_->fn = bounded_functions();
]]
  MUTATED [[]]
  CAUGHT_BY redis_parts_test
  TEST AnswerReader.RefusesAListThatIsLongerThanAnyAnswerBeforeItMakesRoomForIt)
test_mutant(demoted_primary_is_kept
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[  demoted_ = demoted_ || is_of_a_replica(answer);
]]
  MUTATED [[]]
  CAUGHT_BY redis_demotion_test
  TEST Demotion/OfStores.TheRefusalIsNoAnswerForGoodAndEndsTheConnection/OnALoop)
test_mutant(same_lock_twice_in_one_command
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[return same_lock(*other, operation);]]
  MUTATED [[return false;]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.TheSameLockTwiceIsNeverInOneCommand)
test_mutant(claims_of_different_ttls_in_one_command
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[script_of(first) == script_of(operation) && same_in_common(first, operation) &&]]
  MUTATED [[script_of(first) == script_of(operation) &&]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.OnlyNeighboursOfOneKindAndTtlAreJoinedSoTheOrderStays)
test_mutant(sent_and_called_unsent
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[command.end <= handed_over ? unanswered : unsent]]
  MUTATED [[unsent]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.SilenceMakesWhatWasSentIndeterminate)
test_mutant(unsent_and_called_unknown
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[command.end <= handed_over ? unanswered : unsent]]
  MUTATED [[unanswered]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.WhatDidNotLeaveWholeIsUnavailable)
test_mutant(answered_before_it_was_sent
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[next == commands_.size() || commands_[next].end > connection_->handed_over()]]
  MUTATED [[next == commands_.size()]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.WhatDidNotLeaveWholeIsNotAnswered)
test_mutant(reply_too_many_is_the_next_answer
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (!in_flight_.empty() || connection_->is_at_rest()) return true;]]
  MUTATED [[return true;]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ThatCameLaterEndTheConnection/OnALoop)
test_mutant(reply_too_many_is_the_next_answer_of_a_blocking_store
  IN backends/redis/src/blocking_connection.cpp
  ORIGINAL [[    if (is_at_rest()) return {};
    close();]]
  MUTATED [[    return {};]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ThatCameLaterEndTheConnection/Blocking)
test_mutant(fencing_token_of_before_is_believed
  IN backends/redis/src/seen_tokens.cpp
  ORIGINAL [[is_too_small = token <= seen.last.token || token < least_;]]
  MUTATED [[is_too_small = token < least_;]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ATokenThatIsNotGreaterThanTheLastIsUnknownAndEndsTheConnection/OnALoop)
test_mutant(copy_of_a_grant_grants_another_lock
  IN backends/redis/src/seen_tokens.cpp
  ORIGINAL [[    if (is_anothers) return Verdict::of_another_lock;
]]
  MUTATED [[]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedRepliesToThreads.AGrantThatComesTwiceGrantsNoOtherLock/Blocking)
test_mutant(any_answer_confirms_a_claim
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (!is_its_own && !is_refusal)]]
  MUTATED [[if (!is_its_own && false)]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedRepliesOnALoop.OneAfterTheOtherDoNotMakeAGrantThatOfTheNextClaim/OnALoop)
test_mutant(copy_of_no_script_answers_the_script
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (command.naming == Naming::by_text) return]]
  MUTATED [[if (false) return]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ThatSayTwiceThatAScriptIsUnknownRefuseNothing/OnALoop)
test_mutant(messages_stay_at_the_server_of_before
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[  if (connected_) connected_();
]]
  MUTATED [[]]
  CAUGHT_BY redis_demotion_test
  TEST Listening.MovesToTheNewPrimaryWithTheCommands)
test_mutant(absence_of_ours_is_taken_for_silence
  IN backends/redis/src/patience.cpp
  ORIGINAL [[counted_ += absent ? (step_ + Duration{1}) / 2 : took;]]
  MUTATED [[counted_ += took;]]
  CAUGHT_BY redis_patience_test
  TEST PatienceOfASecond.OwnAbsenceIsNoSilence)
test_mutant(forgotten_script_is_a_failure
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[  if (is_unknown_script(answer)) {]]
  MUTATED [[  if (false) {]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.ScriptsThatTheServerForgotAreSentAgain)
test_mutant(message_between_two_waits_is_lost
  IN backends/redis/src/async_messages.cpp
  ORIGINAL [[    subscription.pending = true;
]]
  MUTATED [[]]
  CAUGHT_BY redis_async_test
  TEST RedisAsyncMessages.AMessageThatCameBetweenTwoWaitsIsKept)
test_mutant(new_connection_is_no_message
  IN backends/redis/src/async_messages.cpp
  ORIGINAL [[      notify(subscription);
    }]]
  MUTATED [[    }]]
  CAUGHT_BY redis_async_test
  TEST RedisAsyncMessages.ALostConnectionIsReplacedAndCountsAsAMessageToAll)
test_mutant(dead_connection_is_listened_on_for_ever
  IN backends/redis/src/async_messages.cpp
  ORIGINAL [[  ask_for_life();
  completions_.give();]]
  MUTATED [[  completions_.give();]]
  CAUGHT_BY redis_async_test
  TEST RedisAsyncMessages.AConnectionThatTheServerHasForgottenIsReplacedAfterAWaitInVain)
test_mutant(messages_of_a_blocking_store_stay_at_the_server_of_before
  IN backends/redis/src/blocking_store.cpp
  ORIGINAL [[if (is_new && messages_) messages_->leave_server();]]
  MUTATED [[]]
  CAUGHT_BY redis_demotion_test
  TEST Listening.OfABlockingStoreMovesWithTheNextWait)
test_mutant(server_that_is_away_is_asked_without_a_pause
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (auto error = back_off_.pause(Clock::now())) return refuse(*error);]]
  MUTATED [[]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.RefusalsAtTheDoorAreRejected)
test_mutant(silent_server_and_called_unavailable
  IN backends/redis/src/blocking_connection.cpp
  ORIGINAL [[return greeted ? endpoint_->no_answer(fact) : endpoint_->not_greeted(fact);]]
  MUTATED [[return endpoint_->not_greeted(fact);]]
  CAUGHT_BY redis_blocking_test
  TEST RedisBlockingConnection.AServerKilledBeforeItAnsweredIsIndeterminate)

# --- the Lua that Redis runs ---------------------------------------------------------------------
# Searches run the native halves alone.

test_mutant(token_of_the_clock_after_a_counter_ahead_of_it
  IN core/src/lua/claim.lua
  ORIGINAL [[return grant(counter_key, string.format('%.0f', previous + 1))]]
  MUTATED [[return grant(counter_key, clock)]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.FencingTokensGrowAlsoWhenTheCounterIsLostOrAhead)
test_mutant(somebody_elses_lease_renewed
  IN core/src/lua/renew.lua
  ORIGINAL [[elseif holder ~= argv[n + 1] then]]
  MUTATED [[elseif not holder then]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.LuaAndNativeAgreeOnEveryReplyAndEveryKey)
test_mutant(somebody_elses_lock_released
  IN core/src/lua/release.lua
  ORIGINAL [[if not holder or holder == argv[n] then]]
  MUTATED [[if type(holder) ~= 'table' then]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.LuaAndNativeAgreeOnEveryReplyAndEveryKey)
test_mutant(offered_to_a_waiter_that_nobody_hears
  IN core/src/lua/parts/queue.lua
  ORIGINAL [[if wake_up == '-' or call('PUBLISH', wake_up, who) > 0 then return who, mine end]]
  MUTATED [[return who, mine]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.LuaAndNativeAgreeOnEveryReplyAndEveryKey)

# --- the program ---------------------------------------------------------------------------------

test_mutant(signal_only_when_the_lease_has_ended
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[graceful ? certain_until - kill_after_ : certain_until;]]
  MUTATED [[certain_until;]]
  CAUGHT_BY cli_test
  TEST LossRule.SendsTermBeforeTheLeaseCanEndAndKillWhenItCan)
test_mutant(late_renewal_calls_the_signal_back
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[  if (!lost_since_) {
    if (!store_says_lost) {]]
  MUTATED [[  if (!killed_) {
    if (!store_says_lost) {]]
  CAUGHT_BY cli_test
  TEST LossRule.DoesNotTakeTheSignalBackForALateRenewal)
test_mutant(command_that_outlived_the_lease_had_the_lock
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[if (store_says_lost || ended >= certain_until) lost_since_ = ended;]]
  MUTATED [[if (store_says_lost) lost_since_ = ended;]]
  CAUGHT_BY cli_test
  TEST LossRule.JudgesACommandThatEndedBeforeAnybodyLooked)
test_mutant(standstill_kills_before_a_renewal
  IN cli/src/supervision/loss_rule.cpp
  ORIGINAL [[    act_at = postponed_.value_or(act_at);
]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST LossRule.GivesTheRenewalATimeAfterAStandstillWithinTheGrace)
test_mutant(command_is_killed_and_not_asked_to_end
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[      watcher_.tell_all(*step.signal);
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.SendsTermInTimeByTheLocalClockAlone)
test_mutant(stopped_command_is_asked_and_not_woken
  IN cli/src/supervision/watch.cpp
  ORIGINAL [[      // A stopped process handles a signal only after it was continued.
      ::kill(each.pid, SIGCONT);
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.WakesAStoppedCommandToEndIt)
test_mutant(watcher_never_acts_by_itself
  IN cli/src/supervision/watch.cpp
  ORIGINAL [[    alarm_.arm(*kept_until_ - local_now());
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST Watcher.EndsTheCommandWhenTheLeaseIsOverThoughNobodyAsksItTo)
test_mutant(news_of_the_end_count_for_the_end
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[end_at(TimePoint(Duration(report.at)));]]
  MUTATED [[end_at(lease_.now());]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.TellsWhenTheWatcherEndedTheCommandAndNotWhenItHeardOfThat)
test_mutant(what_is_left_behind_is_killed_at_once
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[end_left_at_ = now + rules_.grace;]]
  MUTATED [[end_left_at_ = now;]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.GivesWhatIsLeftBehindTimeToEnd)
test_mutant(started_after_the_lease_has_ended
  IN cli/src/supervision/watch.cpp
  ORIGINAL [[if (kept_until_ && local_now() >= *kept_until_)]]
  MUTATED [[if (false)]]
  CAUGHT_BY cli_supervise_test
  TEST Watcher.StartsNothingAfterTheLeaseHasEnded)
test_mutant(what_is_left_behind_is_not_asked_to_end
  IN cli/src/supervision/supervise.cpp
  ORIGINAL [[      watcher_.tell_all(SIGTERM);
]]
  MUTATED [[]]
  CAUGHT_BY cli_supervise_test
  TEST SuperviseTest.AsksWhatIsLeftBehindToEndBeforeItIsKilled)
test_mutant(process_without_a_main_thread_is_a_zombie
  IN cli/src/system/processes.cpp
  ORIGINAL [[(state == 'Z' || state == 'X') && threads <= 1;]]
  MUTATED [[(state == 'Z' || state == 'X');]]
  CAUGHT_BY cli_supervise_test
  TEST Descendants.HaveAMainThreadOrNone)
test_mutant(numbers_of_another_namespace_are_taken_for_ours
  IN cli/src/system/processes.cpp
  ORIGINAL [[  if (*ourselves == ::getpid()) return family;
  return with_our_numbers]]
  MUTATED [[  if (*ourselves != 0) return family;
  return with_our_numbers]]
  CAUGHT_BY cli_supervise_test
  TEST Descendants.HaveOurNumbersWhereProcIsOfAnotherNamespace)
test_mutant(report_replaces_a_device
  IN cli/src/system/report_file.cpp
  ORIGINAL [[if (!error && names_no_files(folder)) {]]
  MUTATED [[if (!error && folder.empty()) {]]
  CAUGHT_BY cli_test
  TEST ReportFileTest.IsRefusedWhereALinkLeadsToAnOpenFile)
test_mutant(binary_file_is_a_script
  IN cli/src/supervision/command_file.cpp
  ORIGINAL [[begin.substr(0, begin.find('\n')).find('\0') != std::string_view::npos;]]
  MUTATED [[false;]]
  CAUGHT_BY cli_test
  TEST CommandFile.IsBinaryIfANulComesBeforeALineEnds)
test_mutant(password_in_the_message
  IN cli/src/lock/store.cpp
  ORIGINAL [[url->said(without_password(text))]]
  MUTATED [[url->said(text)]]
  CAUGHT_BY cli_test
  TEST ChooseStore.NeverShowsThePasswordOfAMistypedUrl)
test_mutant(password_in_the_commands_environment
  IN cli/src/lock/store.cpp
  ORIGINAL [[  ::unsetenv(name);
]]
  MUTATED [[]]
  CAUGHT_BY cli_test
  TEST ChooseStore.HandsNoPasswordOnInTheEnvironment)
test_mutant(refused_and_called_unreachable
  IN cli/src/lock/store.cpp
  ORIGINAL [[if (contains_any(detail, access))]]
  MUTATED [[if (false)]]
  CAUGHT_BY cli_test
  TEST StoreFailure.TellsUnreachableFromRefusedFromUnfit)
test_mutant(duration_that_overflows
  IN cli/src/console/duration_text.cpp
  ORIGINAL [[if (too_many || count > longest / unit->length)]]
  MUTATED [[if (too_many)]]
  CAUGHT_BY cli_test
  TEST ParseDuration.RefusesWhatDoesNotFit)
test_mutant(environment_before_the_command_line
  IN cli/src/console/flags.cpp
  ORIGINAL [[if (flag.variable.empty() || flag.into->has_value()) continue;]]
  MUTATED [[if (flag.variable.empty()) continue;]]
  CAUGHT_BY cli_test
  TEST FlagsTest.PrefersTheFlagToTheEnvironment)
test_mutant(overrides_of_direction_reach_the_terminal
  IN cli/src/console/safe_text.cpp
  ORIGINAL [[{0x2028, 0x202e},      // separators, overrides]]
  MUTATED [[{0x2028, 0x2029},]]
  CAUGHT_BY cli_test
  TEST Printable.ReplacesWhatTurnsOrHidesText)
