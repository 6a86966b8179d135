// The events of a client, for logs, metrics and programs.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/lock_protocol.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock {

enum class EventKind : std::uint8_t {
  acquired,  // `took`: since the acquire began
  waiting,   // the lock is busy, and the acquire waits. `busy` says who holds it and `took` is the
            // time since the acquire began; but if the acquire waits for another caller of the same
            // client, the event has the lock's name only
  renewed,   // `took`: the renewal's round trip
  at_risk,   // the renewal is overdue
  lost,      // `loss` says why
  released,  // `took`: the release's round trip; of a dropped guard, until its answer was read
  error,     // `error`: a store operation failed, and is repeated or has no caller to return it to
};
std::string_view to_string(EventKind kind) noexcept;

// Every event has `kind` and `name`; EventKind says which of the last four fields are set. The
// events of a lease have its owner and fencing token; `waiting`, and the `error` of an acquire,
// have at most the owner.
class Event {
 public:
  Event(EventKind of_kind, LockName of_lock) : kind(of_kind), name(std::move(of_lock)) {}
  Event(EventKind of_kind, const Lease& lease)
      : kind(of_kind), name(lease.name()), owner(lease.owner()), fencing(lease.fencing()) {}

  EventKind kind;
  LockName name;
  OwnerToken owner;      // empty: none yet
  FencingToken fencing;  // 0: none yet
  Duration took{0};
  std::optional<Busy> busy;
  std::optional<LossReason> loss;
  std::optional<Error> error;
};

// Called on the thread on which the event happens. That may be any thread, and several at once.
// Must return soon and not throw.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) noexcept = 0;

  // An exception left a task that was given to Client::spawn(), and ended it. False: not handled;
  // the client then writes a line to standard error.
  virtual bool on_exception(std::exception_ptr thrown) noexcept {
    static_cast<void>(thrown);
    return false;
  }
};

}  // namespace interlock
