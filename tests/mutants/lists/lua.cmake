# Mutants of the Lua that Redis runs, each with the test that must fail: see ../CMakeLists.txt.


mutant(token_of_the_clock_after_a_counter_ahead_of_it
  IN core/src/lua/claim.lua
  ORIGINAL [[return grant(counter_key, string.format('%.0f', previous + 1))]]
  MUTATED [[return grant(counter_key, clock)]]
  CAUGHT_BY redis_scripts_test
  TEST OwnerScripts.FencingTokensGrowAlsoWhenTheCounterIsLostOrAhead)
mutant(somebody_elses_lease_renewed
  IN core/src/lua/renew.lua
  ORIGINAL [[elseif holder ~= argv[n + 1] then]]
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
  ORIGINAL [[if wake_up == '-' or call('PUBLISH', wake_up, who) > 0 then return who, mine end]]
  MUTATED [[return who, mine]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.LuaAndNativeAgreeOnEveryReplyAndEveryKey)
mutant(many_claims_overtake_those_who_queue
  IN core/src/lua/parts/queue_claim_many.lua
  ORIGINAL [[return queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0]]
  MUTATED [[return true]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.LuaForManyLocksIsNativeForOneAfterTheOther)
mutant(many_claims_give_tokens_that_do_not_grow
  IN core/src/lua/parts/queue_claim_many.lua
  ORIGINAL [[if counter then return #counter == #clock and counter < clock end]]
  MUTATED [[if counter then return true end]]
  CAUGHT_BY redis_async_test
  TEST RedisAsync.OfLocksThatAreClaimedTogetherTheTokensGrow)
mutant(many_releases_notify_nobody_in_the_queue
  IN core/src/lua/parts/queue_release_many.lua
  ORIGINAL [[(queues == 0 or call('EXISTS', keys[2 * locks + n]) == 0)]]
  MUTATED [[true]]
  CAUGHT_BY redis_scripts_test
  TEST QueueScripts.LuaForManyLocksIsNativeForOneAfterTheOther)
