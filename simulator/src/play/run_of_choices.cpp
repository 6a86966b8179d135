#include "interlock/sim/run_of_choices.hpp"

#include <algorithm>
#include <optional>

#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

// Smaller is nearer to "just go on".
int distance(const RunStep& step, std::optional<std::size_t> last) {
  if (step.fault) return 4;
  if (!step.client) return 3;
  if (last && step.client == last) return step.delivered || step.kind == StepKind::start ? 0 : 1;
  return 2;
}

}  // namespace

Run run_of_choices(const Scenario& scenario,
                   const std::vector<std::uint32_t>& choices,
                   std::size_t steps) {
  Simulation simulation(scenario);
  std::optional<std::size_t> last;
  for (std::size_t taken = 0; taken < steps; ++taken) {
    std::vector<RunStep> possible = simulation.choices();
    if (possible.empty()) break;
    std::stable_sort(possible.begin(), possible.end(), [last](const auto& one, const auto& other) {
      return distance(one, last) < distance(other, last);
    });
    const std::size_t choice = taken < choices.size() ? choices[taken] % possible.size() : 0;
    const Result<RunStep> step = simulation.take(possible[choice].code);
    if (!step || !step->violates.empty()) break;
    if (step->client) last = step->client;
  }
  return simulation.run();
}

}  // namespace interlock::sim
