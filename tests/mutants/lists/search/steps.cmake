# Steps, faults among them: which are possible, what they do, how they are packed and remembered.

# --- parts.hpp ----------------------------------------------------------------------------------

mutant(time_ends_an_instant_early
  IN simulator/src/model/parts.hpp
  EXPRESSION [[time >= engine.last_instant]]
  MUTATED [[time + 1 >= engine.last_instant]]
  FROM_TRIAL 2)

mutant(nothing_happens_when_all_have_ended
  IN simulator/src/model/parts.hpp
  EXPRESSION [[engine.writes_may_be_undone || engine.looks_after_end]]
  MUTATED [[engine.looks_after_end]]
  FROM_TRIAL 205053)
mutant(steps_after_the_end_are_not_seen
  IN simulator/src/model/parts.hpp
  EXPRESSION [[engine.writes_may_be_undone || engine.looks_after_end]]
  MUTATED [[engine.writes_may_be_undone]]
  TEST StepProperties.SeeWhatAFaultDoesWhenAllClientsHaveEnded)
mutant(time_after_the_end_goes_on_for_ever
  IN simulator/src/model/parts.hpp
  EXPRESSION [[engine.looks_after_end && awaits_end(engine, state)]]
  MUTATED [[engine.looks_after_end]]
  TEST StepProperties.SeeNoTimeThatEndsNothing)
mutant(time_after_the_end_is_not_seen
  IN simulator/src/model/parts.hpp
  EXPRESSION [[engine.looks_after_end && awaits_end(engine, state)]]
  MUTATED [[false]]
  TEST StepProperties.SeeWhatTimeDoesWhenAllClientsHaveEnded)

# --- expand_answers.hpp -------------------------------------------------------------------------

mutant(answers_arrive_at_once
  IN simulator/src/model/expand_answers.hpp
  EXPRESSION [[alone && !engine_.looks_between]]
  MUTATED [[!engine_.looks_between]]
  FROM_TRIAL 4)
mutant(answers_wait_for_no_clock
  IN simulator/src/model/expand_answers.hpp
  EXPRESSION [[!(told.reads_clock && clocks_may_change())]]
  MUTATED [[true]]
  FROM_TRIAL 4)
mutant(answers_are_held_for_nothing
  IN simulator/src/model/expand_answers.hpp
  STATEMENT [[answer_later(state, client, slot, edit, reply, detail);]]
  MUTATED [[]]
  FROM_TRIAL 6)
mutant(subscriptions_end_with_the_last_request
  IN simulator/src/model/expand_answers.hpp
  EXPRESSION [[told.ends_client && engine_.process(client).listens_after(state[client], edit, slot)]]
  MUTATED [[false]]
  TEST LastAnswer.OfAClientThatListensLeavesItListeningUntilItHasCome)
mutant(subscriptions_end_before_their_publishers_ask
  IN simulator/src/model/expand_answers.hpp
  EXPRESSION [[told.ends_client && engine_.process(client).listens_after(state[client], edit, slot)]]
  MUTATED [[false]]
  FROM_TRIAL 23)
mutant(beliefs_end_with_the_last_request
  IN simulator/src/model/expand_answers.hpp
  STATEMENT [[if (told.ends_belief) return true;]]
  MUTATED [[]]
  TEST LastAnswer.ThatEndsABeliefLeavesItUntilItHasCome)

# --- expander.hpp: what is lost when connections break -------------------------------------------

mutant(broken_connections_lose_no_answer
  IN simulator/src/model/expander.hpp
  STATEMENT [[if (told == D::none) await_break(next, client, move, detail, edit, Action::Lost::answer);]]
  MUTATED [[]]
  TEST ByFault/BrokenConnections.LoseAnswers/restart)
mutant(lost_answers_are_told_before_the_break
  IN simulator/src/model/expander.hpp
  EXPRESSION [[!move.awaits_break]]
  MUTATED [[true]]
  TEST ByFault/BrokenConnections.LoseOneRequestAfterTheOtherOnlyIfTheyBreakTwice/restart)
mutant(the_fault_of_a_break_is_not_kept
  IN simulator/src/model/expand_answers.hpp
  STATEMENT [[next.set(engine_.budget_component(), budgets.keep_for_break(budget, move.server));]]
  MUTATED [[]]
  FROM_TRIAL 1)
mutant(a_break_to_come_lets_nobody_move
  IN simulator/src/model/expander.hpp
  EXPRESSION [[enabled || move.awaits_break]]
  MUTATED [[enabled]]
  FROM_TRIAL 1)
