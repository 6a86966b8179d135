#include "sampling/strategy_steps.hpp"

#include "run/ask_strategy.hpp"

namespace interlock::sim {

bool StrategySteps::begin_run() {
  run_ = sim::begin_run(engine_, engine_.initial<WideState>());
  return begins_run(strategy_, runs_++, failure_);
}

NextStep StrategySteps::look(std::uint32_t number, std::size_t) {
  const WideState& state = walked_.state(number);
  possible_ = possible_steps<TransitionTrace>(engine_, state);
  told_.clear();
  for (const TracedStep& step : possible_) {
    told_.push_back(tell(engine_, state, step.next, step.detail));
  }
  return possible_.empty() ? NextStep::none : NextStep::there;
}

std::optional<std::uint32_t> StrategySteps::next() {
  const std::optional<std::size_t> chosen = choice_of(strategy_, run_, told_, failure_);
  if (!chosen) return std::nullopt;
  run_.steps.push_back(std::move(told_[*chosen]));
  if (engine_.endless) date(run_);
  return walked_.add(BriefStep{possible_[*chosen].next, possible_[*chosen].detail});
}

}  // namespace interlock::sim
