#include "interlock/sim/run_of_choices.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

// A smaller number is nearer to "just go on".
int distance(const RunStep& step, std::optional<std::size_t> last) {
  if (step.fault) return 4;
  if (!step.client) return 3;
  if (last && step.client == last) return step.delivered || step.kind == StepKind::start ? 0 : 1;
  return 2;
}

// The choices in the order of their distance: 0 stands for the nearest.
class ByDistance final : public Strategy {
 public:
  explicit ByDistance(const std::vector<std::uint32_t>& choices) : choices_(choices) {}

  bool begin_run(std::uint64_t) override { return true; }

  std::size_t choose(const Run& so_far, const std::vector<RunStep>& possible) override {
    if (!so_far.steps.empty()) {
      const RunStep& before = so_far.steps.back();
      if (!before.violates.empty()) return end_of_run;
      if (before.client) last_ = before.client;
    }
    std::vector<std::size_t> order(possible.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
      return distance(possible[one], last_) < distance(possible[other], last_);
    });
    const std::size_t taken = so_far.steps.size();
    return order[taken < choices_.size() ? choices_[taken] % order.size() : 0];
  }

 private:
  const std::vector<std::uint32_t>& choices_;
  std::optional<std::size_t> last_;
};

}  // namespace

Run run_of_choices(const Scenario& scenario,
                   const std::vector<std::uint32_t>& choices,
                   std::size_t steps) {
  Simulation simulation(scenario);
  ByDistance by_distance(choices);
  // A step that cannot be taken ends the run.
  static_cast<void>(simulation.follow(by_distance, steps));
  return simulation.run();
}

}  // namespace interlock::sim
