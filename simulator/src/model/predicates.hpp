// Asks the user's predicates (always, each_step, leads_to, fairness), in ways that find a predicate
// which does not depend on the Snapshot alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Predicates {
 public:
  explicit Predicates(const Scenario& scenario);

  enum class PredicateAnswer : std::uint8_t {
    is_not_about_it,  // not of always()
    holds,
    broken  // of leads_to(): what it leads to is still to come
  };
  // What the property's predicate says of this state of the world, or of this step.
  PredicateAnswer ask(const Property& property, const Snapshot& world) {
    return ask_well(property, world);
  }
  PredicateAnswer ask(const Property& property, const StepView& step) {
    return ask_well(property, step);
  }
  // Whether the step is one of those for which the scenario's fairness() was called as this one,
  // counted from 0; it has a predicate.
  bool is_of_chosen(std::size_t fairness, const StepView& step) {
    return ask(fair_steps_[fairness], step) == PredicateAnswer::holds;
  }
  // Called when a search is over: asks about some of the states once more, in another order.
  void ask_again();
  // The same for the run that was found, which has been told: whether it breaks `property` in its
  // last step, and nothing before.
  void compare(const std::string& property, const Run& run);

  // The predicate with this name has answered differently about the same state.
  void is_inconstant(const std::string& name);
  // Says what the author of a predicate must correct: the predicate threw, or does not depend on
  // the Snapshot alone. Empty: neither.
  std::string failure() const { return failure_; }
  // Where time has no end, states have no time of their own. Says which predicate needs to know the
  // time; empty: none was found.
  std::string needs_time() const { return needs_time_; }
  std::vector<std::string> trusts() const;

 private:
  // `Seen` is a Snapshot or a StepView.
  template <class Seen>
  class AskedPredicate {
   public:
    const Property* property;
    Seen seen;
    PredicateAnswer answer;
  };
  template <class Seen>
  using Sample = std::vector<AskedPredicate<Seen>>;

  template <class Seen>
  PredicateAnswer ask_well(const Property& property, const Seen& seen);
  PredicateAnswer ask_once(const Property& property, const Snapshot& world);
  PredicateAnswer ask_once(const Property& property, const StepView& step);
  template <class Predicate, class Seen>
  bool ask_user(const Property& property, const Predicate& predicate, const Seen& seen);
  template <class Seen>
  void ask_at_other_times(const Property& property, Seen seen, PredicateAnswer answer);
  template <class Seen>
  void keep(const Property& property, const Seen& seen, PredicateAnswer answer);
  template <class Seen>
  void ask_again(const Sample<Seen>& sample);
  Sample<Snapshot>& sample_of(const Snapshot&) { return states_; }
  Sample<StepView>& sample_of(const StepView&) { return steps_; }
  const Scenario& scenario_;
  std::vector<Property> fair_steps_;  // by choice of fairness, as properties that never break
  std::vector<Duration> other_times_;
  std::uint64_t asked_ = 0;
  Sample<Snapshot> states_;
  Sample<StepView> steps_;
  std::string failure_;
  std::string needs_time_;
};

}  // namespace interlock::sim
