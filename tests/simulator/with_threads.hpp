// A search by one thread and by several, compared.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/thread_team.hpp"

namespace interlock::sim::testing {

inline std::string all_of(const Verdict& verdict) {
  std::string text = describe(verdict) + describe(verdict.run);
  text += std::to_string(verdict.violations) + " violations, ";
  text += std::to_string(verdict.bytes_per_state) + " bytes a state";
  return text;
}

inline void expect_the_same_with_threads(const Scenario& scenario, Limits limits) {
  const std::string alone = all_of(explore(scenario, limits));
  limits.team_from = 1;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    ThreadTeam team(threads);
    limits.team = &team;
    EXPECT_EQ(all_of(explore(scenario, limits)), alone) << threads << " threads";
  }
}

}  // namespace interlock::sim::testing
