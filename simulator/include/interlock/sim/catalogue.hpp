// Every scenario by name, for programs that let people choose one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim::catalogue {

// How large a scenario is built. What is not said is the scenario's own choice.
class Bounds {
 public:
  std::optional<std::size_t> clients;
  std::optional<std::size_t> attempts;  // of each client to get the lock
  std::optional<std::size_t> instants;
  std::optional<FaultBudget> faults;
};

class Entry {
 public:
  std::string_view name;
  std::string_view summary;   // one line
  std::string_view fix;       // what repairs it; empty: nothing is broken
  std::string_view repaired;  // the scenario of the repaired lock; empty: none
  bool has_attempts;
  Scenario (*make)(const Bounds& bounds);
};

// In the order in which they teach.
const std::vector<Entry>& entries();

// Null: there is no such scenario.
const Entry* find(std::string_view name);

// `clients`, `attempts`, `instants` and `faults` as text, as schedules and command lines have them.
// `invalid_argument` names the option and what may stand there.
Result<Bounds> parse_bounds(const ScheduleOptions& options);

// The scenario of that name, in that size. `invalid_argument`: see parse_bounds, and unknown names.
Result<Scenario> build(std::string_view name, const ScheduleOptions& options);

}  // namespace interlock::sim::catalogue
