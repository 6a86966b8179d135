// The bounds of a search in words: everything on which its verdict rests besides the programs
// themselves. If the bounds of two scenarios differ, so do their texts.
#include <algorithm>

#include "base/memory.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/memory_bound.hpp"
#include "interlock/sim/scenario.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

constexpr Duration usually_apart = std::chrono::seconds{1};

std::string text_of(Duration duration) {
  const auto whole = std::chrono::duration_cast<milliseconds>(duration);
  if (whole == duration) return std::to_string(whole.count()) + " ms";
  return std::to_string(duration.count()) + " us";
}

std::string clients_text(const Scenario& scenario) {
  const std::vector<Scenario::ClientProgram>& all = scenario.processes();
  std::string text;
  for (std::size_t first = 0; first < all.size();) {
    const auto next = static_cast<std::size_t>(
        std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                     [first](const auto& process) { return process.same_as != first; }) -
        all.begin());
    const std::size_t count = next - first;
    if (first > 0) text += " + ";
    text += std::to_string(count) + (count == 1 ? " client" : " identical clients");
    if (count > 1 && !scenario.symmetry()) text += " told apart";
    first = next;
  }
  return text;
}

std::string time_text(const Scenario& scenario) {
  const std::string apart = text_of(scenario.apart()) + " apart";
  std::string text;
  if (scenario.endless()) {
    text = "time without end, instants " + apart;
    if (scenario.longest()) text += ", nothing longer than " + text_of(*scenario.longest());
    if (scenario.keeps_long_lived_keys()) {
      text += ", keys of more than " + std::to_string(Scenario::longest_max) + " instants stay";
    }
  } else if (scenario.instants() == 1) {
    text = "time stands still";
    // The distance of instants still says how far a clock is set, and how long a wait counts as
    // short.
    if (scenario.apart() != usually_apart) text += ", instants " + apart;
  } else {
    text = std::to_string(scenario.instants()) + " instants " + apart;
  }
  if (scenario.first() != Duration::zero())
    text += ", clocks start at " + text_of(scenario.first());
  return text;
}

std::string faults_text(const Scenario& scenario) {
  const FaultBudget& faults = scenario.faults();
  const std::size_t total = faults.total();
  if (total == 0) return "no faults";
  std::string kinds;
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    const std::size_t most = std::min(faults.limit(fault), total);
    if (most == 0) continue;
    if (!kinds.empty()) kinds += ", ";
    kinds += std::string(to_string(fault)) + " " + std::to_string(most);
    if (fault == Fault::failover && scenario.replica() != Replica()) {
      kinds += " to a replica " + scenario.which_replica();
    }
  }
  constexpr auto breaking = faults_with<&FaultKind::breaks_connections>;
  const bool breaks = std::any_of(breaking.begin(), breaking.end(),
                                  [&](Fault fault) { return faults.limit(fault) > 0; });
  if (breaks && faults.requests_survive())
    kinds += "; requests and answers survive broken connections";
  return "at most " + std::to_string(total) + (total == 1 ? " fault (" : " faults (") + kinds + ")";
}

std::string fairness_text(const Scenario& scenario) {
  std::string text;
  for (const std::string& words : scenario.fairness_in_words()) text += ", " + words;
  return text;
}

std::string properties_text(const Scenario& scenario) {
  std::string text;
  for (const PropertyKind kind : scenario.chosen_kinds()) {
    text += (text.empty() ? ", only " : " and ") + std::string(to_string(kind));
  }
  if (!text.empty()) return text + " looked for";
  return scenario.requires_kind(PropertyKind::deadlock) ? "" : ", deadlock allowed";
}

// How far the replica's clock is wrong; empty: it is right.
std::string clock_text(const Scenario& scenario) {
  const int ahead = scenario.replica().instants_ahead;
  if (ahead == 0) return {};
  return ", its clock " + text_of(scenario.apart()) + (ahead > 0 ? " ahead" : " behind");
}

}  // namespace

std::string Scenario::which_replica() const {
  const std::size_t most = replica_.missed_writes;
  if (most <= 1) return which_replica(most);
  return "that has missed up to " + std::to_string(most) + " of the last writes" +
         clock_text(*this);
}

std::string Scenario::which_replica(std::size_t missed) const {
  std::string text = "that has missed nothing";
  if (missed == 1) text = "that has missed the last write";
  if (missed > 1) text = "that has missed the last " + std::to_string(missed) + " writes";
  return text + clock_text(*this);
}

std::string Scenario::bounds() const {
  std::string text = clients_text(*this);
  for (const std::string& more : more_bounds_) text += ", " + more;
  if (servers_ > 1) text += ", " + std::to_string(servers_) + " servers";
  text += ", " + time_text(*this);
  if (faults_.pauses_count()) {
    text += late_arrivals_are_pauses_ ? ", time passes only while no client can move or begin"
                                      : ", time passes only while no started client can move";
  }
  return text + ", " + faults_text(*this) + fairness_text(*this) + properties_text(*this);
}

std::string Limits::bounds() const {
  const Limits usual;
  std::string text;
  const auto add = [&text](std::uint64_t limit, std::uint64_t most, const char* what) {
    if (limit != most) text += ", at most " + std::to_string(limit) + " " + what;
  };
  add(states, usual.states, "states");
  add(local_states, usual.local_states, "local states of a program");
  add(program_steps, usual.program_steps, "steps of a client");
  return text;
}

std::string memory_bound(std::uint64_t bytes) {
  return "at most " + size_text(bytes) + " of memory";
}

}  // namespace interlock::sim
