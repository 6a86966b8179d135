// One run as a value: what happened step by step, and the state of the world after each step. Plain
// data without a pointer into a search, so it outlives the search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/faults.hpp"
#include "interlock/store/operation.hpp"
#include "interlock/store/value.hpp"

namespace interlock::sim {

class KeyView {
 public:
  std::size_t server = 0;  // counted from 0
  std::string key;
  std::string value;
  std::optional<milliseconds> remaining;  // by the server's clock; none: no expiry
};

// A ghost variable: Client::note().
class GhostView {
 public:
  std::string name;
  std::int64_t value = 0;
  friend bool operator==(const GhostView&, const GhostView&) = default;
};

class ClientView {
 public:
  enum class Status : std::uint8_t { not_started, running, done, crashed };
  std::string name;
  Status status = Status::not_started;
  // The locks that it believes it holds: until it leaves, or crashes. If lease_exclusion() of the
  // lock is required and mutual_exclusion() is not, no longer than the end that it has given.
  std::vector<std::string> inside;
  std::vector<std::string> wants;  // the locks that it waits for, if any property may ask for them
  std::string next;  // the answer or wait that its first task awaits: `GET lock.foo`; empty: none
  std::vector<GhostView> ghosts;  // those that it has set, by name
  std::size_t restarts = 0;       // how often it has crashed and begun again

  // None: it has not set this ghost variable yet.
  std::optional<std::int64_t> ghost(const std::string& name) const;
};

// The line of the source at which a task of a client waits: that of its innermost co_await. Where
// this is in the library, it is not the line of the client's own function.
class TaskLine {
 public:
  std::string task;  // empty: the main task
  std::string file;  // as the compiler was given it
  std::uint32_t number = 0;
};

class ResourceView {
 public:
  std::string name;
  std::uint64_t greatest_fencing = 0;
  std::string last_writer;  // empty: nobody yet
};

// The world between two steps.
class Snapshot {
 public:
  Duration time{0};  // true time since the beginning; predicates: not if time has no end
  std::vector<KeyView> keys;
  std::vector<ClientView> clients;
  std::vector<ResourceView> resources;  // those that check fencing; all, if always() may ask
  std::size_t faults = 0;               // so far

  // Null: this server (counted from 0) has no such key. Valid until `keys` changes.
  const KeyView* find(const std::string& key, std::size_t server = 0) const;
  // The number that this key holds; none: there is no such key, or it holds no number.
  std::optional<std::int64_t> number(const std::string& key, std::size_t server = 0) const;
  // The sum of all clients' ghost variables of this name; one that was not set counts as 0.
  std::int64_t sum_of_ghosts(const std::string& name) const;
};

// One step as a predicate over two states sees it.
class StepView {
 public:
  Snapshot before;
  Snapshot after;
  std::optional<std::size_t> client;  // who moves, as an index into Snapshot::clients; none: the
                                      // world (time passes, a server fails)
  std::optional<Fault> fault;         // what goes wrong in this step
};

enum class StepKind : std::uint8_t {
  start,      // a client begins; it has read its clock and sent nothing yet
  operation,  // an operation is applied, and answered unless `delivered` is false
  deliver,    // the answer to a step that was not delivered reaches the client, which goes on
  wake,       // a sleep is over, or a wait for a message; the client goes on unless `delivered` is
              // false
  leave,      // a client leaves its section, and goes on unless `delivered` is false
  write,      // a client writes to a resource
  late,       // a request whose sender has given up is applied, or a late write or its second copy
              // arrives; no client gets the answer
  time,       // one instant passes, for all clients
  fault,      // a fault that is no operation: crash, restart, clock_jump, ...
};
std::string_view to_string(StepKind kind) noexcept;

enum class HistoryEventKind : std::uint8_t { invokes, returns, leaves_open };

// An operation on an object for which linearizable() is required begins or ends: Client::invokes().
class HistoryEvent {
 public:
  HistoryEventKind kind = HistoryEventKind::invokes;
  std::size_t client = 0;  // as an index into Run::clients
  std::string object;
  std::string operation;
  std::optional<std::int64_t> number;  // of `invokes` the argument, of `returns` the result
};
// `invokes queue.push(3)`, `returns 3 from queue.pop`.
std::string describe(const HistoryEvent& event);

class RunStep {
 public:
  StepKind kind = StepKind::time;
  std::optional<std::size_t> client;   // who moves, as an index into Run::clients; none: the world
  std::string task;                    // which of its tasks; empty: the main one
  std::optional<Fault> fault;          // what goes wrong in this step
  std::string what;                    // `SETNX lock.foo 112`, `time +1000 ms`, `crash`
  std::string reply;                   // `1`, `nil`, `indeterminate`; empty: none
  bool applied = false;                // the store has carried it out in this step
  bool delivered = false;              // the client learns the answer in this step, or goes on
  std::size_t server = 0;              // counted from 0
  std::optional<Operation> operation;  // for the kinds operation, deliver and late: what was sent
  std::optional<Reply> answer;         // what the store answered, when it was applied
  std::uint64_t choice = 0;            // which branch, if the client chose in this step
  std::vector<HistoryEvent> history;   // the operations on objects that begin or end in this step
  std::string note;                    // what matters to a reader: `A enters lock.foo`
  std::string violates;                // the property that this step breaks; empty: none
  std::uint32_t code = 0;              // choose this step by Simulation::take(code)
  Snapshot after;
};

class Run {
 public:
  std::string scenario;
  std::vector<std::string> clients;
  Duration clocks_start_at{0};  // what every clock shows at the beginning
  Duration apart{0};            // how much time passes in a step of time
  Snapshot before;
  std::vector<RunStep> steps;
  // Set if the run has no end: the steps from this one on repeat for ever, and the world after the
  // last step is as it was before this one. Equal to the number of steps: nothing can happen any
  // more, or by the scenario's fairness nothing need happen.
  std::optional<std::size_t> loop;
  // With a loop: the fairness that was chosen, in words (Scenario::fairness_in_words()). The loop
  // satisfies it. None: it is weak, of each task, of messages and of time.
  std::vector<std::string> fairness;
  // Set if the run breaks a leads_to(): after so many steps `from` holds, and from there on `to`
  // never does.
  std::optional<std::size_t> owed_since;

  bool empty() const noexcept { return steps.empty(); }
  // How many faults have happened by the last step.
  std::size_t faults() const;
};

// One line for each step: number, time, who, what, answer, note. Then history_text().
std::string describe(const Run& run);

// If the run breaks linearizable(): one line for each operation on the object, with its result and
// the steps, counted from 1, in which it begins and ends. Else empty.
std::string history_text(const Run& run);

// If the run breaks linearizable(): `B: queue.pop -> 3 fits no order of the operations`. Else
// empty.
std::string what_fits_no_order(const Run& run);

}  // namespace interlock::sim
