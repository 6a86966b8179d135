# Mutants of the client, each with the test that must fail: see ../CMakeLists.txt.

mutant(lost_and_still_certain
  IN client/src/active_lease.cpp
  ORIGINAL [[    certain_until_.store(now, std::memory_order_release);
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.ALockThatIsLostBeforeItsLeaseEndsIsCertainNoLonger)
mutant(loss_told_by_the_loop_alone
  IN client/src/client.cpp
  ORIGINAL [[if (!result.loss && !result.released_early && held->state() == LeaseState::lost)]]
  MUTATED [[if (false)]]
  CAUGHT_BY client_test
  TEST WithLock.SeesALossBeforeTheLoopReportsIt)
mutant(second_lock_is_never_rechecked
  IN client/src/queued_waiters.cpp
  ORIGINAL [[  if (next != TimePoint::max()) arm(next);
]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST BehindAFrozenWaiter.AtTwoLocksEachWaitsForTheEndOfItsOwnLocksOffer)
mutant(offer_to_the_frozen_is_waited_for_in_vain
  IN client/src/store_access.cpp
  ORIGINAL [[if (protocol(kind).has_queue()) queued_.recheck_after_offer(name, local_now());]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST BehindAFrozenWaiter.AtTwoLocksEachWaitsForTheEndOfItsOwnLocksOffer)
mutant(busy_lock_is_tried_each_time
  IN client/src/queued_waiters.cpp
  ORIGINAL [[return at != busy_until_.end() && now < at->second;]]
  MUTATED [[return false;]]
  CAUGHT_BY client_hand_over_test
  TEST Offered.AWaiterSendsTwoCommandsAndTheHolderOneWhereTheLockWasBusyAMomentAgo)
mutant(busy_lock_is_forgotten_with_those_that_are_free
  IN client/src/queued_waiters.cpp
  ORIGINAL [[    std::erase_if(busy_until_, [now](const auto& one) { return one.second <= now; });
]]
  MUTATED [[]]
  CAUGHT_BY client_parts_test
  TEST Queued.ManyLocksThatWereBusyOnceAreForgotten)
mutant(not_begun_and_called_unknown
  IN client/src/offloaded_store.cpp
  ORIGINAL [[Error(Errc::unavailable, "the client is being closed")]]
  MUTATED [[Error(Errc::indeterminate, "the client is being closed")]]
  CAUGHT_BY client_offloaded_store_test
  TEST OffloadedStore.ItsEndEndsAWaitAndMakesWhatHasNotBegunUnavailable)
mutant(renewed_on_while_it_is_released
  IN client/src/client_core_locks.cpp
  ORIGINAL [[  held->stop();
  Result<ReleaseOutcome> outcome]]
  MUTATED [[  Result<ReleaseOutcome> outcome]]
  CAUGHT_BY client_test
  TEST Client.NoRenewalFollowsARelease)
mutant(first_renewal_never_falls_due
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[    loop_.post([this, due] { arm(due); });
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.KeepsALockFarBeyondItsTtl)
mutant(second_renewal_never_falls_due
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[  if (next != TimePoint::max()) arm(next);
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.KeepsEachOfTwoLocks)
mutant(renewed_when_the_lease_before_it_would_be
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[  spare_.key() = due;
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.KeepsALockAfterOneWithALongerTtl)
mutant(loss_is_not_told_to_those_who_ask_later
  IN client/src/active_lease.cpp
  ORIGINAL [[      if (loss()) lost_.request_stop();
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Client.ALossIsToldAlsoToThoseWhoAskAfterIt)
mutant(released_twice_with_success
  IN client/src/client_core_locks.cpp
  ORIGINAL [[    case Stage::ended:
      return ReleaseOutcome::not_holder;]]
  MUTATED [[    case Stage::ended:
      return ReleaseOutcome::released;]]
  CAUGHT_BY client_test
  TEST Client.AReleaseWakesTheThreadThatWaits)
mutant(handed_the_rest_of_a_lease_that_is_not_renewed
  IN client/src/cohort.cpp
  ORIGINAL [[shares_grants(kind_of(options)) && options.renew &&]]
  MUTATED [[shares_grants(kind_of(options)) &&]]
  CAUGHT_BY client_hand_over_test
  TEST HandOver.ALeaseThatIsNotRenewedIsNeverMadeOfAnothersRest)
mutant(handed_the_rest_of_a_lease_that_is_wanted_whole
  IN client/src/cohort.cpp
  ORIGINAL [[!options.whole_ttl]]
  MUTATED [[true]]
  CAUGHT_BY client_hand_over_test
  TEST HandOver.ALeaseThatIsWantedWholeIsNeverMadeOfAnothersRest)
mutant(offered_to_a_caller_that_wants_a_lease_whole
  IN client/src/store_access.cpp
  ORIGINAL [[options.renew && !options.whole_ttl;]]
  MUTATED [[options.renew;]]
  CAUGHT_BY client_hand_over_test
  TEST HandOver.ALeaseThatIsWantedWholeIsNeverMadeOfAnothersRest)
mutant(renewed_on_by_its_keeper_after_the_release
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[if (stage != Stage::ended) take_out(entry);
  return stage;]]
  MUTATED [[if (stage != Stage::ended) take_out(entry);
  return stage == Stage::kept_alive ? Stage::scheduled : stage;]]
  CAUGHT_BY client_test
  TEST Client.NoRenewalFollowsARelease)
mutant(tokens_of_a_block_that_the_store_has_not_reserved
  IN client/src/lock_kinds.cpp
  ORIGINAL [[policy.fencing_block = std::max(policy.fencing_block, options.hand_over.sections);]]
  MUTATED [[policy.fencing_block = 1;]]
  CAUGHT_BY client_hand_over_test
  TEST HandOver.TheStoreReservesATokenForEachSection)
mutant(closing_refuses_releases_too_soon
  IN client/src/client_core_locks.cpp
  ORIGINAL [[if (!call.may_release()) return client_is_gone]]
  MUTATED [[if (!call) return client_is_gone]]
  CAUGHT_BY client_closing_test
  TEST Closing.GuardsThatEndWhileItWaitsForATaskAreReleased)
mutant(closing_leaves_callbacks_asleep
  IN client/src/client_core_locks.cpp
  ORIGINAL [[  const std::stop_callback on_close(closing, give_up);
]]
  MUTATED [[]]
  CAUGHT_BY client_closing_test
  TEST Closing.EndsTheWaitsOfCallbacks)
mutant(closing_leaves_waiters_asleep
  IN client/src/store_access.cpp
  ORIGINAL [[  const std::stop_callback on_close(calls_.close_token(), give_up);
]]
  MUTATED [[]]
  CAUGHT_BY client_closing_test
  TEST ClosingEachForItself.GivesUpTheirPlacesInTheQueue)
mutant(guard_that_is_replaced_keeps_its_lock
  IN client/src/guard.cpp
  ORIGINAL [[    let_go();
    held_ = std::move(other.held_);]]
  MUTATED [[    held_ = std::move(other.held_);]]
  CAUGHT_BY client_test
  TEST Client.AGuardReleasesWhatItHeldBeforeItHoldsAnotherLock)
mutant(as_many_connections_as_threads
  IN client/src/session_pool.cpp
  ORIGINAL [[if (open_ >= options_.connections_max) return {*this, nullptr};]]
  MUTATED [[]]
  CAUGHT_BY redis_client_connections_test
  TEST ClientConnections.AreNoMoreThanTheOptionsAllowHoweverManyThreadsThereAre)
mutant(connections_in_use_are_idle
  IN client/src/session_pool.cpp
  ORIGINAL [[session->looks = 0;]]
  MUTATED [[]]
  CAUGHT_BY redis_client_connections_test
  TEST ClientConnections.InUseAreNotClosed)
mutant(idle_connections_stay
  IN client/src/session_pool.cpp
  ORIGINAL [[return session->looks < idle_looks_until_closed;]]
  MUTATED [[return true;]]
  CAUGHT_BY redis_client_connections_test
  TEST ClientConnections.ThatAreIdleAreClosedAndMadeAgainWhenNeeded)
mutant(random_numbers_of_the_parent
  IN client/src/system_token_source.cpp
  ORIGINAL [[if (left_ < size || drawn_in_ != now) refill(now);]]
  MUTATED [[if (left_ < size) refill(now);]]
  CAUGHT_BY client_tokens_test
  TEST SystemTokens.DifferBetweenParentAndChildAfterAFork)
mutant(threads_of_waiters_that_have_gone_stay
  IN client/src/offloaded_store.cpp
  ORIGINAL [[return listener->idle_looks < idle_looks_until_closed;]]
  MUTATED [[return true;]]
  CAUGHT_BY sqlite_descriptors_test
  TEST SqliteDescriptors.AndThreadsOfABurstAreGivenBackWhenTheyAreIdle)
mutant(dropped_guard_waits_for_the_answer
  IN client/src/session_pool.cpp
  ORIGINAL [[pipelined_->wait_for_answers(false);]]
  MUTATED [[pipelined_->wait_for_answers(true);]]
  CAUGHT_BY redis_pipelined_test
  TEST OfLocks/DroppedGuards.DoNotWaitForASilentServer/Fair)
mutant(answer_is_taken_only_by_another_call
  IN client/src/session_pool.cpp
  ORIGINAL [[    if (!awaits_answer) return;]]
  MUTATED [[    return;]]
  CAUGHT_BY redis_pipelined_test
  TEST OfLocks/DroppedGuards.ReleaseAtOnceAndAreToldOfWithoutAnotherCall/Fair)
mutant(answers_are_lost_with_the_client
  IN client/src/store_access.cpp
  ORIGINAL [[  sessions_.take_answers(limit);
]]
  MUTATED [[]]
  CAUGHT_BY redis_pipelined_test
  TEST OfLocks/DroppedGuards.OfAClientThatEndsAreReleasedAndToldOfBefore/Fair)
mutant(lost_release_is_not_repeated
  IN client/src/store_access.cpp
  ORIGINAL [[      sessions_(backend, tokens_, options, loop, [this](LockKind kind, Lease lease) {
        unfinished_.add(kind, std::move(lease));
      }) {}]]
  MUTATED [[      sessions_(backend, tokens_, options, loop, [](LockKind, const Lease&) {}) {}]]
  CAUGHT_BY redis_pipelined_test
  TEST OfLocks/DroppedGuards.WhoseReleaseIsLostAreReleasedAgain/Fair)
mutant(name_of_the_machine_is_taken_as_it_is
  IN client/src/system_token_source.cpp
  ORIGINAL [[return byte <= ' ' || byte == 0x7f;]]
  MUTATED [[return byte == 0x7f;]]
  CAUGHT_BY client_tokens_test
  TEST SystemTokens.HaveNoWhiteSpaceOrControlCharacterOfTheMachinesName)
mutant(client_that_ends_waits_for_a_locked_file
  IN client/src/offloaded_store.cpp
  ORIGINAL [[    interrupt(0);
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_descriptors_test
  TEST SqliteClosing.AClientEndsAtItsLimitAlthoughTheFileIsKeptLocked)
mutant(store_that_ends_waits_for_the_file_in_its_first_request
  IN backends/sqlite/src/sqlite_store.cpp
  ORIGINAL [[    if (is_ending_) connection_->wait_no_more();
]]
  MUTATED [[]]
  CAUGHT_BY sqlite_descriptors_test
  TEST SqliteClosing.AStoreThatEndsBeforeItsFirstRequestDoesNotWaitForTheFile)
mutant(released_guard_is_released_again_by_a_task
  IN client/src/client_core_locks.cpp
  ORIGINAL [[    if (renewals_.has_ended(*held)) return;
]]
  MUTATED [[]]
  CAUGHT_BY redis_allocations_test
  TEST Allocations.OfAPairOnTheLoopAreFew)
# --- mutexes that keep their grant ---------------------------------------------------------------
mutant(kept_for_a_client_that_ends
  IN client/src/client_core.cpp
  ORIGINAL [[  release_kept(LocalQueues::Recall::for_good);
]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST KeptMutex.GivesItsGrantBackWhenItsClientEnds)
mutant(kept_for_a_mutex_that_is_gone
  IN client/src/mutex.cpp
  ORIGINAL [[if (ending->kept->begin_section(TimePoint::max()) == KeptGrant::Begins::no) {]]
  MUTATED [[if (true) { ending->guard.held_.reset();]]
  CAUGHT_BY client_hand_over_test
  TEST KeptMutex.TakesItsGrantAgainWithoutAskingTheStore)
mutant(kept_guard_that_its_user_has_moved_away
  IN client/src/mutex.cpp
  ORIGINAL [[kept && guard.held_ && kept->holds(guard.held_) && kept->keep()]]
  MUTATED [[kept && kept->keep()]]
  CAUGHT_BY client_hand_over_test
  TEST KeptMutex.DoesNotKeepWhatItsUserHasReleasedOrMovedAway)
mutant(told_of_the_loss_of_a_later_section
  IN client/src/active_lease.cpp
  ORIGINAL [[  lost_.swap(none);
]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST KeptMutex.TellsNoSectionOfTheLossOfALaterOne)
mutant(renewed_on_although_it_was_taken
  IN client/src/client_core_locks.cpp
  ORIGINAL [[  if (end_renewal(held) == Stage::kept_alive) loop_->post([lease] { lease->stop(); });
]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST KeptMutex.WhatAnotherCallerHasTakenIsNoLongerRenewedForItsKeeper)
mutant(message_recalls_nothing
  IN client/src/recalls.cpp
  ORIGINAL [[    if (*heard) on_recall_();
]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST KeptMutex.GivesItsGrantBackWhenAnotherProcessQueues)
mutant(unlocks_the_section_of_another
  IN client/src/mutex.cpp
  ORIGINAL [[while (section != nullptr && !section->is_mine()) section = section->next;]]
  MUTATED [[if (!section->is_mine()) section = latest;]]
  CAUGHT_BY client_hand_over_test
  TEST WithoutAndWithKeep/MutexSections.TheLoserSeesItsOwnLossAndLeavesItsSuccessorAlone/0)
mutant(unlocked_by_a_thread_that_has_not_locked
  IN client/src/mutex.cpp
  ORIGINAL [[if (latest == nullptr || latest->is_mine()) return latest;]]
  MUTATED [[if (latest != nullptr) return latest;]]
  CAUGHT_BY client_hand_over_test
  TEST WithoutAndWithKeep/MutexSections.AThreadWithoutASectionUnlocksNothing/0)
mutant(sections_that_were_taken_are_not_used_again
  IN client/src/mutex.cpp
  ORIGINAL [[if (!section->is_free && !was_taken) continue;]]
  MUTATED [[if (!section->is_free) continue;]]
  CAUGHT_BY client_hand_over_test
  TEST WithoutAndWithKeep/MutexSections.AGuardHasTheSamePlaceInTheNextSection/1)
mutant(kept_grant_taken_on_the_loop
  IN client/src/mutex.cpp
  ORIGINAL [[ || core.loop().on_loop_thread()]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST EndOfAKeptGrant.ALockOnTheClientsLoopIsRefusedAsWithoutOne)
mutant(end_of_a_mutex_reports_a_section_that_never_was
  IN client/src/mutex.cpp
  ORIGINAL [[if (ending->kept->begin_section(TimePoint::max()) == KeptGrant::Begins::no) {]]
  MUTATED [[if (ending->kept->begin_section(local_now()) == KeptGrant::Begins::in_time) {
      guard.held_->begin_section(ending->kept->section());
    } else {]]
  CAUGHT_BY client_hand_over_test
  TEST EndOfAKeptGrant.TheEndOfItsMutexReportsTheTokenOfItsLastSection)
mutant(certain_after_its_release
  IN client/src/client_core_locks.cpp
  ORIGINAL [[  held.begin_release();
]]
  MUTATED [[]]
  CAUGHT_BY client_hand_over_test
  TEST ReleasedGuard.IsLostAndCertainOfNothing)
mutant(recall_before_the_client_listens_is_lost
  IN client/src/recalls.cpp
  ORIGINAL [[      on_recall_();
      co_await hear(*subscribed);]]
  MUTATED [[      co_await hear(*subscribed);]]
  CAUGHT_BY client_hand_over_test
  TEST KeptMutex.GivesItsGrantBackWhenItsClientBeginsToListen)

# --- memory runs out ---

mutant(leader_without_memory_leads_for_ever
  IN client/src/cohort.cpp
  ORIGINAL [[  if (const LocalQueues::Next next = queues_of(kind).give_up(name, waiter)) notify(*next);
]]
  MUTATED [[]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemory.AnAcquireThatThrowsLeavesTheOtherCallersTheirTurn)
mutant(leading_task_without_memory_leads_for_ever
  IN client/src/cohort.cpp
  ORIGINAL [[  Result<AcquireOutcome> outcome = co_await queue.acquire(waiter, name, waiting);]]
  MUTATED [[  acquiring.has_ended();
  Result<AcquireOutcome> outcome = co_await queue.acquire(waiter, name, waiting);]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemory.ATaskThatThrowsLeavesTheOtherCallersTheirTurn)
mutant(release_without_memory_keeps_its_turn
  IN client/src/client_core_locks.cpp
  ORIGINAL [[  Result<ReleaseOutcome> outcome = release_now(held);]]
  MUTATED [[  release.has_ended();
  Result<ReleaseOutcome> outcome = release_now(held);]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemory.AReleaseThatThrowsLeavesTheOtherCallersTheirTurn)
mutant(releasing_task_without_memory_keeps_its_turn
  IN client/src/client_core_locks.cpp
  ORIGINAL [[      co_await store_.release_async(held->kind(), lease_to_release(*held));
  release.has_ended();]]
  MUTATED [[      (release.has_ended(), co_await store_.release_async(held->kind(), lease_to_release(*held)));]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemory.AReleaseInATaskThatThrowsLeavesTheOtherCallersTheirTurn)
mutant(release_without_memory_is_renewed
  IN client/src/active_lease.cpp
  ORIGINAL [[  if (is_released_.load(std::memory_order_acquire)) return stop();
]]
  MUTATED [[]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemory.AReleaseThatThrowsLeavesTheOtherCallersTheirTurn)
mutant(downgrade_without_memory_is_renewed
  IN client/src/downgrade.cpp
  ORIGINAL [[    give_back(held);
]]
  MUTATED [[]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemory.ADowngradeThatThrowsEndsTheLock)
mutant(task_without_memory_counts_for_ever
  IN client/src/task_group.cpp
  ORIGINAL [[  } catch (...) {
    has_ended();]]
  MUTATED [[  } catch (...) {]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemory.AWaitThatThrowsDoesNotKeepItsClientFromEnding)

# --- what is counted -------------------------------------------------------------------------------
mutant(wait_never_ends_in_the_count
  IN core/src/lock_client.cpp
  ORIGINAL [[  tell_wait_ended(attempt);
]]
  MUTATED [[]]
  CAUGHT_BY core_lock_client_test
  TEST Waiting.TellsThatItWaitsAgainAndOnceThatTheWaitHasEnded)
mutant(wait_is_counted_twice
  IN core/src/lock_client.cpp
  ORIGINAL [[event.again = has_told || attempt.caller_has_told_waiting;]]
  MUTATED [[event.again = has_told;]]
  CAUGHT_BY core_lock_client_test
  TEST Waiting.ACallerThatHasToldOfItsWaitTellsOfTheEndByItself)
mutant(local_wait_never_ends_in_the_count
  IN client/src/cohort.cpp
  ORIGINAL [[      if (!wait_.since_) return;
]]
  MUTATED [[      return;
]]
  CAUGHT_BY client_metrics_test
  TEST Each/WaitingCount.EndsWithItsLimit/InTheLocalQueue)
mutant(acquire_forgets_its_local_wait
  IN client/src/store_access.cpp
  ORIGINAL [[rest.wanted_since = told_waiting.value_or(began);]]
  MUTATED [[rest.wanted_since = began;]]
  CAUGHT_BY client_metrics_test
  TEST ClientMetrics.AnAcquireBeginsWithTheWaitForOtherCallersOfItsClient)
mutant(hold_ends_twice
  IN client/src/active_lease.cpp
  ORIGINAL [[if (hold_has_ended_.exchange(true, std::memory_order_acq_rel)) return std::nullopt;]]
  MUTATED [[]]
  CAUGHT_BY client_metrics_test
  TEST ClientMetrics.AHoldEndsOnceIfItIsLostAndThenReleased)
mutant(lost_and_held_in_the_count
  IN client/src/active_lease.cpp
  ORIGINAL [[  core_.report_hold_ended(*this);
]]
  MUTATED [[]]
  CAUGHT_BY client_metrics_test
  TEST ClientMetrics.AHoldEndsWithItsClient)
mutant(kept_sections_are_one_hold
  IN client/src/mutex.cpp
  ORIGINAL [[  core.report_hold_ended(lease);
]]
  MUTATED [[]]
  CAUGHT_BY client_metrics_test
  TEST ClientMetrics.EachSectionOfAKeptGrantIsAHold)
mutant(late_release_is_an_error_of_the_store
  IN core/src/lock_client_release.cpp
  ORIGINAL [[    event.loss = LossReason::gone;
]]
  MUTATED [[]]
  CAUGHT_BY client_metrics_test
  TEST ClientMetrics.AReleaseThatFindsTheLockGoneIsCountedAsSuch)
mutant(bucket_leaves_its_bound_out
  IN client/src/metric_series.cpp
  ORIGINAL [[return value <= bound.millionths;]]
  MUTATED [[return value < bound.millionths;]]
  CAUGHT_BY client_metrics_test
  TEST Metrics.SortsTimesIntoBucketsThatIncludeTheirBounds)
mutant(lowest_margin_is_the_last
  IN client/src/metric_series.cpp
  ORIGINAL [[while (share < lowest && !]]
  MUTATED [[while (!]]
  CAUGHT_BY client_metrics_test
  TEST Metrics.KeepsTheLowestShareOfALeaseThatWasLeft)
mutant(label_that_is_not_utf8
  IN client/src/metrics.cpp
  ORIGINAL [[    if (!is_utf8(lock.text())) return rest_;
]]
  MUTATED [[]]
  CAUGHT_BY client_metrics_test
  TEST Metrics.NamesBeyondTheLimitAndThoseThatAreNotUtf8AreCountedTogether)
mutant(label_breaks_its_quotes
  IN client/src/metrics_text.cpp
  ORIGINAL [[if (character == '\\' || character == '"') label += '\\';]]
  MUTATED [[]]
  CAUGHT_BY client_metrics_test
  TEST Metrics.EscapesLabels)
mutant(child_counts_for_its_parent
  IN client/src/metrics.cpp
  ORIGINAL [[  if (counts_->in_child()) return;
]]
  MUTATED [[]]
  CAUGHT_BY client_metrics_test
  TEST Metrics.InAChildOfForkNothingIsCountedOrPassedOn)
mutant(fair_locks_know_no_quarantine
  IN client/src/lock_kinds.cpp
  ORIGINAL [[policy, backend.quarantine(),]]
  MUTATED [[policy, std::nullopt,]]
  CAUGHT_BY redis_quarantine_test
  TEST Locks/Quarantined.ALongerTtlIsRefused/Fair)
mutant(fair_locks_know_no_retention
  IN client/src/lock_kinds.cpp
  ORIGINAL [[policy, backend.quarantine(),
                                backend.retention());]]
  MUTATED [[policy, backend.quarantine());]]
  CAUGHT_BY redis_retention_test
  TEST Locks/RedisRetention.OfTheUrlIsThatOfAllThatALockLeaves/Fair)
mutant(lease_that_the_loop_was_not_told_of_is_scheduled
  IN client/src/renewal_schedule.cpp
  ORIGINAL [[    take_out(*entry);
    throw;]]
  MUTATED [[    throw;]]
  CAUGHT_BY client_out_of_memory_test
  TEST OutOfMemoryAtOneAcquire.TheLocksThatFollowAreRenewedAndItsOwnIsNot)
mutant(unfair_locks_know_no_retention
  IN client/src/lock_kinds.cpp
  ORIGINAL [[options.margin, backend.quarantine(),
                                     backend.retention());]]
  MUTATED [[options.margin, backend.quarantine());]]
  CAUGHT_BY redis_retention_test
  TEST Locks/RedisRetention.OfTheUrlIsThatOfAllThatALockLeaves/Unfair)
mutant(unfair_locks_know_no_quarantine
  IN client/src/lock_kinds.cpp
  ORIGINAL [[options.margin, backend.quarantine(),]]
  MUTATED [[options.margin, std::nullopt,]]
  CAUGHT_BY redis_quarantine_test
  TEST Locks/Quarantined.ALongerTtlIsRefused/Unfair)
mutant(lock_that_stays_is_handed_over
  IN client/src/cohort.cpp
  ORIGINAL [[ && options.at_least == Duration::zero() &&]]
  MUTATED [[ &&]]
  CAUGHT_BY client_test
  TEST Locks/AtLeast.ALockIsHandedToNoOtherCallerOfTheClientBefore/Fair)
mutant(lock_does_not_stay
  IN client/src/client_core_locks.cpp
  ORIGINAL [[return lease.staying_until(held.granted() + stays + margin);]]
  MUTATED [[return lease;]]
  CAUGHT_BY client_test
  TEST Locks/AtLeast.ALockStaysHeldAfterItsRelease/Fair)
mutant(lock_stays_without_a_margin
  IN client/src/client_core_locks.cpp
  ORIGINAL [[held.granted() + stays + margin]]
  MUTATED [[held.granted() + stays]]
  CAUGHT_BY client_test
  TEST Locks/AtLeast.TheTimeThatTheHolderCountedHasAMargin/Fair)
mutant(lock_may_stay_for_less_than_nothing
  IN client/src/client_core_locks.cpp
  ORIGINAL [[  if (ranges.error()) return ranges.error();]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Locks/AtLeast.ATimeOutOfRangeIsRefused/Fair)
mutant(lock_stays_longer_than_a_quarantine
  IN client/src/client_core_locks.cpp
  ORIGINAL [[options.at_least <= quarantine->longest_ttl.duration()]]
  MUTATED [[true]]
  CAUGHT_BY redis_quarantine_test
  TEST Locks/Quarantined.ALongerStayIsRefused/Fair)
mutant(lock_stays_although_that_was_waived
  IN client/src/guard.cpp
  ORIGINAL [[  if (held_) held_->waive_stay();]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Locks/AtLeast.ALockIsFreeAfterAReleaseThatWaivesIt/Fair)
mutant(section_is_not_told_that_its_lock_was_gone
  IN client/src/client.cpp
  ORIGINAL [[    result.loss = LossReason::gone;]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST WithLock.SaysThatTheReleaseFoundTheLockGone)

# --- several locks at once, and several guards of one ---------------------------------------------

mutant(what_is_given_back_stays_held
  IN client/src/acquire_all.cpp
  ORIGINAL [[guard.waive_at_least();]]
  MUTATED [[;]]
  CAUGHT_BY client_test
  TEST Locks/AcquireAll.WhatIsGivenBackDoesNotStayHeld/Fair)
mutant(each_caller_has_an_order_of_its_own
  IN client/src/acquire_all.cpp
  ORIGINAL [[  std::sort(names.begin(), names.end());
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Locks/AcquireAll.TakesListsThatAreMadeAtRunTime/Fair)
mutant(name_that_is_given_twice_is_waited_for
  IN client/src/acquire_all.cpp
  ORIGINAL [[  names.erase(std::unique(names.begin(), names.end()), names.end());
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Locks/AcquireAll.ANameThatIsGivenTwiceCountsOnce/Fair)
mutant(each_lock_has_the_whole_wait
  IN client/src/acquire_all.cpp
  ORIGINAL [[if (!wait_ends_) return options;]]
  MUTATED [[options.wait = options_.wait; return options;]]
  CAUGHT_BY client_test
  TEST Locks/AcquireAll.WaitsWithNothingInHandUntilAllAreFree/Fair)
mutant(set_is_as_its_best_lock
  IN client/src/guard_set.cpp
  ORIGINAL [[worst = std::max(worst, each.state())]]
  MUTATED [[worst = std::min(worst, each.state())]]
  CAUGHT_BY client_test
  TEST Locks/AcquireAll.TheLossOfOneIsToldAndTheOthersStayHeld/Fair)
mutant(loss_of_one_of_several_is_not_heard
  IN client/src/guard_set.cpp
  ORIGINAL [[for (const Guard& guard : guards) callbacks_]]
  MUTATED [[for (const Guard& guard : {std::cref(guards.front())}) callbacks_]]
  CAUGHT_BY client_test
  TEST Locks/AcquireAll.TheLossOfOneIsToldAndTheOthersStayHeld/Fair)
mutant(release_of_several_tells_of_the_last_alone
  IN client/src/guard_set.cpp
  ORIGINAL [[(other && *other == ReleaseOutcome::released)]]
  MUTATED [[(one && *one == ReleaseOutcome::released)]]
  CAUGHT_BY client_test
  TEST Locks/AcquireAll.AReleaseThatFindsOneGoneSaysSo/Fair)
mutant(first_of_several_guards_releases
  IN client/src/active_lease.cpp
  ORIGINAL [[while (guards > 1)]]
  MUTATED [[while (false)]]
  CAUGHT_BY client_test
  TEST SharedGuard.TheLastReleasesTheLock)
mutant(no_guard_is_the_last
  IN client/src/active_lease.cpp
  ORIGINAL [[while (guards > 1)]]
  MUTATED [[while (guards > 0)]]
  CAUGHT_BY client_test
  TEST SharedGuard.TheLastReleasesTheLock)
mutant(released_guard_is_shared
  IN client/src/active_lease.cpp
  ORIGINAL [[  if (is_released_.load(std::memory_order_acquire)) return false;
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST SharedGuard.AGuardThatHoldsNothingSharesNothing)
mutant(guard_that_has_left_still_holds
  IN client/src/guard.cpp
  ORIGINAL [[return held_ && !has_left_ ? held_->state()]]
  MUTATED [[return held_ ? held_->state()]]
  CAUGHT_BY client_test
  TEST SharedGuard.TheLastReleasesTheLock)
mutant(guard_leaves_twice
  IN client/src/guard.cpp
  ORIGINAL [[if (!has_left_ && !held_->in_child()) has_left_]]
  MUTATED [[if (!held_->in_child()) has_left_]]
  CAUGHT_BY client_test
  TEST SharedGuard.OneThatHasBeenReleasedDoesNotCountTwice)
mutant(mutex_keeps_what_is_shared
  IN client/src/mutex.cpp
  ORIGINAL [[    if (guard.held_ && guard.held_->is_shared()) return false;
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST SharedGuard.AMutexDoesNotKeepWhatIsShared)
mutant(release_of_one_guard_is_the_loss_of_a_section
  IN client/src/client.cpp
  ORIGINAL [[  if (guard.has_left_) return result;
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST SharedGuard.ASectionMayReleaseItsGuardWhileAnotherGuardIsThere)
mutant(release_at_the_end_of_a_task_is_not_waited_for
  IN client/src/client_core_locks.cpp
  ORIGINAL [[      const UnfinishedReleases::UnderWay under_way = std::move(begun);
      static_cast<void>(co_await release);]]
  MUTATED [[      { const UnfinishedReleases::UnderWay under_way = std::move(begun); }
      static_cast<void>(co_await release);]]
  CAUGHT_BY client_closing_test
  TEST ClosingWithTasks.GuardsThatTasksDropAtTheirEndAreReleased)
mutant(thread_waits_for_itself
  IN client/src/mutex.cpp
  ORIGINAL [[  refuse_second_lock();
  ThreadSection& section]]
  MUTATED [[  ThreadSection& section]]
  CAUGHT_BY client_test
  TEST Mutex.TellsAThreadThatLocksItTwice)

# --- elections ------------------------------------------------------------------------------------

mutant(value_of_a_leader_that_resigned_is_left
  IN client/src/election.cpp
  ORIGINAL [[return interlock::withdraw(store, name_, leading.owner());]]
  MUTATED [[return interlock::withdraw(store, name_, OwnerToken("nobody"));]]
  CAUGHT_BY clients_test
  TEST Stores/Elections.ALeaderThatResignsLeavesNothingOfItsValue/memory)
mutant(value_of_any_length
  IN client/src/election.cpp
  ORIGINAL [[if (value.size() <= Leader::value_max) return std::nullopt;]]
  MUTATED [[if (!value.empty()) return std::nullopt;]]
  CAUGHT_BY clients_test
  TEST Stores/Elections.ValuesHaveAnyBytes/memory)
mutant(loop_is_not_readable_for_jobs_that_jobs_post
  IN client/src/loop.cpp
  ORIGINAL [[  if (more) posted_.notify();
]]
  MUTATED [[]]
  CAUGHT_BY client_own_loop_test
  TEST LoopWithoutAThread.IsReadableForJobsOfItsOwnThreadAndThoseThatTheyPost)
mutant(loop_is_not_readable_for_jobs_of_its_own_thread
  IN client/src/loop.cpp
  ORIGINAL [[if (!first || in_turn()) return;]]
  MUTATED [[if (!first || on_thread()) return;]]
  CAUGHT_BY client_own_loop_test
  TEST LoopWithoutAThread.IsReadableForJobsOfItsOwnThreadAndThoseThatTheyPost)
mutant(loop_keeps_the_thread_that_made_it
  IN client/src/loop.cpp
  ORIGINAL [[  turned_by_ = std::this_thread::get_id();
]]
  MUTATED [[]]
  CAUGHT_BY client_own_loop_test
  TEST LoopWithoutAThread.BelongsToTheThreadThatTurnedItLast)
mutant(end_of_a_client_without_a_thread_does_not_send_releases
  IN client/src/unfinished_releases.cpp
  ORIGINAL [[if (!tasks_.loop().has_thread()) {]]
  MUTATED [[if (false) {]]
  CAUGHT_BY client_own_loop_test
  TEST OnThisThread.AGuardThatIsDroppedJustBeforeTheClientReleasesItsLock)
mutant(reactor_is_not_told_to_turn_the_client
  IN client/src/client_core.cpp
  ORIGINAL [[  turned_by_->interest(true, false);
]]
  MUTATED [[]]
  CAUGHT_BY client_own_loop_test
  TEST OnAReactor.CallbacksRunOnItsThreadAndTheClientEndsThere)
mutant(guard_of_a_callback_connects_on_its_thread
  IN client/src/client_core_locks.cpp
  ORIGINAL [[if (held->was_acquired_by_task()) break;]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Callbacks.TheGuardThatTheyGotMakesNoConnectionForTheThreadOnWhichItEnds)
mutant(grant_with_a_note_is_kept
  IN client/src/cohort.cpp
  ORIGINAL [[ && options.note.empty();]]
  MUTATED [[;]]
  CAUGHT_BY client_test
  TEST Note.IsThatOfTheSectionAlsoInAMutexThatKeepsItsGrant)
mutant(note_of_permits_is_lost
  IN client/src/store_access.cpp
  ORIGINAL [[    end += options.permits->mark();]]
  MUTATED [[    end = options.permits->mark();]]
  CAUGHT_BY client_test
  TEST Note.StandsBesideTheMarksOfEachKindOfLock)
mutant(note_stays_behind_at_a_downgrade
  IN client/src/downgrade.cpp
  ORIGINAL [[  options.note = HolderNote::of(alone.owner());
]]
  MUTATED [[]]
  CAUGHT_BY client_test
  TEST Note.GoesAlongWithADowngrade)
mutant(note_of_any_length
  IN client/src/client_core_locks.cpp
  ORIGINAL [[HolderNote::wrong(options.note)]]
  MUTATED [[HolderNote::wrong({})]]
  CAUGHT_BY client_test
  TEST Note.ThatIsTooLongIsAnErrorThatNamesTheLock)
