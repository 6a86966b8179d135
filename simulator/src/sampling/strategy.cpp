#include "interlock/sim/strategy.hpp"

#include <memory>
#include <string>

#include "sampling/runs.hpp"
#include "sampling/strategy_steps.hpp"

namespace interlock::sim {

RandomVerdict search_by(const Scenario& scenario, Strategy& strategy, const StrategySearch& how) {
  std::string bounds = ", at most " + std::to_string(how.runs) + " runs of a strategy";
  if (how.steps != StrategySearch().steps) {
    bounds += " of at most " + std::to_string(how.steps) + " steps";
  }
  return search_runs(scenario, {how.runs, how.steps, how.proceed},
                     {"run of a strategy", "runs of the strategy", bounds},
                     [&strategy](WalkedStates& walked, std::uint64_t) {
                       return std::make_unique<StrategySteps>(walked, strategy);
                     });
}

}  // namespace interlock::sim
