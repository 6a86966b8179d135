# Mutants of the simulated Redis, each with the test that must fail: see ../CMakeLists.txt.

mutant(last_blocked_client_is_served_first
  IN harness/src/server/blocking.cpp
  ORIGINAL [[blocked.push_back(std::move(plain));]]
  MUTATED [[blocked.insert(blocked.begin(), std::move(plain));]]
  CAUGHT_BY harness_server_test
  TEST Waiting.TheFirstBlockedClientGetsTheFirstElement)
mutant(served_client_stays_blocked
  IN harness/src/server/blocking.cpp
  ORIGINAL [[    if (served > 0) database.put_records(blocked_records, blocked);
]]
  MUTATED [[]]
  CAUGHT_BY harness_server_test
  TEST Waiting.TheFirstBlockedClientGetsTheFirstElement)
mutant(blocked_client_takes_any_type
  IN harness/src/server/blocking.cpp
  ORIGINAL [[!data || data->type != command.type]]
  MUTATED [[!data]]
  CAUGHT_BY harness_server_test
  TEST BlockedClients.AreServedAsByARealServer)
mutant(time_out_of_every_connection
  IN harness/src/server/blocking.cpp
  ORIGINAL [[return one[0] == words[1] && one[1] == words[2];]]
  MUTATED [[return one[0] == words[1];]]
  CAUGHT_BY harness_server_test
  TEST Waiting.AClientThatIsBlockedNoLongerGetsNothing)
mutant(blocked_for_less_than_asked
  IN harness/src/server/blocking.cpp
  ORIGINAL [[std::ceil(]]
  MUTATED [[std::floor(]]
  CAUGHT_BY harness_server_test
  TEST Waiting.ATimeToBeBlockedIsInSecondsAndNotNegative)
mutant(nobody_is_served
  IN harness/src/server/command.cpp
  ORIGINAL [[  serve_blocked(database);
]]
  MUTATED [[]]
  CAUGHT_BY harness_server_test
  TEST Waiting.TheFirstBlockedClientGetsTheFirstElement)
mutant(sorted_set_serves_nobody
  IN harness/src/server/database.cpp
  ORIGINAL [[data.type == DataType::list || data.type == DataType::sorted_set]]
  MUTATED [[data.type == DataType::list]]
  CAUGHT_BY harness_server_test
  TEST BlockedClients.AreServedAsByARealServer)
mutant(message_to_every_subscriber
  IN harness/src/server/subscriptions.cpp
  ORIGINAL [[ : name != channel) continue;]]
  MUTATED [[ : false) continue;]]
  CAUGHT_BY harness_server_test
  TEST Waiting.OnlySubscribersOfAChannelGetItsMessages)
mutant(messages_of_others_are_read
  IN harness/src/server/subscriptions.cpp
  ORIGINAL [[    if (one[0] != words[1]) return false;
]]
  MUTATED [[]]
  CAUGHT_BY harness_server_test
  TEST Waiting.OnlySubscribersOfAChannelGetItsMessages)
