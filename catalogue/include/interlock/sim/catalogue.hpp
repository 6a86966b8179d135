// Every scenario by name, for programs that let people choose one: how locks fail, each failure
// with the shortest run that shows it, what repairs it, and what only seems to.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim::catalogue {

// How large a scenario is built. What is not said is the scenario's own choice.
class Bounds {
 public:
  std::optional<std::size_t> clients;
  std::optional<std::size_t> attempts;  // of each client to get the lock
  std::optional<std::size_t> instants;
  bool endless = false;  // time has no end: `instants` is `endless`
  std::optional<FaultBudget> faults;
  bool deadlock_allowed = false;           // `deadlock` is `allowed`
  std::vector<Property::Kind> properties;  // these alone; empty: those of the scenario
};

// What belongs together, in the order in which it teaches.
enum class Family : std::uint8_t {
  locks,        // whole locks, as people have run them
  setnx,        // the stamp locks: the key's value says when it ends
  ttl,          // one server that lets keys expire
  waiting,      // waking, fairness, several keys
  replication,  // several servers, and what a resource must check
};
// `locks`, `setnx`, `ttl`, `waiting`, `replication`.
std::string_view to_string(Family family) noexcept;

// What the search finds, at the scenario's own bounds. A test compares.
class Expected {
 public:
  Outcome outcome = Outcome::proved;
  std::string_view property = {};  // that is violated: `mutual exclusion of lock.foo`
  std::size_t steps = 0;           // of the shortest run that violates it
  std::size_t faults = 0;          // in that run
};

// Where the run goes wrong: a client acts, in one step, on what it learned in an earlier one and
// what is not true any more. Steps are counted from 1.
class Stale {
 public:
  std::size_t learned = 0;
  std::size_t acted = 0;
};

// One way to change a broken lock. The wrong ones are scenarios too: their shortest run shows the
// reader why.
class Repair {
 public:
  std::string_view scenario = {};
  std::string_view what = {};  // one line, as something to choose
  bool right = false;
  std::string_view answer = {};  // why it does it, or why not
};

class Entry {
 public:
  std::string_view name = {};
  Family family = Family::locks;
  std::string_view summary = {};  // one line
  std::string_view protocol = {};
  Scenario (*make)(const Bounds& bounds) = nullptr;
  bool has_clients = false;   // any number of them may be asked for
  bool has_attempts = false;  // the same for how often each tries
  Expected expected = {};
  // What went wrong, in paragraphs. `step 3 (A GET)` is checked: the run has that there.
  std::string_view explanation = {};
  std::optional<Stale> stale = std::nullopt;
  std::string_view fix = {};           // what repairs it, in a line; empty: nothing is broken
  std::vector<Repair> repairs = {};    // the right ones first
  std::string_view repairs_what = {};  // the scenario that this is a repair of; empty: none
  std::vector<std::string_view> sources = {};
  bool slow = false;  // takes seconds

  // The scenario of the repaired lock; empty: there is none.
  std::string_view repaired() const noexcept;
};

// In the order in which they teach; a repair follows what it repairs.
const std::vector<Entry>& entries();

// Null: there is no such scenario.
const Entry* find(std::string_view name);

// Reads `clients`, `attempts`, `instants`, `faults`, `property` and `deadlock`, as schedules and
// command lines write them. `invalid_argument`: names the option and its possible values.
Result<Bounds> parse_bounds(const ScheduleOptions& options);

// The scenario of that name, in that size. `invalid_argument`: see parse_bounds, unknown names, and
// options that this scenario does not have.
Result<Scenario> build(std::string_view name, const ScheduleOptions& options);

}  // namespace interlock::sim::catalogue
