// The properties that must hold in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "interlock/sim/run.hpp"
#include "interlock/sim/sequential.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::sim {

enum class PropertyKind : std::uint8_t {
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
  step_predicate,
  linearizability,
  never,
  every_waiter_acquires,
  leads_to,
  deadlock,
};

class Property {
 public:
  using Predicate = std::function<bool(const Snapshot&)>;
  using StepPredicate = std::function<bool(const StepView&)>;

  Property(PropertyKind is, std::string called, std::string on)
      : kind(is), name(std::move(called)), subject(std::move(on)) {}

  PropertyKind kind;
  std::string name;         // `mutual exclusion of lock.foo`
  std::string subject;      // the lock, key, resource or object
  Duration within{0};       // for no_lost_wake_up() and no_unheard_grant()
  std::size_t at_most = 1;  // for lease_exclusion()
  Predicate holds;          // for always()
  StepPredicate is_about;   // for each_step()
  StepPredicate step_holds;
  Predicate from;  // for leads_to()
  Predicate to;
  Sequential specification;  // for linearizable()
  // What a player has to bring about to break it, as goal_text() says it; empty: the kind's words.
  std::string goal;

  // Liveness: something must eventually happen. Its counterexample is a prefix and a cycle
  // (Run::loop).
  bool is_liveness() const noexcept {
    return kind == PropertyKind::every_waiter_acquires || kind == PropertyKind::leads_to;
  }
  // The user has written it, as one predicate or several.
  bool is_own() const noexcept {
    return kind == PropertyKind::predicate || kind == PropertyKind::step_predicate ||
           kind == PropertyKind::leads_to;
  }
};

inline constexpr std::size_t property_kinds = static_cast<std::size_t>(PropertyKind::deadlock) + 1;

// The word for a kind of property in options and messages: `mutual-exclusion`, `no-orphan`, ...
std::string_view to_string(PropertyKind kind) noexcept;

// Two clients are never inside `lock` (Client::enter) at one time, by true time.
Property mutual_exclusion(std::string lock);

// Two clients never believe at one time that they hold `lock`, each by its own clock. A client
// believes so from Client::enter() until it leaves, but no longer than the end that it has given to
// enter(), if it has given one. So a holder that is paused past its lease does not violate this,
// and the other flaws of a lock with a time limit show. A client whose clock is late, or has been
// set back, believes for longer, which violates it. Some client must enter with an end, or the
// search proves nothing. If time has no end, no belief may last longer than its `longest`.
// `at_most`, at least 1: so many clients may believe it at one time, as the holders of permits do.
Property lease_exclusion(std::string lock, std::size_t at_most = 1);

// No client removes the key, or sets its ttl (not even to the same value), while the key holds what
// another client wrote. Keys of the initial state have no owner.
Property owner_only(std::string key);

// No client writes the key while the key holds what another client wrote; a SET, GETSET or INCR to
// the same value counts, too. Not for locks that clients take over by GETSET. Keys of the initial
// state have no owner.
Property no_overwrite(std::string key);

// Each grant of a claim on the key has a greater fencing token than the one before.
Property fencing_grows(std::string key);

// The resource accepts no write with a smaller fencing token than an earlier one, nor with the
// token of another client's write: a stale write, however late, never lands after a newer one.
Property fenced_writes(std::string resource);

// When every client is done or crashed and no request is on its way, the key is gone or going to
// expire.
Property no_orphan(std::string key);

// After an operation has removed the key, no client goes on waiting for a message that is not on
// its way, unless its wait ends within `within` by its own clock. (This is not about expiry, which
// sends no message.) If messages may be lost, `within` is the ttl.
Property no_lost_wake_up(std::string key, Duration within = Duration{0});

// No client ever reports this event (Client::reach). `goal`: Property::goal.
Property never(std::string event, std::string goal = {});

// A client that wants the lock (Client::wants) eventually enters it, gives up, ends or crashes:
// none waits for ever. This is liveness under weak fairness: every task that can always go on
// eventually does, requests and messages that are on their way arrive, time passes, and faults come
// to an end. A random choice may go against a client for ever. Scenario::fairness() chooses another
// fairness, for single clients or steps.
//
// Identical clients are distinguished for it, since fairness is about each of them; searches take
// as much longer. A client that retries for ever needs a loop_head (or `remembers`) to have
// finitely many states. If time ends before the answer is known, the verdict is `incomplete` and
// says so.
Property every_waiter_acquires(std::string lock);

