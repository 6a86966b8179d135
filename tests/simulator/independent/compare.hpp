// A trial by the simulator's search and by the explorer of these tests.
#pragma once

#include <string>

#include "interlock/sim/explore.hpp"
#include "trial.hpp"

namespace interlock::sim::independent {

class Comparison {
 public:
  std::string difference;  // empty: they agree
  bool too_large = false;  // for the explorer, or for the limits that the search was given
  Outcome outcome = Outcome::incomplete;
  bool merged_futures = false;  // and that made the search smaller
  bool counted = false;         // their numbers of states and steps were compared, too
  bool agree() const { return difference.empty(); }
};

// With and without symmetry, by one thread and by two, with equal futures as one and apart.
Comparison compare(const Trial& trial);

// The trial with as much left out as can be while the two still disagree.
Trial shrink(const Trial& trial);

}  // namespace interlock::sim::independent
