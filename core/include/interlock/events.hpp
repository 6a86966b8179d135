// The events of a client, for logs, metrics and programs.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/lock_protocol.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// What has happened to a lock.
enum class EventKind : std::uint8_t {
  acquired,  // `took`: since the acquire began
  waiting,   // the lock is busy, and the acquire waits. `busy` says who holds it and `took` is the
            // time since the acquire began; but if the acquire waits for another caller of the same
            // client, the event has the lock's name only. It comes again as often as the acquire
            // has asked the store again
  renewed,   // `took`: the renewal's round trip; `share_left`
  at_risk,   // the renewal is overdue
  lost,      // `loss` says why
  released,  // also if the lock stays held. `took`: the round trip, or until the answer was read
  error,     // `error`: a store operation failed, and is repeated or has no caller to return it to.
             // If `loss` is set, a release found that the lock was not held any more

  // The last three come from a Client, for those who count.
  //
  // A wait is over, whatever ended it: a grant, the wait's limit, a stop or an error. Each
  // `waiting` without `again` is followed by one of these; they have the lock's name. It may come
  // shortly after the acquire's `acquired`. A LockClient reports it, too.
  wait_ended,
  // An acquire ended without the lock. `busy` says who held it, or `error` why; `took`: since the
  // acquire began. Calls that are refused before anything is tried (in a child of fork(), with a
  // bad name, with a stop that was requested before) have none.
  not_acquired,
  // The lock is not held any more, or its release begins. `took`: how long it was held. Each
  // `acquired` is followed by one of these: at the loss, or when the release begins. A lock that an
  // interlock::Mutex keeps is held until the next section begins or the lock is given back.
  hold_ended,
};
std::string_view to_string(EventKind kind) noexcept;

// Every event has `kind` and `name`; EventKind says which of the fields below `fencing` are set.
// The events of a lease have its owner and fencing token; `waiting`, and the `error` of an acquire,
// have at most the owner.
class Event {
 public:
  Event(EventKind of_kind, LockName of_lock) : kind(of_kind), name(std::move(of_lock)) {}
  Event(EventKind of_kind, const Lease& lease)
      : kind(of_kind), name(lease.name()), owner(lease.owner()), fencing(lease.fencing()) {}

  EventKind kind;        // which of the fields below are set depends on it
  LockName name;         // of the lock
  OwnerToken owner;      // empty: none yet
  FencingToken fencing;  // 0: none yet
  Duration took{0};      // EventKind says what it is the time of
  bool again = false;    // for `waiting`: the acquire has reported that it waits before
  // For `renewed`: the share of the lease that was left when the renewal was confirmed, 0 to 1. A
  // renewal is sent when two thirds are left.
  double share_left = 0;
  std::optional<Busy> busy;        // who has the lock instead
  std::optional<LossReason> loss;  // why the lock was lost
  std::optional<Error> error;      // what failed
};

// Called on the thread on which the event happens. That may be any thread, and several at once.
// Must return soon and not throw.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) noexcept = 0;  // called with each event

  // An exception left a task that was given to Client::spawn(), or a callback that was given to
  // Client::acquire_then() or release_then(), and ended it. False: not handled; the client then
  // writes a line to standard error.
  virtual bool on_exception(std::exception_ptr thrown) noexcept {
    static_cast<void>(thrown);
    return false;
  }
};

}  // namespace interlock

#pragma GCC visibility pop
