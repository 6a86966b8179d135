#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "async_commands.hpp"
#include "async_messages.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/task.hpp"
#include "switch_listener.hpp"

namespace interlock::redis {

// Never blocks; for the loop's thread alone. Its parts outlive it while a completion that has
// destroyed it still runs inside one of them.
class AsyncStore final : public KeyValueStore {
 public:
  // `cluster`, if the server belongs to one; and which numbers its subscriptions have.
  AsyncStore(const std::shared_ptr<Endpoint>& endpoint,
             Reactor& reactor,
             std::weak_ptr<ClusterLink> cluster = {},
             SubscriptionId first = 1,
             SubscriptionId step = 1)
      : fork_(endpoint->process()),
        commands_(std::make_shared<AsyncCommands>(endpoint, reactor, cluster)),
        messages_(std::make_shared<AsyncMessages>(endpoint, reactor, first, step)) {
    messages_->when_away([cluster] {
      if (const auto link = cluster.lock()) link->doubt_map();
    });
    // Called only while this store lives, because its destructor closes all.
    commands_->when_connected([this] {
      if (switches_) switches_->listen();
      doubt_messages();
    });
    const auto& sentinels = endpoint->resolver().sentinels();
    if (!sentinels) return;
    switches_ = std::make_shared<SwitchListener>(
        sentinels, reactor, [this, endpoint](const std::string& primary, bool is_new) {
          if (is_new) endpoint->note_new_primary(primary);
          move_to(primary);
        });
  }
  ~AsyncStore() override {
    if (fork_.in_child()) {
      // Closing them would resume the coroutines that wait for them.
      posix::leave_behind(
          std::tuple(std::move(commands_), std::move(messages_), std::move(switches_)));
      return;
    }
    if (switches_) switches_->close();
    commands_->close();
    messages_->close();
  }

  // After an ASKING.
  Submitted submit_asking(PendingOperation& pending) {
    return commands_->submit(pending, AsyncCommands::Asking::yes);
  }
  // For a server that keeps no keys any more.
  void end_subscriptions() { messages_->end_all(); }

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
  // Completing operations may destroy this store.
  void move_to(const std::string& primary) {
    const auto messages = messages_;
    commands_->move_to(primary);
    messages->move_to(primary);
  }
  void doubt_messages() {
    messages_->doubt_server([this](const std::string& wake_up) {
      // A check that is under way uses the same connection.
      if (check_ && !check_->done()) return;
      check_.emplace(check(wake_up));
      check_->start();
    });
  }
  Task<void> check(std::string wake_up) {
    const Result<std::int64_t> heard = co_await publish(Channel(wake_up), std::string());
    if (heard && *heard == 0) messages_->not_heard(wake_up);
  }

  const posix::ForkMark fork_;
  std::shared_ptr<AsyncCommands> commands_;
  std::shared_ptr<AsyncMessages> messages_;
  std::shared_ptr<SwitchListener> switches_;  // null: no Sentinels
  std::optional<Task<void>> check_;  // whether messages come from the server of the commands
};

}  // namespace interlock::redis
