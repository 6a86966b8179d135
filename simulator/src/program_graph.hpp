// All that an automaton has learned, as a graph: which answer leads where.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "automaton.hpp"

namespace interlock::sim {

// Where a run through the graph has come to. Time never goes back on it.
class Place {
 public:
  Automaton::Local local = Automaton::not_started;
  TimePoint now = TimePoint::min();  // what the client's clock showed last
  Duration elapsed{0};               // where time has no end: what has passed since the beginning
};

class ProgramGraph {
 public:
  using Id = std::uint32_t;

  explicit ProgramGraph(const Automaton& automaton);

  Id size() const { return static_cast<Id>(steps_.size()); }
  const ProgramStep& operator[](Id step) const { return steps_[step]; }
  // Those that follow a local state: from `begin` to before `end`.
  Id begin(Automaton::Local local) const { return first_[local]; }
  Id end(Automaton::Local local) const { return first_[local + 1]; }

  static bool is_possible(const ProgramStep& step, const Place& place) {
    return !step.clock || step.clock->monotonic + place.elapsed >= place.now;
  }
  Place after(const Place& place, Id step) const;
  // The way to the nearest wanted step, which is its last one: in which least time passes, then the
  // shortest. Empty if none is found in the next `most` places.
  std::vector<Id> way(const Place& from, const std::function<bool(Id)>& wanted, int most) const;
  // What a clock shows next, of all that were ever read; none after the last.
  std::optional<TimePoint> next_reading(const Place& place) const;

 private:
  std::vector<ProgramStep> steps_;
  std::vector<Id> first_;
  std::vector<TimePoint> readings_;
  Duration apart_{0};
};

}  // namespace interlock::sim
