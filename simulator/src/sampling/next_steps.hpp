// The steps that are possible in a state, for what takes one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine.hpp"
#include "model/snapshot.hpp"
#include "model/transition.hpp"

namespace interlock::sim {

class NextStep {
 public:
  WideState state;  // after it
  Transition detail;
};
using NextSteps = std::vector<NextStep>;

enum class StepKinds : std::uint8_t { ordinary, faulty, all };

NextSteps next_steps(Engine& engine, const WideState& state, StepKinds kinds);

}  // namespace interlock::sim
