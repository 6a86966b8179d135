# Mutants of the Lua that Redis runs, each with the test that must fail: see ../CMakeLists.txt.


mutant(token_of_the_clock_after_a_counter_ahead_of_it
  IN core/src/lua/parts/claim.lua
  ORIGINAL [[return grant(counter_key, string.format('%.0f', previous + 1))]]
  MUTATED [[return grant(counter_key, clock)]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.FencingTokensGrowAlsoWhenTheCounterIsLostOrAhead)
mutant(server_keeps_the_counter_of_a_confirmed_offer_as_who_offered_it
  IN core/src/lua/parts/queue_claim_one.lua
  ORIGINAL [[if ends >= 0 and ends < (ttl + kept) / 2 then]]
  MUTATED [[if false then]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.AConfirmedOfferIsCountedWithTheRetentionOfItsHolder)
mutant(server_lets_a_counter_end_before_its_lease
  IN core/src/lua/renew.lua
  ORIGINAL [[if left >= 0 and left < least then]]
  MUTATED [[if left >= 0 and left < tonumber(argv[1]) then]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.ARenewalPutsOffTheEndOfTheCounterInBothWhenItComesNear)
mutant(somebody_elses_lease_renewed
  IN core/src/lua/renew.lua
  ORIGINAL [[elseif holder ~= argv[n + 2] then]]
  MUTATED [[elseif not holder then]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.LuaAndNativeAgreeOnEveryReplyAndEveryKey)
mutant(somebody_elses_lock_released
  IN core/src/lua/release.lua
  ORIGINAL [[if not holder or holder == argv[n] then]]
  MUTATED [[if type(holder) ~= 'table' then]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.LuaAndNativeAgreeOnEveryReplyAndEveryKey)
mutant(offered_to_a_waiter_that_nobody_hears
  IN core/src/lua/parts/queue.lua
  ORIGINAL [[if call('PUBSUB', 'NUMSUB', wake_up)[2] > 0 then]]
  MUTATED [[if true then]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.AReleaseOffersNothingToAWaiterThatNobodyHears)
mutant(released_and_its_place_is_offered_the_lock
  IN core/src/lua/parts/queue_release_rest.lua
  ORIGINAL [[if front == 2 then call('LPOP', queue_key) end]]
  MUTATED [[]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.AReleaseByWhoEnteredByAMessageTakesItsPlaceAway)
mutant(message_has_the_token_of_before
  IN core/src/lua/parts/first_number.lua
  ORIGINAL [[if last and last >= fencing then fencing = last + 1 end]]
  MUTATED [[if last and last >= fencing then fencing = last end]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.AnOffersMessageIsTheSameInLuaAndNative)
mutant(message_says_that_nobody_else_queues
  IN core/src/lua/parts/queue_release_rest.lua
  ORIGINAL [[places[front + 1] and 1 or 0]]
  MUTATED [[0]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.AnOffersMessageIsTheSameInLuaAndNative)
mutant(many_claims_overtake_those_who_queue
  IN core/src/lua/parts/queue_claim_many.lua
  ORIGINAL [[local is_plain = counter_text and (queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0)]]
  MUTATED [[local is_plain = counter_text]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.LuaForManyLocksIsNativeForOneAfterTheOther)
mutant(many_claims_give_tokens_that_do_not_grow
  IN core/src/lua/parts/queue_claim_many.lua
  ORIGINAL [[if is_plain and counter then is_plain = #counter == digits and counter < clock_text end]]
  MUTATED [[]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.OfLocksThatAreClaimedTogetherTheTokensGrow)
mutant(many_releases_notify_nobody_in_the_queue
  IN core/src/lua/parts/queue_release_many.lua
  ORIGINAL [[(queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0)]]
  MUTATED [[true]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.LuaForManyLocksIsNativeForOneAfterTheOther)
mutant(holder_that_keeps_the_lock_is_not_recalled
  IN core/src/lua/parts/queue_claim_one.lua
  ORIGINAL [[if ear and not asked_before then]]
  MUTATED [[if ear and asked_before then]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.TheFirstWhoQueuesRecallsAHolderThatMayKeepTheLock)
mutant(many_releases_are_announced_to_nobody_if_patterns_may_not_be_asked_for
  IN core/src/lua/parts/listeners.lua
  ORIGINAL [[redis.pcall('PUBSUB', 'NUMPAT') == 0]]
  MUTATED [[redis.pcall('PUBSUB', 'NUMPAT')]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.AUserWhoMayNotAskForPatternsReleasesManyLocksInOneCommandAndAnnouncesEach)
mutant(many_releases_fail_if_patterns_may_not_be_asked_for
  IN core/src/lua/parts/listeners.lua
  ORIGINAL [[redis.pcall('PUBSUB', 'NUMPAT') == 0]]
  MUTATED [[redis.call('PUBSUB', 'NUMPAT') == 0]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.AUserWhoMayNotAskForPatternsReleasesManyLocksInOneCommandAndAnnouncesEach)
mutant(many_claims_answer_only_what_is_plain
  IN core/src/lua/queue_claim.lua
  ORIGINAL [[if left == 0 then return replies end]]
  MUTATED [[if left < locks then return replies end]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.LuaForManyLocksIsNativeForOneAfterTheOther)
mutant(offer_is_published_by_a_server_that_takes_no_writes
  IN core/src/lua/parts/queue_release_rest.lua
  ORIGINAL [[      call('LSET', queue_key, front - 1, places[front])  -- why: parts/queue.lua
]]
  MUTATED [[]]
  CAUGHT_BY redis_event_loop_test
  TEST OffersBesideAReplica.AreNotMadeByAReplica)
mutant(offer_is_made_to_a_waiter_whom_a_replica_alone_can_tell
  IN core/src/lua/parts/queue_release_rest.lua
  ORIGINAL [[ or call('PUBSUB', 'NUMSUB', wake_up)[2] > 0)]]
  MUTATED [[ or true)]]
  CAUGHT_BY redis_event_loop_test
  TEST OffersBesideAReplica.AreNotMadeToThoseThatListenThere)
mutant(lua_anybody_proclaims
  IN core/src/lua/proclaim.lua
  ORIGINAL [=[if holder ~= ARGV[1] then return holder and -1 or 0 end]=]
  MUTATED [[]]
  CAUGHT_BY redis_scripts_test
  TEST LeaderScripts.LuaAndNativeAgreeOnEveryReplyEveryKeyAndEveryMessage)
mutant(lua_proclamation_notifies_nobody
  IN core/src/lua/proclaim.lua
  ORIGINAL [[redis.call('PUBLISH', ARGV[4], '')]]
  MUTATED [[]]
  CAUGHT_BY redis_scripts_test
  TEST LeaderScripts.LuaAndNativeAgreeOnEveryReplyEveryKeyAndEveryMessage)

# --- groups ---------------------------------------------------------------------------------------

mutant(server_keeps_the_group_before
  IN core/src/lua/parts/group_claim_short.lua
  ORIGINAL [=[      call('DEL', holders_key)
]=]
  MUTATED [=[]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.AGroupBeginsEmpty)
mutant(server_admits_one_reader
  IN core/src/lua/parts/group_claim_one.lua
  ORIGINAL [=[    if not quarantine then admit(false) end
]=]
  MUTATED [=[]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.ReadersBehindAWriterAreAdmittedTogether)
mutant(server_lets_readers_pass_a_writer
  IN core/src/lua/parts/group_admit.lua
  ORIGINAL [=[      elseif not fits(its_kind, its_weight) then
        return is_admitted, others
]=]
  MUTATED [=[      elseif not its_kind then
        others = others + 0
]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.ReadersBehindAWriterAreAdmittedTogether)
mutant(server_lets_light_ones_pass_a_heavy_one
  IN core/src/lua/parts/group_claim_one.lua
  ORIGINAL [=[    if front and group == kind then
      granted, others = admit(true)
    elseif]=]
  MUTATED [=[    if]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.AHeavyHolderInFrontIsNotPassedBy)
mutant(server_keeps_permits_of_the_dead
  IN core/src/lua/parts/group.lua
  ORIGINAL [=[    used = math.max(0, used - had)
]=]
  MUTATED [=[]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.OneWhoseLeaseHasEndedHasNoPermits)
mutant(server_renews_who_has_ended
  IN core/src/lua/parts/group.lua
  ORIGINAL [=[is_in = ends and tonumber(ends) >= now_ms]=]
  MUTATED [=[is_in = ends]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.OneWhoseLeaseHasEndedHasNoPermits)
mutant(server_keeps_the_lock_of_readers_that_left
  IN core/src/lua/parts/group_release_short.lua
  ORIGINAL [=[    elseif ends_last then
      call('PEXPIRE', lock, left)
    end
]=]
  MUTATED [=[    end
]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.TheLockEndsWithTheLastLease)
mutant(server_ends_the_lock_with_a_short_lease
  IN core/src/lua/parts/group_claim_short.lua
  ORIGINAL [=[      ends_last = lasts < left
      left = math.max(left, lasts)
]=]
  MUTATED [=[]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.TheLockEndsWithTheLastLease)
mutant(server_ends_the_lock_with_the_first_lease
  IN core/src/lua/parts/group_claim_short.lua
  ORIGINAL [=[ends_last = lasts < left]=]
  MUTATED [=[ends_last = false]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.TheLockEndsWithTheLastLease)
mutant(server_keeps_dead_readers
  IN core/src/lua/parts/group_claim_short.lua
  ORIGINAL [=[      if kind == 'shared' then call('ZREMRANGEBYSCORE', holders_key, '-inf', '(' .. now_ms) end
]=]
  MUTATED [=[]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.AClaimDropsDeadReaders)
mutant(server_lets_anybody_join_readers
  IN core/src/lua/parts/group_claim_short.lua
  ORIGINAL [=[local joins, used = group == kind, tonumber(weight)]=]
  MUTATED [=[local joins, used = group ~= nil, tonumber(weight)]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupScripts.LuaAndNativeAgreeOnEveryReplyEveryKeyAndEveryMessage)
mutant(server_tells_nobody_that_a_writer_gave_up
  IN core/src/lua/parts/queue_release_rest.lua
  ORIGINAL [=[    if who and ear ~= '-' then call('PUBLISH', ear, who) end
]=]
  MUTATED [=[]=]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.AWriterThatGivesUpTellsTheReaderBehindIt)
