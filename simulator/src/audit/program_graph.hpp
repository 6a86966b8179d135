// All that an automaton has learned, as a graph: which answer leads to which local state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "process/automaton.hpp"

namespace interlock::sim {

// Where a run through the graph is. Time never goes back in a run.
class GraphPlace {
 public:
  Automaton::Local local = Automaton::not_started;
  TimePoint now = TimePoint::min();  // the client's last reading of its clock
  Duration elapsed{0};               // where time has no end: the time since the beginning
};

class ProgramGraph {
 public:
  using Id = std::uint32_t;

  explicit ProgramGraph(const Automaton& automaton);

  Id size() const { return static_cast<Id>(steps_.size()); }
  const ProgramStep& operator[](Id step) const { return steps_[step]; }
  // The steps from a local state: from `begin` to before `end`.
  Id begin(Automaton::Local local) const { return first_[local]; }
  Id end(Automaton::Local local) const { return first_[local + 1]; }

  static bool is_possible(const ProgramStep& step, const GraphPlace& place) {
    return !step.clock || step.clock->monotonic + place.elapsed >= place.now;
  }
  GraphPlace after(const GraphPlace& place, Id step) const;
  // The way to the nearest wanted step, which is its last one: that in which the least time passes,
  // and of these the shortest. Empty: there is none in the next `most` places.
  std::vector<Id> way(const GraphPlace& from,
                      const std::function<bool(Id)>& wanted,
                      int most) const;
  // The next later time among all that some run has read from a clock; none: it was the last.
  std::optional<TimePoint> next_reading(const GraphPlace& place) const;

 private:
  std::vector<ProgramStep> steps_;
  std::vector<Id> first_;
  std::vector<TimePoint> readings_;
  Duration apart_{0};
};

}  // namespace interlock::sim
