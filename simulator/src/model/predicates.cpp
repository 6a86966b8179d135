#include "model/predicates.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

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

}  // namespace

Predicates::Predicates(const Scenario& scenario)
    : scenario_(scenario), other_times_(times_to_ask_at(scenario)) {}

bool Predicates::hold(const Property& property, const Snapshot& world) {
  ++asked_;
  const bool held = ask_once(property, world);
  keep(property, world, held);
  if (!other_times_.empty()) ask_at_other_times(property, world, held);
  if (ask_once(property, world) != held) is_inconstant(property.name);
  return held;
}

bool Predicates::ask_once(const Property& property, const Snapshot& world) {
  std::string thrown;
  const bool held = ask(property.holds, world, thrown);
  if (!thrown.empty() && failure_.empty()) {
    failure_ = "the predicate of '" + property.name + "' ended with an exception: " + thrown +
               ": let it answer true or false of every state, also of those without its keys";
  }
  return held;
}

// Beyond the first states at two times only, of which one is the farthest.
void Predicates::ask_at_other_times(const Property& property, Snapshot world, bool held) {
  constexpr std::uint64_t at_all_times = 4096;
  const std::size_t last = other_times_.size() - 1;
  for (std::size_t at = 0; at <= last && needs_time_.empty(); ++at) {
    const bool due = at == last || at == asked_ % other_times_.size();
    if (asked_ > at_all_times && !due) continue;
    const Duration before = world.time;
    world.time = other_times_[at];
    if (ask_once(property, world) == held) continue;
    needs_time_ = "time has no end, and the predicate of '" + property.name +
                  "' needs to know the time: about the same state it answers one thing at " +
                  ms(before) + " and another at " + ms(world.time) +
                  ": bound the instants (Scenario::instants), or leave Snapshot::time out of it";
  }
}

// The first states, some of those that follow, and those for which it does not hold.
void Predicates::keep(const Property& property, const Snapshot& world, bool held) {
  constexpr std::uint64_t first = 128;
  constexpr std::size_t most = 512;
  const bool is_kept = asked_ <= first || std::has_single_bit(asked_) || !held;
  if (is_kept && sample_.size() < most) sample_.push_back(AskedPredicate{&property, world, held});
}

void Predicates::ask_again() {
  for (auto asked = sample_.rbegin(); asked != sample_.rend(); ++asked) {
    if (ask_once(*asked->property, asked->world) != asked->held) {
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
    if (differs && one.kind == PropertyKind::predicate) is_inconstant(one.name);
  }
}

void Predicates::is_inconstant(const std::string& property) {
  if (!failure_.empty()) return;
  failure_ = "the predicate of '" + property +
             "' answers differently when it is asked about the same state again: let it answer by "
             "the Snapshot alone, and remember nothing";
}

std::vector<std::string> Predicates::trusts() const {
  std::vector<std::string> trusts;
  if (!scenario_.endless()) return trusts;
  for (const Property& property : scenario_.properties()) {
    if (property.kind != PropertyKind::predicate) continue;
    trusts.push_back("'" + property.name + "' does not ask for the time");
  }
  return trusts;
}

}  // namespace interlock::sim
