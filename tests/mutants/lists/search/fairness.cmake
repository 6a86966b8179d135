# What must happen at last: loops that a fair world may go round for ever.

# --- fair_graph.cpp -----------------------------------------------------------------------------

mutant(unfair_loops_count
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (!always_.within(moved_)) return LoopVerdict::unfair;]]
  MUTATED [[]]
  TEST FairGraph.AStepThatLeavesIsNoTurn)
mutant(time_ends_and_nobody_asks
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[needs_time_ && !time_passes_ && !rules_.time_may_stop]]
  MUTATED [[false]]
  TEST FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)
mutant(stuck_for_ever_is_no_loop
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[!goes_round && !stuck && !rules_.may_rest]]
  MUTATED [[!goes_round && !rules_.may_rest]]
  TEST FairGraph.AStateWithoutAStepIsTheEnd)
mutant(components_are_too_small
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[frame.low = std::min(frame.low, number_[to]);]]
  MUTATED [[]]
  TEST FairGraph.ALongLoopComesBackToWhereItBegins)
mutant(loop_of_the_last_entry
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (!best.empty() && place(looking.entry) <= place(entry)) return;]]
  MUTATED [[]]
  TEST FairGraph.OfTwoLoopsTheFirstIsTold)

# --- liveness.hpp -------------------------------------------------------------------------------

mutant(the_done_wait
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[!engine_.process(client).info(state[client]).finished]]
  MUTATED [[true]]
  TEST Waiters.AreNoMoreWhenTheyHaveEnded)
mutant(clock_readings_do_not_need_time
  IN simulator/src/search/liveness.hpp
  STATEMENT [[edge.reads_clock = detail.reads_clock;]]
  MUTATED [[]]
  TEST Waiters.WhoLookAtTheirClocksMayEndYet)

# --- breadth_first.hpp --------------------------------------------------------------------------

mutant(loops_are_not_looked_for
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[!over_ && result_.violated == 0 && engine_.scenario().requires_liveness()]]
  MUTATED [[false]]
  TEST Liveness.AChoiceMayGoAgainstTheClientForEver)

# --- fair_graph.hpp -----------------------------------------------------------------------------

mutant(nobody_can_move_all_along
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[always_.keep(possible.agents);]]
  MUTATED [[always_ = possible.agents;]]
  TEST FairGraph.WhoCannotMoveInOneStateMayBePassedOver)
mutant(everybody_can_move_all_along
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[always_.keep(possible.agents);]]
  MUTATED [[]]
  TEST FairGraph.ALongLoopComesBackToWhereItBegins)
mutant(waits_for_time_are_not_seen
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[needs_time_ = needs_time_ || possible.needs_time;]]
  MUTATED [[]]
  TEST FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)
mutant(time_that_passes_is_not_seen
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[time_passes_ = time_passes_ || possible.agents.has(Agent::time);]]
  MUTATED [[]]
  TEST FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)
mutant(tasks_of_a_client_are_one_party
  IN simulator/src/search/fair_graph.hpp
  EXPRESSION [[action.actor() << 4 | slot]]
  MUTATED [[action.actor() << 4]]
  TEST Liveness.EachTaskOfAClientMovesAtLast)
mutant(requests_left_behind_are_no_party
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[if (action.late()) slot = left_behind;]]
  MUTATED [[]]
  TEST Waiters.ForALateRequestAcquireBecauseItArrivesAtLast)
mutant(clients_are_one_party
  IN simulator/src/search/fair_graph.hpp
  EXPRESSION [[action.actor() << 4 | slot]]
  MUTATED [[slot]]
  TEST Liveness.AClientThatCanMoveMovesAtLast)

# --- fair_graph.cpp -----------------------------------------------------------------------------

mutant(what_a_search_below_finds_is_not_handed_up
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (!frames.empty()) frames.back().low = std::min(frames.back().low, done.low);]]
  MUTATED [[]]
  TEST FairGraph.ALoopIsFoundThroughAllOfIt)
mutant(loops_go_through_other_states
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (!looking.inside(to)) continue;]]
  MUTATED [[]]
  TEST FairGraph.WhoCanMoveAllAlongAndNeverDoesIsNeglected)
mutant(first_component_alone_is_looked_at
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[number_[root] == 0 && looking.inside(root)]]
  MUTATED [[root == 0 && looking.inside(root)]]
  TEST Liveness.AChoiceMayGoAgainstTheClientForEver)
mutant(steps_that_leave_go_round
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (number_[step.to] == closed || number_[step.to] < least) continue;]]
  MUTATED [[]]
  TEST FairGraph.AStateWithoutAStepIsTheEnd)
mutant(steps_to_components_before_go_round
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[number_[step.to] == closed || number_[step.to] < least]]
  MUTATED [[number_[step.to] < least]]
  TEST FairGraph.AStateWithoutAStepIsTheEnd)
