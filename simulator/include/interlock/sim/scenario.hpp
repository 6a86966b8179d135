// A Scenario defines a search: the clients, how the world begins, which faults may happen, and
// which properties must hold.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/sim/client.hpp"
#include "interlock/sim/fairness.hpp"
#include "interlock/sim/faults.hpp"
#include "interlock/sim/property.hpp"
#include "interlock/store/keyspace.hpp"

namespace interlock::sim {

// The replica that takes over in a Fault::failover.
class Replica {
 public:
  static constexpr std::size_t missed_writes_max = 7;

  // It has missed some of the last so many writes to its server: the last one, or the last two, and
  // so on up to this number, and each occurs in some run. At most `missed_writes_max`; 0: none. A
  // request that changes no key is no write here, and a server that has just taken over, or lost
  // its data, has no write that a replica could miss.
  std::size_t missed_writes = 1;
  int instants_ahead = 0;  // how far its clock is ahead (-1, 0 or 1); keys expire by this clock
  friend bool operator==(const Replica&, const Replica&) = default;
};

// A mistake in an argument does not end the process: mistake() describes it, and every search of
// the scenario is `invalid` with that text. One thread at a time may use a scenario.
class Scenario {
 public:
  static constexpr std::size_t clients_max = 8;
  static constexpr std::size_t servers_max = 5;
  static constexpr std::size_t instants_max = 10'000;
  // How many instants the longest difference of time_without_end() may span.
  static constexpr int longest_max = 100;

  explicit Scenario(std::string name);  // printable, without ',', ':', '='; empty: `unnamed`
  // The same under another name.
  Scenario& named(std::string name);

  // Adds a process; they are named A, B, C, ... in order. At most `clients_max` in all.
  Scenario& client(Program program);
  // Adds `count` identical processes: they differ only in the owner tokens that they draw, and
  // compare these for equality only. The search learns one program for all of them (symmetry
  // reduction), and counts states that differ only in which client is which as one, unless
  // liveness is required (every_waiter_acquires(), leads_to()), or always() is and an initial key
  // names one of them. At its end the search runs the program as each of them, under permuted
  // names: if one behaves differently, the scenario is `invalid`. If there are too many
  // permutations, Verdict::trusts says that not all were tried.
  Scenario& clients(std::size_t count, Program program);
  // False: identical clients are distinguished, and each runs its own program. Then the verdict
  // does not depend on their being identical.
  Scenario& symmetry(bool on);

  // The number of servers, 1 to `servers_max`. Each has a store of its own, Client::store(n),
  // counted from 0.
  Scenario& servers(std::size_t count);
  // The key exists at the beginning on this server, counted from 0.
  Scenario& initially(Key key, Entry entry, std::size_t server = 0);

  // Time has `count` instants, 1 to `instants_max`, `apart` from each other. All clocks show
  // `first` at the beginning (clocks_start_at; 0 by default). Every step happens at an instant; a
  // sleep ends at the first instant that is not before its end. Without this call there is one
  // instant: time stands still, and no lease ends.
  Scenario& instants(std::size_t count, Duration apart = std::chrono::seconds{1});
  Scenario& clocks_start_at(Duration first);
  // Time goes on for ever, in instants as far apart as instants() says, which must be whole
  // milliseconds. The search then compares states by the differences between their clocks and now,
  // so that a client that retries for ever has finitely many states. The proof depends on a promise
  // about the programs: they use their clocks for differences only, and do not distinguish two
  // differences longer than `longest`. So `longest` is the longest lease, sleep or limit that
  // occurs; without an argument the search takes the longest ttl, sleep or wait that it meets. If a
  // program breaks the promise, or something is longer than `longest` or than `longest_max`
  // instants, the verdict is `incomplete` and says what.
  Scenario& time_without_end();
  Scenario& time_without_end(Duration longest);
  // Where time has no end, keys that are kept for more than `longest_max` instants never expire.
  // For keys whose ttl only cleans up, such as a queue that expires a day after its last use.
  Scenario& long_lived_keys_stay();

  // This resource refuses writes with a smaller fencing token than it has seen. Other resources
  // accept all writes.
  Scenario& resource_checks_fencing(std::string resource);

  Scenario& faults(FaultBudget budget);
  // If pauses count as faults (FaultBudget::pauses), an instant that passes before a client has
  // begun counts as one, too. Without this call clients may begin at any instant. For promises that
  // are counted from the first instant, such as that every client is served within some seconds.
  Scenario& late_arrivals_are_pauses();
  // Which replica takes over at Fault::failover; without this call it is `Replica{}`.
  Scenario& replica(Replica replica);
  Scenario& require(Property property);
  // Does not require no_deadlock(): clients may wait for ever, as servers do.
  Scenario& allow_deadlock();
  // Adds a property that is required only if require_only() names its kind: one that costs more
  // than the others, or that is known not to hold.
  Scenario& offer(Property property);
  // Requires only these kinds of the required and offered properties. False: the scenario has none
  // of one of these kinds, and nothing has changed.
  bool require_only(const std::vector<PropertyKind>& kinds);
  // Some run must reach this goal (Client::reach), or the search proves nothing.
  Scenario& sometimes(std::string goal);
  // Chooses under which fairness of these steps liveness is decided (every_waiter_acquires(),
  // leads_to()): fairness.hpp. May be called for several kinds of steps, once for each; at most
  // `fair_steps_max` of them by a predicate. The scenario must require or offer a liveness
  // property. Verdict::bounds and Verdict::fairness name what was chosen, and the run that is shown
  // satisfies it.
  static constexpr std::size_t fair_steps_max = 12;
  Scenario& fairness(Fairness fairness, FairSteps steps);

