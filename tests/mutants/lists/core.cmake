# Mutants of core that no search can show, each with the test that must fail: see ../CMakeLists.txt.

mutant(each_release_is_used_at_once_by_all
  IN core/src/lock_client.cpp
  ORIGINAL [[    co_await pause_after_release(attempt);
]]
  MUTATED [[]]
  CAUGHT_BY core_lock_client_test
  TEST Waiting.PausesAfterAReleaseIfItHasLostARaceBefore)
mutant(pause_after_a_release_grows_without_end
  IN core/src/lock_client.cpp
  ORIGINAL [[pause = std::min(std::max(pause * 2, first), policy_.longest_pause_after_release);]]
  MUTATED [[pause = std::max(pause * 2, first);]]
  CAUGHT_BY core_lock_client_test
  TEST Waiting.PausesAfterAReleaseForUpTo64Milliseconds)
mutant(frames_of_many_locks_are_asked_for_again
  IN core/src/task.cpp
  ORIGINAL [[std::max(always_kept, kept_for_each_in_use * in_use_)]]
  MUTATED [[always_kept]]
  CAUGHT_BY core_frame_memory_test
  TEST FrameMemory.OfManyFramesThatEndServesThoseThatBeginNext)
mutant(frames_of_many_locks_stay_when_all_have_ended
  IN core/src/task.cpp
  ORIGINAL [[if (first != nullptr) {]]
  MUTATED [[if (false) {]]
  CAUGHT_BY core_frame_memory_test
  TEST FrameMemory.OfManyFramesIsFreedWhenTheyHaveEndedButForAReserve)
mutant(offer_is_renewed_as_late_as_any_lease
  IN core/src/lease.cpp
  ORIGINAL [[is_by_offer() ? std::min(third, offer_is_renewed_after) : third]]
  MUTATED [[third]]
  CAUGHT_BY core_values_test
  TEST Lease.ByAnOfferIsRenewedSoonerThanOthers)
mutant(who_gives_up_leads_for_ever
  IN core/src/local_queue.cpp
  ORIGINAL [[  if (waiter.turn_ == Turn::leads) return move_on(at, Section::over);
]]
  MUTATED [[]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueue.WhoGivesUpLeavesTheOthersTheirTurn)
mutant(who_gives_up_waits_for_ever
  IN core/src/local_queue.cpp
  ORIGINAL [[  std::erase_if(queue.waiting, [&](const auto& other) { return other.get() == &waiter; });
  return nullptr;]]
  MUTATED [[  return nullptr;]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueue.WhoGivesUpLeavesTheOthersTheirTurn)
mutant(who_gives_up_holds_for_ever
  IN core/src/local_queue.cpp
  ORIGINAL [[  if (waiter.lease_ && holds(queue, *waiter.lease_)) return move_on(at, Section::over);
]]
  MUTATED [[]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueue.WhoGivesUpWhatItWasHandedPassesItsTurnOn)
mutant(offer_is_not_renewed_while_it_might_be_handed_over
  IN core/src/local_queue.cpp
  ORIGINAL [[lease.is_by_offer() && queue.waiting.empty()]]
  MUTATED [[false]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueue.AnOfferIsHandedOverUntilItsRenewalUnlessAnotherCallerWaits)
mutant(offer_is_renewed_although_another_caller_waits
  IN core/src/local_queue.cpp
  ORIGINAL [[lease.is_by_offer() && queue.waiting.empty()]]
  MUTATED [[lease.is_by_offer()]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueue.AnOfferIsHandedOverUntilItsRenewalUnlessAnotherCallerWaits)
mutant(kept_beyond_the_tokens_of_the_grant
  IN core/src/kept_grant.cpp
  ORIGINAL [[ || section_of(word) >= sections_) return false;]]
  MUTATED [[) return false;]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueueWithAKeeper.BeginsAsManySectionsAsTheGrantHasTokens)
mutant(kept_although_another_caller_waits
  IN core/src/local_queue.cpp
  ORIGINAL [[may_follow && queue.waiting.empty() && ]]
  MUTATED [[may_follow && ]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueueWithAKeeper.KeepsNoGrantThatOthersQueueBehindOrWaitFor)
mutant(old_grant_is_taken
  IN core/src/local_queue.cpp
  ORIGINAL [[now < queue.hand_over_until && waiter.ttl_ == queue.held->ttl()]]
  MUTATED [[waiter.ttl_ == queue.held->ttl()]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueueWithAKeeper.WhatDoesNotDoForAnotherCallerIsReleasedBeforeThatOneAsks)
mutant(grant_of_another_ttl_is_taken
  IN core/src/local_queue.cpp
  ORIGINAL [[now < queue.hand_over_until && waiter.ttl_ == queue.held->ttl()]]
  MUTATED [[now < queue.hand_over_until]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueueWithAKeeper.WhatDoesNotDoForAnotherCallerIsReleasedBeforeThatOneAsks)
mutant(recall_is_missed_while_the_leader_asks
  IN core/src/local_queue.cpp
  ORIGINAL [[queue.recalls_before = leader.recalls_before_;]]
  MUTATED [[queue.recalls_before = recalls_;]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueueWithAKeeper.ARecallReachesAGrantThatItsLeaderIsBeingGiven)
mutant(recalled_and_kept_by_the_next
  IN core/src/local_queue.cpp
  ORIGINAL [[queue.waiting.empty() && queue.recalls_before == recalls_;]]
  MUTATED [[queue.waiting.empty();]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueueWithAKeeper.ARecallHoldsForTheWholeGrant)
mutant(queue_begins_with_what_the_one_before_it_left
  IN core/src/local_queue.cpp
  ORIGINAL [[    spare_.mapped() = LocalQueue();
]]
  MUTATED [[]]
  CAUGHT_BY core_local_queue_test
  TEST LocalQueue.AFailingStoreFailsTheOneWhoLeadsAndThenTheNext)
mutant(waiters_stay_where_the_lock_was
  IN core/src/lock_client.cpp
  ORIGINAL [[attempt.wake_up && attempt.wake_up->server != store_.server_of(lock_key(attempt.name))]]
  MUTATED [[false]]
  CAUGHT_BY core_lock_client_test
  TEST Queueing.AWaiterWhoseLockHasMovedListensAtItsNewServer)
mutant(channels_of_other_servers_are_used
  IN core/src/lock_client.cpp
  ORIGINAL [[[&](const WakeUpChannel& each) { return each.server == server; }]]
  MUTATED [[[&](const WakeUpChannel&) { return server < 9; }]]
  CAUGHT_BY core_lock_client_test
  TEST Queueing.AChannelIsKeptForAWaiterAtTheSameServerAlone)
mutant(note_may_end_the_part_of_the_token_that_it_is_in
  IN core/src/holder_note.cpp
  ORIGINAL [["-._~"]]
  MUTATED [["-._~/"]]
  CAUGHT_BY core_values_test
  TEST HolderNotes.AreOneWordWithoutASlash)
mutant(note_is_read_in_tokens_of_others
  IN core/src/holder_note.cpp
  ORIGINAL [[if (!owner.announces_release()) return {};]]
  MUTATED [[]]
  CAUGHT_BY core_values_test
  TEST HolderNotes.AreNotInOtherTokens)
mutant(note_is_read_with_the_marks_behind_it
  IN core/src/holder_note.cpp
  ORIGINAL [[token = token.substr(0, token.find('/'));]]
  MUTATED [[]]
  CAUGHT_BY core_values_test
  TEST HolderNotes.StandBeforeTheMarksOfTheProtocols)
