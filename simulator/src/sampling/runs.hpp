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
  // The runs are divided into series of so many, and each series has a chooser of its own.
  std::uint64_t runs_of_series = ~std::uint64_t{0};
  Team* team = nullptr;  // takes several series at a time
};

// What the runs are called in a verdict.
class RunWords {
 public:
  std::string one;
  std::string many;
  std::string bounds;  // what a verdict says of them behind the scenario's own bounds
};

// For the series of this number, counted from 0.
using MakeChooser = std::function<std::unique_ptr<StepChooser>(WalkedStates&, std::uint64_t)>;

RandomVerdict search_runs(const Scenario& scenario,
                          const RunLimits& limits,
                          const RunWords& words,
                          const MakeChooser& make_chooser);

}  // namespace interlock::sim