  // Adds to the text of bounds() a bound that is inside the programs: `2 attempts each`.
  Scenario& bounded_by(std::string what);

  class ClientProgram {
   public:
    std::string name;
    Program program;
    std::size_t same_as = 0;  // the first process that is identical; itself if there is none
  };
  class InitialKey {
   public:
    InitialKey(Key on, Entry holds, std::size_t at)
        : key(std::move(on)), entry(std::move(holds)), server(at) {}
    Key key;
    Entry entry;
    std::size_t server;
  };

  const std::string& name() const noexcept { return name_; }
  const std::vector<ClientProgram>& processes() const noexcept { return processes_; }
  std::size_t clients_asked_for() const noexcept { return asked_for_; }
  const std::vector<InitialKey>& initial_keys() const noexcept { return initial_keys_; }
  const std::vector<std::string>& checking_resources() const noexcept { return checking_; }
  // The required properties; the last is no_deadlock(), unless deadlocks are allowed.
  const std::vector<Property>& properties() const noexcept { return properties_; }
  const std::vector<Property>& offered() const noexcept { return offered_; }
  const std::vector<std::string>& goals() const noexcept { return goals_; }
  const FaultBudget& faults() const noexcept { return faults_; }
  bool counts_late_arrivals() const noexcept { return late_arrivals_are_pauses_; }
  const Replica& replica() const noexcept { return replica_; }
  bool symmetry() const noexcept { return symmetry_; }
  bool requires_liveness() const noexcept;
  bool requires_kind(PropertyKind kind) const noexcept;
  // Whether a property is required that the user has written: Property::is_own().
  bool requires_own() const noexcept;
  // Whether predicates look at the world: of such a property, or of steps whose fairness is chosen.
  bool asks_predicates() const noexcept;
  // All choices of fairness(). They count only if liveness is required.
  const std::vector<ChosenFairness>& all_fairness() const noexcept { return fairness_; }
  // Those that count, in words, in one order: `A may stop for ever`, `strong fairness of 'B enters
  // lock'`. A choice that changes nothing is left out.
  std::vector<std::string> fairness_in_words() const;
  // Whether any property is required besides no_deadlock().
  bool requires_something() const noexcept { return asked_for_something_; }
  // The kinds of require_only(); empty: what the scenario requires by itself, deadlock or not.
  const std::vector<PropertyKind>& chosen_kinds() const noexcept { return chosen_; }
  std::size_t servers() const noexcept { return servers_; }
  std::size_t instants() const noexcept { return instants_; }
  // False: time ends after the last instant.
  bool endless() const noexcept { return endless_; }
  // None: the search finds the longest.
  std::optional<Duration> longest() const noexcept { return longest_; }
  bool keeps_long_lived_keys() const noexcept { return long_lived_keys_stay_; }
  Duration apart() const noexcept { return apart_; }
  Duration first() const noexcept { return first_; }

  // What is wrong and what to write instead: then every search is `invalid`. Empty: nothing is.
  std::string mistake() const;

  // `that has missed the last write, its clock 1000 ms behind`; `that has missed up to 3 of the
  // last writes`.
  std::string which_replica() const;
  // The same of one that has missed so many.
  std::string which_replica(std::size_t missed) const;
  // All that a verdict depends on besides the programs, the initial keys and the properties:
  // `3 identical clients, 4 instants 1000 ms apart, at most 1 fault (crash 1)`. Two scenarios of
  // the same programs have the same text if and only if they have the same bounds.
  std::string bounds() const;

 private:
  std::string name_;
  std::vector<ClientProgram> processes_;
  std::size_t asked_for_ = 0;
  std::vector<InitialKey> initial_keys_;
  std::vector<std::string> checking_;
  std::vector<Property> properties_;
  bool asked_for_something_ = false;
  std::vector<PropertyKind> chosen_;
  std::vector<std::string> more_bounds_;
  std::vector<Property> offered_;
  std::vector<std::string> goals_;
  std::vector<ChosenFairness> fairness_;
  FaultBudget faults_;
  bool late_arrivals_are_pauses_ = false;
  Replica replica_;
  bool symmetry_ = true;
  std::size_t servers_ = 1;
  std::size_t instants_ = 1;
  bool endless_ = false;
  std::optional<Duration> longest_;
  bool long_lived_keys_stay_ = false;
  Duration apart_ = std::chrono::seconds{1};
  Duration first_{0};
};

}  // namespace interlock::sim
