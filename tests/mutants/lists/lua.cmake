# Mutants of the Lua that Redis runs, each with the test that must fail: see ../caught_by_tests.cmake.


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
