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
  EXPRESSION [[needs_time_.empty() && depends_on_time(*script, call)]]
  MUTATED [[false]]
  TEST ScriptCheck.ATimeThatIsLeftNeedsAnEndOfTime)
mutant(scripts_may_count_instants
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[number <= instants]]
  MUTATED [[number <= 10]]
  TEST ScriptCheck.AScriptThatCountsInstantsNeedsAnEndOfTime)
mutant(scripts_may_ask_for_the_day
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[number <= days]]
  MUTATED [[number <= 30]]
  TEST ScriptCheck.ADayNeedsAnEndOfTime)
mutant(scripts_that_remember_tell_clients_apart
  IN simulator/src/model/script_check.cpp
  EXPRESSION [[was_other ? 64 : 1]]
  MUTATED [[1]]
  TEST ScriptCheck.AScriptThatRemembersIsNotSaidToTellClientsApart)

# --- names.cpp -----------------------------------------------------------------------------------

mutant(tokens_in_errors_keep_their_names
  IN simulator/src/base/names.cpp
  EXPRESSION [[renamed(reply.error().detail(), permutation)]]
  MUTATED [[reply.error().detail()]]
  TEST ScriptCheck.AScriptThatComparesForEqualityDoesNot)
