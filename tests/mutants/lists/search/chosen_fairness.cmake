# The fairness that a scenario chooses: what is possible, what need not come, and which loops remain.

# --- fair_graph.hpp -----------------------------------------------------------------------------

mutant(steps_that_need_not_come_are_turns
  IN simulator/src/search/fair_graph.hpp
  EXPRESSION [[(marks & FairnessRules::need_not_come) == 0]]
  MUTATED [[true]]
  TEST FairGraphCompared.FindsWhatTheDefinitionAllows)
mutant(agents_are_never_passed_over
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[ever_.unite(possible.agents);]]
  MUTATED [[]]
  TEST FairGraphCompared.FindsWhatTheDefinitionAllows)
mutant(actions_are_never_passed_over
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[ever_possible_ |= possible.actions;]]
  MUTATED [[]]
  TEST StrongFairness.OfEnteringASpinLockLetsNobodyStarve)
mutant(actions_are_possible_all_along
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[always_possible_ &= possible.actions;]]
  MUTATED [[]]
  TEST StrongFairness.IsWhatWeakFairnessOfTheSameStepsIsNot)
mutant(actions_that_come_do_not_count
  IN simulator/src/search/fair_graph.hpp
  STATEMENT [[taken_ |= marks;]]
  MUTATED [[]]
  TEST FairGraphCompared.FindsWhatTheDefinitionAllows)

mutant(clock_decides_nothing_for_predicates
  IN simulator/src/search/fair_graph.hpp
  EXPRESSION [[rules.ask_predicates && reads_clock]]
  MUTATED [[false]]
  TEST FairGraph.WhatTheClockDecidesForAPredicateIsDecidedOnlyWhereTimePasses)

# --- fair_graph.cpp -----------------------------------------------------------------------------

mutant(weak_actions_need_not_come
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (neglected_steps() != 0) return LoopVerdict::unfair;]]
  MUTATED [[]]
  TEST WeakFairness.OfABranchIsThatOfACoin)
mutant(strong_actions_need_not_come
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[steps_passed_over() != 0 || first_of(passed_over())]]
  MUTATED [[first_of(passed_over()).has_value()]]
  TEST StrongFairness.OfEnteringASpinLockLetsNobodyStarve)
mutant(strong_agents_need_not_move
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[steps_passed_over() != 0 || first_of(passed_over())]]
  MUTATED [[steps_passed_over() != 0]]
  TEST StrongFairness.OfAClientIsThatOfEachOfItsTasks)
mutant(parts_are_not_looked_at
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (!passes_over) parts.push_back(state);]]
  MUTATED [[]]
  TEST StrongFairness.DoesNotHelpAClientThatLooksElsewhere)
mutant(answers_on_their_way_keep_steps_from_being_possible
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if ((step.marks & FairnessRules::hears) == 0) continue;]]
  MUTATED [[continue;]]
  TEST StrongFairness.DoesNotRestOnAnswersThatComeAtOnce)
mutant(steps_of_others_are_possible_after_an_answer
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[next.agent == step.agent]]
  MUTATED [[true]]
  TEST FairGraphCompared.FindsWhatTheDefinitionAllows)
mutant(steps_that_need_not_come_are_due
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[(step.marks & FairnessRules::need_not_come) == 0]]
  MUTATED [[true]]
  TEST NoFairness.OfComingBackTellsAlternationFromPetersonsLock)
mutant(nothing_rests_where_steps_are_possible
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[return judge.answer() == FairnessJudge::LoopVerdict::fair;]]
  MUTATED [[return false;]]
  TEST FairGraphCompared.FindsWhatTheDefinitionAllows)
mutant(time_may_never_stop
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[needs_time_ && !time_passes_ && !rules_.time_may_stop]]
  MUTATED [[needs_time_ && !time_passes_]]
  TEST NoFairness.OfTimeLetsItStandStill)
mutant(time_that_must_go_on_may_stop
  IN simulator/src/search/fair_graph.cpp
  STATEMENT [[if (time_must_go_on) rules_.time_may_stop = false;]]
  MUTATED [[]]
  TEST FairGraph.TimeThatMustGoOnMayNotStopAtItsEnd)
