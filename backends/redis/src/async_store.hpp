#pragma once

#include <memory>
#include <utility>

#include "async_commands.hpp"
#include "async_messages.hpp"
#include "interlock/posix/fork.hpp"

namespace interlock::redis {

// Never blocks; used on the loop's thread alone. Its two halves outlive it for as long as a
// completion that destroyed it is still running inside one of them.
class AsyncStore final : public KeyValueStore {
 public:
  AsyncStore(const std::shared_ptr<Endpoint>& endpoint, Reactor& reactor)
      : fork_(endpoint->process()),
        commands_(std::make_shared<AsyncCommands>(endpoint, reactor)),
        messages_(std::make_shared<AsyncMessages>(endpoint, reactor)) {}
  ~AsyncStore() override {
    if (fork_.in_child()) {
      // To close them would run on what waits for them.
      posix::leave_behind(std::pair(std::move(commands_), std::move(messages_)));
      return;
    }
    commands_->close();
    messages_->close();
  }

  Submitted submit(PendingOperation& pending) override {
    if (posix::refuses_in_child(fork_, pending)) return Submitted::completed;
    switch (pending.operation().kind) {
      case OperationKind::subscribe:
        return messages_->subscribe(pending);
      case OperationKind::await_message:
        return messages_->await_message(pending);
      case OperationKind::interrupt:
        return messages_->interrupt(pending);
      case OperationKind::unsubscribe:
        return messages_->unsubscribe(pending);
      default:
        return commands_->submit(pending);
    }
  }

 private:
  const posix::ForkMark fork_;
  std::shared_ptr<AsyncCommands> commands_;
  std::shared_ptr<AsyncMessages> messages_;
};

}  // namespace interlock::redis
