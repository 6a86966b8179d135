# Mutants of the native forms of the scripts that change a lock, and of how a store runs them: see
# ../CMakeLists.txt.

# --- owner_scripts.cpp ---

mutant(claim_of_anothers_lock
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != owner) return busy]]
  MUTATED [[if (holder && holder->value.empty()) return busy]]
  SEARCH waiting
  BREAKS "nobody overwrites deploy while another has it"
  WITHIN 20)
mutant(claim_again_is_busy
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != owner) return busy]]
  MUTATED [[if (holder) return busy]]
  SEARCH alone-lost-reply
  BREAKS "never a client alone is kept out by its own claim"
  WITHIN 200)
mutant(claim_again_is_a_new_grant
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder && previous) return]]
  MUTATED [[if (false) return]]
  SEARCH alone-duplicate
  BREAKS "never one grant has two fencing tokens"
  WITHIN 500)
mutant(claim_without_expiry
  IN core/src/owner_scripts.cpp
  ORIGINAL [[keyspace.put(keys[0], Entry(owner, now + ttl));]]
  MUTATED [[keyspace.put(keys[0], Entry(owner));]]
  SEARCH waiting-crash
  BREAKS "no orphan of deploy"
  WITHIN 20000)
mutant(fencing_by_counting_alone
  IN core/src/owner_scripts.cpp
  ORIGINAL [[std::max<std::int64_t>(1, clock)]]
  MUTATED [[1]]
  SEARCH waiting-failover
  BREAKS "fencing tokens of deploy grow"
  WITHIN 50000)
mutant(fencing_by_the_clock_alone
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (previous && *previous >= fencing && *previous < largest_fencing)]]
  MUTATED [[if (false)]]
  SEARCH waiting
  BREAKS "fencing tokens of deploy grow"
  WITHIN 500)
mutant(fencing_off_by_one
  IN core/src/owner_scripts.cpp
  ORIGINAL [[*previous >= fencing]]
  MUTATED [[*previous > fencing]]
  SEARCH waiting
  BREAKS "fencing tokens of deploy grow"
  WITHIN 500)
mutant(fencing_not_raised
  IN core/src/owner_scripts.cpp
  ORIGINAL [[fencing = *previous + 1;]]
  MUTATED [[fencing = *previous;]]
  SEARCH waiting
  BREAKS "fencing tokens of deploy grow"
  WITHIN 500)
mutant(busy_prolongs_the_lock
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != owner) return busy]]
  MUTATED [[if (holder) keyspace.put(keys[0], Entry(holder->value, now + ttl));
  if (holder && holder->value != owner) return busy]]
  SEARCH waiting
  BREAKS "only the owner releases or renews deploy"
  WITHIN 100)
mutant(renewal_by_anybody
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder->value != arguments[0]) return Value(-1);
  const milliseconds now]]
  MUTATED [[const milliseconds now]]
  SEARCH renewing
  BREAKS "only the owner releases or renews deploy"
  WITHIN 50000)
mutant(renewal_takes_the_lock_back
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder->value != arguments[0]) return Value(-1);
  const milliseconds now]]
  MUTATED [[holder->value = arguments[0];
  const milliseconds now]]
  SEARCH renewing
  BREAKS "nobody overwrites deploy while another has it"
  WITHIN 50000)
mutant(renewal_makes_a_missing_key
  IN core/src/owner_scripts.cpp
  ORIGINAL [[
  auto holder = keyspace.find(keys[0]);
  if (!holder) return Value(0);]]
  MUTATED [[
  auto holder = keyspace.find(keys[0]);
  if (!holder) holder.emplace(arguments[0]);]]
  SEARCH kept
  BREAKS "never a released lock comes back"
  WITHIN 1000)
mutant(renewal_changes_nothing
  IN core/src/owner_scripts.cpp
  ORIGINAL [[keyspace.put(keys[0], std::move(*holder));]]
  MUTATED [[]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 5000)
mutant(renewal_for_ever
  IN core/src/owner_scripts.cpp
  ORIGINAL [[holder->expiry = now + ttl;]]
  MUTATED [[holder->expiry.reset();]]
  SEARCH renewing-crash
  BREAKS "no orphan of deploy"
  WITHIN 500000)
mutant(release_by_anybody
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder && holder->value != arguments[0]) return Value(-1);
  if (holder) keyspace.erase]]
  MUTATED [[if (holder) keyspace.erase]]
  SEARCH waiting
  BREAKS "only the owner releases or renews deploy"
  WITHIN 5000)
