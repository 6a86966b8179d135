// Chooses the steps of runs, one run after another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "run/possible_steps.hpp"

namespace interlock::sim {

class StepChooser {
 public:
  virtual ~StepChooser() = default;
  // A run begins. False: there is no further run.
  virtual bool begin_run() = 0;
  // Whether the run, which has taken so many steps and is in this state, can go on.
  virtual bool can_go_on(const WideState& state, std::size_t taken) = 0;
  // The next step of the run; none: the run ends, or failure() says why.
  virtual std::optional<BriefStep> next() = 0;
  // The run has ended. True: it has only measured something, and is taken again.
  virtual bool repeats(std::size_t length) = 0;
  // Why a step could not be chosen; empty: each could.
  virtual std::string failure() const = 0;
};

}  // namespace interlock::sim
