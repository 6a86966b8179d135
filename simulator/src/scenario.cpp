#include "interlock/sim/scenario.hpp"

#include <algorithm>
#include <iterator>

#include "interlock/detail/assert.hpp"
#include "names.hpp"

namespace interlock::sim {

static_assert(Scenario::clients_max == Names::count);

Scenario::Scenario(std::string name) : name_(std::move(name)), properties_{no_deadlock()} {}

Scenario& Scenario::named(std::string name) {
  name_ = std::move(name);
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
    Process process;
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
  INTERLOCK_ASSERT(count >= 1);
  INTERLOCK_ASSERT(count <= servers_max);
  servers_ = count;
  return *this;
}

Scenario& Scenario::initially(Key key, Entry entry, std::size_t server) {
  INTERLOCK_ASSERT(server < servers_);
  initial_keys_.emplace_back(std::move(key), std::move(entry), server);
  return *this;
}

Scenario& Scenario::instants(std::size_t count, Duration apart) {
  INTERLOCK_ASSERT(count >= 1);
  INTERLOCK_ASSERT(count <= 10'000);
  INTERLOCK_ASSERT(apart > Duration::zero());
  instants_ = count;
  apart_ = apart;
  return *this;
}

Scenario& Scenario::time_without_end(Duration longest) {
  INTERLOCK_ASSERT(longest >= Duration::zero());
  INTERLOCK_ASSERT(longest <= apart_ * 100);
  endless_ = longest;
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
  faults_ = budget;
  return *this;
}

Scenario& Scenario::replica(Replica replica) {
  INTERLOCK_ASSERT(replica.instants_ahead >= -1);
  INTERLOCK_ASSERT(replica.instants_ahead <= 1);
  replica_ = replica;
  return *this;
}

Scenario& Scenario::require(Property property) {
  asked_for_something_ = true;
  if (property.kind == Property::Kind::deadlock && requires_kind(property.kind)) return *this;
  // What somebody asked for is told first, where a state breaks both.
  const bool last = requires_kind(Property::Kind::deadlock);
  properties_.insert(properties_.end() - (last ? 1 : 0), std::move(property));
  return *this;
}

Scenario& Scenario::allow_deadlock() {
  const auto erased = std::erase_if(properties_, [](const Property& property) {
    return property.kind == Property::Kind::deadlock;
  });
  if (erased > 0) offered_.push_back(no_deadlock());
  return *this;
}

Scenario& Scenario::offer(Property property) {
  offered_.push_back(std::move(property));
  return *this;
}

bool Scenario::require_only(const std::vector<Property::Kind>& kinds) {
  std::vector<Property> all = properties_;
  all.insert(all.end(), offered_.begin(), offered_.end());
  std::vector<Property> chosen;
  for (const Property::Kind kind : kinds) {
    const std::size_t before = chosen.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [kind](const Property& property) { return property.kind == kind; });
    if (chosen.size() == before) return false;
  }
  offered_ = std::move(all);
  properties_ = std::move(chosen);
  asked_for_something_ = !properties_.empty();
  return true;
}

Scenario& Scenario::sometimes(std::string goal) {
  goals_.push_back(std::move(goal));
  return *this;
}

bool Scenario::requires_kind(Property::Kind kind) const noexcept {
  return std::any_of(properties_.begin(), properties_.end(),
                     [kind](const Property& property) { return property.kind == kind; });
}

bool Scenario::requires_liveness() const noexcept {
  return std::any_of(properties_.begin(), properties_.end(),
                     [](const Property& property) { return property.is_liveness(); });
}

std::string Scenario::which_replica() const {
  std::string text =
      replica_.missed_last_write ? "that has missed the last write" : "that has missed nothing";
  if (replica_.instants_ahead == 0) return text;
  const auto apart = std::chrono::duration_cast<milliseconds>(apart_).count();
  text += ", its clock " + std::to_string(apart) + " ms";
  return text + (replica_.instants_ahead > 0 ? " ahead" : " behind");
}

std::string Scenario::bounds() const {
  std::string text;
  for (std::size_t first = 0; first < processes_.size();) {
    std::size_t next = first;
    while (next < processes_.size() && processes_[next].same_as == first) ++next;
    const std::size_t count = next - first;
    if (first > 0) text += " + ";
    text += std::to_string(count) + (count > 1 ? " identical clients" : " client");
    first = next;
  }
  if (servers_ > 1) text += ", " + std::to_string(servers_) + " servers";
  const auto apart = std::chrono::duration_cast<milliseconds>(apart_).count();
  if (endless_) {
    const auto longest = std::chrono::duration_cast<milliseconds>(*endless_).count();
    text += ", time without end, instants " + std::to_string(apart) +
            " ms apart, nothing longer than " + std::to_string(longest) + " ms";
  } else if (instants_ == 1) {
    text += ", time stands still";
  } else {
    text += ", " + std::to_string(instants_) + " instants " + std::to_string(apart) + " ms apart";
  }
  if (faults_.total() == 0) return text + ", no faults";
  text += ", at most " + std::to_string(faults_.total()) +
          (faults_.total() == 1 ? " fault (" : " faults (");
  bool more = false;
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    if (faults_.limit(fault) == 0) continue;
    if (more) text += ", ";
    more = true;
    text += std::string(to_string(fault)) + " " + std::to_string(faults_.limit(fault));
    if (fault == Fault::failover && replica_ != Replica()) {
      text += " to a replica " + which_replica();
    }
  }
  return text + ")";
}

}  // namespace interlock::sim