// While the key holds the token of a client, that client does not wait for a message that is not on
// its way, unless its wait ends within `within`: a client that grants a lock to a waiter notifies
// it.
Property no_unheard_grant(std::string key, Duration within = Duration{0});

// The lock is granted to the first living client in its queue (that of core's queue scripts, or of
// other scripts with the same names and keys). A client that was granted the lock, got no message
// in time and queues again may go first or not. If requests may be applied twice or late, an offer
// to a client that is not in the queue passes nobody over: that client has gone, and takes nothing.
// Says nothing about queues whose keys a fault has removed.
Property first_come_first_served(std::string key);

// After a client is done, neither the key nor the lock's queue (that of core's queue scripts) names
// it: the lock is not granted to a client that has released it or given up, and no client waits for
// it. Crashed clients do not count, because no client can know of the crash. Also, a release does
// not leave the key to its owner; only this part is required if the allowed faults may keep a
// client's last request from the store (unreachable, lost request, rejected, failover), or apply it
// late or twice.
Property gone_leave_nothing(std::string key);

// No deadlock: there is no state in which a client has not ended and nothing can happen any more,
// however much time passes, without another fault. A wait that ends by itself after the last
// instant is no deadlock, and neither is a client that loops for ever: see every_waiter_acquires.
// Every scenario requires this, unless it calls Scenario::allow_deadlock().
Property no_deadlock();

// The user's own predicate: must hold in every state, also between the execution of a request and
// its answer, a client's start and its first request, the end of a section (Client::leave) and what
// follows. So `if the key is there, its writer is inside` holds for no lock. What a client does
// between two waits is one moment. Slower than the others. It may name one of identical clients
// (Scenario::clients): it is asked about each permutation of them (24 of 4 clients), and must
// answer by the Snapshot alone; if it throws, the scenario is `invalid`. If an initial key names
// one of them, the search tells them apart. `goal`: Property::goal.
Property always(std::string name, Property::Predicate holds, std::string goal = {});

// The user's own predicate over two successive states (TLA+ calls this an action property): must
// hold for each step that `is_about` picks out. Some step must be one of these, or the search
// proves nothing: the property would be vacuous. What always() says of its predicate holds for both
// functions: which states there are, that they may name one of identical clients and must answer by
// the StepView alone. A step may be short or long: the execution of a request and its answer are
// one step or two, and so are a client's start and its first request. So what a client notes before
// its first request may come with that request. Searches call both functions for each step, which
// is slower than always().
Property each_step(std::string name,
                   Property::StepPredicate is_about,
                   Property::StepPredicate step_holds,
                   std::string goal = {});

// In no step does this number become smaller, such as the one that a key holds (Snapshot::number)
// or a ghost variable (ClientView::ghost). While there is no number, nothing is compared. Some step
// must change the number, or the search proves nothing. The rest is as for each_step().
Property never_decreases(std::string name,
                         std::function<std::optional<std::int64_t>(const Snapshot&)> number,
                         std::string goal = {});

// Whenever a state satisfies `from`, that state or a later one satisfies `to` (TLA+ writes
// `from ~> to`). This is liveness under the same fairness as for every_waiter_acquires(), and
// what is said there of loop_head, of identical clients and of the end of time holds here, too.
// Some state must satisfy `from` and not `to`, or the search proves nothing. The counterexample
// comes to such a state, and from there to a cycle, or to where nothing can happen any more;
// Run::owed_since says where. From there on no state satisfies `to`. Faults may happen before the
// cycle.
//
// Both functions must answer by the Snapshot alone, as that of always(), and may name any client.
// `from` is asked only about states that do not satisfy `to`. `to` should last: the execution of a
// request and its answer are one step or two, and so are a client's start and its first request, so
// a run need not have a state between them.
Property leads_to(std::string name,
                  Property::Predicate from,
                  Property::Predicate to,
                  std::string goal = {});

// The object that the programs implement is linearizable (Herlihy and Wing 1990): in every run
// there is an order of the operations on it (Client::invokes, Client::returns) in which each has
// the result that it returned, by the specification, and in which an operation that returned before
// another began comes before it. An operation that has not returned, because its client has crashed
// or has left it open, may have taken effect or not. Some operation must return, and operations of
// different clients must overlap, or the search proves nothing. A search keeps every configuration
// to which some order leads. If one moment has more than 16384, or all together take some 400 MB,
// it ends as `incomplete`.
Property linearizable(std::string object, Sequential specification);

}  // namespace interlock::sim
