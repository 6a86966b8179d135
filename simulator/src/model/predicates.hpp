// Asks the user's predicates (always), in ways that find a predicate which does not depend on the
// Snapshot alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Predicates {
 public:
  explicit Predicates(const Scenario& scenario);

  // Whether the property's predicate holds in this state of the world.
  bool hold(const Property& property, const Snapshot& world);
  // Called when a search is over: asks about some of the states once more, in another order.
  void ask_again();
  // The same for the run that was found, which has been told: whether it breaks `property` in its
  // last step, and nothing before.
  void compare(const std::string& property, const Run& run);

  // Says what the author of a predicate must correct: the predicate threw, or does not depend on
  // the Snapshot alone. Empty: neither.
  std::string failure() const { return failure_; }
  // Where time has no end, states have no time of their own. Says which predicate needs to know the
  // time; empty: none was found.
  std::string needs_time() const { return needs_time_; }
  std::vector<std::string> trusts() const;

 private:
  class AskedPredicate {
   public:
    const Property* property;
    Snapshot world;
    bool held;
  };
  bool ask_once(const Property& property, const Snapshot& world);
  void ask_at_other_times(const Property& property, Snapshot world, bool held);
  void keep(const Property& property, const Snapshot& world, bool held);
  void is_inconstant(const std::string& property);

  const Scenario& scenario_;
  std::vector<Duration> other_times_;
  std::uint64_t asked_ = 0;
  std::vector<AskedPredicate> sample_;
  std::string failure_;
  std::string needs_time_;
};

}  // namespace interlock::sim
