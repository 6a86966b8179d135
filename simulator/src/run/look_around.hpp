// What the Expander says of a state: the actions that are possible, and why others are not.
#pragma once

#include <vector>

#include "model/expand.hpp"
#include "model/snapshot.hpp"

namespace interlock::sim {

class LookAround {
 public:
  void operator()(const WideState& /*next*/, const Transition& detail) {
    possible.push_back(detail.action);
  }
  void refuse(const Refusal& refusal) { refused.push_back(refusal); }

  std::vector<Action> possible;
  std::vector<Refusal> refused;
};

// One type for all that asks so, because each is compiled by itself.
using ActionExpander = Expander<WideState, Transition, LookAround>;

}  // namespace interlock::sim