mutant(steps_to_what_lies_below_go_round
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[number_[step.to] == closed || number_[step.to] < least]]
  MUTATED [[number_[step.to] == closed]]
  TEST FairGraph.WhoCanMoveAllAlongAndNeverDoesIsNeglected)
mutant(members_stay_open
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [=[for (std::size_t at = first; at < stack.size(); ++at) number_[stack[at]] = closed;]=]
  MUTATED [[]]
  TEST FairGraph.AStateWithoutAStepIsTheEnd)
mutant(end_of_time_is_no_reason_to_doubt
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[looking.found.time_ends = true;]]
  MUTATED [[]]
  TEST FairGraph.WhatWaitsForTimeIsDecidedOnlyWhereTimePasses)
mutant(told_loop_neglects_somebody
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[at == entry_ && is_fair(done)]]
  MUTATED [[at == entry_]]
  TEST Liveness.LocksTakenInTwoOrdersBlockEachOther)
mutant(who_cannot_move_is_due
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [=[at_rest_[index_of(edge.to)]]=]
  MUTATED [[0]]
  TEST FairGraph.ATurnIsAlsoHadWhereOneCannotMove)
mutant(long_loop_goes_nowhere
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[done != all || at != entry_]]
  MUTATED [[done != all]]
  TEST FairGraph.ALongLoopComesBackToWhereItBegins)

# --- liveness.hpp -------------------------------------------------------------------------------

mutant(first_client_alone_must_acquire
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[alike && engine_.class_of(client) != client]]
  MUTATED [[client != 0]]
  TEST Waiters.AreLookedAtWhicheverClientTheyAre)
mutant(clients_are_alike_in_the_middle_of_a_run
  IN simulator/src/model/engine.hpp
  EXPRESSION [[first == initial<S>() && !initial_keys_name_identical_clients()]]
  MUTATED [[!initial_keys_name_identical_clients()]]
  TEST Game.AnyOfIdenticalClientsMayBeTheOneThatWaits)
mutant(first_property_alone_is_looked_at
  IN simulator/src/search/liveness.hpp
  STATEMENT [[if (!properties[at].is_liveness()) continue;]]
  MUTATED [[if (at > 0 || !properties[at].is_liveness()) continue;]]
  TEST Waiters.OfEachLockAreLookedAtByThemselves)
mutant(waiters_for_every_lock
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[one.name == lock]]
  MUTATED [[true]]
  TEST Waiters.OfEachLockAreLookedAtByThemselves)
mutant(end_of_time_is_not_told
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[!found.time_ends || !result_.time_ends_for.empty()]]
  MUTATED [[true]]
  TEST Liveness.SaysThatTimeEndedTooEarly)
mutant(later_loop_is_told
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[result_.violated != 0 && nearest_ <= one]]
  MUTATED [[false]]
  TEST Waiters.OfSeveralTheOneThatBeginsFirstIsToldWhicheverClientItIs)
mutant(step_of_another_agent_is_told
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[action || one.to != wanted.to || one.agent != wanted.agent]]
  MUTATED [[action || one.to != wanted.to]]
  TEST Liveness.LocksTakenInTwoOrdersBlockEachOther)

# --- expander.hpp -------------------------------------------------------------------------------

mutant(sleeps_do_not_need_time
  IN simulator/src/model/expander.hpp
  STATEMENT [[if (!is_enabled(move, client) && move.due != Instants::never) return true;]]
  MUTATED [[]]
  TEST Liveness.SaysThatTimeEndedTooEarly)

# --- breadth_first.hpp --------------------------------------------------------------------------

mutant(bounded_time_proves_that_all_acquire
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[if (!found.time_ends_for.empty()) stop(found.time_ends_for);]]
  MUTATED [[]]
  TEST Liveness.SaysThatTimeEndedTooEarly)

# --- simulation.cpp -----------------------------------------------------------------------------

mutant(run_need_not_come_back
  IN simulator/src/play/simulation.cpp
  EXPRESSION [[!(states[from] == state)]]
  MUTATED [[false]]
  TEST Lasso.ThatDoesNotComeBackOrIsUnfairIsRefused)
mutant(unfair_run_is_one_for_ever
  IN simulator/src/play/simulation.cpp
  EXPRESSION [[!unfair.empty()]]
  MUTATED [[false]]
  TEST Lasso.IsReplayedFromOneLine)
mutant(waiting_at_the_beginning_is_enough
  IN simulator/src/play/simulation.cpp
  EXPRESSION [[at <= run.steps.size()]]
  MUTATED [[at <= from]]
  TEST Liveness.ALoopInWhichTheWaiterIsServedStarvesNobody)

# Not in the list: that awaits_time() looks at keys that expire. An operation on one reads the server's
# clock, so that the loop needs time anyway; a key that nobody reads makes the verdict incomplete where
# it could be violated, and never proved.
