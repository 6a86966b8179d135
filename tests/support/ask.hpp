// Operations as plain calls, for tests that look at replies rather than at decoded values.
#pragma once

#include <string>
#include <utility>

#include "interlock/store/key_value_store.hpp"
#include "interlock/task.hpp"

namespace interlock::test {

class RawOperation : public PendingOperation {
 public:
  RawOperation(KeyValueStore& store, Operation operation)
      : PendingOperation(std::move(operation)), store_(store) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    if (store_.submit(*this) == Submitted::completed) return false;
    left_waiting(coroutine);
    return true;
  }
  Reply await_resume() { return take_reply(); }

 private:
  KeyValueStore& store_;
};

inline Task<Reply> reply_to(KeyValueStore* store, Operation operation) {
  RawOperation raw(*store, std::move(operation));
  co_return co_await raw;
}

// An operation under way at a store on an event loop. Destroy it only when it is done.
class Asked {
 public:
  Asked(KeyValueStore& store, Operation operation) : task_(reply_to(&store, std::move(operation))) {
    task_.start();
  }
  bool done() const { return task_.done(); }
  // Once only.
  Reply take() { return task_.take(); }

 private:
  Task<Reply> task_;
};

// Asks a store that answers inside submit().
inline Reply ask(KeyValueStore& store, Operation operation) {
  return run(reply_to(&store, std::move(operation)));
}

inline Operation operation(OperationKind kind, std::string key, std::string value = {}) {
  Operation made(kind, Key(std::move(key)));
  made.value = std::move(value);
  return made;
}

inline Operation operation(OperationKind kind,
                           std::string key,
                           std::string value,
                           milliseconds ttl) {
  Operation made = operation(kind, std::move(key), std::move(value));
  made.ttl = ttl;
  return made;
}

// "unavailable: why", or the value: for messages of failed tests and for comparisons.
inline std::string shown(const Reply& reply) {
  if (reply) return to_string(*reply);
  return std::string(to_string(reply.error().code())) + ": " + reply.error().detail();
}

}  // namespace interlock::test
