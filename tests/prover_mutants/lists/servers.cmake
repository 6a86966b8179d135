# Servers, their keys and clocks, and how many faults there may be.

# --- store_table.cpp ----------------------------------------------------------------------------

prover_mutant(keys_without_expiry
  IN model/store_table.cpp
  STATEMENT [[identity.number(stored.entry.expiry ? stored.entry.expiry->count() : -1);]]
  BECOMES [[identity.number(0);]]
  FROM_TRIAL 10)
prover_mutant(keys_never_expire
  IN model/store_table.cpp
  EXPRESSION [[is_expired(stored.entry, time)]]
  BECOMES [[false]]
  FROM_TRIAL 14)
prover_mutant(stored_tokens_are_not_renamed
  IN model/store_table.cpp
  STATEMENT [[stored.entry.value = renamed(stored.entry.value, permutation);]]
  BECOMES [[]]
  FROM_TRIAL 22)
prover_mutant(stored_writers_are_not_seen
  IN model/store_table.cpp
  EXPRESSION [[named || stored.writer != nobody || who != 0]]
  BECOMES [[false]]
  FROM_TRIAL 22)
prover_mutant(replica_misses_two_writes
  IN model/store_table.cpp
  EXPRESSION [[intern(std::move(unchanged)) == was ? before.before : was]]
  BECOMES [[before.before]]
  FROM_TRIAL 33)
prover_mutant(replica_misses_nothing
  IN model/store_table.cpp
  EXPRESSION [[before == unknown ? store : before]]
  BECOMES [[store]]
  FROM_TRIAL 33)
prover_mutant(operations_do_not_depend_on_the_clock
  IN model/store_table.cpp
  STATEMENT [[step.reads_clock = space.read_clock();]]
  BECOMES [[step.reads_clock = false;]]
  FROM_TRIAL 6)

# --- budget_table.hpp ---------------------------------------------------------------------------

prover_mutant(more_faults_than_allowed
  IN model/budget_table.hpp
  EXPRESSION [[left(content, fault) > 0 && left(content) > 0]]
  BECOMES [[left(content, fault) > 0]]
  FROM_TRIAL 7)

# --- store_table.cpp ----------------------------------------------------------------------------

prover_mutant(claim_again_is_a_new_grant
  IN model/store_table.cpp
  EXPRESSION [[stored.key == operation.key && stored.entry.value == operation.value]]
  BECOMES [[false]]
  CAUGHT_BY Rules.WhoClaimsWhatItHoldsIsGrantedNothingNew)
prover_mutant(keys_that_come_back_are_not_seen
  IN model/store_table.cpp
  EXPRESSION [[has_key(before, property.subject) || !has_key(after, property.subject)]]
  BECOMES [[true]]
  CAUGHT_BY Rules.AKeyThatAReplicaBringsBackIsReleasedNoMore)

# --- budget_table.hpp ---------------------------------------------------------------------------

prover_mutant(clocks_are_not_renamed
  IN model/budget_table.hpp
  STATEMENT [=[after.wall[permutation[client]] = before.wall[client];]=]
  BECOMES [[after.wall[client] = before.wall[client];]]
  CAUGHT_BY IdenticalClients.KeepTheirClocks)
prover_mutant(drift_spares_the_wall_clock
  IN model/budget_table.hpp
  STATEMENT [[content.wall[client] = static_cast<std::int16_t>(content.wall[client] - 1);]]
  BECOMES [[]]
  CAUGHT_BY LeaseExclusion.IsWhatTheStepsOfARunSay)
prover_mutant(lost_data_takes_no_time
  IN model/budget_table.hpp
  STATEMENT [[losses += content.used[static_cast<std::size_t>(fault)];]]
  BECOMES [[]]
  CAUGHT_BY Scenario.AReplicaMissesAWriteOrHasAClockOfItsOwn)
prover_mutant(a_break_of_one_server_is_one_of_all
  IN model/budget_table.hpp
  STATEMENT [[content.breaks_to_come = static_cast<std::uint8_t>(content.breaks_to_come & ~(1U << server));]]
  BECOMES [[content.breaks_to_come = 0;]]
  FROM_TRIAL 325)
prover_mutant(every_break_is_kept_a_fault
  IN model/budget_table.hpp
  EXPRESSION [[breaks > std::popcount(content.breaks_to_come) && left(content) > 0]]
  BECOMES [[left(content) > 0]]
  FROM_TRIAL 1)
prover_mutant(what_is_kept_for_a_break_may_be_spent
  IN model/budget_table.hpp
  EXPRESSION [[static_cast<int>(limits_.total()) - content.total -
           std::popcount(content.breaks_to_come)]]
  BECOMES [[static_cast<int>(limits_.total()) - content.total]]
  FROM_TRIAL 1)
