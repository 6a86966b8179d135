# Servers, their keys and clocks, and how many faults there may be.

# --- store_table.cpp ----------------------------------------------------------------------------

mutant(keys_without_expiry
  IN simulator/src/model/store_table.cpp
  STATEMENT [[identity.number(stored.entry.expiry ? stored.entry.expiry->count() : -1);]]
  MUTATED [[identity.number(0);]]
  FROM_TRIAL 10)
mutant(keys_never_expire
  IN simulator/src/model/store_table.cpp
  EXPRESSION [[is_expired(stored.entry, time)]]
  MUTATED [[false]]
  FROM_TRIAL 14)
mutant(stored_tokens_are_not_renamed
  IN simulator/src/model/store_table.cpp
  STATEMENT [[stored.entry.value = renamed(stored.entry.value, permutation);]]
  MUTATED [[]]
  FROM_TRIAL 22)
mutant(stored_writers_are_not_seen
  IN simulator/src/model/store_table.cpp
  EXPRESSION [[named || stored.writer != nobody || who != 0]]
  MUTATED [[false]]
  FROM_TRIAL 22)
mutant(replica_misses_two_writes
  IN simulator/src/model/store_table.cpp
  EXPRESSION [[unchanged ? before.before : as_past(before, changes_kept_ - 1)]]
  MUTATED [[before.before]]
  FROM_TRIAL 33)
mutant(replica_misses_nothing
  IN simulator/src/model/store_faults.cpp
  STATEMENT [[if (seen.empty()) seen.push_back(store);]]
  MUTATED [[seen.assign(1, store);]]
  FROM_TRIAL 33)
mutant(replica_misses_one_write_at_most
  IN simulator/src/model/store_table.cpp
  EXPRESSION [[scenario_.replica().missed_writes]]
  MUTATED [[std::size_t{1}]]
  TEST ReplicaLag.OfTwoWritesGivesBothKeysAway)
mutant(replica_misses_any_number_of_writes
  IN simulator/src/model/store_faults.cpp
  EXPRESSION [[steps - 1]]
  MUTATED [[steps]]
  TEST ReplicaLag.IsEachNumberOfWritesUpToTheGreatest)
mutant(operations_do_not_depend_on_the_clock
  IN simulator/src/model/store_table.cpp
  STATEMENT [[step.reads_clock = space.read_clock();]]
  MUTATED [[step.reads_clock = false;]]
  FROM_TRIAL 6)

# --- budget_table.hpp ---------------------------------------------------------------------------

mutant(more_faults_than_allowed
  IN simulator/src/model/budget_table.hpp
  EXPRESSION [[left(content, fault) > 0 && left(content) > 0]]
  MUTATED [[left(content, fault) > 0]]
  FROM_TRIAL 7)

# --- store_table.cpp ----------------------------------------------------------------------------

mutant(claim_again_is_a_new_grant
  IN simulator/src/model/store_table.cpp
  EXPRESSION [[stored.key == operation.key && stored.entry.value == operation.value]]
  MUTATED [[false]]
  TEST Rules.WhoClaimsWhatItHoldsIsGrantedNothingNew)
mutant(keys_that_come_back_are_not_seen
  IN simulator/src/model/store_table.cpp
  EXPRESSION [[has_key(before, property.subject) || !has_key(after, property.subject)]]
  MUTATED [[true]]
  TEST Rules.AKeyThatAReplicaBringsBackIsReleasedNoMore)

# --- budget_table.hpp ---------------------------------------------------------------------------

mutant(clocks_are_not_renamed
  IN simulator/src/model/budget_table.hpp
  STATEMENT [=[after.wall[permutation[client]] = before.wall[client];]=]
  MUTATED [[after.wall[client] = before.wall[client];]]
  TEST IdenticalClients.KeepTheirClocks)
mutant(drift_spares_the_wall_clock
  IN simulator/src/model/budget_table.hpp
  STATEMENT [[content.wall[client] = static_cast<std::int16_t>(content.wall[client] - 1);]]
  MUTATED [[]]
  TEST LeaseExclusion.IsWhatTheStepsOfARunSay)
mutant(lost_data_takes_no_time
  IN simulator/src/model/budget_table.hpp
  STATEMENT [[losses += content.used[static_cast<std::size_t>(fault)];]]
  MUTATED [[]]
  TEST Scenario.AReplicaMissesAWriteOrHasAClockOfItsOwn)
mutant(a_break_of_one_server_is_one_of_all
  IN simulator/src/model/budget_table.hpp
  STATEMENT [[content.breaks_to_come = static_cast<std::uint8_t>(content.breaks_to_come & ~(1U << server));]]
  MUTATED [[content.breaks_to_come = 0;]]
  FROM_TRIAL 325)
mutant(every_break_is_kept_a_fault
  IN simulator/src/model/budget_table.hpp
  EXPRESSION [[breaks > std::popcount(content.breaks_to_come) && left(content) > 0]]
  MUTATED [[left(content) > 0]]
  FROM_TRIAL 1)
mutant(what_is_kept_for_a_break_may_be_spent
  IN simulator/src/model/budget_table.hpp
  EXPRESSION [[static_cast<int>(limits_.total()) - content.total -
           std::popcount(content.breaks_to_come)]]
  MUTATED [[static_cast<int>(limits_.total()) - content.total]]
  FROM_TRIAL 1)

# --- incarnations -------------------------------------------------------------------------------

mutant(server_is_reborn_as_what_it_was
  IN simulator/src/model/store_faults.cpp
  EXPRESSION [[*before + 1]]
  MUTATED [[*before]]
  TEST IndependentExplorer.AgreesWithTheSearchOnTrialsWithIncarnations)
mutant(incarnations_are_one_state
  IN simulator/src/model/store_table.cpp
  STATEMENT [[identity.number(content.incarnation ? *content.incarnation + 1 : 0);]]
  MUTATED [[]]
  TEST IndependentExplorer.AgreesWithTheSearchOnTrialsWithIncarnations)
mutant(incarnation_that_was_read_is_forgotten
  IN simulator/src/model/store_table.cpp
  STATEMENT [[after.incarnation = space.known_incarnation();]]
  MUTATED [[]]
  TEST IndependentExplorer.AgreesWithTheSearchOnTrialsWithIncarnations)
mutant(restart_keeps_the_incarnation
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[stores.reborn(store, data)]]
  MUTATED [[data]]
  TEST IndependentExplorer.AgreesWithTheSearchOnTrialsWithIncarnations)
mutant(replica_that_missed_nothing_remembers_the_incarnation
  IN simulator/src/model/store_faults.cpp
  STATEMENT [[content.incarnation.reset();]]
  MUTATED [[]]
  TEST IndependentExplorer.AgreesWithTheSearchOnTrialsWithIncarnations)
