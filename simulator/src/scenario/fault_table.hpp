// The names, signs and consequences of each kind of fault, one row for each. What a fault does to
// the world is in model/expand_faults.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "interlock/sim/faults.hpp"

namespace interlock::sim {

// What a fault happens to.
enum class FaultTarget : std::uint8_t {
  client,
  request,  // of a client, or its answer
  server,
  clock,  // a client's or a server's
  world,
};

class FaultKind {
 public:
  Fault fault;
  FaultTarget target;
  std::string_view word;  // in messages, schedules and flags
  // In the one-line form of a run.
  char letter;
  char server_letter = 0;  // of `clock`, if it is a server's
  // In drawings, at most 9 columns.
  std::string_view note;
  std::string_view drawn = {};  // in the column of its client, for `client` and `clock`
  // In a game, behind the name of the client, or of the request. {server}, {key} and {subscriber}
  // stand for what it happens to. If empty: the word.
  std::string_view told = {};
  std::string_view told_of_server = {};  // of `clock`, if it is a server's
  // What follows from it.
  bool breaks_connections = false;
  bool loses_data = false;
  bool hides_answer = false;  // the client is told `indeterminate`
  bool hits_one_key = false;
  bool misses_writes = false;  // the last one, or so many as the step says
  // A copy of a request may be applied after its client has gone on.
  bool applies_late = false;
  // The last request of a client that has gone may not arrive, not in time, or be undone.
  bool may_take_last_request = false;
  // Its request is a write to a protected resource, and not one to a store.
  bool happens_to_writes = false;
};

inline constexpr std::array<FaultKind, fault_kinds> fault_table{{
    {.fault = Fault::crash,
     .target = FaultTarget::client,
     .word = "crash",
     .letter = 'x',
     .note = "crash",
     .drawn = "crashed",
     .told = "crashes"},
    {.fault = Fault::pause,
     .target = FaultTarget::world,
     .word = "pause",
     .letter = 'p',
     .note = "pause"},
    {.fault = Fault::unreachable,
     .target = FaultTarget::request,
     .word = "unreachable",
     .letter = 'u',
     .note = "not sent",
     .told = ", which is not sent",
     .may_take_last_request = true},
    {.fault = Fault::lost_request,
     .target = FaultTarget::request,
     .word = "lost-request",
     .letter = 'q',
     .note = "lost",
     .told = ", which is lost on its way",
     .hides_answer = true,
     .may_take_last_request = true},
    {.fault = Fault::lost_reply,
     .target = FaultTarget::request,
     .word = "lost-reply",
     .letter = 'l',
     .note = "no reply",
     .told = ", whose answer is lost",
     .hides_answer = true},
    {.fault = Fault::late_execution,
     .target = FaultTarget::request,
     .word = "late-execution",
     .letter = 'd',
     .note = "delayed",
     .told = ", which is applied later: no answer",
     .hides_answer = true,
     .applies_late = true,
     .may_take_last_request = true},
    {.fault = Fault::duplicate,
     .target = FaultTarget::request,
     .word = "duplicate",
     .letter = 'w',
     .note = "twice",
     .told = ", and a second copy later",
     .applies_late = true,
     .may_take_last_request = true},
    {.fault = Fault::rejected,
     .target = FaultTarget::request,
     .word = "rejected",
     .letter = 'j',
     .note = "refused",
     .told = ", which the store refuses",
     .may_take_last_request = true},
    {.fault = Fault::lost_message,
     .target = FaultTarget::request,
     .word = "lost-message",
     .letter = 'm',
     .note = "msg lost",
     .told = ", and {subscriber} misses the message"},
    {.fault = Fault::restart,
     .target = FaultTarget::server,
     .word = "restart",
     .letter = 'r',
     .note = "RESTART",
     .told = "{server} restarts with its data",
     .breaks_connections = true},
    {.fault = Fault::restart_empty,
     .target = FaultTarget::server,
     .word = "restart-empty",
     .letter = 'e',
     .note = "WIPED",
     .told = "{server} restarts without its data",
     .breaks_connections = true,
     .loses_data = true},
    {.fault = Fault::failover,
     .target = FaultTarget::server,
     .word = "failover",
     .letter = 'f',
     .note = "FAILOVER",
     .told = "a replica takes over that has missed the last write",
     .breaks_connections = true,
     .loses_data = true,
     .misses_writes = true,
     .may_take_last_request = true},
    {.fault = Fault::eviction,
     .target = FaultTarget::server,
     .word = "eviction",
     .letter = 'v',
     .note = "EVICTED",
     .told = "{server} drops {key}",
     .loses_data = true,
     .hits_one_key = true},
    {.fault = Fault::clock_jump,
     .target = FaultTarget::clock,
     .word = "clock-jump",
     .letter = 'c',
     .server_letter = 'C',
     .note = "clock +",
     .drawn = "clock +",
     .told = "has its clock set forward",
     .told_of_server = "{server}'s clock is set forward"},
    {.fault = Fault::clock_back,
     .target = FaultTarget::clock,
     .word = "clock-back",
     .letter = 'b',
     .server_letter = 'B',
     .note = "clock -",
     .drawn = "clock -",
     .told = "has its clock set back",
     .told_of_server = "{server}'s clock is set back"},
    {.fault = Fault::drift,
     .target = FaultTarget::client,
     .word = "drift",
     .letter = 'g',
     .note = "drift",
     .drawn = "drifts",
     .told = "has slow clocks: they fall behind"},
    {.fault = Fault::client_restart,
     .target = FaultTarget::client,
     .word = "client-restart",
     .letter = 'a',
     .note = "again",
     .drawn = "restarts",
     .told = "crashes, and begins again without its memory"},
    {.fault = Fault::lost_write,
     .target = FaultTarget::request,
     .word = "lost-write",
     .letter = 'n',
     .note = "lost",
     .told = ", which is lost on its way",
     .hides_answer = true,
     .happens_to_writes = true},
    {.fault = Fault::late_write,
     .target = FaultTarget::request,
     .word = "late-write",
     .letter = 's',
     .note = "delayed",
     .told = ", which arrives later: no answer",
     .hides_answer = true,
     .happens_to_writes = true},
    {.fault = Fault::duplicate_write,
     .target = FaultTarget::request,
     .word = "duplicate-write",
     .letter = 'k',
     .note = "twice",
     .told = ", and a second copy later",
     .happens_to_writes = true},
}};

// `fault_table` must be in the order of Fault.
constexpr bool is_in_order() {
  for (std::size_t at = 0; at < fault_kinds; ++at) {
    if (fault_table[at].fault != static_cast<Fault>(at)) return false;
  }
  return true;
}
static_assert(is_in_order());

// The letters of all faults, those of servers' clocks, and this one.
constexpr bool letters_differ(char other) {
  std::array<char, 2 * fault_kinds + 1> letters{other};
  std::size_t count = 1;
  for (const FaultKind& kind : fault_table) {
    letters[count++] = kind.letter;
    if (kind.target == FaultTarget::clock) letters[count++] = kind.server_letter;
  }
  std::sort(letters.begin(), letters.begin() + count);
  return std::adjacent_find(letters.begin(), letters.begin() + count) == letters.begin() + count;
}

constexpr const FaultKind& fault_kind(Fault fault) {
  return fault_table[static_cast<std::size_t>(fault)];
}

// The faults of which this is true.
template <bool FaultKind::*is>
inline constexpr auto faults_with = [] {
  constexpr auto count = std::count_if(fault_table.begin(), fault_table.end(),
                                       [](const FaultKind& kind) { return kind.*is; });
  std::array<Fault, static_cast<std::size_t>(count)> faults{};
  std::size_t next = 0;
  for (const FaultKind& kind : fault_table) {
    if (kind.*is) faults[next++] = kind.fault;
  }
  return faults;
}();

// The faults that happen to this.
template <FaultTarget target>
inline constexpr auto faults_of = [] {
  constexpr auto count = std::count_if(fault_table.begin(), fault_table.end(),
                                       [](const FaultKind& kind) { return kind.target == target; });
  std::array<Fault, static_cast<std::size_t>(count)> faults{};
  std::size_t next = 0;
  for (const FaultKind& kind : fault_table) {
    if (kind.target == target) faults[next++] = kind.fault;
  }
  return faults;
}();

// Whether a fault of which this is true may happen.
template <bool FaultKind::*is>
bool allows_some_of(const FaultBudget& budget) {
  return std::any_of(faults_with<is>.begin(), faults_with<is>.end(),
                     [&](Fault fault) { return budget.limit(fault) > 0; });
}

}  // namespace interlock::sim
