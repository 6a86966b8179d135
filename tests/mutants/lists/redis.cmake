# Mutants of the connections to Redis, each with the test that must fail: see ../CMakeLists.txt.

mutant(room_is_made_for_any_list
  IN backends/redis/src/resp.cpp
  ORIGINAL [[  reader_->fn = bounded_functions();
]]
  MUTATED [[]]
  CAUGHT_BY redis_parts_test
  TEST AnswerReader.RefusesAListThatIsLongerThanAnyAnswerBeforeItMakesRoomForIt)
mutant(demoted_primary_is_kept
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[  demoted_ = demoted_ || is_of_a_replica(answer);
]]
  MUTATED [[]]
  CAUGHT_BY redis_demotion_test
  TEST Demotion/OfStores.TheRefusalIsNoAnswerForGoodAndEndsTheConnection/OnALoop)
mutant(same_lock_twice_in_one_command
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[std::find(joining_locks_.begin(), joining_locks_.end(), lock) == joining_locks_.end()]]
  MUTATED [[true]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.TheSameLockTwiceIsNeverInOneCommand)
mutant(claims_of_different_ttls_in_one_command
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[ && same_in_common(first, operation)]]
  MUTATED [[]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.OnlyNeighboursOfOneKindAndTtlAreJoinedSoTheOrderStays)
mutant(sent_and_called_unsent
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[command.end <= handed_over ? unanswered : unsent]]
  MUTATED [[unsent]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.SilenceMakesWhatWasSentIndeterminate)
mutant(unsent_and_called_unknown
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[command.end <= handed_over ? unanswered : unsent]]
  MUTATED [[unanswered]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.WhatDidNotLeaveWholeIsUnavailable)
mutant(answered_before_it_was_sent
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[next == commands_.size() || commands_[next].end > connection_->handed_over()]]
  MUTATED [[next == commands_.size()]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.WhatDidNotLeaveWholeIsNotAnswered)
mutant(reply_too_many_is_the_next_answer
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (!in_flight_.empty() || connection_->is_at_rest()) return true;]]
  MUTATED [[return true;]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ThatCameLaterEndTheConnection/OnALoop)
mutant(reply_too_many_is_the_next_answer_of_a_blocking_store
  IN backends/redis/src/blocking_connection.cpp
  ORIGINAL [[    const Result<bool> is_usable = is_at_rest() ? leads_to_primary() : Result<bool>(false);]]
  MUTATED [[    const Result<bool> is_usable(true);]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ThatCameLaterEndTheConnection/Blocking)
mutant(fencing_token_of_before_is_believed
  IN backends/redis/src/seen_tokens.cpp
  ORIGINAL [[is_too_small = token <= seen.last.token || token < least_;]]
  MUTATED [[is_too_small = token < least_;]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ATokenThatIsNotGreaterThanTheLastIsUnknownAndEndsTheConnection/OnALoop)
mutant(copy_of_a_grant_grants_another_lock
  IN backends/redis/src/seen_tokens.cpp
  ORIGINAL [[    if (is_anothers) return Judgement::of_another_lock;
]]
  MUTATED [[]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedRepliesToThreads.AGrantThatComesTwiceGrantsNoOtherLock/Blocking)
mutant(any_answer_confirms_a_claim
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (!is_its_own && !is_refusal)]]
  MUTATED [[if (!is_its_own && false)]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedRepliesOnALoop.OneAfterTheOtherDoNotMakeAGrantThatOfTheNextClaim/OnALoop)
mutant(copy_of_no_script_answers_the_script
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (command.naming == Naming::by_text) return]]
  MUTATED [[if (false) return]]
  CAUGHT_BY redis_unasked_replies_test
  TEST OfStores/UnaskedReplies.ThatSayTwiceThatAScriptIsUnknownRefuseNothing/OnALoop)
mutant(messages_stay_at_the_server_of_before
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[  if (connected_) connected_();
]]
  MUTATED [[]]
  CAUGHT_BY redis_demotion_test
  TEST Listening.MovesToTheNewPrimaryWithTheCommands)
