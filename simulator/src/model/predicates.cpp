#include "model/predicates.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "base/century.hpp"
#include "interlock/sim/violation.hpp"
#include "process/thrown.hpp"

namespace interlock::sim {
namespace {

// Each of the first instants, then twice as far each time.
std::vector<Duration> times_to_ask_at(const Scenario& scenario) {
  constexpr std::size_t each = 8;
  std::vector<Duration> times;
  if (!scenario.endless()) return times;
  for (Duration at = scenario.apart(); times.empty() || at <= century;) {
    times.push_back(at);
    at += times.size() < each ? scenario.apart() : at;
  }
  return times;
}

std::string ms(Duration time) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(time).count()) + " ms";
}

// Returns the time before.
Duration set_time(Snapshot& world, Duration time) {
  return std::exchange(world.time, time);
}
Duration set_time(StepView& step, Duration time) {
  set_time(step.after, time);
  return set_time(step.before, time);
}

}  // namespace

Predicates::Predicates(const Scenario& scenario)
    : scenario_(scenario), other_times_(times_to_ask_at(scenario)) {
  for (const ChosenFairness& chosen : scenario.all_fairness()) {
    Property& steps =
        fair_steps_.emplace_back(PropertyKind::step_predicate, chosen.steps.name, std::string());
    steps.is_about = chosen.steps.are;
    steps.step_holds = [](const StepView&) { return true; };
  }
}

template <class Seen>
Predicates::PredicateAnswer Predicates::ask_well(const Property& property, const Seen& seen) {
  ++asked_;
  const PredicateAnswer answer = ask_once(property, seen);
  keep(property, seen, answer);
  if (!other_times_.empty()) ask_at_other_times(property, seen, answer);
  if (ask_once(property, seen) != answer) is_inconstant(property.name);
  return answer;
}
template Predicates::PredicateAnswer Predicates::ask_well(const Property&, const Snapshot&);
template Predicates::PredicateAnswer Predicates::ask_well(const Property&, const StepView&);

Predicates::PredicateAnswer Predicates::ask_once(const Property& property, const Snapshot& world) {
  if (property.kind == PropertyKind::leads_to) {
    if (ask_user(property, property.to, world)) return PredicateAnswer::holds;
    return ask_user(property, property.from, world) ? PredicateAnswer::broken
                                                    : PredicateAnswer::is_not_about_it;
  }
  return ask_user(property, property.holds, world) ? PredicateAnswer::holds
                                                   : PredicateAnswer::broken;
}

Predicates::PredicateAnswer Predicates::ask_once(const Property& property, const StepView& step) {
  if (!ask_user(property, property.is_about, step)) return PredicateAnswer::is_not_about_it;
  return ask_user(property, property.step_holds, step) ? PredicateAnswer::holds
                                                       : PredicateAnswer::broken;
}

template <class Predicate, class Seen>
bool Predicates::ask_user(const Property& property, const Predicate& predicate, const Seen& seen) {
  std::string thrown;
  const bool answer = sim::ask(predicate, seen, thrown);
  if (!thrown.empty() && failure_.empty()) {
    failure_ = "the predicate of '" + property.name + "' ended with an exception: " + thrown +
               ": let it answer true or false of every state, also of those without its keys";
  }
  return answer;
}

// Beyond the first states at two times only, of which one is the farthest.
template <class Seen>
void Predicates::ask_at_other_times(const Property& property, Seen seen, PredicateAnswer answer) {
  constexpr std::uint64_t at_all_times = 4096;
  const std::size_t last = other_times_.size() - 1;
  for (std::size_t at = 0; at <= last && needs_time_.empty(); ++at) {
    const bool due = at == last || at == asked_ % other_times_.size();
    if (asked_ > at_all_times && !due) continue;
    const Duration before = set_time(seen, other_times_[at]);
    if (ask_once(property, seen) == answer) continue;
    needs_time_ = "time has no end, and the predicate of '" + property.name +
                  "' needs to know the time: about the same state it answers one thing at " +
                  ms(before) + " and another at " + ms(other_times_[at]) +
                  ": bound the instants (Scenario::instants), or leave Snapshot::time out of it";
  }
}

// The first states, some of those that follow, and those for which it does not hold.
template <class Seen>
void Predicates::keep(const Property& property, const Seen& seen, PredicateAnswer answer) {
  constexpr std::uint64_t first = 128;
  constexpr std::size_t most = 512;
  const bool is_kept =
      asked_ <= first || std::has_single_bit(asked_) || answer == PredicateAnswer::broken;
  Sample<Seen>& sample = sample_of(seen);
  if (is_kept && sample.size() < most) {
    sample.push_back(AskedPredicate<Seen>{&property, seen, answer});
  }
}

void Predicates::ask_again() {
  ask_again(steps_);
  ask_again(states_);
}

template <class Seen>
void Predicates::ask_again(const Sample<Seen>& sample) {
  for (auto asked = sample.rbegin(); asked != sample.rend(); ++asked) {
    if (ask_once(*asked->property, asked->seen) != asked->answer) {
      is_inconstant(asked->property->name);
    }
  }
}

void Predicates::compare(const std::string& property, const Run& run) {
  const auto step = violating_step(run);
  const std::string told = violated_property(run);
  if (told == property && *step + 1 == run.steps.size()) return;
  for (const Property& one : scenario_.properties()) {
    const bool differs = one.name == told || one.name == property;
    if (differs && one.is_own()) is_inconstant(one.name);
  }
}

void Predicates::is_inconstant(const std::string& name) {
  if (!failure_.empty()) return;
  failure_ = "the predicate of '" + name +
             "' answers differently when it is asked about the same state again: let it answer by "
             "the Snapshot alone, and remember nothing";
}

std::vector<std::string> Predicates::trusts() const {
  std::vector<std::string> trusts;
  if (!scenario_.endless()) return trusts;
  for (const Property& property : scenario_.properties()) {
    if (!property.is_own()) continue;
    trusts.push_back("'" + property.name + "' does not ask for the time");
  }
  for (const Property& steps : fair_steps_) {
    if (!steps.is_about || !scenario_.requires_liveness()) continue;
    trusts.push_back("'" + steps.name + "' does not ask for the time");
  }
  return trusts;
}

}  // namespace interlock::sim
