// A real run of a program that takes steps of the program's automaton, and is compared with it
// after each answer.
#pragma once

#include <string>

#include "audit/program_graph.hpp"
#include "process/automaton.hpp"

namespace interlock::sim {

class Companion {
 public:
  // Which client runs, and when. Equal programs do the same under other names and at other times.
  class As {
   public:
    std::size_t client = 0;
    Permutation permutation;  // from the automaton's words to this client's
    Duration later{0};        // all clocks are ahead by so much
  };

  Companion(const Automaton& automaton, const ProgramGraph& graph, As as);

  // Takes the way on which the automaton first came to a local state.
  bool lead_to(Automaton::Local local);
  // False if the client does something else than the automaton says: see difference().
  bool take(ProgramGraph::Id step);

  const GraphPlace& place() const { return place_; }
  std::uint32_t steps() const { return steps_; }
  const std::string& difference() const { return difference_; }
  // From now on clocks show `now` or later.
  void wait_until(TimePoint now) { place_.now = now; }
  // Lets time pass, in a scenario without an end of time.
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
  GraphPlace place_;
  std::uint32_t steps_ = 0;
  std::string difference_;
};

}  // namespace interlock::sim
