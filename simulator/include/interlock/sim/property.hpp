// What must hold in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "interlock/sim/run.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::sim {

class Property {
 public:
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
    first_come_first_served,
    gone_leave_nothing,
    predicate,
    never,
    every_waiter_acquires,
    deadlock,
  };
  using Predicate = std::function<bool(const Snapshot&)>;

  Property(Kind is, std::string called, std::string on)
      : kind(is), name(std::move(called)), subject(std::move(on)) {}

  Kind kind;
  std::string name;     // `mutual exclusion of lock.foo`
  std::string subject;  // the lock, key or resource
  Duration within{0};
  Predicate holds;

  // About what must happen at last, not about what must never happen: its counterexample goes round
  // for ever (Run::loop).
  bool is_liveness() const noexcept { return kind == Kind::every_waiter_acquires; }
};

inline constexpr std::size_t property_kinds =
    static_cast<std::size_t>(Property::Kind::deadlock) + 1;

// The word for a kind of property in options and messages: `mutual-exclusion`, `no-orphan`, ...
std::string_view to_string(Property::Kind kind) noexcept;

// Never are two clients inside `lock` (Client::enter) at one time, by true time.
Property mutual_exclusion(std::string lock);

// Never do two clients believe at one time that they hold `lock`, each by its own clock: a client
// believes so from Client::enter() on until it leaves, but no longer than the end that it has
// given, if it has given one. So a holder that is paused past its lease breaks nothing, and what
// else is wrong with a lock that has a time limit shows. A client whose clock is late, or has been
// set back, believes for longer, and that breaks it. Some client must enter with an end, or the
// search proves nothing. Where time has no end, no belief may last longer than its `longest`.
Property lease_exclusion(std::string lock);

// No client removes the key, or sets how long it lasts, were it to the same, while it holds what
// another client wrote. Keys of the initial state belong to nobody.
Property owner_only(std::string key);

// No client puts another value in the key's place while it holds what another client wrote: by SET,
// GETSET or INCR not even the same one. Not for locks that are taken over so (GETSET). Keys of the
// initial state belong to nobody.
Property no_overwrite(std::string key);

// Each grant of a claim on the key has a greater fencing token than the one before.
Property fencing_grows(std::string key);

// No write that the resource accepts has a smaller fencing token than one before it, nor the same
// as another client's: however late, a stale write never lands after a newer one.
Property fenced_writes(std::string resource);

// When every client is done or crashed and no request is on its way, the key is gone or going to
// expire.
Property no_orphan(std::string key);

// When an operation has removed the key, no client goes on waiting for a message that is not on its
// way, unless its wait ends within `within` by its own clock. (A key that expires announces
// nothing, and is not meant here.) Lost messages justify a `within`: the ttl.
Property no_lost_wake_up(std::string key, Duration within = Duration{0});

// No client ever says that this has happened (Client::reach).
Property never(std::string event);

// Whoever wants the lock (Client::wants) enters it at last, gives up, ends or crashes: nobody waits
// for ever. Of a world that is fair: every task that can go on all along goes on at last, requests
// and messages that are on their way arrive, time passes, and faults come to an end. A branch that
// a client chooses may be chosen against it for ever.
//
// Identical clients are told apart for it, since fairness is about each of them: searches take as
// much longer. A client that retries for ever needs a loop_head (or `remembers`) to be finite.
// Where time ends before the answer is known, the verdict is `incomplete` and says so.
Property every_waiter_acquires(std::string lock);

// No client goes on waiting for a message that is not on its way while the key holds its token,
// unless its wait ends within `within`: somebody has granted it the lock and not told it.
Property no_unheard_grant(std::string key, Duration within = Duration{0});

// Of the clients that queue for a lock (core's queue scripts, or others of the same names and
// keys), the first alive is granted first. One that was granted, heard nothing in time and queues
// again may go first or not. Where requests may be carried out twice or late, an offer to a client
// that is not in the queue passes nobody over: it has gone, and takes nothing. Says nothing of
// queues whose keys a fault has taken away.
Property first_come_first_served(std::string key);

// Once a client is done, neither the key nor the lock's queue (that of core's queue scripts) names
// it: a client that has released the lock or given up is not granted it after that, and nobody
// waits for it. Crashed clients are not meant: nobody can know of them. And a release does not
// leave the key to its owner: that is all it says where a fault that is allowed may keep a client's
// last request from the store (unreachable, lost request, rejected, failover) or carry it out late
// or twice.
Property gone_leave_nothing(std::string key);

// Nobody waits for ever for what cannot come: there is no state in which a client has not ended and
// nothing can happen any more, however much time passes and without another fault. (A wait that
// ends by itself after the last instant is none. A client that goes round and round is none either:
// see every_waiter_acquires.) Every scenario requires this, unless Scenario::allow_deadlock() says
// that it need not.
Property no_deadlock();

// The user's own: must hold in every state. So also between a request's being carried out and its
// answer, and before a client that has begun asks for the first time: `if the key is there, its
// writer is inside` holds of no lock. Slower than the others: each state is decoded for it, and
// there are more of them. Of identical clients (Scenario::clients) it must not tell one from
// another: states that differ in nothing else are looked at once. If it does, call
// Scenario::symmetry(false); nothing checks that yet.
Property always(std::string name, Property::Predicate holds);

}  // namespace interlock::sim