mutant(release_in_silence
  IN core/src/owner_scripts.cpp
  ORIGINAL [[keyspace.publish(Channel(arguments[1]), "");]]
  MUTATED [[]]
  SEARCH waiting
  BREAKS "no lost wake-up on deploy"
  WITHIN 5000)
mutant(release_of_a_key_that_is_gone_tells_nobody
  IN core/src/owner_scripts.cpp
  ORIGINAL [[keyspace.publish(Channel(arguments[1]), "");]]
  MUTATED [[if (holder) keyspace.publish(Channel(arguments[1]), "");]]
  SEARCH removed-and-released
  BREAKS "never a wait goes on after its time"
  WITHIN 200)
mutant(release_keeps_the_key
  IN core/src/owner_scripts.cpp
  ORIGINAL [[if (holder) keyspace.erase(keys[0]);]]
  MUTATED [[]]
  SEARCH releasing
  BREAKS "never a release is reported that has not happened"
  WITHIN 100)

# --- script.cpp ---

mutant(release_told_on_another_channel
  IN core/src/script.cpp
  ORIGINAL [[write_release_channel(operation_.key, memory_);]]
  MUTATED [[memory_ = operation_.key.text();]]
  SEARCH waiting
  BREAKS "no lost wake-up on deploy"
  WITHIN 5000)
mutant(ttl_of_a_claim_in_the_wrong_unit
  IN core/src/script.cpp
  ORIGINAL [[(at == 1 ? *operation_.ttl : kept)]]
  MUTATED [[(at == 1 ? *operation_.ttl / 1000 : kept)]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 100)

mutant(counter_ends_with_its_lease
  IN core/src/script.cpp
  ORIGINAL [[operation_.retention.with(*operation_.ttl)]]
  MUTATED [[*operation_.ttl]]
  CAUGHT_BY core_keyspace_test
  TEST OwnerScripts.TheCounterOutlivesTheLastLeaseByTheRetention)
mutant(renewed_until_its_counter_has_gone
  IN core/src/owner_scripts.cpp
  ORIGINAL [[  keep_counter(keyspace, keys[1], ttl, kept);
]]
  MUTATED [[]]
  CAUGHT_BY core_keyspace_test
  TEST OwnerScripts.RenewalsKeepTheCounterForAsLongAsTheLockIsHeld)
mutant(held_for_thousand_times_as_long
  IN core/src/owner_scripts.cpp
  ORIGINAL [[std::max<std::int64_t>(0, now - *granted) / 1000]]
  MUTATED [[std::max<std::int64_t>(0, now - *granted)]]
  CAUGHT_BY core_keyspace_test
  TEST OwnerScripts.AnotherClaimLearnsByWhomForHowLongAndSinceWhen)

# --- key_value_store.cpp ---

mutant(fencing_token_is_not_read
  IN core/src/key_value_store.cpp
  ORIGINAL [[FencingToken(static_cast<std::uint64_t>(*fencing))]]
  MUTATED [[FencingToken(1)]]
  SEARCH waiting
  BREAKS "no stale write to database after a newer one"
  WITHIN 2000)
mutant(others_lock_counts_as_mine
  IN core/src/key_value_store.cpp
  ORIGINAL [[return OwnerCheck::other;]]
  MUTATED [[return OwnerCheck::done;]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 10000)
mutant(absent_lock_counts_as_mine
  IN core/src/key_value_store.cpp
  ORIGINAL [[return OwnerCheck::absent;]]
  MUTATED [[return OwnerCheck::done;]]
  SEARCH lease-truth
  BREAKS "never a certain lease is not in the store"
  WITHIN 5000)
mutant(remaining_and_held_for_exchanged
  IN core/src/key_value_store.cpp
  ORIGINAL [[unless_negative(*remaining), unless_negative(*held_for)]]
  MUTATED [[unless_negative(*held_for), unless_negative(*remaining)]]
  SEARCH silent-holder
  BREAKS "never a wait goes on after its time"
  WITHIN 100)