mutant(states_that_are_left_at_once_are_never_rested_in
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [[!goes_round && !stuck && !rules_.may_rest]]
  MUTATED [[!goes_round && !stuck]]
  TEST NoFairness.OfTimeLetsItStandStill)
mutant(strong_actions_come_on_every_loop
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [=[at < always_due_ || done[occasion(at)]]=]
  MUTATED [[true]]
  TEST FairGraphCompared.FindsWhatTheDefinitionAllows)
mutant(told_loop_passes_over_a_strong_action
  IN simulator/src/search/fair_graph.cpp
  EXPRESSION [=[at < always_due_ || done[occasion(at)]]=]
  MUTATED [[at < always_due_]]
  TEST FairGraphCompared.FindsWhatTheDefinitionAllows)

# --- fair_steps.cpp -----------------------------------------------------------------------------

mutant(clients_never_stop
  IN simulator/src/search/fair_steps.cpp
  STATEMENT [[if (is_of_it) marks |= FairnessRules::need_not_come;]]
  MUTATED [[]]
  TEST NoFairness.LetsAHolderStopForEver)
mutant(no_step_hears_an_answer
  IN simulator/src/search/fair_steps.cpp
  EXPRESSION [[move.slot == action.slot() && move.kind == TaskMoveKind::deliver]]
  MUTATED [[false]]
  TEST StrongFairness.DoesNotRestOnAnswersThatComeAtOnce)
mutant(predicates_are_asked_unnoticed
  IN simulator/src/search/fair_steps.cpp
  STATEMENT [[rules.ask_predicates = true;]]
  MUTATED [[]]
  TEST ChosenFairness.OfStepsThatTheClockDecidesIsUndecidedWhereTimeEnds)
mutant(all_predicates_are_one_action
  IN simulator/src/search/fair_steps.cpp
  STATEMENT [[bit = static_cast<StepMarks>(bit << 1U);]]
  MUTATED [[]]
  TEST StrongFairness.OfEnteringASpinLockLetsNobodyStarve)

# --- liveness.hpp, explore.cpp ------------------------------------------------------------------

mutant(clients_of_different_fairness_are_alike
  IN simulator/src/search/liveness.hpp
  EXPRESSION [[!graph_.rules().are_chosen]]
  MUTATED [[true]]
  TEST StrongFairness.OfOneOfIdenticalClientsServesThatOneAlone)
mutant(runs_without_a_step_break_something
  IN simulator/src/search/explore.cpp
  EXPRESSION [[found.path.empty()]]
  MUTATED [[false]]
  TEST NoFairness.BreaksWhatIsOwedBeforeTheFirstStep)

# --- simulation.cpp -----------------------------------------------------------------------------

mutant(what_must_come_again_and_again_may_be_passed_over
  IN simulator/src/play/simulation.cpp
  STATEMENT [[possible.add_action(marks, step.detail.reads_clock, rules);]]
  MUTATED [[]]
  TEST ChosenFairness.RefusesALoopThatIsNotFair)
mutant(replayed_clients_never_stop
  IN simulator/src/play/simulation.cpp
  EXPRESSION [[(marks & FairnessRules::need_not_come) == 0]]
  MUTATED [[true]]
  TEST NoFairness.LetsAHolderStopForEver)

# --- happenings.cpp, bounds.cpp, mistakes.cpp ---------------------------------------------------

mutant(fairness_of_no_step_proves_something
  IN simulator/src/model/happenings.cpp
  STATEMENT [[if (counts) want(Kind::comes, chosen.steps.name);]]
  MUTATED [[]]
  TEST ChosenFairness.ThatNoStepSatisfiesProvesNothing)
mutant(bounds_do_not_name_the_fairness
  IN simulator/src/scenario/bounds.cpp
  STATEMENT [[for (const std::string& words : scenario.fairness_in_words()) text += ", " + words;]]
  MUTATED [[]]
  TEST ChosenFairness.IsNamedInTheVerdictInOneOrder)
mutant(fairness_without_liveness_is_no_mistake
  IN simulator/src/scenario/mistakes.cpp
  EXPRESSION [[!all.empty() && !knows_liveness(scenario)]]
  MUTATED [[false]]
  TEST ChosenFairness.IsRefusedWhereNoLivenessIsRequired)
