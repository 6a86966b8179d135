#include "run/possible_steps.hpp"

#include "model/expand.hpp"

namespace interlock::sim {

template <class Detail>
std::vector<PossibleStep<Detail>> possible_steps(Engine& engine,
                                                 const WideState& state,
                                                 StepKinds kinds) {
  std::vector<PossibleStep<Detail>> steps;
  auto emit = [&steps](const WideState& next, const Detail& detail) {
    steps.push_back(PossibleStep<Detail>{next, detail});
  };
  Expander<WideState, Detail, decltype(emit)> expander(engine, emit);
  if (kinds != StepKinds::faulty) expander.ordinary(state);
  if (kinds != StepKinds::ordinary) expander.faulty(state);
  return steps;
}

template <class Detail>
std::optional<PossibleStep<Detail>> possible_step(Engine& engine,
                                                  const WideState& state,
                                                  Action action) {
  for (PossibleStep<Detail>& step : possible_steps<Detail>(engine, state)) {
    if (step.detail.action == action) return std::move(step);
  }
  return std::nullopt;
}

template std::vector<BriefStep> possible_steps(Engine&, const WideState&, StepKinds);
template std::vector<TracedStep> possible_steps(Engine&, const WideState&, StepKinds);
template std::optional<BriefStep> possible_step(Engine&, const WideState&, Action);
template std::optional<TracedStep> possible_step(Engine&, const WideState&, Action);

}  // namespace interlock::sim