mutant(absence_of_ours_is_taken_for_silence
  IN backends/redis/src/patience.cpp
  ORIGINAL [[counted_ += absent ? (step_ + Duration{1}) / 2 : took;]]
  MUTATED [[counted_ += took;]]
  CAUGHT_BY redis_patience_test
  TEST PatienceOfASecond.OwnAbsenceIsNoSilence)
mutant(forgotten_script_is_a_failure
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[  if (is_unknown_script(answer)) {]]
  MUTATED [[  if (false) {]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.ScriptsThatTheServerForgotAreSentAgain)
mutant(message_between_two_waits_is_lost
  IN backends/redis/src/async_messages.cpp
  ORIGINAL [[    subscription.pending = std::move(with);
]]
  MUTATED [[]]
  CAUGHT_BY redis_async_test
  TEST RedisAsyncMessages.AMessageThatCameBetweenTwoWaitsIsKept)
mutant(new_connection_is_no_message
  IN backends/redis/src/async_messages.cpp
  ORIGINAL [[      notify(subscription, yes_or_no(true));
    }]]
  MUTATED [[    }]]
  CAUGHT_BY redis_async_test
  TEST RedisAsyncMessages.ALostConnectionIsReplacedAndCountsAsAMessageToAll)
mutant(dead_connection_is_listened_on_for_ever
  IN backends/redis/src/async_messages.cpp
  ORIGINAL [[  ask_for_life();
  completions_.give();]]
  MUTATED [[  completions_.give();]]
  CAUGHT_BY redis_async_test
  TEST RedisAsyncMessages.AConnectionThatTheServerHasForgottenIsReplacedAfterAWaitInVain)
mutant(messages_of_a_blocking_store_stay_at_the_server_of_before
  IN backends/redis/src/blocking_store.cpp
  ORIGINAL [[if (is_new && messages_) messages_->leave_server();]]
  MUTATED [[]]
  CAUGHT_BY redis_demotion_test
  TEST Listening.OfABlockingStoreMovesWithTheNextWait)
mutant(server_that_is_away_is_asked_without_a_pause
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (auto error = back_off_.pause(Clock::now())) return refuse(*error);]]
  MUTATED [[]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.RefusalsAtTheDoorAreRejected)
mutant(silent_server_and_called_unavailable
  IN backends/redis/src/blocking_connection.cpp
  ORIGINAL [[return greeted ? endpoint_->no_answer(transfer.fact) : endpoint_->not_greeted(transfer.fact);]]
  MUTATED [[return endpoint_->not_greeted(transfer.fact);]]
  CAUGHT_BY redis_blocking_test
  TEST RedisBlockingConnection.AServerKilledBeforeItAnsweredIsIndeterminate)
mutant(lock_that_a_user_may_not_read_fails_the_list
  IN backends/redis/src/lock_search.cpp
  ORIGINAL [[if (!is_about_patterns(values.error().detail())) return values.error();]]
  MUTATED [[return values.error();]]
  CAUGHT_BY redis_rights_test
  TEST RedisRights.ToSomeKeysShowTheLocksOfTheseNamesAlone)
mutant(next_command_waits_for_the_answer_before
  IN backends/redis/src/blocking_store.cpp
  ORIGINAL [[  if (outstanding_ == nullptr) return connection_.exchange(command);]]
  MUTATED [[  while (outstanding_ != nullptr) answered(connection_.await_answer());
  if (outstanding_ == nullptr) return connection_.exchange(command);]]
  CAUGHT_BY redis_pipelined_test
  TEST RedisPipelinedReplies.AreWaitedForTogether)
mutant(unheard_command_names_a_script_that_is_unknown
  IN backends/redis/src/blocking_store.cpp
  ORIGINAL [[asked_by_text_ = !is_known(pending.operation());]]
  MUTATED [[asked_by_text_ = false;]]
  CAUGHT_BY redis_pipelined_test
  TEST RedisPipelined.AServerThatHasNotSeenTheScriptGetsItsText)
mutant(failed_command_is_repeated_by_who_finds_out
  IN backends/redis/src/blocking_store.cpp
  ORIGINAL [[  if (!reply) refuses_ = reply.error();
]]
  MUTATED [[]]
  CAUGHT_BY redis_pipelined_test
  TEST RedisPipelined.WhoFailsCannotAskAgainMeanwhile)
