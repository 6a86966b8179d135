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
  DrawnSteps(Engine& engine, const RandomSearch& how);
  ~DrawnSteps() override;

  bool begin_run() override;
  bool can_go_on(const WideState& state, std::size_t taken) override;
  std::optional<BriefStep> next() override;
  bool repeats(std::size_t length) override;
  std::string failure() const override { return {}; }

 private:
  class OneRun;

  Engine& engine_;
  const std::size_t depth_;
  Chance chance_;
  std::size_t longest_ = 0;
  std::unique_ptr<OneRun> run_;
};

}  // namespace interlock::sim
