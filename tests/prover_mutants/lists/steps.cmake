# Steps, faults among them: which are possible, what they do, how they are packed and remembered.

# --- parts.hpp ----------------------------------------------------------------------------------

prover_mutant(time_ends_an_instant_early
  IN model/parts.hpp
  EXPRESSION [[all.over || time >= engine.last_instant]]
  BECOMES [[all.over || time + 1 >= engine.last_instant]]
  FROM_TRIAL 2)

prover_mutant(nothing_happens_when_all_have_ended
  IN model/parts.hpp
  EXPRESSION [[all.over && !engine.writes_may_be_undone]]
  BECOMES [[all.over]]
  FROM_TRIAL 205053)

# --- expand_answers.hpp -------------------------------------------------------------------------

prover_mutant(answers_arrive_at_once
  IN model/expand_answers.hpp
  EXPRESSION [[alone && !engine_.looks_between]]
  BECOMES [[!engine_.looks_between]]
  FROM_TRIAL 4)
prover_mutant(answers_wait_for_no_clock
  IN model/expand_answers.hpp
  EXPRESSION [[!(told.reads_clock && clocks_may_change())]]
  BECOMES [[true]]
  FROM_TRIAL 4)
prover_mutant(answers_are_held_for_nothing
  IN model/expand_answers.hpp
  STATEMENT [[answer_later(state, client, slot, edit, reply, detail);]]
  BECOMES [[]]
  FROM_TRIAL 6)
prover_mutant(subscriptions_end_with_the_last_request
  IN model/expand_answers.hpp
  EXPRESSION [[told.ends_client && engine_.process(client).listens_after(state[client], edit, slot)]]
  BECOMES [[false]]
  CAUGHT_BY LastAnswer.OfAClientThatListensLeavesItListeningUntilItHasCome)
prover_mutant(subscriptions_end_before_their_publishers_ask
  IN model/expand_answers.hpp
  EXPRESSION [[told.ends_client && engine_.process(client).listens_after(state[client], edit, slot)]]
  BECOMES [[false]]
  FROM_TRIAL 23)
prover_mutant(beliefs_end_with_the_last_request
  IN model/expand_answers.hpp
  STATEMENT [[if (told.ends_belief) return true;]]
  BECOMES [[]]
  CAUGHT_BY LastAnswer.ThatEndsABeliefLeavesItUntilItHasCome)

# --- expander.hpp: what is lost when connections break -------------------------------------------

prover_mutant(broken_connections_lose_no_answer
  IN model/expander.hpp
  STATEMENT [[if (told == D::none) await_break(next, client, move, detail, edit, Action::Lost::answer);]]
  BECOMES [[]]
  CAUGHT_BY ByFault/BrokenConnections.LoseAnswers/restart)
prover_mutant(lost_answers_are_told_before_the_break
  IN model/expander.hpp
  EXPRESSION [[!move.awaits_break]]
  BECOMES [[true]]
  CAUGHT_BY ByFault/BrokenConnections.LoseOneRequestAfterTheOtherOnlyIfTheyBreakTwice/restart)
prover_mutant(the_fault_of_a_break_is_not_kept
  IN model/expand_answers.hpp
  STATEMENT [[next.set(engine_.budget_component(), budgets.keep_for_break(budget, move.server));]]
  BECOMES [[]]
  FROM_TRIAL 1)
prover_mutant(a_break_to_come_lets_nobody_move
  IN model/expander.hpp
  EXPRESSION [[enabled || move.awaits_break]]
  BECOMES [[enabled]]
  FROM_TRIAL 1)
prover_mutant(what_awaits_a_break_goes_on_for_ever
  IN search/liveness.hpp
  STATEMENT [[if (engine_.budgets().breaks_are_to_come(state[engine_.budget_component()])) return false;]]
  BECOMES [[]]
  CAUGHT_BY ByFault/BrokenConnections.LeaveNobodyInADeadlockNorWaitingForEver/restart)

# --- widths.hpp ---------------------------------------------------------------------------------

prover_mutant(everything_fits
  IN base/widths.hpp
  EXPRESSION [[count <= most]]
  BECOMES [[true]]
  CAUGHT_BY Widths.MoreOfAnythingThanFitsGivesNoVerdict)

# --- expand_faults.hpp --------------------------------------------------------------------------

prover_mutant(nobody_notes_a_crash
  IN model/expand_faults.hpp
  STATEMENT [[monitor(next, engine_.crash_cause, client, detail);]]
  BECOMES [[]]
  CAUGHT_BY Scenario.AClientThatCrashedInsideHasLeft)
prover_mutant(clock_back_goes_forward
  IN model/expand_faults.hpp
  EXPRESSION [[budgets.move_wall(budget_, Fault::clock_back, client, -1)]]
  BECOMES [[budgets.move_wall(budget_, Fault::clock_back, client, 1)]]
  CAUGHT_BY LeaseExclusion.CountsByTheClockThatTheClientNames)
prover_mutant(replica_has_the_same_clock
  IN model/expand_faults.hpp
  EXPRESSION [[engine_.scenario().replica().instants_ahead]]
  BECOMES [[0]]
  CAUGHT_BY Scenario.AReplicaMissesAWriteOrHasAClockOfItsOwn)
prover_mutant(restart_empty_keeps_its_keys
  IN model/expand_faults.hpp
  EXPRESSION [[stores.empty()]]
  BECOMES [[store]]
  CAUGHT_BY ByFault/BrokenConnections.LoseAnswers/restart_empty)
prover_mutant(the_done_have_faults
  IN model/expand_faults.hpp
  STATEMENT [[if (info.finished) return;]]
  BECOMES [[]]
  CAUGHT_BY SmallScenarios/ReferenceSearch.MergesWithSymmetryWhatDiffersInNamesAlone/10)

