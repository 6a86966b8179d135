# The mutants: what is changed in which source of core, which search (searches.cpp) must find it,
# which property it must find broken, and within how many states: about twice what it takes. Keep the
# original text short, so that it survives changes that do not concern it.

# --- lease_protocol.cpp ---

mutant(lease_counted_from_the_reply
  IN lease_protocol.cpp
  ORIGINAL [[fencing, ttl, sent, margin_]]
  MUTATED [[fencing, ttl, time_.now(), margin_]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 2000)
mutant(renewal_counted_from_the_reply
  IN lease_protocol.cpp
  ORIGINAL [[lease.renewed(sent, margin_)]]
  MUTATED [[lease.renewed(time_.now(), margin_)]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 10000)
mutant(late_grant_is_believed
  IN lease_protocol.cpp
  ORIGINAL [[time_.now() < lease.certain_until()]]
  MUTATED [[true]]
  SEARCH late-answers
  BREAKS "never a lease is granted that has ended already"
  WITHIN 100)
mutant(grant_at_the_last_instant_is_believed
  IN lease_protocol.cpp
  ORIGINAL [[time_.now() < lease.certain_until()]]
  MUTATED [[time_.now() <= lease.certain_until()]]
  SEARCH late-answers
  BREAKS "never a lease is granted that has ended already"
  WITHIN 100)
mutant(lost_claim_is_not_tried_again
  IN lease_protocol.cpp
  ORIGINAL [[if (claimed.error().code() == Errc::indeterminate && tries_left > 0) continue;]]
  MUTATED [[]]
  SEARCH alone-lost-reply
  BREAKS "never one lost answer decides an acquire"
  WITHIN 500)
mutant(claim_again_with_another_token
  IN lease_protocol.cpp
  ORIGINAL [[send_claim(name, owner, ttl, wake_up, asks)]]
  MUTATED [[send_claim(name, OwnerToken(owner.text() + std::to_string(tries_left)), ttl, wake_up, asks)]]
  SEARCH alone-lost-reply
  BREAKS "never a client alone is kept out by its own claim"
  WITHIN 200)
mutant(lost_claim_then_unavailable_is_unavailable
  IN lease_protocol.cpp
  ORIGINAL [[may_be_held = may_be_held || claimed.error().code() == Errc::indeterminate;]]
  MUTATED [[may_be_held = claimed.error().code() == Errc::indeterminate;]]
  SEARCH doubted
  BREAKS "never a claim is applied and reported as not applied"
  WITHIN 200)
mutant(renewal_of_an_absent_key_is_believed
  IN lease_protocol.cpp
  ORIGINAL [[RenewOutcome(LeaseLost(LossReason::gone))]]
  MUTATED [[RenewOutcome(lease.renewed(sent, margin_))]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 5000)
mutant(second_release_is_a_loss
  IN lease_protocol.cpp
  ORIGINAL [[co_return may_be_released ? ReleaseOutcome::released : ReleaseOutcome::not_holder;]]
  MUTATED [[co_return ReleaseOutcome::not_holder;]]
  SEARCH releasing
  BREAKS "never its own release is reported as a loss"
  WITHIN 200)
mutant(release_of_anothers_is_done
  IN lease_protocol.cpp
  ORIGINAL [[co_return may_be_released ? ReleaseOutcome::released : ReleaseOutcome::not_holder;]]
  MUTATED [[co_return ReleaseOutcome::released;]]
  SEARCH lease-truth
  BREAKS "never a release is reported that has not happened"
  WITHIN 5000)
mutant(unanswered_release_is_done
  IN lease_protocol.cpp
  ORIGINAL [[if (may_be_released) co_return still_unknown(lease.name(), "releasing", released.error());]]
  MUTATED [[if (may_be_released) co_return ReleaseOutcome::released;]]
  SEARCH releasing
  BREAKS "never a release is reported that has not happened"
  WITHIN 2000)
mutant(busy_without_the_holders_ttl
  IN lease_protocol.cpp
  ORIGINAL [[AcquireOutcome(std::move(*busy))]]
  MUTATED [[AcquireOutcome(Busy(busy->holder, std::nullopt, busy->held_for))]]
  SEARCH silent-holder
  BREAKS "never a wait goes on after its time"
  WITHIN 100)

# --- lock_client.cpp ---

mutant(subscribed_and_not_tried_again
  IN lock_client.cpp
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
  IN lock_client.cpp
  ORIGINAL [[Duration pause = jittered(policy_.recheck_interval);
  if (holder_ends) pause = std::min(pause, *holder_ends);]]
  MUTATED [[Duration pause = jittered(policy_.recheck_interval);]]
  SEARCH silent-holder
  BREAKS "never a wait goes on after its time"
  WITHIN 100)
mutant(waits_for_the_holders_ttl_alone
  IN lock_client.cpp
  ORIGINAL [[Duration pause = jittered(policy_.recheck_interval);
  if]]
  MUTATED [[Duration pause = Ttl::longest;
  if]]
  SEARCH removed
  BREAKS "never a wait goes on after its time"
  WITHIN 200)
mutant(in_a_queue_nobody_looks
  IN lock_client.cpp
  ORIGINAL [[std::min(until, time_.now() + jittered(policy_.recheck_interval))]]
  MUTATED [[until]]
  SEARCH removed-fair
  BREAKS "never a wait goes on after its time"
  WITHIN 500)
mutant(in_a_queue_one_looks_in_vain
  IN lock_client.cpp
  ORIGINAL [[if (!left || left->state == Remaining::State::absent) co_return false;]]
  MUTATED [[]]
  SEARCH removed-fair
  BREAKS "never a wait goes on after its time"
  WITHIN 500)
mutant(waits_for_word_from_a_foreign_holder
  IN lock_client.cpp
  ORIGINAL [[!channel || !busy.holder.announces_release()]]
  MUTATED [[!channel]]
  SEARCH foreign-holder
  BREAKS "no lost wake-up on deploy"
  WITHIN 500)
mutant(waits_beyond_the_deadline
  IN lock_client.cpp
  ORIGINAL [[return deadline ? std::min(until, *deadline) : until;]]
  MUTATED [[return until;]]
  SEARCH limited-wait
  BREAKS "never a wait goes on after its time"
  WITHIN 100)
mutant(new_token_for_each_try
  IN lock_client.cpp
  ORIGINAL [[protocol_.try_acquire(attempt.name, attempt.owner,]]
  MUTATED [[protocol_.try_acquire(attempt.name, tokens_.fresh(),]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(lost_claim_is_not_withdrawn
  IN lock_client.cpp
  ORIGINAL [[if (lease == nullptr && (attempt.may_be_held ||]]
  MUTATED [[if (lease == nullptr && (false ||]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(lost_claim_is_forgotten
  IN lock_client.cpp
  ORIGINAL [[attempt->may_be_held = attempt->may_be_held || error.code() == Errc::indeterminate;]]
  MUTATED [[]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(withdraws_in_anothers_name
  IN lock_client.cpp
  ORIGINAL [[unconfirmed(attempt->name, attempt->owner,]]
  MUTATED [[unconfirmed(attempt->name, tokens_.fresh(),]]
  SEARCH withdrawn
  BREAKS "never a failed acquire leaves a claim that could be withdrawn"
  WITHIN 200)
mutant(cancelled_and_still_listening
  IN lock_client.cpp
  ORIGINAL [[[&] { static_cast<void>(store_.submit(interrupt)); }]]
  MUTATED [[[] {}]]
  SEARCH cancelled-wait
  BREAKS "never a wait goes on after its time"
  WITHIN 100)
mutant(cancelled_and_still_asleep
  IN lock_client.cpp
  ORIGINAL [[[&] { time_.wake(nap); }]]
  MUTATED [[[] {}]]
  SEARCH cancelled-poll
  BREAKS "never a wait goes on after its time"
  WITHIN 100)

# --- lock_client_release.cpp ---

mutant(unfinished_release_is_given_up
  IN lock_client_release.cpp
  ORIGINAL [[if (outcome || !is_out_of_reach(outcome.error())) {]]
  MUTATED [[{]]
  SEARCH finishing
  BREAKS "never a release that went on leaves the lock held"
  WITHIN 500)
mutant(release_goes_on_for_ever
  IN lock_client_release.cpp
  ORIGINAL [[instant_after(began, ttl + margin)]]
  MUTATED [[TimePoint::max()]]
  SEARCH finishing
  BREAKS "never a release goes on after its lease"
  WITHIN 5000)
mutant(release_goes_on_too_briefly
  IN lock_client_release.cpp
  ORIGINAL [[instant_after(began, ttl + margin)]]
  MUTATED [[began + policy_.backoff_first]]
  SEARCH finishing
  BREAKS "never a release that went on leaves the lock held"
  WITHIN 500)

# --- renewal.cpp ---

mutant(renews_after_the_release
  IN renewal.cpp
  ORIGINAL [[stopped_ = true;]]
  MUTATED [[]]
  SEARCH kept
  BREAKS "never a keeper reports something after it was stopped"
  WITHIN 100)
mutant(answer_after_the_stop_is_told
  IN renewal.cpp
  ORIGINAL [[if (stopped_) co_return;
    if (!outcome)]]
  MUTATED [[if (!outcome)]]
  SEARCH kept
  BREAKS "never a keeper reports something after it was stopped"
  WITHIN 200)
mutant(ended_lease_is_revived
  IN renewal.cpp
  ORIGINAL [[if (lease_.state(sent) == LeaseState::lost) {]]
  MUTATED [[if (false) {]]
  SEARCH kept
  BREAKS "never a renewal is sent for a lease that has ended"
  WITHIN 100)
mutant(late_renewal_is_believed
  IN renewal.cpp
  ORIGINAL [[if (!stopped_ && !lost_ && lease_.state(time_.now()) == LeaseState::lost) {]]
  MUTATED [[if (false) {]]
  SEARCH kept
  BREAKS "never a renewal is reported whose lease has ended already"
  WITHIN 500)
mutant(loss_told_by_a_reply_alone
  IN renewal.cpp
  ORIGINAL [[lose(LossReason::not_renewed_in_time);
        break;
    }]]
  MUTATED [[co_return;
    }]]
  SEARCH watched
  BREAKS "never a lease ends and its holder is not notified"
  WITHIN 100)
mutant(lost_lease_is_not_given_back
  IN renewal.cpp
  ORIGINAL [[if (refused == nullptr) static_cast<void>(co_await protocol_.release(lease_));]]
  MUTATED [[]]
  SEARCH lost-on-the-way
  BREAKS "never a lost lease keeps others out"
  WITHIN 10000)

# --- lease.cpp ---

mutant(lease_without_drift
  IN lease.cpp
  ORIGINAL [[whole - drift - fixed_]]
  MUTATED [[whole - fixed_]]
  SEARCH drifting-clock
  BREAKS "never a certain lease is not in the store"
  WITHIN 50000)
mutant(lease_without_fixed_margin
  IN lease.cpp
  ORIGINAL [[whole - drift - fixed_]]
  MUTATED [[whole - drift]]
  SEARCH drifting-clock
  BREAKS "never a certain lease is not in the store"
  WITHIN 50000)
mutant(lease_at_its_last_instant
  IN lease.cpp
  ORIGINAL [[now >= certain_until_]]
  MUTATED [[now > certain_until_]]
  SEARCH drifting-clock
  BREAKS "never a certain lease is not in the store"
  WITHIN 50000)
mutant(renewed_from_the_first_request
  IN lease.cpp
  ORIGINAL [[fencing_, ttl_, sent, margin, reserved_, others_queue_}]]
  MUTATED [[fencing_, ttl_, sent_, margin, reserved_, others_queue_}]]
  SEARCH kept
  BREAKS "never a renewal prolongs nothing"
  WITHIN 100)

# --- owner_scripts.cpp ---

mutant(claim_of_anothers_lock
  IN owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != owner) return busy]]
  MUTATED [[if (holder && holder->value.empty()) return busy]]
  SEARCH waiting
  BREAKS "nobody overwrites deploy while another has it"
  WITHIN 20)
mutant(claim_again_is_busy
  IN owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != owner) return busy]]
  MUTATED [[if (holder) return busy]]
  SEARCH alone-lost-reply
  BREAKS "never a client alone is kept out by its own claim"
  WITHIN 200)
mutant(claim_again_is_a_new_grant
  IN owner_scripts.cpp
  ORIGINAL [[if (holder && previous) return]]
  MUTATED [[if (false) return]]
  SEARCH alone-duplicate
  BREAKS "never one grant has two fencing tokens"
  WITHIN 500)
mutant(claim_without_expiry
  IN owner_scripts.cpp
  ORIGINAL [[keyspace.put(keys[0], Entry(owner, now + ttl));]]
  MUTATED [[keyspace.put(keys[0], Entry(owner));]]
  SEARCH waiting-crash
  BREAKS "no orphan of deploy"
  WITHIN 20000)
mutant(fencing_by_counting_alone
  IN owner_scripts.cpp
  ORIGINAL [[std::max<std::int64_t>(1, clock)]]
  MUTATED [[1]]
  SEARCH waiting-failover
  BREAKS "fencing tokens of deploy grow"
  WITHIN 50000)
mutant(fencing_by_the_clock_alone
  IN owner_scripts.cpp
  ORIGINAL [[if (previous && *previous >= fencing && *previous < largest_fencing)]]
  MUTATED [[if (false)]]
  SEARCH waiting
  BREAKS "fencing tokens of deploy grow"
  WITHIN 500)
mutant(fencing_off_by_one
  IN owner_scripts.cpp
  ORIGINAL [[*previous >= fencing]]
  MUTATED [[*previous > fencing]]
  SEARCH waiting
  BREAKS "fencing tokens of deploy grow"
  WITHIN 500)
mutant(fencing_not_raised
  IN owner_scripts.cpp
  ORIGINAL [[fencing = *previous + 1;]]
  MUTATED [[fencing = *previous;]]
  SEARCH waiting
  BREAKS "fencing tokens of deploy grow"
  WITHIN 500)
mutant(busy_prolongs_the_lock
  IN owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != owner) return busy]]
  MUTATED [[if (holder) keyspace.put(keys[0], Entry(holder->value, now + ttl));
  if (holder && holder->value != owner) return busy]]
  SEARCH waiting
  BREAKS "only the owner releases or renews deploy"
  WITHIN 100)
mutant(renewal_by_anybody
  IN owner_scripts.cpp
  ORIGINAL [[if (holder->value != arguments[0]) return Value(-1);
  const milliseconds now]]
  MUTATED [[const milliseconds now]]
  SEARCH renewing
  BREAKS "only the owner releases or renews deploy"
  WITHIN 50000)
mutant(renewal_takes_the_lock_back
  IN owner_scripts.cpp
  ORIGINAL [[if (holder->value != arguments[0]) return Value(-1);
  const milliseconds now]]
  MUTATED [[holder->value = arguments[0];
  const milliseconds now]]
  SEARCH renewing
  BREAKS "nobody overwrites deploy while another has it"
  WITHIN 50000)
mutant(renewal_makes_a_missing_key
  IN owner_scripts.cpp
  ORIGINAL [[
  auto holder = keyspace.find(keys[0]);
  if (!holder) return Value(0);]]
  MUTATED [[
  auto holder = keyspace.find(keys[0]);
  if (!holder) holder.emplace(arguments[0]);]]
  SEARCH kept
  BREAKS "never a released lock comes back"
  WITHIN 1000)
mutant(renewal_changes_nothing
  IN owner_scripts.cpp
  ORIGINAL [[keyspace.put(keys[0], std::move(*holder));]]
  MUTATED [[]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 5000)
mutant(renewal_for_ever
  IN owner_scripts.cpp
  ORIGINAL [[holder->expiry = now + parse_ms(arguments[1]);]]
  MUTATED [[holder->expiry.reset();]]
  SEARCH renewing-crash
  BREAKS "no orphan of deploy"
  WITHIN 500000)
mutant(release_by_anybody
  IN owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != arguments[0]) return Value(-1);
  if (holder) keyspace.erase]]
  MUTATED [[if (holder) keyspace.erase]]
  SEARCH waiting
  BREAKS "only the owner releases or renews deploy"
  WITHIN 5000)
mutant(release_in_silence
  IN owner_scripts.cpp
  ORIGINAL [[keyspace.publish(Channel(arguments[1]), "");]]
  MUTATED [[]]
  SEARCH waiting
  BREAKS "no lost wake-up on deploy"
  WITHIN 5000)
mutant(release_of_a_key_that_is_gone_tells_nobody
  IN owner_scripts.cpp
  ORIGINAL [[keyspace.publish(Channel(arguments[1]), "");]]
  MUTATED [[if (holder) keyspace.publish(Channel(arguments[1]), "");]]
  SEARCH removed-and-released
  BREAKS "never a wait goes on after its time"
  WITHIN 200)
mutant(release_keeps_the_key
  IN owner_scripts.cpp
  ORIGINAL [[if (holder) keyspace.erase(keys[0]);]]
  MUTATED [[]]
  SEARCH releasing
  BREAKS "never a release is reported that has not happened"
  WITHIN 100)

# --- script.cpp ---

mutant(release_told_on_another_channel
  IN script.cpp
  ORIGINAL [[write_release_channel(operation_.key, memory_);]]
  MUTATED [[memory_ = operation_.key.text();]]
  SEARCH waiting
  BREAKS "no lost wake-up on deploy"
  WITHIN 5000)
mutant(ttl_of_a_claim_in_the_wrong_unit
  IN script.cpp
  ORIGINAL [[std::to_string(operation_.ttl->count())]]
  MUTATED [[std::to_string(operation_.ttl->count() / 1000)]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 100)

# --- key_value_store.cpp ---

mutant(fencing_token_is_not_read
  IN key_value_store.cpp
  ORIGINAL [[FencingToken(static_cast<std::uint64_t>(*fencing))]]
  MUTATED [[FencingToken(1)]]
  SEARCH waiting
  BREAKS "no stale write to database after a newer one"
  WITHIN 2000)
mutant(others_lock_counts_as_mine
  IN key_value_store.cpp
  ORIGINAL [[return OwnerCheck::other;]]
  MUTATED [[return OwnerCheck::done;]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 10000)
mutant(absent_lock_counts_as_mine
  IN key_value_store.cpp
  ORIGINAL [[return OwnerCheck::absent;]]
  MUTATED [[return OwnerCheck::done;]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 5000)
mutant(remaining_and_held_for_exchanged
  IN key_value_store.cpp
  ORIGINAL [[unless_negative(*remaining), unless_negative(*held_for)]]
  MUTATED [[unless_negative(*held_for), unless_negative(*remaining)]]
  SEARCH silent-holder
  BREAKS "never a wait goes on after its time"
  WITHIN 100)

# --- local_queue.cpp ---

mutant(handed_over_with_the_same_token
  IN local_queue.cpp
  ORIGINAL [[= over.next();]]
  MUTATED [[= over;]]
  SEARCH local-queues
  BREAKS "never a section of a process has no greater token"
  WITHIN 2000)
mutant(handed_over_however_old
  IN local_queue.cpp
  ORIGINAL [[!in_time || ]]
  MUTATED [[]]
  SEARCH local-queue-of-long-sections
  BREAKS "never a lock is handed over with an old lease"
  WITHIN 100)
mutant(handed_over_until_the_lease_ends
  IN local_queue.cpp
  ORIGINAL [[lifetime / 100 * policy_.lease_percent]]
  MUTATED [[lifetime]]
  SEARCH local-queue-of-long-sections
  BREAKS "never a lock is handed over with an old lease"
  WITHIN 100)
mutant(handed_over_to_a_caller_that_asks_for_another_ttl
  IN local_queue.cpp
  ORIGINAL [[queue.left > 0 && same_ttl]]
  MUTATED [[queue.left > 0]]
  SEARCH local-queue-of-two-ttls
  BREAKS "never a section has a lease of another ttl than it asked for"
  WITHIN 100)
mutant(handed_over_and_not_called
  IN local_queue.cpp
  ORIGINAL [[  notify(next.holds);
]]
  MUTATED [[]]
  SEARCH local-queue-of-three
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(handed_over_for_the_last_time_and_nobody_leads
  IN local_queue.cpp
  ORIGINAL [[  notify(next.leads);
]]
  MUTATED [[]]
  SEARCH local-queue-of-three
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(granted_for_one_section_and_nobody_leads
  IN local_queue.cpp
  ORIGINAL [[notify(queues_.granted(*lease, *waiter, time_.now()));]]
  MUTATED [[static_cast<void>(queues_.granted(*lease, *waiter, time_.now()));]]
  SEARCH local-queue-without-hand-over
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(moved_on_to_nobody
  IN local_queue.cpp
  ORIGINAL [[if (queue.waiting.empty()) {]]
  MUTATED [[if (true) {]]
  SEARCH local-queue-without-hand-over
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(led_in_vain_and_nobody_leads
  IN local_queue.cpp
  ORIGINAL [[  } else {
    notify(queues_.got_nothing(name));]]
  MUTATED [[  } else {
    static_cast<void>(queues_.got_nothing(name));]]
  SEARCH local-queue-with-one-who-leads-in-vain
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 300)
mutant(released_and_not_passed_on
  IN local_queue.cpp
  ORIGINAL [[  notify(queues_.pass_on(lease, LocalQueues::Section::over));
]]
  MUTATED [[]]
  SEARCH local-queue-of-long-sections
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)
mutant(who_gave_up_stays_in_line
  IN local_queue.cpp
  ORIGINAL [[std::erase_if(queues_.at(name).waiting,
                [&](const auto& other) { return other.get() == &waiter; });]]
  MUTATED [[]]
  SEARCH local-queue-with-one-who-gives-up
  BREAKS "never a thread waits for a lock that nobody holds"
  WITHIN 100)

include("${CMAKE_CURRENT_LIST_DIR}/queue_mutants.cmake")
