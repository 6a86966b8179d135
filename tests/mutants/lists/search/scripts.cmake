# What the search takes for granted of scripts.

# --- script_check.cpp ----------------------------------------------------------------------------

mutant(scripts_may_remember
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[!does_the_same(call, OtherWorld())]]
  MUTATED [[false]]
  TEST ScriptCheck.AScriptThatRemembersIsNoScript)
mutant(scripts_may_order_tokens
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[left_the_same(call, world, other)]]
  MUTATED [[true]]
  TEST ScriptCheck.WhatIsLeftTellsClientsApart)
mutant(scripts_may_tell_clients_apart
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[published_the_same(call, world, other)]]
  MUTATED [[true]]
  TEST ScriptCheck.AMessageTellsClientsApart)
mutant(scripts_may_answer_clients_differently
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[reply == world.reply(call.reply)]]
  MUTATED [[true]]
  TEST ScriptCheck.AnAnswerTellsClientsApart)
mutant(scripts_that_expire_keys_need_time
  IN simulator/src/model/script_check.cpp
  STATEMENT [[if (entry.expiry) *entry.expiry += later_;]]
  MUTATED [[]]
  TEST ScriptCheck.AKeyThatExpiresNeedsNone)
mutant(scripts_may_keep_times
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[std::any_of(later_.begin(), later_.end(), is_other)]]
  MUTATED [[false]]
  TEST ScriptCheck.ATimeThatIsLeftNeedsAnEndOfTime)
