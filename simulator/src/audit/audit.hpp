// At the end of a search: whether the programs keep the promises on which the search relied.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "audit/companion.hpp"
#include "audit/program_graph.hpp"
#include "model/audit_report.hpp"

namespace interlock::sim {

// Runs one program again, and compares it with what its automaton says:
//
// - every answer in every local state once more, along ways that lead through all merged states,
//   and a small program many times: that finds a program which is not deterministic;
// - where different pasts were merged (loop_head, remembers): what follows the first of them must
//   follow each other one as well, and also one that has come back up to `rounds_max` times;
// - as each of the clients that are said to be identical, under their names, and beside others that
//   are said to be identical, under exchanged names for these;
// - where time has no end: at other times.
//
// The first is done in full, the others as far as a budget goes. The order of all this is always
// the same.
class Audit {
 public:
  // `twins`: all clients that run the program, the automaton's own first. `others`: groups of
  // identical clients with other programs, which the search takes as one another.
  // A small program is repeated until `repeated_steps` steps are taken (Limits::repeated_steps).
  Audit(const Automaton& automaton,
        std::vector<std::size_t> twins,
        std::vector<std::vector<std::size_t>> others,
        std::uint64_t repeated_steps);

  // Asks `proceed` after each run of the program; false: it has ended the audit.
  bool run(const std::function<bool()>& proceed);

  const std::string& failure() const { return failure_; }
  const std::string& broken_promise() const { return broken_promise_; }
  // Whether all exchanges of the twins' names were tried, and each did the same.
  bool twins_are_alike() const { return twins_are_alike_; }
  // How many rounds of a loop a run has made that was compared with the first run there.
  std::uint32_t rounds_compared() const { return rounds_compared_; }
  std::uint32_t runs() const { return runs_; }

  static constexpr std::uint32_t rounds_max = AuditReport::rounds_max;

 private:
  using Id = ProgramGraph::Id;
  enum class Time : std::uint8_t { stands, passes };
  class Cycle {
   public:
    GraphPlace from;
    std::vector<Id> way;
  };

  bool is_over() const { return is_ended_ || !failure_.empty() || !broken_promise_.empty(); }
  bool has_budget() const { return steps_ < budget_; }

  void repeat_all();
  void compare_pasts();
  class Depth {
   public:
    std::uint32_t rounds;
    std::uint32_t beyond;  // steps that are compared behind the place where pasts were merged
  };
  bool compare_past(Id merge, Depth depth, Time time);
  bool come_back(const Companion& run, Id merge, Cycle& cycle) const;
  bool let_time_pass(Companion& run) const;
  bool look_beyond(Companion& run, std::uint32_t steps, std::set<Id>& seen, Id& last);
  void go_round();
  void walk(std::uint64_t seed);
  bool names_hold_tokens(std::uint32_t of);
  void run_as_twins();
  void run_beside_renamed();
  void run_at_other_times();
  void run_after_long_waits();
  void run_at_next_times();
  // Takes every step once, as that client, in an order that depends on `mixed`. False: the budget
  // was too small.
  bool tour(const Companion::As& as, std::size_t mixed = 0);

  static bool go(Companion& run, const std::vector<Id>& way, Id& last);
  void finish(const Companion& run);
  std::string difference_from_learned(Id step, const Companion::As& as);
  bool is_deterministic(Id step);
  bool depends_on_time(Id step);
  void judge(const Companion& run, const Companion::As& as, Id step);

  const Automaton& automaton_;
  std::vector<std::size_t> twins_;
  std::vector<std::vector<std::size_t>> others_;
  std::uint64_t repeated_steps_;
  ProgramGraph graph_;
  Companion::As itself_;
  std::vector<Id> merges_;  // steps to a state to which the first run came on another way
  std::uint64_t steps_ = 0;
  std::uint64_t budget_ = 0;
  std::function<bool()> proceed_;
  bool is_ended_ = false;
  std::string failure_;
  std::string broken_promise_;
  bool twins_are_alike_ = true;
  std::uint32_t rounds_compared_ = 0;
  std::uint32_t runs_ = 0;
};

}  // namespace interlock::sim
