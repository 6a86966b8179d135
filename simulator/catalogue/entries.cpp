#include <algorithm>
#include <charconv>
#include <string>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/fault_text.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::size_t attempts_most = 100;
constexpr std::size_t instants_most = 10'000;

Scenario stamp(TakeOver take_over, const Bounds& bounds) {
  return stamp_lock_scenario(take_over, bounds.clients.value_or(2),
                             static_cast<std::int64_t>(bounds.attempts.value_or(1)),
                             bounds.instants.value_or(1));
}

Scenario lease(const Bounds& bounds, bool renews) {
  LeaseClientOptions options;
  options.renews = renews;
  return lease_lock_scenario(bounds.clients.value_or(2), options, bounds.instants.value_or(5));
}

}  // namespace

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {"del-setnx-lock", "an expired lock is deleted, then taken: two clients can hold it",
       "make 'see it expired' and 'replace it' one command: GETSET", "stamp-lock", true,
       [](const Bounds& bounds) { return stamp(TakeOver::del_setnx, bounds); }},
      {"stamp-lock", "the same with GETSET: one client wins, if clocks agree", "", "", true,
       [](const Bounds& bounds) { return stamp(TakeOver::getset, bounds); }},
      {"lease-lock", "the production lock: leases, fencing tokens, waiting without polling", "", "",
       false, [](const Bounds& bounds) { return lease(bounds, false); }},
      {"lease-lock-renewed", "the production lock, with renewal while the section runs", "", "",
       false, [](const Bounds& bounds) { return lease(bounds, true); }},
  };
  return all;
}

const Entry* find(std::string_view name) {
  const auto at = std::find_if(entries().begin(), entries().end(),
                               [name](const Entry& entry) { return entry.name == name; });
  return at == entries().end() ? nullptr : &*at;
}

namespace {

Result<std::size_t> parse_count(const std::string& option,
                                const std::string& text,
                                std::size_t most) {
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (text.empty() || error != std::errc() || stop != end || count < 1 || count > most) {
    return Error(Errc::invalid_argument, "'" + option + "' is '" + text +
                                             "': write a number from 1 to " + std::to_string(most));
  }
  return count;
}

}  // namespace

Result<Bounds> parse_bounds(const ScheduleOptions& options) {
  Bounds bounds;
  for (const auto& [name, value] : options) {
    if (name == "faults") {
      const Result<FaultBudget> faults = parse_faults(value);
      if (!faults) return faults.error();
      bounds.faults = *faults;
      continue;
    }
    std::optional<std::size_t>* into = nullptr;
    std::size_t most = 0;
    if (name == "clients") {
      into = &bounds.clients;
      most = Scenario::clients_max;
    } else if (name == "attempts") {
      into = &bounds.attempts;
      most = attempts_most;
    } else if (name == "instants") {
      into = &bounds.instants;
      most = instants_most;
    } else {
      return Error(Errc::invalid_argument,
                   "'" + name + "' is no option: write clients, attempts, instants or faults");
    }
    const Result<std::size_t> count = parse_count(name, value, most);
    if (!count) return count.error();
    *into = *count;
  }
  return bounds;
}

Result<Scenario> build(std::string_view name, const ScheduleOptions& options) {
  const Entry* entry = find(name);
  if (entry == nullptr) {
    return Error(Errc::invalid_argument,
                 "there is no scenario '" + std::string(name) + "': see interlock scenarios");
  }
  const Result<Bounds> bounds = parse_bounds(options);
  if (!bounds) return bounds.error();
  if (bounds->attempts && !entry->has_attempts) {
    return Error(Errc::invalid_argument, "the clients of '" + std::string(name) +
                                             "' wait instead of trying: leave 'attempts' out");
  }
  Scenario scenario = entry->make(*bounds);
  if (bounds->faults) scenario.faults(*bounds->faults);
  return scenario;
}

}  // namespace interlock::sim::catalogue
