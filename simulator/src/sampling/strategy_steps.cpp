#include "sampling/strategy_steps.hpp"

#include "process/thrown.hpp"

namespace interlock::sim {

bool StrategySteps::begin_run() {
  run_ = sim::begin_run(engine_, engine_.initial<WideState>());
  std::string thrown;
  const bool begun = sim::begin_run(strategy_, runs_++, thrown);
  if (!thrown.empty()) failure_ = "the strategy threw '" + thrown + "' when a run was to begin";
  return begun;
}

bool StrategySteps::can_go_on(const WideState& state, std::size_t) {
  possible_ = possible_steps(engine_, state);
  told_.clear();
  for (const PossibleStep& step : possible_) {
    told_.push_back(tell(engine_, state, step.next, step.detail));
  }
  return !possible_.empty();
}

NextStep StrategySteps::next() {
  std::string thrown;
  const std::size_t chosen = choose(strategy_, run_, told_, thrown);
  const std::string where = " at step " + std::to_string(run_.steps.size() + 1);
  if (!thrown.empty()) {
    failure_ = "the strategy threw '" + thrown + "'" + where;
  } else if (chosen >= told_.size()) {
    failure_ = "the strategy chose number " + std::to_string(chosen) + where + ", which has " +
               std::to_string(told_.size()) + " choices: they are numbered from 0";
  }
  if (!failure_.empty()) return NextStep();
  run_.steps.push_back(std::move(told_[chosen]));
  if (engine_.endless) date(run_);
  return NextStep{possible_[chosen].next, possible_[chosen].detail};
}

}  // namespace interlock::sim