mutant(what_awaits_a_break_goes_on_for_ever
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[!engine_.budgets().breaks_are_to_come(state[engine_.budget_component()])]]
  MUTATED [[true]]
  TEST ByFault/BrokenConnections.LeaveNobodyInADeadlockNorWaitingForEver/restart)

# --- widths.hpp ---------------------------------------------------------------------------------

mutant(everything_fits
  IN simulator/src/base/widths.hpp
  EXPRESSION [[count <= most]]
  MUTATED [[true]]
  TEST Widths.MoreOfAnythingThanFitsGivesNoVerdict)

# --- expand_faults.hpp --------------------------------------------------------------------------

mutant(nobody_notes_a_crash
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[restarts ? engine_.restart_cause : engine_.crash_cause]]
  MUTATED [[restarts ? engine_.restart_cause : 0]]
  TEST Scenario.AClientThatCrashedInsideHasLeft)
mutant(clock_back_goes_forward
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[budgets.move_wall(budget_, Fault::clock_back, client, -1)]]
  MUTATED [[budgets.move_wall(budget_, Fault::clock_back, client, 1)]]
  TEST LeaseExclusion.CountsByTheClockThatTheClientNames)
mutant(replica_has_the_same_clock
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[engine_.scenario().replica().instants_ahead]]
  MUTATED [[0]]
  TEST Scenario.AReplicaMissesAWriteOrHasAClockOfItsOwn)
mutant(restart_empty_keeps_its_keys
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[stores.empty()]]
  MUTATED [[store]]
  TEST ByFault/BrokenConnections.LoseAnswers/restart_empty)
mutant(the_done_have_faults
  IN simulator/src/model/expand_faults.hpp
  STATEMENT [[if (info.finished) return refuse_faults_of_client(client, end_of(info));]]
  MUTATED [[]]
  TEST SmallScenarios/ReferenceSearch.MergesWithSymmetryWhatDiffersInNamesAlone/10)

mutant(late_write_never_arrives
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[fault == Fault::lost_write ? Edit::none : Edit::leave_behind]]
  MUTATED [[Edit::none]]
  TEST WritesOverANetwork.ThatComeLateLandAfterThoseOfTheNextHolder)
mutant(lost_write_arrives_late
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[fault == Fault::lost_write ? Edit::none : Edit::leave_behind]]
  MUTATED [[Edit::leave_behind]]
  TEST WritesOverANetwork.ThatAreLostDoNotLand)
mutant(duplicate_write_arrives_once
  IN simulator/src/model/expand_faults.hpp
  EXPRESSION [[fault == Fault::lost_write ? Edit::none : Edit::leave_behind]]
  MUTATED [[fault == Fault::late_write ? Edit::leave_behind : Edit::none]]
  TEST WritesOverANetwork.ThatComeTwiceLandAgainAfterThoseOfTheNextHolder)

# --- expander.hpp -------------------------------------------------------------------------------

mutant(sleep_by_the_other_clock
  IN simulator/src/model/expander.hpp
  EXPRESSION [[(move.wall ? now.wall : now.monotonic)]]
  MUTATED [[now.monotonic]]
  TEST Rules.OnlyASleepByTheWallClockEndsWhenThatIsSet)
mutant(late_requests_are_moves
  IN simulator/src/model/expander.hpp
  EXPRESSION [[move.kind != TaskMoveKind::late && !comes]]
  MUTATED [[!comes]]
  FROM_TRIAL 9)
mutant(broken_connection_is_always_mended
  IN simulator/src/model/expand_answers.hpp
  STATEMENT [[if (!move.broken) return;]]
  MUTATED [[return;]]
  TEST Messages/InARun.TheEndOfASubscriptionIsShownAndReplayed/restart)
mutant(a_client_goes_on_as_it_leaves
  IN simulator/src/model/expand_answers.hpp
  STATEMENT [[answer_later(next, client, move.slot, Edit::none, engine_.nil, detail);]]
  MUTATED [[]]
  TEST Moments.AfterALeaveAreThereForOthersToo)
mutant(nothing_lies_between_a_section_and_what_follows
  IN simulator/src/model/expand_answers.hpp
  STATEMENT [[answer_later(next, client, move.slot, Edit::none, engine_.nil, detail);]]
  MUTATED [[]]
  FROM_TRIAL 7)
mutant(subscriptions_end_as_their_clients_are_told
  IN simulator/src/model/expand_answers.hpp
  STATEMENT [[answer(state, client, move.slot, Edit::unsubscribe, engine_.unavailable, detail);]]
  MUTATED [[answer_now(state, client, move.slot, Edit::unsubscribe, engine_.unavailable, detail);]]
  TEST Moments.AfterTheEndOfASubscriptionMayLast)
