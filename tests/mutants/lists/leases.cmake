# Mutants of what keeps a lease, and of acquiring, renewing and releasing: see ../CMakeLists.txt.

# --- lease_protocol.cpp ---

mutant(lease_counted_from_the_reply
  IN core/src/lease_protocol.cpp
  ORIGINAL [[fencing, ttl, sent, margin_]]
  MUTATED [[fencing, ttl, time_.now(), margin_]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 2000)
mutant(renewal_counted_from_the_reply
  IN core/src/lease_protocol.cpp
  ORIGINAL [[lease.renewed(sent, margin_)]]
  MUTATED [[lease.renewed(time_.now(), margin_)]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 10000)
mutant(late_grant_is_believed
  IN core/src/lease_protocol.cpp
  ORIGINAL [[time_.now() < lease.certain_until()]]
  MUTATED [[true]]
  SEARCH late-answers
  BREAKS "never a lease is granted that has ended already"
  WITHIN 100)
mutant(grant_at_the_last_instant_is_believed
  IN core/src/lease_protocol.cpp
  ORIGINAL [[time_.now() < lease.certain_until()]]
  MUTATED [[time_.now() <= lease.certain_until()]]
  SEARCH late-answers
  BREAKS "never a lease is granted that has ended already"
  WITHIN 100)
mutant(lost_claim_is_not_tried_again
  IN core/src/lease_protocol.cpp
  ORIGINAL [[if (claimed.error().code() == Errc::indeterminate && tries_left > 0) continue;]]
  MUTATED [[]]
  SEARCH alone-lost-reply
  BREAKS "never one lost answer decides an acquire"
  WITHIN 500)
mutant(claim_again_with_another_token
  IN core/src/lease_protocol.cpp
  ORIGINAL [[send_claim(name, owner, ttl, details, asks)]]
  MUTATED [[send_claim(name, OwnerToken(owner.text() + std::to_string(tries_left)), ttl, details, asks)]]
  SEARCH alone-lost-reply
  BREAKS "never a client alone is kept out by its own claim"
  WITHIN 200)
mutant(lost_claim_then_unavailable_is_unavailable
  IN core/src/lease_protocol.cpp
  ORIGINAL [[may_be_held = may_be_held || claimed.error().code() == Errc::indeterminate;]]
  MUTATED [[may_be_held = claimed.error().code() == Errc::indeterminate;]]
  SEARCH doubted
  BREAKS "never a claim is applied and reported as not applied"
  WITHIN 200)
mutant(renewal_of_an_absent_key_is_believed
  IN core/src/lease_protocol.cpp
  ORIGINAL [[RenewOutcome(LeaseLost(LossReason::gone))]]
  MUTATED [[RenewOutcome(lease.renewed(sent, margin_))]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 5000)
mutant(second_release_is_a_loss
  IN core/src/lease_protocol.cpp
  ORIGINAL [[co_return may_be_released && !rest ? ReleaseOutcome::released : ReleaseOutcome::not_holder;]]
  MUTATED [[co_return ReleaseOutcome::not_holder;]]
  SEARCH releasing
  BREAKS "never its own release is reported as a loss"
  WITHIN 200)
mutant(release_of_anothers_is_done
  IN core/src/lease_protocol.cpp
  ORIGINAL [[co_return may_be_released && !rest ? ReleaseOutcome::released : ReleaseOutcome::not_holder;]]
  MUTATED [[co_return ReleaseOutcome::released;]]
  SEARCH lease-truth
  BREAKS "never a release is reported that has not happened"
  WITHIN 5000)
mutant(unanswered_release_is_done
  IN core/src/lease_protocol.cpp
  ORIGINAL [[if (may_be_released) co_return still_unknown(lease.name(), "releasing", released.error());]]
  MUTATED [[if (may_be_released) co_return ReleaseOutcome::released;]]
  SEARCH releasing
  BREAKS "never a release is reported that has not happened"
  WITHIN 2000)
mutant(busy_without_the_holders_ttl
  IN core/src/lease_protocol.cpp
  ORIGINAL [[AcquireOutcome(std::move(*busy))]]
  MUTATED [[AcquireOutcome(Busy(busy->holder, std::nullopt, busy->held_for))]]
  SEARCH silent-holder
  BREAKS "never a wait goes on after its time"
  WITHIN 100)

mutant(lease_that_stays_is_released
  IN core/src/lease_protocol.cpp
  ORIGINAL [[if (!rest) return send_release(lease.name(), lease.owner());]]
  MUTATED [[return send_release(lease.name(), lease.owner());]]
  CAUGHT_BY period_search_test
  TEST PeriodSearch.FourClientsAreProved)
mutant(lease_stays_for_its_ttl
  IN core/src/lease_protocol.cpp
  ORIGINAL [[lease.owner(), *rest)]]
  MUTATED [[lease.owner(), lease.ttl())]]
  CAUGHT_BY core_lease_lock_test
  TEST LeaseLockTest.ReleaseOfALeaseThatStaysLeavesItForTheRestOfItsTime)
mutant(lost_answer_means_that_a_lease_stays
  IN core/src/lease_protocol.cpp
  ORIGINAL [[may_be_released && !rest ?]]
  MUTATED [[may_be_released ?]]
  CAUGHT_BY period_search_test
  TEST Period/WithOneFault.ThreeClientsAreProved/lost_request)
mutant(renewed_lease_does_not_stay
  IN core/src/lease.cpp
  ORIGINAL [[  again.stays_until_ = stays_until_;]]
  MUTATED [[]]
  CAUGHT_BY period_search_test
  TEST PeriodSearch.ThreeClientsWhoseJobsAreRenewedAreProved)
mutant(lease_stays_a_millisecond_too_short
  IN core/src/lease.cpp
  ORIGINAL [[std::chrono::ceil<milliseconds>(stays_until_ - now)]]
  MUTATED [[std::chrono::floor<milliseconds>(stays_until_ - now)]]
  CAUGHT_BY core_lease_lock_test
  TEST LeaseLockTest.ReleaseOfALeaseThatStaysLeavesItForTheRestOfItsTime)
mutant(lease_stays_at_its_last_instant
  IN core/src/lease.cpp
  ORIGINAL [[if (stays_until_ <= now) return std::nullopt;]]
  MUTATED [[if (stays_until_ < now) return std::nullopt;]]
  CAUGHT_BY core_lease_lock_test
  TEST LeaseLockTest.ReleaseAfterTheTimeForWhichALeaseStaysFreesTheLock)
mutant(finished_release_of_a_lease_that_stays_is_believed
  IN core/src/lock_client_release.cpp
  ORIGINAL [[if (outcome && !stays)]]
  MUTATED [[if (outcome)]]
  CAUGHT_BY core_lock_client_test
  TEST Releasing.DoesNotReportALeaseAsReleasedThatWasToStayAndHasGone)

# --- lock_client.cpp ---

mutant(subscribed_and_not_tried_again
  IN core/src/lock_client.cpp
  ORIGINAL [[    co_return;
  }

  tell_waiting(*attempt, busy);
  // No message announces]]
  MUTATED [[  }

  tell_waiting(*attempt, busy);
  // No message announces]]
  SEARCH hand-over
  BREAKS "no lost wake-up on deploy"
  WITHIN 100)
mutant(waits_without_the_holders_ttl
  IN core/src/lock_client.cpp
  ORIGINAL [[Duration pause = jittered(policy_.recheck_interval);
  if (holder_ends) pause = std::min(pause, *holder_ends);]]
  MUTATED [[Duration pause = jittered(policy_.recheck_interval);]]
  SEARCH silent-holder
  BREAKS "never a wait goes on after its time"
  WITHIN 100)
mutant(waits_for_the_holders_ttl_alone
  IN core/src/lock_client.cpp
  ORIGINAL [[Duration pause = jittered(policy_.recheck_interval);
  if]]
  MUTATED [[Duration pause = Ttl::longest;
  if]]
  SEARCH removed
  BREAKS "never a wait goes on after its time"
  WITHIN 200)
mutant(in_a_queue_nobody_looks
  IN core/src/lock_client.cpp
  ORIGINAL [[std::min(until, time_.now() + jittered(policy_.recheck_interval))]]
  MUTATED [[until]]
  SEARCH removed-fair
  BREAKS "never a wait goes on after its time"
  WITHIN 500)
mutant(in_a_queue_one_looks_in_vain
  IN core/src/lock_client.cpp
  ORIGINAL [[if (!left || left->state == Remaining::Expiry::absent) co_return Heard();]]
  MUTATED [[]]
  SEARCH removed-fair
  BREAKS "never a wait goes on after its time"
  WITHIN 500)
mutant(waits_for_word_from_a_foreign_holder
  IN core/src/lock_client.cpp
  ORIGINAL [[!channel || !busy.holder.announces_release()]]
  MUTATED [[!channel]]
  SEARCH foreign-holder
  BREAKS "no lost wake-up on deploy"
  WITHIN 500)
mutant(waits_beyond_the_deadline
  IN core/src/lock_client.cpp
  ORIGINAL [[return deadline ? std::min(until, *deadline) : until;]]
  MUTATED [[return until;]]
  SEARCH limited-wait
  BREAKS "never a wait goes on after its time"
  WITHIN 100)
mutant(new_token_for_each_try
  IN core/src/lock_client.cpp
  ORIGINAL [[protocol_.try_acquire(attempt.name, attempt.owner,]]
  MUTATED [[protocol_.try_acquire(attempt.name, tokens_.fresh(),]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(lost_claim_is_not_withdrawn
  IN core/src/lock_client.cpp
  ORIGINAL [[if (lease == nullptr && (attempt.may_be_held ||]]
  MUTATED [[if (lease == nullptr && (false ||]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(lost_claim_is_forgotten
  IN core/src/lock_client.cpp
  ORIGINAL [[attempt->may_be_held = attempt->may_be_held || error.code() == Errc::indeterminate;]]
  MUTATED [[]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(withdraws_in_anothers_name
  IN core/src/lock_client.cpp
  ORIGINAL [[unconfirmed(attempt->name, attempt->owner,]]
  MUTATED [[unconfirmed(attempt->name, tokens_.fresh(),]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(cancelled_and_still_listening
  IN core/src/lock_client.cpp
  ORIGINAL [[[&] { static_cast<void>(store_.submit(interrupt)); }]]
  MUTATED [[[] {}]]
  SEARCH cancelled-wait
  BREAKS "never a wait goes on after its time"
  WITHIN 100)
mutant(cancelled_and_still_asleep
  IN core/src/lock_client.cpp
  ORIGINAL [[[&] { time_.wake(nap); }]]
  MUTATED [[[] {}]]
  SEARCH cancelled-poll
  BREAKS "never a wait goes on after its time"
  WITHIN 100)

# --- lock_client_release.cpp ---

mutant(unfinished_release_is_given_up
  IN core/src/lock_client_release.cpp
  ORIGINAL [[if (outcome || !is_out_of_reach(outcome.error())) {]]
  MUTATED [[{]]
  SEARCH finishing
  BREAKS "never a release that went on leaves the lock held"
  WITHIN 500)
mutant(release_goes_on_for_ever
  IN core/src/lock_client_release.cpp
  ORIGINAL [[instant_after(began, ttl + lease.margin())]]
  MUTATED [[TimePoint::max()]]
  SEARCH finishing
  BREAKS "never a release goes on after its lease"
  WITHIN 5000)
mutant(release_goes_on_too_briefly
  IN core/src/lock_client_release.cpp
  ORIGINAL [[instant_after(began, ttl + lease.margin())]]
  MUTATED [[began + policy_.backoff_first]]
  SEARCH finishing
  BREAKS "never a release that went on leaves the lock held"
  WITHIN 500)

# --- renewal.cpp ---

mutant(renews_after_the_release
  IN core/src/renewal.cpp
  ORIGINAL [[stopped_ = true;]]
  MUTATED [[]]
  SEARCH kept
  BREAKS "never a keeper reports something after it was stopped"
  WITHIN 100)
mutant(answer_after_the_stop_is_told
  IN core/src/renewal.cpp
  ORIGINAL [[if (stopped_) co_return;
    if (!outcome)]]
  MUTATED [[if (!outcome)]]
  SEARCH kept
  BREAKS "never a keeper reports something after it was stopped"
  WITHIN 200)
mutant(ended_lease_is_revived
  IN core/src/renewal.cpp
  ORIGINAL [[if (lease_.state(sent) == LeaseState::lost) {]]
  MUTATED [[if (false) {]]
  SEARCH kept
  BREAKS "never a renewal is sent for a lease that has ended"
  WITHIN 100)
mutant(late_renewal_is_believed
  IN core/src/renewal.cpp
  ORIGINAL [[if (!stopped_ && !lost_ && lease_.state(time_.now()) == LeaseState::lost) {]]
  MUTATED [[if (false) {]]
  SEARCH kept
  BREAKS "never a renewal is reported whose lease has ended already"
  WITHIN 500)
mutant(loss_told_by_a_reply_alone
  IN core/src/renewal.cpp
  ORIGINAL [[lose(LossReason::not_renewed_in_time);
        break;
    }]]
  MUTATED [[co_return;
    }]]
  SEARCH watched
  BREAKS "never a lease ends and its holder is not notified"
  WITHIN 100)
mutant(lost_lease_is_not_given_back
  IN core/src/renewal.cpp
  ORIGINAL [[if (refused == nullptr) static_cast<void>(co_await protocol_.release(lease_));]]
  MUTATED [[]]
  SEARCH lost-on-the-way
  BREAKS "never a lost lease keeps others out"
  WITHIN 10000)

# --- lease.cpp ---

mutant(lease_without_drift
  IN core/src/lease.cpp
  ORIGINAL [[whole - drift - fixed_]]
  MUTATED [[whole - fixed_]]
  SEARCH drifting-clock
  BREAKS "never a certain lease is not in the store"
  WITHIN 50000)
mutant(lease_without_fixed_margin
  IN core/src/lease.cpp
  ORIGINAL [[whole - drift - fixed_]]
  MUTATED [[whole - drift]]
  SEARCH drifting-clock
  BREAKS "never a certain lease is not in the store"
  WITHIN 50000)
mutant(lease_at_its_last_instant
  IN core/src/lease.cpp
  ORIGINAL [[now >= certain_until_]]
  MUTATED [[now > certain_until_]]
  SEARCH drifting-clock
  BREAKS "never a certain lease is not in the store"
  WITHIN 50000)
mutant(renewed_from_the_first_request
  IN core/src/lease.cpp
  ORIGINAL [[fencing_, ttl_, sent, margin, reserved_, others_queue_);]]
  MUTATED [[fencing_, ttl_, sent_, margin, reserved_, others_queue_);]]
  SEARCH kept
  BREAKS "never a renewal prolongs nothing"
  WITHIN 100)

# --- lock_set.cpp: several locks at once ----------------------------------------------------------

mutant(waits_for_a_lock_with_a_later_one_in_hand
  IN core/src/lock_set.cpp
  ORIGINAL [[at < first ? Duration::zero() : left]]
  MUTATED [[left]]
  CAUGHT_BY core_lock_set_test
  TEST LockSet.ABusyLockIsWaitedForWithNothingInHandAndThenTheOthersAreTried)
mutant(later_locks_are_not_waited_for
  IN core/src/lock_set.cpp
  ORIGINAL [[at < first ? Duration::zero() : left]]
  MUTATED [[Duration::zero()]]
  CAUGHT_BY lock_set_search_test
  TEST LockSetSearch.SetsAndASingleLockGetThemInTime)
mutant(each_later_lock_has_the_whole_limit
  IN core/src/lock_set.cpp
  ORIGINAL [[std::max(until - locks.now(), Duration::zero())]]
  MUTATED [[hold_and_wait]]
  CAUGHT_BY core_lock_set_test
  TEST LockSet.ARoundHasOneLimitForAllThatItWaitsForWithLocksInHand)
mutant(waits_with_the_locks_of_a_lost_round
  IN core/src/lock_set.cpp
  ORIGINAL [[    co_await locks.give_back();
    // A store]]
  MUTATED [[    // A store]]
  CAUGHT_BY lock_set_search_test
  TEST LockSetSearch.SectionsThatLastLongerThanAHoldAndWaitAreWaitedFor)
mutant(begins_with_the_first_lock_whichever_is_busy
  IN core/src/lock_set.cpp
  ORIGINAL [[first = *others ? (*others)->at : *lost;]]
  MUTATED [[first = 0;]]
  CAUGHT_BY core_lock_set_test
  TEST LockSet.ABusyLockIsWaitedForWithNothingInHandAndThenTheOthersAreTried)
mutant(locks_that_were_lost_meanwhile_are_entered
  IN core/src/lock_set.cpp
  ORIGINAL [[others && !*others && !lost;]]
  MUTATED [[others && !*others;]]
  CAUGHT_BY lock_set_search_test
  TEST LockSetSearch.LeasesThatEndMeanwhileAreNotEnteredWith)
mutant(hold_and_wait_never_grows
  IN core/src/lock_set.cpp
  ORIGINAL [[std::min(2 * hold_and_wait, policy.longest_hold_and_wait)]]
  MUTATED [[policy.first_hold_and_wait]]
  CAUGHT_BY core_lock_set_test
  TEST LockSet.HoldAndWaitDoublesWithEachRoundThatIsLostUpToItsLimit)
mutant(hold_and_wait_grows_without_end
  IN core/src/lock_set.cpp
  ORIGINAL [[std::min(2 * hold_and_wait, policy.longest_hold_and_wait)]]
  MUTATED [[2 * hold_and_wait]]
  CAUGHT_BY core_lock_set_test
  TEST LockSet.HoldAndWaitDoublesWithEachRoundThatIsLostUpToItsLimit)
mutant(one_try_tries_again
  IN core/src/lock_set.cpp
  ORIGINAL [[if (!locks.may_wait())]]
  MUTATED [[if (false)]]
  CAUGHT_BY core_lock_set_test
  TEST LockSet.IfTheCallerMayNotWaitTheFirstBusyLockIsTheAnswer)

# --- leader.cpp: elections ------------------------------------------------------------------------

mutant(word_of_an_earlier_leader_is_the_holders
  IN core/src/leader.cpp
  ORIGINAL [[  if (leader && leader->owner.text() != *(*list)[0].text()) leader.reset();
]]
  MUTATED [[]]
  CAUGHT_BY clients_test
  TEST Stores/Elections.AHolderThatHasNotProclaimedItselfIsNoLeader/memory)
mutant(anybody_proclaims
  IN core/src/leader.cpp
  ORIGINAL [[  if (*is_mine != 1) return Value(*is_mine);
]]
  MUTATED [[]]
  CAUGHT_BY clients_test
  TEST Stores/Elections.ALeaderThatHasLostItsLockProclaimsNothing/memory)
mutant(proclamation_notifies_nobody
  IN core/src/leader.cpp
  ORIGINAL [[  keyspace.publish(Channel(arguments[3]), "");
]]
  MUTATED [[]]
  CAUGHT_BY election_search_test
  TEST ElectionSearch.ALeaderThatGoesOnIsObserved)
mutant(end_of_a_dead_leaders_lease_is_not_looked_for
  IN core/src/leader.cpp
  ORIGINAL [[    if (lease_left_) wake_up]]
  MUTATED [[    if (false) wake_up]]
  CAUGHT_BY clients_test
  TEST Stores/Elections.ALeaderThatDiesIsMissedWhenItsLeaseEnds/memory)
mutant(anybody_withdraws
  IN core/src/leader.cpp
  ORIGINAL [[if (*is_mine == 1) keyspace.erase(keys[1]);]]
  MUTATED [[keyspace.erase(keys[1]);]]
  CAUGHT_BY redis_scripts_test
  TEST LeaderScripts.LuaAndNativeAgreeOnEveryReplyEveryKeyAndEveryMessage)
mutant(proclamation_is_not_repeated
  IN core/src/leader.cpp
  ORIGINAL [[constexpr int tries_max = 3;]]
  MUTATED [[constexpr int tries_max = 1;]]
  CAUGHT_BY election_search_test
  TEST Election/ProclamationThatIsNotAnswered.IsRepeated/lost_request)
