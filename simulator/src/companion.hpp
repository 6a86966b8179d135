// A real run of a program that goes along with its automaton, answer by answer, and is compared
// with it at each.
#pragma once

#include <string>

#include "automaton.hpp"
#include "program_graph.hpp"

namespace interlock::sim {

class Companion {
 public:
  // Who runs, and when. Equal programs do the same under other names, and at another time.
  class As {
   public:
    std::size_t client = 0;
    Names names;        // from the automaton's words to this client's
    Duration later{0};  // all clocks show so much more
  };

  Companion(const Automaton& automaton, const ProgramGraph& graph, As as);

  // Along the way that the automaton first learned to a local state.
  bool lead_to(Automaton::Local local);
  // False if the client does something else than the automaton says: see difference().
  bool take(ProgramGraph::Id step);

  const Place& place() const { return place_; }
  std::uint32_t steps() const { return steps_; }
  const std::string& difference() const { return difference_; }
  // Whatever is read from now on shows `now` at least.
  void wait_until(TimePoint now) { place_.now = now; }
  // Where time has no end.
  void let_pass(Duration time) { place_.elapsed += time; }

 private:
  void feed(std::uint8_t slot,
            std::uint32_t reply,
            ClockReading clock,
            const LiveProcess::Branches& branches);
  bool is_same_at(Automaton::Local local);
  bool is_same_in_step(const ProgramStep& step);
  Automaton::Comparison comparison() const;
  bool differs(std::string how);

  const Automaton& automaton_;
  const ProgramGraph& graph_;
  As as_;
  LiveProcess process_;
  Place place_;
  std::uint32_t steps_ = 0;
  std::string difference_;
};

}  // namespace interlock::sim