mutant(start_and_first_request_are_one
  IN simulator/src/model/expander.hpp
  EXPRESSION [[!asks || engine_.looks_between || may_restart(state) ||
          (results.reads_clock && clocks_may_change())]]
  MUTATED [[!asks]]
  TEST Scenario.APredicateSeesAClientThatHasBegunAndAskedForNothing)
mutant(stores_do_not_age
  IN simulator/src/model/expand_time.hpp
  STATEMENT [[age_stores(next, budget_of(next), static_cast<std::int32_t>(time_ + 1));]]
  MUTATED [[]]
  TEST LeaseExclusion.TheThickBarEndsWithTheLease)
mutant(publisher_does_not_hear_itself
  IN simulator/src/model/expander.hpp
  STATEMENT [[state.set(mover, engine_.after_hearing(mover, state[mover], server, messages));]]
  MUTATED [[]]
  TEST Rules.WhoReleasesHearsItToo)

# --- step_table.hpp -----------------------------------------------------------------------------

mutant(globals_are_mixed_up
  IN simulator/src/search/step_table.hpp
  EXPRESSION [[std::uint64_t{globals} << 32]]
  MUTATED [[std::uint64_t{globals & 7} << 32]]
  TEST IdenticalClients.AreWhoTheyAreInTheRunThatIsTold)
mutant(what_one_is_told_all_are_told
  IN simulator/src/search/step_table.hpp
  EXPRESSION [[std::uint64_t{client} << 59]]
  MUTATED [[std::uint64_t{0}]]
  TEST Rules.MessagesOfTwoServersAreTwo)
mutant(servers_are_mixed_up
  IN simulator/src/search/step_table.hpp
  EXPRESSION [[std::uint64_t{detail.server} << 56]]
  MUTATED [[std::uint64_t{0}]]
  TEST Rules.MessagesOfTwoServersAreTwo)
mutant(steps_that_depend_on_others_are_remembered
  IN simulator/src/search/step_table.hpp
  EXPRESSION [[expander.depended_on_others() ? 1 : 0]]
  MUTATED [[0]]
  TEST Deadlock.IsFoundWithTheFaultThatItNeeds)

# --- expand_faults.hpp --------------------------------------------------------------------------

mutant(lost_message_is_heard
  IN simulator/src/model/expand_faults.hpp
  STATEMENT
    [[operation(spent(state, Fault::lost_message), client, move, one, Edit::none, D::none, other);]]
  MUTATED
    [[operation(spent(state, Fault::lost_message), client, move, one, Edit::none, D::none, no_skip);]]
  TEST Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)

# --- action.hpp ---------------------------------------------------------------------------------

mutant(actors_have_one_bit
  IN simulator/src/model/action.hpp
  EXPRESSION [[code_ >> 24 & 7]]
  MUTATED [[code_ >> 24 & 1]]
  TEST IdenticalClients.AreWhoTheyAreInTheRunThatIsTold)
mutant(keys_have_no_number
  IN simulator/src/model/action.hpp
  EXPRESSION [[code_ >> 11 & (variants - 1)]]
  MUTATED [[code_ >> 11 & (hows - 1)]]
  TEST Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)

# --- breadth_first.hpp --------------------------------------------------------------------------

mutant(one_fault_less
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[faults_ <= most_faults]]
  MUTATED [[faults_ < std::max<std::size_t>(most_faults, 1)]]
  TEST Rules.AMessageIsMissedIfItIsLostAndNotOtherwise)
mutant(worlds_are_not_looked_at
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[looks_at_states_ && found.is_new]]
  MUTATED [[false]]
  TEST Rules.AWaitThatEndsInTimeIsNotInVain)

# --- why a step is not possible ------------------------------------------------------------------

mutant(the_last_fault_is_one_of_its_kind
  IN simulator/src/model/budget_table.hpp
  EXPRESSION [[content.total >= limits_.total()]]
  MUTATED [[false]]
  TEST Game.SaysWhyAClientCannotMove)
mutant(crashed_clients_are_done
  IN simulator/src/model/expander.hpp
  EXPRESSION [[info.crashed ? Obstacle::has_crashed : Obstacle::is_done]]
  MUTATED [[Obstacle::is_done]]
  TEST Game.SaysWhyAClientCannotMove)
mutant(no_reason_is_more_lasting_than_the_budgets
  IN simulator/src/model/expand_refusals.hpp
  EXPRESSION [[std::max(why, engine_.budgets().obstacle(budget_, fault, server))]]
  MUTATED [[engine_.budgets().obstacle(budget_, fault, server)]]
  TEST Game.AnswersWhyAStepIsNotPossible)
