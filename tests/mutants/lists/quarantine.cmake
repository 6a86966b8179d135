# Mutants of a store with a quarantine: see ../CMakeLists.txt.

# --- quarantine.cpp, and the native halves of the scripts that ask it ---

mutant(failover_goes_unnoticed
  IN core/src/quarantine.cpp
  ORIGINAL [[if (noted.incarnation != incarnation ||]]
  MUTATED [[if (noted.incarnation.empty() ||]]
  SEARCH quarantine-failover
  BREAKS "exclusion within leases of deploy"
  WITHIN 40000)
mutant(quarantine_is_counted_from_the_one_before
  IN core/src/quarantine.cpp
  ORIGINAL [[noted.ends = now + noted.lasts;]]
  MUTATED [[noted.ends += noted.lasts;]]
  SEARCH quarantine-failover
  BREAKS "exclusion within leases of deploy"
  WITHIN 40000)
mutant(quarantine_is_not_noted
  IN core/src/quarantine.cpp
  ORIGINAL [[if (changed) keyspace.put(]]
  MUTATED [[if (changed && !before) keyspace.put(]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.AWaiterOfEitherLockEntersWhenItIsOver)
mutant(quarantine_of_a_new_store_is_left_out
  IN core/src/quarantine.cpp
  ORIGINAL [[  if (now < noted.ends) left]]
  MUTATED [[  if (before && now < noted.ends) left]]
  SEARCH queued-quarantine-restart-empty
  BREAKS "exclusion within leases of deploy"
  WITHIN 35000)
mutant(lock_is_granted_in_a_quarantine
  IN core/src/owner_scripts.cpp
  ORIGINAL [[  if (*left) {]]
  MUTATED [[  if (false) {]]
  SEARCH quarantine-failover
  BREAKS "exclusion within leases of deploy"
  WITHIN 40000)
mutant(free_lock_is_granted_in_a_quarantine
  IN core/src/queue_scripts.cpp
  ORIGINAL [[if (!holder && queue.empty() && !quarantine)]]
  MUTATED [[if (!holder && queue.empty())]]
  SEARCH queued-quarantine-failover
  BREAKS "exclusion within leases of deploy"
  WITHIN 40000)
mutant(first_in_the_queue_is_granted_in_a_quarantine
  IN core/src/queue_scripts.cpp
  ORIGINAL [[if (!holder && !quarantine) {]]
  MUTATED [[if (!holder) {]]
  SEARCH queued-quarantine-failover
  BREAKS "exclusion within leases of deploy"
  WITHIN 40000)
mutant(release_hands_over_in_a_quarantine
  IN core/src/queue_scripts.cpp
  ORIGINAL [[*left ? Offers::none : Offers::to_the_first]]
  MUTATED [[Offers::to_the_first]]
  SEARCH queued-quarantine-failover
  BREAKS "exclusion within leases of deploy"
  WITHIN 280000)
# --- what no search shows ---

mutant(release_begins_no_quarantine
  IN core/src/queue_lock.cpp
  ORIGINAL [[quarantined_queue_release_script(), with_incarnation(keys)]]
  MUTATED [[queue_release_script(), keys.all()]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.AReleaseInItOffersTheLockToNobodyAndAWaiterKeepsItsPlace)
mutant(owner_is_refused_its_own_lock_in_a_quarantine
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (!holder || holder->value != arguments[0]) {]]
  MUTATED [[if (true) {]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.AnOwnersRepeatedClaimIsGrantedInItWithTheSameToken)
mutant(ttl_is_longer_than_any_quarantine
  IN core/src/lease_protocol.cpp
  ORIGINAL [[if (quarantine_ && ttl > quarantine_->longest_ttl)]]
  MUTATED [[if (false)]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.ATtlLongerThanTheLongestIsRefusedAndNothingIsSent)
mutant(message_of_before_the_failover_gives_a_lease
  IN core/src/queue_lock.cpp
  ORIGINAL [[  if (quarantine()) return std::nullopt;
]]
  MUTATED [[]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.NobodyEntersByAMessage)
mutant(offer_outlasts_every_quarantine
  IN core/src/queued_protocol.cpp
  ORIGINAL [[if (quarantine) window = std::min(window, quarantine->longest_ttl.duration());]]
  MUTATED [[]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.AnOfferLastsNoLongerThanTheLongestTtl)
mutant(old_primary_grants_on
  IN core/src/lease_lock.cpp
  ORIGINAL [[quarantine()->lasts()]]
  MUTATED [[quarantine()->longest_ttl.duration()]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.AnOldPrimaryThatGrantsOnMakesItLonger)
mutant(quarantine_of_the_ttl_of_today
  IN core/src/quarantine.cpp
  ORIGINAL [[noted.lasts = std::max(lasts, noted.lasts);]]
  MUTATED [[noted.lasts = lasts;]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.ItLastsForTheLongestThatTheStoreHasSeen)
mutant(quarantine_until_a_clock_that_was_set_back_comes_there
  IN core/src/quarantine.cpp
  ORIGINAL [[ || noted.ends > now + noted.lasts) {]]
  MUTATED [[) {]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.AClockThatWasSetBackMakesNoQuarantineLonger)
mutant(longer_ttl_leaves_a_running_quarantine_as_it_is
  IN core/src/quarantine.cpp
  ORIGINAL [[    noted.ends += noted.lasts - before->lasts;
]]
  MUTATED [[]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.ALongerOneMakesARunningQuarantineLonger)

# --- the Lua ---

mutant(promotion_goes_unnoticed
  IN core/src/lua/parts/quarantine.lua
  ORIGINAL [[if noted ~= incarnation or]]
  MUTATED [[if not noted or]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.ARestartOrPromotionBeginsOneAndItsOwnerIsGrantedTheLockAgain)
mutant(replica_that_accepts_writes_grants
  IN core/src/lua/parts/quarantine.lua
  ORIGINAL [['role:slave']]
  MUTATED [['role:none']]
  CAUGHT_BY redis_quarantine_test
  TEST Locks/Quarantined.AReplicaThatAcceptsWritesGrantsNothing/Fair)
mutant(incarnation_of_another_type_is_not_named
  IN core/src/lua/parts/quarantine.lua
  ORIGINAL [=[before.err .. ': ' .. KEYS[#KEYS]]=]
  MUTATED [[before.err]]
  CAUGHT_BY redis_quarantine_test
  TEST Locks/Quarantined.AnIncarnationOfAnotherTypeIsNamed/Fair)
mutant(quarantine_of_the_servers_ttl_of_today
  IN core/src/lua/parts/quarantine.lua
  ORIGINAL [[math.max(lasts, noted_lasts)]]
  MUTATED [[lasts]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.ItLastsForTheLongestThatTheStoreHasSeen)
mutant(quarantine_until_the_servers_clock_comes_there_again
  IN core/src/lua/parts/quarantine.lua
  ORIGINAL [[ or ends > now_ms + longest then]]
  MUTATED [[ then]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.AClockThatWasSetBackMakesNoQuarantineLonger)
mutant(server_grants_a_free_lock_in_a_quarantine
  IN core/src/lua/parts/queue_claim_one.lua
  ORIGINAL [[if not quarantine and call('EXISTS', queue_key) == 0 then]]
  MUTATED [[if call('EXISTS', queue_key) == 0 then]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.TheFirstRequestOfAStoreBeginsOne)
mutant(server_grants_the_first_of_the_queue_in_a_quarantine
  IN core/src/lua/parts/queue_claim_one.lua
  ORIGINAL [[if not holder and not quarantine then]]
  MUTATED [[if not holder then]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.AReleaseFreesTheLockAndOffersItToNobody)
mutant(server_hands_over_in_a_quarantine
  IN core/src/lua/parts/queue_release_rest.lua
  ORIGINAL [[  if not quarantine and flag == 'w' and]]
  MUTATED [[  if flag == 'w' and]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.AReleaseFreesTheLockAndOffersItToNobody)
mutant(server_offers_in_a_quarantine_what_is_free
  IN core/src/lua/parts/queue_release_rest.lua
  ORIGINAL [[  if not quarantine and (not holder or holder == owner) then]]
  MUTATED [[  if not holder or holder == owner then]]
  CAUGHT_BY redis_scripts_test
  TEST QuarantinedServer.AReleaseFreesTheLockAndOffersItToNobody)

# --- what check says of it ---

mutant(replica_on_the_side_of_an_old_primary_is_not_told
  IN backends/redis/src/inspect_quarantine.cpp
  ORIGINAL [[*needed < replicas]]
  MUTATED [[*needed == 0]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.APrimaryThatMayKeepEnoughReplicasWhenItIsReplacedIsAWarning)
mutant(user_who_cannot_note_an_incarnation_is_not_told
  IN backends/redis/src/inspect_quarantine.cpp
  ORIGINAL [["EVAL", "return 0", "1", key]]
  MUTATED [["GET", key]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.AUserWhoMayReadTheIncarnationButNotWriteItIsBad)
mutant(client_that_does_not_wait_is_not_told
  IN backends/redis/src/inspect_quarantine.cpp
  ORIGINAL [[if (!noted) return std::nullopt;]]
  MUTATED [[return std::nullopt;]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.AUrlThatDoesNotWaitAsOtherClientsDoIsAWarning)
mutant(line_for_the_operator_names_no_server
  IN backends/redis/src/inspect_quarantine.cpp
  ORIGINAL [[" -h " + for_a_shell(options.host) + ]]
  MUTATED [[]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.TheLineThatSkipsTheFirstQuarantineNamesTheServerAndNoPassword)
mutant(running_quarantine_is_hidden_by_a_longer_one
  IN backends/redis/src/inspect_quarantine.cpp
  ORIGINAL [[if (left > milliseconds{0}) {]]
  MUTATED [[if (left > milliseconds{0} && longest == ours) {]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.ALongerQuarantineOfOthersAndOneThatRunsAreBothTold)
mutant(wrong_clock_does_not_matter_to_a_quarantine
  IN backends/redis/src/inspect.cpp
  ORIGINAL [[        store_.quarantine
            ? "synchronise]]
  MUTATED [[        false
            ? "synchronise]]
  CAUGHT_BY redis_blocking_test
  TEST RedisInspect.AClockThatIsWrongMattersToAQuarantineAlone)
mutant(downgrade_knows_no_quarantine
  IN core/src/group_lock.cpp
  ORIGINAL [[  if (!quarantine()) {
    return store().claim_by(downgrades]]
  MUTATED [[  if (!quarantine() || downgrades) {
    return store().claim_by(downgrades]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.ADowngradeInItAdmitsNobodyElse)
mutant(downgrade_admits_in_a_quarantine
  IN core/src/group_scripts.cpp
  ORIGINAL [[  if (!quarantine_) static_cast<void>(admission_.admit(false));
]]
  MUTATED [[  static_cast<void>(admission_.admit(false));
]]
  CAUGHT_BY core_lock_client_test
  TEST Quarantined.ADowngradeInItAdmitsNobodyElse)
mutant(server_admits_at_a_downgrade_in_a_quarantine
  IN core/src/lua/parts/group_claim_one.lua
  ORIGINAL [[    if not quarantine then admit(false) end]]
  MUTATED [[    admit(false)]]
  CAUGHT_BY redis_scripts_test
  TEST GroupStory.InAQuarantineADowngradeAdmitsNobody)
