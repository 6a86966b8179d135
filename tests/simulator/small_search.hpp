// What searches of small worlds have in common: a bound for their states, and no pauses.
#pragma once

#include <gtest/gtest.h>

#include "interlock/sim/explore.hpp"

namespace interlock::sim {

inline Limits at_most(std::uint64_t states) {
  Limits limits;
  limits.states = states;
  return limits;
}

// `states` is more than the search has. So one that has no end ends soon.
inline void expect_proved_within(const Scenario& scenario, std::uint64_t states) {
  const Verdict verdict = explore(scenario, at_most(states));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// Nobody is slow: time passes only while no client can move.
inline Scenario without_pauses(Scenario scenario) {
  scenario.faults(FaultBudget().pauses(0));
  return scenario;
}

}  // namespace interlock::sim
