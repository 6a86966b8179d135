# The world as states are judged, and as predicates and readers see it.

# --- state_properties.cpp, snapshot.cpp, world.cpp -----------------------------------------------

mutant(evicted_key_is_the_first
  IN simulator/src/model/snapshot.cpp
  EXPRESSION [[Action::from_code(step.code).variant()]]
  MUTATED [[0]]
  TEST ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
mutant(evicted_key_is_on_any_server
  IN simulator/src/model/snapshot.cpp
  EXPRESSION [[key.server == step.server]]
  MUTATED [[true]]
  TEST ScheduleSteps.WithServersThatFailAndClocksThatAreSet)
mutant(requests_of_the_dead_leave_no_orphan
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[!info.finished || info.moves > 0]]
  MUTATED [[!info.finished]]
  TEST World.AKeyThatIsStillToBeErasedIsNoOrphan)
mutant(orphans_before_the_end
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[!all_finished(engine, state)]]
  MUTATED [[false]]
  TEST World.AKeyThatIsStillToBeErasedIsNoOrphan)
mutant(orphans_of_the_first_server_alone
  IN simulator/src/model/state_properties.cpp
  STATEMENT [[if (engine.stores().stays(state[engine.store_component(server)], key)) return true;]]
  MUTATED [[if (server == 0 && engine.stores().stays(state[engine.store_component(server)], key)) return true;]]
  TEST World.AnOrphanMayBeOnAnyServer)
mutant(waits_that_end_are_in_vain
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[!table.message_due_within(state[client], now, instants)]]
  MUTATED [[true]]
  TEST Rules.AWaitThatEndsInTimeIsNotInVain)
mutant(bound_of_a_wait_is_rounded_down
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[property.within + scenario.apart() - Duration(1)]]
  MUTATED [[property.within]]
  TEST World.AWaitEndsInTimeByWholeInstants)
mutant(unheard_grant_of_another_lock
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[stored.key.text() != property.subject]]
  MUTATED [[false]]
  TEST World.AGrantIsUnheardByItsOwnerAlone)
mutant(those_who_hold_nothing_are_granted
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[holds && waits_in_vain(engine, state, client, property)]]
  MUTATED [[waits_in_vain(engine, state, client, property)]]
  TEST World.AGrantIsUnheardByItsOwnerAlone)
mutant(the_crashed_are_gone
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[info.finished && !info.crashed]]
  MUTATED [[info.finished]]
  TEST GoneLeaveNothing.SaysNothingOfTheCrashed)
mutant(last_requests_always_arrive
  IN simulator/src/model/state_properties.cpp
  STATEMENT [[if (may_take_last_requests(engine.scenario().faults())) return false;]]
  MUTATED [[]]
  TEST GoneLeaveNothing.LooksOnlyAtReleasesWhereALastRequestMayNotArriveInTime)
mutant(gone_may_leave_places
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[stored.key != key && stored.key != queue]]
  MUTATED [[stored.key != key]]
  TEST GoneLeaveNothing.IsBrokenByAPlaceInTheQueueThatIsNotGivenUp)
mutant(wake_up_is_lost_before_a_release
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[!released]]
  MUTATED [[false]]
  TEST Rules.AKeyThatAReplicaBringsBackIsReleasedNoMore)
mutant(release_of_another_lock_wakes
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[lock.released && lock.name == property.subject]]
  MUTATED [[lock.released]]
  TEST World.AWakeUpOfOneLockIsNotThatOfAnother)
mutant(last_client_never_waits_in_vain
  IN simulator/src/model/state_properties.cpp
  STATEMENT [[if (waits_in_vain(engine, state, client, property)) return true;]]
  MUTATED [[if (client + 1 < engine.clients() && waits_in_vain(engine, state, client, property)) return true;]]
  TEST World.TheLastClientMayWaitInVainToo)
mutant(predicate_sees_absolute_expiries
  IN simulator/src/model/snapshot.cpp
  EXPRESSION [[*stored.entry.expiry - std::chrono::duration_cast<milliseconds>(now.time_since_epoch())]]
  MUTATED [[*stored.entry.expiry]]
  TEST LeaseExclusion.TheThickBarEndsWithTheLease)
mutant(predicate_sees_wishes_of_the_dead
  IN simulator/src/model/snapshot.cpp
  EXPRESSION [[(lock.waiting >> client & 1) != 0 && !info.finished]]
  MUTATED [[(lock.waiting >> client & 1) != 0]]
  TEST World.WhoHasEndedWantsNothing)
mutant(predicate_sees_nobody_inside
  IN simulator/src/model/snapshot.cpp
  STATEMENT [[if ((engine.monitor().believers(lock) >> client & 1) != 0) view.inside.push_back(lock.name);]]
  MUTATED [[]]
  TEST Scenario.APredicateSeesTheMomentBeforeTheAnswer)
mutant(predicate_sees_the_first_server_alone
  IN simulator/src/model/snapshot.cpp
  STATEMENT [[key.server = server;]]
  MUTATED [[key.server = 0;]]
  TEST World.APredicateSeesTimeAndFaultsAndServers)
mutant(predicate_sees_no_time
  IN simulator/src/model/snapshot.cpp
  STATEMENT [[view.time = engine.scenario().apart() * state[engine.time_component()];]]
  MUTATED [[]]
  TEST LeaseExclusion.TheThickBarEndsWithTheLease)
mutant(predicate_sees_no_faults
  IN simulator/src/model/snapshot.cpp
  STATEMENT [=[view.faults = engine.budgets()[state[engine.budget_component()]].total;]=]
  MUTATED [[]]
  TEST IdenticalClients.LoseTheKeysThatAreTheirsInTheRunThatIsTold)
mutant(predicates_always_hold
  IN simulator/src/model/predicates.cpp
  EXPRESSION [[sim::ask(predicate, seen, thrown)]]
  MUTATED [[true]]
  TEST Rules.AnyOfManyKeysMayBeEvicted)
mutant(first_property_of_states_alone
  IN simulator/src/model/state_properties.cpp
  STATEMENT [[if (!is_about_states(properties[at])) continue;]]
  MUTATED [[if (at > 0 || !is_about_states(properties[at])) continue;]]
  TEST HonestSearch.SaysThatTheBeginningIsWrong)
mutant(deadlock_of_a_run_is_not_told
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[expander.is_deadlock(state)]]
  MUTATED [[false]]
  TEST Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
mutant(replayed_answer_in_anothers_words
  IN simulator/src/run/world.cpp
  STATEMENT [[reply = renamed(reply, Permutation::swap(engine.class_of(*step.client), *step.client));]]
  MUTATED [[]]
  TEST World.AnAnswerThatWasOnItsWayIsToldInTrueWords)
mutant(violated_property_is_the_next
  IN simulator/src/run/world.cpp
  EXPRESSION [[broken - 1U]]
  MUTATED [[broken % engine.scenario().properties().size()]]
  TEST Deadlock.AClientThatWaitsForEverIsFoundOnTheShortestWay)
mutant(endless_time_stands_still
  IN simulator/src/run/world.cpp
  EXPRESSION [[step.kind == StepKind::time || step.fault == Fault::pause]]
  MUTATED [[false]]
  TEST EndlessTime.EvenIfAHolderCrashesBecauseKeysExpire)

# Not in the list, because no run can show them:
# - That lost_wake_up() looks whether the key is there: an operation or a fault that brings the key
#   back is told to the monitor, which then calls it released no more.
# - That waits_in_vain() looks at `deaf`: it saves time alone, for a client that waits for no message
#   has no wait that ends too late.
