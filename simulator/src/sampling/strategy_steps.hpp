// Steps that a strategy of a user chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/strategy.hpp"
#include "run/world.hpp"
#include "sampling/step_chooser.hpp"

namespace interlock::sim {

class StrategySteps final : public StepChooser {
 public:
  StrategySteps(Engine& engine, Strategy& strategy) : engine_(engine), strategy_(strategy) {}

  bool begin_run() override;
  bool can_go_on(const WideState& state, std::size_t taken) override;
  std::optional<BriefStep> next() override;
  bool repeats(std::size_t) override { return false; }
  std::string failure() const override { return failure_; }

 private:
  Engine& engine_;
  Strategy& strategy_;
  std::uint64_t runs_ = 0;
  Run run_;
  std::vector<TracedStep> possible_;
  std::vector<RunStep> told_;  // the same
  std::string failure_;
};

}  // namespace interlock::sim