mutant(script_is_not_sent_after_the_command_behind
  IN backends/redis/src/blocking_store.cpp
  ORIGINAL [[  if (wants_text) send_by_text();
]]
  MUTATED [[]]
  CAUGHT_BY redis_pipelined_test
  TEST RedisPipelined.AServerThatForgotTheScriptGetsItAgain)
mutant(certificate_of_any_authority
  IN backends/redis/src/tls.cpp
  ORIGINAL [[  return verdict;
}

}  // namespace

TlsStream::TlsStream]]
  MUTATED [[  return 1;
}

}  // namespace

TlsStream::TlsStream]]
  CAUGHT_BY redis_async_test
  TEST RedisTls.DoesNotTrustAnAuthorityThatIsNotNamed)
mutant(certificate_of_any_name
  IN backends/redis/src/tls.cpp
  ORIGINAL [[X509_VERIFY_PARAM_set1_host(checks, parts->wanted.c_str(), 0) != 1 ||]]
  MUTATED [[]]
  CAUGHT_BY redis_async_test
  TEST RedisTls.DoesNotTrustACertificateOfAnotherName)
mutant(bytes_count_as_sent_before_their_record_is
  IN backends/redis/src/async_connection.cpp
  ORIGINAL [[    if (sent.size == 0) break;
]]
  MUTATED [[    if (sent.size == 0) {
      handed_over_ += out_.size() - out_begin_;
      break;
    }
]]
  CAUGHT_BY redis_async_test
  TEST RedisTls.ACommandCountsAsSentWithTheLastByteOfItsRecord)
mutant(records_that_are_here_wait_for_the_next
  IN backends/redis/src/transport.cpp
  ORIGINAL [[return tls_ ? tls_->has_buffered() : read == asked;]]
  MUTATED [[return read == asked;]]
  CAUGHT_BY redis_async_test
  TEST RedisTls.MessagesThatArriveTogetherAreAllHeard)
mutant(replica_that_a_sentinel_tells_is_taken
  IN backends/redis/src/endpoint.cpp
  ORIGINAL [[if (role != nullptr && *role == "master") return std::nullopt;]]
  MUTATED [[return std::nullopt;]]
  CAUGHT_BY redis_sentinel_test
  TEST RedisSentinel.AServerThatIsAReplicaIsNotTakenAndAnotherSentinelIsAsked)
mutant(replaced_primary_is_asked_again
  IN backends/redis/src/blocking_connection.cpp
  ORIGINAL [[is_at_rest() ? leads_to_primary() : Result<bool>(false);]]
  MUTATED [[Result<bool>(is_at_rest());]]
  CAUGHT_BY redis_sentinel_test
  TEST RedisSentinel.AConnectionThatWasIdleIsNotUsedIfAnotherServerIsThePrimary)
mutant(switches_of_every_name_are_followed
  IN backends/redis/src/switch_listener.cpp
  ORIGINAL [[!last.starts_with(sentinels_->name() + " ")]]
  MUTATED [[false]]
  CAUGHT_BY redis_sentinel_test
  TEST RedisSentinel.AStoreOnALoopMovesWhenASentinelTellsOfAnotherPrimary)
mutant(switches_before_the_subscription_are_missed
  IN backends/redis/src/switch_listener.cpp
  ORIGINAL [[    tell(*parts->front().text(), last, false);]]
  MUTATED [[]]
  CAUGHT_BY redis_sentinel_test
  TEST RedisSentinel.AStoreOnALoopMovesWhenItHearsOfAnotherPrimaryLate)
