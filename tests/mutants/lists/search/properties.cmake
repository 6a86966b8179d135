# What must hold: sections, leases, fencing tokens, waiters.

# --- monitor.cpp --------------------------------------------------------------------------------

mutant(third_inside_is_one_too_many
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[(lock.inside & ~me) != 0]]
  MUTATED [[((lock.inside & ~me) & ((lock.inside & ~me) - 1)) != 0]]
  FROM_TRIAL 12)
mutant(stored_again_is_still_released
  IN simulator/src/model/monitor.cpp
  STATEMENT [[fact_named(content.locks, event.subject).released = false;]]
  MUTATED [[]]
  FROM_TRIAL 22)
mutant(those_inside_are_not_renamed
  IN simulator/src/model/monitor.cpp
  STATEMENT [[lock.inside = renamed(lock.inside, permutation);]]
  MUTATED [[]]
  FROM_TRIAL 7)
mutant(those_who_wait_are_not_kept
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[lock.inside == 0 && lock.waiting == 0]]
  MUTATED [[lock.inside == 0]]
  FROM_TRIAL 6)

# --- what a property must have seen --------------------------------------------------------------

mutant(one_client_is_different_ones
  IN simulator/src/model/happenings.cpp
  EXPRESSION [[std::has_single_bit(known)]]
  MUTATED [[false]]
  TEST Vacuity.NobodyIsBesideASingleClient)
mutant(one_in_a_queue_is_several
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[queued && lock.line.size() > 1]]
  MUTATED [[queued]]
  TEST Vacuity.NobodyIsPassedOverInAQueueOfOne)
mutant(first_token_is_a_second_one
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[lock.granted != 0]]
  MUTATED [[true]]
  TEST Vacuity.ASingleFencingTokenHasNothingToBeGreaterThan)

# --- beliefs.cpp --------------------------------------------------------------------------------

mutant(belief_that_may_begin_again_is_over
  IN simulator/src/model/beliefs.cpp
  EXPRESSION [[ends_[client] <= shows - back]]
  MUTATED [[ends_[client] <= shows]]
  TEST LeaseExclusion.LeaseThatWasOverLastsAgainWhenItsClockIsSetBack)
mutant(belief_lasts_through_its_last_instant
  IN simulator/src/model/beliefs.cpp
  STATEMENT [[if (ends_[client] <= shows) continue;]]
  MUTATED [[if (ends_[client] < shows) continue;]]
  TEST LeaseExclusion.ClientWhoseClockFallsBehindBelievesForLonger)
mutant(belief_beside_another_is_none
  IN simulator/src/model/beliefs.cpp
  EXPRESSION [[(now & ~now_) != 0 && believers > at_most]]
  MUTATED [[(now & ~now_) != 0 && now_ != 0 && believers > at_most + 1]]
  FROM_TRIAL 10)

# --- monitor.cpp --------------------------------------------------------------------------------

mutant(dead_are_inside
  IN simulator/src/model/monitor.cpp
  STATEMENT [[lock.inside &= ~me;
    lock.waiting &= ~me;
    lock.beliefs.stop(client);]]
  MUTATED [[lock.waiting &= ~me;]]
  TEST Scenario.AClientThatCrashedInsideHasLeft)
mutant(dead_wait
  IN simulator/src/model/monitor.cpp
  STATEMENT [[lock.inside &= ~me;
    lock.waiting &= ~me;
    lock.beliefs.stop(client);]]
  MUTATED [[lock.inside &= ~me; lock.beliefs.stop(client);]]
  FROM_TRIAL 214)
mutant(same_fencing_token_twice
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[event.fencing <= lock.granted]]
  MUTATED [[event.fencing < lock.granted]]
  TEST Rules.TheSameFencingTokenTwiceIsNoGrowth)
mutant(second_write_of_one_is_stale
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[event.fencing < resource.greatest]]
  MUTATED [[event.fencing <= resource.greatest]]
  TEST Rules.OneClientMayWriteTwiceWithItsToken)
mutant(resource_forgets_its_writer
  IN simulator/src/model/monitor.cpp
  STATEMENT [[identity.number(resource.writer);]]
  MUTATED [[]]
  FROM_TRIAL 113)
mutant(predicate_sees_only_resources_that_are_asked_for
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[predicates_may_look_ || has(PropertyKind::fenced_writes, event.subject)]]
  MUTATED [[has(PropertyKind::fenced_writes, event.subject)]]
  TEST Predicates.SeeWhoHasWrittenToAResourceThatNoOtherPropertyNames)
mutant(predicate_sees_only_wishes_that_are_asked_for
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[waits && !predicates_may_look_]]
  MUTATED [[waits]]
  TEST Predicates.SeeWhoWantsALockThatNoOtherPropertyNames)
mutant(resource_forgets_the_greatest
  IN simulator/src/model/monitor.cpp
  STATEMENT [[resource.greatest = std::max(resource.greatest, event.fencing);]]
  MUTATED [[resource.greatest = event.fencing;]]
  TEST Rules.EachWriteBehindTheGreatestTokenIsStale)