# --- expander.hpp -------------------------------------------------------------------------------

prover_mutant(sleep_by_the_other_clock
  IN model/expander.hpp
  EXPRESSION [[(move.wall ? now.wall : now.monotonic)]]
  BECOMES [[now.monotonic]]
  CAUGHT_BY Rules.OnlyASleepByTheWallClockEndsWhenThatIsSet)
prover_mutant(late_requests_are_moves
  IN model/expander.hpp
  EXPRESSION [[move.kind != TaskMove::Kind::late && !comes]]
  BECOMES [[!comes]]
  FROM_TRIAL 9)
prover_mutant(broken_connection_is_always_mended
  IN model/expander.hpp
  STATEMENT [[if (!move.broken) return;]]
  BECOMES [[return;]]
  CAUGHT_BY Messages/InARun.TheEndOfASubscriptionIsShownAndReplayed/restart)
prover_mutant(a_client_goes_on_as_it_leaves
  IN model/expander.hpp
  STATEMENT [[answer_later(next, client, move.slot, Edit::none, engine_.nil, detail);]]
  BECOMES [[]]
  CAUGHT_BY Moments.AfterALeaveAreThereForOthersToo)
prover_mutant(nothing_lies_between_a_section_and_what_follows
  IN model/expander.hpp
  STATEMENT [[answer_later(next, client, move.slot, Edit::none, engine_.nil, detail);]]
  BECOMES [[]]
  FROM_TRIAL 7)
prover_mutant(subscriptions_end_as_their_clients_are_told
  IN model/expander.hpp
  STATEMENT [[answer(state, client, move.slot, Edit::unsubscribe, engine_.unavailable, detail);]]
  BECOMES [[answer_now(state, client, move.slot, Edit::unsubscribe, engine_.unavailable, detail);]]
  CAUGHT_BY Moments.AfterTheEndOfASubscriptionMayLast)
prover_mutant(start_and_first_request_are_one
  IN model/expander.hpp
  EXPRESSION [[!asks || engine_.looks_between || (results.reads_clock && clocks_may_change())]]
  BECOMES [[!asks]]
  CAUGHT_BY Scenario.APredicateSeesAClientThatHasBegunAndAskedForNothing)
prover_mutant(stores_do_not_age
  IN model/expander.hpp
  STATEMENT [[age_stores(next, budget_of(next), static_cast<std::int32_t>(time_ + 1));]]
  BECOMES [[]]
  CAUGHT_BY LeaseExclusion.TheThickBarEndsWithTheLease)
prover_mutant(publisher_does_not_hear_itself
  IN model/expander.hpp
  STATEMENT [[state.set(mover, engine_.after_hearing(mover, state[mover], server, messages));]]
  BECOMES [[]]
  CAUGHT_BY Rules.WhoReleasesHearsItToo)

# --- step_table.hpp -----------------------------------------------------------------------------

prover_mutant(globals_are_mixed_up
  IN search/step_table.hpp
  EXPRESSION [[std::uint64_t{globals} << 32]]
  BECOMES [[std::uint64_t{globals & 7} << 32]]
  CAUGHT_BY IdenticalClients.AreWhoTheyAreInTheRunThatIsTold)
prover_mutant(what_one_is_told_all_are_told
  IN search/step_table.hpp
  EXPRESSION [[std::uint64_t{client} << 59]]
  BECOMES [[std::uint64_t{0}]]
  CAUGHT_BY Rules.MessagesOfTwoServersAreTwo)
prover_mutant(servers_are_mixed_up
  IN search/step_table.hpp
  EXPRESSION [[std::uint64_t{detail.server} << 56]]
  BECOMES [[std::uint64_t{0}]]
  CAUGHT_BY Rules.MessagesOfTwoServersAreTwo)
prover_mutant(steps_that_depend_on_others_are_remembered
  IN search/step_table.hpp
  EXPRESSION [[expander.depended_on_others() ? 1 : 0]]
  BECOMES [[0]]
  CAUGHT_BY Deadlock.IsFoundWithTheFaultThatItNeeds)

# --- expand_faults.hpp --------------------------------------------------------------------------

prover_mutant(lost_message_is_heard
  IN model/expand_faults.hpp
  STATEMENT [[operation(next, client, move, one, Edit::none, D::none, other);]]
  BECOMES [[operation(next, client, move, one, Edit::none, D::none, no_skip);]]
  CAUGHT_BY Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)

# --- action.hpp ---------------------------------------------------------------------------------

prover_mutant(actors_have_one_bit
  IN model/action.hpp
  EXPRESSION [[code_ >> 24 & 7]]
  BECOMES [[code_ >> 24 & 1]]
  CAUGHT_BY IdenticalClients.AreWhoTheyAreInTheRunThatIsTold)
prover_mutant(keys_have_no_number
  IN model/action.hpp
  EXPRESSION [[code_ >> 11 & (variants - 1)]]
  BECOMES [[code_ >> 11 & (hows - 1)]]
  CAUGHT_BY Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)

# --- search.cpp ---------------------------------------------------------------------------------

prover_mutant(one_fault_less
  IN search/search.cpp
  EXPRESSION [[faults_ <= most_faults]]
  BECOMES [[faults_ < std::max<std::size_t>(most_faults, 1)]]
  CAUGHT_BY Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)
prover_mutant(worlds_are_not_looked_at
  IN search/search.cpp
  EXPRESSION [[looks_at_states_ && found.is_new]]
  BECOMES [[false]]
  CAUGHT_BY Rules.AWaitThatEndsInTimeIsNotInVain)
