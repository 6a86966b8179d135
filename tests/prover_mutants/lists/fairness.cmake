# What must happen at last: loops that a fair world may go round for ever.

# --- fair_graph.hpp -----------------------------------------------------------------------------

prover_mutant(unfair_loops_count
  IN search/fair_graph.hpp
  STATEMENT [[if (!always_.within(moved_)) return Answer::unfair;]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.AStepThatLeavesIsNoTurn)
prover_mutant(time_ends_and_nobody_asks
  IN search/fair_graph.hpp
  EXPRESSION [[needs_time_ && !time_passes_]]
  BECOMES [[false]]
  CAUGHT_BY FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)

# --- fair_graph.cpp -----------------------------------------------------------------------------

prover_mutant(stuck_for_ever_is_no_loop
  IN search/fair_graph.cpp
  EXPRESSION [[!goes_round && !stuck]]
  BECOMES [[!goes_round]]
  CAUGHT_BY FairGraph.AStateWithoutAStepIsTheEnd)
prover_mutant(components_are_too_small
  IN search/fair_graph.cpp
  STATEMENT [[frame.low = std::min(frame.low, number_[to]);]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.ALongLoopComesBackToWhereItBegins)
prover_mutant(loop_of_the_last_entry
  IN search/fair_graph.cpp
  STATEMENT [[if (!best.empty() && best.front() <= entry) return;]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.OfTwoLoopsTheFirstIsTold)

# --- liveness.hpp -------------------------------------------------------------------------------

prover_mutant(the_done_wait
  IN search/liveness.hpp
  EXPRESSION [[!engine_.process(client).info(state[client]).finished]]
  BECOMES [[true]]
  CAUGHT_BY Waiters.AreNoMoreWhenTheyHaveEnded)
prover_mutant(clock_readings_do_not_need_time
  IN search/liveness.hpp
  STATEMENT [[edge.reads_clock = detail.reads_clock;]]
  BECOMES [[]]
  CAUGHT_BY Waiters.WhoLookAtTheirClocksMayEndYet)

# --- search.cpp ---------------------------------------------------------------------------------

prover_mutant(loops_are_not_looked_for
  IN search/search.cpp
  EXPRESSION [[!over_ && result_.violated == 0 && engine_.scenario().requires_liveness()]]
  BECOMES [[false]]
  CAUGHT_BY Liveness.AChoiceMayGoAgainstTheClientForEver)

# --- fair_graph.hpp -----------------------------------------------------------------------------

prover_mutant(nobody_can_move_all_along
  IN search/fair_graph.hpp
  STATEMENT [[always_.keep(enabled);]]
  BECOMES [[always_ = enabled;]]
  CAUGHT_BY FairGraph.WhoCannotMoveInOneStateMayBePassedOver)
prover_mutant(everybody_can_move_all_along
  IN search/fair_graph.hpp
  STATEMENT [[always_.keep(enabled);]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.ALongLoopComesBackToWhereItBegins)
prover_mutant(waits_for_time_are_not_seen
  IN search/fair_graph.hpp
  STATEMENT [[needs_time_ = needs_time_ || awaits_time;]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)
prover_mutant(time_that_passes_is_not_seen
  IN search/fair_graph.hpp
  STATEMENT [[time_passes_ = time_passes_ || enabled.has(Agent::time);]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)
prover_mutant(tasks_of_a_client_are_one_party
  IN search/fair_graph.hpp
  EXPRESSION [[action.actor() << 4 | slot]]
  BECOMES [[action.actor() << 4]]
  CAUGHT_BY Liveness.EachTaskOfAClientMovesAtLast)
prover_mutant(requests_left_behind_are_no_party
  IN search/fair_graph.hpp
  STATEMENT [[if (action.late()) slot = left_behind;]]
  BECOMES [[]]
  CAUGHT_BY Waiters.ForALateRequestAcquireBecauseItArrivesAtLast)
prover_mutant(clients_are_one_party
  IN search/fair_graph.hpp
  EXPRESSION [[action.actor() << 4 | slot]]
  BECOMES [[slot]]
  CAUGHT_BY Liveness.AClientThatCanMoveMovesAtLast)

# --- fair_graph.cpp -----------------------------------------------------------------------------

prover_mutant(what_a_search_below_finds_is_not_handed_up
  IN search/fair_graph.cpp
  STATEMENT [[if (!frames.empty()) frames.back().low = std::min(frames.back().low, done.low);]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.ALoopIsFoundThroughAllOfIt)
prover_mutant(loops_go_through_other_states
  IN search/fair_graph.cpp
  STATEMENT [[if (!inside(to)) continue;]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.WhoCanMoveAllAlongAndNeverDoesIsNeglected)
prover_mutant(first_component_alone_is_looked_at
  IN search/fair_graph.cpp
  EXPRESSION [[number_[root] == 0 && inside(root)]]
  BECOMES [[root == 0 && inside(root)]]
  CAUGHT_BY Liveness.AChoiceMayGoAgainstTheClientForEver)
prover_mutant(steps_that_leave_go_round
  IN search/fair_graph.cpp
  STATEMENT [[if (number_[step.to] == closed || number_[step.to] < least) continue;]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.AStateWithoutAStepIsTheEnd)
prover_mutant(steps_to_components_before_go_round
  IN search/fair_graph.cpp
  EXPRESSION [[number_[step.to] == closed || number_[step.to] < least]]
  BECOMES [[number_[step.to] < least]]
  CAUGHT_BY FairGraph.AStateWithoutAStepIsTheEnd)
prover_mutant(steps_to_what_lies_below_go_round
  IN search/fair_graph.cpp
  EXPRESSION [[number_[step.to] == closed || number_[step.to] < least]]
  BECOMES [[number_[step.to] == closed]]
  CAUGHT_BY FairGraph.WhoCanMoveAllAlongAndNeverDoesIsNeglected)
prover_mutant(members_stay_open
  IN search/fair_graph.cpp
  STATEMENT [=[for (std::size_t at = first; at < stack.size(); ++at) number_[stack[at]] = closed;]=]
  BECOMES [[]]
  CAUGHT_BY FairGraph.AStateWithoutAStepIsTheEnd)
prover_mutant(end_of_time_is_no_reason_to_doubt
  IN search/fair_graph.cpp
  STATEMENT [[found.time_ends = true;]]
  BECOMES [[]]
  CAUGHT_BY FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)
prover_mutant(told_loop_neglects_somebody
  IN search/fair_graph.cpp
  EXPRESSION [[at == entry_ && done == all - 1]]
  BECOMES [[at == entry_]]
  CAUGHT_BY Liveness.LocksTakenInTwoOrdersBlockEachOther)
prover_mutant(who_cannot_move_is_due
  IN search/fair_graph.cpp
  EXPRESSION [=[at_rest_[index_of(edge.to)]]=]
  BECOMES [[0]]
  CAUGHT_BY FairGraph.ATurnIsAlsoHadWhereOneCannotMove)
prover_mutant(long_loop_goes_nowhere
  IN search/fair_graph.cpp
  EXPRESSION [[done != all || at != entry_]]
  BECOMES [[done != all]]
  CAUGHT_BY FairGraph.ALongLoopComesBackToWhereItBegins)

# --- liveness.hpp -------------------------------------------------------------------------------

prover_mutant(first_client_alone_must_acquire
  IN search/liveness.hpp
  EXPRESSION [[engine_.scenario().symmetry() && engine_.class_of(client) != client]]
  BECOMES [[client != 0]]
  CAUGHT_BY Waiters.AreLookedAtWhicheverClientTheyAre)
prover_mutant(first_property_alone_is_looked_at
  IN search/liveness.hpp
  STATEMENT [[if (!properties[at].is_liveness()) continue;]]
  BECOMES [[if (at > 0 || !properties[at].is_liveness()) continue;]]
  CAUGHT_BY Waiters.OfEachLockAreLookedAtByThemselves)
prover_mutant(waiters_for_every_lock
  IN search/liveness.hpp
  EXPRESSION [[one.name == lock]]
  BECOMES [[true]]
  CAUGHT_BY Waiters.OfEachLockAreLookedAtByThemselves)
prover_mutant(end_of_time_is_not_told
  IN search/liveness.hpp
  EXPRESSION [[found.time_ends && result_.time_ends_for.empty()]]
  BECOMES [[false]]
  CAUGHT_BY Liveness.SaysThatTimeEndedTooEarly)
prover_mutant(later_loop_is_told
  IN search/liveness.hpp
  EXPRESSION [[result_.violated != 0 && result_.entry <= found.lasso->entry]]
  BECOMES [[false]]
  CAUGHT_BY Waiters.OfSeveralTheOneThatBeginsFirstIsToldWhicheverClientItIs)
prover_mutant(step_of_another_agent_is_told
  IN search/liveness.hpp
  EXPRESSION [[named || one.to != wanted.to || one.agent != wanted.agent]]
  BECOMES [[named || one.to != wanted.to]]
  CAUGHT_BY Liveness.LocksTakenInTwoOrdersBlockEachOther)

# --- expander.hpp -------------------------------------------------------------------------------

prover_mutant(sleeps_do_not_need_time
  IN model/expander.hpp
  STATEMENT [[if (!is_enabled(move, client) && move.due != Instants::never) return true;]]
  BECOMES [[]]
  CAUGHT_BY Liveness.SaysThatTimeEndedTooEarly)

# --- search.cpp ---------------------------------------------------------------------------------

prover_mutant(bounded_time_proves_that_all_acquire
  IN search/search.cpp
  STATEMENT [[if (!found.time_ends_for.empty()) stop(found.time_ends_for);]]
  BECOMES [[]]
  CAUGHT_BY Liveness.SaysThatTimeEndedTooEarly)

# --- simulation.cpp -----------------------------------------------------------------------------

prover_mutant(run_need_not_come_back
  IN play/simulation.cpp
  EXPRESSION [[!(states[from] == state)]]
  BECOMES [[false]]
  CAUGHT_BY Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)
prover_mutant(unfair_run_is_one_for_ever
  IN play/simulation.cpp
  EXPRESSION [[!unfair.empty()]]
  BECOMES [[false]]
  CAUGHT_BY Lasso.IsReplayedFromOneLine)
prover_mutant(waiting_at_the_beginning_is_enough
  IN play/simulation.cpp
  EXPRESSION [[at <= run.steps.size()]]
  BECOMES [[at <= from]]
  CAUGHT_BY Liveness.ALoopInWhichTheWaiterIsServedStarvesNobody)

# Not in the list: that awaits_time() looks at keys that expire. An operation on one reads the server's
# clock, so that the loop needs time anyway; a key that nobody reads makes the verdict incomplete where
# it could be violated, and never proved.
