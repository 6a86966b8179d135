// A small world as plain data: programs as lists of instructions, what may go wrong, what must
// hold. Two readers of it are compared: the simulator, for which as_scenario.hpp runs the programs
// as coroutines, and the explorer of these tests, for which machine.hpp runs them as state
// machines.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "interlock/sim/faults.hpp"
#include "interlock/sim/property.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::independent {

// What a task of a program remembers besides where it is: whether the last answer was a yes (and
// whether it was an error), the text that was read last, a clock reading, the branch chosen last,
// a count of rounds, its subscription. The tasks of a process share one bit and the owner token
// that was drawn last.
enum class Op : std::uint8_t {
  get,
  set,
  set_if_absent,
  exchange,
  erase,
  expire,
  remaining,
  increment,
  claim,
  renew,
  release,
  recognise,  // yes: the key `seen` names the server's incarnation; no: from now on it does
  publish,
  subscribe,
  await,  // a message, for at most `amount` ms
  unsubscribe,
  sleep,       // `amount` ms
  sleep_wall,  // the same, by the clock that may be set
  read_clock,
  read_wall,
  enter,
  enter_until,       // with a belief that ends `amount` ms later
  enter_until_wall,  // the same, by the clock that may be set
  leave,             // if it has entered
  write,  // with the text that was read as fencing token, if it is a number; else with `amount`
  wants,
  gives_up,
  reach,
  choose,  // one of `amount` branches
  draw,    // a new owner token
  loop_head,
  jump,   // to `target`, if `when` is so
  spawn,  // the second task, which begins at `target`
  share,  // sets the shared bit to whether the last answer was a yes
  stop,
};

// What is stored: the text that was read last, the last owner token, the clock reading.
enum class Stored : std::uint8_t { constant, read, mine, clock };

enum class When : std::uint8_t {
  always,
  yes,          // the last answer was a yes
  no,           // it was not
  failed,       // it was an error
  in_doubt,     // it was `indeterminate`
  picked,       // the branch chosen last is number `amount`
  mine,         // the text that was read is the last owner token
  smaller,      // it sorts before that token: not for identical clients
  nothing,      // it is empty
  older,        // the clock reading is at least `amount` ms old
  later_than,   // the clock shows at least `amount` ms after its beginning
  shared,       // the shared bit is set
  rounds_left,  // fewer than `amount` rounds were counted; counts one more
};

class Instruction {
 public:
  Op op = Op::stop;
  int name = 0;  // of a key, lock, resource, channel or event
  int server = 0;
  int amount = 0;  // a ttl (0: none), a time, a bound
  Stored stored = Stored::constant;
  When when = When::always;
  int target = 0;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};
using Code = std::vector<Instruction>;

class Rule {
 public:
  // Predicates (Property::always) are `together`: two keys are never there together; `guarded`:
  // while a client is inside a lock, the key of the same number is there; `ordered`: the last
  // client is not inside once the first has ended; `recognised`: nothing that is stored names the
  // last client once the first has ended. `unwritten`: the last client is not the last that has
  // written to a resource; `alone`: no two clients want a lock at a time. The rules that name the
  // first or the last client distinguish identical ones.
  enum class Kind : std::uint8_t {
    mutual_exclusion,
    lease_exclusion,
    owner_only,
    no_overwrite,
    fencing_grows,
    fenced_writes,
    no_orphan,
    no_lost_wake_up,
    no_unheard_grant,
    never,
    together,
    guarded,
    ordered,
    unwritten,
    alone,
    recognised,
    every_waiter_acquires,
  };
  Kind kind = Kind::mutual_exclusion;
  int name = 0;
  int within = 0;  // ms
  friend bool operator==(const Rule&, const Rule&) = default;
};

class InitialKey {
 public:
  int name = 0;
  int server = 0;
  int ttl = 0;                // ms; 0: none
  std::string value = "old";  // or `7`, a number
  friend bool operator==(const InitialKey&, const InitialKey&) = default;
};

class Trial {
 public:
  std::uint64_t seed = 0;
  std::vector<Code> codes;
  std::vector<int> clients;  // which code each runs; those that run the same stand side by side
  bool remembers = false;    // each program says what it remembers: Client::remembers
  int servers = 1;
  int instants = 1;
  int first = 0;  // what clocks show at the beginning, ms
  std::vector<InitialKey> keys;
  std::array<int, fault_kinds> faults{};
  int at_most = 0;
  bool pauses_count = false;
  bool requests_survive = false;  // when connections break
  Replica replica;
  bool checks_fencing = false;  // resource 0
  std::vector<Rule> rules;
  std::vector<int> goals;  // events that must be reached
};

inline constexpr int apart = 1000;  // ms between two instants
inline constexpr int for_ever = 1'000'000'000;

// The last is a client's own: what is stored is part of its name.
inline constexpr int own_key = 2;
inline const char* const seen_key = "seen";
std::string key_name(int key, const std::string& stored = {});
std::string lock_name(int lock);
std::string resource_name(int resource);
// The first is told when key 0 is released. The last is a client's own: what is stored is part of
// its name.
inline constexpr int own_channel = 2;
std::string channel_name(int channel, const std::string& stored = {});
std::string event_name(int event);

Property property_of(const Rule& rule);
// All of it, for people, with the programs line by line.
std::string describe(const Trial& trial);

}  // namespace interlock::sim::independent
