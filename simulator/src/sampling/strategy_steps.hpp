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
  StrategySteps(WalkedStates& walked, Strategy& strategy)
      : walked_(walked), engine_(walked.engine()), strategy_(strategy) {}

  bool begin_run() override;
  NextStep look(std::uint32_t state, std::size_t taken) override;
  std::optional<std::uint32_t> next() override;
  bool repeats(std::size_t) override { return false; }
  void take_back_run() override {}  // the calling thread asks a strategy, and learns
  std::string failure() const override { return failure_; }

 private:
  WalkedStates& walked_;
  Engine& engine_;
  Strategy& strategy_;
  std::uint64_t runs_ = 0;
  Run run_;
  std::vector<TracedStep> possible_;
  std::vector<RunStep> told_;  // the same
  std::string failure_;
};

}  // namespace interlock::sim
