# What the search takes for granted of scripts.

# --- script_check.cpp ----------------------------------------------------------------------------

mutant(scripts_may_remember
  IN simulator/src/model/script_check.cpp
  STATEMENT [[if (failure_.empty()) look_again(before, operation, space, reply, now);]]
  MUTATED [[]]
  TEST ScriptCheck.AScriptThatRemembersIsNoScript)
mutant(scripts_may_order_tokens
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[left_the_same(space, other, rename_stored)]]
  MUTATED [[true]]
  TEST ScriptCheck.WhatIsLeftTellsClientsApart)
mutant(scripts_may_tell_clients_apart
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[told_the_same(space, other, renamed_text)]]
  MUTATED [[true]]
  TEST ScriptCheck.AMessageTellsClientsApart)
mutant(scripts_that_expire_keys_need_time
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[aged.emplace_back(key, later(entry, by))]]
  MUTATED [[aged.emplace_back(key, entry)]]
  TEST ScriptCheck.AKeyThatExpiresNeedsNone)
mutant(scripts_may_keep_times
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[left_the_same(space, other, later_stored)]]
  MUTATED [[true]]
  TEST ScriptCheck.ATimeThatIsLeftNeedsAnEndOfTime)