mutant(cluster_knows_no_retention
  IN backends/redis/src/redis_backend.cpp
  ORIGINAL [[      : retention_(options.retention), cluster_(]]
  MUTATED [[      : cluster_(]]
  CAUGHT_BY redis_retention_test
  TEST ClusterRetention.IsThatOfTheUrl)
mutant(subscriptions_move_after_the_next_pause
  IN backends/redis/src/async_messages.cpp
  ORIGINAL [[  if (!channels_.empty()) connection_->open();
]]
  MUTATED [[]]
  CAUGHT_BY redis_sentinel_test
  TEST RedisSentinel.SubscriptionsMoveAtOnceWhenASentinelTellsOfAnotherPrimary)
mutant(openssl_waits_for_a_whole_record
  IN backends/redis/src/tls.cpp
  ORIGINAL [[std::exchange(wire.may_wait, false) ? 0 : MSG_DONTWAIT]]
  MUTATED [[wire.may_wait ? 0 : MSG_DONTWAIT]]
  CAUGHT_BY redis_async_test
  TEST RedisTls.AnAnswerThatDripsInIsNotWaitedForBeyondTheLimit)
mutant(sentinel_that_told_a_dead_address_is_asked_again
  IN backends/redis/src/endpoint.cpp
  ORIGINAL [[  if (error.code() == Errc::unavailable) resolver_.distrust();
]]
  MUTATED [[]]
  CAUGHT_BY redis_sentinel_test
  TEST RedisSentinel.AnAddressThatCannotBeReachedIsNotTakenFromTheSameSentinelAgain)
mutant(name_that_begins_with_a_period_is_every_name_under_it
  IN backends/redis/src/tls.cpp
  ORIGINAL [[parts->wanted.starts_with('.') || parts->wanted.find('*') != std::string::npos;]]
  MUTATED [[false;]]
  CAUGHT_BY redis_async_test
  TEST RedisTls.APatternIsNoName)
mutant(replaced_primary_is_taken_from_a_sentinel_that_does_not_know
  IN backends/redis/src/endpoint.cpp
  ORIGINAL [[Clock::now() - told_at < long_enough]]
  MUTATED [[Clock::now() - told_at > long_enough]]
  CAUGHT_BY redis_sentinel_test
  TEST RedisSentinel.AServerThatWasReplacedIsNotTakenFromASentinelThatDoesNotKnowItYet)
# --- a cluster ---
mutant(moved_slots_are_forgotten
  IN backends/redis/src/cluster.cpp
  ORIGINAL [[if (to.kind == RedirectionKind::moved && keepers_[to.slot].exchange(node) != node) ++version_;]]
  MUTATED [[]]
  CAUGHT_BY redis_cluster_test
  TEST Stores/RedisClusterStore.AMovedSlotCostsOneMoreCommand/OnALoop)
mutant(an_ask_is_remembered
  IN backends/redis/src/cluster.cpp
  ORIGINAL [[to.kind == RedirectionKind::moved && keepers_]]
  MUTATED [[keepers_]]
  CAUGHT_BY redis_cluster_test
  TEST Stores/RedisClusterStore.AnAskIsFollowedOnceAndNotRemembered/Blocking)
mutant(loop_follows_an_ask_without_asking
  IN backends/redis/src/async_cluster_store.cpp
  ORIGINAL [[asks ? store(node).submit_asking(pending) : store(node).submit(pending)]]
  MUTATED [[asks ? store(node).submit(pending) : store(node).submit(pending)]]
  CAUGHT_BY redis_cluster_test
  TEST Stores/RedisClusterStore.AnAskIsFollowedOnceAndNotRemembered/OnALoop)
mutant(stale_maps_are_believed
  IN backends/redis/src/cluster.cpp
  ORIGINAL [[epoch < epoch_ && ++stale_answers_]]
  MUTATED [[false && ++stale_answers_]]
  CAUGHT_BY redis_cluster_test
  TEST Stores/RedisClusterStore.AServerThatKnowsLessThanAnotherIsNotBelieved/OnALoop)
mutant(servers_send_in_circles_for_ever
  IN backends/redis/src/async_cluster_store.cpp
  ORIGINAL [[++pending.sent_on > Cluster::most_sent_on]]
  MUTATED [[++pending.sent_on > 200]]
  CAUGHT_BY redis_cluster_test
  TEST Stores/RedisClusterStore.ServersThatSendACommandInCirclesAreUnavailable/OnALoop)
mutant(listeners_are_where_their_channel_is
  IN backends/redis/src/hash_slot.cpp
  ORIGINAL [[operation.keys.empty() ? operation.key.text() : operation.keys.front().text()]]
  MUTATED [[operation.kind == OperationKind::subscribe || operation.keys.empty() ? operation.key.text() : operation.keys.front().text()]]
  CAUGHT_BY redis_cluster_test
  TEST RealClusterMessages.AListenerBesideAKeyIsCountedWhereTheKeyIs)
mutant(listeners_at_a_server_without_slots_wait_on
  IN backends/redis/src/async_cluster_store.cpp
  ORIGINAL [[if (stores_[node] && !cluster_->keeps_slots(node)) stores_[node]->end_subscriptions();]]
  MUTATED [[]]
  CAUGHT_BY redis_cluster_test
  TEST RedisClusterMessages.AWaitAtAServerThatKeepsNothingAnyMoreEnds)
mutant(locks_of_different_slots_are_one_command
  IN backends/redis/src/async_commands.cpp
  ORIGINAL [[if (in_cluster_ && slot_of(first) != slot_of(operation)) return false;]]
  MUTATED [[]]
  CAUGHT_BY redis_cluster_test
  TEST RealClusterLocks.OfDifferentSlotsAreCommandsOfTheirOwn)

# --- the search for held locks ---------------------------------------------------------------------
mutant(refused_locks_hide_their_neighbours
  IN backends/redis/src/lock_search.cpp
  ORIGINAL [[if (locks.size() == 1) return std::nullopt;]]
  MUTATED [[return std::nullopt;]]
  CAUGHT_BY redis_rights_test
  TEST LockSearchTest.AUserFindsItsOwnLocksAmongThoseOfOthers)
mutant(free_locks_are_found
  IN backends/redis/src/lock_search.cpp
  ORIGINAL [[if ((*values->list())[at].text() != nullptr) found]]
  MUTATED [[found]]
  CAUGHT_BY redis_rights_test
  TEST LockSearchTest.APartIsSmallAndARoundFindsEveryLock)
mutant(part_of_a_cluster_is_of_one_server
  IN backends/redis/src/inspect_cluster.cpp
  ORIGINAL [[      each.is_complete = part->is_complete();
      found.insert(found.end(), part->found.begin(), part->found.end());
]]
  MUTATED [[      each.is_complete = part->is_complete();
      found.insert(found.end(), part->found.begin(), part->found.end());
      break;
]]
  CAUGHT_BY redis_rights_test
  TEST ClusterSearchTest.APartIsOfEveryServer)
mutant(part_is_the_whole_keyspace
  IN backends/redis/src/lock_search.cpp
  ORIGINAL [[keys += step_) {]]
  MUTATED [[keys += 0) {]]
  CAUGHT_BY redis_rights_test
  TEST LockSearchTest.APartIsSmallAndARoundFindsEveryLock)
mutant(old_primary_that_looks_late_is_not_counted_in
  IN backends/redis/src/url.cpp
  ORIGINAL [[*lag + looks_late]]
  MUTATED [[*lag]]
  CAUGHT_BY redis_url_test
  TEST RedisUrl.AQuarantineStandsInEachKindOfUrl)
mutant(quarantine_of_the_url_is_kept_secret
  IN backends/redis/src/redis_backend.cpp
  ORIGINAL [[return quarantine_;]]
  MUTATED [[return std::nullopt;]]
  CAUGHT_BY redis_quarantine_test
  TEST Locks/Quarantined.ALongerTtlIsRefused/Fair)

# --- what check says of a user's rights ---

mutant(user_who_may_only_read_is_not_told
  IN backends/redis/src/inspect.cpp
  ORIGINAL [[return is_refused(ask("LREM", key, "0", "")) ? "write the key " + key : "";]]
  MUTATED [[return "";]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.KeysThatMayNotBeWrittenAreBad)
mutant(user_of_no_channel_is_not_told
  IN backends/redis/src/inspect.cpp
  ORIGINAL [[if (!listens) may_not("use the channels " + ears + "*");]]
  MUTATED [[]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.AUserOfNoChannelIsBad)
mutant(keys_beside_a_lock_are_not_looked_at
  IN backends/redis/src/inspect.cpp
  ORIGINAL [[for (const Key& key : lock.keys().all()) {]]
  MUTATED [[for (const Key& key : {lock.keys().lock()}) {]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.AllKeysOfALockAreNeeded)
