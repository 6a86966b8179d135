// What a client does with its locks, told as it happens: for logs, metrics and programs.
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
  acquired,  // took: since the acquire began
  waiting,   // told busy and about to wait; `busy` says by whom, unless it is for another caller of
             // the same client. took: since the acquire began
  renewed,   // took: the renewal's round trip
  at_risk,   // renewal overdue
  lost,      // `loss` says why
  released,  // took: the release's round trip
  error,     // a store operation failed and was or will be tried again, or nobody else can be told
};
std::string_view to_string(EventKind kind) noexcept;

class Event {
 public:
  Event(EventKind of_kind, LockName of_lock) : kind(of_kind), name(std::move(of_lock)) {}

  EventKind kind;
  LockName name;
  OwnerToken owner;
  FencingToken fencing;
  Duration took{0};
  std::optional<Busy> busy;
  std::optional<LossReason> loss;
  std::optional<Error> error;
};

// Called on the thread on which it happens, which may be any; must return soon and not throw.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) noexcept = 0;

  // An exception left a task that was given to Client::spawn(), and ended it. False: the client
  // says so in a line on standard error.
  virtual bool on_exception(std::exception_ptr thrown) noexcept {
    static_cast<void>(thrown);
    return false;
  }
};

}  // namespace interlock
