// Chooses the steps of runs, one run after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sampling/walked_states.hpp"

namespace interlock::sim {

enum class NextStep : std::uint8_t {
  there,
  none,     // the run ends here
  unknown,  // the WalkedStates do not know it, and do not learn now
};

// States and steps are numbers of the WalkedStates that the chooser was made with.
class StepChooser {
 public:
  virtual ~StepChooser() = default;
  // A run begins. False: there is no further run.
  virtual bool begin_run() = 0;
  // The run has taken so many steps, and is in this state.
  virtual NextStep look(std::uint32_t state, std::size_t taken) = 0;
  // The next step, if there is one. None: the run ends, or failure() says why.
  virtual std::optional<std::uint32_t> next() = 0;
  // The run has ended. True: it has only measured something, and is taken again.
  virtual bool repeats(std::size_t length) = 0;
  // The run that has begun is as if it had not. Only after NextStep::unknown, or where the property
  // that a step breaks is not known.
  virtual void take_back_run() = 0;
  // Why a step could not be chosen; empty: each could.
  virtual std::string failure() const = 0;
};

}  // namespace interlock::sim
