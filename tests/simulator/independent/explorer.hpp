// The plainest search there is: a map of all worlds, written out as text; worlds with fewer faults
// first, then with fewer steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "steps.hpp"
#include "trial.hpp"

namespace interlock::sim::independent {

class Found {
 public:
  bool too_large = false;
  // The violation with the fewest faults, and of these with the fewest steps: all rules that some
  // such run breaks in its last step. None: no run breaks one.
  std::set<std::string> broken;
  int faults = 0;
  int length = 0;
  // Only after a search up to Until::end.
  std::size_t states = 0;
  std::size_t states_up_to_names = 0;
  std::size_t steps = 0;
  std::set<std::string> reached;
};

enum class Until : std::uint8_t {
  violation,  // worlds that go on the same are one
  end,        // worlds are one if their clients were told the same: what the search counts
};

Found explore(const Trial& trial, Grain grain, Until until, std::size_t worlds_max);

}  // namespace interlock::sim::independent
