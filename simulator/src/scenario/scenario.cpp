#include "interlock/sim/scenario.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/names.hpp"

namespace interlock::sim {

static_assert(Scenario::clients_max == Permutation::count);

namespace {

auto is_of(PropertyKind kind) {
  return [kind](const Property& property) { return property.kind == kind; };
}

std::vector<std::string> names_of(const std::vector<Property>& properties) {
  std::vector<std::string> names;
  for (const Property& property : properties) {
    if (property.kind != PropertyKind::deadlock) names.push_back(property.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The kinds of what was chosen, each once and in one order. Empty: they are those that the scenario
// requires by itself, with or without `no deadlock`, which is told of every scenario.
std::vector<PropertyKind> choice_among(const std::vector<Property>& required,
                                       const std::vector<Property>& chosen) {
  if (names_of(required) == names_of(chosen)) return {};
  std::vector<PropertyKind> kinds;
  kinds.reserve(chosen.size());
  for (const Property& property : chosen) kinds.push_back(property.kind);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

}  // namespace

Scenario::Scenario(std::string name) : properties_{no_deadlock()} {
  named(std::move(name));
}

Scenario& Scenario::named(std::string name) {
  // A schedule begins with a name.
  name_ = name.empty() ? "unnamed" : std::move(name);
  return *this;
}

Scenario& Scenario::client(Program program) {
  return clients(1, std::move(program));
}

Scenario& Scenario::clients(std::size_t count, Program program) {
  asked_for_ += count;
  if (asked_for_ > clients_max) return *this;
  const std::size_t first = processes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    ClientProgram process;
    process.name = client_name(first + i);
    process.program = program;
    process.same_as = first;
    processes_.push_back(std::move(process));
  }
  return *this;
}

Scenario& Scenario::symmetry(bool on) {
  symmetry_ = on;
  return *this;
}

Scenario& Scenario::servers(std::size_t count) {
  servers_ = count;
  return *this;
}

Scenario& Scenario::initially(Key key, Entry entry, std::size_t server) {
  initial_keys_.emplace_back(std::move(key), std::move(entry), server);
  return *this;
}

Scenario& Scenario::instants(std::size_t count, Duration apart) {
  instants_ = count;
  apart_ = apart;
  return *this;
}

Scenario& Scenario::time_without_end() {
  endless_ = true;
  longest_.reset();
  return *this;
}

Scenario& Scenario::time_without_end(Duration longest) {
  endless_ = true;
  longest_ = longest;
  return *this;
}

Scenario& Scenario::long_lived_keys_stay() {
  long_lived_keys_stay_ = true;
  return *this;
}

Scenario& Scenario::clocks_start_at(Duration first) {
  first_ = first;
  return *this;
}

Scenario& Scenario::resource_checks_fencing(std::string resource) {
  checking_.push_back(std::move(resource));
  return *this;
}

Scenario& Scenario::faults(FaultBudget budget) {
  // If no fault of any kind may happen, the bounds are those of no faults.
  if (budget.total() == 0) {
    const bool pauses_count = budget.pauses_count();
    budget = FaultBudget();
    if (pauses_count) budget.pauses(0);
  }
  faults_ = budget;
  return *this;
}

Scenario& Scenario::late_arrivals_are_pauses() {
  late_arrivals_are_pauses_ = true;
  return *this;
}

Scenario& Scenario::replica(Replica replica) {
  replica_ = replica;
  return *this;
}

Scenario& Scenario::require(Property property) {
  asked_for_something_ = true;
  if (property.kind == PropertyKind::deadlock && requires_kind(property.kind)) return *this;
  // If a state breaks two properties, the one that the user asked for is reported first.
  const bool last = requires_kind(PropertyKind::deadlock);
  properties_.insert(properties_.end() - (last ? 1 : 0), std::move(property));
  return *this;
}

Scenario& Scenario::allow_deadlock() {
  const auto erased = std::erase_if(properties_, [](const Property& property) {
    return property.kind == PropertyKind::deadlock;
  });
  if (erased > 0) offered_.push_back(no_deadlock());
  return *this;
}

Scenario& Scenario::offer(Property property) {
  offered_.push_back(std::move(property));
  return *this;
}

bool Scenario::require_only(const std::vector<PropertyKind>& kinds) {
  std::vector<Property> all = properties_;
  all.insert(all.end(), offered_.begin(), offered_.end());
  const auto is_chosen = [&kinds](const Property& property) {
    return std::find(kinds.begin(), kinds.end(), property.kind) != kinds.end();
  };
  for (const PropertyKind kind : kinds) {
    if (std::none_of(all.begin(), all.end(), is_of(kind))) return false;
  }
  // Named in the scenario's order, in whatever order the user names them.
  std::vector<Property> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), is_chosen);
  std::stable_partition(chosen.begin(), chosen.end(), std::not_fn(is_of(PropertyKind::deadlock)));
  chosen_ = choice_among(properties_, chosen);
  offered_ = std::move(all);
  properties_ = std::move(chosen);
  asked_for_something_ = !properties_.empty();
  return true;
}

Scenario& Scenario::bounded_by(std::string what) {
  if (std::find(more_bounds_.begin(), more_bounds_.end(), what) == more_bounds_.end()) {
    more_bounds_.push_back(std::move(what));
  }
  return *this;
}

Scenario& Scenario::sometimes(std::string goal) {
  goals_.push_back(std::move(goal));
  return *this;
}

bool Scenario::requires_kind(PropertyKind kind) const noexcept {
  return std::any_of(properties_.begin(), properties_.end(),
                     [kind](const Property& property) { return property.kind == kind; });
}

bool Scenario::requires_own() const noexcept {
  return std::any_of(properties_.begin(), properties_.end(),
                     [](const Property& property) { return property.is_own(); });
}

bool Scenario::requires_liveness() const noexcept {
  return std::any_of(properties_.begin(), properties_.end(),
                     [](const Property& property) { return property.is_liveness(); });
}

}  // namespace interlock::sim
