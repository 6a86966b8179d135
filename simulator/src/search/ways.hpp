// How the states of a search were reached: by how many faults and steps, and by which actions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "model/action.hpp"
#include "model/transition.hpp"
#include "search/state_set.hpp"

namespace interlock::sim {

// States with successive numbers that were reached with as many faults and steps.
class Level {
 public:
  std::size_t begin;
  std::size_t end;
};
using Levels = std::vector<std::vector<Level>>;  // by faults, then by steps

// What an Expander tells of each step. Each type of this makes an Expander of its own, which is
// much code, so all that look at single states after a search take this one.
template <class S>
using EmitStep = std::function<void(const S& next, const Transition& detail)>;

// The actions that first led to the state.
template <class S>
std::vector<Action> way_to(const StateSet<S>& states, std::size_t state) {
  std::vector<Action> way;
  for (std::size_t at = state; at != 0; at = states.origin(at).parent) {
    way.push_back(Action::from_code(states.origin(at).action));
  }
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace interlock::sim
