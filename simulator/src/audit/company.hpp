// Runs all clients of a scenario at the same time: finds a client that acts differently because
// others run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "audit/tour.hpp"

namespace interlock::sim {

// An automaton is learned, and audited, with one process at a time. So programs that share memory,
// and restore it when they end, look as if they shared nothing. Here the clients' processes live
// beside each other:
//
// - one takes every step, while each of the others stands at a place of its own, again and again,
//   until each has stood everywhere;
// - all take every step, in turns by chance.
//
// Their places need not fit together: what a client does depends on the answers that it gets alone,
// and these come from its automaton. Both go as far as a budget does, in an order that is always
// the same.
class Company {
 public:
  class Member {
   public:
    const Automaton* automaton;
    Companion::As as;
  };
  // About `steps` steps are taken, twice (Limits::repeated_steps).
  Company(const std::vector<Member>& members, std::uint64_t steps);

  // Asks `proceed` after each run of a program; false: it has ended the check.
  bool run(const std::function<bool()>& proceed);

  const std::string& failure() const { return failure_; }
  std::uint32_t runs() const { return runs_; }

 private:
  bool has_budget() const { return !is_ended_ && failure_.empty() && steps_ < budget_; }
  void count_run();
  void one_by_one(std::uint64_t slice);
  bool stand(std::size_t member, ProgramGraph::Id place);
  void tour_beside_others(std::size_t member, std::size_t mixed, std::uint64_t slice);
  void all_together(std::size_t mixed);
  void begin_tour(std::size_t member, std::size_t mixed);
  bool go_on(std::size_t member);
  // A run that began with the way to a step, and took these.
  void judge(std::size_t member,
             Automaton::Local from,
             const std::vector<ProgramGraph::Id>& steps,
             const std::string& difference);
  void send_all_home();
  std::string others_than(std::size_t member) const;

  const ProgramGraph& graph(std::size_t member) const {
    return graphs_.at(members_[member].automaton);
  }

  std::vector<Member> members_;  // who have begun
  std::map<const Automaton*, ProgramGraph> graphs_;
  std::vector<std::unique_ptr<Companion>> standing_;  // by member
  std::vector<std::unique_ptr<Tour>> touring_;        // by member
  std::uint64_t least_;
  std::uint64_t steps_ = 0;
  std::uint64_t budget_ = 0;
  std::uint32_t runs_ = 0;
  std::function<bool()> proceed_;
  bool is_ended_ = false;
  std::string failure_;
};

}  // namespace interlock::sim
