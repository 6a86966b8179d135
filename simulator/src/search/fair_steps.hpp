// The fairness that a scenario chooses, as rules for the loops of a graph and as marks of its
// steps.
#pragma once

#include <string>

#include "model/engine.hpp"
#include "model/snapshot.hpp"
#include "model/transition.hpp"
#include "search/fair_graph.hpp"

namespace interlock::sim {

FairnessRules rules_of(const Scenario& scenario);
// Asks the predicates of fairness about the step. 0: the scenario chooses none.
StepMarks marks_of(Engine& engine,
                   const WideState& before,
                   const Transition& detail,
                   const WideState& after);
// The names of the steps that these rules are about: `B takes the lock' or 'C takes the lock`.
std::string names_of(const Scenario& scenario, StepMarks marks);

}  // namespace interlock::sim
