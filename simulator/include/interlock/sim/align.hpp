// Two runs side by side: the steps that they share, and where they part.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "interlock/sim/run.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim {

// The steps of a run as its schedule has them, for readers: a command that a program has sent is
// said once (RunStep::what).
Schedule told_steps(const Run& run);

// One row of two runs that stand side by side: a step of one of them, or a step that both take.
class AlignedStep {
 public:
  std::optional<std::size_t> one;  // counted from 0
  std::optional<std::size_t> other;
  bool same = false;  // both take it, and hear the same answer

  friend bool operator==(const AlignedStep&, const AlignedStep&) = default;
};

class Alignment {
 public:
  std::vector<AlignedStep> rows;  // every step of both runs, each in its order
  std::size_t alike = 0;          // the steps of the common beginning
};

// As many steps side by side as possible; a step with the same answer counts more than one with
// another answer. Runs so long that this would take seconds stand side by side only as far as they
// begin alike.
Alignment align(const std::vector<ScheduleStep>& one, const std::vector<ScheduleStep>& other);

}  // namespace interlock::sim
