// Takes runs whose steps are chosen for it, until one breaks a property.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "interlock/sim/random_search.hpp"
#include "model/engine.hpp"
#include "sampling/step_chooser.hpp"

namespace interlock::sim {

class RunLimits {
 public:
  std::uint64_t runs;
  std::size_t steps;  // a longer run is cut off
  std::function<bool(const RandomProgress&)> proceed;
  std::uint64_t repeated_steps = Limits().repeated_steps;
};

// What the runs are called in a verdict.
class RunWords {
 public:
  std::string one;
  std::string many;
  std::string bounds;  // what a verdict says of them behind the scenario's own bounds
};

using MakeChooser = std::function<std::unique_ptr<StepChooser>(Engine&)>;

RandomVerdict search_runs(const Scenario& scenario,
                          const RunLimits& limits,
                          const RunWords& words,
                          const MakeChooser& make_chooser);

}  // namespace interlock::sim
