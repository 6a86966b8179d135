// The scenarios by name, for programs that let people choose one. Most show how a lock fails, with
// the shortest run that shows it, its repairs, and changes that only seem to repair it; the others
// are those repairs, and the locks of this library. All functions may be called by any thread.
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

// The size of a scenario. A field that is not set is the scenario's own choice.
class Bounds {
 public:
  std::optional<std::size_t> clients;
  std::optional<std::size_t> attempts;  // how often each client tries to get the lock
  std::optional<std::size_t> instants;
  bool endless = false;  // time has no end: `instants` is `endless`
  std::optional<FaultBudget> faults;
  bool deadlock_allowed = false;         // `deadlock` is `allowed`
  std::vector<PropertyKind> properties;  // these alone; empty: those of the scenario
};

// Groups of scenarios, in the order of teaching.
enum class Family : std::uint8_t {
  locks,        // whole locks, as people have run them
  setnx,        // the stamp locks: the key's value says when it ends
  ttl,          // one server that lets keys expire
  waiting,      // waking, fairness, several keys
  replication,  // several servers, and what a resource must check
};
// `locks`, `setnx`, `ttl`, `waiting`, `replication`.
std::string_view to_string(Family family) noexcept;

// The result of the search at the scenario's own bounds. A test compares.
class Expected {
 public:
  Outcome outcome = Outcome::proved;
  std::string_view property = {};  // the violated one: `mutual exclusion of lock.foo`
  std::size_t steps = 0;           // in the shortest run that violates it
  std::size_t faults = 0;          // in that run
};

// Where the run goes wrong: in one step a client acts on what it learned in an earlier one, and
// what it learned is no longer true. Steps are counted from 1.
class Stale {
 public:
  std::size_t learned = 0;
  std::size_t acted = 0;
};

// One way to change a broken lock. A wrong one is a scenario, too: its shortest run shows why it is
// wrong.
class Repair {
 public:
  std::string_view scenario = {};
  std::string_view what = {};  // one line: the change
  bool right = false;
  std::string_view answer = {};  // why it repairs the lock, or why not
};

class CatalogueEntry {
 public:
  std::string_view name = {};
  Family family = Family::locks;
  std::string_view summary = {};  // one line
  std::string_view protocol = {};
  Scenario (*make)(const Bounds& bounds) = nullptr;
  bool has_clients = false;   // takes Bounds::clients
  bool has_attempts = false;  // takes Bounds::attempts
  Expected expected = {};
  // What went wrong, in paragraphs. A test checks that the run has `step 3 (A GET)` at that place.
  std::string_view explanation = {};
  std::optional<Stale> stale = std::nullopt;
  std::string_view fix = {};           // the repair, in a line; empty: nothing is broken
  std::vector<Repair> repairs = {};    // the right ones first
  std::string_view repairs_what = {};  // the scenario that this is a repair of; empty: none
  std::vector<std::string_view> sources = {};
  bool slow = false;  // takes seconds

  // The scenario of the repaired lock; empty: none.
  std::string_view repaired() const noexcept;
};

// All entries, in the order of teaching; a repair follows the scenario that it repairs.
const std::vector<CatalogueEntry>& entries();

// The entry of that name. Null: none.
const CatalogueEntry* find(std::string_view name);

// Reads `clients`, `attempts`, `instants`, `faults`, `property` and `deadlock`, as schedules and
// command lines write them. `invalid_argument`: names the option and its possible values.
Result<Bounds> parse_bounds(const ScheduleOptions& options);

// The scenario of that name, in that size. `invalid_argument`: the errors of parse_bounds, an
// unknown name, or an option that this scenario does not have.
Result<Scenario> build(std::string_view name, const ScheduleOptions& options);
// The scenario of an entry that need not be one of entries().
Result<Scenario> build(const CatalogueEntry& entry, const ScheduleOptions& options);

}  // namespace interlock::sim::catalogue
