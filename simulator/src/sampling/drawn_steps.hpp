// Steps that are drawn: by odds, or by priorities (PCT), and with them when faults happen.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/chance.hpp"
#include "interlock/sim/random_search.hpp"
#include "sampling/step_chooser.hpp"

namespace interlock::sim {

// The steps at which something is to happen are drawn from as many as the longest run has had. If a
// run is longer than that, they were drawn from too few: it only measures the length, and the run
// is repeated.
class DrawnSteps final : public StepChooser {
 public:
  DrawnSteps(WalkedStates& walked, const RandomSearch& how, std::uint64_t seed);
  ~DrawnSteps() override;

  bool begin_run() override;
  NextStep look(std::uint32_t state, std::size_t taken) override;
  std::optional<std::uint32_t> next() override;
  bool repeats(std::size_t length) override;
  void take_back_run() override { chance_ = chance_before_; }
  std::string failure() const override { return {}; }

 private:
  class MoverOrder;
  class FaultTimes;

  WalkedStates& walked_;
  Chance chance_;
  Chance chance_before_;  // the run that is being taken
  std::size_t longest_ = 0;
  // The run that is being taken:
  std::size_t drawn_from_ = 0;  // the number of steps
  std::unique_ptr<MoverOrder> order_;
  std::unique_ptr<FaultTimes> faults_;
  std::size_t taken_ = 0;
  WalkedStates::StepGroups ordinary_;
  std::optional<std::uint32_t> fault_;
};

}  // namespace interlock::sim
