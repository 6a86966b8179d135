# The world as states are judged, and as predicates and readers see it.

# --- state_properties.cpp, snapshot.cpp, world.cpp -----------------------------------------------

prover_mutant(evicted_key_is_the_first
  IN model/snapshot.cpp
  EXPRESSION [[Action::from_code(step.code).variant()]]
  BECOMES [[0]]
  CAUGHT_BY ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
prover_mutant(evicted_key_is_on_any_server
  IN model/snapshot.cpp
  EXPRESSION [[key.server == step.server]]
  BECOMES [[true]]
  CAUGHT_BY ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
prover_mutant(requests_of_the_dead_leave_no_orphan
  IN model/state_properties.cpp
  EXPRESSION [[!info.finished || info.moves > 0]]
  BECOMES [[!info.finished]]
  CAUGHT_BY World.AKeyThatIsStillToBeErasedIsNoOrphan)
prover_mutant(orphans_before_the_end
  IN model/state_properties.cpp
  EXPRESSION [[!all_finished(engine, state)]]
  BECOMES [[false]]
  CAUGHT_BY World.AKeyThatIsStillToBeErasedIsNoOrphan)
prover_mutant(orphans_of_the_first_server_alone
  IN model/state_properties.cpp
  STATEMENT [[if (engine.stores().stays(state[engine.store_component(server)], key)) return true;]]
  BECOMES [[if (server == 0 && engine.stores().stays(state[engine.store_component(server)], key)) return true;]]
  CAUGHT_BY World.AnOrphanMayBeOnAnyServer)
prover_mutant(waits_that_end_are_in_vain
  IN model/state_properties.cpp
  EXPRESSION [[!table.message_due_within(state[client], now, instants)]]
  BECOMES [[true]]
  CAUGHT_BY Rules.AWaitThatEndsInTimeIsNotInVain)
prover_mutant(bound_of_a_wait_is_rounded_down
  IN model/state_properties.cpp
  EXPRESSION [[property.within + scenario.apart() - Duration(1)]]
  BECOMES [[property.within]]
  CAUGHT_BY World.AWaitEndsInTimeByWholeInstants)
prover_mutant(unheard_grant_of_another_lock
  IN model/state_properties.cpp
  EXPRESSION [[stored.key.text() != property.subject]]
  BECOMES [[false]]
  CAUGHT_BY World.AGrantIsUnheardByItsOwnerAlone)
prover_mutant(those_who_hold_nothing_are_granted
  IN model/state_properties.cpp
  EXPRESSION [[holds && waits_in_vain(engine, state, client, property)]]
  BECOMES [[waits_in_vain(engine, state, client, property)]]
  CAUGHT_BY World.AGrantIsUnheardByItsOwnerAlone)
prover_mutant(the_crashed_are_gone
  IN model/state_properties.cpp
  EXPRESSION [[info.finished && !info.crashed]]
  BECOMES [[info.finished]]
  CAUGHT_BY GoneLeaveNothing.SaysNothingOfTheCrashed)
prover_mutant(last_requests_always_arrive
  IN model/state_properties.cpp
  STATEMENT [[if (may_take_last_requests(engine.scenario().faults())) return false;]]
  BECOMES [[]]
  CAUGHT_BY GoneLeaveNothing.LooksOnlyAtReleasesWhereALastRequestMayNotArriveInTime)
prover_mutant(gone_may_leave_places
  IN model/state_properties.cpp
  EXPRESSION [[stored.key != key && stored.key != queue]]
  BECOMES [[stored.key != key]]
  CAUGHT_BY GoneLeaveNothing.IsBrokenByAPlaceInTheQueueThatIsNotGivenUp)
prover_mutant(wake_up_is_lost_before_a_release
  IN model/state_properties.cpp
  EXPRESSION [[!released]]
  BECOMES [[false]]
  CAUGHT_BY Rules.AKeyThatAReplicaBringsBackIsReleasedNoMore)
prover_mutant(release_of_another_lock_wakes
  IN model/state_properties.cpp
  EXPRESSION [[lock.released && lock.name == property.subject]]
  BECOMES [[lock.released]]
  CAUGHT_BY World.AWakeUpOfOneLockIsNotThatOfAnother)
prover_mutant(last_client_never_waits_in_vain
  IN model/state_properties.cpp
  STATEMENT [[if (waits_in_vain(engine, state, client, property)) return true;]]
  BECOMES [[if (client + 1 < engine.clients() && waits_in_vain(engine, state, client, property)) return true;]]
  CAUGHT_BY World.TheLastClientMayWaitInVainToo)
prover_mutant(predicate_sees_absolute_expiries
  IN model/snapshot.cpp
  EXPRESSION [[*stored.entry.expiry - std::chrono::duration_cast<milliseconds>(now.time_since_epoch())]]
  BECOMES [[*stored.entry.expiry]]
  CAUGHT_BY LeaseExclusion.TheThickBarEndsWithTheLease)
prover_mutant(predicate_sees_wishes_of_the_dead
  IN model/snapshot.cpp
  EXPRESSION [[(lock.waiting >> client & 1) != 0 && !info.finished]]
  BECOMES [[(lock.waiting >> client & 1) != 0]]
  CAUGHT_BY World.WhoHasEndedWantsNothing)
prover_mutant(predicate_sees_nobody_inside
  IN model/snapshot.cpp
  STATEMENT [[if ((engine.monitor().believers(lock) >> client & 1) != 0) view.inside.push_back(lock.name);]]
  BECOMES [[]]
  CAUGHT_BY Scenario.APredicateSeesTheMomentBeforeTheAnswer)
prover_mutant(predicate_sees_the_first_server_alone
  IN model/snapshot.cpp
  STATEMENT [[key.server = server;]]
  BECOMES [[key.server = 0;]]
  CAUGHT_BY World.APredicateSeesTimeAndFaultsAndServers)
prover_mutant(predicate_sees_no_time
  IN model/snapshot.cpp
  STATEMENT [[view.time = engine.scenario().apart() * state[engine.time_component()];]]
  BECOMES [[]]
  CAUGHT_BY LeaseExclusion.TheThickBarEndsWithTheLease)
prover_mutant(predicate_sees_no_faults
  IN model/snapshot.cpp
  STATEMENT [=[view.faults = engine.budgets()[state[engine.budget_component()]].total;]=]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.LoseTheKeysThatAreTheirsInTheRunThatIsTold)
prover_mutant(predicates_always_hold
  IN model/predicates.cpp
  EXPRESSION [[ask(property.holds, world, thrown)]]
  BECOMES [[true]]
  CAUGHT_BY Rules.AnyOfManyKeysMayBeEvicted)
prover_mutant(first_property_of_states_alone
  IN model/state_properties.cpp
  STATEMENT [[if (!is_about_states(properties[at])) continue;]]
  BECOMES [[if (at > 0 || !is_about_states(properties[at])) continue;]]
  CAUGHT_BY HonestSearch.SaysThatTheBeginningIsWrong)
prover_mutant(deadlock_of_a_run_is_not_told
  IN model/state_properties.cpp
  EXPRESSION [[expander.is_deadlock(state)]]
  BECOMES [[false]]
  CAUGHT_BY Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
prover_mutant(replayed_answer_in_anothers_words
  IN run/world.cpp
  STATEMENT [[reply = renamed(reply, Permutation::swap(engine.class_of(*step.client), *step.client));]]
  BECOMES [[]]
  CAUGHT_BY World.AnAnswerThatWasOnItsWayIsToldInTrueWords)
prover_mutant(violated_property_is_the_next
  IN run/world.cpp
  EXPRESSION [[engine.scenario().properties()[broken - 1U].name]]
  BECOMES [[engine.scenario().properties()[broken % engine.scenario().properties().size()].name]]
  CAUGHT_BY Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
prover_mutant(endless_time_stands_still
  IN run/world.cpp
  EXPRESSION [[step.kind == StepKind::time || step.fault == Fault::pause]]
  BECOMES [[false]]
  CAUGHT_BY EndlessTime.EvenIfAHolderCrashesBecauseKeysExpire)

# Not in the list, because no run can show them:
# - That lost_wake_up() looks whether the key is there: an operation or a fault that brings the key
#   back is told to the monitor, which then calls it released no more.
# - That waits_in_vain() looks at `deaf`: it saves time alone, for a client that waits for no message
#   has no wait that ends too late.
