// The steps that are possible in a state. Everything that takes single steps (random runs, a user's
// strategy, a replay, a game, an audit) asks here; the exhaustive search uses the same Expander and
// keeps what it says (search/step_table.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/engine.hpp"
#include "model/snapshot.hpp"
#include "model/transition.hpp"

namespace interlock::sim {

// With `Detail` a Transition, what a search must know; with a TransitionTrace, also what a run
// shows.
template <class Detail>
class PossibleStep {
 public:
  WideState next;  // the state after it
  Detail detail;
};
using BriefStep = PossibleStep<Transition>;
using TracedStep = PossibleStep<TransitionTrace>;

enum class StepKinds : std::uint8_t { ordinary, faulty, all };

// Ordinary steps first, then faults. Throughout, `Detail` is Transition or TransitionTrace.
template <class Detail>
std::vector<PossibleStep<Detail>> possible_steps(Engine& engine,
                                                 const WideState& state,
                                                 StepKinds kinds = StepKinds::all);

// The step that is this action; none: the action is not possible here.
template <class Detail>
std::optional<PossibleStep<Detail>> possible_step(Engine& engine,
                                                  const WideState& state,
                                                  Action action);

}  // namespace interlock::sim
