# What must hold: sections, leases, fencing tokens, waiters.

# --- monitor.cpp --------------------------------------------------------------------------------

prover_mutant(third_inside_is_one_too_many
  IN model/monitor.cpp
  EXPRESSION [[(lock.inside & ~me) != 0]]
  BECOMES [[((lock.inside & ~me) & ((lock.inside & ~me) - 1)) != 0]]
  FROM_TRIAL 12)
prover_mutant(stored_again_is_still_released
  IN model/monitor.cpp
  STATEMENT [[fact_named(content.locks, event.subject).released = false;]]
  BECOMES [[]]
  FROM_TRIAL 22)
prover_mutant(those_inside_are_not_renamed
  IN model/monitor.cpp
  STATEMENT [[lock.inside = renamed(lock.inside, permutation);]]
  BECOMES [[]]
  FROM_TRIAL 7)
prover_mutant(those_who_wait_are_not_kept
  IN model/monitor.cpp
  EXPRESSION [[lock.inside == 0 && lock.waiting == 0]]
  BECOMES [[lock.inside == 0]]
  FROM_TRIAL 6)

# --- what a property must have seen --------------------------------------------------------------

prover_mutant(one_client_is_different_ones
  IN model/happenings.cpp
  EXPRESSION [[std::has_single_bit(known)]]
  BECOMES [[false]]
  CAUGHT_BY Vacuity.NobodyIsBesideASingleClient)
prover_mutant(one_in_a_queue_is_several
  IN model/monitor.cpp
  EXPRESSION [[queued && lock.line.size() > 1]]
  BECOMES [[queued]]
  CAUGHT_BY Vacuity.NobodyIsPassedOverInAQueueOfOne)
prover_mutant(first_token_is_a_second_one
  IN model/monitor.cpp
  EXPRESSION [[lock.granted != 0]]
  BECOMES [[true]]
  CAUGHT_BY Vacuity.ASingleFencingTokenHasNothingToBeGreaterThan)

# --- beliefs.cpp --------------------------------------------------------------------------------

prover_mutant(belief_that_may_begin_again_is_over
  IN model/beliefs.cpp
  EXPRESSION [[ends_[client] <= shows - back]]
  BECOMES [[ends_[client] <= shows]]
  CAUGHT_BY LeaseExclusion.LeaseThatWasOverLastsAgainWhenItsClockIsSetBack)
prover_mutant(belief_lasts_through_its_last_instant
  IN model/beliefs.cpp
  STATEMENT [[if (ends_[client] <= shows) continue;]]
  BECOMES [[if (ends_[client] < shows) continue;]]
  CAUGHT_BY LeaseExclusion.ClientWhoseClockFallsBehindBelievesForLonger)
prover_mutant(belief_beside_another_is_none
  IN model/beliefs.cpp
  EXPRESSION [[(now & ~now_) != 0 && std::popcount(now) > 1]]
  BECOMES [[(now & ~now_) != 0 && now_ != 0 && std::popcount(now) > 2]]
  FROM_TRIAL 10)

# --- monitor.cpp --------------------------------------------------------------------------------

prover_mutant(dead_are_inside
  IN model/monitor.cpp
  STATEMENT [[lock.inside &= ~me;
        lock.waiting &= ~me;
        lock.beliefs.stop(client);]]
  BECOMES [[lock.waiting &= ~me;]]
  CAUGHT_BY Scenario.AClientThatCrashedInsideHasLeft)
prover_mutant(dead_wait
  IN model/monitor.cpp
  STATEMENT [[lock.inside &= ~me;
        lock.waiting &= ~me;
        lock.beliefs.stop(client);]]
  BECOMES [[lock.inside &= ~me; lock.beliefs.stop(client);]]
  FROM_TRIAL 214)
prover_mutant(same_fencing_token_twice
  IN model/monitor.cpp
  EXPRESSION [[event.fencing <= lock.granted]]
  BECOMES [[event.fencing < lock.granted]]
  CAUGHT_BY Rules.TheSameFencingTokenTwiceIsNoGrowth)
prover_mutant(second_write_of_one_is_stale
  IN model/monitor.cpp
  EXPRESSION [[event.fencing < resource.greatest]]
  BECOMES [[event.fencing <= resource.greatest]]
  CAUGHT_BY Rules.OneClientMayWriteTwiceWithItsToken)
prover_mutant(resource_forgets_its_writer
  IN model/monitor.cpp
  STATEMENT [[identity.number(resource.writer);]]
  BECOMES [[]]
  FROM_TRIAL 113)
prover_mutant(predicate_sees_only_resources_that_are_asked_for
  IN model/monitor.cpp
  EXPRESSION [[predicates_may_look_ || has(Property::Kind::fenced_writes, event.subject)]]
  BECOMES [[has(Property::Kind::fenced_writes, event.subject)]]
  CAUGHT_BY Predicates.SeeWhoHasWrittenToAResourceThatNoOtherPropertyNames)
prover_mutant(predicate_sees_only_wishes_that_are_asked_for
  IN model/monitor.cpp
  EXPRESSION [[waits && !predicates_may_look_]]
  BECOMES [[waits]]
  CAUGHT_BY Predicates.SeeWhoWantsALockThatNoOtherPropertyNames)
prover_mutant(resource_forgets_the_greatest
  IN model/monitor.cpp
  STATEMENT [[resource.greatest = std::max(resource.greatest, event.fencing);]]
  BECOMES [[resource.greatest = event.fencing;]]
  CAUGHT_BY Rules.EachWriteBehindTheGreatestTokenIsStale)
