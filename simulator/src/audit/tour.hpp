// Runs of one program that together take every step that its automaton knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "audit/companion.hpp"
#include "audit/program_graph.hpp"

namespace interlock::sim {

// Goes once through all numbers below `count`: from `first` on, in strides of `stride` or a little
// more, so that each comes once.
class Strides {
 public:
  Strides(std::uint64_t count, std::uint64_t first, std::uint64_t stride);
  std::size_t next();

 private:
  std::uint64_t count_;
  std::uint64_t stride_;
  std::uint64_t at_;
};

// An order in which numbers that follow each other are far apart.
Strides far_apart(std::size_t count, std::size_t first);
// Another order for each seed. With a fixed order, each round could come to a program that counts
// at the same step.
Strides mixed_order(std::size_t count, std::size_t seed);

class Tour {
 public:
  using Id = ProgramGraph::Id;

  // Runs the program as the given client, in an order that depends on `mixed`; 0: the order of the
  // graph.
  Tour(const Automaton& automaton, const ProgramGraph& graph, Companion::As as, std::size_t mixed);

  // Some step has not been taken yet.
  bool has_more() const { return count_ < graph_.size() && !differs_; }
  // Begins the next run, or takes a step of the one that has begun. False, and nothing has
  // happened: all steps have been taken, or one has differed.
  bool go_on();
  // Between two runs: the last one is over, and no other has begun.
  bool is_between() const { return left_.empty() || differs_; }
  bool differs() const { return differs_; }
  // The run that goes on, or has just ended; none before the first run.
  const Companion* run() const { return run_ ? &*run_ : nullptr; }
  // The step that was taken last, and those of the run, after the way to `from`.
  Id last() const { return taken_now_.back(); }
  const std::vector<Id>& steps() const { return taken_now_; }
  const Companion::As& as() const { return as_; }

 private:
  bool begin();
  void look_for_more();

  const Automaton& automaton_;
  const ProgramGraph& graph_;
  Companion::As as_;
  std::size_t mixed_;
  Strides order_;
  Id number_ = 0;
  std::vector<bool> taken_;
  std::size_t count_ = 0;  // of the steps taken
  std::optional<Companion> run_;
  std::vector<Id> left_;  // of the run, in reverse order
  std::vector<Id> taken_now_;
  bool differs_ = false;
};

}  // namespace interlock::sim
